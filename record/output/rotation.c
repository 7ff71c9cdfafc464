// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/rotation.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/clock.h"
#include "common/parse.h"
#include "record/output/outname.h"

#define SECONDS_MAX    UINT64_C(99999999)
#define SIZE_MAX_G     (1u << 20)
#define SIZE_MAX_BYTES ((uint64_t)SIZE_MAX_G << 30)

int rotation_parse(const char *text, struct rotation *rotation, struct err *err)
{
	int ret = parse_duration(text, NS_PER_S, SECONDS_MAX * NS_PER_S, &rotation->time_ns);

	/* A number without a unit is a time. */
	if (ret == -EINVAL)
		ret = parse_size(text, 1 << 10, SIZE_MAX_BYTES, &rotation->bytes);
	if (ret == -ERANGE)
		return err_set(err, -EINVAL,
			       "option --rotate: %s is out of range (1s to %" PRIu64
			       "s, 1K to %uG)",
			       text, SECONDS_MAX, SIZE_MAX_G);
	if (!ret)
		return 0;
	err_set(err, -EINVAL, "option --rotate: '%s' is not a time or a size", text);
	return err_hint(err, -EINVAL,
			"times are 3600, 60m, 1h; sizes are 64M, 1G (m is minutes, M is MiB)");
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
