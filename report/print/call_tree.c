// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"

/* Adds the nodes of the path, and @count to the last one. */
static int count_path(struct call_tree *tree, uint64_t count)
{
	const struct call_count none = {0};
	uint32_t end;
	int ret = stack_trie_add(&tree->trie, 0, tree->path.data, tree->path.nr, &end);

	while (!ret && tree->counts.nr < tree->trie.branches.nr)
		ret = vec_push(&tree->counts, none);
	if (!ret)
		tree->counts.data[end].self += count;
	return ret;
}

/* Appends the thread of a row to the path, unless the view has none. */
static int add_thread(struct call_tree *tree, const struct stack_row *row)
{
	uint32_t id;
	int ret;

	if (!printout_has_threads(tree->things.from))
		return 0;
	labels_thread(tree->things.from->labels, &tree->things.scratch, row->comm, row->tid);
	ret = named_things_add(&tree->things, "", COLOUR_TITLE, &id);
	return ret ? ret : vec_push(&tree->path, id);
}

static int add_stack(struct call_tree *tree, const struct stack_row *row)
{
	int ret = add_thread(tree, row);

	if (!ret)
		ret = vec_append(&tree->path, tree->things.row.data, tree->things.row.nr);
	return ret ? ret : count_path(tree, row->count);
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
	size_t at = 0;
	int ret = 0;

	while (at < things->row.nr &&
	       !is_called(named_thing_name(things, things->row.data[at]), tree->function))
		at++;
	if (at == things->row.nr)
		return 0;
	for (size_t i = at + 1; i-- > 0 && !ret;)
		ret = vec_push(&tree->path, things->row.data[i]);
	if (!ret)
		ret = add_thread(tree, row);
	return ret ? ret : count_path(tree, row->count);
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct call_tree *tree = ctx;
	int ret = named_things_of_row(&tree->things, row);

	tree->sum += row->count;
	vec_clear(&tree->path);
	if (ret)
		return ret;
	return tree->function ? add_callers(tree, row) : add_stack(tree, row);
}

/* What is below a branch follows it in @order. */
static void sum_branches(struct call_tree *tree, const struct placed_branch *order)
{
	for (size_t i = tree->trie.branches.nr; i-- > 0;) {
		uint32_t branch = i ? order[i - 1].branch : 0;
		struct call_count *count = &tree->counts.data[branch];

		count->total += count->self;
		if (branch)
			tree->counts.data[tree->trie.branches.data[branch].parent].total +=
				count->total;
	}
}

static uint32_t first_thing(const struct stack_trie *trie, uint32_t branch)
{
	return trie->functions.data[trie->branches.data[branch].first];
}

static int compare_branches(const void *a, const void *b, void *ctx)
{
	const struct call_tree *tree = ctx;
	const struct trie_branch *branches = tree->trie.branches.data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	COMPARE(branches[x].parent, branches[y].parent);
	COMPARE(tree->counts.data[y].total, tree->counts.data[x].total);
	return named_things_compare(&tree->things, first_thing(&tree->trie, x),
				    first_thing(&tree->trie, y));
}

/* Sorts the branches of @min_count at least, and notes the place of each one's first child. */
static int sort_branches(struct call_tree *tree, double min_count)
{
	uint32_t nr = tree->trie.branches.nr;
	int ret;

	tree->first_child = calloc(nr, sizeof(*tree->first_child));
	if (!tree->first_child)
		return -ENOMEM;
	/* The root is its own parent, and stays the first. */
	ret = vec_push(&tree->order, 0);
	for (uint32_t i = 1; i < nr && !ret; i++)
		if (tree->counts.data[i].total && tree->counts.data[i].total >= min_count)
			ret = vec_push(&tree->order, i);
	if (ret)
		return ret;
	qsort_r(tree->order.data + 1, tree->order.nr - 1, sizeof(*tree->order.data),
		compare_branches, tree);
	for (uint32_t i = tree->order.nr; i-- > 1;)
		tree->first_child[tree->trie.branches.data[tree->order.data[i]].parent] = i;
	return 0;
}

/* Begins a tree of the root alone. */
static int begin_tree(struct call_tree *tree)
{
	int ret = stack_trie_init(&tree->trie);

	return ret ? ret : count_path(tree, 0);
}

/* Sums up what was added, and finds the order. */
static int end_tree(struct call_tree *tree, double min_percent)
{
	_cleanup_free_ struct placed_branch *placed = NULL;
	int ret = stack_trie_sort(&tree->trie, NULL, &placed);

	if (ret)
		return ret;
	sum_branches(tree, placed);
	return sort_branches(tree, min_percent / 100 * tree->sum);
}

int call_tree_make(struct call_tree *tree, const struct printout *p, const char *function,
		   double min_percent, struct rows_summary *summary)
{
	int ret;

	*tree = (struct call_tree){.function = function};
	ret = named_things_init(&tree->things, p);
	if (!ret)
		ret = begin_tree(tree);
	if (!ret)
		ret = rows_visit_all(&p->rec->model, p->view, add_row, tree, summary);
	return ret ? ret : end_tree(tree, min_percent);
}

/*
 * Sets the path of @callers to the stack that ends with @branch of @tree, from the outermost
 * function of the name to the thread. Leaves it empty if the stack lacks the function.
 */
static int find_callers(struct call_tree *callers, const struct call_tree *tree, uint32_t branch)
{
	const struct named_things *things = &tree->things;
	const struct trie_branch *branches = tree->trie.branches.data;
	size_t begin = 0;
	int ret = 0;

	vec_clear(&callers->path);
	for (uint32_t at = branch; at && !ret; at = branches[at].parent)
		for (uint32_t i = branches[at].nr; i-- > 0 && !ret;)
			ret = vec_push(&callers->path,
				       tree->trie.functions.data[branches[at].first + i]);
	if (ret)
		return ret;
	for (begin = callers->path.nr; begin-- > 0;) {
		uint32_t thing = callers->path.data[begin];

		if (things->colours.data[thing] != COLOUR_TITLE &&
		    is_called(named_thing_name(things, thing), callers->function))
			break;
	}
	if (begin == SIZE_MAX) {
		vec_clear(&callers->path);
		return 0;
	}
	memmove(callers->path.data, callers->path.data + begin,
		(callers->path.nr - begin) * sizeof(*callers->path.data));
	callers->path.nr -= begin;
	return 0;
}

int call_tree_make_callers(struct call_tree *callers, const struct call_tree *tree,
			   const char *function, double min_percent)
{
	int ret;

	*callers = (struct call_tree){
		.function = function,
		.things = tree->things,
		.sum = tree->sum,
	};
	ret = begin_tree(callers);
	for (uint32_t i = 1; i < tree->counts.nr && !ret; i++) {
		if (!tree->counts.data[i].self)
			continue;
		ret = find_callers(callers, tree, i);
		if (!ret && callers->path.nr)
			ret = count_path(callers, tree->counts.data[i].self);
	}
	return ret ? ret : end_tree(callers, min_percent);
}

void call_tree_deinit_callers(struct call_tree *callers)
{
	callers->things = (struct named_things){0};
	call_tree_deinit(callers);
}

void call_tree_deinit(struct call_tree *tree)
{
	named_things_deinit(&tree->things);
	stack_trie_deinit(&tree->trie);
	vec_free(&tree->path);
	vec_free(&tree->counts);
	vec_free(&tree->order);
	free(tree->first_child);
}
