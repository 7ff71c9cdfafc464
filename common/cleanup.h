/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound ownership. A local with one of these attributes is released when its scope ends,
 * unless TAKE_PTR or TAKE_FD has moved it out. Every such local starts at NULL or -1.
 */
#ifndef COMMON_CLEANUP_H
#define COMMON_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_   __attribute__((cleanup(cleanup_free)))
#define _cleanup_close_  __attribute__((cleanup(cleanup_close)))
#define _cleanup_fclose_ __attribute__((cleanup(cleanup_fclose)))
#define _cleanup_(f)     __attribute__((cleanup(f)))

#define TAKE_PTR(p)                                                                                \
	({                                                                                         \
		__auto_type _taken = (p);                                                          \
		(p) = NULL;                                                                        \
		_taken;                                                                            \
	})

#define TAKE_FD(fd)                                                                                \
	({                                                                                         \
		int _taken = (fd);                                                                 \
		(fd) = -1;                                                                         \
		_taken;                                                                            \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
