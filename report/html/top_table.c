// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/top_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"

#define TOP_ROWS 30

/* Bytes of a name in the table. */
#define NAME_BYTES_MAX 200

struct function_sum {
	uint64_t self, total;
	uint32_t function;
	uint32_t on_path; /* frames of the function in the stack that is being visited */
};

struct sums {
	const struct page_profile *profile;
	struct function_sum *functions;
	/* by branch of the path from the root to the one that is being visited */
	uint64_t *counts; /* of the branch and of all below it, up to now */
	uint32_t *path;
};

/* Prints text in the markup: at most NAME_BYTES_MAX bytes, in whole characters. */
static void print_markup(struct textbuf *out, const char *text)
{
	size_t len = strlen(text);
	bool is_cut = len > NAME_BYTES_MAX;

	if (is_cut)
		len = NAME_BYTES_MAX;
	while (is_cut && len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	for (size_t i = 0; i < len; i++) {
		if (strchr("&<>\"'", text[i]))
			textbuf_printf(out, "&#%d;", text[i]);
		else
			textbuf_char(out, text[i]);
	}
	if (is_cut)
		textbuf_str(out, "...");
}

/* A function counts once for a stack, however often it is in it. */
static void leave_branch(struct sums *sums, uint32_t level)
{
	const struct stack_trie *trie = &sums->profile->trie;
	const struct trie_branch *branch = &trie->branches.data[sums->path[level]];

	for (uint32_t i = 0; i < branch->nr; i++) {
		struct function_sum *sum =
			&sums->functions[trie->functions.data[branch->first + i]];

		if (!--sum->on_path)
			sum->total += sums->counts[level];
	}
	sums->counts[level - 1] += sums->counts[level];
}

/* Returns the count of a branch's own cells in @part. */
static uint64_t count_cells(const struct stack_trie *trie, const struct profile_part *part,
			    uint32_t branch)
{
	size_t first = trie->branches.data[branch].next;
	uint64_t count = 0;

	for (size_t i = first; i && i <= trie->cells.nr; i++) {
		const struct trie_cell *cell = &trie->cells.data[i - 1];

		if (cell->branch != branch)
			break;
		if (cell->slot - part->first_slot < part->nr_slots)
			count += cell->count;
	}
	return count;
}

static void enter_branch(struct sums *sums, const struct profile_part *part, uint32_t level)
{
	const struct stack_trie *trie = &sums->profile->trie;
	const struct trie_branch *branch = &trie->branches.data[sums->path[level]];
	const uint32_t *functions = trie->functions.data + branch->first;

	sums->counts[level] = count_cells(trie, part, sums->path[level]);
	for (uint32_t i = 0; i < branch->nr; i++)
		sums->functions[functions[i]].on_path++;
	sums->functions[functions[branch->nr - 1]].self += sums->counts[level];
}

static void sum_functions(struct sums *sums, const struct profile_part *part)
{
	const struct trie_branch *branches = sums->profile->trie.branches.data;
	uint32_t level = 0;

	for (size_t i = 0; i + 1 < sums->profile->trie.branches.nr; i++) {
		uint32_t branch = sums->profile->order[i].branch;

		for (; level && sums->path[level] != branches[branch].parent; level--)
			leave_branch(sums, level);
		sums->path[++level] = branch;
		enter_branch(sums, part, level);
	}
	for (; level; level--)
		leave_branch(sums, level);
}

static int by_self(const void *a, const void *b)
{
	const struct function_sum *x = a, *y = b;

	COMPARE(y->self, x->self);
	COMPARE(y->total, x->total);
	COMPARE(x->function, y->function);
	return 0;
}

static void print_rows(struct textbuf *out, const struct sums *sums,
		       const struct page_functions *functions, uint64_t whole)
{
	textbuf_str(out, "<tr><th>self<th>total<th>function\n");
	for (size_t i = 0; i < functions->items.nr && i < TOP_ROWS; i++) {
		const struct function_sum *sum = &sums->functions[i];
		const struct page_function *function = &functions->items.data[sum->function];

		if (!sum->total)
			break;
		textbuf_printf(out, "<tr><td>%.2f %%<td>%.2f %%<td>", 100.0 * sum->self / whole,
			       100.0 * sum->total / whole);
		print_markup(out, string_set_get(&functions->strings, function->text));
		textbuf_char(out, '\n');
	}
}

static void print_part(struct textbuf *out, struct sums *sums,
		       const struct page_functions *functions, const struct profile_part *part)
{
	uint8_t unit = event_unit_number(part->source->rec.meta, part->event);
	size_t nr = functions->items.nr;
	char total[AMOUNT_SIZE];

	for (size_t i = 0; i < nr; i++)
		sums->functions[i] = (struct function_sum){.function = i};
	sum_functions(sums, part);
	qsort(sums->functions, nr, sizeof(*sums->functions), by_self);
	textbuf_str(out, "<table>\n<caption>");
	print_markup(out, part->source->rec.name);
	textbuf_printf(out, ": %s", amount_text(part->total, unit, AMOUNT_AUTO, total));
	if (!amount_has_unit(unit, AMOUNT_AUTO))
		textbuf_printf(out, " %s", event_unit(part->source->rec.meta, part->event));
	textbuf_str(out, "</caption>\n");
	if (part->total)
		print_rows(out, sums, functions, part->total);
	textbuf_str(out, "</table>\n");
}

int top_table_print(struct textbuf *out, const struct page_profile *profile,
		    const struct page_functions *functions)
{
	size_t nr = profile->trie.branches.nr;
	_cleanup_free_ uint64_t *counts = calloc(nr + 1, sizeof(*counts));
	_cleanup_free_ uint32_t *path = calloc(nr + 1, sizeof(*path));
	_cleanup_free_ struct function_sum *sums_of =
		calloc(functions->items.nr + 1, sizeof(*sums_of));
	struct sums sums = {profile, sums_of, counts, path};

	if (!counts || !path || !sums_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->nr_parts; i++)
		print_part(out, &sums, functions, &profile->parts[i]);
	return 0;
}
