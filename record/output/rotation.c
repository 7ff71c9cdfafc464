// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/rotation.h"

#include <errno.h>
#include <string.h>

#include "common/parse.h"
#include "record/output/outname.h"

#define SECONDS_MAX    99999999
#define SIZE_MAX_G     (1u << 20)
#define SIZE_MAX_BYTES ((uint64_t)SIZE_MAX_G << 30)

static int out_of_range(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "option --rotate: %s is out of range (1 to %u seconds, 1K to %uG)", text,
		       SECONDS_MAX, SIZE_MAX_G);
}

int rotation_parse(const char *text, struct rotation *rotation, struct err *err)
{
	size_t len = strlen(text);
	bool is_size = len && strchr("KMG", text[len - 1]);
	uint64_t value;
	int ret = is_size ? parse_size(text, 1, SIZE_MAX_BYTES, &value)
			  : parse_u64(text, 1, SECONDS_MAX, &value);

	if (ret == -ERANGE)
		return out_of_range(text, err);
	if (ret) {
		err_set(err, -EINVAL, "option --rotate: '%s' is not a time or a size", text);
		return err_hint(err, -EINVAL, "a number is seconds; with K, M or G it is a size");
	}
	if (is_size)
		rotation->bytes = value;
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
