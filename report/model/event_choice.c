// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/event_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/parse.h"
#include "common/words.h"

static uint32_t nr_events(const struct prof_meta *meta)
{
	return meta->nr_events ? meta->nr_events : 1;
}

const char *event_name(const struct prof_meta *meta, uint32_t event)
{
	return meta->nr_events ? meta->events[event].name : meta->event;
}

const char *event_weight(const struct prof_meta *meta, uint32_t event)
{
	return meta->nr_events ? meta->events[event].weight : "";
}

bool event_has_hits(const struct prof_meta *meta, uint32_t event)
{
	uint8_t kind = meta->nr_events ? meta->events[event].kind : PROF_EVENT_SAMPLES;

	return kind != PROF_EVENT_SAMPLES && kind != PROF_EVENT_OFF_CPU;
}

uint8_t event_unit_number(const struct prof_meta *meta, uint32_t event)
{
	return meta->nr_events ? meta->events[event].unit : PROF_UNIT_EVENTS;
}

const char *event_unit(const struct prof_meta *meta, uint32_t event)
{
	static const char *const units[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_EVENTS] = "hits",
		[PROF_UNIT_NS] = "nanoseconds",
		[PROF_UNIT_BYTES] = "bytes",
		[PROF_UNIT_NUMBER] = "numbers",
	};
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;

	if (!e || (e->kind == PROF_EVENT_SAMPLES && e->unit == PROF_UNIT_EVENTS))
		return "samples";
	return units[e->unit];
}

/* Returns the event of the table, NULL in a recording without one. */
static const struct prof_event *event_row(const struct prof_meta *meta, uint32_t event)
{
	return meta->nr_events ? &meta->events[event] : NULL;
}

static bool counts_ns(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = event_row(meta, event);

	return e && e->unit == PROF_UNIT_NS;
}

bool event_is_sampled(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = event_row(meta, event);

	return !e || e->kind == PROF_EVENT_SAMPLES;
}

bool event_is_off_cpu(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = event_row(meta, event);

	return e && e->kind == PROF_EVENT_OFF_CPU;
}

uint64_t event_hz(const struct prof_meta *meta, uint32_t event)
{
	return event_is_sampled(meta, event) && !counts_ns(meta, event) ? meta->freq_hz : 0;
}

/* Returns true if @name is that of perf's event @wanted, with modifiers or without: "cycles:u". */
static bool is_called(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return !strncmp(name, wanted, len) && (!name[len] || name[len] == ':');
}

uint64_t event_sample_ns(const struct prof_meta *meta, uint32_t event)
{
	const struct prof_event *e = event_row(meta, event);
	uint64_t period = e ? e->period : meta->period;
	bool is_clock = is_called(meta->event, "cpu-clock") || is_called(meta->event, "task-clock");
	bool is_cycles = is_called(meta->event, "cycles") || is_called(meta->event, "cpu-cycles");

	if (!event_is_sampled(meta, event) || (!is_clock && !(is_cycles && meta->freq_hz)))
		return 0;
	if (period)
		return period;
	return meta->freq_hz ? NS_PER_S / meta->freq_hz : 0;
}

uint64_t event_samples(const struct prof_meta *meta, uint32_t event, uint64_t count)
{
	uint64_t ns = event_sample_ns(meta, event);

	return ns && counts_ns(meta, event) ? count / ns : count;
}

bool event_lost(const struct prof_event_end *event, uint64_t *lost)
{
	return !__builtin_sub_overflow(event->taken, event->counted, lost) &&
	       !__builtin_sub_overflow(*lost, event->overflows, lost);
}

/* Adds a hint that lists the events: 1 'c:malloc', 2 'c:malloc' (arg1). */
static int list_events(const struct prof_meta *meta, int ret, struct err *err)
{
	char list[sizeof(err->hint) / 2] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < nr_events(meta) && len < sizeof(list); i++) {
		const char *weight = event_weight(meta, i);

		len += snprintf(list + len, sizeof(list) - len, "%s%" PRIu32 " '%s'%s%s%s",
				i ? ", " : "", i + 1, event_name(meta, i), weight[0] ? " (" : "",
				weight, weight[0] ? ")" : "");
	}
	return err_hint(err, ret, "its events, for --event NUMBER or NAME: %s%s", list,
			len >= sizeof(list) ? "...; 'profrep info' lists all" : "");
}

static int refuse_event(const struct prof_meta *meta, const char *file, const char *wanted,
			struct err *err)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, wanted);
	for (uint32_t i = 0; i < nr_events(meta); i++)
		suggestion_try(&suggestion, event_name(meta, i));
	if (suggestion.best)
		err_set(err, -EINVAL,
			"failed to report '%s': it has no event '%s'; did you mean '%s'?", file,
			wanted, suggestion.best);
	else
		err_set(err, -EINVAL, "failed to report '%s': it has no event '%s'", file, wanted);
	return list_events(meta, -EINVAL, err);
}

int event_choose(const struct prof_meta *meta, const char *file, const char *wanted,
		 struct event_choice *choice, struct err *err)
{
	struct event_choice found = {0, 0};
	uint64_t number;

	if (!wanted) {
		*choice = (struct event_choice){0, nr_events(meta)};
		return 0;
	}
	for (uint32_t i = 0; i < nr_events(meta); i++) {
		if (!strcmp(event_name(meta, i), wanted)) {
			found.first = i;
			found.nr++;
		}
	}
	if (!found.nr && !parse_u64(wanted, 1, nr_events(meta), &number))
		found = (struct event_choice){number - 1, 1};
	if (found.nr == 1) {
		*choice = found;
		return 0;
	}
	if (found.nr)
		err_set(err, -EINVAL, "failed to report '%s': %" PRIu32 " events are called '%s'",
			file, found.nr, wanted);
	else
		return refuse_event(meta, file, wanted, err);
	return list_events(meta, -EINVAL, err);
}

int event_choice_check_single(const struct event_choice *choice, const struct prof_meta *meta,
			      const char *file, struct err *err)
{
	if (choice->nr == 1)
		return 0;
	err_set(err, -EINVAL,
		"failed to report '%s': it has %" PRIu32
		" events, and this output must be of one event",
		file, choice->nr);
	return list_events(meta, -EINVAL, err);
}
