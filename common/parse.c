// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/parse.h"

#include <ctype.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
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

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{"", NS_PER_S},         {"ns", 1},
	{"us", NS_PER_US},      {"ms", NS_PER_MS},
	{"s", NS_PER_S},        {"m", 60 * NS_PER_S},
	{"h", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S},
};

static const struct unit size_units[] = {
	{"", 1},          {"K", 1 << 10},           {"KiB", 1 << 10},
	{"M", 1 << 20},   {"MiB", 1 << 20},         {"G", 1 << 30},
	{"GiB", 1 << 30}, {"T", UINT64_C(1) << 40}, {"TiB", UINT64_C(1) << 40},
};

/* Digits of a fraction that count: their value, and that of a 1 before them, fit in 64 bits. */
#define FRACTION_DIGITS 18

/* Reads ".25" or nothing at *@s: *@part of *@whole. */
static int parse_fraction(const char **s, uint64_t *part, uint64_t *whole)
{
	*part = 0;
	*whole = 1;
	if (**s != '.')
		return 0;
	if (!isdigit((unsigned char)*++*s))
		return -EINVAL;
	for (int i = 0; isdigit((unsigned char)**s); (*s)++, i++) {
		if (i >= FRACTION_DIGITS)
			continue;
		*whole *= 10;
		*part = *part * 10 + (**s - '0');
	}
	return 0;
}

/* Parses a decimal number, and one of the @nr units after it. What is below 1 is cut off. */
static int parse_with_unit(const char *s, const struct unit *units, size_t nr, uint64_t min,
			   uint64_t max, uint64_t *value)
{
	uint64_t number, part, whole;
	int range = parse_digits(&s, 0, UINT64_MAX, &number);

	if (range == -EINVAL)
		return range;
	/* A number of more than 64 bits is one all the same. */
	if (range)
		s += strspn(s, "0123456789");
	if (parse_fraction(&s, &part, &whole))
		return -EINVAL;
	for (size_t i = 0; i < nr; i++) {
		unsigned __int128 v = (unsigned __int128)part * units[i].factor / whole;

		if (strcmp(units[i].name, s) != 0)
			continue;
		if (!range)
			v += (unsigned __int128)number * units[i].factor;
		if (range || v < min || v > max)
			return -ERANGE;
		*value = v;
		return 0;
	}
	return -EINVAL;
}

int parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *bytes)
{
	return parse_with_unit(s, size_units, ARRAY_SIZE(size_units), min, max, bytes);
}

int parse_duration(const char *s, uint64_t min, uint64_t max, uint64_t *ns)
{
	return parse_with_unit(s, time_units, ARRAY_SIZE(time_units), min, max, ns);
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

int parse_percent(const char *s, double min, double max, double *value)
{
	char number[32];
	size_t len = strlen(s);

	if (!len || s[len - 1] != '%' || len > sizeof(number))
		return parse_decimal(s, min, max, value);
	memcpy(number, s, len - 1);
	number[len - 1] = '\0';
	return parse_decimal(number, min, max, value);
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
