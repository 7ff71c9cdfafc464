/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the rules of bpf/made/made_code.h in processes whose interpreter the recorder knows. */
#ifndef BPF_MADE_MADE_FRAMES_H
#define BPF_MADE_MADE_FRAMES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/loop_places.h"
#include "bpf/made/made_code.h"
#include "bpf/made/made_ruby.h"
#include "bpf/walk/stack_window.h"
#include "bpf/walk/table_search.h"

/*
 * The number of the rule for the code of the interpreter's loop in the process of @space, which has
 * the frame of @memory; UNWIND_NO_RULE if the rule does not hold for that frame.
 */
static __always_inline __u32 loop_rule(const struct walk_memory *memory,
				       const struct unwind_space *space, __u64 loop)
{
	const struct unwind_mapping *m;
	const struct unwind_rule *rule;
	__u32 nr;

	loop += space->interpreter_base;
	nr = search_mappings(memory->first, memory->nr, loop);
	m = bpf_map_lookup_elem(&unwind_mappings, &nr);
	if (!m)
		return UNWIND_NO_RULE;
	nr = find_rule(loop - m->bias, *(volatile __u64 *)&m->pages);
	rule = bpf_map_lookup_elem(&unwind_rules, &nr);
	return rule && is_rule_of_loop(&memory->walk.frame, rule) ? nr : UNWIND_NO_RULE;
}

/* The functions of @level learn of a frame of made code, as loops_note_made says. */
static __always_inline void note_made_frame(const struct walk_memory *memory, __u32 level,
					    bool is_loop)
{
	struct language_stack *s = language_stack_of(level);

	if (s)
		loops_note_made(&s->loops, memory->code_start, memory->code_bytes, is_loop);
}

/*
 * The functions of @level learn of a frame of code that YJIT has made. At the leaf, the function of
 * the innermost frame may be an older one.
 */
static __always_inline void note_ruby_frame(const struct walk_memory *memory, __u32 level,
					    bool has_rule)
{
	struct language_stack *s = language_stack_of(level);
	const struct unwind_frame *f = &memory->walk.frame;

	if (!s || !s->nr_words)
		return;
	note_made_frame(memory, level, has_rule);
	s->loops.made_is_core = 1;
	if (f->has_regs && s->ruby.has_innermost &&
	    !read_user(s->ruby.words, RUBY_CALL_BYTES, f->pc - RUBY_CALL_BYTES) &&
	    is_ruby_call((const __u8 *)s->ruby.words))
		s->words[0] = LANGUAGE_WORD(LANGUAGE_RUBY, 0, NOTE_UNREADABLE);
}

/*
 * The number of the rule for the frame at hand of @level. Its code is in a mapping without a table,
 * whose pages are @pages. Returns UNWIND_NO_RULE if there is none, and UNWIND_RULE_BEAM if
 * find_beam_rule tells it.
 */
__verified_once __u32 find_made_rule(__u64 pages, __u32 level)
{
	const struct walk_memory *memory = walk_memory_of(level);
	const struct unwind_space *space;
	const struct interpreter *in;
	__u32 nr;

	if (!walk_languages || !memory)
		return UNWIND_NO_RULE;
	nr = memory->tgid;
	space = bpf_map_lookup_elem(&unwind_spaces, &nr);
	if (!space || !space->interpreter)
		return UNWIND_NO_RULE;
	nr = space->interpreter - 1;
	in = interpreter_of(nr);
	if (!in)
		return UNWIND_NO_RULE;
	if (in->language == LANGUAGE_BEAM)
		return space->machine == UNWIND_MACHINE_READY ? UNWIND_RULE_BEAM : UNWIND_NO_RULE;
	if (pages == UNWIND_SHARED_MEMORY) {
		nr = in->loop ? loop_rule(memory, space, in->loop) : UNWIND_NO_RULE;
		note_made_frame(memory, level, nr != UNWIND_NO_RULE);
		return nr;
	}
	if (in->language == LANGUAGE_RUBY) {
		nr = UNWIND_NO_RULE;
		if (in->ruby.has_yjit)
			nr = ruby_made_rule(&memory->walk.frame, &in->ruby,
					    space->interpreter_base);
		note_ruby_frame(memory, level, nr != UNWIND_NO_RULE);
		return nr;
	}
	if (in->has_traces)
		return lua_trace_rule(&memory->walk.frame);
	if (in->guile_bytes)
		return guile_made_rule(&memory->walk.frame, space->interpreter_base + in->code_off,
				       in->guile_bytes);
	return in->language == LANGUAGE_PYTHON ? python_stub_rule(&memory->walk.frame)
					       : UNWIND_NO_RULE;
}

#endif
