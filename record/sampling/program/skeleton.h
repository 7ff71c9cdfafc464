/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The skeleton of the BPF programs as bpftool generates it. Where memory ends between its lists,
 * it destroys itself with a list that has a length and no place. libbpf 1.5 reads such a list.
 */
#ifndef RECORD_SAMPLING_PROGRAM_SKELETON_H
#define RECORD_SAMPLING_PROGRAM_SKELETON_H

#include <bpf/libbpf.h>

/* Does as bpf_object__destroy_skeleton() does, with missing lists for empty ones. */
static inline void destroy_partial_skeleton(struct bpf_object_skeleton *skeleton)
{
	if (skeleton && !skeleton->maps)
		skeleton->map_cnt = 0;
	if (skeleton && !skeleton->progs)
		skeleton->prog_cnt = 0;
	bpf_object__destroy_skeleton(skeleton);
}

#define bpf_object__destroy_skeleton destroy_partial_skeleton
#include "profrec.skel.h"
#undef bpf_object__destroy_skeleton

#endif
