// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep tables: recordings as tables for a database. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "report/commands/commands.h"
#include "report/write/output_directory.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/tables/table_scripts.h"
#include "report/tables/tables_writer.h"

/* Pictures of a fleet over time need no shorter ones, and rows are fewer. */
#define SLICE_SECONDS 60

struct tables_options {
	const char *output;
	uint64_t slice_ns;
	struct operands operands;
};

static int take_tables_operands(void *options, int nr, char **operands, struct err *err)
{
	struct tables_options *o = options;

	o->operands = (struct operands){operands, nr};
	if (o->output)
		return 0;
	err_set(err, -EINVAL, "command tables: needs -o");
	return err_hint(err, -EINVAL, "'profrep tables -o day host*.prof'");
}

static void note_recording(void *io, const struct recording *rec)
{
	if (rec->meta)
		command_io_add_recording(io, rec);
	else
		command_io_add_gaps(io, rec);
}

/* Writes the scripts, whose files follow those of the tables. */
static int write_scripts(const int *fds, struct err *err)
{
	for (int i = 0; i < NR_TABLE_SCRIPTS; i++) {
		const struct table_script *script = &table_scripts[i];
		int ret = io_write_all(fds[NR_TABLES + i], script->text, script->len);

		if (ret)
			return err_set(err, ret, "failed to write '%s': %s", script->file,
				       strerror(-ret));
	}
	return 0;
}

/* Standard input can be read once. Lists may name it, too. */
static int check_names(const struct recording_names *names, struct err *err)
{
	size_t nr_streams = 0;

	vec_for_each(&names->names, name)
		nr_streams += !strcmp(*name, "-");
	return nr_streams > 1 ? err_set(err, -EINVAL,
					"failed to make tables: only one recording can be '-'")
			      : 0;
}

static int run_tables(const void *options, struct command_io *io, struct err *err)
{
	const struct tables_options *o = options;
	const char *files[NR_TABLES + NR_TABLE_SCRIPTS];
	_cleanup_(recording_names_deinit) struct recording_names names = {0};
	struct output_directory directory;
	struct tables_request request = {
		.slice_ns = o->slice_ns ? o->slice_ns : SLICE_SECONDS * NS_PER_S,
		.done = note_recording,
		.ctx = io,
	};
	int ret = recording_names_make(&names, o->operands.names, o->operands.nr, err);

	for (int i = 0; i < NR_TABLES; i++)
		files[i] = table_files[i];
	for (int i = 0; i < NR_TABLE_SCRIPTS; i++)
		files[NR_TABLES + i] = table_scripts[i].file;
	if (!ret)
		ret = check_names(&names, err);
	if (!ret)
		ret = output_directory_open(&directory, o->output, files, ARRAY_SIZE(files), err);
	if (ret)
		return ret;
	request.names = names.names.data;
	request.nr = names.names.nr;
	request.fds = directory.fds;
	ret = tables_write(&request, err);
	if (!ret)
		ret = write_scripts(directory.fds, err);
	return output_directory_close(&directory, ret, err);
}

static int parse_slice(const char *text, void *target)
{
	uint64_t ns;

	if (parse_duration(text, NS_PER_S, 3600 * NS_PER_S, &ns) || ns % NS_PER_S)
		return -EINVAL;
	*(uint64_t *)target = ns;
	return 0;
}

static const struct option_spec tables_rows[] = {
	OPTION_OUTPUT_ROW(struct tables_options, "DIR",
			  "write the tables to the new directory DIR"),
	{
		.name = "slice",
		.type = OPTION_PARSED,
		.offset = offsetof(struct tables_options, slice_ns),
		.metavar = "TIME",
		.help = "add up counts within slices of TIME (default 60s)",
		.parse = parse_slice,
		.kind = "a number of whole seconds up to an hour",
		.hint = OPTION_DURATION_HINT,
	},
};

static const struct option_table own_options = {tables_rows, ARRAY_SIZE(tables_rows), "output",
						NULL};

const struct profrep_command tables_command = {
	COMMAND_TEXTS("tables", "write recordings as tables for DuckDB and ClickHouse",
		      "  profrep tables -o day host*.prof\n"
		      "  cd day && duckdb ../fleet.db < duckdb.sql\n"
		      "  profrep pack -o named.prof host.prof   # finds more names, beforehand\n"),
	.spec.usage = "[OPTIONS] -o DIR [FILE|@LIST...]",
	.spec.parts = {{&own_options, 0}},
	.options_size = sizeof(struct tables_options),
	.take_operands = take_tables_operands,
	.run = run_tables,
};
