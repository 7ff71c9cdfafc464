/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An epoch above invented address spaces and kernel symbols, samples to put in, and the addresses
 * that come out.
 */
#ifndef TESTS_EPOCH_HELPER_H
#define TESTS_EPOCH_HELPER_H

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/check.h"
#include "record/epoch/epoch.h"

/* Above PID_MAX_LIMIT: no process has these ids, so /proc knows nothing of them. Each test has
 * others. */
#define PID_A (5000001u + 4 * (uint32_t)getpid())
#define PID_B (PID_A + 1)

#define PAGE UINT64_C(0x1000)
#define TEXT UINT64_C(0xffffffff81000000)

/* The epoch of a test, with the things that it stands on. */
static struct world {
	struct address_spaces spaces;
	struct ksyms ksyms;
	struct function_names functions; /* it knows none */
	struct epoch *epoch;
} w;

/* For the next world; NULL: none. */
static struct file_names *world_names;

/* The tables of the epoch, as finish_epoch left them. */
static struct prof_epoch t;
static uint64_t nr_samples; /* of all rows in t */

static const struct build_id id_app = {.size = 20, .bytes = {0xaa, 1}};
static const struct build_id id_lib = {.size = 20, .bytes = {0xbb, 2}};

/* The recorder's own, whose build-id those of the processes have. */
static const struct vdso own_vdso = {.build_id = {.size = 20, .bytes = {0xcc, 3}},
				     .size = 2 * PAGE};

static const char kallsyms[] = "ffffffff81000000 T startup_64\n"
			       "ffffffff81001000 T _stext\n"
			       "ffffffff81002000 T do_syscall\n"
			       "ffffffff81003000 t do_read\n"
			       "ffffffff81004000 t do_exit_noreturn\n"
			       "ffffffff81005000 T asm_sysvec_apic_timer_interrupt\n"
			       "ffffffff81006000 T __traceiter_sched_switch\n"
			       "ffffffffc0100010 t ext_read\t[ext]\n"
			       "ffffffffc0200000 t bpf_prog_1\t[bpf]\n";

/* @jit may be NULL. */
static inline int world_try_create(struct jit *jit)
{
	char modules[] = "ext 8192 1 - Live 0xffffffffc0100000\n";
	FILE *m = fmemopen(modules, strlen(modules), "r");
	FILE *k = fmemopen((void *)(uintptr_t)kallsyms, strlen(kallsyms), "r");
	struct epoch_sources sources = {.spaces = &w.spaces,
					.ksyms = &w.ksyms,
					.jit = jit,
					.names = world_names,
					.functions = &w.functions,
					.vdso = &own_vdso};
	int ret;

	w = (struct world){0};
	ck_assert_ptr_nonnull(m);
	ck_assert_ptr_nonnull(k);
	ret = ksyms_read_modules(&w.ksyms, m);
	if (!ret)
		ret = ksyms_read_kallsyms(&w.ksyms, k);
	fclose(m);
	fclose(k);
	w.ksyms.build_id = (struct build_id){.size = 3, .bytes = {7, 8, 9}};
	return ret ? ret : epoch_create(&sources, &w.epoch);
}

static inline void world_create(void)
{
	ck_assert_int_eq(world_try_create(NULL), 0);
}

static inline void world_destroy(void)
{
	epoch_destroy(w.epoch);
	address_spaces_deinit(&w.spaces);
	ksyms_deinit(&w.ksyms);
}

static inline int try_map_file(uint32_t pid, uint64_t time_ns, const char *path,
			       const struct build_id *id, uint64_t start, uint64_t size,
			       uint64_t pgoff)
{
	struct mapping mapping = {.start = start, .end = start + size, .pgoff = pgoff};
	struct mapped_file_key key = {.path = path, .build_id = id};
	int ret = mapped_files_get(&w.spaces.files, &key, &mapping.file);

	return ret ? ret : address_spaces_map(&w.spaces, pid, time_ns, &mapping);
}

static inline void map_file(uint32_t pid, uint64_t time_ns, const char *path,
			    const struct build_id *id, uint64_t start, uint64_t size,
			    uint64_t pgoff)
{
	ck_assert_int_eq(try_map_file(pid, time_ns, path, id, start, size, pgoff), 0);
}

/* A count as it is drained; stacks of no frames are absent unless an id is set. */
struct sample {
	uint32_t pid;
	const char *comm;
	uint64_t time_ns;  /* of the last sample */
	uint64_t first_ns; /* 0: the same */
	uint64_t count;
	const uint64_t *user, *kernel;
	size_t nr_user, nr_kernel;
	uint64_t user_id, kernel_id; /* 0: made from the frames */
	enum stack_end end;          /* of both */
};

/* Any function of the frames will do for an id. */
static inline uint64_t stack_id(const uint64_t *frames, size_t nr)
{
	uint64_t id = nr ? 0x9e3779b97f4a7c15 : STACK_NONE;

	for (size_t i = 0; i < nr; i++)
		id = (id ^ frames[i]) * 0xff51afd7ed558ccd + (id >> 29);
	return nr && id < STACK_FIRST_ID ? id + STACK_FIRST_ID : id;
}

static inline int try_add_sample(const struct sample *s)
{
	struct count_key key = {.tgid = s->pid};
	struct raw_count count = {
		.key = &key,
		.value = {.count = s->count,
			  .first_ns = s->first_ns ? s->first_ns : s->time_ns,
			  .last_ns = s->time_ns},
		.user = {s->user_id ? s->user_id : stack_id(s->user, s->nr_user), s->user,
			 s->nr_user, s->end},
		.kernel = {s->kernel_id ? s->kernel_id : stack_id(s->kernel, s->nr_kernel),
			   s->kernel, s->nr_kernel, s->end},
	};
	int ret;

	memcpy(key.comm, s->comm, strnlen(s->comm, sizeof(key.comm)));
	ret = epoch_prepare(w.epoch, &count);
	return ret ? ret : epoch_add(w.epoch, &count);
}

static inline void add_sample(const struct sample *s)
{
	ck_assert_int_eq(try_add_sample(s), 0);
}

#define FRAMES(...) (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8

static inline void add_user(uint32_t pid, uint64_t time_ns, const uint64_t *frames, size_t nr)
{
	add_sample(&(struct sample){.pid = pid,
				    .comm = "comm",
				    .time_ns = time_ns,
				    .count = 1,
				    .user = frames,
				    .nr_user = nr});
}

static inline void add_kernel(const uint64_t *frames, size_t nr)
{
	add_sample(&(struct sample){
		.comm = "swapper/0", .count = 1, .kernel = frames, .nr_kernel = nr});
}

/* Finishes the tables, which the writer must find good. */
static inline void finish_epoch(void)
{
	nr_samples = 0;
	ck_assert_int_eq(epoch_finish(w.epoch, 0, 0, &t), 0);
	ck_assert_int_eq(epoch_check(&t, 0, &nr_samples), 0);
	ck_assert_uint_eq(t.nr_counts, epoch_nr_counts(w.epoch));
}

/*
 * The address of a frame, from its offset as the format says. Any mapping of the object gives it.
 */
static inline uint64_t frame_address(uint32_t process, uint32_t frame_id)
{
	const struct prof_frame *frame = &t.frames[frame_id];
	uint8_t kind = t.objects[frame->object].kind;
	bool is_kernel = kind >= PROF_OBJECT_KERNEL && kind <= PROF_OBJECT_BPF;
	const struct prof_process *p = &t.processes[is_kernel ? 0 : process];
	uint64_t addr = 0;
	bool found = false;

	if (kind == PROF_OBJECT_NONE)
		return frame->offset;
	for (uint32_t i = 0; i < p->nr_mappings; i++) {
		const struct prof_mapping *m = &t.mappings[p->first_mapping + i];

		if (m->object != frame->object)
			continue;
		if (found && addr != frame->offset + (m->start - m->pgoff))
			ck_abort_msg("two mappings of an object differ in their distance");
		addr = frame->offset + (m->start - m->pgoff);
		found = true;
	}
	if (!found)
		ck_abort_msg("an object without a mapping");
	return addr;
}

static inline const char *string_of(uint32_t id)
{
	ck_assert_uint_eq(strlen(t.strings[id].s), t.strings[id].len);
	return t.strings[id].s;
}

/* Frame @i, from the leaf, of a user stack. */
static inline const struct prof_frame *user_frame(uint32_t row, size_t i)
{
	return &t.frames[t.stack_frames[t.stacks[t.counts[row].user_stack].first_frame + i]];
}

/* The addresses of stack @id must be these. */
static inline void expect_stack(uint32_t process, uint32_t id, const uint64_t *frames, size_t nr)
{
	const struct prof_stack *stack = &t.stacks[id];

	ck_assert_uint_eq(stack->nr_frames, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(frame_address(process, t.stack_frames[stack->first_frame + i]),
				  frames[i]);
}

static inline void expect_user(uint32_t row, const uint64_t *frames, size_t nr)
{
	expect_stack(t.counts[row].process, t.counts[row].user_stack, frames, nr);
}

static inline void expect_kernel(uint32_t row, const uint64_t *frames, size_t nr)
{
	expect_stack(0, t.counts[row].kernel_stack, frames, nr);
}

static inline bool is_gone(uint32_t pid)
{
	(void)pid;
	return true;
}

#endif
