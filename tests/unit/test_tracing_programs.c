// SPDX-License-Identifier: GPL-2.0-or-later
/* What programs are bound to. The test plays libbpf and the kernel's types (--wrap). */
#include "record/sampler/tracing_programs.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "tests/unit/suite.h"

static const struct kernel_types types;

/* What libbpf was asked for, in its order. */
static struct {
	char sections[4][16];
	enum bpf_attach_type attach[4];
	libbpf_prog_prepare_load_fn_t prepare;
	long cookie;
	size_t nr, fail_at; /* the number that is refused */
	int unregistered[4];
	size_t nr_unregistered;
} handlers;

static struct {
	const char *section; /* of the program */
	char name[64];       /* that was looked for */
	uint32_t kind, id;   /* its kind, and the type's number */
	enum bpf_prog_type type;
	int error;
} played;

int __wrap_libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
					enum bpf_attach_type attach,
					const struct libbpf_prog_handler_opts *opts);
int __wrap_libbpf_unregister_prog_handler(int number);
const char *__wrap_bpf_program__section_name(const struct bpf_program *program);
int __wrap_bpf_program__set_type(struct bpf_program *program, enum bpf_prog_type type);
uint32_t __wrap_kernel_types_find(const struct kernel_types *of, const char *name, uint32_t kind);

int __wrap_libbpf_register_prog_handler(const char *section, enum bpf_prog_type type,
					enum bpf_attach_type attach,
					const struct libbpf_prog_handler_opts *opts)
{
	const size_t nr = handlers.nr;

	if (nr == handlers.fail_at)
		return -E2BIG;
	ck_assert_uint_lt(nr, ARRAY_SIZE(handlers.sections));
	ck_assert_int_eq(type, TRACING_PROGRAM_BEFORE);
	snprintf(handlers.sections[nr], sizeof(handlers.sections[nr]), "%s", section);
	handlers.attach[nr] = attach;
	handlers.prepare = opts->prog_prepare_load_fn;
	handlers.cookie = opts->cookie;
	handlers.nr++;
	return 100 + (int)nr;
}

int __wrap_libbpf_unregister_prog_handler(int number)
{
	handlers.unregistered[handlers.nr_unregistered++] = number;
	return 0;
}

const char *__wrap_bpf_program__section_name(const struct bpf_program *program)
{
	(void)program;
	return played.section;
}

int __wrap_bpf_program__set_type(struct bpf_program *program, enum bpf_prog_type type)
{
	(void)program;
	played.type = type;
	return played.error;
}

uint32_t __wrap_kernel_types_find(const struct kernel_types *of, const char *name, uint32_t kind)
{
	ck_assert_ptr_eq(of, &types);
	snprintf(played.name, sizeof(played.name), "%s", name);
	played.kind = kind;
	return played.id;
}

static struct tracing_programs programs;

static void begin(void)
{
	memset(&handlers, 0, sizeof(handlers));
	memset(&played, 0, sizeof(played));
	programs = (struct tracing_programs){0};
	handlers.fail_at = SIZE_MAX;
	played.id = 42;
}

START_TEST(sections)
{
	static const struct {
		const char *section;
		enum bpf_attach_type attach;
	} want[] = {{"tp_btf+", BPF_TRACE_RAW_TP},
		    {"fexit+", BPF_TRACE_FEXIT},
		    {"iter+", BPF_TRACE_ITER}};

	ck_assert_int_eq(tracing_programs_register(&programs, &types), 0);
	ck_assert_uint_eq(handlers.nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		ck_assert_str_eq(handlers.sections[i], want[i].section);
		ck_assert_int_eq(handlers.attach[i], want[i].attach);
	}
	for (int i = 0; i < 2; i++)
		tracing_programs_unregister(&programs);
	ck_assert_uint_eq(handlers.nr_unregistered, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		ck_assert_int_eq(handlers.unregistered[i], 100 + (int)i);
}
END_TEST

/* Those before a refusal are to be taken back. */
START_TEST(sections_that_are_refused)
{
	for (size_t nr = 0; nr < NR_TRACING_SECTIONS; nr++) {
		begin();
		handlers.fail_at = nr;
		ck_assert_int_eq(tracing_programs_register(&programs, &types), -E2BIG);
		ck_assert_uint_eq(programs.nr, nr);
		tracing_programs_unregister(&programs);
		ck_assert_uint_eq(handlers.nr_unregistered, nr);
		ck_assert_uint_eq(programs.nr, 0);
	}
}
END_TEST

START_TEST(what_programs_are_bound_to)
{
	static const struct {
		const char *section, *name;
		uint32_t kind;
	} cases[] = {
		{"tp_btf/sched_switch", "btf_trace_sched_switch", BTF_KIND_TYPEDEF},
		{"fexit/do_exit", "do_exit", BTF_KIND_FUNC},
		{"iter/task", "bpf_iter_task", BTF_KIND_FUNC},
	};

	ck_assert_int_eq(tracing_programs_register(&programs, &types), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bpf_prog_load_opts opts = {0};

		played.section = cases[i].section;
		played.type = BPF_PROG_TYPE_UNSPEC;
		ck_assert_int_eq(handlers.prepare(NULL, &opts, handlers.cookie), 0);
		ck_assert_str_eq(played.name, cases[i].name);
		ck_assert_uint_eq(played.kind, cases[i].kind);
		ck_assert_uint_eq(opts.attach_btf_id, 42);
		ck_assert_int_eq(played.type, BPF_PROG_TYPE_TRACING);
	}
}
END_TEST

/* The kernel may have no such type, and libbpf no such section. */
START_TEST(programs_that_are_not_bound)
{
	static const char *const other[] = {"fexit", "fentry/do_exit", "perf_event",
					    "fexits/do_exit"};
	struct bpf_prog_load_opts opts = {0};

	ck_assert_int_eq(tracing_programs_register(&programs, &types), 0);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		played.section = other[i];
		ck_assert_int_eq(handlers.prepare(NULL, &opts, handlers.cookie), -ESRCH);
		ck_assert_uint_eq(opts.attach_btf_id, 0);
	}
	played.section = "fexit/do_exit";
	played.error = -EBUSY;
	ck_assert_int_eq(handlers.prepare(NULL, &opts, handlers.cookie), -EBUSY);
	played.error = 0;
	played.id = 0;
	played.type = BPF_PROG_TYPE_UNSPEC;
	ck_assert_int_eq(handlers.prepare(NULL, &opts, handlers.cookie), -ESRCH);
	ck_assert_int_eq(played.type, BPF_PROG_TYPE_UNSPEC);
}
END_TEST

SUITE_MAIN_WITH("tracing_programs", begin, NULL, sections, sections_that_are_refused,
		what_programs_are_bound_to, programs_that_are_not_bound)
