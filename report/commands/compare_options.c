// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/compare_options.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/shared_options.h"
#include "report/compare/compared_sources.h"

/* Units of work that nobody exceeds. */
#define WORK_MAX 1e18

static int parse_per(const char *text, void *target)
{
	static const char *const names[] = {[PER_SAMPLES] = "samples", [PER_CPU] = "cpu", NULL};
	const struct word_list words = {.names = names};
	struct compare_request *request = target;

	request->work.nr = 0;
	if (!word_list_find(&words, text, &request->per))
		return 0;
	request->per = PER_WORK;
	return parse_decimals(text, 1e-9, WORK_MAX, &request->work);
}

static const struct option_spec compare_rows[] = {
	OPTION_ROW(
		struct compare_request, OPTION_CHOICE, by, "by", 0, .metavar = "KIND",
		.help = "compare by function, stack, dso, cgroup, container, pod or unit (of systemd)",
		.words.names = tally_by_words),
	{
		.name = "per",
		.type = OPTION_PARSED,
		.metavar = "UNIT",
		.help = "compare shares of samples (samples), CPU time (cpu), or CPU time per unit of work, of which the recordings did N[,N...]",
		.parse = parse_per,
		.kind = "a unit",
		.hint = "units are samples, cpu, and work: a number, or one for each recording",
	},
};

const struct option_table compare_options = {compare_rows, ARRAY_SIZE(compare_rows), "comparison",
					     NULL};
