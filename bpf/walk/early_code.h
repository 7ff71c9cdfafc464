/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes for early samples what a walk through made code has to know of that code, and of memory
 * that is not on the stack (struct early_code). The rules of bpf/made/made_code.h look at the bytes
 * before a return address, at a stub, and at the state of LuaJIT. All of that may be another one
 * when the recorder walks the copy of the stack.
 *
 * A note is no search for callers. The recorder's walk tells the place of a return address by the
 * runtime's rule, and only then looks whether that place has a note.
 */
#ifndef BPF_WALK_EARLY_CODE_H
#define BPF_WALK_EARLY_CODE_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/made/made_code.h"
#include "bpf/walk/stack_window.h"
#include "bpf/take_turns.h"

/* The notes of a sample, and the code of the executable: the caller of made code is in it. */
struct early_notes {
	struct early_code found;
	__u64 begin; /* of the copy of the stack */
	__u64 code, code_bytes;
	__u64 nr_failures; /* words that looked like those of made code, and have no note */
	__u64 next;        /* of LuaJIT: above the frame that was noted last */
};

/*
 * The search ends after this many such words, because each costs reads that may fault, and a
 * process may fill its stack with them.
 */
#define EARLY_FAILURES_MAX 256

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* for each level, set before load */
	__type(key, __u32);
	__type(value, struct early_notes);
} early_notes SEC(".maps");

static __patched_once struct early_notes *early_notes_of(__u32 at)
{
	return bpf_map_lookup_elem(&early_notes, &at);
}

/* Pointers, as they cannot be in a map. */
struct early_trace_search {
	struct early_notes *notes;
	const struct unwind_frame *f;
	__u64 frame, end; /* the one at hand, and the one that may have a note */
	bool is_found;
};

static long look_below_lua_frame(__u32 i, struct early_trace_search *c)
{
	__u64 frame = c->frame + (__u64)i * 16, state;

	if (frame >= c->end)
		return 1;
	state = read_user_word(frame + LUA_FRAME_STATE);
	if (!state || state & 7)
		return 0;
	c->is_found = is_lua_state(c->f, state, frame);
	c->notes->nr_failures += !c->is_found;
	return c->is_found;
}

/*
 * Would the walk of a trace find another frame of LuaJIT's interpreter before it comes to @frame?
 * It has no note, so no return address was known there. lua_trace_rule refuses such a trace. Frames
 * that have notes end the search by themselves.
 */
static __always_inline bool has_lua_frame_below(struct early_notes *n, const struct unwind_frame *f,
						__u64 frame)
{
	struct early_trace_search c = {.notes = n,
				       .f = f,
				       .frame = frame - 16 * (UNWIND_NR_TRACE_RULES - 1),
				       .end = frame};

	if (c.frame < n->next)
		c.frame = n->next;
	take_turns(UNWIND_NR_TRACE_RULES, look_below_lua_frame, &c);
	if (n->next < frame + 16)
		n->next = frame + 16;
	return c.is_found;
}

/*
 * Notes @word, which is at @at of the stack and an address of the executable, if it tells of made
 * code. Of LuaJIT, it is the return address of the interpreter's frame. Returns 0.
 */
__verified_once int note_early_word(__u64 at, __u64 word, __u32 level)
{
	struct early_notes *n = early_notes_of(level);
	struct walk_memory *memory = walk_memory_of(level);
	const struct unwind_frame *f;
	__u64 i;

	if (!n || !memory)
		return 0; /* cannot be: the arrays have the index */
	f = &memory->walk.frame;
	n->nr_failures++;
	if (!is_after_call(f, word))
		return 0;
	if (n->found.kind == EARLY_CODE_TRACE) {
		at -= UNWIND_LUA_FRAME - 8;
		if (!is_lua_state(f, read_user_word(at + LUA_FRAME_STATE), at))
			return 0;
		if (has_lua_frame_below(n, f, at)) {
			/* No version that is known has such frames. */
			n->nr_failures = EARLY_FAILURES_MAX;
			return 0;
		}
	}
	if (n->found.kind == EARLY_CODE_STUB) {
		at -= 16;
		if (!is_after_python_stub(f, read_user_word(at)))
			return 0;
	}
	n->nr_failures--;
	i = (at - n->begin) / 64 / 8;
	if (i < EARLY_NOTES)
		n->found.notes[i] |= 1ULL << ((at - n->begin) / 8 & 63);
	return 0;
}

/* Pointers, as they cannot be in a map. */
struct early_notes_search {
	struct walk_memory *memory;
	const struct early_notes *notes;
	__u64 at; /* the window */
};

/* Looks at word number @i of the window. */
static long note_early_turn(__u32 i, struct early_notes_search *c)
{
	const struct early_notes *n = c->notes;
	__u64 word;

	if (i >= WINDOW_BYTES / 8 || n->nr_failures >= EARLY_FAILURES_MAX)
		return 1;
	word = ((__u64 *)c->memory->window)[i];
	if (is_in_probe_page(c->memory->probe_page, word))
		word = find_probed_return(word, c->at + 8 * i);
	/* The frame of LuaJIT's interpreter is at a multiple of 16, and ends with this word. */
	if (n->found.kind == EARLY_CODE_TRACE && !(i & 1))
		return 0;
	if (word - n->code < n->code_bytes)
		note_early_word(c->at + 8 * i, word, c->memory->level);
	return 0;
}

/*
 * Looks at the words of a part of the stack, if they can be read: pages that were never used have
 * no memory. bpf_loop ends when this returns 1.
 */
static long note_early_window(__u32 i, struct early_notes_search *c)
{
	struct walk_memory *m = c->memory;

	c->at = c->notes->begin + (__u64)i * WINDOW_BYTES;
	m->start = NO_WINDOW;
	if (bpf_probe_read_user(m->window, WINDOW_BYTES, (void *)c->at))
		return 0;
	take_turns(WINDOW_BYTES / 8, note_early_turn, c);
	return c->notes->nr_failures >= EARLY_FAILURES_MAX;
}

/* How the code of @in is known; EARLY_CODE_NONE if it makes none. */
static __always_inline enum early_code_kind early_code_kind_of(const struct interpreter *in)
{
	if (in->has_traces)
		return EARLY_CODE_TRACE;
	if (in->language == LANGUAGE_PYTHON)
		return in->python.marks == PYTHON_MARK_SHIM ? EARLY_CODE_STUB : EARLY_CODE_NONE;
	return in->loop ? EARLY_CODE_LOOP : EARLY_CODE_NONE; /* of PHP alone */
}

/*
 * Notes what the sample at hand of @level needs. The frame of @level has its registers. Returns 0.
 */
__verified_once int note_early_code(__u32 level)
{
	struct early_notes_search c = {.memory = walk_memory_of(level)};
	struct early_notes *n = early_notes_of(level);
	const struct interpreter *in;
	__u64 base, code, code_end;
	__u32 nr;

	if (!n || !c.memory)
		return 0; /* cannot be: the arrays have the index */
	n->found.kind = EARLY_CODE_NONE;
	if (!walk_languages ||
	    !find_executable_interpreter(bpf_get_current_task_btf(), &nr, &base, &code, &code_end))
		return 0;
	in = interpreter_of(nr);
	if (!in)
		return 0; /* cannot be: it was found */
	n->found.kind = early_code_kind_of(in);
	if (n->found.kind == EARLY_CODE_NONE)
		return 0;
	n->found.loop = base + in->loop;
	n->found.leaf_rule = UNWIND_NO_RULE;
	if (n->found.kind == EARLY_CODE_STUB)
		n->found.leaf_rule = python_stub_rule(&c.memory->walk.frame);
	__builtin_memset(n->found.notes, 0, sizeof(n->found.notes));
	n->nr_failures = 0;
	n->begin = early_stack_begin(c.memory->walk.frame.sp);
	n->next = (c.memory->walk.frame.sp + 15) & ~15ULL;
	n->code = code;
	n->code_bytes = code_end - code;
	c.notes = n;
	bpf_loop(EARLY_STACK_BYTES / WINDOW_BYTES, note_early_window, &c, 0);
	return 0;
}

#endif
