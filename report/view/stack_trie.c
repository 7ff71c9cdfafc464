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
	const struct trie_node wanted = {parent, function};
	uint64_t hash = hash_u64((uint64_t)parent << 32 | function);
	int ret;

	index_for_each(&trie->index, hash, i) {
		const struct trie_node *have = &trie->nodes.data[i];

		if (have->parent == parent && have->function == function) {
			*node = i;
			return 0;
		}
	}
	if (trie->nodes.nr == PAGE_NODES_MAX)
		return -E2BIG;
	ret = index_push(&trie->index, &trie->nodes, hash, wanted);
	if (!ret)
		*node = trie->nodes.nr - 1;
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

/* The number by which a sort places a node. */
typedef uint32_t (*key_fn)(const struct trie_node *node);

static uint32_t key_function(const struct trie_node *node)
{
	return node->function;
}

static uint32_t key_parent(const struct trie_node *node)
{
	return node->parent;
}

/*
 * Sorts the nodes @from into @to by a key below @nr_keys. Nodes of one key keep their order. Sets
 * @starts[key] to the place after the nodes of the key.
 */
static void sort_by_key(const struct stack_trie *trie, const uint32_t *from, uint32_t *to,
			key_fn key, uint32_t *starts, uint32_t nr_keys)
{
	size_t nr = trie->nodes.nr - 1;

	for (size_t k = 0; k <= nr_keys; k++)
		starts[k] = 0;
	for (size_t i = 0; i < nr; i++)
		starts[key(&trie->nodes.data[from[i]]) + 1]++;
	for (size_t k = 0; k < nr_keys; k++)
		starts[k + 1] += starts[k];
	for (size_t i = 0; i < nr; i++)
		to[starts[key(&trie->nodes.data[from[i]])]++] = from[i];
}

/* @ends[n] is the place after the children of n in @children, as sort_by_key leaves it. */
static void place_nodes(const struct stack_trie *trie, const uint32_t *children,
			const uint32_t *ends, uint32_t *next, struct placed_node *order)
{
	uint32_t node = 0, depth = 0;
	size_t nr = 0;

	next[0] = 0;
	while (node || next[0] < ends[0]) {
		if (next[node] == ends[node]) {
			node = trie->nodes.data[node].parent;
			depth--;
			continue;
		}
		node = children[next[node]++];
		next[node] = ends[node - 1];
		order[nr++] = (struct placed_node){node, ++depth};
	}
}

int stack_trie_sort(struct stack_trie *trie, const uint32_t *new_ids, uint32_t nr_functions,
		    struct placed_node **order)
{
	size_t nr = trie->nodes.nr;
	size_t nr_keys = nr > nr_functions ? nr : nr_functions;
	_cleanup_free_ uint32_t *from = calloc(nr, sizeof(*from));
	_cleanup_free_ uint32_t *to = calloc(nr, sizeof(*to));
	_cleanup_free_ uint32_t *starts = calloc(nr_keys + 1, sizeof(*starts));
	_cleanup_free_ struct placed_node *placed = calloc(nr, sizeof(*placed));

	if (!from || !to || !starts || !placed)
		return -ENOMEM;
	for (size_t i = 1; i < nr; i++) {
		trie->nodes.data[i].function = new_ids[trie->nodes.data[i].function];
		from[i - 1] = i;
	}
	sort_by_key(trie, from, to, key_function, starts, nr_functions);
	sort_by_key(trie, to, from, key_parent, starts, nr);
	place_nodes(trie, from, starts, to, placed);
	sort_cells(trie);
	*order = TAKE_PTR(placed);
	return 0;
}
