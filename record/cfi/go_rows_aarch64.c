// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of Go keep x30 where their first frame ends, at sp, and x29 a word below it. x29 points
 * to that.
 */
#include "record/cfi/go_rows.h"

#define INSN_BYTES INSN_BYTES_MAX

/* A goroutine that is made to call a function has its own x30 in so many bytes above that frame. */
#define INJECTED_BYTES 16

static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};

/* Between the stack pointer and that of the caller. */
static int32_t caller_off(const struct go_run *run, int64_t frame)
{
	return (int32_t)(frame + (run->function->kind == GO_INJECTED ? INJECTED_BYTES : 0));
}

static struct unwind_rule rule_by_sp(const struct go_run *run, bool is_fp_saved)
{
	struct unwind_rule rule = {.cfa = UNWIND_CFA_REG,
				   .cfa_reg = UNWIND_REG_SP,
				   .ra = RETURN_AT_ENTRY,
				   .cfa_off = caller_off(run, run->frame)};

	if (!run->frame)
		return rule;
	if (run->frame < run->first)
		return unknown;
	rule.kept = UNWIND_SAVED_CFA;
	rule.kept_off = -caller_off(run, run->first);
	if (is_fp_saved) {
		rule.fp = UNWIND_SAVED_CFA;
		rule.fp_off = rule.kept_off - 8;
	}
	return rule;
}

static struct unwind_rule rule_by_fp(const struct go_run *run)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_OTHER_STACK,
				    .cfa_reg = UNWIND_REG_FP,
				    .cfa_off = (int32_t)run->first + 8,
				    .fp = UNWIND_SAVED_CFA,
				    .fp_off = -(int32_t)run->first - 8,
				    .kept = UNWIND_SAVED_CFA,
				    .kept_off = -(int32_t)run->first};
}

/*
 * The instruction that makes the frame saves x30 with it. x29 is saved already, or by the next one,
 * and is still the caller's then.
 */
static int put_plain(const struct go_run *run, uint64_t addr, uint64_t end)
{
	const uint64_t saved = run->start + INSN_BYTES;
	int ret = 0;

	if (run->frame && !run->largest && addr < saved) {
		ret = go_run_put(run, addr, rule_by_sp(run, false));
		addr = saved;
	}
	return ret || addr >= end ? ret : go_run_put(run, addr, rule_by_sp(run, true));
}

/*
 * Where the stack pointer may be anywhere, x29 tells, once it is set: at most an instruction behind
 * the one that may save it. The last instruction takes the frame away, and x29 is the caller's
 * then.
 */
static int put_lost_sp(const struct go_run *run)
{
	const uint64_t set = run->largest ? run->start : run->start + 2 * INSN_BYTES;
	const uint64_t end = run->end - INSN_BYTES;
	int ret = 0;

	if (!run->frame || run->start < set || set >= end)
		ret = put_plain(run, run->start, run->frame && set < end ? set : run->end);
	if (!ret && !run->frame)
		return go_run_put(run, run->start + INSN_BYTES,
				  run->start == run->function->start ? unknown
								     : rule_by_sp(run, false));
	if (!ret && set < end)
		ret = go_run_put(run, set, rule_by_fp(run));
	return ret || set >= end ? ret : go_run_put(run, end, rule_by_sp(run, false));
}

/* What the instructions of the function tell goes before what its program does. */
static int put_code(const struct go_run *run, const struct go_stretches *s)
{
	const uint64_t start = run->function->start;
	uint64_t at = run->start;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < s->nr; i++) {
		const struct go_stretch *stretch = &s->all[i];

		if (start + stretch->end <= at || start + stretch->start >= run->end)
			continue;
		if (start + stretch->start > at) {
			ret = put_plain(run, at, start + stretch->start);
			at = start + stretch->start;
		}
		if (!ret)
			ret = go_run_put(run, at, stretch->rule);
		at = start + stretch->end;
	}
	return ret ? ret : put_plain(run, at, run->end);
}

int go_rows_put(const struct go_run *run)
{
	const uint32_t kind = run->function->kind;
	struct go_stretches stretches;

	switch (kind) {
	case GO_PLAIN:
	case GO_INJECTED:
		return put_plain(run, run->start, run->end);
	case GO_SETS_SP:
		return put_lost_sp(run);
	default:
		if (kind >= GO_CODE && go_code_read(run->codes, kind - GO_CODE, &stretches))
			return put_code(run, &stretches);
		return go_run_put(run, run->start, unknown);
	}
}
