/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The return address of a function without a frame is between sp and fp. If no word there is an
 * address to which a call would return, fp is the function's own. If there is one, it may be an old
 * word. So it is not taken for the caller: the walk goes on along fp, and is not certain.
 *
 * bpf/walk/leaf_frame.h alone includes this header.
 */
#ifndef BPF_WALK_LEAF_FRAME_X86_64_H
#define BPF_WALK_LEAF_FRAME_X86_64_H

/* Most words of a frame that are looked at, and reads of code among them, which may fault. */
#define LEAF_MAX_WORDS 64
#define LEAF_MAX_LOOKS 16

/* No program has memory below. */
#define LEAF_LOWEST_CODE 4096

/* The search for a return address below the frame at @fp. */
struct leaf_search {
	const struct unwind_frame *f;
	__u64 fp;
	__u32 nr_looks;
	bool is_done; /* there is none */
};

static inline long look_below_frame(__u32 i, struct leaf_search *s)
{
	__u64 at = s->f->sp + (__u64)i * sizeof(at), word;

	if (at >= s->fp) {
		s->is_done = true;
		return 1;
	}
	if (unwind_read(s->f, &word, sizeof(word), at))
		return 1;
	if (word < LEAF_LOWEST_CODE || word >> USER_ADDRESS_BITS)
		return 0;
	return s->nr_looks++ >= LEAF_MAX_LOOKS || is_after_call(s->f, word);
}

/* Is fp that of frame @f for certain, whose registers are known? */
static __always_inline bool is_framed(const struct unwind_frame *f)
{
	struct leaf_search s = {.f = f, .fp = f->regs[UNWIND_REG_FP]};

	if (s.fp & 7 || s.fp - f->sp > LEAF_MAX_WORDS * sizeof(s.fp) ||
	    !is_return_address(f, s.fp + sizeof(s.fp)))
		return false;
	take_turns(LEAF_MAX_WORDS + 1, look_below_frame, &s);
	return s.is_done;
}

/* Is the frame at hand, of code that nobody knows to be mapped, one to which fp has led? */
static __always_inline bool is_frame_unmapped(const struct unwind_walk *w)
{
	(void)w; /* any value may be in rbp */
	return false;
}

#endif
