/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands early samples to the recorder: the registers, a copy of the stack, and the functions of
 * interpreted languages that the program has found. The heap that they are found in will have
 * changed when the recorder walks the copy. Code that was made at run time may have gone, too. So
 * the program looks at the innermost frame's code now, in case that PCRE2 has made it, and notes
 * what the rules of bpf/made/made_code.h ask.
 */
#ifndef BPF_WALK_EARLY_SUBMIT_H
#define BPF_WALK_EARLY_SUBMIT_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/walk/depth_limit.h"
#include "bpf/walk/early_code.h"
#include "bpf/kernel.h"
#include "bpf/current_owner.h"
#include "bpf/owner_room.h"
#include "bpf/shared.h"
#include "bpf/walk/user_stack.h"

#define VM_EXEC 0x4 /* include/linux/mm.h */

struct functions_copy {
	struct early_sample *sample;
	const struct language_stack *s;
};

static long copy_word(__u32 i, struct functions_copy *copy)
{
	if (i >= EARLY_WORDS || i >= max_depth || i >= copy->s->nr_words)
		return 1;
	copy->sample->words[i] = copy->s->words[i];
	return 0;
}

static long copy_segment(__u32 i, struct functions_copy *copy)
{
	if (i >= EARLY_SEGMENTS || i >= copy->s->nr_segments)
		return 1;
	copy->sample->segments[i] = copy->s->segments[i];
	return 0;
}

/*
 * Copies the functions that were found for this sample. Of a long list, those that are left out are
 * the outermost ones. They have no place then.
 */
static __always_inline void copy_functions(struct early_sample *sample, __u32 level)
{
	struct functions_copy copy = {.sample = sample};
	const struct language_stack *s;

	sample->nr_words = sample->nr_segments = 0;
	sample->loops.code.loop_bytes = 0;
	if (!walk_languages)
		return;
	copy.s = s = language_stack_of(level);
	if (!s || !s->nr_words)
		return;
	bpf_loop(EARLY_WORDS, copy_word, &copy, 0);
	bpf_loop(EARLY_SEGMENTS, copy_segment, &copy, 0);
	sample->nr_words = s->nr_words < EARLY_WORDS ? s->nr_words : EARLY_WORDS;
	sample->nr_segments = s->nr_segments < EARLY_SEGMENTS ? s->nr_segments : EARLY_SEGMENTS;
	sample->loops = s->loops;
}

/*
 * Bytes from the beginning of the copy to the end of the stack, @max at most. The
 * stack of the main thread ends at the program's arguments. A C library puts the block that the
 * thread pointer refers to above the stack of another thread. A stack of another kind contains
 * neither place. So if it is below one, the copy may have more than the stack, but never less.
 */
static __always_inline __u64 early_stack_bytes(const struct task_struct *task, __u64 sp, __u64 max)
{
	const __u64 below = sp - early_stack_begin(sp);
	__u64 arguments = task->mm->start_stack - sp, bytes = max - below;

	if (arguments < bytes)
		bytes = arguments;
	if (has_thread_pointer(task)) {
		__u64 block = thread_pointer(task) - sp;

		if (block < bytes)
			bytes = block;
	}
	return below + bytes;
}

/* Samples that had no room. They keep the frames that the program found. */
__u64 nr_early_refused;

/* Bytes in the ring buffer, by users. */
struct owner_room early_rooms[OWNER_ROOMS];

/* An early sample on its way to the recorder: the fields of struct early_sample. */
struct submission {
	struct count_key key;
	__u64 weight;
	__u64 time_ns;
	__u64 space_id;
	__u32 set;
	__u32 is_at_entry;
	__u64 leaf;
	__u64 regs[UNWIND_NR_REGS];
	struct unwind_rule regex_rule;
	__u64 absent;                                    /* as in struct early_sample */
	__u32 nr_looks;                                  /* at return addresses in the copy */
	__u32 nr_pages;                                  /* of the stack, that can be copied */
	__u8 pages[EARLY_COPY_BYTES / EARLY_PAGE_BYTES]; /* their numbers */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* for each level, set before load */
	__type(key, __u32);
	__type(value, struct submission);
} submissions SEC(".maps");

struct page_search {
	struct submission *s;
	__u64 begin, bytes; /* of the stack */
	__u64 absent;
	__u32 max; /* pages that the copy has */
};

/* Is there memory for page number @i of the stack? bpf_loop ends when this returns 1. */
static long find_page(__u32 i, struct page_search *c)
{
	struct submission *s = c->s;
	__u64 word, off = (__u64)i * EARLY_PAGE_BYTES;
	__u32 nr = s->nr_pages;

	if (off >= c->bytes || nr >= c->max || nr >= sizeof(s->pages))
		return 1;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)(c->begin + off))) {
		c->absent |= 1ULL << i;
		return 0;
	}
	s->pages[nr] = i;
	s->nr_pages = nr + 1;
	return 0;
}

/* Finds the pages of the current task's stack that there are, for a copy of @max_bytes at most. */
static __always_inline void find_pages(struct submission *s, __u32 max_bytes)
{
	struct page_search c = {.s = s,
				.begin = early_stack_begin(s->regs[UNWIND_REG_SP]),
				.max = max_bytes / EARLY_PAGE_BYTES};

	c.bytes = early_stack_bytes(bpf_get_current_task_btf(), s->regs[UNWIND_REG_SP],
				    EARLY_PAGES * EARLY_PAGE_BYTES);
	s->nr_pages = 0;
	bpf_loop(EARLY_PAGES, find_page, &c, 0);
	s->absent = c.absent;
}

/* The return addresses in a copy of a stack that uprobes have replaced. */
struct probed_search {
	struct early_sample *sample;
	struct submission *from;
	__u64 page; /* of the probes */
	__u64 last; /* where the last word begins for which there is room */
};

/* The search ends after this many words, because a process may fill its stack with them. */
#define RETURN_LOOKS_MAX 256

/* Puts the return address back that word number @i of the copy had. */
static long restore_return(__u32 i, struct probed_search *c)
{
	__u32 at = i * sizeof(__u64), nr = at / EARLY_PAGE_BYTES;
	__u64 *word, begin = early_stack_begin(c->from->regs[UNWIND_REG_SP]);

	if (at > c->last || nr >= sizeof(c->from->pages))
		return 1;
	word = (__u64 *)(c->sample->stack + at);
	if (!is_in_probe_page(c->page, *word))
		return 0;
	*word = find_probed_return(*word, begin + c->from->pages[nr] * EARLY_PAGE_BYTES +
						  at % EARLY_PAGE_BYTES);
	return ++c->from->nr_looks >= RETURN_LOOKS_MAX;
}

/*
 * The recorder walks the copy when the calls have returned, so what the task knows of them goes
 * into the copy now.
 */
static __patched_once void restore_returns(struct early_sample *sample, struct submission *from,
					   __u32 max_bytes)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct uprobe_task *utask = probed_task(task);
	struct probed_search c = {.sample = sample,
				  .from = from,
				  .page = probe_page_of(task),
				  .last = max_bytes - sizeof(__u64)};

	from->nr_looks = 0;
	if (utask && utask->return_instances && c.page != NO_PROBE_PAGE)
		bpf_loop(sample->nr_bytes / sizeof(__u64), restore_return, &c, 0);
}

/* Copies these pages into @sample, which has room for @max_bytes. */
static __always_inline void copy_stack(struct early_sample *sample, const struct submission *from,
				       __u32 max_bytes)
{
	const __u64 begin = early_stack_begin(from->regs[UNWIND_REG_SP]);
	__u32 nr;

	for (nr = 0; nr < max_bytes; nr += EARLY_PAGE_BYTES) {
		__u32 at = nr / EARLY_PAGE_BYTES;

		if (at >= from->nr_pages ||
		    bpf_probe_read_user(sample->stack + nr, EARLY_PAGE_BYTES,
					(void *)(begin + from->pages[at] * EARLY_PAGE_BYTES)))
			break; /* at the end, or where a page has gone meanwhile */
	}
	sample->absent = from->absent;
	sample->nr_bytes = nr;
}

/* Copies the notes of made code. Without any, the recorder does not look at them. */
static __always_inline void copy_code(struct early_sample *sample, __u32 level)
{
	const struct early_notes *n = early_notes_of(level);

	if (!n || !walk_languages || n->found.kind == EARLY_CODE_NONE ||
	    bpf_probe_read_kernel(&sample->code, sizeof(sample->code), &n->found))
		sample->code.kind = EARLY_CODE_NONE;
}

/* Reserves @bytes, a constant, for the user who counts by @id. */
static __always_inline struct early_sample *reserve_early(__u32 id, __u32 bytes)
{
	const __u32 nr = owner_room_of(id);
	struct owner_room *room = &early_rooms[nr % OWNER_ROOMS];
	struct early_sample *sample = NULL;

	if (owner_room_is_open(room, nr,
			       bpf_ringbuf_query(&early_samples, BPF_RB_RING_SIZE) -
				       bpf_ringbuf_query(&early_samples, BPF_RB_AVAIL_DATA)))
		sample = bpf_ringbuf_reserve(&early_samples, bytes, 0);
	if (sample) {
		__sync_fetch_and_add(&room->used, bytes);
		return sample;
	}
	owner_room_refuse(room, id);
	__sync_fetch_and_add(&nr_early_refused, 1);
	return NULL;
}

/* Fills in all but the stack. */
static __patched_once void fill_early(struct early_sample *sample, const struct submission *from,
				      __u32 level)
{
	sample->key = from->key;
	sample->weight = from->weight;
	sample->time_ns = from->time_ns;
	sample->space_id = from->space_id;
	sample->set = from->set;
	sample->is_at_entry = from->is_at_entry;
	sample->leaf = from->leaf;
	copy_functions(sample, level);
	__builtin_memcpy(sample->regs, from->regs, sizeof(sample->regs));
	sample->regex_rule = from->regex_rule;
	copy_code(sample, level);
}

/*
 * Sends @from with room for @max_bytes of the stack, a constant, for the user who counts by @id.
 * Returns false if there is none.
 */
static __always_inline bool send_sized(struct submission *from, __u32 level, __u32 id,
				       __u32 max_bytes)
{
	struct early_sample *sample = reserve_early(id, EARLY_SAMPLE_SIZE(max_bytes));

	if (!sample)
		return false;
	sample->uid = bpf_get_current_uid_gid();
	fill_early(sample, from, level);
	copy_stack(sample, from, max_bytes);
	restore_returns(sample, from, max_bytes);
	bpf_ringbuf_submit(sample, 0);
	return true;
}

static long note_made_code(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	*(__u64 *)ctx = vma->vm_flags & VM_EXEC && !vma->vm_file;
	return 0;
}

/*
 * Looks at the innermost frame, whose code may be another one later. Makes its rule, if the code
 * can be that of a regular expression. Most code is in a file, and is not read for that.
 */
__verified_once int look_at_early_leaf(__u32 level)
{
	struct submission *s = bpf_map_lookup_elem(&submissions, &level);
	struct walk_memory *memory = walk_memory_begin(level);
	__u64 is_made = 0;
	long ret;

	if (!s || !memory)
		return 0; /* cannot be: the arrays have the index */
	s->is_at_entry = memory->walk.is_at_entry;
	s->regex_rule = (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
	begin_frame(memory);
	__builtin_memcpy(s->regs, memory->walk.frame.regs, sizeof(s->regs));
	look_at_leaf(level);
	s->leaf = memory->walk.leaf;
	if (!walk_languages)
		return 0;
	ret = bpf_find_vma(bpf_get_current_task_btf(), memory->walk.frame.pc, note_made_code,
			   &is_made, 0);
	/* -EBUSY: another thread changes mappings at this moment. */
	if ((is_made || ret == -EBUSY) && find_regex_rule(0, ~0ULL, level))
		s->regex_rule = memory->regex.rule;
	return 0;
}

/*
 * Sends the submission of @level, with the stack of the current task. A program can reserve only a
 * constant size, so there are several.
 */
__verified_once int send_early(__u32 level)
{
	struct submission *from = bpf_map_lookup_elem(&submissions, &level);
	__u32 id;

	if (!from)
		return false; /* cannot be: the array has the index */
	id = current_owner();
	find_pages(from, EARLY_COPY_BYTES);
	if (from->nr_pages <= 1)
		return send_sized(from, level, id, EARLY_PAGE_BYTES);
	if (from->nr_pages == 2)
		return send_sized(from, level, id, 2 * EARLY_PAGE_BYTES);
	if (from->nr_pages == 3)
		return send_sized(from, level, id, 3 * EARLY_PAGE_BYTES);
	if (from->nr_pages == 4)
		return send_sized(from, level, id, 4 * EARLY_PAGE_BYTES);
	if (from->nr_pages == 5)
		return send_sized(from, level, id, 5 * EARLY_PAGE_BYTES);
	if (from->nr_pages == 6)
		return send_sized(from, level, id, 6 * EARLY_PAGE_BYTES);
	if (from->nr_pages <= 8)
		return send_sized(from, level, id, 8 * EARLY_PAGE_BYTES);
	if (from->nr_pages <= 10)
		return send_sized(from, level, id, 10 * EARLY_PAGE_BYTES);
	if (from->nr_pages <= 12)
		return send_sized(from, level, id, 12 * EARLY_PAGE_BYTES);
	return send_sized(from, level, id, EARLY_COPY_BYTES);
}

/*
 * Hands an early sample of the current task to the recorder. @stack is the id by which a later
 * count refers to its user stack; STACK_NONE: the sample is counted with @weight. Returns false if
 * the ring buffer has no room; then nothing has happened.
 */
static __always_inline bool submit_early(const struct count_key *key, __u64 stack, __u64 weight,
					 __u32 set, __u64 space_id, __u64 now_ns, __u32 level)
{
	struct submission *s = bpf_map_lookup_elem(&submissions, &level);

	if (!s)
		return false; /* cannot be: the array has the index */
	s->key = *key;
	s->key.user_stack = stack;
	s->weight = weight;
	s->time_ns = now_ns;
	s->space_id = space_id;
	s->set = set;
	look_at_early_leaf(level);
	note_early_code(level);
	return send_early(level);
}

#endif
