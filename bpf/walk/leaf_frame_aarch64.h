/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function without a frame has its return address in x30, and its caller's frame at x29. If the
 * frame at x29 has the same return address as x30, the function has made that frame itself and not
 * called others yet. Otherwise x30 may be what a call has left, so the frame is not certain.
 *
 * bpf/walk/leaf_frame.h alone includes this header.
 */
#ifndef BPF_WALK_LEAF_FRAME_AARCH64_H
#define BPF_WALK_LEAF_FRAME_AARCH64_H

/* Is fp that of frame @f for certain, whose registers are known? */
static __always_inline bool is_framed(const struct unwind_frame *f)
{
	__u64 fp = f->regs[UNWIND_REG_FP], pc;

	return !(fp & 7) && !unwind_read(f, &pc, sizeof(pc), fp + 8) &&
	       PLAIN_RETURN(pc) == PLAIN_RETURN(f->regs[UNWIND_X30]) &&
	       is_after_call(f, PLAIN_RETURN(pc));
}

/*
 * Is the frame at hand, of code that nobody knows to be mapped, one to which fp has led? The ABI
 * wants each record at x29 to be a frame's ("The Frame Pointer"), so the address after a call says
 * so. Runtimes take the right to run code from their pages while they write to others of them.
 */
static __always_inline bool is_frame_unmapped(const struct unwind_walk *w)
{
	return w->by_fp && is_after_call(&w->frame, w->frame.pc);
}

#endif
