/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running out of memory at will. common/vec.h and common/index.c allocate through reallocarray,
 * which a program may replace: here a chosen call fails. One file of a program includes this.
 *
 *	oom_for_each_call(n)
 *		run the code under test, whose functions return 0 or -ENOMEM; release all
 *
 * runs the body with the first n calls granted, for n = 0, 1, 2, ... until none fails. First all
 * later calls fail; then, from n = 0 again, only one.
 */
#ifndef TESTS_OOM_H
#define TESTS_OOM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static size_t oom_granted = SIZE_MAX; /* calls that do not fail; SIZE_MAX: all */
static bool oom_hit, oom_once;

void *reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (!oom_granted) {
		oom_hit = true;
		if (oom_once)
			oom_granted = SIZE_MAX;
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

/* Prepares the next run of the body. Returns false after the last. */
static inline bool oom_next(size_t *n, bool *more)
{
	if (*more && *n && !oom_hit) {
		*more = !oom_once;
		*n = 0;
		oom_once = true;
	}
	oom_hit = false;
	oom_granted = *more ? *n : SIZE_MAX;
	return *more;
}

#define oom_for_each_call(n)                                                                       \
	for (bool _more = !(oom_once = false); _more;)                                             \
		for (size_t n = 0; oom_next(&n, &_more); n++)

#endif
