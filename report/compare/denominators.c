// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/denominators.h"

#include <errno.h>

#include "common/clock.h"
#include "report/model/event_choice.h"

double recording_seconds(const struct recording *rec)
{
	const struct selection *part = &rec->selection;
	uint64_t ns = part->end_ns - part->begin_ns;
	bool is_whole = !part->from_ns && part->to_ns == UINT64_MAX;

	if (is_whole && rec->end && rec->end->duration_ns)
		ns = rec->end->duration_ns;
	return ns / (double)NS_PER_S;
}

/* Returns the nanoseconds of CPU time that a sample of @event stands for; 0: it is no CPU time. */
static double sample_ns(const struct prof_meta *meta, uint32_t event)
{
	uint64_t hz = event_hz(meta, event), ns = event_sample_ns(meta, event);

	return ns && hz ? NS_PER_S / (double)hz : ns;
}

/* Returns the seconds that a count of @event stands for; 0: counts are no time. */
static double count_seconds(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;

	if (e && e->unit == PROF_UNIT_NS)
		return 1.0 / NS_PER_S;
	return sample_ns(meta, event) / NS_PER_S;
}

/* Returns the samples for a count. Sampled time is counted in nanoseconds. */
static double count_samples(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;
	double ns = sample_ns(meta, event);

	return e && e->unit == PROF_UNIT_NS && ns > 0 ? 1 / ns : 1;
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
