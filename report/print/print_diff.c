// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What FlameGraph's difffolded.pl makes of two folded files, from two recordings: the union of
 * their stacks, matched by text, each with both counts. Sorted, where difffolded.pl has the order
 * of a hash table.
 */
#include "report/print/printers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum diff_column {
	DIFF_BEFORE,
	DIFF_AFTER,
	NR_DIFF_COLUMNS,
};

struct diff_stack {
	const char *text; /* the stack; in the end the whole line */
	size_t len;
	uint64_t counts[NR_DIFF_COLUMNS];
};

struct diff {
	VEC(struct diff_stack) stacks;
	struct index index;
	struct arena arena;
	struct textbuf line; /* the one at hand */
	const struct printout *side;
	enum diff_column column;
};

static int add_row(void *ctx, const struct stack_row *row)
{
	struct diff *diff = ctx;
	struct diff_stack stack = {0};
	uint64_t hash;

	diff->line.nr = 0;
	print_folded_stack(diff->side, &diff->line, row);
	if (diff->line.error)
		return diff->line.error;
	hash = XXH3_64bits(diff->line.data, diff->line.nr);
	index_for_each(&diff->index, hash, i) {
		struct diff_stack *have = &diff->stacks.data[i];

		if (have->len == diff->line.nr && !memcmp(have->text, diff->line.data, have->len)) {
			have->counts[diff->column] += row->count;
			return 0;
		}
	}
	stack.len = diff->line.nr;
	stack.text = arena_copy(&diff->arena, diff->line.data ? diff->line.data : "", stack.len);
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
	ret = rows_visit(&side->rec->model, side->view, add_row, diff, &seen);
	if (ret)
		return ret;
	rows_summary_add(summary, &seen);
	return 0;
}

/* int(c1 * total2 / total1): as c1 <= total1, the result is no more than total2. */
static void normalize_before(struct diff *diff, uint64_t total_before, uint64_t total_after)
{
	vec_for_each(&diff->stacks, stack)
		stack->counts[DIFF_BEFORE] =
			(unsigned __int128)stack->counts[DIFF_BEFORE] * total_after / total_before;
}

/* Makes the whole lines, which are what is sorted. */
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

	/* Both end in the only newline they have: neither is the start of the other. */
	return memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
}

static void print_lines(struct diff *diff, struct textbuf *out)
{
	if (diff->stacks.nr)
		qsort(diff->stacks.data, diff->stacks.nr, sizeof(*diff->stacks.data),
		      compare_lines);
	vec_for_each(&diff->stacks, stack)
		textbuf_bytes(out, stack->text, stack->len);
}

int print_diff(const struct printout *before, const struct printout *after, bool normalize,
	       struct rows_summary *summary)
{
	struct diff diff = {.line = {.fd = -1}};
	struct rows_summary both = {0};
	int ret = 0;

	if (normalize && !before->rec->model.total)
		return -EDOM;
	ret = add_recording(&diff, before, DIFF_BEFORE, &both);
	if (!ret)
		ret = add_recording(&diff, after, DIFF_AFTER, &both);
	if (!ret && normalize)
		normalize_before(&diff, before->rec->model.total, after->rec->model.total);
	if (!ret)
		ret = make_lines(&diff);
	if (!ret) {
		print_lines(&diff, before->out);
		*summary = both;
	}
	vec_free(&diff.stacks);
	index_deinit(&diff.index);
	arena_deinit(&diff.arena);
	textbuf_deinit(&diff.line);
	return ret;
}
