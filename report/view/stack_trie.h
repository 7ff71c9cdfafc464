/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a picture as a tree: stacks that begin alike share their first nodes. Node 0 is the
 * root, which stands for everything. A stack is known by its last node, and its counts are cells
 * there: one for each process and each slot of time.
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

struct trie_node {
	uint32_t parent, function;
	/* The child that was found or added last, or 0. A sort makes it the first. */
	uint32_t child;
};

struct trie_cell {
	uint32_t node, process, slot;
	uint64_t count;
};

/* stack_trie_init makes it. */
struct stack_trie {
	VEC(struct trie_node) nodes; /* a parent comes before its children */
	struct index index;
	VEC(struct trie_cell) cells;
};

/* Makes a tree of the root alone. Returns 0 or -ENOMEM. */
int stack_trie_init(struct stack_trie *trie);

/* Releases the tree; an all-zero one is fine. */
void stack_trie_deinit(struct stack_trie *trie);

/* Finds or adds the child of @parent. Returns 0, -ENOMEM, or -E2BIG beyond PAGE_NODES_MAX. */
int stack_trie_child(struct stack_trie *trie, uint32_t parent, uint32_t function, uint32_t *node);

/* A node in the order of the page: a parent, then its children with all that is below them. */
struct placed_node {
	uint32_t node, depth;
};

/*
 * Numbers the functions anew by @new_ids. Sorts the cells by
 * node, process and slot, and adds up those that are equal. Sets *@order to all nodes but the root,
 * siblings sorted by function; the caller frees it. Returns 0 or -ENOMEM.
 */
int stack_trie_sort(struct stack_trie *trie, const uint32_t *new_ids, struct placed_node **order);

#endif
