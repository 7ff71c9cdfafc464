// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep tree and profrep callers: stacks as a tree of text. */
#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/parse.h"
#include "report/commands/commands.h"
#include "report/commands/event_tables.h"
#include "report/commands/function_operand.h"
#include "report/commands/shared_options.h"
#include "report/print/print_tree.h"

#define USUAL_PERCENT 1.0

struct tree_options {
	struct source_request request;
	struct tree_layout layout;
	bool is_json;
	struct operands operands;
};

struct tree_tables {
	struct tree_layout layout;
	bool has_function; /* in some event */
};

static int print_event(const struct printout *p, void *ctx, struct rows_summary *summary)
{
	struct tree_tables *tables = ctx;

	return print_tree(p, &tables->layout, summary, &tables->has_function);
}

static int print_json(const struct printout *p, struct json *json, void *ctx,
		      struct rows_summary *summary)
{
	struct tree_tables *tables = ctx;

	return print_tree_json(p, &tables->layout, json, summary, &tables->has_function);
}

static int run_tree(const void *options, struct command_io *io, struct err *err)
{
	const struct tree_options *o = options;
	struct tree_tables trees = {.layout = o->layout};
	const struct event_tables tables = {
		.print = print_event,
		.print_json = print_json,
		.is_json = o->is_json,
		.has_answer = o->layout.function ? &trees.has_function : NULL,
		.ctx = &trees,
	};
	struct source_request request = o->request;
	char similar[256] = "";
	int ret;

	trees.layout.similar = similar;
	trees.layout.similar_size = sizeof(similar);
	request.view.prefers_language = !o->layout.function;
	terminal_look(&trees.layout.terminal, STDOUT_FILENO);
	if (!trees.layout.min_percent)
		trees.layout.min_percent = USUAL_PERCENT;
	ret = event_tables_print(&tables, &o->operands, &request, io, err);
	if (ret || trees.has_function || !o->layout.function)
		return ret;
	if (similar[0])
		return err_set(
			err, -ENOENT,
			"failed to report callers: no stack has a function '%s'; did you mean '%s'?",
			o->layout.function, similar);
	err_set(err, -ENOENT, "failed to report callers: no stack has a function '%s'",
		o->layout.function);
	return err_hint(err, -ENOENT, "'profrep top' lists functions, --function REGEX searches");
}

static int take_callers_operands(void *options, int nr, char **operands, struct err *err)
{
	struct tree_options *o = options;

	return function_operand_take("callers", nr, operands, &o->layout.function, &o->operands,
				     err);
}

static int parse_share(const char *text, void *target)
{
	return parse_percent(text, 0.001, 100, target);
}

static const struct option_spec tree_rows[] = {
	OPTION_ROW(struct tree_options, OPTION_PARSED, layout.min_percent, "min-percent", 0,
		   .metavar = "P",
		   .help = "leave out branches below P percent of all samples (default 1)",
		   .parse = parse_share, .kind = "a percentage from 0.001 to 100"),
	OPTION_FLAG_ROW(struct tree_options, is_json, "json", 0,
			.help = "print the nodes of the tree as JSON"),
};

static const struct option_table own_options = {tree_rows, ARRAY_SIZE(tree_rows), "output", NULL};

const struct profrep_command tree_command = {
	COMMAND_TEXTS("tree", "print stacks as a tree, from threads to the functions they ran",
		      "  profrep tree app.prof            # branches of 1 % and more\n"
		      "  profrep tree --min-percent 5 --comm nginx app.prof\n"),
	.spec.parts = {{&own_options, 0},
		       OPTION_PART(struct tree_options, unit_options, request.view),
		       OPTION_PART(struct tree_options, lead_options, request.view),
		       OPTION_PART(struct tree_options, thread_options, request.span),
		       STACK_OPTION_PARTS(struct tree_options)},
	SEVERAL_RECORDINGS(struct tree_options),
	.run = run_tree,
};

const struct profrep_command callers_command = {
	COMMAND_TEXTS("callers", "print the callers of a function as a tree",
		      "  profrep callers malloc app.prof  # who called malloc\n"
		      "  profrep callers __schedule --comm nginx app.prof\n"),
	.spec.usage = "[OPTIONS] FUNCTION [FILE|@LIST...]",
	.spec.parts = {{&own_options, 0},
		       OPTION_PART(struct tree_options, unit_options, request.view),
		       OPTION_PART(struct tree_options, lead_options, request.view),
		       OPTION_PART(struct tree_options, thread_options, request.span),
		       STACK_OPTION_PARTS(struct tree_options)},
	.options_size = sizeof(struct tree_options),
	.take_operands = take_callers_operands,
	.run = run_tree,
};
