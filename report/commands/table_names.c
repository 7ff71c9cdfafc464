// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/table_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/output/output_file.h"
#include "report/view/print_errors.h"
#include "report/view/source.h"
#include "report/tables/named_frames.h"
#include "report/tables/table_rows.h"

/* A table of the directory, to be read. */
struct table_file {
	char *path;
	int fd;
	struct table_lines lines;
};

static int open_table(struct table_file *table, const char *directory, const char *file,
		      uint32_t nr_fields, struct err *err)
{
	*table = (struct table_file){.fd = -1};
	if (asprintf(&table->path, "%s/%s", directory, file) < 0) {
		table->path = NULL;
		return err_set(err, -ENOMEM, "failed to name frames: out of memory");
	}
	table->fd = open(table->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (table->fd < 0) {
		int ret = -errno;

		return err_set(err, ret, "failed to open '%s': %s", table->path, strerror(-ret));
	}
	return table_lines_open(&table->lines, table->fd, table->path, nr_fields, err);
}

static void close_table(struct table_file *table)
{
	table_lines_close(&table->lines);
	if (table->fd >= 0)
		close(table->fd);
	free(table->path);
}

static void print_result(struct textbuf *out, const struct naming_result *result)
{
	textbuf_printf(out,
		       "frames of files and kernels:    %" PRIu64 "\n"
		       "named by files:                 %" PRIu64 "\n"
		       "named by recordings:            %" PRIu64 "\n"
		       "without a name:                 %" PRIu64 "\n"
		       "files, and those not found:     %" PRIu64 ", %" PRIu64 "\n",
		       result->nr_frames, result->nr_by_file, result->nr_by_recording,
		       result->nr_unnamed, result->nr_objects, result->nr_missing);
}

static int write_names(const struct naming_request *naming, const struct table_file *symbols,
		       struct naming_result *result, struct err *err)
{
	const struct output_request output = {.name = symbols->path};
	struct textbuf none = {.fd = -1};
	struct output_file file;
	int ret = output_file_open(&file, &output, &none, err);

	if (ret)
		return ret;
	ret = named_frames_write(naming, file.out, result, err);
	return output_file_close(&file, ret, err);
}

static int name_tables(const struct table_names_request *request, struct source_search *search,
		       struct command_io *io, struct err *err)
{
	struct demangler_account account = {.style = DEMANGLE_FULL};
	struct naming_result result;
	struct table_file frames, symbols = {.fd = -1};
	const struct naming_request naming = {
		.frames = &frames.lines,
		.symbols = &symbols.lines,
		.roots = &search->roots,
		.pairs = &search->pairs,
		.has_inlines = request->has_inlines,
		.has_lines = request->has_lines,
		.account = &account,
	};
	int ret = open_table(&frames, request->directory, table_files[TABLE_FRAMES],
			     TABLE_FRAME_FIELDS, err);

	if (!ret)
		ret = open_table(&symbols, request->directory, table_files[TABLE_SYMBOLS],
				 TABLE_SYMBOL_FIELDS, err);
	if (!ret)
		ret = write_names(&naming, &symbols, &result, err);
	if (!ret)
		print_result(&io->out, &result);
	command_io_add_search(io, &account, &search->fetcher);
	close_table(&frames);
	close_table(&symbols);
	demangler_account_deinit(&account);
	return ret;
}

int table_names_write(const struct table_names_request *request, struct command_io *io,
		      struct err *err)
{
	struct source_search search;
	int ret = source_search_open(&search, request->search, err);

	search.roots.needs_lines = request->has_inlines || request->has_lines;
	search.roots.needs_binary = true;
	if (!ret)
		ret = name_tables(request, &search, io, err);
	source_search_close(&search);
	return ret ? ret : print_flush(&io->out, err);
}
