// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel is asked to attach. The test answers in its place (--wrap). */
#include "record/probes/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "bpf/shared.h"
#include "common/readfile.h"
#include "record/probes/hit_weights.h"
#include "record/probes/kernel_way.h"
#include "tests/unit/suite.h"

#define PROGRAM 70
#define EVENT   3

/* include/uapi/linux/bpf.h of Linux 6.6 */
#define CMD_LINK_CREATE    28
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48

/* Of union bpf_attr, as far as the recorder fills it. */
static struct {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t words[14];
} create;

static struct {
	int load_error, create_error, open_error, link_error; /* errno; 0: none */
	struct perf_event_attr attr;
	uint64_t cookie;
	int link_program, link_target, link_type;
	bool has_options, has_kprobes;
	const char *type; /* of the perf events for probes; NULL: there are none */
	int last_fd;
} kernel;

/* What the program for one call found in the arrays of that call. */
static uint64_t offsets[2], semaphores[2], cookies[2];
static char path[128];

long __wrap_syscall(long number, ...);
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t nr, struct bpf_prog_load_opts *opts);
int __wrap_bpf_link_create(int program, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts);

int __wrap_access(const char *file, int mode);
int __real_read_file(const char *file, size_t max, char_vec *text);
int __wrap_read_file(const char *file, size_t max, char_vec *text);

int __wrap_access(const char *file, int mode)
{
	ck_assert_str_eq(file, "/sys/bus/event_source/devices/kprobe/type");
	ck_assert_int_eq(mode, F_OK);
	return kernel.has_kprobes ? 0 : -1;
}

/* The last type that was read: "uprobe" or "kprobe". */
static char source[16];

int __wrap_read_file(const char *file, size_t max, char_vec *text)
{
	if (sscanf(file, "/sys/bus/event_source/devices/%15[^/]/type", source) != 1)
		return __real_read_file(file, max, text);
	if (!kernel.type)
		return -ENOENT;
	return vec_append(text, kernel.type, strlen(kernel.type) + 1);
}

static int new_fd(void)
{
	kernel.last_fd = open("/", O_PATH | O_CLOEXEC);
	ck_assert_int_ge(kernel.last_fd, 0);
	return kernel.last_fd;
}

static int fail_or_open(int error)
{
	errno = error;
	return error ? -1 : new_fd();
}

/* Arrays of the call are gone when it has returned. */
static void copy_numbers(void)
{
	if (create.attach_type == TRACE_UPROBE_MULTI && create.words[3]) {
		snprintf(path, sizeof(path), "%s", (char *)(uintptr_t)create.words[0]);
		memcpy(offsets, (void *)(uintptr_t)create.words[1], sizeof(offsets));
		memcpy(semaphores, (void *)(uintptr_t)create.words[2], sizeof(semaphores));
		memcpy(cookies, (void *)(uintptr_t)create.words[3], sizeof(cookies));
	}
	if (create.attach_type == TRACE_KPROBE_MULTI && create.words[3])
		memcpy(cookies, (void *)(uintptr_t)create.words[3], sizeof(cookies));
}

long __wrap_syscall(long number, ...)
{
	va_list args;

	va_start(args, number);
	if (number == SYS_perf_event_open) {
		kernel.attr = *va_arg(args, struct perf_event_attr *);
		va_end(args);
		return fail_or_open(kernel.open_error);
	}
	ck_assert_int_eq(number, SYS_bpf);
	ck_assert_int_eq(va_arg(args, int), CMD_LINK_CREATE);
	memcpy(&create, va_arg(args, void *), sizeof(create));
	va_end(args);
	copy_numbers();
	return fail_or_open(kernel.create_error);
}

int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t nr, struct bpf_prog_load_opts *opts)
{
	(void)type, (void)name, (void)license, (void)insns, (void)nr, (void)opts;
	return kernel.load_error ? -kernel.load_error : new_fd();
}

int __wrap_bpf_link_create(int program, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts)
{
	kernel.link_program = program;
	kernel.link_target = target;
	kernel.link_type = type;
	kernel.has_options = opts;
	if (opts)
		kernel.cookie =
			type == BPF_PERF_EVENT ? opts->perf_event.bpf_cookie : opts->tracing.cookie;
	return fail_or_open(kernel.link_error);
}

/* Kernels are told apart by the error of a call that must fail. */
START_TEST(what_the_kernel_can)
{
	static const struct {
		int load_error, create_error;
		bool can_user, can_kernel;
	} cases[] = {
		{0, EBADF, true, false},   {0, ESRCH, false, true}, {0, ENOENT, false, true},
		{0, EINVAL, false, false}, {0, 0, false, false},    {EPERM, EBADF, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		kernel.load_error = cases[i].load_error;
		kernel.create_error = cases[i].create_error;
		ck_assert_int_eq(attach_can_user_multi(), cases[i].can_user);
		ck_assert_int_eq(attach_can_kernel_multi(), cases[i].can_kernel);
	}
}
END_TEST

START_TEST(many_places_of_a_file)
{
	const struct user_place places[] = {{.off = 0x100, .semaphore = 0x900, .is_entry = true},
					    {.off = 0x200}};
	int fd = attach_user_multi(PROGRAM, 5, places, ARRAY_SIZE(places), EVENT);

	ck_assert_int_eq(fd, kernel.last_fd);
	ck_assert_uint_eq(create.prog_fd, PROGRAM);
	ck_assert_uint_eq(create.attach_type, TRACE_UPROBE_MULTI);
	ck_assert_uint_eq((uint32_t)create.words[4], 2);
	ck_assert_str_eq(path, "/proc/self/fd/5");
	ck_assert_uint_eq(offsets[0], 0x100);
	ck_assert_uint_eq(offsets[1], 0x200);
	ck_assert_uint_eq(semaphores[0], 0x900);
	ck_assert_uint_eq(semaphores[1], 0);
	ck_assert_uint_eq(cookies[0], EVENT | PROBE_AT_ENTRY);
	ck_assert_uint_eq(cookies[1], EVENT);
	kernel.create_error = EACCES;
	ck_assert_int_eq(attach_user_multi(PROGRAM, 5, places, 2, EVENT), -EACCES);
}
END_TEST

START_TEST(many_functions_of_the_kernel)
{
	const uint64_t addrs[] = {0xffffffff81000000, 0xffffffff82000000};
	int fd = attach_kernel_multi(PROGRAM, addrs, ARRAY_SIZE(addrs), EVENT);

	ck_assert_int_eq(fd, kernel.last_fd);
	ck_assert_uint_eq(create.attach_type, TRACE_KPROBE_MULTI);
	ck_assert_uint_eq(create.words[0] >> 32, 2);
	ck_assert_uint_eq(create.words[1], 0);
	ck_assert_uint_eq(create.words[2], (uintptr_t)addrs);
	ck_assert_uint_eq(cookies[0], EVENT);
	ck_assert_uint_eq(cookies[1], EVENT);
	kernel.create_error = EINVAL;
	ck_assert_int_eq(attach_kernel_multi(PROGRAM, addrs, 2, EVENT), -EINVAL);
}
END_TEST

START_TEST(a_tracepoint)
{
	int fd = attach_tracepoint(PROGRAM, 99, EVENT);

	ck_assert_int_eq(fd, kernel.last_fd);
	ck_assert_uint_eq(kernel.attr.type, PERF_TYPE_TRACEPOINT);
	ck_assert_uint_eq(kernel.attr.config, 99);
	ck_assert_uint_eq(kernel.attr.sample_period, 1);
	ck_assert_uint_eq(kernel.attr.size, sizeof(kernel.attr));
	ck_assert_uint_eq(kernel.cookie, EVENT);
	ck_assert_int_eq(kernel.link_program, PROGRAM);
	ck_assert_int_eq(kernel.link_type, BPF_PERF_EVENT);
	kernel.link_error = EBUSY;
	ck_assert_int_eq(attach_tracepoint(PROGRAM, 99, EVENT), -EBUSY);
	kernel.open_error = ENOENT;
	ck_assert_int_eq(attach_tracepoint(PROGRAM, 99, EVENT), -ENOENT);
}
END_TEST

START_TEST(entries_of_functions)
{
	int fd = attach_entry(PROGRAM, EVENT);

	ck_assert_int_eq(fd, kernel.last_fd);
	ck_assert_int_eq(kernel.link_program, PROGRAM);
	ck_assert_int_eq(kernel.link_target, 0);
	ck_assert_int_eq(kernel.link_type, BPF_TRACE_FENTRY);
	ck_assert_uint_eq(kernel.cookie, EVENT);
	/* Older kernels refuse options. */
	attach_entry(PROGRAM, 0);
	ck_assert(!kernel.has_options);
	ck_assert_int_eq(attach_check_entry(5), 0);
	kernel.link_error = EBUSY;
	ck_assert_int_eq(attach_entry(PROGRAM, EVENT), -EBUSY);
	ck_assert_int_eq(attach_check_entry(5), -EBUSY);
	kernel.load_error = EINVAL;
	ck_assert_int_eq(attach_check_entry(5), -EINVAL);
}
END_TEST

/* Kernels without kprobe.multi and uprobe.multi attach each by a perf event. */
START_TEST(single_functions)
{
	const struct user_place place = {.off = 0x100, .semaphore = 0x900, .is_entry = true};

	kernel.type = "8\n";
	ck_assert_int_eq(attach_user(PROGRAM, 5, &place, EVENT), kernel.last_fd);
	ck_assert_str_eq(source, "uprobe");
	ck_assert_uint_eq(kernel.attr.type, 8);
	ck_assert_uint_eq(kernel.attr.config, 0x900ULL << 32);
	ck_assert_uint_eq(kernel.attr.config2, 0x100);
	ck_assert_uint_eq(kernel.cookie, EVENT | PROBE_AT_ENTRY);
	ck_assert_int_eq(attach_kernel(PROGRAM, 0xffffffff81000000, EVENT), kernel.last_fd);
	ck_assert_str_eq(source, "kprobe");
	ck_assert_uint_eq(kernel.attr.type, 8);
	ck_assert_uint_eq(kernel.attr.config2, 0xffffffff81000000);
	ck_assert_uint_eq(kernel.cookie, EVENT);
	ck_assert_int_eq(kernel.link_program, PROGRAM);
	kernel.type = "x\n";
	ck_assert_int_eq(attach_user(PROGRAM, 5, &place, EVENT), -EINVAL);
	kernel.type = NULL;
	ck_assert_int_eq(attach_user(PROGRAM, 5, &place, EVENT), -ENOENT);
	ck_assert_int_eq(attach_kernel(PROGRAM, 1, EVENT), -ENOENT);
	kernel.type = "8\n";
	kernel.open_error = EACCES;
	ck_assert_int_eq(attach_kernel(PROGRAM, 1, EVENT), -EACCES);
}
END_TEST

START_TEST(ways_that_were_asked_for)
{
	enum kernel_way way = KERNEL_BY_ANY;
	const char *reason = NULL;

	kernel.create_error = ESRCH;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	ck_assert_int_eq(way, KERNEL_BY_MULTI);
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	kernel.create_error = EINVAL;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), -EOPNOTSUPP);
	ck_assert_str_eq(reason, "this kernel has no kprobe.multi (CONFIG_FPROBE)");
	ck_assert_int_eq(way, KERNEL_BY_MULTI);
	way = KERNEL_BY_ANY;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	ck_assert_int_eq(way, KERNEL_BY_FENTRY);
	ck_assert_str_eq(reason, "this kernel has no kprobes (CONFIG_KPROBES), and fentry fails");
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	ck_assert_str_eq(reason, "fentry fails");
	way = KERNEL_BY_KPROBE;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), -EOPNOTSUPP);
	ck_assert_str_eq(reason, "this kernel has no kprobes (CONFIG_KPROBES)");
	kernel.has_kprobes = true;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	way = KERNEL_BY_ANY;
	ck_assert_int_eq(kernel_way_choose(&way, &reason), 0);
	ck_assert_int_eq(way, KERNEL_BY_KPROBE);
}
END_TEST

/* The field of the nth tracepoint that is asked for. */
static struct tracepoint_field fields[2];
static int field_error;

int __wrap_tracepoint_field_find(const struct tracepoint *t, const char *const *roots,
				 const char *name, struct tracepoint_field *field);

int __wrap_tracepoint_field_find(const struct tracepoint *t, const char *const *roots,
				 const char *name, struct tracepoint_field *field)
{
	(void)roots;
	ck_assert_str_eq(name, "len");
	*field = fields[t->id];
	return field_error;
}

/* The place of a field must be one in all tracepoints, and within reach of the program. */
START_TEST(fields_of_tracepoints)
{
	static const struct {
		struct tracepoint_field fields[2];
		int ret;
	} cases[] = {
		{{{8, 8, true}, {8, 8, true}}, 0},
		{{{128, 8, false}, {128, 8, false}}, 0},
		{{{132, 4, false}, {132, 4, false}}, 0},
		{{{136, 1, false}, {136, 1, false}}, -EOPNOTSUPP},
		{{{132, 8, false}, {132, 8, false}}, -EOPNOTSUPP},
		{{{4, 4, false}, {4, 4, false}}, -EOPNOTSUPP},
		{{{8, 4, false}, {12, 4, false}}, -EOPNOTSUPP},
		{{{8, 4, false}, {8, 8, false}}, -EOPNOTSUPP},
	};
	char first[] = "net:a", second[] = "net:b", name[] = "len";
	struct tracepoint tracepoints[] = {{.id = 0, .name = first}, {.id = 1, .name = second}};
	const tracepoint_vec both = {.data = tracepoints, .nr = 2, .cap = 2};
	struct hit_weight weight = {.name = name};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(fields, cases[i].fields, sizeof(fields));
		ck_assert_int_eq(hit_weight_find_field(&weight, &both, &err), cases[i].ret);
		if (cases[i].ret)
			continue;
		ck_assert_uint_eq(weight.weight.at, fields[1].off);
		ck_assert_uint_eq(weight.weight.size, fields[1].size);
		ck_assert_int_eq(weight.weight.is_signed, fields[1].is_signed);
	}
	field_error = -ENOENT;
	ck_assert_int_eq(hit_weight_find_field(&weight, &both, &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to find 'len': tracepoint 'net:a' has no such field");
	field_error = -EINVAL;
	ck_assert_int_eq(hit_weight_find_field(&weight, &both, &err), -EINVAL);
	ck_assert_str_eq(err.text,
			 "failed to use 'len': this field of tracepoint 'net:a' is no number");
	field_error = -EACCES;
	ck_assert_int_eq(hit_weight_find_field(&weight, &both, &err), -EACCES);
	ck_assert_str_eq(err.text, "failed to find the fields of 'net:a': Permission denied");
}
END_TEST

SUITE_MAIN("attach", what_the_kernel_can, many_places_of_a_file, many_functions_of_the_kernel,
	   a_tracepoint, entries_of_functions, single_functions, ways_that_were_asked_for,
	   fields_of_tracepoints)
