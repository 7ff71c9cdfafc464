/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growable arrays. VEC(type) declares an array, which starts all zero, and vec_free releases it.
 * Growth doubles the capacity. Sizes are checked before they are multiplied.
 */
#ifndef COMMON_VEC_H
#define COMMON_VEC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *data;                                                                        \
		size_t nr, cap;                                                                    \
	}

typedef VEC(char) char_vec;

/*
 * Capacity after an array's first allocation. There are thousands of small arrays, for example of
 * mappings.
 */
#define VEC_FIRST_CAP 4

static inline int vec_grow_raw(void **data, size_t *cap, size_t want, size_t elem_size)
{
	size_t new_cap = *cap ? *cap : VEC_FIRST_CAP;
	void *p;

	while (new_cap < want) {
		if (new_cap > SIZE_MAX / 2)
			return -ENOMEM;
		new_cap *= 2;
	}
	p = reallocarray(*data, new_cap, elem_size);
	if (!p)
		return -ENOMEM;
	*data = p;
	*cap = new_cap;
	return 0;
}

/* Makes room for @n more elements. Returns 0 or -ENOMEM. */
#define vec_reserve(v, n)                                                                          \
	({                                                                                         \
		size_t _want = (v)->nr + (n);                                                      \
		_want <= (v)->cap                                                                  \
			? 0                                                                        \
			: vec_grow_raw((void **)&(v)->data, &(v)->cap, _want, sizeof(*(v)->data)); \
	})

/* The bytes of memory that the array holds. */
#define vec_bytes(v) ((v)->cap * sizeof(*(v)->data))

/* Appends one element. Returns 0 or -ENOMEM. */
#define vec_push(v, elem)                                                                          \
	({                                                                                         \
		int _ret = vec_reserve(v, 1);                                                      \
		if (!_ret)                                                                         \
			(v)->data[(v)->nr++] = (elem);                                             \
		_ret;                                                                              \
	})

/* Appends @n elements from @src. Returns 0 or -ENOMEM. */
#define vec_append(v, src, n)                                                                      \
	({                                                                                         \
		size_t _n = (n);                                                                   \
		int _ret = vec_reserve(v, _n);                                                     \
		if (!_ret && _n) {                                                                 \
			memcpy((v)->data + (v)->nr, (src), _n * sizeof(*(v)->data));               \
			(v)->nr += _n;                                                             \
		}                                                                                  \
		_ret;                                                                              \
	})

#define vec_clear(v) ((v)->nr = 0)

#define vec_free(v)                                                                                \
	do {                                                                                       \
		free((v)->data);                                                                   \
		(v)->data = NULL;                                                                  \
		(v)->nr = (v)->cap = 0;                                                            \
	} while (0)

/* An empty array has no data, and nothing may be added to NULL, not even 0. */
#define vec_for_each(v, it)                                                                        \
	for (__typeof__((v)->data + 0) it = (v)->data; (v)->nr && it < (v)->data + (v)->nr; it++)

#endif
