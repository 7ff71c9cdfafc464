// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/event_tables.h"

#include "common/cleanup.h"
#include "report/commands/recording_names.h"

struct tables_output {
	const struct event_tables *tables;
	struct rows_summary summary;
	struct textbuf held; /* tables that may have no answer */
	bool has_table;      /* one was printed */
};

static int print_event(const struct printout *p, void *ctx)
{
	struct tables_output *output = ctx;
	int ret;

	if (output->has_table)
		textbuf_char(p->out, '\n');
	output->has_table = true;
	ret = print_headline(p);
	if (ret || printout_note_none(p))
		return ret;
	return output->tables->print(p, output->tables->ctx, &output->summary);
}

static int print_json(const struct printout *p, struct json *json, void *ctx)
{
	struct tables_output *output = ctx;

	return output->tables->print_json(p, json, output->tables->ctx, &output->summary);
}

/* Prints the tables to @out, if one of them has an answer. */
static int print_tables(struct source *source, struct textbuf *out, struct tables_output *output,
			struct err *err)
{
	const bool *has_answer = output->tables->has_answer;
	struct textbuf *to = has_answer ? &output->held : out;
	int ret = output->tables->is_json ? source_print_json(source, to, print_json, output)
					  : source_print_events(source, to, print_event, output);

	if (!ret && has_answer && *has_answer)
		textbuf_bytes(out, output->held.data, output->held.nr);
	return print_error_set(ret ? ret : output->held.error, source->rec.name, err);
}

int event_tables_print(const struct event_tables *tables, const struct operands *operands,
		       const struct source_request *request, struct command_io *io, struct err *err)
{
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(recording_names_deinit) struct recording_names files = {0};
	struct tables_output output = {.tables = tables, .held.fd = -1};
	struct source_request chosen = *request;
	int ret = recording_names_make(&files, operands->names, operands->nr, err);

	if (chosen.view.unnamed == UNNAMED_BY_LAYOUT)
		chosen.view.unnamed = UNNAMED_FUNCTION;
	if (!ret)
		ret = source_load(&source, files.names.data, files.names.nr, &chosen, err);
	if (!ret && tables->check)
		ret = tables->check(tables->ctx, &source, err);
	if (!ret)
		ret = print_tables(&source, &io->out, &output, err);
	textbuf_deinit(&output.held);
	return ret ? ret : command_io_finish(io, &source, 1, &output.summary, err);
}
