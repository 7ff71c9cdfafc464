// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/parse.h"

#include <ctype.h>

#include "common/hash.h"
#include "common/index.h"

/* Reads the digits at *@s, and moves *@s past them. */
static int parse_digits(const char **s, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;
	uint64_t v;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	errno = 0;
	v = strtoull(*s, &end, 10);
	if (errno || v < min || v > max)
		return -ERANGE;
	*s = end;
	*value = v;
	return 0;
}

int parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t v;
	int ret;

	for (const char *p = s; *p; p++)
		if (!isdigit((unsigned char)*p))
			return -EINVAL;
	ret = parse_digits(&s, min, max, &v);
	if (ret)
		return ret;
	*value = v;
	return 0;
}

uint64_t parse_hex(char *s, char **end)
{
	uint64_t n = 0;

	for (;; s++) {
		unsigned int digit = (unsigned char)*s - '0';

		if (digit > 9) {
			digit = ((unsigned char)*s | 0x20) - 'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		n = n << 4 | digit;
	}
	*end = s;
	return n;
}

static unsigned int size_shift(char suffix)
{
	switch (suffix) {
	case 'K':
		return 10;
	case 'M':
		return 20;
	case 'G':
		return 30;
	default:
		return 0;
	}
}

int parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *bytes)
{
	size_t len = strlen(s);
	unsigned int shift = len ? size_shift(s[len - 1]) : 0;
	const char *end = s;
	uint64_t value;
	int ret = parse_digits(&end, 0, UINT64_MAX >> shift, &value);

	if (ret == -EINVAL || (!ret && end != s + len - !!shift))
		return -EINVAL;
	if (ret || value << shift < min || value << shift > max)
		return -ERANGE;
	*bytes = value << shift;
	return 0;
}

/* Reads the number at *@s, and moves *@s past it. strtod also takes signs, hex and "inf". */
static int parse_decimal_part(const char **s, double min, double max, double *value)
{
	size_t whole = strspn(*s, "0123456789");
	const char *end = *s + whole;
	size_t fraction = *end == '.' ? strspn(end + 1, "0123456789") : 0;
	double v;

	if (fraction)
		end += 1 + fraction;
	if (!whole || (*end && *end != ','))
		return -EINVAL;
	v = strtod(*s, NULL);
	if (!(v >= min && v <= max))
		return -ERANGE;
	*s = end;
	*value = v;
	return 0;
}

int parse_decimal(const char *s, double min, double max, double *value)
{
	double v;
	int ret = parse_decimal_part(&s, min, max, &v);

	if (ret || *s)
		return ret ? ret : -EINVAL;
	*value = v;
	return 0;
}

int parse_decimals(const char *s, double min, double max, double_vec *list)
{
	for (;;) {
		double value;
		int ret = parse_decimal_part(&s, min, max, &value);

		if (!ret)
			ret = vec_push(list, value);
		if (ret || !*s)
			return ret;
		if (*s++ != ',')
			return -EINVAL;
	}
}

static int push_once(u32_vec *list, struct index *index, uint32_t value)
{
	uint64_t hash = hash_u64(value);

	index_for_each(index, hash, i)
		if (list->data[i] == value)
			return 0;
	if (vec_push(list, value))
		return -ENOMEM;
	return index_insert(index, hash, list->nr - 1);
}

static int parse_list(const char *s, uint32_t min, uint32_t max, bool ranges, u32_vec *list,
		      struct index *index)
{
	for (;;) {
		uint64_t from, to;
		int ret = parse_digits(&s, min, max, &from);

		if (ret)
			return ret;
		to = from;
		if (ranges && *s == '-') {
			s++;
			ret = parse_digits(&s, from, max, &to);
			if (ret)
				return ret;
		}
		for (uint64_t v = from; v <= to; v++) {
			ret = push_once(list, index, v);
			if (ret)
				return ret;
		}
		if (!*s)
			return 0;
		if (*s++ != ',')
			return -EINVAL;
	}
}

int parse_u32_list(const char *s, uint32_t min, uint32_t max, bool ranges, u32_vec *list)
{
	struct index index = {0};
	int ret = 0;

	for (size_t i = 0; i < list->nr && !ret; i++)
		ret = index_insert(&index, hash_u64(list->data[i]), i);
	if (!ret)
		ret = parse_list(s, min, max, ranges, list, &index);
	index_deinit(&index);
	return ret;
}
