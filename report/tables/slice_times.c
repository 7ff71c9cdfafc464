// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/slice_times.h"

#include <inttypes.h>
#include <time.h>

#include "common/clock.h"
#include "common/minmax.h"

/* Engines know times up to the year 2262: 2^63 ns. */
#define MS_MAX ((uint64_t)INT64_MAX / NS_PER_MS)

/* The column of lengths has 32 bits. A recording may claim more, and must not stop the load. */
#define LENGTH_MAX_MS UINT32_MAX

struct slice_time slice_time_make(const struct prof_meta *meta, const struct prof_epoch *epoch,
				  uint32_t slice, uint64_t length_ns)
{
	uint64_t own_ns = epoch->slice_ns ? epoch->slice_ns : epoch->end_ns - epoch->begin_ns;
	uint64_t begin_ns = meta->start_realtime_ns + epoch->begin_ns + slice * own_ns -
			    (epoch->slice_ns ? epoch->slice_phase_ns : 0);
	struct slice_time time;

	if (!epoch->slice_ns && own_ns > length_ns) {
		/* An epoch is no stretch of a clock, so it keeps its begin. */
		time.begin_ms = begin_ns / NS_PER_MS;
		time.length_ms = min_u64(own_ns / NS_PER_MS, LENGTH_MAX_MS);
	} else {
		time.length_ms = (length_ns > own_ns ? length_ns : own_ns) / NS_PER_MS;
		time.length_ms += !time.length_ms;
		time.length_ms = min_u64(time.length_ms, LENGTH_MAX_MS);
		time.begin_ms = (begin_ns + own_ns / 2) / NS_PER_MS;
		time.begin_ms -= time.begin_ms % time.length_ms;
	}
	time.begin_ms = min_u64(time.begin_ms, MS_MAX);
	return time;
}

void slice_time_put(struct textbuf *out, uint64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	textbuf_printf(out, "%04d-%02d-%02d %02d:%02d:%02d.%03" PRIu64, tm.tm_year + 1900,
		       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms % 1000);
}
