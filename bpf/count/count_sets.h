/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two sets of counts and stacks: hash tables in the memory of array maps. An element is found
 * and claimed by reads and atomic operations on one word, its id. So a usual hit calls no function
 * of the kernel, takes no lock, and touches one line of memory. Programs that interrupt each other
 * need not know of each other.
 *
 * A count is known by a hash of its key, and a stack by a hash of its frames. The hashes are those
 * of bpf/keyed_hash.h, so no process can choose two inputs of one hash. An id of 0 is that of a
 * free slot. Ids decide at which slots to look, one after the other.
 *
 * Stacks lie one after the other in lines of 64 bytes, so each takes what its frames need. A stack
 * is in its lines before its id is in a slot. Two CPUs may write one stack at the same time. Then
 * it is there twice, and nobody looks for the second one.
 *
 * Nothing is ever removed. The recorder reads a set at rest, and clears it as a whole
 * (record/sampling/bpf/set_memory.c).
 */
#ifndef BPF_COUNT_COUNT_SETS_H
#define BPF_COUNT_COUNT_SETS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/keyed_hash.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/user_stack.h"

/* Set before load; constants to the verifier. All are those of one set. */
__setting __u32 max_stacks = 1;
__setting __u32 max_lines = 1;
__setting __u32 max_stack_lines = 1; /* of one stack, and of a buffer */
__setting __u32 max_counts = 1;
__setting __u32 nr_stack_slots = 1;
__setting __u32 nr_count_slots = 1;
__setting __u32 stack_watermark = 1;
__setting __u32 line_watermark = 1;
__setting __u32 count_watermark = 1;
__setting __u32 max_changes; /* 0: counts are not kept by slices */
__setting __u32 change_watermark = 1;
__setting __u64 slice_ns = 1000000000; /* length of a slice */

/* The set that samples go to. Only the recorder writes this. */
volatile __u32 active_set;
struct set_state set_states[NR_SETS];

/* CLOCK_MONOTONIC: where slice 0 begins. The recorder sets it before the first sample. */
volatile __u64 slices_begin_ns;

/*
 * CLOCK_MONOTONIC: from then on nothing is sampled. The recorder sets it before the first sample,
 * since on a busy host its own turn to stop comes late.
 */
volatile __u64 sampling_end_ns;

/* Where a slice begins: the latest one that some program saw. */
volatile __u64 slice_begin_ns;

/* In each of these maps, the elements of set 1 come after those of set 0. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NR_SETS); /* set before load, as in the maps below */
	__type(key, __u32);
	__type(value, __u64); /* the id of a stack */
} stack_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__type(value, struct stack_line);
} stack_lines SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__type(value, struct count_slot);
} count_slots SEC(".maps");

/* In the order in which slices began for counts. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NR_SETS);
	__type(key, __u32);
	__type(value, struct slice_change);
} slice_changes SEC(".maps");

/* Tells the recorder which set has reached its watermark. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/*
 * The recorder puts grace_map into grace when it swaps the sets. The kernel returns from that only
 * when all programs that run at that moment have finished.
 */
struct grace_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} grace_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct grace_map);
} grace SEC(".maps");

/* One value: the keys of the hash. The recorder fills in random numbers before the first sample. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct hash_key)); /* and the other keys, set before load */
} hash_keys SEC(".maps");

static __patched_once struct hash_key *find_hash_keys(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&hash_keys, &zero);
}

/*
 * A search looks at no more slots than this. At most 4/5 of all slots are in use, so that it finds
 * no free one in (4/5)^256 of all searches, 1 of 10^24. At the watermark, half of that is in use:
 * (2/5)^256, 1 of 10^101. The recorder swaps the sets there, so more is in use only if it comes
 * late.
 */
#define MAX_PROBES 256

/* How often a program tries to claim a slot, as other CPUs may claim those that it finds. */
#define MAX_CLAIMS 8

#define SLOT_NONE (~0ULL)
#define SLOT_NEW  (1ULL << 32) /* in the number of a slot: nobody had it */

/*
 * The slots at which to look for an id, one after the other. The lower half of the id says where to
 * begin, and the upper half how many slots to go each time. The number of slots is a prime, so that
 * no step comes to a slot again before it has been at all of them.
 */
struct probe {
	__u32 at, step, nr, first_of_set;
};

static __always_inline struct probe probe_begin(__u64 id, __u32 set, __u32 nr)
{
	return (struct probe){.at = (__u64)(__u32)id * nr >> 32,
			      .step = 1 + ((id >> 32) * (nr - 1) >> 32),
			      .nr = nr,
			      .first_of_set = (set & (NR_SETS - 1)) * nr};
}

/* The next slot, as a position in the map. */
static __always_inline __u32 probe_next(struct probe *probe)
{
	__u32 slot = probe->first_of_set + probe->at;

	probe->at += probe->step;
	if (probe->at >= probe->nr)
		probe->at -= probe->nr;
	return slot;
}

/* Tells the recorder once. If that finds no room in the buffer, the next insertion tries again. */
static __always_inline void wake_recorder(struct set_state *state, __u32 set)
{
	if (state->woken)
		return;
	if (!bpf_ringbuf_output(&wakeups, &set, sizeof(set), BPF_RB_FORCE_WAKEUP))
		state->woken = 1;
}

/* The id of the count of @key; 0 is none. */
__verified_once __u64 hash_count(const struct count_key *key)
{
	const __u64 *words = (const __u64 *)key;
	const struct hash_key *keys = find_hash_keys();
	struct hash h;

	if (!key || !keys)
		return 0; /* cannot be */
	h = hash_begin(keys);
#pragma unroll
	for (__u32 i = 0; i < sizeof(*key) / sizeof(*words); i++)
		hash_word(&h, words[i], &keys[1 + i]);
	return hash_end(&h) ?: 1;
}

/*
 * The slot of count @id in @set. If the set does not have the count, it is the slot for it, with
 * SLOT_NEW, or SLOT_NONE if there is none.
 */
__verified_once __u64 find_count(__u64 id, __u32 set)
{
	struct probe probe = probe_begin(id, set, nr_count_slots);

	for (__u32 i = 0; i < MAX_PROBES; i++) {
		__u32 at = probe_next(&probe);
		struct count_slot *slot = bpf_map_lookup_elem(&count_slots, &at);
		__u64 have;

		if (!slot)
			break; /* cannot be: the array has the index */
		have = *(volatile __u64 *)&slot->id;
		if (have == id)
			return at;
		if (!have)
			return at | SLOT_NEW;
	}
	return SLOT_NONE;
}

static __always_inline void note_new_count(__u32 set)
{
	struct set_state *state = &set_states[set & (NR_SETS - 1)];

	if (__sync_fetch_and_add(&state->nr_counts, 1) + 1 >= count_watermark)
		wake_recorder(state, set);
}

/*
 * The slot of count @id in @set. With SLOT_NEW nobody had it, and the caller fills in all but the
 * id. Returns SLOT_NONE if the set is full.
 */
__verified_once __u64 claim_count(__u64 id, __u32 set)
{
	bool is_full = set_states[set & (NR_SETS - 1)].nr_counts >= max_counts;

	for (__u32 i = 0; i < MAX_CLAIMS; i++) {
		__u64 found = find_count(id, set), have;
		struct count_slot *slot;
		__u32 at = found;

		if (found == SLOT_NONE || !(found & SLOT_NEW))
			return found;
		slot = bpf_map_lookup_elem(&count_slots, &at);
		if (!slot || is_full)
			break;
		have = __sync_val_compare_and_swap(&slot->id, 0, id);
		if (!have)
			note_new_count(set);
		if (!have || have == id)
			return have ? at : found;
	}
	return SLOT_NONE;
}

/* Where the slice of @now_ns begins. All programs share one number, so few of them divide. */
static __always_inline __u64 slice_begin(__u64 now_ns)
{
	__u64 begin_ns = slice_begin_ns;

	if (now_ns - begin_ns < slice_ns)
		return begin_ns;
	begin_ns = now_ns - (now_ns - slices_begin_ns) % slice_ns;
	slice_begin_ns = begin_ns;
	return begin_ns;
}

/*
 * Notes that the count at slot @at of @set is hit in a slice that begins at @begin_ns, for the
 * first time. Without room, the hits belong to the slice before.
 */
static __always_inline void note_slice(__u32 set, __u32 at, const struct count_value *value,
				       __u64 begin_ns)
{
	struct set_state *state = &set_states[set & (NR_SETS - 1)];
	__u32 nr = __sync_fetch_and_add(&state->nr_changes, 1);
	struct slice_change *change;
	__u32 index = (set & (NR_SETS - 1)) * max_changes + nr;

	if (nr + 1 >= change_watermark)
		wake_recorder(state, set);
	if (nr >= max_changes)
		return;
	change = bpf_map_lookup_elem(&slice_changes, &index);
	if (!change)
		return; /* cannot be: the array has the index */
	change->count = *(volatile __u64 *)&value->count;
	change->slot = at;
	change->slice = (begin_ns - slices_begin_ns) / slice_ns;
}

/* Does a set with these stacks, as in struct set_state, have more than its room? */
static __always_inline bool is_beyond(__u64 stacks)
{
	return SET_STACKS(stacks) > max_stacks || SET_LINES(stacks) > max_lines;
}

/*
 * Takes lines for one stack of @nr lines. The first stack without room ends the lines in use, and
 * all later ones find no room either. Returns the first line, or SLOT_NONE if the set is full.
 */
static __always_inline __u64 claim_lines(__u32 set, __u32 nr)
{
	struct set_state *state = &set_states[set & (NR_SETS - 1)];
	__u64 before = *(volatile __u64 *)&state->stacks, after;

	if (is_beyond(before))
		return SLOT_NONE;
	before = __sync_fetch_and_add(&state->stacks, SET_ONE_STACK + nr);
	after = before + SET_ONE_STACK + nr;
	if (SET_STACKS(after) >= stack_watermark || SET_LINES(after) >= line_watermark)
		wake_recorder(state, set);
	if (!is_beyond(after))
		return (set & (NR_SETS - 1)) * max_lines + SET_LINES(before);
	if (!is_beyond(before))
		state->lines_end = SET_LINES(before);
	return SLOT_NONE;
}

/* Copies the stack in @buffer into lines of @set. Returns 0 or -E2BIG. */
__verified_once int write_stack(__u32 set, __u32 buffer)
{
	const struct stack_entry *stack = buffer_of(buffer);
	const struct stack_line *from = (const struct stack_line *)stack;
	__u64 first;
	__u32 nr;

	if (!stack)
		return -E2BIG; /* cannot be: the array has the index */
	nr = STACK_LINES(stack->nr_frames);
	first = claim_lines(set, nr);
	if (first == SLOT_NONE)
		return -E2BIG;
	for (__u32 i = 0; i < max_stack_lines; i++) {
		__u32 at = first + i;
		struct stack_line *to;

		if (i >= nr)
			break;
		to = bpf_map_lookup_elem(&stack_lines, &at);
		if (!to)
			break; /* cannot be: the array has the index */
		*to = from[i];
	}
	return 0;
}

/* As find_count, of stack @id. */
__verified_once __u64 find_stack(__u64 id, __u32 set)
{
	struct probe probe = probe_begin(id, set, nr_stack_slots);

	for (__u32 i = 0; i < MAX_PROBES; i++) {
		__u32 at = probe_next(&probe);
		__u64 *slot = bpf_map_lookup_elem(&stack_slots, &at);
		__u64 have;

		if (!slot)
			break; /* cannot be: the array has the index */
		have = *(volatile __u64 *)slot;
		if (have == id)
			return at;
		if (!have)
			return at | SLOT_NEW;
	}
	return SLOT_NONE;
}

/*
 * Makes sure that @set has the stack in @buffer, whose id is @id. Returns 0, or -E2BIG if the set
 * is full.
 */
__verified_once int insert_stack(__u64 id, __u32 set, __u32 buffer)
{
	for (__u32 i = 0; i < MAX_CLAIMS; i++) {
		__u64 found = find_stack(id, set), have, *slot;
		__u32 at = found;

		if (found == SLOT_NONE)
			break;
		if (!(found & SLOT_NEW))
			return 0;
		slot = bpf_map_lookup_elem(&stack_slots, &at);
		if (!slot || (!i && write_stack(set, buffer)))
			break;
		have = __sync_val_compare_and_swap(slot, 0, id);
		if (!have || have == id)
			return 0;
	}
	return -E2BIG;
}

#endif
