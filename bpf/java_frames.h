/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the code that HotSpot makes (bpf/java_step.h), in processes that the recorder knows. */
#ifndef BPF_JAVA_FRAMES_H
#define BPF_JAVA_FRAMES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/stack_window.h"
#include "bpf/java_step.h"

/* By process, in the recorder's pid namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct java_machine);
} java_machines SEC(".maps");

/*
 * Goes from the frame at hand of @level, in code of HotSpot in process @tgid, to its caller.
 * Returns enum stack_end.
 */
__verified_once int leave_java_frame(__u32 tgid, __u32 level)
{
	struct walk_memory *memory = bpf_map_lookup_elem(&walk_memories, &level);
	struct java_step j = {.m = bpf_map_lookup_elem(&java_machines, &tgid)};

	if (!memory || !j.m)
		return STACK_END_UNREADABLE;
	j.f = &memory->frame;
	j.s = &memory->java;
	return java_step_frame(&j);
}

#endif
