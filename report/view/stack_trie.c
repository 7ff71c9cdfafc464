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
	return vec_push(&trie->branches, ((struct trie_branch){0}));
}

void stack_trie_deinit(struct stack_trie *trie)
{
	vec_free(&trie->branches);
	vec_free(&trie->functions);
	vec_free(&trie->cells);
	index_deinit(&trie->index);
}

/* The most children of a branch that are searched one by one. */
#define LIST_MAX 16

static uint64_t hash_child(uint32_t parent, uint32_t function)
{
	return hash_u64((uint64_t)parent << 32 | function);
}

static uint32_t first_function(const struct stack_trie *trie, uint32_t branch)
{
	return trie->functions.data[trie->branches.data[branch].first];
}

/* Enters the listed children of @parent into the index. */
static int widen(struct stack_trie *trie, uint32_t parent)
{
	struct trie_branch *branches = trie->branches.data;
	int ret = 0;

	for (uint32_t i = branches[parent].child; i && !ret; i = branches[i].next)
		ret = index_insert(&trie->index, hash_child(parent, first_function(trie, i)), i);
	branches[parent].is_wide = true;
	return ret;
}

/* Returns the child of a wide branch, 0 if there is none. */
static uint32_t find_indexed(const struct stack_trie *trie, uint32_t parent, uint32_t function)
{
	index_for_each(&trie->index, hash_child(parent, function), i)
		if (trie->branches.data[i].parent == parent && first_function(trie, i) == function)
			return i;
	return 0;
}

/*
 * Returns the child of a branch that is not wide, which becomes the first of the list, 0 if there
 * is none. Counts the children that it passes in *@nr.
 */
static uint32_t find_listed(struct stack_trie *trie, uint32_t parent, uint32_t function,
			    uint32_t *nr)
{
	struct trie_branch *branches = trie->branches.data;
	uint32_t before = 0;

	for (uint32_t i = branches[parent].child; i; before = i, i = branches[i].next, ++*nr) {
		if (first_function(trie, i) != function)
			continue;
		if (before) {
			branches[before].next = branches[i].next;
			branches[i].next = branches[parent].child;
		}
		return i;
	}
	return 0;
}

/* Sets *@child to the child of @parent that begins with @function, 0 if there is none. */
static int find_child(struct stack_trie *trie, uint32_t parent, uint32_t function, uint32_t *child)
{
	uint32_t last = trie->branches.data[parent].child, nr = 0;

	/* A stack mostly begins like the one before. */
	if (last && first_function(trie, last) == function)
		*child = last;
	else if (trie->branches.data[parent].is_wide)
		*child = find_indexed(trie, parent, function);
	else
		*child = find_listed(trie, parent, function, &nr);
	if (*child)
		trie->branches.data[parent].child = *child;
	return nr == LIST_MAX && !*child ? widen(trie, parent) : 0;
}

static int add_child(struct stack_trie *trie, uint32_t parent, const uint32_t *functions, size_t nr,
		     uint32_t *child)
{
	const struct trie_branch added = {
		.parent = parent,
		.first = trie->functions.nr,
		.nr = nr,
		.next = trie->branches.data[parent].child,
	};
	int ret;

	/* The root is a node, too. */
	if (nr >= PAGE_NODES_MAX - trie->functions.nr)
		return -E2BIG;
	ret = vec_append(&trie->functions, functions, nr);
	if (ret)
		return ret;
	if (trie->branches.data[parent].is_wide)
		ret = index_push(&trie->index, &trie->branches, hash_child(parent, functions[0]),
				 added);
	else
		ret = vec_push(&trie->branches, added);
	if (ret)
		return ret;
	*child = trie->branches.nr - 1;
	trie->branches.data[parent].child = *child;
	return 0;
}

/*
 * Makes the first @nr nodes of @branch, which was found last, a branch of their own, *@upper. The
 * rest keeps the number, because stacks end there.
 */
static int split(struct stack_trie *trie, uint32_t branch, uint32_t nr, uint32_t *upper)
{
	struct trie_branch *lower = &trie->branches.data[branch], added = *lower;
	uint32_t parent = lower->parent;
	int ret;

	added.nr = nr;
	added.child = branch;
	added.is_wide = false;
	ret = vec_push(&trie->branches, added);
	if (ret)
		return ret;
	*upper = trie->branches.nr - 1;
	lower = &trie->branches.data[branch];
	lower->parent = *upper;
	lower->first += nr;
	lower->nr -= nr;
	lower->next = 0;
	if (trie->branches.data[parent].is_wide)
		index_replace(&trie->index, hash_child(parent, first_function(trie, *upper)),
			      branch, *upper);
	trie->branches.data[parent].child = *upper;
	return 0;
}

int stack_trie_add(struct stack_trie *trie, uint32_t branch, const uint32_t *functions, size_t nr,
		   uint32_t *end)
{
	int ret = 0;

	while (nr && !ret) {
		const struct trie_branch *found;
		uint32_t child, same = 1;

		ret = find_child(trie, branch, functions[0], &child);
		if (ret)
			break;
		if (!child) {
			ret = add_child(trie, branch, functions, nr, &branch);
			break;
		}
		found = &trie->branches.data[child];
		while (same < found->nr && same < nr &&
		       trie->functions.data[found->first + same] == functions[same])
			same++;
		branch = child;
		if (same < found->nr)
			ret = split(trie, child, same, &branch);
		functions += same;
		nr -= same;
	}
	*end = branch;
	return ret;
}

static int compare_cells(const void *a, const void *b)
{
	const struct trie_cell *x = a, *y = b;

	COMPARE(x->branch, y->branch);
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

static int compare_branches(const void *a, const void *b, void *ctx)
{
	const uint32_t *x = a, *y = b;
	const struct stack_trie *trie = ctx;

	COMPARE(first_function(trie, *x), first_function(trie, *y));
	return 0;
}

/* Sorts the children of a branch by function. Most branches have no child or two. */
static void sort_children(struct stack_trie *trie, uint32_t *sorted, uint32_t branch)
{
	struct trie_branch *branches = trie->branches.data;
	uint32_t before = 0;
	size_t nr = 0;

	if (!branches[branch].child || !branches[branches[branch].child].next)
		return;
	for (uint32_t child = branches[branch].child; child; child = branches[child].next)
		sorted[nr++] = child;
	qsort_r(sorted, nr, sizeof(*sorted), compare_branches, trie);
	branches[branch].child = sorted[0];
	for (size_t i = 0; i < nr; before = sorted[i++])
		if (before)
			branches[before].next = sorted[i];
	branches[before].next = 0;
}

/* Makes the lists of the children of wide branches. */
static void link_children(struct stack_trie *trie)
{
	struct trie_branch *branches = trie->branches.data;

	if (!trie->index.nr)
		return;
	for (size_t i = 0; i < trie->branches.nr; i++)
		if (branches[i].is_wide)
			branches[i].child = 0;
	for (size_t i = trie->branches.nr - 1; i; i--) {
		struct trie_branch *parent = &branches[branches[i].parent];

		if (!parent->is_wide)
			continue;
		branches[i].next = parent->child;
		parent->child = i;
	}
}

static void place_branches(struct stack_trie *trie, uint32_t *sorted, struct placed_branch *order)
{
	const struct trie_branch *branches = trie->branches.data;
	uint32_t branch = 0, depth = 1;
	size_t nr = 0;

	for (;;) {
		uint32_t next;

		sort_children(trie, sorted, branch);
		for (next = branches[branch].child; !next && branch;) {
			next = branches[branch].next;
			depth -= branches[branch].nr;
			branch = branches[branch].parent;
		}
		if (!next)
			return;
		branch = next;
		order[nr++] = (struct placed_branch){branch, depth};
		depth += branches[branch].nr;
	}
}

/* The lists of children are not needed any more. */
static void place_cells(struct stack_trie *trie)
{
	struct trie_branch *branches = trie->branches.data;

	for (size_t i = 0; i < trie->branches.nr; i++)
		branches[i].next = 0;
	for (size_t i = trie->cells.nr; i-- > 0;)
		branches[trie->cells.data[i].branch].next = i + 1;
}

int stack_trie_sort(struct stack_trie *trie, const uint32_t *new_ids, struct placed_branch **order)
{
	size_t nr = trie->branches.nr;
	_cleanup_free_ uint32_t *sorted = calloc(nr, sizeof(*sorted));
	_cleanup_free_ struct placed_branch *placed = calloc(nr, sizeof(*placed));

	if (!sorted || !placed)
		return -ENOMEM;
	for (size_t i = 0; new_ids && i < trie->functions.nr; i++)
		trie->functions.data[i] = new_ids[trie->functions.data[i]];
	link_children(trie);
	/* No branch is searched any more. */
	index_deinit(&trie->index);
	place_branches(trie, sorted, placed);
	sort_cells(trie);
	place_cells(trie);
	*order = TAKE_PTR(placed);
	return 0;
}
