/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search. */
#ifndef COMMON_SEARCH_H
#define COMMON_SEARCH_H

#include <stddef.h>

/*
 * Returns the first index @i in [0, nr) for which @condition holds, or @nr if there is none. The
 * condition, an expression with @i in it, must hold for all indexes after one for which it holds.
 *
 *	at = search_first(vec->nr, i, vec->data[i].start >= addr);
 */
#define search_first(nr, i, condition)                                                             \
	({                                                                                         \
		size_t _low = 0, _high = (nr);                                                     \
                                                                                                   \
		while (_low < _high) {                                                             \
			size_t i = _low + (_high - _low) / 2;                                      \
                                                                                                   \
			if (condition)                                                             \
				_high = i;                                                         \
			else                                                                       \
				_low = i + 1;                                                      \
		}                                                                                  \
		_low;                                                                              \
	})

#endif
