// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct step {
	const char *name;
	double factor;
};

/* From the largest to the smallest, which is 1. */
static const struct step times[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
static const struct step sizes[] = {
	{"TiB", 1ull << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};

/* Returns true if @value, in the unit below @step without decimals, is one of @step. */
static bool rounds_up(double value, const struct step *step)
{
	return value + 0.5 * step[1].factor >= step->factor;
}

static const char *scale(double value, const struct step *step, char text[AMOUNT_SIZE])
{
	double scaled;
	int decimals;

	if (!value)
		return strcpy(text, "0");
	/* 999.6 ms are 1.00 s, and not 1000 ms. */
	while (step->factor > 1 && value < step->factor && !rounds_up(value, step))
		step++;
	scaled = value / step->factor;
	if (scaled >= 99.95)
		decimals = 0;
	else
		decimals = scaled >= 9.995 ? 1 : 2;
	/* A count has no parts of the smallest unit. A mean has. */
	if (step->factor == 1 && value == (double)(uint64_t)value)
		decimals = 0;
	snprintf(text, AMOUNT_SIZE, "%.*f %s", decimals, scaled, step->name);
	return text;
}

const char *amount_time(double ns, enum amount_unit shown, char text[AMOUNT_SIZE])
{
	if (shown == AMOUNT_S)
		snprintf(text, AMOUNT_SIZE, "%.4g s", ns / 1e9);
	else if (shown == AMOUNT_MS)
		snprintf(text, AMOUNT_SIZE, "%.4g ms", ns / 1e6);
	else
		scale(ns, times, text);
	return text;
}

const char *amount_text(uint64_t value, uint8_t unit, enum amount_unit shown,
			char text[AMOUNT_SIZE])
{
	if (!amount_has_unit(unit, shown))
		snprintf(text, AMOUNT_SIZE, "%" PRIu64, value);
	else if (shown == AMOUNT_AUTO)
		scale(value, unit == PROF_UNIT_NS ? times : sizes, text);
	else if (shown == AMOUNT_S)
		snprintf(text, AMOUNT_SIZE, "%.3f s", value / 1e9);
	else
		snprintf(text, AMOUNT_SIZE, "%.3f ms", value / 1e6);
	return text;
}
