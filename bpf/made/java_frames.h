/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the code that HotSpot makes (bpf/made/java_step.h), in processes that the recorder knows.
 */
#ifndef BPF_MADE_JAVA_FRAMES_H
#define BPF_MADE_JAVA_FRAMES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/made/java_step.h"
#include "bpf/kernel.h"
#include "bpf/walk/stack_window.h"

/* By process, in the recorder's pid namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct java_machine);
} java_machines SEC(".maps");

/* The state of a step for the frame at hand of @level. */
static __always_inline bool find_java_step(struct java_step *j, __u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);

	if (!memory)
		return false; /* cannot be: the array has the index */
	j->m = &memory->java_machine;
	j->f = &memory->walk.frame;
	j->s = &memory->java;
	return true;
}

/*
 * Looks at the frame at hand of @level, in code of HotSpot. Returns 0 if that code cannot be read.
 * The step is in two functions, because older kernels leave 512 bytes of stack for all functions
 * that call each other.
 */
__verified_once int look_at_java_frame(__u32 level)
{
	struct java_step j;

	return find_java_step(&j, level) && java_look_at_frame(&j);
}

/* Goes from the frame that look_at_java_frame has seen to its caller. Returns enum stack_end. */
__verified_once int leave_java_frame(__u32 level)
{
	struct java_step j;

	return walk_languages && find_java_step(&j, level) ? java_leave_frame(&j)
							   : STACK_END_UNREADABLE;
}

#endif
