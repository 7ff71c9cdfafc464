// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/timespan.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "common/parse.h"

#define DAY_S       86400
#define SECONDS_MAX UINT64_C(9999999999) /* in ns, the number is far from 64 bits */
#define HOURS_MAX   99999
#define YEAR_MAX    2500 /* the end of it fits in 64 bits of nanoseconds since 1970 */

/* A recorder may be late by this time without a warning. */
#define LATE_NS (10 * NS_PER_MS)

/* An epoch that ends later than this part of an interval belongs to the next ones, too. */
#define HELD_UP_SHARE 10

/* Reads digits: at least one, or exactly @width unless that is 0. */
static bool read_number(const char **s, int width, uint64_t max, uint64_t *value)
{
	const char *start = *s;

	*value = 0;
	for (; isdigit((unsigned char)**s); (*s)++) {
		*value = *value * 10 + (**s - '0');
		if (*value > max)
			return false;
	}
	return *s > start && (!width || *s - start == width);
}

/* Reads ".25" or nothing. Drops digits beyond nanoseconds. */
static bool read_fraction(const char **s, uint64_t *ns)
{
	uint64_t unit = NS_PER_S;

	*ns = 0;
	if (**s != '.')
		return true;
	if (!isdigit((unsigned char)*++*s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++) {
		unit /= 10;
		*ns += unit * (**s - '0');
	}
	return true;
}

/* Reads "HH:MM:SS" with at most @hours_max hours. */
static bool read_clock(const char **s, uint64_t hours_max, uint64_t *seconds)
{
	uint64_t hours, minutes, rest;

	if (!read_number(s, 0, hours_max, &hours) || *(*s)++ != ':' ||
	    !read_number(s, 2, 59, &minutes) || *(*s)++ != ':' || !read_number(s, 2, 59, &rest))
		return false;
	*seconds = hours * 3600 + minutes * 60 + rest;
	return true;
}

/*
 * Reads "YYYY-MM-DDT", from 1970 on, and sets *@seconds to the midnight at which that day begins.
 */
static bool read_date(const char **s, uint64_t *seconds)
{
	uint64_t year, month, day;
	struct tm date, normal;
	time_t midnight;

	if (!read_number(s, 4, YEAR_MAX, &year) || *(*s)++ != '-' ||
	    !read_number(s, 2, 12, &month) || *(*s)++ != '-' || !read_number(s, 2, 31, &day) ||
	    *(*s)++ != 'T' || year < 1970 || !month)
		return false;
	date = (struct tm){.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
	normal = date;
	midnight = timegm(&normal);
	*seconds = midnight;
	/* The 30th of February is another day. */
	return normal.tm_mday == date.tm_mday;
}

/* Reads what comes before the decimals, and sets the kind. */
static bool read_seconds(const char **s, struct time_point *point, uint64_t *seconds)
{
	uint64_t midnight;

	if (!strchr(*s, 'T')) {
		point->kind = TIME_OF_DAY;
		return read_clock(s, HOURS_MAX, seconds);
	}
	point->kind = TIME_OF_DATE;
	if (!read_date(s, &midnight) || !read_clock(s, 23, seconds))
		return false;
	*seconds += midnight;
	return true;
}

int time_point_parse(const char *text, struct time_point *point)
{
	uint64_t seconds, fraction;
	struct time_point t = {.kind = TIME_SINCE_START};

	if (!strchr(text, ':')) {
		if (parse_duration(text, 0, SECONDS_MAX * NS_PER_S, &t.ns))
			return -EINVAL;
		*point = t;
		return 0;
	}
	if (!read_seconds(&text, &t, &seconds) || !read_fraction(&text, &fraction))
		return -EINVAL;
	if (t.kind == TIME_OF_DATE && *text == 'Z') {
		t.kind = TIME_OF_UTC;
		text++;
	}
	if (*text)
		return -EINVAL;
	t.ns = seconds * NS_PER_S + fraction;
	*point = t;
	return 0;
}

int64_t local_offset_s(const struct prof_meta *meta)
{
	return meta->zone ? ((int64_t)meta->zone - PROF_ZONE_UTC) * 60 : 0;
}

/* The number of the day on which @meta's recording began, by the clock of its host. */
static int64_t first_day(const struct prof_meta *meta)
{
	/* The added day keeps times before 1970-01-02 positive. */
	return (int64_t)(meta->start_realtime_ns / NS_PER_S + DAY_S + local_offset_s(meta)) /
		       DAY_S -
	       1;
}

/* Converts @point to time since the start, @none for no point. Points before the start become 0. */
static uint64_t since_start(const struct time_point *point, const struct prof_meta *meta,
			    uint64_t none)
{
	__int128 ns = point->ns;

	if (point->kind == TIME_NONE)
		return none;
	if (point->kind == TIME_SINCE_START)
		return point->ns;
	if (point->kind == TIME_OF_DAY)
		ns += (__int128)first_day(meta) * DAY_S * NS_PER_S;
	if (point->kind != TIME_OF_UTC)
		ns -= (__int128)local_offset_s(meta) * NS_PER_S;
	ns -= meta->start_realtime_ns;
	return ns > 0 ? ns : 0;
}

static bool has_kind(const struct timespan *span, int kind)
{
	return (int)span->from.kind == kind || (int)span->to.kind == kind;
}

bool timespan_needs_clock(const struct timespan *span)
{
	return has_kind(span, TIME_OF_DAY) || has_kind(span, TIME_OF_DATE) ||
	       has_kind(span, TIME_OF_UTC);
}

enum clock_difference timespan_compare_clocks(const struct timespan *span,
					      const struct prof_meta *a, const struct prof_meta *b)
{
	bool has_days = has_kind(span, TIME_OF_DAY);

	if ((has_days || has_kind(span, TIME_OF_DATE)) && local_offset_s(a) != local_offset_s(b))
		return ZONES_DIFFER;
	return has_days && first_day(a) != first_day(b) ? DAYS_DIFFER : CLOCKS_AGREE;
}

void selection_init(struct selection *selection, const struct timespan *span,
		    const struct prof_meta *meta)
{
	*selection = (struct selection){
		.from_ns = since_start(&span->from, meta, 0),
		.to_ns = since_start(&span->to, meta, UINT64_MAX),
		.interval_ns = meta->interval_ns,
	};
}

static bool is_all(const struct selection *s)
{
	return !s->from_ns && s->to_ns == UINT64_MAX;
}

bool epoch_is_held_up(const struct prof_epoch *epoch, uint64_t interval_ns)
{
	uint64_t begin_ns = epoch->begin_ns - epoch->begin_ns % interval_ns;

	return epoch->end_ns - begin_ns > interval_ns + interval_ns / HELD_UP_SHARE + LATE_NS;
}

/* The begin of the interval that @epoch is in. */
static uint64_t interval_begin(const struct selection *s, const struct prof_epoch *epoch)
{
	return epoch->begin_ns - epoch->begin_ns % s->interval_ns;
}

/*
 * A time with which a slice can be compared. Slice 0 may begin before the recording. So these times
 * are since a moment that is earlier than the start by the length of a slice, and none is negative.
 */
typedef unsigned __int128 wide_ns;

/* When slice @slice of @epoch begins. */
static wide_ns slice_begin(const struct prof_epoch *epoch, uint64_t slice)
{
	return (wide_ns)epoch->begin_ns + epoch->slice_ns - epoch->slice_phase_ns +
	       (wide_ns)slice * epoch->slice_ns;
}

struct stretch {
	wide_ns begin, end;
};

static wide_ns clamp_time(wide_ns value, wide_ns low, wide_ns high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

/*
 * Slices may begin a little before or after an interval. The epoch belongs to the interval, so its
 * first slice counts as the first one of the interval, and its last one as the last. Only an epoch
 * of a recorder that was held up goes on beyond the interval.
 */
static struct stretch stretch_of(const struct selection *s, const struct prof_epoch *epoch,
				 uint32_t slice)
{
	struct stretch stretch = {slice_begin(epoch, slice), slice_begin(epoch, slice + 1)};

	if (s->interval_ns) {
		wide_ns begin = (wide_ns)interval_begin(s, epoch) + epoch->slice_ns;
		wide_ns end = begin + s->interval_ns;
		uint64_t length_ns = min_u64(epoch->slice_ns, s->interval_ns);

		if (epoch_is_held_up(epoch, s->interval_ns))
			end = (wide_ns)epoch->end_ns + epoch->slice_ns;
		stretch.begin = clamp_time(stretch.begin, begin, end - length_ns);
		stretch.end = clamp_time(stretch.end, begin + length_ns, end);
	}
	return stretch;
}

bool selection_takes_slice(const struct selection *s, const struct prof_epoch *epoch,
			   uint32_t slice)
{
	/* Slices of a recording that is not the first of its run are late, too. */
	uint64_t late_ns = min_u64(LATE_NS, epoch->slice_ns / 4);
	struct stretch stretch = stretch_of(s, epoch, slice);
	wide_ns from = (wide_ns)s->from_ns + epoch->slice_ns;
	wide_ns to = (wide_ns)s->to_ns + epoch->slice_ns;

	/* Slice 0 may begin before the start, and nothing is up to there. */
	return s->to_ns && (!s->from_ns || stretch.end > from + late_ns) &&
	       stretch.begin + late_ns < to;
}

bool selection_divides(const struct selection *s, const struct prof_epoch *epoch)
{
	return epoch->slice_ns && !is_all(s);
}

static void note_range(struct selection *s, uint64_t begin, uint64_t end)
{
	if (!s->nr || begin < s->begin_ns)
		s->begin_ns = begin;
	if (!s->nr || end > s->end_ns)
		s->end_ns = end;
}

/* Returns true if a slice of @epoch that overlaps the span has samples. */
static bool has_samples(const struct selection *s, const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_slices; i++)
		if (selection_takes_slice(s, epoch, epoch->slices[i].slice))
			return true;
	return false;
}

/*
 * Notes the slices of @epoch, which lasts from @begin to @end, that overlap the span, also those
 * without samples. Returns false if none has samples.
 */
static bool take_slices(struct selection *s, const struct prof_epoch *epoch, uint64_t begin,
			uint64_t end)
{
	const wide_ns zero = epoch->slice_ns; /* the start of the recording */
	wide_ns first = end + zero, last = begin + zero;

	if (!has_samples(s, epoch))
		return false;
	for (uint32_t i = 0; i < PROF_MAX_SLICES && slice_begin(epoch, i) <= end + zero; i++) {
		struct stretch stretch = stretch_of(s, epoch, i);

		if (!selection_takes_slice(s, epoch, i))
			continue;
		if (stretch.begin < first)
			first = stretch.begin;
		if (stretch.end > last)
			last = stretch.end;
	}
	note_range(s, clamp_time(first, begin + zero, end + zero) - zero,
		   clamp_time(last, begin + zero, end + zero) - zero);
	return true;
}

bool selection_take(struct selection *s, const struct prof_epoch *epoch)
{
	uint64_t begin = epoch->begin_ns, end = epoch->end_ns;

	if (s->interval_ns) {
		uint64_t start = interval_begin(s, epoch);

		if (end - start > s->interval_ns && !epoch_is_held_up(epoch, s->interval_ns))
			end = start + s->interval_ns;
		if (begin - start < LATE_NS)
			begin = start;
	}
	if (selection_divides(s, epoch)) {
		if (!take_slices(s, epoch, begin, end))
			return false;
	} else {
		if (begin >= s->to_ns || (end <= s->from_ns && s->from_ns))
			return false;
		note_range(s, begin, end);
	}
	s->nr++;
	return true;
}

int selection_check(const struct selection *s, const char *name, struct err *err)
{
	if (s->nr || is_all(s))
		return 0;
	if (!s->to_ns)
		return err_set(
			err, -ENOENT,
			"failed to select from '%s': it does not begin before the time of --to",
			name);
	if (s->to_ns == UINT64_MAX)
		return err_set(err, -ENOENT, "failed to select from '%s': no samples after %.3f s",
			       name, s->from_ns / 1e9);
	return err_set(err, -ENOENT, "failed to select from '%s': no samples from %.3f s to %.3f s",
		       name, s->from_ns / 1e9, s->to_ns / 1e9);
}

bool selection_is_exceeded(const struct selection *s)
{
	if (!s->nr || is_all(s))
		return false;
	return s->from_ns > s->begin_ns + LATE_NS ||
	       (s->to_ns < s->end_ns && s->end_ns - s->to_ns > LATE_NS);
}
