/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running out of memory at will. common/vec.h and common/index.c allocate through reallocarray,
 * which a program may replace: here it fails from a chosen call on. Included by one file of a
 * program.
 *
 *	oom_for_each_call(n)
 *		run what is tested; every function returns 0 or -ENOMEM; release everything
 *
 * runs the body with the first n calls granted, for n = 0, 1, 2, ... until none fails.
 */
#ifndef TESTS_OOM_H
#define TESTS_OOM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static size_t oom_granted = SIZE_MAX; /* calls that do not fail; SIZE_MAX: all */
static bool oom_hit;

void *reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (!oom_granted) {
		oom_hit = true;
		errno = ENOMEM;
		return NULL;
	}
	if (oom_granted != SIZE_MAX)
		oom_granted--;
	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

static inline bool oom_next(size_t n, bool *more)
{
	if (n && !oom_hit)
		*more = false;
	oom_hit = false;
	oom_granted = *more ? n : SIZE_MAX;
	return *more;
}

#define oom_for_each_call(n)                                                                       \
	for (bool _more = true; _more;)                                                            \
		for (size_t n = 0; oom_next(n, &_more); n++)

#endif
