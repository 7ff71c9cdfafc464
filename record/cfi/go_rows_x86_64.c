// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/go_rows.h"

/*
 * Bytes from the place where the stack pointer has its new value up to the place where the frame
 * pointer has: of mov %rbp,8(%rsp) and lea 8(%rsp),%rbp; of mov %rsp,%rbp after push %rbp.
 */
#define FRAME_POINTER_BYTES      10
#define FRAME_POINTER_BYTES_PUSH 3

/* Bytes of add $8,%rsp, after which the stack pointer has its old value. */
#define EPILOGUE_BYTES 4

/* Nothing of Go preserves registers but for the frame pointer. */
static struct unwind_rule rule_by(uint8_t reg, int64_t off, bool is_saved)
{
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = reg, .cfa_off = off, .kept = UNWIND_SAVED_LOST};

	if (is_saved) {
		rule.fp = UNWIND_SAVED_CFA;
		rule.fp_off = -2 * RETURN_BYTES;
	}
	return rule;
}

/* Where the instructions of a function tell, its caller is where they have saved it. */
static int put_stretches(const struct go_run *run, const struct go_stretches *s)
{
	static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};
	uint32_t known = s->own;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < s->nr; i++) {
		struct unwind_rule rule = s->all[i].rule;

		rule.kept = UNWIND_SAVED_LOST;
		if (s->all[i].start > known)
			ret = go_run_put(run, run->start + known, unknown);
		if (!ret)
			ret = go_run_put(run, run->start + s->all[i].start, rule);
		known = s->all[i].end;
	}
	return ret ? ret
		   : go_run_put(run, run->start + known,
				s->own_again ? rule_by(UNWIND_REG_SP, RETURN_BYTES, false)
					     : unknown);
}

/*
 * A function that sets the stack pointer without a frame: of others, only the first place is known.
 */
static int put_frameless(const struct go_run *run)
{
	uint32_t kind = run->function->kind;
	struct go_stretches stretches = {.own = 1};
	int ret = go_run_put(run, run->start, rule_by(UNWIND_REG_SP, RETURN_BYTES, false));

	if (ret || run->start != run->function->start)
		return ret;
	if (kind >= GO_CODE && !go_code_read(run->codes, kind - GO_CODE, &stretches))
		stretches = (struct go_stretches){.own = 1};
	return put_stretches(run, &stretches);
}

/*
 * Where the stack pointer may be anywhere, the frame pointer tells, once the prologue has set it.
 * The epilogue has read the caller's before it takes the frame away.
 */
static int put_lost_sp(const struct go_run *run)
{
	struct unwind_rule by_sp = rule_by(UNWIND_REG_SP, run->frame + RETURN_BYTES, false);
	struct unwind_rule by_fp = rule_by(UNWIND_REG_FP, 2 * RETURN_BYTES, true);
	uint64_t set = run->start, end = run->end;
	int ret = 0;

	if (!run->frame)
		return put_frameless(run);
	if (!run->largest)
		set += run->frame == RETURN_BYTES ? FRAME_POINTER_BYTES_PUSH : FRAME_POINTER_BYTES;
	if (end - set > EPILOGUE_BYTES && end > set)
		end -= EPILOGUE_BYTES;
	by_fp.cfa = UNWIND_CFA_OTHER_STACK;
	if (set > run->start)
		ret = go_run_put(run, run->start, by_sp);
	if (!ret && set < end)
		ret = go_run_put(run, set, by_fp);
	return ret || end == run->end ? ret : go_run_put(run, end, by_sp);
}

int go_rows_put(const struct go_run *run)
{
	static const struct unwind_rule root = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_UNDEFINED};
	bool is_new = run->frame && !run->largest;
	int ret = 0;

	switch (run->function->kind) {
	case GO_LEAVES_SP:
		/* It pushes once more after that; what it pushes first is the frame pointer. */
		if (run->frame > run->largest && run->start > run->function->start + 1)
			return go_run_put(run, run->start, root);
		break;
	case GO_PLAIN:
	case GO_INJECTED:
		break;
	default:
		return put_lost_sp(run);
	}
	/*
	 * In new functions the first instruction pushes the frame pointer. In those of Go before
	 * 1.21 it makes room for the frame, and the next one saves the frame pointer, which is
	 * still there.
	 */
	if (is_new)
		ret = go_run_put(run, run->start,
				 rule_by(UNWIND_REG_SP, run->frame + RETURN_BYTES, false));
	return ret ? ret
		   : go_run_put(run, run->start + is_new,
				rule_by(UNWIND_REG_SP, run->frame + RETURN_BYTES, run->frame != 0));
}
