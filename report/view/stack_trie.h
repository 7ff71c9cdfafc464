/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a picture as a tree: stacks that begin alike share their first nodes. A node is a
 * function in a stack. Most nodes have one child and no count, so a branch is a row of nodes, of
 * which only the last one has other children or counts. Branch 0 is the root, which stands for
 * everything. A stack is known by the branch that it ends with, and its counts are cells there: one
 * for each process and each slot of time.
 */
#ifndef REPORT_VIEW_STACK_TRIE_H
#define REPORT_VIEW_STACK_TRIE_H

#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"

/*
 * The most nodes of a page. A browser needs some 40 bytes for each, and a hostile recording can
 * share long stacks among many threads.
 */
#define PAGE_NODES_MAX (UINT32_C(1) << 25)

struct trie_branch {
	uint32_t parent;
	uint32_t first, nr; /* its nodes, in functions; the root has none */
	/* The child that was found or added last, or 0. A sort makes it the first. */
	uint32_t child : 31;
	/* It has many children, which the index finds; those of others are a list. */
	uint32_t is_wide : 1;
	/* The next child of the parent, or 0. After a sort: the first cell + 1, 0 without cells. */
	uint32_t next;
};

struct trie_cell {
	uint32_t branch, process, slot;
	uint64_t count;
};

/* stack_trie_init makes it. */
struct stack_trie {
	VEC(struct trie_branch) branches;
	VEC(uint32_t) functions; /* of all nodes but the root */
	struct index index;      /* of the children of wide branches, by their first functions */
	VEC(struct trie_cell) cells;
};

/* Makes a tree of the root alone. Returns 0 or -ENOMEM. */
int stack_trie_init(struct stack_trie *trie);

/* Releases the tree; an all-zero one is fine. */
void stack_trie_deinit(struct stack_trie *trie);

/*
 * Finds or adds the nodes of the @nr @functions below the end of @branch, and sets *@end to the
 * branch that ends with the last of them. Every *@end stays the end of its stack. Returns 0,
 * -ENOMEM, or -E2BIG beyond PAGE_NODES_MAX.
 */
int stack_trie_add(struct stack_trie *trie, uint32_t branch, const uint32_t *functions, size_t nr,
		   uint32_t *end);

/* A branch in the order of the page: a parent, then its children with all that is below them. */
struct placed_branch {
	uint32_t branch;
	uint32_t depth; /* of its first node; 1: below the root */
};

/*
 * Numbers the functions anew by @new_ids, unless that is NULL. Sorts the cells by branch, process
 * and slot, adds up those that are equal, and sets the first cell of each branch. Sets *@order to
 * all branches but the root, siblings sorted by function; the caller frees it. Returns 0 or
 * -ENOMEM.
 */
int stack_trie_sort(struct stack_trie *trie, const uint32_t *new_ids, struct placed_branch **order);

#endif
