// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/cpu_time.h"

#include "common/clock.h"
#include "report/model/event_choice.h"

/* Returns true if @rec is read from its start to its end. */
static bool is_whole(const struct recording *rec)
{
	return !rec->selection.from_ns && rec->selection.to_ns == UINT64_MAX;
}

double recording_seconds(const struct recording *rec)
{
	const struct selection *part = &rec->selection;
	uint64_t ns = part->end_ns - part->begin_ns;

	if (is_whole(rec) && rec->end && rec->end->duration_ns)
		ns = rec->end->duration_ns;
	return ns / (double)NS_PER_S;
}

double event_sample_seconds(const struct prof_meta *meta, uint32_t event)
{
	uint64_t hz = event_hz(meta, event), ns = event_sample_ns(meta, event);

	return ns && hz ? 1.0 / hz : ns / (double)NS_PER_S;
}

double event_cpu_seconds(const struct prof_meta *meta, uint32_t event)
{
	if (!event_sample_ns(meta, event))
		return 0;
	return event_unit_number(meta, event) == PROF_UNIT_NS ? 1.0 / NS_PER_S
							      : event_sample_seconds(meta, event);
}

static bool has_filters(const struct prof_meta *meta)
{
	return meta->nr_pids || meta->nr_tids || meta->filters[0] || meta->command[0];
}

/* The counts of the rows of the idle tasks. Process 0 has no others. */
static uint64_t idle_count(const struct model *model, uint32_t event)
{
	uint64_t count = 0;

	vec_for_each(&model->rows, row)
		if (row->event == event && !row->process)
			count += row->count;
	return count;
}

bool recording_busy_seconds(const struct recording *rec, uint32_t event, bool is_filtered,
			    double *seconds)
{
	const struct prof_meta *meta = rec->meta;
	const struct prof_end *end = rec->end;
	double unit = event_cpu_seconds(meta, event), idle = 0;

	/* Without BPF nobody but the targets is sampled. */
	if (unit <= 0 || rec->nr_recordings > 1 || meta->backend != PROF_BACKEND_BPF ||
	    (meta->include_idle && is_filtered))
		return false;
	if (meta->include_idle)
		idle = unit * idle_count(&rec->model, event);
	if (!end || rec->is_partial || !is_whole(rec)) {
		*seconds = unit * model_whole(&rec->model, event) - idle;
		return !is_filtered && !has_filters(meta);
	}
	/* The samples that a filter left out are those of all events together. */
	if (meta->nr_events > 1 && (end->filtered || has_filters(meta)))
		return false;
	*seconds = event_sample_seconds(meta, event) *
			   (meta->nr_events ? end->events[event].taken : end->taken) -
		   idle;
	*seconds += event_sample_seconds(meta, event) * end->filtered;
	return true;
}
