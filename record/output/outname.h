/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of recordings. The option -o gives a name, or a pattern of strftime(3) that makes names. */
#ifndef RECORD_OUTPUT_OUTNAME_H
#define RECORD_OUTPUT_OUTNAME_H

#include <stdbool.h>
#include <time.h>

/* Has @name a conversion of strftime(3)? "%%" is a conversion, too. */
bool outname_is_pattern(const char *name);

/* Has the directory of @name a conversion? Then the recordings may be in several directories. */
bool outname_has_pattern_dir(const char *name);

/*
 * Returns the first '%' in @pattern that begins no allowed conversion, or NULL. Conversions are
 * allowed if they have no flag and no width, and if their result has no slash and no line break.
 */
const char *outname_find_bad(const char *pattern);

/*
 * Makes a name of @pattern and the local time at @when. The caller frees *@name. Returns 0,
 * -ENAMETOOLONG or -ENOMEM.
 */
int outname_expand(const char *pattern, time_t when, char **name);

/*
 * Puts @number before the extension of @name: "a.prof" becomes "a_1.prof". With 0 the name stays as
 * it is. Returns a string that the caller frees, or NULL when memory is out.
 */
char *outname_number(const char *name, unsigned int number);

#endif
