// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/model/event_choice.h"
#include "tests/unit/suite.h"

static const struct prof_event events[] = {
	{.kind = PROF_EVENT_USER_CALLS, .name = "c:malloc", .weight = ""},
	{.kind = PROF_EVENT_USER_CALLS,
	 .unit = PROF_UNIT_BYTES,
	 .name = "c:malloc",
	 .weight = "arg1"},
	{.kind = PROF_EVENT_OFF_CPU, .unit = PROF_UNIT_NS, .name = "1", .weight = ""},
	{.kind = PROF_EVENT_SAMPLES, .name = "cycles", .weight = ""},
	{.kind = PROF_EVENT_SAMPLES, .unit = PROF_UNIT_NS, .name = "cpu", .weight = ""},
	{.kind = PROF_EVENT_TRACEPOINT, .unit = PROF_UNIT_NUMBER, .name = "t:a:b", .weight = "f"},
};
static const struct prof_meta several = {
	.event = "", .events = events, .nr_events = ARRAY_SIZE(events)};
static const struct prof_meta samples = {.event = "cpu-clock"};

static void expect(const struct prof_meta *meta, const char *wanted, uint32_t first, uint32_t nr)
{
	struct event_choice choice;

	ck_assert_int_eq(event_choose(meta, "f", wanted, &choice, NULL), 0);
	ck_assert_uint_eq(choice.first, first);
	ck_assert_uint_eq(choice.nr, nr);
}

static void expect_none(const struct prof_meta *meta, const char *wanted, const char *text)
{
	struct event_choice choice = {77, 77};
	struct err err;

	ck_assert_int_eq(event_choose(meta, "f", wanted, &choice, &err), -EINVAL);
	ck_assert_str_eq(err.text, text);
	ck_assert_uint_eq(choice.first, 77);
}

START_TEST(names_and_numbers)
{
	expect(&several, NULL, 0, ARRAY_SIZE(events));
	expect(&several, "cycles", 3, 1);
	expect(&several, "2", 1, 1);
	/* A name wins over a number. */
	expect(&several, "1", 2, 1);
	expect(&samples, NULL, 0, 1);
	expect(&samples, "cpu-clock", 0, 1);
	expect(&samples, "1", 0, 1);
}
END_TEST

START_TEST(refusals)
{
	expect_none(&several, "c:malloc", "failed to report 'f': 2 events are called 'c:malloc'");
	expect_none(&several, "c:mallo",
		    "failed to report 'f': it has no event 'c:mallo'; did you mean 'c:malloc'?");
	expect_none(&several, "0", "failed to report 'f': it has no event '0'");
	expect_none(&several, "7", "failed to report 'f': it has no event '7'");
	expect_none(&several, "", "failed to report 'f': it has no event ''");
	expect_none(&samples, "2", "failed to report 'f': it has no event '2'");
}
END_TEST

START_TEST(single)
{
	const struct event_choice one = {2, 1}, all = {0, 6};
	struct err err;

	ck_assert_int_eq(event_choice_check_single(&one, &several, "f", &err), 0);
	ck_assert_int_eq(event_choice_check_single(&all, &several, "f", &err), -EINVAL);
	ck_assert_str_eq(
		err.text,
		"failed to report 'f': it has 6 events, and this output must be of one event");
	ck_assert_str_eq(
		err.hint,
		"its events, for --event NUMBER or NAME: 1 'c:malloc', 2 'c:malloc' (arg1), 3 '1', 4 'cycles', 5 'cpu', 6 't:a:b' (f)");
}
END_TEST

/* A list of very many events is cut where the text of a hint has no more room. */
START_TEST(long_list)
{
	struct prof_event many[PROF_MAX_EVENTS];
	const struct prof_meta meta = {.event = "", .events = many, .nr_events = PROF_MAX_EVENTS};
	const char *end = "...; 'profrep info' lists all";
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = events[1];
	ck_assert_int_eq(event_choose(&meta, "f", "no", &(struct event_choice){0}, &err), -EINVAL);
	ck_assert_str_eq(err.hint + strlen(err.hint) - strlen(end), end);
}
END_TEST

START_TEST(unit_words)
{
	static const char *const units[] = {"hits",    "bytes",       "nanoseconds",
					    "samples", "nanoseconds", "numbers"};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		ck_assert_str_eq(event_unit(&several, i), units[i]);
	ck_assert_str_eq(event_unit(&samples, 0), "samples");
	ck_assert_str_eq(event_weight(&several, 1), "arg1");
	ck_assert_str_eq(event_weight(&samples, 0), "");
}
END_TEST

SUITE_MAIN("event_choice", names_and_numbers, refusals, single, long_list, unit_words)
