/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smaller and the larger of two numbers. */
#ifndef COMMON_MINMAX_H
#define COMMON_MINMAX_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
