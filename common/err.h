/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An error with its context. The lowest function that knows the object (file, section, offset)
 * formats the message. Its callers pass the negative errno on. Only main prints.
 *
 * Grammar of a message: "failed to <verb> '<object>': <reason>". The hint, if any, is one line that
 * tells the user how to go on.
 */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

#include <stdio.h>

struct err {
	char text[512];
	char hint[384];
};

/* Sets the message and clears the hint. @err may be NULL. Returns @code, a negative errno. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Adds the hint to a message that was set. @err may be NULL. Returns @code. */
int err_hint(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prints "<program>: <text>" and the hint to @out, control characters escaped (TEXT_MESSAGE). */
void err_print(const struct err *err, const char *program, FILE *out);

#endif
