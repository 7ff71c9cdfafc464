// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/page_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/print/print_errors.h"

/* The page of a recording that has no name. */
#define UNNAMED_RECORDING "profrec"

/* "dir/app.prof" becomes "app.html". The caller frees it. Returns NULL if memory runs out. */
static char *name_page(const char *recording)
{
	const char *slash = strrchr(recording, '/');
	const char *base = slash ? slash + 1 : recording;
	const char *dot = strrchr(base, '.');
	size_t len = dot && !strcmp(dot, ".prof") ? (size_t)(dot - base) : strlen(base);
	char *name = NULL;

	if (!strcmp(recording, "-") || !len) {
		base = UNNAMED_RECORDING;
		len = strlen(base);
	}
	return asprintf(&name, "%.*s.html", (int)len, base) < 0 ? NULL : name;
}

static int print_profiles(struct textbuf *out, const char *recording, struct page_profile *profiles,
			  size_t nr, struct err *err)
{
	int ret = page_print(out, profiles, nr);

	if (ret == -E2BIG) {
		err_set(err, ret, "failed to report '%s': it has too many different stacks",
			recording);
		return err_hint(err, ret, "--from and --to select a part of the recording");
	}
	ret = print_error_set(ret, recording, err);
	return ret ? ret : print_flush(out, err);
}

/* Removes what was written of a file, but no device. */
static void remove_part(int fd, const char *name)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		unlink(name);
}

int page_output_print(struct command_io *io, const char *output, const char *recording,
		      struct page_profile *profiles, size_t nr, struct err *err)
{
	_cleanup_free_ char *named = output ? NULL : name_page(recording);
	const char *name = output ? output : named;
	_cleanup_close_ int fd = -1;
	struct textbuf out;
	int ret;

	if (!name)
		return err_set(err, -ENOMEM, "failed to report '%s': out of memory", recording);
	if (!strcmp(name, "-"))
		return print_profiles(&io->out, recording, profiles, nr, err);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		ret = -errno;
		return err_set(err, ret, "failed to create '%s': %s", name, strerror(-ret));
	}
	out = (struct textbuf){.fd = fd};
	ret = print_profiles(&out, recording, profiles, nr, err);
	if (ret)
		remove_part(fd, name);
	textbuf_deinit(&out);
	return ret;
}
