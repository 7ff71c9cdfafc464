/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of interpreted languages in a user stack: finds them before the walk of the native
 * frames, and puts those without marks among these after it (bpf/languages/loop_places.h).
 */
#ifndef BPF_LANGUAGES_STACK_FUNCTIONS_H
#define BPF_LANGUAGES_STACK_FUNCTIONS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/walk/depth_limit.h"
#include "bpf/kernel.h"
#include "bpf/languages/loop_places.h"
#include "bpf/languages/met_functions.h"
#include "bpf/languages/perl_frames.h"
#include "bpf/languages/php_frames.h"
#include "bpf/languages/python_frames.h"
#include "bpf/languages/ruby_frames.h"
#include "bpf/walk/user_stack.h"

enum found_functions {
	FUNCTIONS_NONE,
	FUNCTIONS_WITH_MARKS, /* the walk puts them into their place */
	FUNCTIONS_OF_LOOPS,   /* place_by_loops does, after the walk */
};

/*
 * Each looks at the interpreter first, and collects nothing if that is of another language. The
 * walk itself finds functions that are in place of their frames.
 */
#define COLLECT_BEFORE_FRAME(name) collect_##name(interpreter, base, space_id, tgid, level) ||
#define COLLECT_IN_PLACE(name)
#define COLLECT(language, name, place, ...) COLLECT_##place(name)

/*
 * Finds the functions of interpreted languages of the current task's thread, for the walk of @level
 * that follows. Of a process that the recorder has not described yet, the executable tells the
 * interpreter. The walk does not call it, because older kernels leave 512 bytes of stack for all
 * functions that call each other. Returns enum found_functions.
 */
__verified_once int find_stack_functions(__u32 tgid, __u64 space_id, __u32 level)
{
	const struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &tgid);
	struct language_stack *s = language_stack_of(level);
	__u32 interpreter;
	__u64 base, code, code_end;

	if (!walk_languages || !s)
		return FUNCTIONS_NONE;
	s->nr_words = s->nr_segments = s->nr_failures = 0;
	s->loops.code.loop_bytes = 0;
	s->loops.is_perl = 0;
	s->places = (struct language_places){};
	if (space && space->nr && (!space->space_id || space->space_id == space_id)) {
		if (!space->interpreter)
			return FUNCTIONS_NONE;
		interpreter = space->interpreter - 1;
		base = space->interpreter_base;
	} else if (!find_executable_interpreter(bpf_get_current_task_btf(), &interpreter, &base,
						&code, &code_end)) {
		return FUNCTIONS_NONE;
	}
	begin_meeting(s, space_id);
	if (!(LANGUAGES(COLLECT) 0))
		return FUNCTIONS_NONE;
	end_meeting(s);
	return s->loops.code.loop_bytes ? FUNCTIONS_OF_LOOPS : FUNCTIONS_WITH_MARKS;
}

/* The native frames of a stack, and functions that come among them. */
struct loop_context {
	struct stack_entry *stack;
	struct language_stack *functions;
};

static long look_at_frame(__u32 i, struct loop_context *c)
{
	if (i >= max_depth || i >= c->stack->nr_frames)
		return 1;
	loops_look_at(c->functions, i, c->stack->frames[i]);
	return 0;
}

static long put_next(__u32 i, struct loop_context *c)
{
	__u64 word;
	__u32 at;

	if (!loops_next(c->functions, max_depth, c->stack->frames, &word, &at))
		return 1;
	if (at < max_depth)
		c->stack->frames[at] = word;
	return 0;
}

/*
 * Puts the functions without marks that find_stack_functions found into the stack of @level.
 * Returns 0.
 */
__verified_once int place_by_loops(__u32 level)
{
	__u32 buffer = BUFFER_OF(level, SIDE_USER), nr;
	struct loop_context c = {
		.stack = buffer_of(buffer),
		.functions = language_stack_of(level),
	};

	if (!walk_languages || !c.stack || !c.functions)
		return 0;
	c.functions->loop_places = (struct loop_places){};
	bpf_loop(max_depth, look_at_frame, &c, 0);
	nr = loops_decide(c.functions, max_depth, c.stack->nr_frames, c.stack->end);
	bpf_loop(nr, put_next, &c, 0);
	if (nr > max_depth && c.stack->end != STACK_END_EARLY)
		c.stack->end = STACK_END_CUT;
	c.stack->nr_frames = nr < max_depth ? nr : max_depth;
	return 0;
}

#endif
