/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of recordings: what -o gives, which may be a pattern of strftime(3). */
#ifndef RECORD_OUTPUT_OUTNAME_H
#define RECORD_OUTPUT_OUTNAME_H

#include <stdbool.h>
#include <time.h>

/* Is there a conversion to be replaced in @name? "%%" is one, too. */
bool outname_is_pattern(const char *name);

/* Is there one in its directory? Then the names it makes may be in different ones. */
bool outname_has_pattern_dir(const char *name);

/*
 * The first '%' in @pattern that begins no conversion we take, or NULL. Taken are the conversions
 * whose result holds no slash and no line break, without flags and widths.
 */
const char *outname_find_bad(const char *pattern);

/*
 * The name that @pattern makes of @when, local time. *@name is the caller's to free. Returns 0,
 * -ENAMETOOLONG or -ENOMEM.
 */
int outname_expand(const char *pattern, time_t when, char **name);

/*
 * @name with a number before its extension: "a.prof" is "a_1.prof" with 1, and itself with 0. The
 * caller frees it. NULL when memory is out.
 */
char *outname_number(const char *name, unsigned int number);

#endif
