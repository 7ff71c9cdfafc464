// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/code_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/search.h"

/* Of an instruction's first byte. Both are numbers + 1; 0: nothing has come to it. */
struct code_mark {
	uint32_t state;
	uint32_t function;
};

/* Bits of a function's number in a mark say more of the instruction. */
#define MARK_START     (1u << 31) /* a function begins here for certain */
#define MARK_NO_RETURN (1u << 30) /* and never returns */
#define MARK_BITS      (MARK_START | MARK_NO_RETURN)

/* Code is followed again so often. */
#define TIMES_MAX 5

/* An instruction that something leads to. */
struct code_visit {
	uint64_t addr;
	uint32_t state, function;
};

static const struct code_gap *find_gap(const struct code_frames *c, uint64_t addr)
{
	const struct code_gap *all = c->gaps.data;
	size_t at = search_first(c->gaps.nr, i, all[i].start > addr);

	return at && addr - all[at - 1].start < all[at - 1].size ? &all[at - 1] : NULL;
}

static struct code_mark *mark_of(const struct code_frames *c, uint64_t addr)
{
	const struct code_gap *gap = find_gap(c, addr);

	return gap ? &c->marks[gap->first + (addr - gap->start)] : NULL;
}

static uint32_t function_of(const struct code_mark *mark)
{
	return (mark->function & ~MARK_BITS) - 1;
}

static int number_state(struct code_frames *c, const struct code_state *state, uint32_t *number)
{
	uint64_t hash = hash_bytes(state, sizeof(*state), 0);

	index_for_each(&c->by_state, hash, i) {
		if (!memcmp(&c->states.data[i], state, sizeof(*state))) {
			*number = i;
			return 0;
		}
	}
	*number = c->states.nr;
	return index_push(&c->by_state, &c->states, hash, *state);
}

static bool is_guess(const struct code_function *function)
{
	return function->begin >= CODE_TAKEN;
}

/* Two functions do not agree on an instruction, to which @first has led first. */
static void note_conflict(struct code_function *second, struct code_function *first)
{
	if (is_guess(second) || !is_guess(first))
		second->is_bad = true;
	if (is_guess(first) || !is_guess(second))
		first->is_bad = true;
}

/*
 * What both states say, if they are of one stack: neither fp nor a copy need point into the frame.
 * Returns false if they are of different stacks.
 */
static bool merge_states(struct code_state *state, const struct code_state *other)
{
	if (state->fp != other->fp)
		state->fp = 0;
	if (state->copy_reg != other->copy_reg || state->copy != other->copy)
		state->copy_reg = state->copy = 0;
	state->has_lost_fp |= other->has_lost_fp;
	state->has_lost_kept |= other->has_lost_kept;
	return state->sp == other->sp && state->saved_fp == other->saved_fp &&
	       state->saved_kept == other->saved_kept && state->is_root == other->is_root;
}

/*
 * Something leads to @addr with @state. Where another way has led there, both have to agree. A
 * function that begins there for certain is none of @function's.
 */
static int lead_to(struct code_frames *c, uint64_t addr, const struct code_state *state,
		   uint32_t function)
{
	struct code_visit visit = {.addr = addr, .function = function};
	struct code_mark *mark = mark_of(c, addr);
	struct code_state merged = *state;
	int ret;

	if (!mark || mark->function & MARK_START)
		return 0;
	if (mark->state && function_of(mark) != function)
		c->functions.data[function].joins = true;
	if (mark->state && !merge_states(&merged, &c->states.data[mark->state - 1])) {
		note_conflict(&c->functions.data[function], &c->functions.data[function_of(mark)]);
		return 0;
	}
	ret = number_state(c, &merged, &visit.state);
	if (ret || mark->state == visit.state + 1)
		return ret;
	if (!mark->state)
		mark->function = (mark->function & MARK_NO_RETURN) | (function + 1);
	mark->state = visit.state + 1;
	return vec_push(&c->visits, visit);
}

/* A function begins at @addr with @state, if nothing has led there yet. */
static int begin_with(struct code_frames *c, uint64_t addr, enum code_begin begin,
		      const struct code_state *state)
{
	const struct code_function function = {.addr = addr, .begin = begin};
	struct code_mark *mark = mark_of(c, addr);
	int ret;

	if (!mark || mark->state)
		return 0;
	ret = vec_push(&c->functions, function);
	if (!ret)
		ret = lead_to(c, addr, state, c->functions.nr - 1);
	if (!ret && begin == CODE_SYMBOL)
		mark->function |= MARK_START;
	return ret;
}

static int begin_function(struct code_frames *c, uint64_t addr, enum code_begin begin)
{
	struct code_state state = code_state_at_entry();

	state.is_root = addr == c->entry;
	return begin_with(c, addr, begin, &state);
}

/* A function that is called by a guess is a guess, too. */
static int call_function(struct code_frames *c, uint64_t addr, enum code_begin caller)
{
	const enum code_begin begin = caller >= CODE_TAKEN ? caller : CODE_CALLED;
	int ret = begin >= CODE_TAKEN || !find_gap(c, addr) ? 0 : vec_push(&c->called, addr);

	return ret ? ret : begin_function(c, addr, begin);
}

/* Does the function return by @step, as far as is known? */
static bool may_return(const struct code_frames *c, const struct code_step *step)
{
	const struct code_mark *mark;

	if (step->flow != CODE_BRANCHES && step->flow != CODE_JUMPS)
		return step->flow == CODE_RETURNS || step->flow == CODE_LEAVES ||
		       step->flow == CODE_JUMPS_FAR;
	mark = mark_of(c, step->target);
	return !mark || mark->function & MARK_START;
}

/* The padding at @addr. */
static uint32_t padding_at(const struct code_frames *c, uint64_t addr)
{
	const struct code_gap *gap = find_gap(c, addr);
	const uint32_t in_gap = gap ? addr - gap->start : 0;

	return gap ? code_padding(c->bytes.data + gap->first + in_gap, gap->size - in_gap) : 0;
}

/*
 * Is the next instruction, at @next, what follows that of @step? Nobody knows whether a function
 * elsewhere returns. Behind the call of one that does not, there is padding.
 */
static bool goes_on(const struct code_frames *c, const struct code_step *step, uint64_t next)
{
	const struct code_mark *mark;

	if (step->flow != CODE_CALLS || !step->target)
		return step->flow <= CODE_BRANCHES;
	mark = mark_of(c, step->target);
	return mark ? !(mark->function & MARK_NO_RETURN) : !padding_at(c, next);
}

/* Notes what @step, of the instruction of @visit, leads to. */
static int follow_step(struct code_frames *c, const struct code_visit *visit,
		       const struct code_state *state, const struct code_step *step)
{
	struct code_function *function = &c->functions.data[visit->function];
	const uint64_t next = visit->addr + step->size;
	int ret = 0;

	function->returns |= may_return(c, step);
	function->jumps_far |= step->flow == CODE_JUMPS_FAR;
	if (step->refers)
		ret = vec_push(&c->candidates, step->refers);
	if (!ret && step->flow == CODE_CALLS && step->target)
		ret = call_function(c, step->target, function->begin);
	if (!ret && (step->flow == CODE_BRANCHES || step->flow == CODE_JUMPS))
		ret = lead_to(c, step->target, state, visit->function);
	if (ret || !goes_on(c, step, next))
		return ret;
	/* Code that runs on into what is none, or another function, is none itself. */
	function = &c->functions.data[visit->function];
	function->is_bad |= step->flow != CODE_CALLS && !find_gap(c, next);
	return lead_to(c, next, state, visit->function);
}

/* Goes over the instruction of @visit. */
static int follow(struct code_frames *c, const struct code_visit *visit)
{
	const struct code_gap *gap = find_gap(c, visit->addr);
	const uint32_t in_gap = visit->addr - gap->start;
	struct code_state state = c->states.data[visit->state];
	struct code_step step;

	if (code_step(c->bytes.data + gap->first + in_gap, gap->size - in_gap, visit->addr, &state,
		      &step))
		return follow_step(c, visit, &state, &step);
	c->functions.data[visit->function].is_bad = true;
	return 0;
}

static int follow_all(struct code_frames *c)
{
	int ret = 0;

	while (!ret && c->visits.nr) {
		struct code_visit visit = c->visits.data[--c->visits.nr];

		ret = follow(c, &visit);
		/* Addresses that code takes are tried when no way leads there. */
		while (!ret && !c->visits.nr && c->candidates.nr)
			ret = begin_function(c, c->candidates.data[--c->candidates.nr], CODE_TAKEN);
	}
	return ret;
}

/* Bytes of the instruction at @at of @gap. */
static uint32_t size_at(const struct code_frames *c, const struct code_gap *gap, uint32_t at)
{
	struct code_state state = code_state_at_entry();
	struct code_step step;

	code_step(c->bytes.data + gap->first + at, gap->size - at, gap->start + at, &state, &step);
	return step.size ? step.size : 1;
}

/*
 * Where one function ends and nothing has led to what follows, another one begins, which others
 * have only pointers to. But where a jump goes to a place that is not known, it may go there.
 */
static int sweep(struct code_frames *c, const struct code_gap *gap)
{
	bool is_known = false; /* what is before has been followed, and all of its jumps */
	uint32_t at = 0, bytes;
	int ret = 0;

	while (!ret && at < gap->size) {
		const struct code_mark *mark = &c->marks[gap->first + at];

		if (mark->state) {
			const struct code_function *f = &c->functions.data[function_of(mark)];

			is_known = !f->jumps_far && !f->is_bad;
			at += size_at(c, gap, at);
			continue;
		}
		bytes = code_padding(c->bytes.data + gap->first + at, gap->size - at);
		if (!bytes && is_known)
			ret = begin_function(c, gap->start + at, CODE_SWEPT);
		else
			at += bytes ? bytes : 1;
		if (!ret && c->visits.nr)
			ret = follow_all(c);
	}
	return ret;
}

static struct unwind_rule rule_of(const struct code_state *state)
{
	struct unwind_rule rule = {.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP};

	if (state->is_root) {
		rule.ra = UNWIND_RA_UNDEFINED;
		return rule;
	}
	if (state->has_lost_kept && !state->saved_kept)
		return (struct unwind_rule){0};
	rule.ra = RETURN_AT_ENTRY;
	rule.cfa_off = state->sp;
	if (state->sp == CODE_NOT_KNOWN) {
		if (!state->fp && !state->copy_reg)
			return (struct unwind_rule){0};
		rule.cfa_reg = state->fp ? UNWIND_REG_FP : state->copy_reg;
		rule.cfa_off = state->fp ? state->fp : state->copy;
	}
	rule.fp = state->saved_fp      ? UNWIND_SAVED_CFA
		  : state->has_lost_fp ? UNWIND_SAVED_LOST
				       : UNWIND_SAVED_SAME;
	rule.fp_off = -state->saved_fp;
	rule.kept = state->saved_kept ? UNWIND_SAVED_CFA : UNWIND_SAVED_SAME;
	rule.kept_off = -state->saved_kept;
	return rule;
}

/* From @addr on, @rule holds, if another one does before. */
static int add_row(struct code_frames *c, uint64_t addr, const struct unwind_rule *rule)
{
	static const struct unwind_rule none;
	const struct unwind_rule *before = c->rows.nr ? &c->rows.data[c->rows.nr - 1].rule : &none;
	struct code_row row = {addr, *rule};

	return memcmp(before, rule, sizeof(none)) ? vec_push(&c->rows, row) : 0;
}

/*
 * Has the function of @mark rules? A sweep may have hit a part of another function. Such a part
 * goes back to the rest, and that has another stack; or it calls something that never returns.
 */
static bool has_rules(const struct code_frames *c, const struct code_mark *mark)
{
	const struct code_function *function = &c->functions.data[function_of(mark)];

	return !function->is_bad && (function->begin != CODE_SWEPT || function->returns);
}

/* The rule for the instruction at @at of @gap. */
static struct unwind_rule rule_at(const struct code_frames *c, const struct code_gap *gap,
				  uint32_t at)
{
	const struct code_mark *mark = &c->marks[gap->first + at];

	if (!mark->state || !has_rules(c, mark))
		return (struct unwind_rule){0};
	return rule_of(&c->states.data[mark->state - 1]);
}

/* A return to code of the kernel's signals is looked up at the byte before it. */
static int add_rows(struct code_frames *c, const struct code_gap *gap)
{
	static const struct unwind_rule none, signal = {.cfa = UNWIND_CFA_SIGNAL};
	const uint8_t *code = c->bytes.data + gap->first;
	uint32_t bytes, at = 0;
	size_t handler = code_find_handler_return(code, gap->size, 0, &bytes);
	int ret = 0;

	while (!ret && at < gap->size) {
		struct unwind_rule rule = rule_at(c, gap, at);

		if (at + 1 >= handler && handler < gap->size) {
			ret = add_row(c, gap->start + at, &signal);
			at = handler + bytes;
			handler = code_find_handler_return(code, gap->size, at, &bytes);
			continue;
		}
		ret = add_row(c, gap->start + at, &rule);
		at += rule.cfa ? size_at(c, gap, at) : 1;
	}
	return ret ? ret : add_row(c, gap->start + gap->size, &none);
}

/*
 * Headers of PLTs begin with what their stubs have pushed. They come first, because a section or a
 * symbol that begins there says no more than that code does.
 */
static int begin_plt_headers(struct code_frames *c)
{
	int ret = 0;

	vec_for_each(&c->gaps, gap) {
		const uint8_t *code = c->bytes.data + gap->first;
		struct code_state state;
		size_t at = code_find_plt_header(code, gap->size, 0, &state);

		while (!ret && at < gap->size) {
			ret = begin_with(c, gap->start + at, CODE_SYMBOL, &state);
			at = code_find_plt_header(code, gap->size, at + 1, &state);
		}
	}
	return ret;
}

/* Follows the code from all that begins for certain. */
static int follow_starts(struct code_frames *c)
{
	int ret = begin_plt_headers(c);

	if (!ret && c->entry)
		ret = begin_function(c, c->entry, CODE_SYMBOL);
	vec_for_each(&c->starts, start)
		ret = ret ? ret : begin_function(c, *start, CODE_SYMBOL);
	vec_for_each(&c->taken, addr)
		ret = ret ? ret : vec_push(&c->candidates, *addr);
	return ret ? ret : follow_all(c);
}

/* Forgets what was followed, but not which functions never return. Returns how many these are. */
static size_t forget_marks(struct code_frames *c)
{
	size_t nr = 0;

	memset(c->marks, 0, c->bytes.nr * sizeof(*c->marks));
	vec_for_each(&c->functions, function) {
		if (function->returns || function->joins || function->is_bad)
			continue;
		mark_of(c, function->addr)->function = MARK_NO_RETURN;
		nr++;
	}
	vec_clear(&c->functions);
	return nr;
}

/*
 * Behind the call of a function that never returns, another function may begin, which the first
 * time is taken for a part of the caller. The next time such calls are known, and what begins
 * because it is called, until that tells no more.
 */
static int follow_again(struct code_frames *c)
{
	size_t nr = 0, before;
	int ret = follow_starts(c);

	for (int i = 0; !ret && i < TIMES_MAX; i++) {
		vec_for_each(&c->called, addr)
			ret = ret ? ret : vec_push(&c->starts, *addr);
		vec_clear(&c->called);
		before = nr;
		nr = forget_marks(c);
		ret = ret ? ret : follow_starts(c);
		if (i && nr == before)
			break;
	}
	return ret;
}

int code_frames_make(struct code_frames *c)
{
	int ret;

	c->marks = calloc(c->bytes.nr + 1, sizeof(*c->marks));
	if (!c->marks)
		return -ENOMEM;
	ret = follow_again(c);
	vec_for_each(&c->gaps, gap)
		ret = ret ? ret : sweep(c, gap);
	vec_for_each(&c->gaps, gap)
		ret = ret ? ret : add_rows(c, gap);
	return ret;
}

void code_frames_deinit(struct code_frames *c)
{
	vec_free(&c->gaps);
	vec_free(&c->bytes);
	vec_free(&c->starts);
	vec_free(&c->taken);
	vec_free(&c->rows);
	vec_free(&c->states);
	vec_free(&c->visits);
	vec_free(&c->candidates);
	vec_free(&c->called);
	vec_free(&c->functions);
	index_deinit(&c->by_state);
	free(c->marks);
}
