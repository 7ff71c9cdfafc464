// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/page_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

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
	return print_error_set(ret, recording, err);
}

/*
 * The request with a name for the page, which is also set in *@named if the caller has to free it.
 */
static int name_request(const struct output_request *request, const char *recording,
			struct output_request *page, char **named, struct err *err)
{
	*page = *request;
	if (request->name)
		return 0;
	*named = name_page(recording);
	page->name = *named;
	return *named ? 0
		      : err_set(err, -ENOMEM, "failed to report '%s': out of memory", recording);
}

int page_output_check(const struct output_request *request, const char *recording, struct err *err)
{
	_cleanup_free_ char *named = NULL;
	struct output_request page;
	int ret = name_request(request, recording, &page, &named, err);

	return ret ? ret : output_file_check(&page, err);
}

int page_output_print(struct command_io *io, const struct output_request *request,
		      const char *recording, struct page_profile *profiles, size_t nr,
		      struct err *err)
{
	_cleanup_free_ char *named = NULL;
	struct output_request page;
	struct output_file file;
	int ret = name_request(request, recording, &page, &named, err);

	if (!ret)
		ret = output_file_open(&file, &page, &io->out, err);
	if (ret)
		return ret;
	ret = print_profiles(file.out, recording, profiles, nr, err);
	ret = output_file_close(&file, ret, err);
	/* A script knows the name. */
	if (!ret && named && isatty(STDERR_FILENO))
		textbuf_printf(&io->warnings, "profrep: wrote %s, for a browser\n", named);
	return ret;
}
