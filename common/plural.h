/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nouns after numbers. */
#ifndef COMMON_PLURAL_H
#define COMMON_PLURAL_H

#include <stdint.h>

/* Returns the end of a noun after the number @n. */
static inline const char *plural_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
