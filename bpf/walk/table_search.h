/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps with the mappings of processes and with the unwind tables of files, and searches in
 * them. bpf/walk/user_stack.h says who writes the maps, and has an example.
 */
#ifndef BPF_WALK_TABLE_SEARCH_H
#define BPF_WALK_TABLE_SEARCH_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/walk/unwind.h"

/* Steps of a binary search: a process has at most 2^12 mappings, a page at most 2^16 rows. */
#define MAPPING_STEPS 13
#define ROW_STEPS     17

/* The sizes are set before load. Without unwinding by tables the maps have one entry each. */
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

/* Files that have tables, for bpf/walk/file_mapping.h. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct unwind_file_key);
	__type(value, struct unwind_file);
} unwind_files SEC(".maps");

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

/* All programs share what they found. The recorder clears it before it uses a page again. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64); /* UNWIND_KNOWN */
} known_rules SEC(".maps");

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

/*
 * The index of the mapping at @pc among the @nr mappings from @first on; UNWIND_NO_MAPPING if
 * there is none.
 */
__verified_once __u32 search_mappings(__u32 first, __u32 nr, __u64 pc)
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
	return UNWIND_NO_MAPPING;
}

/* 1 if @row_off is at most @off, else 0; both are offsets in a page. */
static __always_inline __u64 is_at_most(__u64 row_off, __u64 off)
{
	__u64 less = row_off - off - 1;

	barrier_var(less); /* else the compiler makes a branch of it */
	return less >> 63;
}

/* The number of the rule for the code at @off in page @at; UNWIND_NO_RULE if there is none. */
static __always_inline __u32 search_rows(__u32 at, __u32 off)
{
	struct unwind_page *page = bpf_map_lookup_elem(&unwind_pages, &at);
	struct unwind_segment *segment;
	__u32 base, nr, zero = 0;
	void *map;

	if (!page || !page->nr_rows)
		return UNWIND_NO_RULE;
	at = page->first_row >> UNWIND_SEGMENT_SHIFT;
	map = bpf_map_lookup_elem(&unwind_segments, &at);
	if (!map)
		return UNWIND_NO_RULE;
	segment = bpf_map_lookup_elem(map, &zero);
	if (!segment)
		return UNWIND_NO_RULE;
	base = page->first_row;
	nr = page->nr_rows;
	for (int i = 0; i < ROW_STEPS && nr > 1; i++) {
		__u32 half = nr / 2;
		__u32 row = segment->rows[(base + half) & (UNWIND_SEGMENT_ROWS - 1)];

		/* There is no branch, as the verifier would go both ways in each turn. */
		base += half & -(__u32)is_at_most(UNWIND_ROW_OFF(row), off);
		nr -= half;
	}
	return UNWIND_ROW_RULE(segment->rows[base & (UNWIND_SEGMENT_ROWS - 1)]);
}

/*
 * The number of the rule for the code at @off in the table whose pages @pages says (struct
 * unwind_mapping); UNWIND_NO_RULE if there is none.
 */
__verified_once __u32 find_rule(__u64 off, __u64 pages)
{
	__u64 known, have, *place;
	__u32 page, at, rule;

	if (off >> UNWIND_PAGE_SHIFT >= UNWIND_NR_PAGES(pages))
		return UNWIND_NO_RULE;
	page = UNWIND_FIRST_PAGE(pages) + (off >> UNWIND_PAGE_SHIFT);
	off &= UNWIND_PAGE_SIZE - 1;
	known = UNWIND_KNOWN(page, off, 0);
	at = UNWIND_KNOWN_PLACE(known);
	place = bpf_map_lookup_elem(&known_rules, &at);
	have = place ? *(volatile __u64 *)place : 0;
	if (UNWIND_IS_KNOWN(have, known))
		return UNWIND_KNOWN_RULE(have);
	rule = search_rows(page, off);
	if (place)
		*(volatile __u64 *)place = known | rule;
	return rule;
}

#endif
