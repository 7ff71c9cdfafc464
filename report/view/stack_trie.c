// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/stack_trie.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"

int stack_trie_init(struct stack_trie *trie)
{
	*trie = (struct stack_trie){0};
	return vec_push(&trie->nodes, ((struct trie_node){0}));
}

void stack_trie_deinit(struct stack_trie *trie)
{
	vec_free(&trie->nodes);
	vec_free(&trie->cells);
	index_deinit(&trie->index);
}

int stack_trie_child(struct stack_trie *trie, uint32_t parent, uint32_t function, uint32_t *node)
{
	const struct trie_node wanted = {.parent = parent, .function = function};
	uint32_t last = trie->nodes.data[parent].child;
	uint64_t hash;
	int ret;

	/* A stack mostly begins like the one before. */
	if (last && trie->nodes.data[last].function == function) {
		*node = last;
		return 0;
	}
	hash = hash_u64((uint64_t)parent << 32 | function);
	index_for_each(&trie->index, hash, i) {
		const struct trie_node *have = &trie->nodes.data[i];

		if (have->parent == parent && have->function == function) {
			*node = i;
			trie->nodes.data[parent].child = i;
			return 0;
		}
	}
	if (trie->nodes.nr == PAGE_NODES_MAX)
		return -E2BIG;
	ret = index_push(&trie->index, &trie->nodes, hash, wanted);
	if (!ret) {
		*node = trie->nodes.nr - 1;
		trie->nodes.data[parent].child = *node;
	}
	return ret;
}

static int compare_cells(const void *a, const void *b)
{
	const struct trie_cell *x = a, *y = b;

	COMPARE(x->node, y->node);
	COMPARE(x->process, y->process);
	COMPARE(x->slot, y->slot);
	return 0;
}

static void sort_cells(struct stack_trie *trie)
{
	size_t kept = 0;

	if (trie->cells.nr)
		qsort(trie->cells.data, trie->cells.nr, sizeof(*trie->cells.data), compare_cells);
	for (size_t i = 0; i < trie->cells.nr; i++) {
		const struct trie_cell *cell = &trie->cells.data[i];

		if (kept && !compare_cells(&trie->cells.data[kept - 1], cell))
			trie->cells.data[kept - 1].count += cell->count;
		else
			trie->cells.data[kept++] = *cell;
	}
	trie->cells.nr = kept;
}

/* The children of nodes, as lists; 0 ends one. */
struct child_lists {
	uint32_t *next;   /* by node; the first child of a node is its own member */
	uint32_t *sorted; /* room to sort the children of a node */
};

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const uint32_t *x = a, *y = b;
	const struct trie_node *nodes = ctx;

	COMPARE(nodes[*x].function, nodes[*y].function);
	return 0;
}

/* Sorts the children of a node by function. Most nodes have one child or two. */
static void sort_children(const struct stack_trie *trie, struct child_lists *lists, uint32_t node)
{
	uint32_t *sorted = lists->sorted, *end = &trie->nodes.data[node].child;
	size_t nr = 0;

	if (!*end || !lists->next[*end])
		return;
	for (uint32_t child = *end; child; child = lists->next[child])
		sorted[nr++] = child;
	qsort_r(sorted, nr, sizeof(*sorted), compare_functions, trie->nodes.data);
	for (size_t i = 0; i < nr; i++) {
		*end = sorted[i];
		end = &lists->next[sorted[i]];
	}
	*end = 0;
}

/* Nodes that were added one after the other are mostly near each other in the lists, too. */
static void link_children(struct stack_trie *trie, struct child_lists *lists)
{
	struct trie_node *nodes = trie->nodes.data;

	for (size_t i = 0; i < trie->nodes.nr; i++)
		nodes[i].child = 0;
	for (size_t i = trie->nodes.nr - 1; i; i--) {
		struct trie_node *parent = &nodes[nodes[i].parent];

		lists->next[i] = parent->child;
		parent->child = i;
	}
}

static void place_nodes(const struct stack_trie *trie, struct child_lists *lists,
			struct placed_node *order)
{
	uint32_t node = 0, depth = 0;
	size_t nr = 0;

	for (;;) {
		uint32_t next;

		sort_children(trie, lists, node);
		for (next = trie->nodes.data[node].child; !next && node; depth--) {
			next = lists->next[node];
			node = trie->nodes.data[node].parent;
		}
		if (!next)
			return;
		node = next;
		order[nr++] = (struct placed_node){node, ++depth};
	}
}

int stack_trie_sort(struct stack_trie *trie, const uint32_t *new_ids, struct placed_node **order)
{
	size_t nr = trie->nodes.nr;
	_cleanup_free_ uint32_t *next = calloc(nr, sizeof(*next));
	_cleanup_free_ uint32_t *sorted = calloc(nr, sizeof(*sorted));
	_cleanup_free_ struct placed_node *placed = calloc(nr, sizeof(*placed));
	struct child_lists lists = {next, sorted};

	if (!next || !sorted || !placed)
		return -ENOMEM;
	/* No node is searched any more. */
	index_deinit(&trie->index);
	for (size_t i = 1; i < nr; i++)
		trie->nodes.data[i].function = new_ids[trie->nodes.data[i].function];
	link_children(trie, &lists);
	place_nodes(trie, &lists, placed);
	sort_cells(trie);
	*order = TAKE_PTR(placed);
	return 0;
}
