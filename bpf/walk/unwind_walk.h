/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding by tables: the decisions of a walk at each frame. The BPF program, the recorder and the
 * tests compile the same code. They differ in where they look code up and where they keep frames:
 *
 *	struct unwind_walk walk = {.frame = {.regs = ...}};
 *
 *	unwind_begin(&walk.frame);
 *	while (walk.end == STACK_GOES_ON && there is room for a frame) {
 *		look up the mapping at unwind_lookup_pc(&walk.frame), and the rule in its table;
 *		if (!unwind_enter_frame(&walk, is_mapped))
 *			break;
 *		if (unwind_needs_leaf(&walk, rule))
 *			walk.leaf = find_leaf(&walk.frame);
 *		unwind_leave_frame(&walk, rule, &address);
 *		keep address;
 *	}
 *	end = unwind_walk_end(&walk);
 */
#ifndef BPF_WALK_UNWIND_WALK_H
#define BPF_WALK_UNWIND_WALK_H

#include <stdbool.h>

#include "bpf/languages/languages.h"
#include "bpf/shared.h"
#include "bpf/walk/unwind_step.h"

struct unwind_walk {
	struct unwind_frame frame; /* the frame at hand */
	enum stack_end end;        /* STACK_GOES_ON until the walk ends by itself */
	bool by_fp;                /* the last step was along fp */
	bool has_leaf;             /* the leaf is among the frames that were left */
	bool is_at_entry;          /* the leaf is about to begin, so it has no frame yet */
	bool is_uncertain;         /* a step along fp may have passed over a caller */
	__u8 leaf;                 /* enum unwind_leaf of the frame at hand, where it has no rule */
	bool is_early; /* something was missing that may be known later: a mapping, a table */
};

/*
 * Does the frame belong to the stack? Code that no table knows leaves its frame along fp, which
 * may hold anything. Where that step led to no code, fp was no frame pointer: the walk ends with
 * the frame before. It ends there, too, where the program has other bytes in place of an address,
 * such as text, that would be taken for a function of an interpreter.
 */
static __always_inline bool unwind_enter_frame(struct unwind_walk *w, bool is_mapped)
{
	if (is_mapped || (!w->by_fp && !word_is_function(w->frame.pc)))
		return true;
	w->end = STACK_END_NO_TABLE;
	return false;
}

/* The address of the frame at hand, marked where it is exact. A leaf needs no mark. */
static __always_inline __u64 unwind_keep_frame(struct unwind_walk *w, bool is_exact)
{
	__u64 mark = w->has_leaf && is_exact ? STACK_FRAME_EXACT : 0;

	w->has_leaf = true;
	return w->frame.pc | mark;
}

/*
 * Must the walk know where the frame at hand, for which there is @rule or none, has its return
 * address? A frame that called another one has been made.
 */
static __always_inline bool unwind_needs_leaf(const struct unwind_walk *w,
					      const struct unwind_rule *rule)
{
	return w->frame.has_regs && (!rule || rule->cfa == UNWIND_CFA_NONE);
}

/* As unwind_leave_frame, where there is no table or it says nothing. May mark *@address. */
static __always_inline enum stack_end unwind_leave_unknown(struct unwind_walk *w, bool is_entry,
							   __u64 *address)
{
	enum unwind_leaf leaf = is_entry ? UNWIND_LEAF_RETURN : w->leaf;

	if (w->frame.has_regs && (leaf == UNWIND_LEAF_RETURN || leaf == UNWIND_LEAF_PUSHED))
		return unwind_step_from_leaf(&w->frame, leaf);
	if (w->frame.has_regs && leaf != UNWIND_LEAF_FRAMED) {
		w->is_uncertain = true;
		*address |= STACK_FRAME_UNCERTAIN;
	}
	w->by_fp = true;
	return unwind_step_by_fp(&w->frame);
}

/*
 * Goes on to the caller: by @rule; where there is no table (NULL) or it says nothing, or needs what
 * is not known, along fp, unless the frame is known to be at a place where fp is still the
 * caller's. The walk keeps
 * *@address of the frame that it leaves.
 */
static __always_inline void unwind_leave_frame(struct unwind_walk *w,
					       const struct unwind_rule *rule, __u64 *address)
{
	const struct unwind_frame *f = &w->frame;
	bool is_entry = w->is_at_entry && !w->has_leaf;
	bool is_handler_return =
		(!rule || rule->cfa == UNWIND_CFA_NONE) && unwind_is_handler_return(f);

	*address = unwind_keep_frame(w, f->has_regs || is_handler_return ||
						(rule && rule->cfa == UNWIND_CFA_SIGNAL));
	w->by_fp = false;
	/* The verifier must see that the rule is there, so no other flag may stand for that. */
	if (rule && rule->cfa != UNWIND_CFA_NONE && unwind_can_step(f, rule))
		w->end = unwind_step(&w->frame, rule);
	else if (is_handler_return)
		w->end = unwind_step_signal(&w->frame);
	else
		w->end = unwind_leave_unknown(w, is_entry, address);
}

/*
 * How the stack ended, when the walk is over. A walk that left code along fp before its table was
 * there may have passed frames over. So it is early even if it came to a root. Without a table it
 * may have passed over the caller of the frame where that walk along fp began.
 */
static __always_inline enum stack_end unwind_walk_end(const struct unwind_walk *w)
{
	if (w->is_early)
		return STACK_END_EARLY;
	if (w->end == STACK_END_ROOT && w->is_uncertain)
		return STACK_END_NO_TABLE;
	return w->end == STACK_GOES_ON ? STACK_END_CUT : w->end;
}

#endif
