/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out whether a frame that was left without a call, in code without a table, is along fp. A
 * function that has no frame yet, or makes none, leaves the caller's in fp. A step along fp would
 * then pass over the caller, and nothing on the way to the root would tell.
 */
#ifndef BPF_WALK_LEAF_FRAME_H
#define BPF_WALK_LEAF_FRAME_H

#include <stdbool.h>

#include "bpf/made/made_code.h"
#include "bpf/take_turns.h"
#include "bpf/walk/unwind_walk.h"

#ifdef BPF_HOST_ARCH_X86_64_H
#include "bpf/walk/leaf_frame_x86_64.h"
#endif
#ifdef BPF_HOST_ARCH_AARCH64_H
#include "bpf/walk/leaf_frame_aarch64.h"
#endif

/* Where the frame @f, whose registers are known, has its return address. */
static __always_inline enum unwind_leaf find_leaf(const struct unwind_frame *f)
{
	__u8 code[LEAF_CODE_BYTES] = {0};
	enum unwind_leaf leaf;
	__u64 pc;

	/* The function may be the first in its memory. */
	if (unwind_read(f, code, sizeof(code), f->pc - LEAF_BYTES_BEFORE) &&
	    unwind_read(f, code + LEAF_BYTES_BEFORE, sizeof(code) - LEAF_BYTES_BEFORE, f->pc))
		return UNWIND_LEAF_UNKNOWN;
	leaf = leaf_of_code(code);
	if (leaf != UNWIND_LEAF_UNKNOWN)
		return !unwind_leaf_return(f, leaf, &pc) && is_after_call(f, pc)
			       ? leaf
			       : UNWIND_LEAF_UNKNOWN;
	return is_framed(f) ? UNWIND_LEAF_FRAMED : UNWIND_LEAF_UNKNOWN;
}

#endif
