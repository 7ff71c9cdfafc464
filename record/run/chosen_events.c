// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/chosen_events.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/probes/attach.h"
#include "record/looks/proc_task.h"

/* Does the recording need a table of events? */
static bool has_event_table(const struct record_options *o)
{
	return o->patterns.nr || o->off_cpu;
}

bool options_want_samples(const struct record_options *o)
{
	return !has_event_table(o) || o->event_text || o->on_cpu;
}

/* The processes whose view of libraries counts; none: that of the host. */
static int viewers(const struct chosen_events *c, u32_vec *pids)
{
	const struct record_options *o = c->options;

	if (o->pids.nr || c->filters->cgroup_fd < 0)
		return vec_append(pids, o->pids.data, o->pids.nr);
	return cgroup_members(c->filters->cgroup_fd, pids);
}

static int add_pattern(struct chosen_events *c, size_t at, const u32_vec *pids)
{
	struct hit_weight *weight = &c->options->weights.data[at];

	return probes_add(c->probes, &c->options->patterns.data[at], weight->name ? weight : NULL,
			  pids, c->err);
}

/* Adds the samples of a perf event as an event of its own. Beside time off the CPU, it is time. */
static int add_samples(struct chosen_events *c, const char *name)
{
	const struct record_options *o = c->options;
	const struct prof_event event = {
		.kind = PROF_EVENT_SAMPLES,
		.unit = o->on_cpu ? PROF_UNIT_NS : PROF_UNIT_EVENTS,
		.name = name,
		.weight = "",
		.period = o->period,
	};

	c->sample_event = c->probes->events.nr;
	return probes_add_event(c->probes, &event, c->err);
}

/* Adds the events of time off the CPU: one, or one for each state. */
static int add_off_cpu(struct chosen_events *c)
{
	static const char *const states[NR_OFF_CPU_STATES] = {
		[OFF_CPU_SLEEPING] = "off-cpu:S",
		[OFF_CPU_DISK] = "off-cpu:D",
		[OFF_CPU_RUNNABLE] = "off-cpu:R",
		[OFF_CPU_OTHER] = "off-cpu:other",
	};
	const struct record_options *o = c->options;
	struct prof_event event = {
		.kind = PROF_EVENT_OFF_CPU, .unit = PROF_UNIT_NS, .name = "off-cpu", .weight = ""};
	int ret = 0;

	c->off_cpu = (struct off_cpu_options){
		.is_on = true,
		.by_state = o->by_state,
		.takes_wakers = o->wakers,
		.event = c->probes->events.nr,
		.min_ns = o->min_us * NS_PER_US,
		.max_ns = o->max_us * NS_PER_US,
	};
	if (!o->by_state)
		return probes_add_event(c->probes, &event, c->err);
	for (size_t i = 0; i < ARRAY_SIZE(states) && !ret; i++) {
		event.name = states[i];
		ret = probes_add_event(c->probes, &event, c->err);
	}
	return ret;
}

int chosen_events_find(struct chosen_events *c)
{
	const struct record_options *o = c->options;
	u32_vec pids = {0};
	size_t at = 0;
	int ret =
		viewers(c, &pids) ? err_set(c->err, -ENOMEM, "failed to record: out of memory") : 0;

	c->probes->kernel_way = o->kernel_way;
	for (size_t i = 0; i < o->events.texts.nr && has_event_table(o) && !ret; i++) {
		if (o->event_text && i == o->event_position)
			ret = add_samples(c, o->event_text);
		else
			ret = add_pattern(c, at++, &pids);
	}
	if (!ret && o->on_cpu && !o->event_text)
		ret = add_samples(c, "on-cpu");
	if (!ret && o->off_cpu)
		ret = add_off_cpu(c);
	vec_free(&pids);
	c->probes->has_user_multi = c->probes->hits[HIT_USER_CALL] && attach_can_user_multi();
	return ret;
}
