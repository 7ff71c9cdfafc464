/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints stacks as a tree of text: callers to callees, or a function and its callers. */
#ifndef REPORT_PRINT_PRINT_TREE_H
#define REPORT_PRINT_PRINT_TREE_H

#include "report/print/call_tree.h"
#include "report/text/json_writer.h"

struct tree_layout {
	double min_percent;   /* of all samples; smaller branches are left out */
	const char *function; /* its callers; NULL: callees of all */
	struct terminal terminal;
	char *similar; /* gets a name that may be meant if no stack has the function */
	size_t similar_size;
};

/*
 * Prints the tree of the event of @p. Functions below each other call each other. A plus begins a
 * branch, where a function has several callees or the counts differ. Adds the stacks that rows lack
 * to @summary. Returns 0, -ENOMEM, or -E2BIG for too many nodes. Sets *@has_function if the tree
 * has a row.
 */
int print_tree(const struct printout *p, const struct tree_layout *layout,
	       struct rows_summary *summary, bool *has_function);

/* Prints the callers of @layout's function in @tree, which begins with threads, with the title. */
int print_callers(const struct call_tree *tree, const struct tree_layout *layout,
		  struct textbuf *out);

/*
 * Appends the same as members of JSON: a list of nodes, each after its parent, since JSON readers
 * do not nest as deep as stacks.
 */
int print_tree_json(const struct printout *p, const struct tree_layout *layout, struct json *json,
		    struct rows_summary *summary, bool *has_function);

#endif
