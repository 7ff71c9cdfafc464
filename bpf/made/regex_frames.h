/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the rule of bpf/made/regex_code.h for a frame, in processes that map PCRE2. */
#ifndef BPF_MADE_REGEX_FRAMES_H
#define BPF_MADE_REGEX_FRAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/made/regex_code.h"
#include "bpf/walk/stack_window.h"

/* Functions of more than 64 KiB are left alone. */
#define REGEX_PARTS_MAX 128

/* Parts of code that are read in a walk at most, so that made-up stacks take no longer. */
#define REGEX_WALK_PARTS 512

#define REGEX_WINDOWS_MAX (REGEX_FRAME_MAX / WINDOW_BYTES + 1)

/* A pointer, as it cannot be in the map. */
struct regex_search {
	struct walk_memory *memory;
	__u64 at; /* the part of the code at hand */
};

/* 1 if @number is below @limit, else 0. The limit is that of an address or of a size. */
static __always_inline __u64 is_below(__u64 number, __u64 limit)
{
	return (number - limit) >> 63 & ~(number >> 63);
}

/* Does a window of the stack have an address of PCRE2's code? bpf_loop ends when this returns 1. */
static long search_regex_caller(__u32 i, struct regex_search *c)
{
	struct walk_memory *m = c->memory;
	struct regex_scratch *s = &m->regex;
	__u64 at = (s->from & ~(WINDOW_BYTES - 1ULL)) + (__u64)i * WINDOW_BYTES, found = 0;

	m->start = NO_WINDOW;
	if (bpf_probe_read_user(m->window, WINDOW_BYTES, (void *)at))
		return 1;
	m->start = at;
	/* There is no branch in the loop, as the verifier would go both ways in each turn. */
	for (__u32 j = 0; j < WINDOW_BYTES / 8; j++)
		found |= is_below(((__u64 *)m->window)[j] - s->start, s->bytes) &
			 ~is_below(at + 8 * j, s->from);
	if (found) {
		s->found = at;
		return 1;
	}
	m->searched = at + WINDOW_BYTES;
	return 0;
}

/* Is the beginning of a function in word number @i from the end of the part at hand? */
static long look_at_regex_word(__u32 i, struct regex_search *c)
{
	struct regex_scratch *s = &c->memory->regex;
	__u32 j = REGEX_PART_BYTES / 8 - 1 - i;

	if (j >= REGEX_PART_BYTES / 8)
		return 1;
	if (!is_regex_begin(s->part[j]) || c->at + 8 * j > s->from)
		return 0;
	s->found = c->at + 8 * j;
	return 1;
}

/* Does a part of the code have the beginning of a function? bpf_loop ends when this returns 1. */
static long search_regex_begin(__u32 i, struct regex_search *c)
{
	struct regex_scratch *s = &c->memory->regex;

	c->at = (s->from & ~(REGEX_PART_BYTES - 1ULL)) - (__u64)i * REGEX_PART_BYTES;
	if (c->memory->code_parts++ >= REGEX_WALK_PARTS)
		return 1;
	if (bpf_probe_read_user(s->part, REGEX_PART_BYTES, (void *)c->at))
		return 1;
	bpf_loop(REGEX_PART_BYTES / 8, look_at_regex_word, c, 0);
	return s->found != 0;
}

/*
 * Does the stack of @level have an address of PCRE2's own code, which is in the @bytes bytes at
 * @start, near the frame at hand? Most processes that map PCRE2 have no code of it in their stacks,
 * and some have code of another compiler. They have no such address. It says nothing of where the
 * caller is.
 */
__verified_once int has_regex_caller(__u64 start, __u64 bytes, __u32 level)
{
	struct regex_search c = {.memory = walk_memory_of(level)};
	const struct unwind_frame *f;
	struct regex_scratch *s;

	if (!walk_languages || !c.memory)
		return 0;
	f = &c.memory->walk.frame;
	s = &c.memory->regex;
	s->start = start;
	s->bytes = bytes;
	s->found = 0;
	s->from = f->sp > c.memory->searched ? f->sp : c.memory->searched;
	if (s->from - f->sp < REGEX_FRAME_MAX)
		bpf_loop(REGEX_WINDOWS_MAX, search_regex_caller, &c, 0);
	return s->found != 0;
}

/*
 * Makes the rule for the frame at hand of @level, whose code is in no file. The rule holds if the
 * return address is in the @bytes bytes at @start, PCRE2's own code. Returns 0 if there is none.
 */
__verified_once int find_regex_rule(__u64 start, __u64 bytes, __u32 level)
{
	struct regex_search c = {.memory = walk_memory_of(level)};
	const struct unwind_frame *f;
	struct regex_scratch *s;

	if (!walk_languages || !c.memory)
		return 0;
	f = &c.memory->walk.frame;
	s = &c.memory->regex;
	s->start = start;
	s->bytes = bytes;
	s->found = 0;
	s->from = unwind_lookup_pc(f);
	bpf_loop(REGEX_PARTS_MAX, search_regex_begin, &c, 0);
	return s->found && read_regex_function(f, s, s->found, s->from) && make_regex_rule(f, s);
}

#endif
