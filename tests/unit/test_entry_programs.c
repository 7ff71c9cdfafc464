// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of the program at entries of functions. The test plays libbpf (--wrap). */
#include "record/sampling/bpf/entry_programs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define NR_INSNS 3

static struct bpf_insn insns[NR_INSNS];
static uint32_t func_info[4]; /* two records of eight bytes */

static struct {
	libbpf_prog_prepare_load_fn_t prepare;
	long cookie;
	int unregistered;
	struct bpf_prog_load_opts loaded; /* the latest */
	int load_error;
	size_t nr_loaded;
} played;

int __wrap_libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
					enum bpf_attach_type attach,
					const struct libbpf_prog_handler_opts *opts);
int __wrap_libbpf_unregister_prog_handler(int number);
size_t __wrap_bpf_program__insn_cnt(const struct bpf_program *program);
const struct bpf_insn *__wrap_bpf_program__insns(const struct bpf_program *program);
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *code, size_t nr, struct bpf_prog_load_opts *opts);

int __wrap_libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
					enum bpf_attach_type attach,
					const struct libbpf_prog_handler_opts *opts)
{
	ck_assert_str_eq(section, "fentry");
	ck_assert_int_eq(type, BPF_PROG_TYPE_TRACING);
	ck_assert_int_eq(attach, BPF_TRACE_FENTRY);
	played.prepare = opts->prog_prepare_load_fn;
	played.cookie = opts->cookie;
	return 7;
}

int __wrap_libbpf_unregister_prog_handler(int number)
{
	played.unregistered = number;
	return 0;
}

size_t __wrap_bpf_program__insn_cnt(const struct bpf_program *program)
{
	(void)program;
	return NR_INSNS;
}

const struct bpf_insn *__wrap_bpf_program__insns(const struct bpf_program *program)
{
	(void)program;
	return insns;
}

/* The kernel gets the code that the model had, whatever has become of that. */
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *code, size_t nr, struct bpf_prog_load_opts *opts)
{
	const uint32_t *info = opts->func_info;

	ck_assert_int_eq(type, BPF_PROG_TYPE_TRACING);
	ck_assert_str_eq(name, "count_entry");
	ck_assert_str_eq(license, "GPL");
	ck_assert_uint_eq(nr, NR_INSNS);
	for (int i = 0; i < NR_INSNS; i++)
		ck_assert_int_eq(code[i].imm, i + 1);
	for (uint32_t i = 0; i < ARRAY_SIZE(func_info); i++)
		ck_assert_uint_eq(info[i], i + 1);
	played.loaded = *opts;
	played.nr_loaded++;
	return played.load_error ? played.load_error : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct entry_programs programs;

/* libbpf loads the model, and changes or frees its memory then. */
static void begin(void)
{
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = BPF_TRACE_FENTRY,
		.prog_flags = 9,
		.func_info = func_info,
		.func_info_cnt = 2,
		.func_info_rec_size = 8,
		.line_info = func_info,
		.line_info_cnt = 5,
	};

	memset(&played, 0, sizeof(played));
	programs = (struct entry_programs){0};
	for (int i = 0; i < NR_INSNS; i++)
		insns[i].imm = i + 1;
	for (uint32_t i = 0; i < ARRAY_SIZE(func_info); i++)
		func_info[i] = i + 1;
	ck_assert_int_eq(entry_programs_register(&programs, 11), 7);
	ck_assert_int_eq(played.prepare(NULL, &opts, played.cookie), 0);
	ck_assert_uint_eq(opts.attach_btf_id, 11);
	memset(insns, 0xff, sizeof(insns));
	memset(func_info, 0xff, sizeof(func_info));
}

static void end(void)
{
	entry_programs_deinit(&programs);
}

START_TEST(copies_of_the_model)
{
	int fds[2];

	for (uint32_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = entry_programs_copy(&programs, 20 + i);
		ck_assert_int_ge(fds[i], 0);
		ck_assert_uint_eq(played.loaded.attach_btf_id, 20 + i);
		ck_assert_int_eq(played.loaded.expected_attach_type, BPF_TRACE_FENTRY);
		ck_assert_uint_eq(played.loaded.prog_flags, 9);
		ck_assert_uint_eq(played.loaded.func_info_cnt, 2);
		/* Lines would be of the model's memory, which is gone. */
		ck_assert_ptr_null(played.loaded.line_info);
		ck_assert_uint_eq(played.loaded.line_info_cnt, 0);
	}
	ck_assert_int_ne(fds[0], fds[1]);
	ck_assert_uint_eq(programs.copies.nr, 2);
	end();
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		ck_assert_int_lt(fcntl(fds[i], F_GETFD), 0);
	ck_assert_ptr_null(programs.insns);
	entry_programs_unregister(7);
	ck_assert_int_eq(played.unregistered, 7);
}
END_TEST

START_TEST(a_copy_that_is_refused)
{
	played.load_error = -EACCES;
	ck_assert_int_eq(entry_programs_copy(&programs, 20), -EACCES);
	ck_assert_uint_eq(programs.copies.nr, 0);
}
END_TEST

/* A copy that cannot be noted is closed, so that nothing stays in the kernel. */
START_TEST(memory_runs_out)
{
	const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(next);
	oom_granted = 0;
	ck_assert_int_eq(entry_programs_copy(&programs, 20), -ENOMEM);
	oom_granted = SIZE_MAX;
	ck_assert_uint_eq(played.nr_loaded, 1);
	ck_assert_uint_eq(programs.copies.nr, 0);
	ck_assert_int_lt(fcntl(next, F_GETFD), 0);
}
END_TEST

SUITE_MAIN_WITH("entry_programs", begin, end, copies_of_the_model, a_copy_that_is_refused,
		memory_runs_out)
