// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/model/slice_cut.h"
#include "tests/unit/suite.h"
#include "tests/unit/world.h"

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static void takes(const char *text, int kind, uint64_t ns)
{
	struct time_point point;

	ck_assert_int_eq(time_point_parse(text, &point), 0);
	ck_assert_int_eq(point.kind, kind);
	ck_assert_uint_eq(point.ns, ns);
}

START_TEST(times)
{
	takes("0", TIME_SINCE_START, 0);
	takes("12", TIME_SINCE_START, 12 * S);
	takes("12.5", TIME_SINCE_START, 12500 * MS);
	takes("0.0000000019", TIME_SINCE_START, 1);
	takes("9999999999", TIME_SINCE_START, 9999999999 * S);
	takes("1.5s", TIME_SINCE_START, 1500 * MS);
	takes("2m", TIME_SINCE_START, 120 * S);
	takes("00:00:00", TIME_OF_DAY, 0);
	takes("9:05:07.25", TIME_OF_DAY, 32707250 * MS);
	takes("23:59:59", TIME_OF_DAY, 86399 * S);
	takes("26:00:00", TIME_OF_DAY, 93600 * S);
	takes("1970-01-01T00:00:00", TIME_OF_DATE, 0);
	takes("2001-09-09T01:46:40.5", TIME_OF_DATE, 1000000000500 * MS);
	takes("2024-02-29T23:59:59Z", TIME_OF_UTC, 1709251199 * S);
	takes("2500-12-31T23:59:59.25Z", TIME_OF_UTC, 16756761599250 * MS);
}
END_TEST

START_TEST(what_is_no_time)
{
	static const char *const bad[] = {
		"", ".5", "5.", "-1", "+1", "1e3", "1 ", "1.5x", "12:00", "12:5:00", "12:05:0",
		"12:60:00", "12:00:60", ":00:00", "1:00:00.", "1:00:00:00", "10000000000",
		"100000:00:00", "1.2.3",
		/* dates */
		"2001-09-09", "2001-09-09T", "2001-09-09T24:00:00", "01-09-09T00:00:00",
		"2001-9-09T00:00:00", "2001-13-01T00:00:00", "2001-00-01T00:00:00",
		"2001-02-29T00:00:00", "2001-04-00T00:00:00", "1969-12-31T23:59:59",
		"2501-01-01T00:00:00", "2001-09-09T00:00:00z", "2001-09-09T00:00:00Z0", "12.5Z",
		"12:00:00Z", "T12:00:00", "2001-09-09T12.5"};
	struct time_point point = {.ns = 7};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(time_point_parse(bad[i], &point) == -EINVAL, "'%s'", bad[i]);
	ck_assert_uint_eq(point.ns, 7);
}
END_TEST

static struct selection select_times(const char *from, const char *to, const struct prof_meta *meta)
{
	struct timespan span = {0};
	struct selection selection;

	if (from)
		ck_assert_int_eq(time_point_parse(from, &span.from), 0);
	if (to)
		ck_assert_int_eq(time_point_parse(to, &span.to), 0);
	selection_init(&selection, &span, meta);
	return selection;
}

/* 2001-09-09 01:46:40.5 UTC. */
static const struct prof_meta in_utc = {.start_realtime_ns = 1000000000500 * MS};

START_TEST(times_of_the_day)
{
	struct prof_meta meta = in_utc;
	struct selection s = select_times("01:46:50", "01:46:41.5", &meta);

	ck_assert_uint_eq(s.from_ns, 9500 * MS);
	ck_assert_uint_eq(s.to_ns, 1 * S);
	s = select_times("01:00:00", NULL, &meta);
	ck_assert_uint_eq(s.from_ns, 0);
	ck_assert_uint_eq(s.to_ns, UINT64_MAX);
	/* Ten hours west it is still the day before: 15:46:40.5. */
	meta.zone = PROF_ZONE_UTC - 600;
	s = select_times("15:46:42", "25:46:42", &meta);
	ck_assert_uint_eq(s.from_ns, 1500 * MS);
	ck_assert_uint_eq(s.to_ns, 36001500 * MS);
	ck_assert_int_eq(local_offset_s(&meta), -36000);
	/* A date is by the clock of the host, too, unless it is in UTC. */
	s = select_times("2001-09-08T15:46:42", "2001-09-09T01:46:42Z", &meta);
	ck_assert_uint_eq(s.from_ns, 1500 * MS);
	ck_assert_uint_eq(s.to_ns, 1500 * MS);
	s = select_times("2001-09-08T15:46:40", "2001-09-08T15:46:40", &meta);
	ck_assert_uint_eq(s.from_ns, 0);
	ck_assert_uint_eq(s.to_ns, 0);
	s = select_times("2500-12-31T23:59:59", NULL, &meta);
	ck_assert_uint_eq(s.from_ns, UINT64_C(15756797598500) * MS);
	/* Nobody knows when it was. */
	meta.start_realtime_ns = 0;
	s = select_times("14:00:01", NULL, &meta);
	ck_assert_uint_eq(s.from_ns, 1 * S);
}
END_TEST

static enum clock_difference compare(const char *from, const char *to, uint64_t later_s,
				     uint16_t zone)
{
	struct timespan span = {0};
	struct prof_meta other = in_utc;

	other.start_realtime_ns += later_s * S;
	other.zone = zone;
	if (from)
		ck_assert_int_eq(time_point_parse(from, &span.from), 0);
	if (to)
		ck_assert_int_eq(time_point_parse(to, &span.to), 0);
	ck_assert_int_eq(timespan_compare_clocks(&span, &other, &in_utc),
			 timespan_compare_clocks(&span, &in_utc, &other));
	return timespan_compare_clocks(&span, &in_utc, &other);
}

START_TEST(clocks_of_two)
{
	const uint64_t to_midnight = 80000;

	ck_assert_int_eq(compare("5", "10", 400000, PROF_ZONE_UTC + 60), CLOCKS_AGREE);
	ck_assert_int_eq(compare("14:00:00", NULL, 0, PROF_ZONE_UTC), CLOCKS_AGREE);
	ck_assert_int_eq(compare("14:00:00", NULL, to_midnight - 1, 0), CLOCKS_AGREE);
	ck_assert_int_eq(compare("14:00:00", NULL, to_midnight, 0), DAYS_DIFFER);
	ck_assert_int_eq(compare("5", "14:00:00", to_midnight, 0), DAYS_DIFFER);
	ck_assert_int_eq(compare("14:00:00", NULL, 0, PROF_ZONE_UTC + 60), ZONES_DIFFER);
	ck_assert_int_eq(compare("2001-09-09T02:00:00", NULL, to_midnight, 0), CLOCKS_AGREE);
	ck_assert_int_eq(compare("2001-09-09T02:00:00", NULL, 0, PROF_ZONE_UTC - 1), ZONES_DIFFER);
	ck_assert_int_eq(compare("2001-09-09T02:00:00Z", "2001-09-09T03:00:00Z", to_midnight,
				 PROF_ZONE_UTC - 60),
			 CLOCKS_AGREE);
}
END_TEST

static bool takes_epoch(struct selection *s, uint64_t begin_ns, uint64_t end_ns)
{
	const struct prof_epoch epoch = {.begin_ns = begin_ns, .end_ns = end_ns};

	return selection_take(s, &epoch);
}

START_TEST(epochs_that_overlap)
{
	struct selection s = select_times("5", "10", &in_utc);

	ck_assert(!takes_epoch(&s, 0, 5 * S));
	ck_assert(takes_epoch(&s, 4 * S, 5 * S + 1));
	ck_assert(takes_epoch(&s, 10 * S - 1, 20 * S));
	ck_assert(!takes_epoch(&s, 10 * S, 20 * S));
	ck_assert_uint_eq(s.nr, 2);
	ck_assert_uint_eq(s.begin_ns, 4 * S);
	ck_assert_uint_eq(s.end_ns, 20 * S);
	ck_assert(selection_is_exceeded(&s));
	/* Everything, also an epoch that lasted no time. */
	s = select_times(NULL, NULL, &in_utc);
	ck_assert(takes_epoch(&s, 0, 0));
	ck_assert(takes_epoch(&s, UINT64_MAX - 1, UINT64_MAX - 1));
	ck_assert(!selection_is_exceeded(&s));
}
END_TEST

/* An epoch ends some time after the interval's end. Its samples still belong to the interval. */
START_TEST(intervals_are_exact)
{
	struct prof_meta meta = in_utc;
	struct selection s;

	meta.interval_ns = 5 * S;
	s = select_times("5", "10", &meta);
	ck_assert(!takes_epoch(&s, 0, 5 * S + 200 * MS));
	ck_assert(takes_epoch(&s, 5 * S + 9 * MS, 10 * S + 300 * MS));
	ck_assert(!takes_epoch(&s, 10 * S + 300 * MS, 15 * S));
	ck_assert_uint_eq(s.begin_ns, 5 * S);
	ck_assert_uint_eq(s.end_ns, 10 * S);
	ck_assert(!selection_is_exceeded(&s));
}
END_TEST

/* A recorder that was held up writes an epoch that stands for several intervals. */
START_TEST(intervals_that_are_held_up)
{
	const struct prof_epoch late = {.begin_ns = 5 * S + MS, .end_ns = 10 * S + 510 * MS};
	const struct prof_epoch held_up = {.begin_ns = 5 * S + MS, .end_ns = 10 * S + 511 * MS};
	struct prof_meta meta = in_utc;
	struct selection s;

	ck_assert(!epoch_is_held_up(&late, 5 * S));
	ck_assert(epoch_is_held_up(&held_up, 5 * S));
	ck_assert(!epoch_is_held_up(&held_up, 10 * S));
	meta.interval_ns = 5 * S;
	s = select_times("15", "20", &meta);
	ck_assert(takes_epoch(&s, 5 * S + MS, 17 * S));
	ck_assert(takes_epoch(&s, 17 * S, 20 * S + MS));
	ck_assert(!takes_epoch(&s, 20 * S + MS, 25 * S));
	ck_assert_uint_eq(s.begin_ns, 5 * S);
	ck_assert_uint_eq(s.end_ns, 20 * S);
	ck_assert(selection_is_exceeded(&s));
}
END_TEST

/* A row of @nr samples with one in each of the first slices, and a row of one sample. */
static void make_sliced(struct world *w, uint64_t begin_ns, uint64_t end_ns, uint64_t phase_ns,
			uint32_t nr)
{
	world_init(w);
	WORLD_COUNT(w, 0, 0, 0, 0, 0);
	WORLD_COUNT(w, 0, 0, 0, 0, nr);
	w->counts.data[0].count = 1;
	w->epoch.begin_ns = begin_ns;
	w->epoch.end_ns = end_ns;
	w->epoch.slice_ns = S;
	w->epoch.slice_phase_ns = phase_ns;
	WORLD_PUSH(w, slices, {0, 0, 1});
	for (uint32_t i = 0; i < nr; i++)
		WORLD_PUSH(w, slices, {1, i, 1});
}

/* The samples of the sliced epoch that are selected; 0: the epoch is not. */
static uint64_t count_selected(struct world *w, struct selection *s)
{
	struct slice_cut cut = {0};
	uint64_t sum = 0, of_slices = 0;

	if (!selection_take(s, world_epoch(w)))
		return 0;
	if (!selection_divides(s, &w->epoch))
		return w->counts.data[0].count + w->counts.data[1].count;
	ck_assert_int_eq(slice_cut_make(&cut, s, &w->epoch), 0);
	for (uint32_t i = 0; i < cut.epoch.nr_counts; i++)
		sum += cut.epoch.counts[i].count;
	for (uint32_t i = 0; i < cut.epoch.nr_slices; i++)
		of_slices += cut.epoch.slices[i].count;
	ck_assert_uint_eq(sum, of_slices);
	slice_cut_deinit(&cut);
	return sum;
}

static uint64_t select_sliced(struct world *w, const char *from, const char *to,
			      const struct prof_meta *meta)
{
	struct selection s = select_times(from, to, meta);

	return count_selected(w, &s);
}

START_TEST(slices_are_cut)
{
	struct selection s = select_times("12", "15", &in_utc);
	struct world w;

	make_sliced(&w, 10 * S, 20 * S, 0, 10);
	ck_assert_uint_eq(count_selected(&w, &s), 3);
	ck_assert_uint_eq(s.begin_ns, 12 * S);
	ck_assert_uint_eq(s.end_ns, 15 * S);
	ck_assert(!selection_is_exceeded(&s));
	/* A part of a slice is the slice. */
	s = select_times("12.5", "13.5", &in_utc);
	ck_assert_uint_eq(count_selected(&w, &s), 2);
	ck_assert(selection_is_exceeded(&s));
	ck_assert_uint_eq(select_sliced(&w, NULL, "11", &in_utc), 2);
	ck_assert_uint_eq(select_sliced(&w, "11", NULL, &in_utc), 9);
	ck_assert_uint_eq(select_sliced(&w, NULL, NULL, &in_utc), 11);
	ck_assert_uint_eq(select_sliced(&w, NULL, "10", &in_utc), 0);
	ck_assert_uint_eq(select_sliced(&w, "20", NULL, &in_utc), 0);
	world_deinit(&w);
	/* Half of slice 0 is before the start. */
	make_sliced(&w, 0, 2 * S, 500 * MS, 2);
	ck_assert_uint_eq(select_sliced(&w, NULL, "01:00:00", &in_utc), 0);
	ck_assert_uint_eq(select_sliced(&w, NULL, "0.25", &in_utc), 2);
	world_deinit(&w);
}
END_TEST

/* Slices tell the parts of an epoch that was held up, from its interval to its end. */
START_TEST(slices_that_are_held_up)
{
	struct prof_meta meta = in_utc;
	struct world w;

	meta.interval_ns = S;
	make_sliced(&w, 10 * S, 20 * S, 0, 10);
	ck_assert_uint_eq(select_sliced(&w, "12", "15", &meta), 3);
	ck_assert_uint_eq(select_sliced(&w, NULL, "11", &meta), 2);
	ck_assert_uint_eq(select_sliced(&w, "19", NULL, &meta), 1);
	world_deinit(&w);
}
END_TEST

/* Time without samples is a part of the selection, too: rates are by its length. */
START_TEST(idle_slices)
{
	struct selection s = select_times("12", "17", &in_utc);
	struct world w;

	make_sliced(&w, 10 * S, 20 * S, 0, 4);
	ck_assert_uint_eq(count_selected(&w, &s), 2);
	ck_assert_uint_eq(s.begin_ns, 12 * S);
	ck_assert_uint_eq(s.end_ns, 17 * S);
	world_deinit(&w);
}
END_TEST

/* Slices of a later file of one run begin a few milliseconds beside its seconds. */
START_TEST(parts_add_up)
{
	static const uint64_t phases[] = {0, 3 * MS, 9 * MS, 400 * MS, 990 * MS, 997 * MS};
	struct prof_meta meta = in_utc;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(phases); i++) {
		struct world w;
		uint64_t first, rest;
		char at[16];

		meta.interval_ns = i % 2 ? 5 * S : 0;
		make_sliced(&w, 5 * S, 10 * S + 3 * MS, phases[i / 2], 6);
		for (int k = 4; k < 12; k++) {
			snprintf(at, sizeof(at), "%d", k);
			first = select_sliced(&w, NULL, at, &meta);
			rest = select_sliced(&w, at, NULL, &meta);
			if (phases[i / 2] == 400 * MS) /* a slice is in both parts */
				ck_assert_uint_ge(first + rest, 7);
			else
				ck_assert_uint_eq(first + rest, 7);
			if (k == 10 && meta.interval_ns)
				ck_assert_uint_eq(rest, 0);
		}
		world_deinit(&w);
	}
}
END_TEST

START_TEST(nothing_is_an_error)
{
	struct selection s = select_times("5", "10.25", &in_utc);
	struct err err = {0};

	ck_assert_int_eq(selection_check(&s, "a", &err), -ENOENT);
	ck_assert_str_eq(err.text,
			 "failed to select from 'a': no samples from 5.000 s to 10.250 s");
	s = select_times("5", NULL, &in_utc);
	ck_assert_int_eq(selection_check(&s, "a", &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to select from 'a': no samples after 5.000 s");
	ck_assert(takes_epoch(&s, 0, 6 * S));
	ck_assert_int_eq(selection_check(&s, "a", &err), 0);
	s = select_times(NULL, "01:00:00", &in_utc);
	ck_assert_int_eq(selection_check(&s, "a", &err), -ENOENT);
	ck_assert_str_eq(err.text,
			 "failed to select from 'a': it does not begin before the time of --to");
	/* All of an empty recording is no mistake. */
	s = select_times(NULL, NULL, &in_utc);
	ck_assert_int_eq(selection_check(&s, "a", &err), 0);
}
END_TEST

SUITE_MAIN("timespan", times, what_is_no_time, times_of_the_day, clocks_of_two, epochs_that_overlap,
	   slices_are_cut, idle_slices, parts_add_up, intervals_are_exact,
	   intervals_that_are_held_up, slices_that_are_held_up, nothing_is_an_error)
