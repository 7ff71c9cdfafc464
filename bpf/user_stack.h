/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the user's stack by tables (bpf/unwind.h). The maps belong to the recorder's side as well:
 * it fills them, and this asks it for what is missing.
 */
#ifndef BPF_USER_STACK_H
#define BPF_USER_STACK_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "bpf/unwind.h"
#include "bpf/unwind_walk.h"

/* Set before load. */
const volatile bool unwind_by_tables;
const volatile __u32 max_depth = 1; /* frames that a stack_entry has room for */

enum side { SIDE_USER, SIDE_KERNEL, NR_SIDES };

/* Stack buffers for each CPU, one a side: they do not fit the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SIDES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct stack_entry)); /* and frames, set before load */
} buffers SEC(".maps");

/* How long an answer of the recorder's may take before it is asked again. */
#define ASK_AGAIN_NS 10000000ULL

/* Selector of 64-bit code (arch/x86/include/asm/segment.h). */
#define USER_CS 0x33

/* log2 of the mappings of a process and of the rows of a page. */
#define MAPPING_STEPS 13
#define ROW_STEPS     17

/* Sizes are set before load: one entry each where tables are not used. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_mapping);
} unwind_mappings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_page);
} unwind_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

struct unwind_segment_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct unwind_segment));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_MAX_SEGMENTS);
	__type(key, __u32);
	__array(values, struct unwind_segment_map);
} unwind_segments SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_wants SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} early_samples SEC(".maps");

/* A frame for each CPU: it does not fit the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_frame);
} unwind_frames SEC(".maps");

static long unwind_read(void *dst, __u32 size, __u64 addr)
{
	return bpf_probe_read_user(dst, size, (void *)addr);
}

struct user_walk {
	struct unwind_walk walk;
	struct stack_entry *stack;
	struct unwind_space *space;
	__u32 first, nr; /* its mappings: it may be another process's before the walk is over */
	struct unwind_mapping *mapping; /* the last one */
	__u64 now_ns;
	__u32 tgid;
	__u32 exec_pages;
};

/* A function like hash_stack, which must return something. */
__noinline int ask(__u32 tgid, __u64 space_id, __u64 pc, __u32 exec_pages)
{
	struct unwind_want want = {
		.space_id = space_id, .pc = pc, .tgid = tgid, .exec_pages = exec_pages};

	return bpf_ringbuf_output(&unwind_wants, &want, sizeof(want), BPF_RB_FORCE_WAKEUP);
}

/*
 * Asks for the mappings of the process, unless that was done a moment ago, or all there was is
 * known and no code has come or gone since.
 */
static __always_inline void ask_for_mappings(struct user_walk *w)
{
	struct unwind_space *space = w->space;

	if (w->now_ns < space->ask_again_ns &&
	    (!space->is_settled || space->exec_pages == w->exec_pages)) {
		w->walk.is_early |= !space->is_settled;
		return;
	}
	w->walk.is_early = true;
	space->is_settled = 0;
	space->ask_again_ns = w->now_ns + ASK_AGAIN_NS;
	ask(w->tgid, space->space_id, 0, w->exec_pages);
}

/* The index of the mapping of @pc, UNWIND_MAX_MAPPINGS when there is none. A function like
 * hash_stack. */
__noinline __u32 search_mappings(__u32 first, __u32 nr, __u64 pc)
{
	for (int i = 0; i < MAPPING_STEPS && nr; i++) {
		__u32 half = nr / 2, at = first + half;
		struct unwind_mapping *m = bpf_map_lookup_elem(&unwind_mappings, &at);

		if (!m)
			break;
		if (pc < m->start) {
			nr = half;
		} else if (pc >= m->end) {
			first = at + 1;
			nr -= half + 1;
		} else {
			return at;
		}
	}
	return UNWIND_MAX_MAPPINGS;
}

/* The number of the rule for the code at @off, UNWIND_NO_RULE when there is none. Another one. */
__noinline __u32 find_rule(__u64 off, __u64 pages)
{
	__u32 at, base, nr, zero = 0;
	struct unwind_segment *segment;
	struct unwind_page *page;
	void *map;

	if (off >> UNWIND_PAGE_SHIFT >= UNWIND_NR_PAGES(pages))
		return UNWIND_NO_RULE;
	at = UNWIND_FIRST_PAGE(pages) + (off >> UNWIND_PAGE_SHIFT);
	page = bpf_map_lookup_elem(&unwind_pages, &at);
	if (!page || !page->nr_rows)
		return UNWIND_NO_RULE;
	at = page->first_row >> UNWIND_SEGMENT_SHIFT;
	map = bpf_map_lookup_elem(&unwind_segments, &at);
	if (!map)
		return UNWIND_NO_RULE;
	segment = bpf_map_lookup_elem(map, &zero);
	if (!segment)
		return UNWIND_NO_RULE;
	off &= UNWIND_PAGE_SIZE - 1;
	base = page->first_row;
	nr = page->nr_rows;
	for (int i = 0; i < ROW_STEPS && nr > 1; i++) {
		__u32 half = nr / 2;
		__u32 row = segment->rows[(base + half) & (UNWIND_SEGMENT_ROWS - 1)];

		if (UNWIND_ROW_OFF(row) <= off)
			base += half;
		nr -= half;
	}
	return UNWIND_ROW_RULE(segment->rows[base & (UNWIND_SEGMENT_ROWS - 1)]);
}

/*
 * The rule of mapping @m for the code at @pc; NULL where there is no table. Asks for a table that
 * nobody has asked for.
 */
static __always_inline const struct unwind_rule *rule_of_mapping(struct user_walk *w,
								 struct unwind_mapping *m, __u64 pc)
{
	__u64 pages = *(volatile __u64 *)&m->pages;

	if (UNWIND_NR_PAGES(pages)) {
		__u32 nr = find_rule(pc - m->bias, pages);

		return bpf_map_lookup_elem(&unwind_rules, &nr);
	}
	if (pages == UNWIND_WITHOUT_TABLE)
		return NULL;
	w->walk.is_early = true;
	if (pages == UNWIND_TABLE_WANTED &&
	    __sync_val_compare_and_swap(&m->pages, pages, UNWIND_TABLE_ASKED_FOR) == pages)
		ask(w->tgid, w->space->space_id, pc, 0);
	return NULL;
}

/* The mapping at @pc. Asks for mappings where there is none. */
static __always_inline struct unwind_mapping *find_mapping(struct user_walk *w, __u64 pc)
{
	struct unwind_mapping *m = w->mapping;

	if (!m || pc < m->start || pc >= m->end) {
		__u32 at = search_mappings(w->first, w->nr, pc);

		w->mapping = m = bpf_map_lookup_elem(&unwind_mappings, &at);
	}
	if (!m)
		ask_for_mappings(w);
	return m;
}

/* One frame: a callback of bpf_loop, which ends when it returns 1. */
static long walk_frame(__u32 i, struct user_walk *w)
{
	struct unwind_frame *f = w->walk.frame;
	__u64 pc = unwind_lookup_pc(f);
	struct unwind_mapping *m;

	if (i >= max_depth)
		return 1;
	m = find_mapping(w, pc);
	if (!unwind_enter_frame(&w->walk, m))
		return 1;
	w->stack->frames[i] = f->pc;
	w->stack->nr_frames = i + 1;
	unwind_leave_frame(&w->walk, m ? rule_of_mapping(w, m, pc) : NULL);
	return w->walk.end != STACK_GOES_ON;
}

static __always_inline void load_regs(__u64 *to, const struct pt_regs *regs)
{
	to[UNWIND_RAX] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[UNWIND_RBX] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[UNWIND_RBP] = regs->bp;
	to[UNWIND_RSP] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[UNWIND_RIP] = regs->ip;
}

/* A worker of io_uring has the memory of its process, but was never in user space. */
static __always_inline bool has_user_stack(struct task_struct *task)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	return task->mm && (regs->ip || regs->sp);
}

/*
 * What is known of the process; NULL, and the recorder is asked, when that is nothing yet: then it
 * is early, unless there is nothing to be had.
 */
static __always_inline struct unwind_space *find_space(__u32 tgid, __u64 space_id, __u64 now_ns,
						       bool *is_early)
{
	struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &tgid);
	struct unwind_space unknown = {.space_id = space_id, .ask_again_ns = now_ns + ASK_AGAIN_NS};

	if (space && !space->space_id)
		space->space_id = space_id;
	if (space && space->space_id == space_id && space->nr)
		return space;
	if (!space) {
		/* Without room for it there is nothing to ask for. */
		if ((int)bpf_map_update_elem(&unwind_spaces, &tgid, &unknown, BPF_NOEXIST) ==
		    -E2BIG)
			return NULL;
	} else {
		if (space->space_id == space_id && now_ns < space->ask_again_ns) {
			*is_early = !space->is_settled;
			return NULL;
		}
		/* Another address space, or no answer. */
		space->nr = 0;
		space->space_id = space_id;
		space->is_settled = 0;
		space->ask_again_ns = unknown.ask_again_ns;
	}
	ask(tgid, space_id, 0, 0);
	*is_early = true;
	return NULL;
}

enum walk_result {
	WALK_DONE,
	WALK_IMPOSSIBLE, /* what there is to be known of the process is known, or it is not for 64
			    bits */
	WALK_EARLY,
};

/*
 * Walks the user stack of the task, of process @tgid and its address space @space_id, into its
 * buffer. That it has one is known. A function like hash_stack.
 */
__noinline int walk_user_stack(__u32 tgid, __u64 space_id, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0, side = SIDE_USER;
	struct stack_entry *stack = bpf_map_lookup_elem(&buffers, &side);
	struct user_walk w = {.stack = stack, .now_ns = now_ns, .tgid = tgid};
	struct pt_regs *regs;
	bool is_early = false;

	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	w.walk.frame = bpf_map_lookup_elem(&unwind_frames, &zero);
	if (!stack || !w.walk.frame || regs->cs != USER_CS)
		return WALK_IMPOSSIBLE;
	w.space = find_space(tgid, space_id, now_ns, &is_early);
	if (!w.space)
		return is_early ? WALK_EARLY : WALK_IMPOSSIBLE;
	w.exec_pages = task->mm->exec_vm;
	w.first = w.space->first;
	w.nr = w.space->nr;
	load_regs(w.walk.frame->regs, regs);
	unwind_begin(w.walk.frame);
	stack->nr_frames = 0;
	bpf_loop(max_depth, walk_frame, &w, 0);
	stack->end = unwind_walk_end(&w.walk);
	return WALK_DONE;
}

/*
 * Hands a sample to the recorder whose stack could not be walked yet. Returns false when there is
 * no room; nothing has happened then.
 */
static __always_inline bool submit_early(struct task_struct *task, const struct count_key *key,
					 __u32 set, __u64 space_id, __u64 now_ns)
{
	struct early_sample *sample = bpf_ringbuf_reserve(&early_samples, sizeof(*sample), 0);
	__u64 page;
	__u32 nr;

	if (!sample)
		return false;
	sample->key = *key;
	sample->key.user_stack = STACK_NONE;
	sample->time_ns = now_ns;
	sample->space_id = space_id;
	sample->set = set;
	load_regs(sample->regs, (struct pt_regs *)bpf_task_pt_regs(task));
	/* Page by page, since a read fails as a whole. */
	page = early_stack_begin(sample->regs[UNWIND_RSP]);
	nr = (sample->regs[UNWIND_RSP] - 128) & (EARLY_PAGE_BYTES - 1);
	sample->nr_bytes = 0;
	if (!bpf_probe_read_user(sample->stack + nr, EARLY_PAGE_BYTES - nr, (void *)(page + nr))) {
		for (nr = EARLY_PAGE_BYTES; nr < EARLY_STACK_BYTES; nr += EARLY_PAGE_BYTES)
			if (bpf_probe_read_user(sample->stack + nr, EARLY_PAGE_BYTES,
						(void *)(page + nr)))
				break;
		sample->nr_bytes = nr;
	}
	bpf_ringbuf_submit(sample, 0);
	return true;
}

#endif
