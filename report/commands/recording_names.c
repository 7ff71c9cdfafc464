// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/recording_names.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/readfile.h"
#include "report/commands/commands.h"

/* Names of a million recordings. */
#define LIST_BYTES_MAX (64u << 20)

/* Adds the lines of @text, in which newlines become ends of strings. Empty lines are no names. */
static int add_lines(struct recording_names *names, char *text)
{
	char *rest = text, *line;
	int ret = 0;

	while (!ret && (line = strsep(&rest, "\n")))
		if (line[0])
			ret = vec_push(&names->names, line);
	return ret;
}

static int add_list(struct recording_names *names, const char *path, struct err *err)
{
	size_t nr_before = names->names.nr;
	char_vec text = {0};
	int ret = read_file(path, LIST_BYTES_MAX, &text);

	if (!ret)
		ret = vec_push(&names->inputs, path);
	if (!ret)
		ret = vec_push(&names->lists, text.data);
	if (ret)
		vec_free(&text);
	else
		ret = add_lines(names, text.data);
	if (ret)
		return err_set(err, ret, "failed to read the list '%s': %s", path, strerror(-ret));
	if (names->names.nr == nr_before)
		return err_set(err, -ENODATA, "failed to read the list '%s': it names no recording",
			       path);
	return 0;
}

int recording_names_make(struct recording_names *names, char *const *operands, int nr,
			 struct err *err)
{
	int ret = nr ? 0 : vec_push(&names->names, DEFAULT_RECORDING);

	for (int i = 0; i < nr && !ret; i++) {
		if (operands[i][0] == '@') {
			ret = add_list(names, operands[i] + 1, err);
			if (ret)
				return ret;
		} else {
			ret = vec_push(&names->names, operands[i]);
		}
	}
	if (!ret)
		ret = vec_append(&names->inputs, names->names.data, names->names.nr);
	return ret ? err_set(err, ret, "failed to read the names: %s", strerror(-ret)) : 0;
}

void recording_names_deinit(struct recording_names *names)
{
	vec_for_each(&names->lists, text)
		free(*text);
	vec_free(&names->lists);
	vec_free(&names->inputs);
	vec_free(&names->names);
}

bool may_be_recording(const char *word)
{
	const char *suffix = strrchr(word, '.');

	return (suffix && !strcmp(suffix, ".prof")) || !access(word, F_OK);
}
