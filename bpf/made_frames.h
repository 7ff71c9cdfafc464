/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the rules of bpf/made_code.h in processes whose interpreter the recorder knows. */
#ifndef BPF_MADE_FRAMES_H
#define BPF_MADE_FRAMES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/made_code.h"
#include "bpf/python_frames.h"
#include "bpf/stack_window.h"

/*
 * The number of the rule for the frame at hand of @level, whose code has no table. @interpreter is
 * that of the process (struct unwind_space). Returns UNWIND_NO_RULE if there is none.
 */
__verified_once __u32 find_made_rule(__u32 interpreter, __u32 level)
{
	const struct walk_memory *memory;
	const struct interpreter *in;

	if (!walk_languages || !interpreter--)
		return UNWIND_NO_RULE;
	memory = bpf_map_lookup_elem(&walk_memories, &level);
	in = bpf_map_lookup_elem(&interpreters, &interpreter);
	if (!memory || !in || in->language != LANGUAGE_PYTHON)
		return UNWIND_NO_RULE;
	return python_stub_rule(&memory->frame);
}

#endif
