// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel and libbpf are played (--wrap): which programs may run, and which can be attached. */
#include "record/sampling/bpf/memory_watch.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>

#include "bpf/host_arch.h"
#include "bpf/shared.h"
#include "record/sampling/program/skeleton.h"
#include "record/sampling/bpf/event_names.h"
#include "tests/unit/suite.h"

/* Programs by their place in names. */
enum program { BEGAN, MOVED, MOVED_64, MOVED_32, NR_PROGRAMS };

static char programs[NR_PROGRAMS], ring, link_made;
static struct profrec_bpf bpf;
static typeof(*bpf.bss) variables;
static struct memory_watch watch;
static struct sideband_record added;
static struct err err;

/* What is possible. */
static struct {
	bool finds, has_64, has_32, no_ring, has_no_types, has_no_function;
	bool is_loaded[NR_PROGRAMS], cannot_attach[NR_PROGRAMS];
	int find_error, event_error, consumed;
} kernel;

/* What happened. */
static struct {
	bool is_chosen[NR_PROGRAMS];
	char attached[NR_PROGRAMS + 1];
	unsigned int nr_destroyed, nr_freed, nr_added, nr_types_freed;
	uint64_t nr_unsent;
	int event_fd;
	ring_buffer_sample_fn take;
	void *ctx;
} seen;

int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts);
struct btf *__wrap_btf__load_vmlinux_btf(void);
int __wrap_btf__find_by_name_kind(const struct btf *types, const char *name, uint32_t kind);
void __wrap_btf__free(struct btf *types);
int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t nr, struct bpf_prog_load_opts *opts);
int __wrap_bpf_program__set_autoload(struct bpf_program *program, bool is_loaded);
bool __wrap_bpf_program__autoload(const struct bpf_program *program);
struct bpf_link *__wrap_bpf_program__attach_trace(const struct bpf_program *program);
struct bpf_link *__wrap_bpf_program__attach_perf_event(const struct bpf_program *program, int fd);
int __wrap_bpf_link__destroy(struct bpf_link *link);
int __wrap_bpf_map__fd(const struct bpf_map *map);
struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn take, void *ctx,
					    const struct ring_buffer_opts *opts);
int __wrap_ring_buffer__consume(struct ring_buffer *rb);
void __wrap_ring_buffer__free(struct ring_buffer *rb);
int __wrap_event_name_find_id(struct event_name *event, const char *const *roots, struct err *e);
void __wrap_tracefs_open(void);
long __wrap_syscall(long number, ...);
int __wrap_sideband_add(struct sideband *sideband, const struct sideband_record *record);
void __wrap_sideband_set_unsent(struct sideband *sideband, uint64_t nr);

int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts)
{
	(void)opts;
	ck_assert_int_eq(type, BPF_PROG_TYPE_TRACEPOINT);
	ck_assert_int_eq(id, BPF_FUNC_find_vma);
	return kernel.finds ? 1 : -EPERM;
}

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return kernel.has_no_types ? NULL : (struct btf *)&kernel;
}

void __wrap_btf__free(struct btf *types)
{
	ck_assert_ptr_eq(types, kernel.finds && !kernel.has_no_types ? &kernel : NULL);
	seen.nr_types_freed++;
}

int __wrap_btf__find_by_name_kind(const struct btf *types, const char *name, uint32_t kind)
{
	ck_assert_ptr_eq(types, &kernel);
	ck_assert_uint_eq(kind, BTF_KIND_FUNC);
	ck_assert_ptr_nonnull(strstr(name, "mremap"));
	if (kernel.has_no_function)
		return -ENOENT;
	return strcmp(name, CALL_FUNCTION("mremap")) ? 32 : 64;
}

int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
			 const struct bpf_insn *insns, size_t nr, struct bpf_prog_load_opts *opts)
{
	(void)name, (void)license, (void)insns, (void)nr;
	ck_assert_int_eq(type, BPF_PROG_TYPE_TRACING);
	return (opts->attach_btf_id == 64 ? kernel.has_64 : kernel.has_32)
		       ? open("/dev/null", O_RDONLY | O_CLOEXEC)
		       : -EPERM;
}

static size_t place_of(const void *program)
{
	size_t at = (const char *)program - programs;

	ck_assert_uint_lt(at, NR_PROGRAMS);
	return at;
}

int __wrap_bpf_program__set_autoload(struct bpf_program *program, bool is_loaded)
{
	seen.is_chosen[place_of(program)] = is_loaded;
	return 0;
}

bool __wrap_bpf_program__autoload(const struct bpf_program *program)
{
	return kernel.is_loaded[place_of(program)];
}

static struct bpf_link *attach(const struct bpf_program *program)
{
	const size_t at = place_of(program);

	errno = EBUSY;
	if (kernel.cannot_attach[at])
		return NULL;
	seen.attached[strlen(seen.attached)] = (char)('0' + at);
	return (struct bpf_link *)&link_made;
}

struct bpf_link *__wrap_bpf_program__attach_trace(const struct bpf_program *program)
{
	return attach(program);
}

struct bpf_link *__wrap_bpf_program__attach_perf_event(const struct bpf_program *program, int fd)
{
	seen.event_fd = fd;
	return attach(program);
}

int __wrap_bpf_link__destroy(struct bpf_link *link)
{
	ck_assert_ptr_eq(link, &link_made);
	seen.nr_destroyed++;
	return 0;
}

int __wrap_bpf_map__fd(const struct bpf_map *map)
{
	(void)map;
	return 7;
}

struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn take, void *ctx,
					    const struct ring_buffer_opts *opts)
{
	(void)opts;
	ck_assert_int_eq(fd, 7);
	seen.take = take;
	seen.ctx = ctx;
	errno = ENOMEM;
	return kernel.no_ring ? NULL : (struct ring_buffer *)&ring;
}

int __wrap_ring_buffer__consume(struct ring_buffer *rb)
{
	ck_assert_ptr_eq(rb, &ring);
	return kernel.consumed;
}

void __wrap_ring_buffer__free(struct ring_buffer *rb)
{
	seen.nr_freed += rb != NULL;
}

int __wrap_event_name_find_id(struct event_name *event, const char *const *roots, struct err *e)
{
	(void)e;
	ck_assert_ptr_eq(roots, tracefs_roots);
	ck_assert_str_eq(event->name, "syscalls:sys_exit_mremap");
	event->config = 44;
	return kernel.find_error;
}

void __wrap_tracefs_open(void)
{
}

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list args;

	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	va_end(args);
	ck_assert_uint_eq(attr->type, PERF_TYPE_TRACEPOINT);
	ck_assert_uint_eq(attr->config, 44);
	errno = kernel.event_error;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_sideband_add(struct sideband *sideband, const struct sideband_record *record)
{
	(void)sideband;
	added = *record;
	seen.nr_added++;
	return 0;
}

void __wrap_sideband_set_unsent(struct sideband *sideband, uint64_t nr)
{
	(void)sideband;
	seen.nr_unsent = nr;
}

static void begin(void)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&seen, 0, sizeof(seen));
	bpf.bss = &variables;
	bpf.progs.began = (struct bpf_program *)&programs[BEGAN];
	bpf.progs.moved = (struct bpf_program *)&programs[MOVED];
	bpf.progs.moved_64 = (struct bpf_program *)&programs[MOVED_64];
	bpf.progs.moved_32 = (struct bpf_program *)&programs[MOVED_32];
}

START_TEST(programs_that_the_kernel_can_run)
{
	for (int i = 0; i < 8; i++) {
		begin();
		kernel.finds = i & 1;
		kernel.has_64 = i & 2;
		kernel.has_32 = i & 4;
		memory_watch_choose(&bpf);
		ck_assert_int_eq(seen.is_chosen[MOVED], kernel.finds);
		ck_assert_int_eq(seen.is_chosen[MOVED_64], kernel.finds && kernel.has_64);
		ck_assert_int_eq(seen.is_chosen[MOVED_32], i == 7);
		ck_assert_uint_eq(seen.nr_types_freed, 1);
	}
	/* Without types or the function among them, moves are seen by the tracepoint. */
	for (int i = 0; i < 2; i++) {
		begin();
		kernel.finds = kernel.has_64 = kernel.has_32 = true;
		kernel.has_no_types = !i;
		kernel.has_no_function = i;
		memory_watch_choose(&bpf);
		ck_assert(seen.is_chosen[MOVED]);
		ck_assert(!seen.is_chosen[MOVED_64] && !seen.is_chosen[MOVED_32]);
	}
}
END_TEST

static int watch_memory(void)
{
	seen.attached[0] = '\0';
	memset(seen.attached, 0, sizeof(seen.attached));
	return memory_watch_begin(&watch, &bpf, NULL, &err);
}

/* Moves are seen at the ends of the calls, or else at the tracepoint. */
START_TEST(programs_that_are_attached)
{
	static const struct {
		bool has_moved, has_64, has_32, no_64, no_32, no_moved;
		const char *attached;
		bool sees_moves;
	} cases[] = {
		{.attached = "0"},
		{.has_moved = true, .has_64 = true, .attached = "02", .sees_moves = true},
		{.has_moved = true,
		 .has_64 = true,
		 .has_32 = true,
		 .attached = "023",
		 .sees_moves = true},
		{.has_moved = true,
		 .has_64 = true,
		 .has_32 = true,
		 .no_32 = true,
		 .attached = "02",
		 .sees_moves = true},
		{.has_moved = true, .attached = "01", .sees_moves = true},
		{.has_moved = true,
		 .has_64 = true,
		 .no_64 = true,
		 .attached = "01",
		 .sees_moves = true},
		{.has_moved = true, .no_moved = true, .attached = "0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		kernel.is_loaded[MOVED] = cases[i].has_moved;
		kernel.is_loaded[MOVED_64] = cases[i].has_64;
		kernel.is_loaded[MOVED_32] = cases[i].has_32;
		kernel.cannot_attach[MOVED_64] = cases[i].no_64;
		kernel.cannot_attach[MOVED_32] = cases[i].no_32;
		kernel.cannot_attach[MOVED] = cases[i].no_moved;
		ck_assert_int_eq(watch_memory(), 0);
		ck_assert_str_eq(seen.attached, cases[i].attached);
		ck_assert_int_eq(watch.sees_moves, cases[i].sees_moves);
		ck_assert_uint_eq(watch.nr_links, strlen(seen.attached));
		if (seen.event_fd && cases[i].no_moved)
			ck_assert_int_lt(fcntl(seen.event_fd, F_GETFD), 0);
		memory_watch_end(&watch);
		ck_assert_uint_eq(seen.nr_destroyed, strlen(seen.attached));
		ck_assert_uint_eq(seen.nr_freed, 1);
		ck_assert_ptr_null(watch.changes);
	}
}
END_TEST

START_TEST(without_a_tracepoint)
{
	kernel.is_loaded[MOVED] = true;
	kernel.find_error = -ENOENT;
	ck_assert_int_eq(watch_memory(), 0);
	ck_assert(!watch.sees_moves);
	kernel.find_error = 0;
	kernel.event_error = EACCES;
	ck_assert_int_eq(watch_memory(), 0);
	ck_assert(!watch.sees_moves);
	ck_assert_str_eq(seen.attached, "0");
}
END_TEST

START_TEST(what_cannot_be_watched)
{
	kernel.no_ring = true;
	ck_assert_int_eq(watch_memory(), -ENOMEM);
	ck_assert_str_eq(err.text,
			 "failed to map the buffer of memory changes: Cannot allocate memory");
	ck_assert_int_eq(memory_watch_read(&watch), 0);
	kernel.no_ring = false;
	kernel.cannot_attach[BEGAN] = true;
	ck_assert_int_eq(watch_memory(), -EBUSY);
	ck_assert_str_eq(err.text, "failed to attach BPF program 'began': Device or resource busy");
	memory_watch_end(&watch);
	ck_assert_uint_eq(seen.nr_destroyed, 0);
}
END_TEST

START_TEST(changes_are_records)
{
	struct memory_change change = {.type = MEMORY_MOVED,
				       .time_ns = 1,
				       .tgid = 2,
				       .parent = 3,
				       .new_addr = 4,
				       .new_size = 5,
				       .old_addr = 6,
				       .old_size = 7,
				       .keeps_old = 1};

	ck_assert_int_eq(watch_memory(), 0);
	ck_assert_int_eq(seen.take(seen.ctx, &change, sizeof(change) - 1), 0);
	ck_assert_uint_eq(seen.nr_added, 0);
	ck_assert_int_eq(seen.take(seen.ctx, &change, sizeof(change)), 0);
	ck_assert_int_eq(added.type, SIDEBAND_MOVE);
	ck_assert_uint_eq(added.time_ns, 1);
	ck_assert_uint_eq(added.pid, 2);
	ck_assert_uint_eq(added.tid, 2);
	ck_assert_uint_eq(added.parent_pid, 3);
	ck_assert_uint_eq(added.addr, 4);
	ck_assert_uint_eq(added.size, 5);
	ck_assert_uint_eq(added.old_addr, 6);
	ck_assert_uint_eq(added.old_size, 7);
	ck_assert(added.keeps_old);
	change.type = MEMORY_MOVED + 1;
	ck_assert_int_eq(seen.take(seen.ctx, &change, sizeof(change)), 0);
	ck_assert_int_eq(added.type, SIDEBAND_SHARE);
	variables.nr_unsent_changes = 8;
	kernel.consumed = 5;
	ck_assert_int_eq(memory_watch_read(&watch), 0);
	ck_assert_uint_eq(seen.nr_unsent, 8);
	kernel.consumed = -ENOMEM;
	ck_assert_int_eq(memory_watch_read(&watch), -ENOMEM);
	kernel.consumed = -EIO; /* nothing but memory may end the recording */
	ck_assert_int_eq(memory_watch_read(&watch), 0);
}
END_TEST

SUITE_MAIN_WITH("memory_watch", begin, NULL, programs_that_the_kernel_can_run,
		programs_that_are_attached, without_a_tracepoint, what_cannot_be_watched,
		changes_are_records)
