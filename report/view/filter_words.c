// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/filter_words.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"

#define MINUTE_S 60
#define HOUR_S   3600

static void put_quoted(struct textbuf *out, const char *text)
{
	textbuf_char(out, '\'');
	textbuf_escaped(out, text, strlen(text), TEXT_PLAIN);
	textbuf_char(out, '\'');
}

/* Words, and the text between those that are there and the next. */
struct filter_words {
	struct textbuf *out;
	const char *separator;
	bool has_some;
};

static void put_words(struct filter_words *words, const char *text)
{
	textbuf_str(words->out, words->separator);
	textbuf_str(words->out, text);
	words->separator = ", ";
	words->has_some = true;
}

static void put_names(struct filter_words *words, const char *text, const string_vec *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (i)
			textbuf_str(words->out, " or ");
		else
			put_words(words, text);
		put_quoted(words->out, names->data[i]);
	}
}

static void put_ids(struct filter_words *words, const char *text, const u32_vec *ids)
{
	for (size_t i = 0; i < ids->nr; i++) {
		if (i)
			textbuf_str(words->out, " or ");
		else
			put_words(words, text);
		textbuf_u64(words->out, ids->data[i]);
	}
}

/* Appends the values that the user gave for @step. */
static void put_step(struct filter_words *words, const struct sample_filter *filter,
		     enum filter_step step)
{
	static const char *const texts[NR_FILTER_STEPS] = {
		[FILTER_COMM] = "of threads named ",
		[FILTER_PID] = "of process ",
		[FILTER_TID] = "of thread ",
		[FILTER_CGROUP] = "in cgroup ",
		[FILTER_CONTAINER] = "of container ",
		[FILTER_POD] = "of pod ",
		[FILTER_UNIT] = "of unit ",
		[FILTER_SERVICE] = "of service ",
		[FILTER_LABEL] = "of requests with ",
		[FILTER_DSO] = "with frames in ",
		[FILTER_FUNCTION] = "with functions that match ",
		[FILTER_IGNORE] = "without functions that match ",
		[FILTER_MIN_SAMPLES] = "of stacks with at least ",
	};
	const struct option_spec *option = &filter_options[step];
	const void *value = (const char *)filter + option->offset;

	switch (option->type) {
	case OPTION_STRINGS:
		put_names(words, texts[step], value);
		break;
	case OPTION_PIDS:
	case OPTION_TIDS:
		put_ids(words, texts[step], value);
		break;
	case OPTION_STRING:
		put_words(words, texts[step]);
		put_quoted(words->out, *(const char *const *)value);
		break;
	default:
		put_words(words, texts[step]);
		textbuf_printf(words->out, "%" PRIu64 " sample%s", *(const uint64_t *)value,
			       *(const uint64_t *)value == 1 ? "" : "s");
	}
}

/* Appends the decimals of a second, down to the last that is not 0. */
static void put_decimals(struct textbuf *out, uint64_t ns)
{
	int digits = 9;

	if (!ns)
		return;
	for (; ns % 10 == 0; ns /= 10)
		digits--;
	textbuf_printf(out, ".%0*" PRIu64, digits, ns);
}

static void put_date(struct textbuf *out, uint64_t seconds)
{
	time_t since_1970 = seconds;
	char text[sizeof("-2147481748-01-01T00:00:00")];
	struct tm tm;

	if (gmtime_r(&since_1970, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		textbuf_str(out, text);
}

static void put_time(struct filter_words *words, const char *text, const struct time_point *point)
{
	uint64_t seconds = point->ns / NS_PER_S;
	struct textbuf *out = words->out;

	if (point->kind == TIME_NONE)
		return;
	put_words(words, text);
	if (point->kind == TIME_SINCE_START)
		textbuf_u64(out, seconds);
	else if (point->kind == TIME_OF_DAY)
		textbuf_printf(out, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / HOUR_S,
			       seconds % HOUR_S / MINUTE_S, seconds % MINUTE_S);
	else
		put_date(out, seconds);
	put_decimals(out, point->ns % NS_PER_S);
	textbuf_str(out, point->kind == TIME_SINCE_START ? " s"
			 : point->kind == TIME_OF_UTC    ? "Z"
							 : "");
}

bool filter_words_put(const struct sample_filter *filter, const struct timespan *span,
		      const char *before, const char *after, struct textbuf *out)
{
	struct filter_words words = {out, before, false};

	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++)
		if (sample_filter_has(filter, step))
			put_step(&words, filter, step);
	put_time(&words, "from ", &span->from);
	put_time(&words, "up to ", &span->to);
	if (words.has_some)
		textbuf_str(out, after);
	return words.has_some;
}
