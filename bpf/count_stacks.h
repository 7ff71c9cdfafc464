/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts stacks, whatever the event is: the maps, and the way from a hit to its count. A count in a
 * set implies that its stacks are in that set. So the usual hit needs one lookup and one atomic
 * add. How sets are drained: doc/design.md.
 */
#ifndef BPF_COUNT_STACKS_H
#define BPF_COUNT_STACKS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/keyed_hash.h"
#include "bpf/sample_filters.h"
#include "bpf/shared.h"
#include "bpf/user_stack.h"

/* Set before load; constants to the verifier. */
const volatile __u32 stack_watermark = 1;
const volatile __u32 count_watermark = 1;
const volatile bool take_user = true;
const volatile bool take_kernel = true;
const volatile __u32 nr_events = 1;
const volatile __u32 sample_event;      /* of the samples of the perf event */
const volatile __u64 sample_weight = 1; /* each of them counts so much */
/*
 * Programs may interrupt each other: those on uprobes do, and each other, too. Samples alone never
 * do, because the kernel skips the event.
 */
const volatile bool may_nest;
const volatile bool has_weights; /* some event has another weight than 1 */

/* The set that samples go to. Only the recorder writes this. */
volatile __u32 active_set;
struct set_state set_states[NR_SETS];

struct stack_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct stack_entry)); /* and frames, set before load */
} stacks0 SEC(".maps"), stacks1 SEC(".maps");

struct count_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct count_key);
	__type(value, struct count_value);
} counts0 SEC(".maps"), counts1 SEC(".maps");

/*
 * These are maps of maps, because the drain needs a grace period. An update from user space returns
 * only when all programs that may have read the old value have finished. At the start nobody needs
 * to wait, so the recorder fills each map in one call.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__uint(value_size, sizeof(__u32)); /* the recorder says which maps may be put in */
} stack_sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__array(values, struct count_map);
} count_sets SEC(".maps");

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

/* One value: the keys of the hash. The recorder fills in random numbers before the first sample. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct hash_key)); /* and the other keys, set before load */
} hash_keys SEC(".maps");

/* Tells the recorder which set has reached its watermark. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/* A sample while it is being counted. */
struct sample {
	struct totals *totals;
	struct set_state *state;
	void *stacks;
	void *counts;
	__u32 set;
	__u32 level; /* of the buffers that it has */
	__u64 weight;
	struct count_key key;
	__u64 space_id; /* as in struct unwind_space */
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
	const struct stack_entry *stack = bpf_map_lookup_elem(&buffers, &buffer);
	__u32 zero = 0;
	const struct hash_key *keys = bpf_map_lookup_elem(&hash_keys, &zero);
	__u64 h;

	if (!stack || !keys)
		return STACK_NONE;
	h = hash_frames(keys, stack->frames, stack->nr_frames, stack->end, max_depth);
	return h < STACK_FIRST_ID ? h + STACK_FIRST_ID : h;
}

/*
 * Sets the fields that tell apart the processes of one id, and their mappings over time. A kernel
 * thread has no mm: a load through NULL gives 0.
 */
static __always_inline void identify_process(struct sample *s, struct task_struct *task)
{
	__u32 zero = 0;
	const struct hash_key *keys = bpf_map_lookup_elem(&hash_keys, &zero);
	struct hash h;

	if (!keys)
		return; /* cannot be: the array has the index */
	h = hash_begin(keys);
	hash_word(&h, task->group_leader->start_time, &keys[1]);
	hash_word(&h, task->self_exec_id, &keys[2]);
	s->space_id = hash_end(&h) | 1; /* 0 is no space_id */
	hash_word(&h, task->mm->exec_vm, &keys[3]);
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
	long bytes = bpf_get_stack(ctx, buffer->frames, max_depth * sizeof(__u64), flags);

	/* -EFAULT: there is no such stack. A kernel thread has no user stack. */
	if (bytes == -EFAULT || bytes == 0)
		return STACK_NONE;
	if (bytes < 0)
		return STACK_MISSED + LOSS_WALK_FAILED;
	buffer->nr_frames = bytes / sizeof(__u64);
	buffer->end = buffer->nr_frames == max_depth ? STACK_END_CUT : end;
	return hash_stack(BUFFER_OF(level, side));
}

/* Takes the user stack, by tables if it can be walked by them. Returns as take_stack. */
static __always_inline __u64 take_user_stack(void *ctx, struct stack_entry *buffer,
					     struct sample *s, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int how = WALK_IMPOSSIBLE;

	if (is_between_images(task) || (unwind_by_tables && !has_user_stack(task)))
		return STACK_NONE;
	if (unwind_by_tables)
		how = walk_user_stack(s->key.tgid, s->space_id, now_ns, s->level);
	if (how == WALK_DONE)
		return hash_stack(BUFFER_OF(s->level, SIDE_USER));
	return take_stack(ctx, SIDE_USER, 0, s->level, buffer,
			  how == WALK_EARLY ? STACK_END_EARLY : STACK_END_FP);
}

/*
 * Inserts an element that the map must not have yet. Before Linux 6.4, bpf_map_update_elem calls a
 * map operation that returns an int. The upper half of the register may then hold anything, so only
 * an int compares right.
 */
static __always_inline int insert_element(void *map, const void *key, const void *value)
{
	return (int)bpf_map_update_elem(map, key, value, BPF_NOEXIST);
}

static __always_inline enum loss loss_of(int err)
{
	return err == -E2BIG || err == -ENOMEM ? LOSS_STORAGE_FULL : LOSS_REFUSED;
}

/*
 * Counts an insertion, and wakes the recorder when @nr reaches the watermark. If the wakeup finds
 * no room in its buffer, the next insertion tries again.
 */
static __always_inline void check_watermark(struct sample *s, __u32 *nr, __u32 watermark)
{
	__u32 before = __sync_fetch_and_add(nr, 1);

	if (before + 1 < watermark || s->state->woken)
		return;
	if (!bpf_ringbuf_output(&wakeups, &s->set, sizeof(s->set), BPF_RB_FORCE_WAKEUP))
		s->state->woken = 1;
}

/* Makes sure that the set holds stack *@id. On failure *@id becomes STACK_MISSED + enum loss. */
static __always_inline void store_stack(struct sample *s, __u64 *id, struct stack_entry *buffer)
{
	int err;

	if (*id < STACK_FIRST_ID || bpf_map_lookup_elem(s->stacks, id))
		return;
	err = insert_element(s->stacks, id, buffer);
	if (!err)
		check_watermark(s, &s->state->nr_stacks, stack_watermark);
	else if (err != -EEXIST) /* -EEXIST: another CPU has stored it meanwhile */
		*id = STACK_MISSED + loss_of(err);
}

enum count_result {
	COUNT_DONE,
	COUNT_NONE,     /* the set does not have the count */
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

/* Adds the weight of the sample to its count. */
static __always_inline enum count_result add_to_count(struct sample *s, __u64 now_ns)
{
	struct count_value *value = bpf_map_lookup_elem(s->counts, &s->key);
	enum count_result result = COUNT_DONE;

	if (!value)
		return COUNT_NONE;
	if (has_weights)
		result = add_weight(&value->count, s->weight);
	else
		__sync_fetch_and_add(&value->count, 1);
	value->last_ns = now_ns;
	return result;
}

/* Makes a count of the sample, whose stacks the set has. */
static __always_inline enum count_result insert_count(struct sample *s, __u64 now_ns, int *err)
{
	struct count_value first = {
		.count = has_weights ? s->weight : 1, .first_ns = now_ns, .last_ns = now_ns};

	*err = insert_element(s->counts, &s->key, &first);
	if (!*err)
		check_watermark(s, &s->state->nr_counts, count_watermark);
	return *err ? COUNT_NONE : COUNT_DONE;
}

/* Makes a count of the sample, or adds to the count that another CPU has made meanwhile. */
static __always_inline enum count_result insert_or_add(struct sample *s, __u64 now_ns, int *err)
{
	enum count_result result = insert_count(s, now_ns, err);

	return *err == -EEXIST ? add_to_count(s, now_ns) : result;
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
static __always_inline void note_result(struct sample *s, enum count_result result, int err)
{
	if (result == COUNT_DONE)
		note_counted(s);
	else if (result == COUNT_OVERFLOW)
		count_up(&s->totals->overflows);
	else
		count_up(&s->totals->lost[loss_of(err)]);
}

/* Hands the sample to the recorder if its user stack must wait. Returns false if it did not. */
static __always_inline bool is_handed_over(struct sample *s, struct stack_entry *user_buffer,
					   struct stack_entry *kernel_buffer, __u64 now_ns)
{
	if (!unwind_by_tables || s->key.user_stack < STACK_FIRST_ID ||
	    user_buffer->end != STACK_END_EARLY)
		return false;
	store_stack(s, &s->key.kernel_stack, kernel_buffer);
	return submit_early(bpf_get_current_task_btf(), &s->key, STACK_NONE,
			    has_weights ? s->weight : 1, s->set, s->space_id, now_ns);
}

/* In place of a number of frames: the task came straight from user space. */
#define NO_KERNEL_STACK (-1)

static __always_inline void count_sample(void *ctx, struct sample *s, int own_frames)
{
	__u32 user = BUFFER_OF(s->level, SIDE_USER), kernel = BUFFER_OF(s->level, SIDE_KERNEL);
	struct stack_entry *user_buffer = bpf_map_lookup_elem(&buffers, &user);
	struct stack_entry *kernel_buffer = bpf_map_lookup_elem(&buffers, &kernel);
	__u64 now_ns = bpf_ktime_get_ns();
	enum count_result result;
	int err = 0;

	if (!user_buffer || !kernel_buffer)
		return; /* cannot be: the array has both indexes */
	if (has_weights && s->weight > WEIGHT_MAX) {
		count_up(&s->totals->overflows);
		return;
	}
	if (take_kernel && own_frames != NO_KERNEL_STACK)
		s->key.kernel_stack = take_stack(ctx, SIDE_KERNEL, own_frames, s->level,
						 kernel_buffer, STACK_END_FP);
	if (take_user)
		s->key.user_stack = take_user_stack(ctx, user_buffer, s, now_ns);
	if (is_handed_over(s, user_buffer, kernel_buffer, now_ns)) {
		note_counted(s);
		return;
	}
	result = add_to_count(s, now_ns);
	if (result == COUNT_NONE) {
		store_stack(s, &s->key.user_stack, user_buffer);
		store_stack(s, &s->key.kernel_stack, kernel_buffer);
		result = insert_or_add(s, now_ns, &err);
	}
	note_result(s, result, err);
}

/* Finds the maps of the sample's set. Returns false if it counts the sample as lost. */
static __always_inline bool find_maps(struct sample *s)
{
	/* Linux 6.1 forgets the bounds of a value that the program spills. So this masks again. */
	s->state = &set_states[s->set & (NR_SETS - 1)];
	s->stacks = bpf_map_lookup_elem(&stack_sets, &s->set);
	s->counts = bpf_map_lookup_elem(&count_sets, &s->set);
	if (s->stacks && s->counts)
		return true;
	count_up(&s->totals->lost[LOSS_REFUSED]);
	return false;
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
 * the program, or there is none (NO_KERNEL_STACK).
 */
static __always_inline int handle_event(void *ctx, __u32 event, __u64 weight, bool with_idle,
					int own_frames)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample s = {.weight = weight};
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
	count_up(&s.totals->taken);
	if (!find_maps(&s))
		return 0;
	if (!claim_level(&s)) {
		count_up(&s.totals->lost[LOSS_REFUSED]);
		return 0;
	}
	s.key.tgid = tgid;
	s.key.event = event;
	identify_process(&s, task);
	count_sample(ctx, &s, own_frames);
	release_level(&s);
	return 0;
}

#endif
