// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/event_tables.h"

#include "common/cleanup.h"
#include "report/commands/recording_names.h"
#include "report/print/print_errors.h"

struct tables_output {
	const struct event_tables *tables;
	struct rows_summary summary;
	bool has_table; /* one was printed */
};

static int print_event(const struct printout *p, void *ctx)
{
	struct tables_output *output = ctx;
	int ret;

	if (output->has_table)
		textbuf_char(p->out, '\n');
	output->has_table = true;
	ret = print_headline(p);
	textbuf_char(p->out, '\n');
	return ret ? ret : output->tables->print(p, output->tables->ctx, &output->summary);
}

int event_tables_print(const struct event_tables *tables, const struct operands *operands,
		       const struct source_request *request, struct command_io *io, struct err *err)
{
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(recording_names_deinit) struct recording_names files = {0};
	struct tables_output output = {.tables = tables};
	struct source_request chosen = *request;
	int ret = recording_names_make(&files, operands->names, operands->nr, err);

	if (chosen.view.unnamed == UNNAMED_BY_LAYOUT)
		chosen.view.unnamed = UNNAMED_FUNCTION;
	if (!ret)
		ret = source_load(&source, files.names.data, files.names.nr, &chosen, err);
	if (!ret && tables->check)
		ret = tables->check(tables->ctx, &source, err);
	if (!ret)
		ret = print_error_set(source_print_events(&source, &io->out, print_event, &output),
				      source.rec.name, err);
	return ret ? ret : command_io_finish(io, &source, 1, &output.summary, err);
}
