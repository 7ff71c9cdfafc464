/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions around addresses of a unit. Each hit gets the innermost function that covers it: a
 * node. The nodes around that one are the functions into which it was inlined, out to the function
 * of the code itself.
 *
 * The entries of a unit are a tree. One pass reads it, and leaves out what covers no hit.
 */
#ifndef REPORT_DWARF_INLINE_TREE_H
#define REPORT_DWARF_INLINE_TREE_H

#include "report/dwarf/dwarf_units.h"
#include "report/dwarf/line_program.h"

#define INLINE_NODE_NONE UINT32_MAX

struct inline_node {
	uint32_t parent; /* INLINE_NODE_NONE: no function around it is known */
	bool is_inlined; /* false: the function of the code itself */
	/* The entry with the function's name, perhaps by way of others. */
	const struct dwarf_unit *unit;
	uint64_t die_off;
	uint64_t call_file; /* in the line table; of inlined functions */
	uint32_t call_line;
};

/* All zero: empty. */
struct inline_tree {
	VEC(struct inline_node) nodes;
};

/*
 * Gives each of the @nr hits, sorted by address, its node, or INLINE_NODE_NONE. Forgets the nodes
 * of the unit before. Errors are in @work.
 */
void inline_tree_read(struct inline_tree *tree, const struct dwarf_unit *unit,
		      const struct abbrev_table *abbrevs, struct dwarf_work *work,
		      struct unit_hit *hits, size_t nr);

void inline_tree_deinit(struct inline_tree *tree);

#endif
