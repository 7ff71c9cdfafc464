// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep merge: several recordings as one. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/write/batches.h"
#include "report/write/output_file.h"

struct merge_options {
	const char *output;
	struct operands operands;
};

static int take_merge_operands(void *options, int nr, char **operands, struct err *err)
{
	struct merge_options *o = options;

	o->operands = (struct operands){operands, nr};
	if (o->output)
		return 0;
	err_set(err, -EINVAL, "command merge: needs -o");
	return err_hint(err, -EINVAL, "'profrep merge -o all.prof a.prof b.prof'");
}

static int check_names(const struct recording_names *names, struct err *err)
{
	vec_for_each(&names->names, name)
		if (!strcmp(*name, "-") && names->names.nr > 1)
			return err_set(err, -EINVAL,
				       "command merge: reads recordings twice, so none can be '-'");
	return 0;
}

static int open_output(const struct merge_options *o, const struct recording_names *names,
		       struct output_file *file, struct textbuf *standard, struct err *err)
{
	const struct source_files inputs = {names->inputs.data, names->inputs.nr};
	const struct output_request request = {o->output, &inputs, 1};

	return output_file_open(file, &request, standard, err);
}

static void note_gaps(void *io, const struct recording *batch)
{
	command_io_add_gaps(io, batch);
}

static int merge_all(const struct recording_names *names, struct textbuf *out,
		     struct command_io *io, struct err *err)
{
	_cleanup_(merger_deinit) struct merger merger = {0};
	size_t nr = names->names.nr;
	int ret = merger_begin(&merger, names->names.data, nr, out, err);

	if (!ret)
		ret = batches_merge(&merger, names->names.data, nr, note_gaps, io, err);
	return ret ? ret : merger_end(&merger, err);
}

static int copy_one(const char *name, struct textbuf *out, struct command_io *io, struct err *err)
{
	const struct timespan everything = {0};
	_cleanup_(recording_deinit) struct recording rec = {0};
	int ret = recording_open(&rec, name, &everything, err);

	if (!ret)
		ret = merger_copy(&rec, out, err);
	if (!ret)
		command_io_add_recording(io, &rec);
	return ret;
}

static int run_merge(const void *options, struct command_io *io, struct err *err)
{
	const struct merge_options *o = options;
	_cleanup_(recording_names_deinit) struct recording_names names = {0};
	struct output_file file;
	int ret = recording_names_make(&names, o->operands.names, o->operands.nr, err);

	if (!ret)
		ret = check_names(&names, err);
	if (!ret)
		ret = open_output(o, &names, &file, &io->out, err);
	if (ret)
		return ret;
	ret = names.names.nr == 1 ? copy_one(names.names.data[0], file.out, io, err)
				  : merge_all(&names, file.out, io, err);
	return output_file_close(&file, ret, err);
}

static const struct option_spec merge_rows[] = {
	OPTION_OUTPUT_ROW(struct merge_options, "FILE",
			  "write the new recording to FILE, or to standard output if it is -"),
};

static const struct option_table own_options = {merge_rows, ARRAY_SIZE(merge_rows), "output", NULL};

const struct profrep_command merge_command = {
	COMMAND_TEXTS("merge", "write several recordings as one, of any hosts",
		      "  profrep merge -o all.prof host*.prof\n"
		      "  profrep merge -o all.prof @names # of all recordings in a list\n"),
	.spec.usage = "[OPTIONS] -o FILE [FILE|@LIST...]",
	.spec.parts = {{&own_options, 0}},
	.options_size = sizeof(struct merge_options),
	.take_operands = take_merge_operands,
	.run = run_merge,
};
