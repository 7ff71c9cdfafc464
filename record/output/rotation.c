// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/rotation.h"

#include <errno.h>
#include <string.h>

#include "common/parse.h"
#include "record/output/outname.h"

#define SECONDS_MAX 99999999
#define SIZE_MAX_G  (1u << 20)

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

static int out_of_range(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "option --rotate: %s is out of range (1 to %u seconds, 1K to %uG)", text,
		       SECONDS_MAX, SIZE_MAX_G);
}

int rotation_parse(const char *text, struct rotation *rotation, struct err *err)
{
	size_t len = strlen(text);
	unsigned int shift = len ? size_shift(text[len - 1]) : 0;
	char number[24] = "";
	uint64_t value;
	int ret = -EINVAL;

	if (len < sizeof(number)) {
		memcpy(number, text, shift ? len - 1 : len);
		ret = parse_u64(number, 1,
				shift ? (uint64_t)SIZE_MAX_G << (30 - shift) : SECONDS_MAX, &value);
	}
	if (ret == -ERANGE)
		return out_of_range(text, err);
	if (ret) {
		err_set(err, -EINVAL, "option --rotate: '%s' is not a time or a size", text);
		return err_hint(err, -EINVAL, "a number is seconds; with K, M or G it is a size");
	}
	if (shift)
		rotation->bytes = value << shift;
	else
		rotation->seconds = value;
	return 0;
}

int rotation_check(const struct rotation *rotation, bool wanted, const char *output,
		   struct err *err)
{
	const char *option = wanted ? "--rotate" : "--rotate-keep";
	const char *bad = strcmp(output, "-") ? outname_find_bad(output) : NULL;

	if (bad) {
		err_set(err, -EINVAL, "option -o/--output: '%.2s' in '%s' cannot be replaced", bad,
			output);
		return err_hint(
			err, -EINVAL,
			"conversions are those of strftime(3), such as %%Y%%m%%d-%%H%%M%%S; %%%% is a percent sign");
	}
	if ((!wanted && !rotation->keep) || outname_is_pattern(output))
		return 0;
	if (!strcmp(output, "-"))
		return err_set(err, -EINVAL, "option %s: not allowed with standard output", option);
	err_set(err, -EINVAL, "option %s: '%s' is the name of one file", option, output);
	return err_hint(err, -EINVAL,
			"give -o a pattern of strftime(3): -o %%Y%%m%%d-%%H%%M%%S.prof");
}
