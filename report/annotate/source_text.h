/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of source files, by the paths that debug information has. Whoever made a binary chose
 * these paths, so a file is only read below the directories that the user names, or, where there
 * are none, if its name is that of source code.
 */
#ifndef REPORT_ANNOTATE_SOURCE_TEXT_H
#define REPORT_ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vec.h"
#include "report/text/textbuf.h"

#define SOURCE_DIRS_MAX 16

/* Directories that the user names. All zero: none. */
struct source_dirs {
	const char *names[SOURCE_DIRS_MAX];
	size_t nr;
};

/* All zero: no text. */
struct source_text {
	char_vec bytes;
	VEC(size_t) starts; /* of lines, from line 1 on */
	int64_t changed_ns; /* time of the last change, since 1970 */
};

/* Returns 0, or a negative errno with @err set if one of @dirs is no directory. */
int source_dirs_check(const struct source_dirs *dirs, struct err *err);

/*
 * Reads the file at @path. In each of @dirs, the longest end of the path that is a file there is
 * taken. @text is empty if there is no such file. Returns 0 or -ENOMEM.
 */
int source_text_read(const struct source_dirs *dirs, const char *path, struct source_text *text);

void source_text_free(struct source_text *text);

/* Appends line @line, escaped, with blanks for tabs. Appends nothing if there is no such line. */
void source_text_put(const struct source_text *text, uint64_t line, struct textbuf *out);

#endif
