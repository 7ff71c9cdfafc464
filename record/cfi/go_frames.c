// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/go_frames.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "elf/dwarf_bytes.h"

/* Steps of the programs of a file. Large programs have two million. */
#define STEPS_MAX (32u << 20)

/* Largest frame that a rule can hold; stacks of goroutines are at most 1 GB. */
#define FRAME_MAX (1 << 30)

static bool name_is(const struct go_table *table, uint32_t off, const char *name)
{
	size_t left, len = strlen(name) + 1;
	const char *found = go_table_name(table, off, &left);

	return found && left >= len && !memcmp(found, name, len);
}

static bool is_injected(const struct go_table *table, const struct go_record *record)
{
	static const char *const names[] = {"runtime.asyncPreempt", "runtime.sigpanic",
					    "runtime.sigpanic0", "runtime.debugCallV2"};
	static const char runtime[] = "runtime.";
	size_t left;
	const char *name = go_table_name(table, record->name, &left);

	if (!name || left < sizeof(runtime) || memcmp(name, runtime, sizeof(runtime) - 1) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (name_is(table, record->name, names[i]))
			return true;
	return false;
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
	name = go_table_name(table, record->name, &left);
	if (name)
		code = go_code_kind_of(name, left);
	if (code == GO_CROSSCALL)
		return GO_CODE + code;
	if (!(record->flags & GO_SETS_STACK))
		return is_injected(table, record) ? GO_INJECTED : GO_PLAIN;
	if (code != GO_NR_CODES)
		return GO_CODE + code;
	return name_is(table, record->name, "runtime.mcall") ? GO_LEAVES_SP : GO_SETS_SP;
}

bool go_frames_have_flags(const struct go_table *table)
{
	struct go_record record;

	for (uint64_t i = 0; i < table->nr; i++)
		if (go_table_record(table, i, &record) && record.flags & GO_ASSEMBLER)
			return true;
	return false;
}

bool go_frames_function(const struct go_table *table, uint64_t i, struct go_function *function)
{
	uint64_t start = go_table_address(table, i), end = go_table_address(table, i + 1);
	struct go_record record;
	const char *name;
	size_t left;

	if (end <= start || table->text_start + end < end || !go_table_record(table, i, &record) ||
	    !record.sp_program)
		return false;
	*function = (struct go_function){
		.start = table->text_start + start,
		.end = table->text_start + end,
		.program = record.sp_program,
		.kind = find_kind(table, &record),
	};
	name = go_table_name(table, record.name, &left);
	if ((function->kind == GO_PLAIN || function->kind == GO_SETS_SP) &&
	    !(name && go_code_is_told(name, left, record.flags)))
		return false;
	/*
	 * The kernel makes the handler return there, so nothing calls it: callers are one before.
	 */
	if (function->kind == GO_FROM_SIGNAL && function->start)
		function->start--;
	return true;
}

/*
 * Reads the next step: a difference of values, and one of addresses (runtime/symtab.go, step).
 * Returns false at the end, where the program is malformed, and where the function ends.
 */
static bool next_step(struct go_run *run, struct cursor *b, uint64_t quantum)
{
	bool is_first = run->start == run->function->start && run->end == run->start;
	uint64_t value = dwarf_uleb(b);
	uint64_t bytes = dwarf_uleb(b);

	if (b->bad || (!value && !is_first) || !bytes || value > 2ull * FRAME_MAX ||
	    bytes > UINT32_MAX || run->end >= run->function->end)
		return false;
	bytes *= quantum;
	run->frame += (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
	if (run->frame < 0 || run->frame >= FRAME_MAX || run->frame % 8)
		return false;
	run->start = run->end;
	run->end =
		bytes < run->function->end - run->start ? run->start + bytes : run->function->end;
	return true;
}

static int put_step(const struct go_run *run)
{
	static const struct unwind_rule root = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_UNDEFINED};
	static const struct unwind_rule from_signal = {.cfa = UNWIND_CFA_SIGNAL};

	switch (run->function->kind) {
	case GO_ROOT:
		return go_run_put(run, run->start, root);
	case GO_FROM_SIGNAL:
		return go_run_put(run, run->start, from_signal);
	default:
		return go_rows_put(run);
	}
}

int go_frames_run(const struct go_table *table, const struct go_code codes[static GO_NR_CODES],
		  const struct go_function *function, uint64_t *nr_steps, cfi_row_fn *row,
		  void *ctx)
{
	static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_UNSUPPORTED};
	struct cursor b = {table->bytes, table->bytes + table->size, false};
	struct go_run run = {.function = function,
			     .codes = codes,
			     .start = function->start,
			     .end = function->start,
			     .frame = -1,
			     .row = row,
			     .ctx = ctx};
	int ret;

	cursor_bytes(&b, table->programs);
	cursor_bytes(&b, function->program);
	while (next_step(&run, &b, table->quantum)) {
		if (++*nr_steps > STEPS_MAX)
			return -EFBIG;
		if (!run.first)
			run.first = run.frame;
		ret = put_step(&run);
		if (ret)
			return ret;
		if (run.frame > run.largest)
			run.largest = run.frame;
	}
	return run.end < function->end ? row(ctx, run.end, &unknown) : 0;
}
