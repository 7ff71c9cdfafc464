// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep pack: a recording with the names that this host knows. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "report/commands/commands.h"
#include "report/write/output_file.h"
#include "report/commands/shared_options.h"
#include "report/write/pack.h"

struct pack_options {
	struct source_request request;
	const char *output, *file;
};

static int take_pack_operands(void *options, int nr, char **operands, struct err *err)
{
	struct pack_options *o = options;

	if (nr > 1)
		return err_set(err, -EINVAL, "unexpected operand '%s'", operands[1]);
	o->file = nr ? operands[0] : DEFAULT_RECORDING;
	if (!o->output) {
		err_set(err, -EINVAL, "command pack: needs -o");
		return err_hint(err, -EINVAL, "-o FILE names the new recording");
	}
	if (!strcmp(o->file, "-"))
		return err_set(err, -EINVAL,
			       "command pack: reads a recording twice, so it cannot be '-'");
	return 0;
}

static ssize_t read_input(void *ctx, void *buf, size_t len)
{
	return io_read(*(const int *)ctx, buf, len);
}

static int pack_file(const struct pack_options *o, const struct source *source, struct textbuf *out,
		     uint32_t *nr_short, struct err *err)
{
	_cleanup_close_ int fd = open(o->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct prof_reader *reader = NULL;
	int ret = fd < 0 ? -errno : prof_reader_create(read_input, &fd, &reader);

	if (!ret)
		ret = pack_recording(reader, &source->rec.model, source->found, out, nr_short);
	prof_reader_destroy(reader);
	if (ret && !out->error)
		err_set(err, ret, "failed to pack '%s': %s", o->file, strerror(-ret));
	else if (ret)
		err_set(err, ret, "failed to write '%s': %s", o->output, strerror(-ret));
	return ret;
}

static int run_pack(const void *options, struct command_io *io, struct err *err)
{
	const struct pack_options *o = options;
	_cleanup_(found_names_deinit) struct found_names found = {0};
	_cleanup_(source_deinit) struct source source = {.found = &found};
	const struct source_files input = {&o->file, 1};
	const struct output_request request = {o->output, &input, 1};
	struct output_file file;
	uint32_t nr_short = 0;
	int ret = output_file_check(&request, err);

	if (!ret && found_names_init(&found))
		ret = err_set(err, -ENOMEM, "failed to pack '%s': out of memory", o->file);
	if (!ret)
		ret = source_load(&source, &o->file, 1, &o->request, err);
	if (!ret)
		found_names_sort(&found);
	if (!ret)
		ret = output_file_open(&file, &request, &io->out, err);
	if (!ret)
		ret = output_file_close(&file, pack_file(o, &source, file.out, &nr_short, err),
					err);
	if (!ret && nr_short)
		textbuf_printf(&io->warnings,
			       "WARNING: %u files have more names than an epoch can hold\n",
			       nr_short);
	return ret ? ret : command_io_finish(io, &source, 1, NULL, err);
}

static const struct option_spec pack_rows[] = {
	OPTION_OUTPUT_ROW(struct pack_options, "FILE", "write the new recording to FILE"),
};

static const struct option_table own_options = {pack_rows, ARRAY_SIZE(pack_rows), "output", NULL};

/* Either option adds both, since both are of one look-up. */
static const struct option_spec line_rows[] = {
	OPTION_FLAG_ROW(struct view, inlines, "inlines", 'i',
			.help = "also add inlined functions and lines (needs debug information)"),
	OPTION_FLAG_ROW(struct view, lines, "lines", 0,
			.help = "also add inlined functions and lines (needs debug information)"),
};

static const struct option_table line_options = {line_rows, ARRAY_SIZE(line_rows), "output", NULL};

const struct profrep_command pack_command = {
	COMMAND_TEXTS(
		"pack", "write a recording with the names that this host knows",
		"  profrep pack -o named.prof app.prof  # reports anywhere, without the files\n"
		"  profrep pack -i --lines --debuginfod -o named.prof app.prof\n"),
	.spec.usage = "[OPTIONS] -o FILE [FILE]",
	.spec.parts =
		{
			{&own_options, 0},
			{&line_options, offsetof(struct pack_options, request.view)},
			{&search_options, offsetof(struct pack_options, request.search)},
		},
	.options_size = sizeof(struct pack_options),
	.take_operands = take_pack_operands,
	.run = run_pack,
};
