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
	uint64_t *nodes; /* the count of each node and of all below it */
	uint64_t *selfs;
	struct function_sum *functions;
	uint32_t *path; /* the nodes from the root to the one that is being visited */
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

/* A child comes after its parent in the tree. */
static void sum_nodes(struct sums *sums, const struct profile_part *part)
{
	const struct stack_trie *trie = &sums->profile->trie;

	for (size_t i = 0; i < trie->nodes.nr; i++)
		sums->nodes[i] = sums->selfs[i] = 0;
	vec_for_each(&trie->cells, cell)
		if (cell->slot - part->first_slot < part->nr_slots)
			sums->nodes[cell->node] = sums->selfs[cell->node] += cell->count;
	for (size_t i = trie->nodes.nr - 1; i > 0; i--)
		sums->nodes[trie->nodes.data[i].parent] += sums->nodes[i];
}

/* A function counts once for a stack, however often it is in it. */
static void sum_functions(struct sums *sums)
{
	const struct stack_trie *trie = &sums->profile->trie;
	uint32_t depth = 0;

	for (size_t i = 0; i + 1 < trie->nodes.nr; i++) {
		const struct placed_node *placed = &sums->profile->order[i];
		uint32_t function = trie->nodes.data[placed->node].function;
		struct function_sum *sum = &sums->functions[function];

		for (; depth >= placed->depth; depth--)
			sums->functions[trie->nodes.data[sums->path[depth]].function].on_path--;
		sums->path[++depth] = placed->node;
		sum->self += sums->selfs[placed->node];
		if (!sum->on_path++)
			sum->total += sums->nodes[placed->node];
	}
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
	sum_nodes(sums, part);
	sum_functions(sums);
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
	size_t nr = profile->trie.nodes.nr;
	_cleanup_free_ uint64_t *nodes = calloc(nr, sizeof(*nodes));
	_cleanup_free_ uint64_t *selfs = calloc(nr, sizeof(*selfs));
	_cleanup_free_ uint32_t *path = calloc(nr + 1, sizeof(*path));
	_cleanup_free_ struct function_sum *sums_of =
		calloc(functions->items.nr + 1, sizeof(*sums_of));
	struct sums sums = {profile, nodes, selfs, sums_of, path};

	if (!nodes || !selfs || !path || !sums_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->nr_parts; i++)
		print_part(out, &sums, functions, &profile->parts[i]);
	return 0;
}
