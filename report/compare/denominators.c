// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/denominators.h"

#include <errno.h>

#include "common/clock.h"
#include "report/model/cpu_time.h"
#include "report/model/event_choice.h"

/* Returns the seconds that a count of @event stands for; 0: counts are no time. */
static double count_seconds(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;

	if (e && e->unit == PROF_UNIT_NS)
		return 1.0 / NS_PER_S;
	return event_sample_seconds(meta, event);
}

/* Returns the samples for a count. Sampled time is counted in nanoseconds. */
static double count_samples(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;
	double seconds = event_sample_seconds(meta, event);

	return e && e->unit == PROF_UNIT_NS && seconds > 0 ? 1 / (seconds * NS_PER_S) : 1;
}

static int refuse_event(const struct recording *rec, uint32_t event, struct err *err)
{
	err_set(err, -EINVAL, "failed to compare '%s': it counts %s, and no CPU time", rec->name,
		event_unit(rec->meta, event));
	return err_hint(err, -EINVAL, "without --per the shares of all counts are compared");
}

int denominators_make(struct denominators *denominators, const struct recording *rec,
		      uint32_t event, enum denominator per, double work, struct err *err)
{
	uint64_t total = model_whole(&rec->model, event);
	double samples = count_samples(rec->meta, event), duration = recording_seconds(rec);
	double seconds = count_seconds(rec->meta, event) / samples;

	if (!total)
		return err_set(err, -EINVAL, "failed to compare '%s': it holds no %s", rec->name,
			       event_unit(rec->meta, event));
	*denominators = (struct denominators){
		.samples = samples,
		.total = total * samples,
		.units = total * samples,
		.is_share = per == PER_SAMPLES,
		.trials = total * samples,
	};
	if (per == PER_SAMPLES)
		return 0;
	if (seconds <= 0 || duration <= 0)
		return refuse_event(rec, event, err);
	denominators->units = (per == PER_WORK ? work : duration) / seconds;
	denominators->trials = duration * rec->meta->nr_cpus / seconds;
	return 0;
}
