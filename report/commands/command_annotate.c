// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep annotate: samples by the lines or the instructions of a function. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/event_tables.h"
#include "report/commands/function_operand.h"
#include "report/commands/shared_options.h"
#include "report/print/print_annotation.h"

struct annotate_options {
	struct source_request request;
	struct annotate_layout layout;
	bool is_json;
	struct operands operands;
};

struct annotate_tables {
	struct annotate_layout layout;
	struct annotate_outcome outcome;
};

static int print_event(const struct printout *p, void *ctx, struct rows_summary *summary)
{
	struct annotate_tables *tables = ctx;

	return print_annotation(p, &tables->layout, summary, &tables->outcome);
}

static int print_json(const struct printout *p, struct json *json, void *ctx,
		      struct rows_summary *summary)
{
	struct annotate_tables *tables = ctx;

	return print_annotation_json(p, &tables->layout, json, summary, &tables->outcome);
}

/* Words the error if nothing was printed. */
static int check_outcome(const struct annotate_tables *tables, struct err *err)
{
	const struct annotate_outcome *outcome = &tables->outcome;
	const char *function = tables->layout.function;

	if (outcome->is_known)
		return 0;
	if (!outcome->has_function && outcome->similar[0])
		return err_set(err, -ENOENT,
			       "failed to annotate '%s': no stack has it; did you mean '%s'?",
			       function, outcome->similar);
	if (!outcome->has_function) {
		err_set(err, -ENOENT, "failed to annotate '%s': no stack has it", function);
		return err_hint(err, -ENOENT,
				"'profrep top' lists functions, --function REGEX searches");
	}
	err_set(err, -ENODATA, "failed to annotate '%s': no line of its code is known", function);
	if (outcome->is_of_language)
		return err_hint(
			err, -ENODATA,
			"of interpreted functions, recordings have the line of the definition (-s); 'profrep tree --function %s' shows the native functions that it calls, too",
			function);
	return err_hint(
		err, -ENODATA,
		"its file needs debug information (gcc -g): see 'profrep files', --debug-dir and --debuginfod; --asm shows instructions");
}

static int run_annotate(const void *options, struct command_io *io, struct err *err)
{
	const struct annotate_options *o = options;
	struct annotate_tables annotated = {.layout = o->layout};
	struct source_request request = o->request;
	const struct event_tables tables = {
		.print = print_event,
		.print_json = print_json,
		.is_json = o->is_json,
		.has_answer = &annotated.outcome.is_known,
		.ctx = &annotated,
	};
	int ret = source_dirs_check(&o->layout.dirs, err);

	if (ret)
		return ret;
	/* An inlined function has lines of its own. */
	request.view.inlines = true;
	terminal_look(&annotated.layout.terminal, STDOUT_FILENO);
	ret = event_tables_print(&tables, &o->operands, &request, io, err);
	if (ret && annotated.outcome.failure.text[0])
		*err = annotated.outcome.failure;
	return ret ? ret : check_outcome(&annotated, err);
}

static int take_operands(void *options, int nr, char **operands, struct err *err)
{
	struct annotate_options *o = options;

	return function_operand_take("annotate", nr, operands, &o->layout.function, &o->operands,
				     err);
}

static const struct option_spec annotate_rows[] = {
	OPTION_FLAG_ROW(struct annotate_options, layout.has_instructions, "asm", 0,
			.help = "show instructions, by objdump of binutils, instead of lines"),
	OPTION_FLAG_ROW(struct annotate_options, is_json, "json", 0,
			.help = "print lines or instructions with samples as JSON"),
};

static const struct option_table own_options = {annotate_rows, ARRAY_SIZE(annotate_rows), "output",
						NULL};

const struct profrep_command annotate_command = {
	COMMAND_TEXTS("annotate", "print the lines or instructions of a function",
		      "  profrep annotate func_a app.prof # lines with their samples\n"
		      "  profrep annotate --source src/ func_a app.prof\n"
		      "  profrep annotate --asm func_a app.prof\n"),
	.spec.usage = "[OPTIONS] FUNCTION [FILE|@LIST...]",
	.spec.parts =
		{
			OPTION_PART(struct annotate_options, source_options, layout.dirs),
			{&own_options, 0},
			OPTION_PART(struct annotate_options, name_options, request.view),
			OPTION_PART(struct annotate_options, side_options, request.view),
			OPTION_PART(struct annotate_options, event_options, request.event),
			OPTION_PART(struct annotate_options, timespan_options, request.span),
			OPTION_PART(struct annotate_options, owner_options, request.filter),
			OPTION_PART(struct annotate_options, stack_options, request.filter),
			OPTION_PART(struct annotate_options, search_options, request.search),
		},
	.options_size = sizeof(struct annotate_options),
	.take_operands = take_operands,
	.run = run_annotate,
};
