// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A diff prints the text that FlameGraph's difffolded.pl makes of two folded files. The text is the
 * union of the stacks of two recordings, matched by text, each with both counts. The lines are
 * sorted; difffolded.pl prints them in the order of a hash table.
 */
#include "common/hash.h"
#include "common/minmax.h"
#include "report/print/printers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum diff_column {
	DIFF_BEFORE,
	DIFF_AFTER,
	NR_DIFF_COLUMNS,
};

struct diff_stack {
	const char *text; /* the stack; make_lines replaces it by the whole line */
	size_t len;
	uint64_t counts[NR_DIFF_COLUMNS];
};

struct diff {
	VEC(struct diff_stack) stacks;
	struct index index;
	struct arena arena;
	struct textbuf line; /* scratch: the line that is being made */
	const struct printout *side;
	enum diff_column column;
};

static int add_stack(void *ctx, const struct stack_row *row)
{
	struct diff *diff = ctx;
	struct diff_stack stack = {0};
	const char *text;
	uint64_t hash;

	diff->line.nr = 0;
	print_folded_stack(diff->side, &diff->line, row);
	if (diff->line.error)
		return diff->line.error;
	text = diff->line.data ? diff->line.data : "";
	hash = hash_bytes(text, diff->line.nr, 0);
	index_for_each(&diff->index, hash, i) {
		struct diff_stack *have = &diff->stacks.data[i];

		if (have->len == diff->line.nr && !memcmp(have->text, text, have->len)) {
			have->counts[diff->column] += row->count;
			return 0;
		}
	}
	stack.len = diff->line.nr;
	stack.text = arena_copy(&diff->arena, text, stack.len);
	stack.counts[diff->column] = row->count;
	if (!stack.text || vec_push(&diff->stacks, stack))
		return -ENOMEM;
	return index_insert(&diff->index, hash, diff->stacks.nr - 1);
}

static int add_recording(struct diff *diff, const struct printout *side, enum diff_column column,
			 struct rows_summary *summary)
{
	struct rows_summary seen;
	int ret;

	diff->side = side;
	diff->column = column;
	ret = printout_visit(side, add_stack, diff, &seen);
	if (ret)
		return ret;
	rows_summary_add(summary, &seen);
	return 0;
}

/* Computes int(c1 * total2 / total1). As c1 <= total1, the result is not above total2. Totals have
 * what filters of stacks have left out, because the whole is the measure. */
static void normalize_before(struct diff *diff, uint64_t total_before, uint64_t total_after)
{
	vec_for_each(&diff->stacks, stack)
		stack->counts[DIFF_BEFORE] =
			(unsigned __int128)stack->counts[DIFF_BEFORE] * total_after / total_before;
}

/* Makes the whole lines, because print_lines sorts lines and not stacks. */
static int make_lines(struct diff *diff)
{
	vec_for_each(&diff->stacks, stack) {
		diff->line.nr = 0;
		textbuf_bytes(&diff->line, stack->text, stack->len);
		for (int i = 0; i < NR_DIFF_COLUMNS; i++) {
			textbuf_char(&diff->line, ' ');
			textbuf_u64(&diff->line, stack->counts[i]);
		}
		textbuf_char(&diff->line, '\n');
		if (diff->line.error)
			return diff->line.error;
		stack->len = diff->line.nr;
		stack->text = arena_copy(&diff->arena, diff->line.data, stack->len);
		if (!stack->text)
			return -ENOMEM;
	}
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct diff_stack *x = a, *y = b;

	/* A line ends in the only newline it has, so no line is the start of another. */
	return memcmp(x->text, y->text, min_u64(x->len, y->len));
}

static void print_lines(struct diff *diff, struct textbuf *out)
{
	if (diff->stacks.nr)
		qsort(diff->stacks.data, diff->stacks.nr, sizeof(*diff->stacks.data),
		      compare_lines);
	vec_for_each(&diff->stacks, stack)
		textbuf_bytes(out, stack->text, stack->len);
}

static int add_totals(const struct printout_sides *sides, uint64_t totals[NR_DIFF_COLUMNS])
{
	for (size_t i = 0; i < sides->nr; i++) {
		const struct printout *p = &sides->printouts[i];
		uint64_t *total = &totals[i >= sides->nr_before];

		if (__builtin_add_overflow(*total, model_whole(&p->rec->model, p->view->event),
					   total))
			return -EOVERFLOW;
	}
	return 0;
}

int print_diff(const struct printout_sides *sides, bool normalize, struct rows_summary *summary)
{
	struct diff diff = {.line = {.fd = -1}};
	uint64_t totals[NR_DIFF_COLUMNS] = {0};
	struct rows_summary all = {0};
	int ret = add_totals(sides, totals);

	if (!ret && normalize && !totals[DIFF_BEFORE])
		return -EDOM;
	for (size_t i = 0; i < sides->nr && !ret; i++)
		ret = add_recording(&diff, &sides->printouts[i],
				    i < sides->nr_before ? DIFF_BEFORE : DIFF_AFTER, &all);
	if (!ret && normalize)
		normalize_before(&diff, totals[DIFF_BEFORE], totals[DIFF_AFTER]);
	if (!ret)
		ret = make_lines(&diff);
	if (!ret) {
		print_lines(&diff, sides->printouts[0].out);
		*summary = all;
	}
	vec_free(&diff.stacks);
	index_deinit(&diff.index);
	arena_deinit(&diff.arena);
	textbuf_deinit(&diff.line);
	return ret;
}
