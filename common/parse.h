/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and lists of numbers as users write them. A number is parsed whole and checked against
 * its range. Nothing is silently cut, wrapped or taken for zero.
 */
#ifndef COMMON_PARSE_H
#define COMMON_PARSE_H

#include <stdint.h>

#include "common/vec.h"

typedef VEC(uint32_t) u32_vec;
typedef VEC(uint64_t) u64_vec;

/*
 * Parses the decimal number @s. Returns 0, -EINVAL for text that is no number, or -ERANGE for a
 * number outside [min, max]. Sets *@value on success only.
 */
int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value);

/* The value of a hexadecimal digit; -1: it is none. */
static inline int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/*
 * Works as strtoull(s, end, 16), for text without a sign or a prefix. strtoull would take most of
 * the time of reading a line of /proc/kallsyms.
 */
uint64_t parse_hex(char *s, char **end);

/*
 * Parses a size in bytes: "4096", or a number with K, M, G or T, or KiB to TiB, after it for powers
 * of 1024, "64K" or "1.5GiB". Returns 0, -EINVAL for text that is no size, or -ERANGE for a size
 * outside [min, max]. Sets *@bytes on success only.
 */
int parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *bytes);

/*
 * Parses a length of time: seconds, "30" or "0.5", or a number with ns, us, ms, s, m, h or d after
 * it, "500ms" or "1.5h". Returns 0, -EINVAL for text that is no such length, or -ERANGE for one
 * outside [min, max]. Sets *@ns on success only.
 */
int parse_duration(const char *s, uint64_t min, uint64_t max, uint64_t *ns);

/*
 * Parses a decimal number with or without a fraction, "12" or "0.5". Returns 0, -EINVAL for text
 * that is no such number, or -ERANGE for a number outside [min, max]. Sets *@value on success only.
 */
int parse_decimal(const char *s, double min, double max, double *value);

/* Parses such a number with or without a percent sign at its end. Returns as parse_decimal. */
int parse_percent(const char *s, double min, double max, double *value);

typedef VEC(double) double_vec;

/*
 * Parses "N[,N...]" of such numbers and appends them to @list. Returns 0, -EINVAL or -ERANGE like
 * parse_decimal, or -ENOMEM. After an error @list may have grown.
 */
int parse_decimals(const char *s, double min, double max, double_vec *list);

/*
 * Parses "N[,N...]" and appends each number to @list once. With @ranges, "A-B" stands for all
 * numbers from A to B. Returns 0, -EINVAL or -ERANGE like parse_u64, or -ENOMEM. After an error
 * @list may have grown.
 */
int parse_u32_list(const char *s, uint32_t min, uint32_t max, bool ranges, u32_vec *list);

#endif
