/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers the functions of interpreted languages whose names the program has handed to the
 * recorder. A hash map has all of them. Each CPU has an array with those that it has met lately,
 * because a search in the hash map takes longer. When the recorder has emptied the hash map, it
 * begins another period, and what the arrays have counts no more.
 */
#ifndef BPF_SEEN_FUNCTIONS_H
#define BPF_SEEN_FUNCTIONS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages.h"

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
 * A name that cannot be read is tried again in the next stack with its function. A stack tries no
 * more names after so many failures. So a stack of functions whose names are made up takes no
 * longer.
 */
#define NAME_FAILURES_MAX 4

/* Has the name of the function been handed over? */
static __always_inline bool is_function_seen(const struct seen_function *function)
{
	const __u64 space_id = function->space_id + seen_period, word = function->word;
	__u32 at = (space_id ^ word) * 0x9e3779b97f4a7c15ULL >> (64 - LATELY_SEEN_SHIFT);
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
