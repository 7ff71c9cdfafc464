// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/go_frames.h"

#include <errno.h>
#include <string.h>

#include "elf/dwarf_bytes.h"

/* Steps of the programs of a file. Large programs have two million. */
#define STEPS_MAX (32u << 20)

/* Largest frame that a rule can hold; stacks of goroutines are at most 1 GB. */
#define FRAME_MAX (1 << 30)

/*
 * Bytes from the place where the stack pointer has its new value up to the place where the frame
 * pointer has: of mov %rbp,8(%rsp) and lea 8(%rsp),%rbp; of mov %rsp,%rbp after push %rbp.
 */
#define FRAME_POINTER_BYTES      10
#define FRAME_POINTER_BYTES_PUSH 3

/* Bytes of add $8,%rsp, after which the stack pointer has its old value. */
#define EPILOGUE_BYTES 4

static bool name_is(const struct go_table *table, uint32_t off, const char *name)
{
	size_t left, len = strlen(name) + 1;
	const char *found = go_table_name(table, off, &left);

	return found && left >= len && !memcmp(found, name, len);
}

static uint32_t find_kind(const struct go_table *table, const struct go_record *record)
{
	enum go_code_kind code = GO_NR_CODES;
	const char *name;
	size_t left;

	if (name_is(table, record->name, "runtime.sigreturn") ||
	    name_is(table, record->name, "runtime.sigreturn__sigaction"))
		return GO_FROM_SIGNAL;
	if (record->flags & GO_TOP_FRAME)
		/* The runtime's own walks end there, but the interrupted code is known. */
		return name_is(table, record->name, "runtime.sigtramp") ? GO_PLAIN : GO_ROOT;
	if (!(record->flags & GO_SETS_STACK))
		return GO_PLAIN;
	if (name_is(table, record->name, "runtime.mcall"))
		return GO_LEAVES_SP;
	name = go_table_name(table, record->name, &left);
	if (name)
		code = go_code_kind_of(name, left);
	return code == GO_NR_CODES ? GO_SETS_SP : GO_CODE + code;
}

bool go_frames_function(const struct go_table *table, uint64_t i, struct go_function *function)
{
	uint64_t start = go_table_address(table, i), end = go_table_address(table, i + 1);
	struct go_record record;

	if (end <= start || table->text_start + end < end || !go_table_record(table, i, &record) ||
	    !record.sp_program)
		return false;
	*function = (struct go_function){
		.start = table->text_start + start,
		.end = table->text_start + end,
		.program = record.sp_program,
		.kind = find_kind(table, &record),
	};
	/*
	 * The kernel makes the handler return there, so nothing calls it: callers are one before.
	 */
	if (function->kind == GO_FROM_SIGNAL && function->start)
		function->start--;
	return true;
}

/* A run of a program. */
struct run {
	const struct go_function *function;
	const struct go_code *codes;
	struct cursor b;
	uint64_t start, end; /* of the step at hand */
	int64_t frame;       /* bytes between the stack pointer and the return address */
	int64_t largest;     /* frame so far */
	cfi_row_fn *row;
	void *ctx;
};

/*
 * Reads the next step: a difference of values, and one of addresses (runtime/symtab.go, step).
 * Returns false at the end, where the program is malformed, and where the function ends.
 */
static bool next_step(struct run *run)
{
	bool is_first = run->start == run->function->start && run->end == run->start;
	uint64_t value = dwarf_uleb(&run->b);
	uint64_t bytes = dwarf_uleb(&run->b);

	if (run->b.bad || (!value && !is_first) || !bytes || value > 2ull * FRAME_MAX ||
	    run->end >= run->function->end)
		return false;
	run->frame += (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
	if (run->frame < 0 || run->frame >= FRAME_MAX || run->frame % 8)
		return false;
	run->start = run->end;
	run->end =
		bytes < run->function->end - run->start ? run->start + bytes : run->function->end;
	return true;
}

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

static int put_row(const struct run *run, uint64_t addr, struct unwind_rule rule)
{
	return addr < run->end ? run->row(run->ctx, addr, &rule) : 0;
}

/* Where the instructions of a function tell, its caller is where they have saved it. */
static int put_stretches(const struct run *run, const struct go_stretches *s)
{
	static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};
	uint32_t known = s->own;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < s->nr; i++) {
		struct unwind_rule rule = s->all[i].rule;

		rule.kept = UNWIND_SAVED_LOST;
		if (s->all[i].start > known)
			ret = put_row(run, run->start + known, unknown);
		if (!ret)
			ret = put_row(run, run->start + s->all[i].start, rule);
		known = s->all[i].end;
	}
	return ret ? ret
		   : put_row(run, run->start + known,
			     s->own_again ? rule_by(UNWIND_REG_SP, RETURN_BYTES, false) : unknown);
}

/*
 * A function that sets the stack pointer without a frame: of others, only the first place is known.
 */
static int put_frameless(const struct run *run)
{
	uint32_t kind = run->function->kind;
	struct go_stretches stretches = {.own = 1};
	int ret = put_row(run, run->start, rule_by(UNWIND_REG_SP, RETURN_BYTES, false));

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
static int put_lost_sp(const struct run *run)
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
		ret = put_row(run, run->start, by_sp);
	if (!ret && set < end)
		ret = put_row(run, set, by_fp);
	return ret || end == run->end ? ret : put_row(run, end, by_sp);
}

static int put_step(const struct run *run)
{
	static const struct unwind_rule root = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_UNDEFINED};
	static const struct unwind_rule from_signal = {.cfa = UNWIND_CFA_SIGNAL};
	bool is_new = run->frame && !run->largest;
	int ret = 0;

	switch (run->function->kind) {
	case GO_ROOT:
		return put_row(run, run->start, root);
	case GO_FROM_SIGNAL:
		return put_row(run, run->start, from_signal);
	case GO_LEAVES_SP:
		/* It pushes once more after that; what it pushes first is the frame pointer. */
		if (run->frame > run->largest && run->start > run->function->start + 1)
			return put_row(run, run->start, root);
		break;
	case GO_PLAIN:
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
		ret = put_row(run, run->start,
			      rule_by(UNWIND_REG_SP, run->frame + RETURN_BYTES, false));
	return ret ? ret
		   : put_row(run, run->start + is_new,
			     rule_by(UNWIND_REG_SP, run->frame + RETURN_BYTES, run->frame != 0));
}

int go_frames_run(const struct go_table *table, const struct go_code codes[static GO_NR_CODES],
		  const struct go_function *function, uint64_t *nr_steps, cfi_row_fn *row,
		  void *ctx)
{
	static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};
	struct run run = {.function = function,
			  .codes = codes,
			  .b = {table->bytes, table->bytes + table->size, false},
			  .start = function->start,
			  .end = function->start,
			  .frame = -1,
			  .row = row,
			  .ctx = ctx};
	int ret;

	cursor_bytes(&run.b, table->programs);
	cursor_bytes(&run.b, function->program);
	while (next_step(&run)) {
		if (++*nr_steps > STEPS_MAX)
			return -EFBIG;
		ret = put_step(&run);
		if (ret)
			return ret;
		if (run.frame > run.largest)
			run.largest = run.frame;
	}
	return run.end < function->end ? row(ctx, run.end, &unknown) : 0;
}
