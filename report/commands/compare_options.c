// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/compare_options.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/shared_options.h"
#include "report/compare/compared_sources.h"

/* Units of work that nobody exceeds. */
#define WORK_MAX 1e18

/* The name is printed as it is. */
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

/* Reads "NAME=" at the begin of *@text, if it is there, and moves *@text behind it. */
static int parse_work_name(const char **text, char name[WORK_NAME_MAX + 1])
{
	size_t len = strspn(*text, NAME_CHARS);

	name[0] = '\0';
	if ((*text)[len] != '=')
		return 0;
	if (!len || len > WORK_NAME_MAX)
		return -EINVAL;
	memcpy(name, *text, len);
	name[len] = '\0';
	*text += len + 1;
	return 0;
}

static int parse_per(const char *text, void *target)
{
	static const char *const names[] = {"samples", "share", "cpu", NULL};
	static const enum denominator denominators[] = {PER_SAMPLES, PER_SAMPLES, PER_CPU};
	const struct word_list words = {.names = names};
	struct compare_request *request = target;
	unsigned int word;

	request->work.nr = 0;
	request->per = PER_WORK;
	if (parse_work_name(&text, request->work_name))
		return -EINVAL;
	if (request->work_name[0] && !word_list_find(&words, request->work_name, &word))
		return -EINVAL;
	if (request->work_name[0] || word_list_find(&words, text, &word))
		return parse_decimals(text, 1e-9, WORK_MAX, &request->work);
	request->per = denominators[word];
	return 0;
}

static const struct option_spec compare_rows[] = {
	OPTION_ROW(
		struct compare_request, OPTION_CHOICE, by, "by", 0, .metavar = "KIND",
		.help = "compare by function, stack, dso, cgroup, container, pod, unit (of systemd) or service",
		.words.names = tally_by_words),
	{
		.name = "per",
		.type = OPTION_PARSED,
		.metavar = "UNIT",
		.help = "compare shares of samples (share or samples), CPU time (cpu), or CPU time per unit of work, of which the recordings did N[,N...], or request=N[,N...] to name the unit",
		.parse = parse_per,
		.kind = "a unit",
		.hint = "units are share, cpu, and work: a number or one for each recording, as in request=1000,1200",
	},
};

const struct option_table compare_options = {compare_rows, ARRAY_SIZE(compare_rows), "comparison",
					     NULL};
