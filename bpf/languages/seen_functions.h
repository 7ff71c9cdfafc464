/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers the functions of interpreted languages whose names the program has handed to the
 * recorder. A hash map has all of them. Each CPU has an array with those that it has met lately,
 * because a search in the hash map takes longer. When the recorder has emptied the hash map, it
 * starts a new period, which invalidates the arrays.
 */
#ifndef BPF_LANGUAGES_SEEN_FUNCTIONS_H
#define BPF_LANGUAGES_SEEN_FUNCTIONS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/languages.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, struct seen_function);
	__type(value, __u32);
} seen_functions SEC(".maps");

#define LATELY_SEEN_SHIFT 10

/* The period is added to the ids of address spaces. */
struct lately_seen {
	struct seen_function functions[1 << LATELY_SEEN_SHIFT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lately_seen);
} lately_seen SEC(".maps");

/* The recorder counts up. */
volatile __u64 seen_period;

/*
 * After this many failures a stack tries no more names, which bounds the time that a stack with
 * made-up names can take. A name that failed is passed over in the next stacks and does not count
 * there, so that the names of its callers get their turn.
 */
#define NAME_FAILURES_MAX 4

/* How long a name is passed over after its first failure. Each further failure doubles the time. */
#define NAME_RETRY_NS     16000000ULL
#define NAME_RETRY_MAX_NS 8000000000ULL

#define LATELY_FAILED_SHIFT 9

struct failed_name {
	struct seen_function function;
	__u64 until_ns; /* it is passed over */
	__u64 wait_ns;  /* after the last failure */
};

struct lately_failed {
	struct failed_name names[1 << LATELY_FAILED_SHIFT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lately_failed);
} lately_failed SEC(".maps");

static __patched_once struct failed_name *failed_name_of(const struct seen_function *function)
{
	__u32 at = SPREAD_HASH(function->space_id ^ function->word, LATELY_FAILED_SHIFT);
	const __u32 zero = 0;
	struct lately_failed *failed = bpf_map_lookup_elem(&lately_failed, &zero);

	return failed ? &failed->names[at] : NULL;
}

static __always_inline bool is_failed_name(const struct failed_name *name,
					   const struct seen_function *function)
{
	return name->function.word == function->word &&
	       name->function.space_id == function->space_id;
}

/* Is the name of the function to be passed over, since it has failed on this CPU? */
static __always_inline bool has_name_failed(const struct seen_function *function)
{
	const struct failed_name *name = failed_name_of(function);

	return name && is_failed_name(name, function) && bpf_ktime_get_ns() < name->until_ns;
}

/* Notes that the name of the function cannot be read. */
static __always_inline void note_failed_name(const struct seen_function *function)
{
	struct failed_name *name = failed_name_of(function);
	__u64 now_ns = bpf_ktime_get_ns();

	if (!name)
		return;
	if (!is_failed_name(name, function)) {
		/* Names with one place in the array do not take it from each other. */
		if (now_ns < name->until_ns)
			return;
		name->function = *function;
		name->wait_ns = NAME_RETRY_NS;
	} else if (name->wait_ns < NAME_RETRY_MAX_NS) {
		name->wait_ns *= 2;
	}
	name->until_ns = now_ns + name->wait_ns;
}

/* Has the name of the function been handed over? */
static __patched_once bool is_function_seen(const struct seen_function *function)
{
	const __u64 space_id = function->space_id + seen_period, word = function->word;
	__u32 at = SPREAD_HASH(space_id ^ word, LATELY_SEEN_SHIFT);
	const __u32 zero = 0;
	struct lately_seen *lately = bpf_map_lookup_elem(&lately_seen, &zero);

	if (!lately)
		return false;
	if (lately->functions[at].word == word && lately->functions[at].space_id == space_id)
		return true;
	if (!bpf_map_lookup_elem(&seen_functions, function))
		return false;
	lately->functions[at] = (struct seen_function){.space_id = space_id, .word = word};
	return true;
}

#endif
