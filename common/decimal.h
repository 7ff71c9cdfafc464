/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as decimal digits, two at a time: tables of a fleet have billions of them. */
#ifndef COMMON_DECIMAL_H
#define COMMON_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Digits of the longest number. */
#define DECIMAL_DIGITS 20

/* Writes the digits of @value to @to, which has room for DECIMAL_DIGITS. Returns their number. */
size_t decimal_put(char *to, uint64_t value);

#endif
