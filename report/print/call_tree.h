/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as a tree whose nodes are counted: from the root to the leaf, or from a function to its
 * callers. All nodes of a branch have one total, and only the last one has a count of its own.
 */
#ifndef REPORT_PRINT_CALL_TREE_H
#define REPORT_PRINT_CALL_TREE_H

#include "report/view/stack_trie.h"
#include "report/print/named_things.h"

struct call_count {
	uint64_t self, total;
};

/* call_tree_make makes it. */
struct call_tree {
	struct named_things things;
	const char *function;          /* whose callers are wanted; NULL: stacks from the root */
	struct stack_trie trie;        /* its functions are things */
	VEC(uint32_t) path;            /* of the row that is being added */
	VEC(struct call_count) counts; /* by branch */
	uint64_t sum;                  /* of all rows, also those that lack the function */
	/* The branches to show, by parent, then total, the largest first, then name. */
	VEC(uint32_t) order;
	uint32_t *first_child; /* by branch: its place in order; 0: none */
};

/*
 * Makes the tree of the rows of the event of @p. Without @function it begins with the names of
 * threads and goes on to the leaves. With @function it goes from functions of this name to their
 * callers and ends with the names of threads. If a stack has the function several times, the
 * outermost counts, so that each row counts once. Nodes below @min_percent of all counts are
 * not in the order. Adds the stacks that rows lack to @summary.
 * Returns 0, -ENOMEM, or -E2BIG for too many nodes. Call call_tree_deinit in all cases.
 */
int call_tree_make(struct call_tree *tree, const struct printout *p, const char *function,
		   double min_percent, struct rows_summary *summary);

/*
 * Makes the tree of the callers of @function of a @tree that begins with threads, as call_tree_make
 * does of rows. @callers borrows the things and the name; call call_tree_deinit_callers in all
 * cases.
 */
int call_tree_make_callers(struct call_tree *callers, const struct call_tree *tree,
			   const char *function, double min_percent);

void call_tree_deinit(struct call_tree *tree);
void call_tree_deinit_callers(struct call_tree *callers);

#endif
