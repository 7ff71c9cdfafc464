// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/print/print_errors.h"

int output_file_open(struct output_file *file, const char *name, struct textbuf *standard,
		     struct err *err)
{
	int ret;

	*file = (struct output_file){.out = standard, .text.fd = -1};
	if (!name || !strcmp(name, "-"))
		return 0;
	file->text.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (file->text.fd < 0) {
		ret = -errno;
		return err_set(err, ret, "failed to create '%s': %s", name, strerror(-ret));
	}
	file->name = name;
	file->out = &file->text;
	return 0;
}

/* Removes what was written of a file, but no device. */
static void remove_part(const struct output_file *file)
{
	struct stat st;

	if (!fstat(file->text.fd, &st) && S_ISREG(st.st_mode))
		unlink(file->name);
}

int output_file_close(struct output_file *file, int ret, struct err *err)
{
	if (!ret)
		ret = print_flush(file->out, err);
	if (!file->name)
		return ret;
	if (ret)
		remove_part(file);
	textbuf_deinit(&file->text);
	if (close(file->text.fd) && !ret) {
		ret = -errno;
		err_set(err, ret, "failed to write '%s': %s", file->name, strerror(-ret));
	}
	return ret;
}
