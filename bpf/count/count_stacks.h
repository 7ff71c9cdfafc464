/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts stacks, whatever the event is: the way from a hit to its count. A count in a set implies
 * that its stacks and labels are in that set. So the usual hit needs one lookup and one atomic add.
 * How sets are drained: doc/recorder.md, "Two sets, and who may write".
 */
#ifndef BPF_COUNT_COUNT_STACKS_H
#define BPF_COUNT_COUNT_STACKS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count/count_sets.h"
#include "bpf/count/request_labels.h"
#include "bpf/walk/early_submit.h"
#include "bpf/walk/frame_pointers.h"
#include "bpf/kernel.h"
#include "bpf/keyed_hash.h"
#include "bpf/count/sample_filters.h"
#include "bpf/count/told_processes.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/languages/stack_functions.h"
#include "bpf/walk/user_stack.h"

/* Set before load; constants to the verifier. */
__setting bool take_user = true;
__setting bool take_kernel = true;
__setting __u32 nr_events = 1;
__setting __u32 sample_event;      /* of the samples of the perf event */
__setting __u64 sample_weight = 1; /* what each of them adds to its count */
/*
 * Programs may interrupt each other: those on uprobes do, and each other, too. Samples alone never
 * do, because the kernel skips the event.
 */
__setting bool may_nest;
__setting bool has_weights; /* some event has another weight than 1 */

/*
 * The totals of a set, one for each event, are drained with it. So they are exact for the samples
 * that were drained.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SETS); /* of each event, set before load */
	__type(key, __u32);
	__type(value, struct totals);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct levels);
} levels SEC(".maps");

/* A sample while it is being counted. */
struct sample {
	struct totals *totals;
	__u32 set;
	__u32 level; /* of the buffers that it has */
	__u64 weight;
	struct count_key key;
	__u64 space_id;   /* as in struct unwind_space */
	__u32 exec_pages; /* of the task's memory */
	bool has_memory;  /* a kernel thread has none */
	bool has_start_code;
	bool is_at_entry; /* of a function of user space */
};

/* Adds 1 to a number of this CPU's totals. */
static __always_inline void count_up(__u64 *total)
{
	if (may_nest)
		__sync_fetch_and_add(total, 1);
	else
		++*total;
}

/* Claims buffers that no other program of this CPU uses. Returns false if there are none. */
static __always_inline bool claim_level(struct sample *s)
{
	__u32 zero = 0;
	struct levels *l;

	if (!may_nest)
		return true;
	l = bpf_map_lookup_elem(&levels, &zero);
	if (!l)
		return false; /* cannot be: the array has the index */
#pragma unroll
	for (__u32 i = 0; i < NR_LEVELS; i++) {
		if (__sync_val_compare_and_swap(&l->busy[i], 0, 1))
			continue;
		s->level = i;
		return true;
	}
	return false;
}

static __always_inline void release_level(const struct sample *s)
{
	__u32 zero = 0;
	struct levels *l;

	if (!may_nest)
		return;
	l = bpf_map_lookup_elem(&levels, &zero);
	if (l && s->level < NR_LEVELS)
		*(volatile __u64 *)&l->busy[s->level] = 0;
}

/* The id of the stack in @buffer. */
__verified_once __u64 hash_stack(__u32 buffer)
{
	struct stack_entry *stack = buffer_of(buffer);
	const struct hash_key *keys = find_hash_keys();
	__u64 h;

	if (!stack || !keys)
		return STACK_NONE;
	h = hash_frames(keys, stack->frames, stack->nr_frames, stack->end, max_depth);
	stack->id = h < STACK_FIRST_ID ? h + STACK_FIRST_ID : h;
	return stack->id;
}

/*
 * Sets the fields that tell apart the processes of one id, and their mappings over time. A kernel
 * thread has no mm: a load through NULL gives 0.
 */
static __always_inline void identify_process(struct sample *s, struct task_struct *task)
{
	const struct hash_key *keys = find_hash_keys();
	struct mm_struct *mm;
	struct hash h;

	if (!keys)
		return; /* cannot be: the array has the index */
	h = hash_begin(keys);
	hash_word(&h, task->group_leader->start_time, &keys[1]);
	hash_word(&h, task->self_exec_id, &keys[2]);
	s->space_id = hash_end(&h) | 1; /* 0 is no space_id */
	/* Each load of a pointer costs the verifier a search of all kernel types. */
	mm = task->mm;
	s->has_memory = mm != NULL;
	s->has_start_code = mm->start_code != 0;
	s->exec_pages = mm->exec_vm;
	hash_word(&h, s->exec_pages, &keys[3]);
	s->key.image = hash_end(&h);
}

/*
 * Takes the stack of @side into its buffer of @level, without the first @skip frames. The kernel's
 * helper walks user stacks along frame pointers. Returns the id of the stack, STACK_NONE, or
 * STACK_MISSED + enum loss.
 */
static __always_inline __u64 take_stack(void *ctx, __u32 side, __u32 skip, __u32 level,
					struct stack_entry *buffer, enum stack_end end)
{
	__u64 flags = (side == SIDE_USER ? BPF_F_USER_STACK : 0) | skip;
	long bytes = bpf_get_stack(ctx, buffer->frames, helper_depth * sizeof(__u64), flags);

	/* -EFAULT: there is no such stack. A kernel thread has no user stack. */
	if (bytes == -EFAULT || bytes == 0)
		return STACK_NONE;
	if (bytes < 0)
		return STACK_MISSED + LOSS_WALK_FAILED;
	buffer->nr_frames = bytes / sizeof(__u64);
	buffer->end = buffer->nr_frames == helper_depth ? STACK_END_CUT : end;
	return hash_stack(BUFFER_OF(level, side));
}

/*
 * Tells the walks of the sample whether its leaf is at the entry of a function. Only a uprobe says
 * so, and where there are any, programs may nest. It is a function of its own, since older kernels
 * allow programs little stack.
 */
__verified_once int note_entry(__u32 level, bool is_at_entry)
{
	struct walk_memory *m;

	if (!may_nest)
		return 0;
	m = walk_memory_of(level);
	if (m)
		m->walk.is_at_entry = is_at_entry;
	return 0;
}

/* Takes the user stack, by tables if it can be walked by them. Returns as take_stack. */
static __always_inline __u64 take_user_stack(void *ctx, struct stack_entry *buffer,
					     struct sample *s, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int how = WALK_IMPOSSIBLE, functions = FUNCTIONS_NONE;
	enum stack_end end;

	if (s->has_memory && is_between_images(task, s->has_start_code))
		return STACK_NONE;
	if (unwind_by_tables && !(s->has_memory && has_user_stack(task)))
		return STACK_NONE;
	note_entry(s->level, s->is_at_entry);
	if (unwind_by_tables && walk_languages)
		functions = find_stack_functions(s->key.tgid, s->space_id, s->level);
	if (unwind_by_tables)
		how = walk_user_stack(s->key.tgid, s->space_id, now_ns, s->level, s->exec_pages);
	if (unwind_by_tables && take_labels)
		s->key.labels = find_labels(s->key.tgid, s->level);
	if (how == WALK_DONE && functions == FUNCTIONS_OF_LOOPS)
		place_by_loops(s->level);
	if (how == WALK_DONE)
		return hash_stack(BUFFER_OF(s->level, SIDE_USER));
	end = how == WALK_EARLY ? STACK_END_EARLY : STACK_END_FP;
	if (!walk_by_program || !s->has_memory || !walk_frame_pointers(s->level))
		return take_stack(ctx, SIDE_USER, 0, s->level, buffer, end);
	buffer->end = buffer->nr_frames == max_depth ? STACK_END_CUT : end;
	return hash_stack(BUFFER_OF(s->level, SIDE_USER));
}

/* Makes sure that the set holds stack *@id, which is in the buffer of @side. On failure *@id
 * becomes STACK_MISSED + enum loss.
 */
static __always_inline void store_stack(struct sample *s, __u64 *id, enum side side)
{
	if (*id >= STACK_FIRST_ID && insert_stack(*id, s->set, BUFFER_OF(s->level, side)))
		*id = STACK_MISSED + LOSS_STORAGE_FULL;
}

/*
 * Makes sure that the set holds the labels. Call it when the set has the kernel stack, whose buffer
 * is taken. Without room, they become those without a trace, or LABELS_OTHER.
 */
static __always_inline void store_labels(struct sample *s)
{
	if (unwind_by_tables && take_labels && s->key.labels >= STACK_FIRST_ID)
		s->key.labels = insert_labels(s->key.labels, s->key.tgid, s->set, s->level);
}

enum count_result {
	COUNT_DONE,
	COUNT_NONE,     /* the set does not have the count, or has no room for it */
	COUNT_OVERFLOW, /* the sum might exceed 64 bits */
};

/*
 * A larger weight is not added. A sum that is larger does not grow any more. So no sum overflows,
 * also if 128 CPUs add to it at one time.
 */
#define WEIGHT_MAX (1ULL << 56)
#define SUM_MAX    (1ULL << 63)

static __always_inline enum count_result add_weight(__u64 *sum, __u64 weight)
{
	if (*(volatile __u64 *)sum > SUM_MAX)
		return COUNT_OVERFLOW;
	__sync_fetch_and_add(sum, weight);
	return COUNT_DONE;
}

/* Adds the weight of the sample to the count at slot @at. */
static __always_inline enum count_result add_at(struct sample *s, __u64 at, __u64 now_ns)
{
	__u32 index = at;
	struct count_slot *slot = bpf_map_lookup_elem(&count_slots, &index);
	enum count_result result = COUNT_DONE;

	if (at == SLOT_NONE || !slot)
		return COUNT_NONE;
	if (at & SLOT_NEW) {
		slot->key = s->key;
		slot->value.first_ns = now_ns;
	}
	if (max_changes && !(at & SLOT_NEW)) {
		__u64 begin_ns = slice_begin(now_ns);

		if (slot->value.last_ns < begin_ns)
			note_slice(s->set, index, &slot->value, begin_ns);
	}
	if (has_weights)
		result = add_weight(&slot->value.count, s->weight);
	else
		__sync_fetch_and_add(&slot->value.count, 1);
	slot->value.last_ns = now_ns;
	return result;
}

/* Adds the weight of the sample to its count, if the set has that. */
static __always_inline enum count_result add_to_count(struct sample *s, __u64 now_ns)
{
	__u64 at = find_count(hash_count(&s->key), s->set);

	return at & SLOT_NEW ? COUNT_NONE : add_at(s, at, now_ns);
}

/*
 * Adds the weight of the sample to its count, and makes the count if the set does not have it. The
 * set must have the stacks and labels.
 */
static __always_inline enum count_result insert_or_add(struct sample *s, __u64 now_ns)
{
	return add_at(s, claim_count(hash_count(&s->key), s->set), now_ns);
}

static __always_inline void note_missed(__u64 id, __u64 *missed)
{
	if (id == STACK_MISSED + LOSS_STORAGE_FULL)
		count_up(&missed[LOSS_STORAGE_FULL]);
	else if (id == STACK_MISSED + LOSS_REFUSED)
		count_up(&missed[LOSS_REFUSED]);
	else if (id == STACK_MISSED + LOSS_WALK_FAILED)
		count_up(&missed[LOSS_WALK_FAILED]);
}

/* Notes that the sample is counted. Of a sample that is lost, no stack is missed. */
static __always_inline void note_counted(struct sample *s)
{
	count_up(&s->totals->counted);
	note_missed(s->key.user_stack, s->totals->missed_user);
	note_missed(s->key.kernel_stack, s->totals->missed_kernel);
}

/* Notes the fate of a sample whose way to its count is over. */
static __always_inline void note_result(struct sample *s, enum count_result result)
{
	if (result == COUNT_DONE)
		note_counted(s);
	else if (result == COUNT_OVERFLOW)
		count_up(&s->totals->overflows);
	else
		count_up(&s->totals->lost[LOSS_STORAGE_FULL]);
}

/* Hands the sample to the recorder if its user stack must wait. Returns false if it did not. */
static __always_inline bool is_handed_over(struct sample *s, struct stack_entry *user_buffer,
					   __u64 now_ns)
{
	if (!unwind_by_tables || s->key.user_stack < STACK_FIRST_ID ||
	    user_buffer->end != STACK_END_EARLY)
		return false;
	store_stack(s, &s->key.kernel_stack, SIDE_KERNEL);
	store_labels(s);
	return submit_early(&s->key, STACK_NONE, has_weights ? s->weight : 1, s->set, s->space_id,
			    now_ns, s->level);
}

/*
 * In place of a number of frames: the task came straight from user space, by a uprobe, and by one
 * at the entry of a function.
 */
#define NO_KERNEL_STACK (-1)
#define AT_UPROBE       (-2)
#define AT_ENTRY        (-3)

static __always_inline void count_sample(void *ctx, struct sample *s, int own_frames, __u64 now_ns)
{
	__u32 user = BUFFER_OF(s->level, SIDE_USER), kernel = BUFFER_OF(s->level, SIDE_KERNEL);
	struct stack_entry *user_buffer = buffer_of(user);
	struct stack_entry *kernel_buffer = buffer_of(kernel);
	enum count_result result;

	if (!user_buffer || !kernel_buffer)
		return; /* cannot be: the array has both indexes */
	if (has_weights && s->weight > WEIGHT_MAX) {
		count_up(&s->totals->overflows);
		return;
	}
	if (take_kernel && own_frames >= 0)
		s->key.kernel_stack = take_stack(ctx, SIDE_KERNEL, own_frames, s->level,
						 kernel_buffer, STACK_END_FP);
	if (take_user)
		s->key.user_stack = take_user_stack(ctx, user_buffer, s, now_ns);
	if (is_handed_over(s, user_buffer, now_ns)) {
		tell_process(s->key.tgid, s->space_id, now_ns);
		note_counted(s);
		return;
	}
	result = add_to_count(s, now_ns);
	if (result == COUNT_NONE) {
		tell_process(s->key.tgid, s->space_id, now_ns);
		store_stack(s, &s->key.user_stack, SIDE_USER);
		store_stack(s, &s->key.kernel_stack, SIDE_KERNEL);
		store_labels(s);
		result = insert_or_add(s, now_ns);
	}
	note_result(s, result);
}

/* The totals of @event in the active set, whose number is put into @s. */
static __always_inline struct totals *find_totals(struct sample *s, __u32 event)
{
	__u32 at;

	s->set = active_set & (NR_SETS - 1);
	at = s->set * nr_events + event;
	return bpf_map_lookup_elem(&totals, &at);
}

/*
 * Takes the stacks of the current task, if they are wanted, and adds @weight to the count of
 * @event. The idle tasks are wanted @with_idle. The kernel's stack begins in @own_frames frames of
 * the program, or there is none (NO_KERNEL_STACK, AT_UPROBE or AT_ENTRY). Once sampling is over,
 * does nothing.
 */
static __always_inline int handle_event(void *ctx, __u32 event, __u64 weight, bool with_idle,
					int own_frames)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample s = {.weight = weight, .is_at_entry = own_frames == AT_ENTRY};
	__u64 now_ns;
	__u32 tgid;

	s.totals = find_totals(&s, event);
	if (!s.totals)
		return 0;
	if (!task->pid && !with_idle) {
		count_up(&s.totals->idle);
		return 0;
	}
	tgid = visible_tgid(task);
	bpf_get_current_comm(s.key.comm, COMM_SIZE);
	if (!is_wanted(task, tgid, s.key.comm)) {
		count_up(&s.totals->filtered);
		return 0;
	}
	now_ns = bpf_ktime_get_ns();
	if (now_ns >= sampling_end_ns)
		return 0;
	count_up(&s.totals->taken);
	if (!claim_level(&s)) {
		count_up(&s.totals->lost[LOSS_REFUSED]);
		return 0;
	}
	s.key.tgid = tgid;
	s.key.tid = kept_tid(task);
	s.key.event = event;
	identify_process(&s, task);
	count_sample(ctx, &s, own_frames, now_ns);
	release_level(&s);
	return 0;
}

#endif
