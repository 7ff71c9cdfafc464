// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "format/headline.h"
#include "tests/unit/suite.h"

static char *format_samples(const struct prof_meta *meta, uint64_t duration_ns)
{
	return headline_format(meta, NULL, &(struct headline_facts){.duration_ns = duration_ns});
}

static void expect(const struct prof_meta *meta, uint64_t duration_s, const char *want)
{
	char *text = format_samples(meta, duration_s * NS_PER_S);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(all_threads)
{
	expect(&(struct prof_meta){.freq_hz = 49}, 0,
	       "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.freq_hz = 49}, 30,
	       "Sampling at 49 Hertz of all threads by user + kernel stack for 30 secs.");
}
END_TEST

/* bcc samples the CPU alone, so its line names no event. */
START_TEST(other_events)
{
	expect(&(struct prof_meta){.event = "cycles", .freq_hz = 49}, 30,
	       "Sampling at 49 Hertz of all threads by user + kernel stack for 30 secs.");
	expect(&(struct prof_meta){.event = "cpu-clock", .freq_hz = 49}, 30,
	       "Sampling at 49 Hertz of all threads by user + kernel stack for 30 secs.");
	expect(&(struct prof_meta){.event = "page-faults", .period = 1}, 30,
	       "Sampling page-faults at every 1 events of all threads by user + kernel stack for 30 secs.");
	expect(&(struct prof_meta){.event = "cpu-clock:u", .freq_hz = 49}, 30,
	       "Sampling cpu-clock:u at 49 Hertz of all threads by user + kernel stack for 30 secs.");
}
END_TEST

START_TEST(pid_list)
{
	static const uint32_t pids[] = {2040, 1316151};

	expect(&(struct prof_meta){.freq_hz = 99, .pids = pids, .nr_pids = 1}, 1,
	       "Sampling at 99 Hertz of PID [2040] by user + kernel stack for 1 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .pids = pids, .nr_pids = 2}, 0,
	       "Sampling at 49 Hertz of PID [2040, 1316151] by user + kernel stack... Hit Ctrl-C to end.");
}
END_TEST

START_TEST(tid_list)
{
	static const uint32_t tids[] = {185, 186};

	expect(&(struct prof_meta){.freq_hz = 49, .tids = tids, .nr_tids = 1}, 0,
	       "Sampling at 49 Hertz of TID [185] by user + kernel stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.period = 1, .tids = tids, .nr_tids = 2}, 3,
	       "Sampling at every 1 events of TID [185, 186] by user + kernel stack for 3 secs.");
}
END_TEST

START_TEST(period_sides_cpu)
{
	expect(&(struct prof_meta){.period = 1000000, .sides = PROF_SIDES_USER}, 0,
	       "Sampling at every 1000000 events of all threads by user stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.freq_hz = 49, .sides = PROF_SIDES_KERNEL, .only_cpu = 8}, 2,
	       "Sampling at 49 Hertz of all threads by kernel stack on CPU#7 for 2 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .only_cpu = 1}, 2,
	       "Sampling at 49 Hertz of all threads by user + kernel stack on CPU#0 for 2 secs.");
}
END_TEST

START_TEST(command_is_escaped)
{
	expect(&(struct prof_meta){.freq_hz = 49, .command = "gcc -c a.c"}, 2,
	       "Sampling at 49 Hertz of 'gcc -c a.c' (and its children) by user + kernel stack for 2 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .command = "a\033[1mb\n"}, 2,
	       "Sampling at 49 Hertz of 'a\\x1b[1mb\\x0a' (and its children) by user + kernel stack for 2 secs.");
}
END_TEST

START_TEST(filters_and_cpus)
{
	static const uint32_t pids[] = {12};
	struct prof_meta meta = {.freq_hz = 49, .filters = "comm 'a\n', uid 33"};
	const struct prof_event event = {
		.kind = PROF_EVENT_USER_CALLS, .name = "c:malloc", .weight = "", .nr_probes = 1};
	struct headline_facts facts = {.duration_ns = 2 * NS_PER_S};
	char *text;

	expect(&meta, 2,
	       "Sampling at 49 Hertz of all threads (comm 'a\\x0a', uid 33) by user + kernel stack for 2 secs.");
	text = headline_format(&meta, &event, &facts);
	ck_assert_str_eq(
		text,
		"Tracing 1 functions for \"c:malloc\" of all threads (comm 'a\\x0a', uid 33) for 2 secs.");
	free(text);
	facts.nr_recordings = 3;
	meta.filters = "";
	meta.pids = pids;
	meta.nr_pids = 1;
	text = headline_format(&meta, &event, &facts);
	ck_assert_str_eq(text, "Tracing 1 functions for \"c:malloc\" in 3 recordings for 2 secs.");
	free(text);
	meta.cpus = "0,2-3";
	meta.nr_cpus = 3;
	meta.host.nr_cpus_online = 4;
	meta.filters = "children followed";
	expect(&meta, 2,
	       "Sampling at 49 Hertz of PID [12] (children followed) by user + kernel stack on CPUs 0,2-3 for 2 secs.");
	meta.host.nr_cpus_online = 3;
	meta.filters = "";
	facts.nr_recordings = 0;
	text = headline_format(&meta, &event, &facts);
	ck_assert_str_eq(text, "Tracing 1 functions for \"c:malloc\" of PID [12] for 2 secs.");
	free(text);
}
END_TEST

/* The line of @event, of which one of @every_nth hits was counted. */
static void expect_event(struct prof_event event, uint64_t every_nth, uint64_t duration_s,
			 const char *want)
{
	static const struct prof_meta meta = {.freq_hz = 99, .sides = PROF_SIDES_USER};
	const struct headline_facts facts = {.every_nth = every_nth,
					     .duration_ns = duration_s * NS_PER_S};
	char *text;

	event.name = event.name ? event.name : "";
	event.weight = event.weight ? event.weight : "";
	text = headline_format(&meta, &event, &facts);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(hits_that_stand_for_others)
{
	static const struct prof_meta meta = {.sides = PROF_SIDES_USER};
	const struct prof_event event = {
		.kind = PROF_EVENT_USER_CALLS, .name = "c:malloc", .weight = "", .nr_probes = 1};
	struct headline_facts facts = {.shed_gap = 12, .duration_ns = 5 * NS_PER_S};
	char *text = headline_format(&meta, &event, &facts);

	ck_assert_str_eq(
		text,
		"Tracing 1 functions for \"c:malloc\", one of up to 12 hits counted for all for 5 secs.");
	free(text);
	facts.shed_gap = 1;
	text = headline_format(&meta, &event, &facts);
	ck_assert_str_eq(text, "Tracing 1 functions for \"c:malloc\" for 5 secs.");
	free(text);
}
END_TEST

START_TEST(hits)
{
	struct prof_event event = {
		.kind = PROF_EVENT_USER_CALLS, .name = "c:mall*\n", .nr_probes = 2};

	expect_event(event, 0, 0, "Tracing 2 functions for \"c:mall*\\x0a\"... Hit Ctrl-C to end.");
	expect_event(event, 1, 5, "Tracing 2 functions for \"c:mall*\\x0a\" for 5 secs.");
	expect_event(
		event, 100, 5,
		"Tracing 2 functions for \"c:mall*\\x0a\", one of 100 hits counted for 5 secs.");
	event.name = "t:a:b";
	event.nr_probes = 0;
	expect_event(event, 0, 5, "Tracing functions for \"t:a:b\" for 5 secs.");
	event.weight = "arg1:s32";
	event.unit = PROF_UNIT_NUMBER;
	expect_event(event, 0, 5, "Tracing functions for \"t:a:b\" by sum of arg1:s32 for 5 secs.");
	/* A tracepoint's field can be called like its unit. */
	event.weight = "bytes";
	event.unit = PROF_UNIT_BYTES;
	expect_event(event, 0, 5, "Tracing functions for \"t:a:b\" by sum of bytes for 5 secs.");
	event.weight = "arg1:s32";
	expect_event(event, 0, 5,
		     "Tracing functions for \"t:a:b\" by sum of arg1:s32 (bytes) for 5 secs.");
}
END_TEST

START_TEST(times)
{
	struct prof_event event = {
		.kind = PROF_EVENT_OFF_CPU, .unit = PROF_UNIT_NS, .name = "off-cpu"};

	expect_event(event, 0, 5,
		     "Tracing off-CPU time (ns) of all threads by user stack for 5 secs.");
	event.name = "off-cpu:D";
	expect_event(
		event, 0, 5,
		"Tracing off-CPU time in state D (ns) of all threads by user stack for 5 secs.");
	event.name = "off-cpu:other";
	expect_event(
		event, 0, 5,
		"Tracing off-CPU time in other states (ns) of all threads by user stack for 5 secs.");
	event.name = "off-cpu";
	event.unit = PROF_UNIT_EVENTS;
	expect_event(
		event, 0, 0,
		"Tracing off-CPU time (times) of all threads by user stack... Hit Ctrl-C to end.");
	event.kind = PROF_EVENT_SAMPLES;
	expect_event(event, 0, 5, "Sampling at 99 Hertz of all threads by user stack for 5 secs.");
	event.unit = PROF_UNIT_NS;
	expect_event(
		event, 0, 5,
		"Sampling CPU time in ns at 99 Hertz of all threads by user stack for 5 secs.");
}
END_TEST

START_TEST(parts_of_a_second)
{
	static const struct {
		uint64_t ms;
		const char *want;
	} rows[] = {{500, "0.5"}, {1250, "1.25"}, {10007, "10.007"}, {60000, "60"}};
	static const struct prof_meta meta = {.freq_hz = 49};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char want[128], *text = format_samples(&meta, rows[i].ms * NS_PER_MS);

		snprintf(want, sizeof(want),
			 "Sampling at 49 Hertz of all threads by user + kernel stack for %s secs.",
			 rows[i].want);
		ck_assert_str_eq(text, want);
		free(text);
	}
}
END_TEST

SUITE_MAIN("headline", hits, parts_of_a_second, hits_that_stand_for_others, times, all_threads,
	   other_events, pid_list, tid_list, period_sides_cpu, command_is_escaped, filters_and_cpus)
