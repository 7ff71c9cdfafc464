/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a recording goes: standard output, or a file that appears under its name only when it is
 * complete. Until then it has a name of its own in the same directory, from which what was written
 * can be read should the recorder be killed or the disk fill up.
 */
#ifndef RECORD_OUTPUT_OUTFILE_H
#define RECORD_OUTPUT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct outfile {
	int fd;
	char *path;  /* final name; NULL: standard output */
	bool is_new; /* nothing is replaced: where the name is taken, a number makes it another */
	char *part_path; /* name until it is published */
	struct err *err; /* where outfile_write words its errors */
	/*
	 * Called before each write, with @ctx: returns 0 when @fd can take some bytes, or a
	 * negative errno with the error set. NULL: writes may block.
	 */
	int (*wait)(void *ctx, int fd);
	void *wait_ctx;
};

/* "-" is standard output. Returns 0 or a negative errno with @err set. */
int outfile_open(struct outfile *out, const char *path, struct err *err);

/* The same for a file that must not replace another; not for "-". */
int outfile_open_new(struct outfile *out, const char *path, struct err *err);

/* A prof_write_fn; @ctx is the struct outfile. */
int outfile_write(void *ctx, const void *buf, size_t len);

/*
 * With the privileges in effect: may files be created and renamed where the file is, and may a file
 * that has its final name be replaced? Standard output is fine in any case.
 */
bool outfile_may_create(const struct outfile *out);
bool outfile_may_replace(const struct outfile *out);

/* Makes the file durable and gives it its final name, which is out->path then. */
int outfile_publish(struct outfile *out, struct err *err);

/*
 * Closes what was not published. The unfinished file is removed, or kept with @keep: then the hint
 * of the error says where it is.
 */
void outfile_close(struct outfile *out, bool keep);

#endif
