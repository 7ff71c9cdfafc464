// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts stacks. Runs in interrupt or NMI context for every sample, so the usual case is one map
 * lookup and one atomic add: a count that is there implies that its stacks are stored in the same
 * set, and nothing is inserted. Drain protocol: doc/design.md.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/sample_filters.h"
#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "bpf/user_stack.h"

/* Set before load; constants to the verifier. */
const volatile __u64 hash_seed;
const volatile __u32 stack_watermark = 1;
const volatile __u32 count_watermark = 1;
const volatile bool take_user = true;
const volatile bool take_kernel = true;
const volatile bool include_idle;
const volatile __u64 hit_period = 1; /* of a tracepoint: a sample every so many on a CPU */

/* The set that samples go to. Written by the recorder alone. */
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
 * Maps of maps, because an update of one from user space returns only after all programs that may
 * have read the old value have finished: that is the grace period the drain needs. The recorder
 * fills each in one call, since at the start nobody needs to wait four times.
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

/* Belong to the sets, and are drained with them: so they are exact for whatever was drained. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__type(value, struct totals);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hit_state);
} hits SEC(".maps");

/* Tells the recorder which set has reached its watermark. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/* The parts of one sample that its helpers hand around. */
struct sample {
	struct totals *totals;
	struct set_state *state;
	void *stacks;
	void *counts;
	__u32 set;
	struct count_key key;
};

/*
 * A process chooses the addresses on its stack, and must not be able to choose two stacks of one
 * hash. So the multiplier is secret, and the rotation takes every bit through it: with a known one,
 * or a top bit that multiplication leaves alone, differences in one frame can be undone in the
 * next.
 */
static __always_inline __u64 mix(__u64 h, __u64 v, __u64 multiplier)
{
	h ^= v;
	h = (h << 29 | h >> 35) * multiplier;
	return h ^ h >> 32;
}

/*
 * The id of the stack in buffer @side. Not inlined nor static, and so with numbers alone for
 * arguments: the kernel verifies such a function once, not for every path that leads to it.
 */
__noinline __u64 hash_stack(__u32 side)
{
	/* Copies, since each look at a constant of the recording's is a load. */
	const __u64 seed = hash_seed, multiplier = seed | 1;
	const struct stack_entry *stack = bpf_map_lookup_elem(&buffers, &side);
	const __u32 depth = max_depth;
	__u32 nr;
	__u64 h;

	if (!stack)
		return STACK_NONE;
	nr = stack->nr_frames;
	h = mix(seed, nr | (__u64)stack->end << 32, multiplier);
	for (__u32 i = 0; i < depth; i++) {
		if (i >= nr)
			break;
		h = mix(h, stack->frames[i], multiplier);
	}
	h = mix(h, h >> 29, multiplier);
	return h < STACK_FIRST_ID ? h + STACK_FIRST_ID : h;
}

/* Of a process until its next exec; see struct unwind_space. Not 0. */
static __always_inline __u64 space_id_of(struct task_struct *task)
{
	return mix(task->group_leader->start_time, task->self_exec_id, hash_seed | 1) | 1;
}

/* See struct count_key. A kernel thread has no mm; loads through a NULL pointer give 0. */
static __always_inline __u32 image_of(struct task_struct *task)
{
	return mix(space_id_of(task), task->mm->exec_vm, hash_seed | 1);
}

/*
 * Takes one side's stack along frame pointers, as all of the kernel's are, into its buffer. Returns
 * its id, STACK_NONE, or STACK_MISSED + a loss.
 */
static __always_inline __u64 take_stack(void *ctx, __u32 side, struct stack_entry *buffer,
					enum stack_end end)
{
	__u64 flags = side == SIDE_USER ? BPF_F_USER_STACK : 0;
	long bytes = bpf_get_stack(ctx, buffer->frames, max_depth * sizeof(__u64), flags);

	/* -EFAULT: there is none, as the user side of a kernel thread. */
	if (bytes == -EFAULT || bytes == 0)
		return STACK_NONE;
	if (bytes < 0)
		return STACK_MISSED + LOSS_WALK_FAILED;
	buffer->nr_frames = bytes / sizeof(__u64);
	buffer->end = buffer->nr_frames == max_depth ? STACK_END_CUT : end;
	return hash_stack(side);
}

/* The same for the user's side, by tables where there are some. */
static __always_inline __u64 take_user_stack(void *ctx, struct stack_entry *buffer,
					     struct sample *s, __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int how = WALK_IMPOSSIBLE;

	if (unwind_by_tables && !has_user_stack(task))
		return STACK_NONE;
	if (unwind_by_tables)
		how = walk_user_stack(s->key.tgid, space_id_of(task), now_ns);
	if (how == WALK_DONE)
		return hash_stack(SIDE_USER);
	return take_stack(ctx, SIDE_USER, buffer,
			  how == WALK_EARLY ? STACK_END_EARLY : STACK_END_FP);
}

/*
 * What bpf_map_update_elem returns is 32 bits wide before Linux 6.4: the call goes to a map
 * operation that returns an int, and the upper half of the register is anything. Only an int
 * compares right.
 */
static __always_inline int insert(void *map, const void *key, const void *value)
{
	return (int)bpf_map_update_elem(map, key, value, BPF_NOEXIST);
}

static __always_inline enum loss loss_of(int err)
{
	return err == -E2BIG || err == -ENOMEM ? LOSS_STORAGE_FULL : LOSS_REFUSED;
}

/* Called after an insertion. A wakeup that did not get through is tried again at the next one. */
static __always_inline void check_watermark(struct sample *s, __u32 *nr, __u32 watermark)
{
	__u32 before = __sync_fetch_and_add(nr, 1);

	if (before + 1 < watermark || s->state->woken)
		return;
	if (!bpf_ringbuf_output(&wakeups, &s->set, sizeof(s->set), BPF_RB_FORCE_WAKEUP))
		s->state->woken = 1;
}

/* Makes sure that the set holds stack *id; on failure *id becomes the missed one. */
static __always_inline void store_stack(struct sample *s, __u64 *id, struct stack_entry *buffer)
{
	int err;

	if (*id < STACK_FIRST_ID || bpf_map_lookup_elem(s->stacks, id))
		return;
	err = insert(s->stacks, id, buffer);
	if (!err)
		check_watermark(s, &s->state->nr_stacks, stack_watermark);
	else if (err != -EEXIST) /* else another CPU was faster */
		*id = STACK_MISSED + loss_of(err);
}

static __always_inline bool add_to_count(struct sample *s, __u64 now_ns)
{
	struct count_value *value = bpf_map_lookup_elem(s->counts, &s->key);

	if (!value)
		return false;
	__sync_fetch_and_add(&value->count, 1);
	value->last_ns = now_ns;
	s->totals->counted++;
	return true;
}

static __always_inline void insert_count(struct sample *s, __u64 now_ns)
{
	struct count_value one = {.count = 1, .first_ns = now_ns, .last_ns = now_ns};
	int err = insert(s->counts, &s->key, &one);

	if (!err) {
		s->totals->counted++;
		check_watermark(s, &s->state->nr_counts, count_watermark);
	} else if (err != -EEXIST || !add_to_count(s, now_ns)) {
		s->totals->lost[loss_of(err)]++;
	}
}

static __always_inline void note_missed(__u64 id, __u64 *missed)
{
	if (id == STACK_MISSED + LOSS_STORAGE_FULL)
		missed[LOSS_STORAGE_FULL]++;
	else if (id == STACK_MISSED + LOSS_REFUSED)
		missed[LOSS_REFUSED]++;
	else if (id == STACK_MISSED + LOSS_WALK_FAILED)
		missed[LOSS_WALK_FAILED]++;
}

static __always_inline void count_sample(void *ctx, struct sample *s)
{
	__u32 user = SIDE_USER, kernel = SIDE_KERNEL;
	struct stack_entry *user_buffer = bpf_map_lookup_elem(&buffers, &user);
	struct stack_entry *kernel_buffer = bpf_map_lookup_elem(&buffers, &kernel);
	__u64 now_ns = bpf_ktime_get_ns();

	if (!user_buffer || !kernel_buffer)
		return; /* cannot be: indexes of an array */
	if (take_kernel)
		s->key.kernel_stack = take_stack(ctx, SIDE_KERNEL, kernel_buffer, STACK_END_FP);
	if (take_user)
		s->key.user_stack = take_user_stack(ctx, user_buffer, s, now_ns);
	if (unwind_by_tables && s->key.user_stack >= STACK_FIRST_ID &&
	    user_buffer->end == STACK_END_EARLY) {
		store_stack(s, &s->key.kernel_stack, kernel_buffer);
		if (submit_early(bpf_get_current_task_btf(), &s->key, s->set,
				 space_id_of(bpf_get_current_task_btf()), now_ns)) {
			s->totals->counted++;
			note_missed(s->key.kernel_stack, s->totals->missed_kernel);
			return;
		}
	}
	if (!add_to_count(s, now_ns)) {
		store_stack(s, &s->key.user_stack, user_buffer);
		store_stack(s, &s->key.kernel_stack, kernel_buffer);
		insert_count(s, now_ns);
	}
	note_missed(s->key.user_stack, s->totals->missed_user);
	note_missed(s->key.kernel_stack, s->totals->missed_kernel);
}

static __always_inline int sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample s = {};
	__u32 tgid;

	s.set = active_set & (NR_SETS - 1);
	s.totals = bpf_map_lookup_elem(&totals, &s.set);
	if (!s.totals)
		return 0;
	if (!task->pid && !include_idle) {
		s.totals->idle++;
		return 0;
	}
	tgid = visible_tgid(task);
	bpf_get_current_comm(s.key.comm, sizeof(s.key.comm));
	if (!is_wanted(task, tgid, s.key.comm)) {
		s.totals->filtered++;
		return 0;
	}
	s.totals->taken++;

	/* Masked again: Linux 6.1 does not know the bounds of what it reads back from the stack. */
	s.state = &set_states[s.set & (NR_SETS - 1)];
	s.stacks = bpf_map_lookup_elem(&stack_sets, &s.set);
	s.counts = bpf_map_lookup_elem(&count_sets, &s.set);
	if (!s.stacks || !s.counts) {
		s.totals->lost[LOSS_REFUSED]++;
		return 0;
	}
	s.key.tgid = tgid;
	s.key.image = image_of(task);
	count_sample(ctx, &s);
	return 0;
}

SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	return sample(ctx);
}

/* The kernel runs it for every hit on every CPU: neither period nor CPUs of the event count. */
SEC("tp")
int take_sample_hit(void *ctx)
{
	__u32 zero = 0;
	struct hit_state *state = bpf_map_lookup_elem(&hits, &zero);

	if (!state || !state->is_sampled || ++state->nr < hit_period)
		return 0;
	state->nr = 0;
	return sample(ctx);
}

char LICENSE[] SEC("license") = "GPL";
