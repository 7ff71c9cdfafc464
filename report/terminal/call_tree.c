// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"

static int count_node(struct call_tree *tree, uint32_t node, uint64_t count)
{
	const struct call_count none = {0};
	int ret = 0;

	while (tree->counts.nr < tree->trie.nodes.nr && !ret)
		ret = vec_push(&tree->counts, none);
	if (!ret)
		tree->counts.data[node].self += count;
	return ret;
}

static int find_thread(struct call_tree *tree, const struct stack_row *row, uint32_t *id)
{
	labels_thread(tree->things.from->labels, &tree->things.scratch, row->comm, row->tid);
	return named_things_add(&tree->things, "", COLOUR_TITLE, id);
}

static int add_stack(struct call_tree *tree, const struct stack_row *row)
{
	uint32_t node = 0, thread;
	int ret = 0;

	if (printout_has_threads(tree->things.from)) {
		ret = find_thread(tree, row, &thread);
		if (!ret)
			ret = stack_trie_child(&tree->trie, node, thread, &node);
	}
	for (size_t i = 0; i < tree->things.row.nr && !ret; i++)
		ret = stack_trie_child(&tree->trie, node, tree->things.row.data[i], &node);
	return ret ? ret : count_node(tree, node, row->count);
}

/* A user may leave the arguments of a C++ function out. */
static bool is_called(const char *name, const char *function)
{
	size_t len = strlen(function);

	return !strncmp(name, function, len) && (!name[len] || name[len] == '(');
}

static int add_callers(struct call_tree *tree, const struct stack_row *row)
{
	const struct named_things *things = &tree->things;
	uint32_t node = 0, thread;
	size_t at = 0;
	int ret = 0;

	while (at < things->row.nr &&
	       !is_called(named_thing_name(things, things->row.data[at]), tree->function))
		at++;
	if (at == things->row.nr)
		return 0;
	for (size_t i = at + 1; i-- > 0 && !ret;)
		ret = stack_trie_child(&tree->trie, node, things->row.data[i], &node);
	if (!ret && printout_has_threads(things->from)) {
		ret = find_thread(tree, row, &thread);
		if (!ret)
			ret = stack_trie_child(&tree->trie, node, thread, &node);
	}
	return ret ? ret : count_node(tree, node, row->count);
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct call_tree *tree = ctx;
	int ret = named_things_of_row(&tree->things, row);

	tree->sum += row->count;
	if (ret)
		return ret;
	return tree->function ? add_callers(tree, row) : add_stack(tree, row);
}

static void sum_nodes(struct call_tree *tree)
{
	for (size_t i = tree->counts.nr; i-- > 0;) {
		struct call_count *count = &tree->counts.data[i];

		count->total += count->self;
		if (i)
			tree->counts.data[tree->trie.nodes.data[i].parent].total += count->total;
	}
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct call_tree *tree = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct trie_node *x = &tree->trie.nodes.data[i], *y = &tree->trie.nodes.data[k];

	COMPARE(x->parent, y->parent);
	COMPARE(tree->counts.data[k].total, tree->counts.data[i].total);
	return named_things_compare(&tree->things, x->function, y->function);
}

/* Sorts the nodes, and notes the place of each node's first child. */
static int sort_nodes(struct call_tree *tree)
{
	uint32_t nr = tree->trie.nodes.nr;

	tree->order = calloc(nr, sizeof(*tree->order));
	tree->first_child = calloc(nr, sizeof(*tree->first_child));
	if (!tree->order || !tree->first_child)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		tree->order[i] = i;
	/* The root is its own parent, and stays the first. */
	qsort_r(tree->order + 1, nr - 1, sizeof(*tree->order), compare_nodes, tree);
	for (uint32_t i = nr; i-- > 1;)
		tree->first_child[tree->trie.nodes.data[tree->order[i]].parent] = i;
	return 0;
}

int call_tree_make(struct call_tree *tree, const struct printout *p, const char *function,
		   struct rows_summary *summary)
{
	int ret;

	*tree = (struct call_tree){.function = function};
	ret = named_things_init(&tree->things, p);
	if (!ret)
		ret = stack_trie_init(&tree->trie);
	if (!ret)
		ret = count_node(tree, 0, 0);
	if (!ret)
		ret = rows_visit_all(&p->rec->model, p->view, add_row, tree, summary);
	if (ret)
		return ret;
	sum_nodes(tree);
	return sort_nodes(tree);
}

void call_tree_deinit(struct call_tree *tree)
{
	named_things_deinit(&tree->things);
	stack_trie_deinit(&tree->trie);
	vec_free(&tree->counts);
	free(tree->order);
	free(tree->first_child);
}
