/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file or stream that a recording is written to: standard output, or a file that gets its name
 * only when it is complete. Until then the file has another name in the same directory. There it
 * can be read if somebody kills the recorder or the disk fills up.
 */
#ifndef RECORD_OUTPUT_OUTFILE_H
#define RECORD_OUTPUT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct outfile {
	int fd;
	char *path;      /* final name; NULL: standard output */
	bool is_new;     /* replaces no file: if the name is taken, a number is added to the name */
	char *part_path; /* name until outfile_publish; NULL: standard output, or published */
	struct err *err; /* outfile_write words its errors into this; borrowed */
	/*
	 * outfile_write calls this before each write, with @wait_ctx. Returns 0 when @fd can take
	 * some bytes, or a negative errno with the error set. NULL: writes may block.
	 */
	int (*wait)(void *ctx, int fd);
	void *wait_ctx;
	bool is_unread; /* a write has found that no reader is left */
	bool is_given;  /* the file belongs to the user who called sudo(8) */
};

/*
 * Opens standard output if @path is "-", else creates the file. Symbolic links of this user lead to
 * the file that is written. A new file in a directory of the user who called sudo(8) is that
 * user's. @err must outlive @out. Returns 0 or a negative errno with @err set. The caller calls
 * outfile_close in either case.
 */
int outfile_open(struct outfile *out, const char *path, struct err *err);

/* As outfile_open, for a file that must not replace another. "-" is the name of a file here. */
int outfile_open_new(struct outfile *out, const char *path, struct err *err);

/* A prof_write_fn; @ctx is the struct outfile. Words errors into the outfile's err. */
int outfile_write(void *ctx, const void *buf, size_t len);

/*
 * With the privileges in effect: may this process create and rename files in the directory of the
 * file? For standard output the answer is yes.
 */
bool outfile_may_create(const struct outfile *out);

/* May this process also replace a file that has the final name? */
bool outfile_may_replace(const struct outfile *out);

/*
 * Makes the file durable, gives it its final name, and sets out->path to that name. Returns 0 or a
 * negative errno with @err set.
 */
int outfile_publish(struct outfile *out, struct err *err);

/*
 * Closes the file. Removes a file that was not published, unless @keep says to keep it: then the
 * hint of the error says where the file is.
 */
void outfile_close(struct outfile *out, bool keep);

#endif
