// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/options.h"
#include "record/run/session_notes.h"
#include "record/host/cpus.h"
#include "record/shares/shares.h"

/* Cuts a text that is longer than the format allows, as a command line can be. */
static void cut_text(char *text)
{
	if (text && strlen(text) > PROF_MAX_STRING_BYTES)
		text[PROF_MAX_STRING_BYTES] = '\0';
}

/* Joins @argv, which ends with NULL, by spaces. The caller frees the string. */
static char *join_command(char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; argv && argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static enum prof_stack_sides stack_sides(const struct session *s)
{
	return !s->has_kernel            ? PROF_SIDES_USER
	       : s->options->kernel_only ? PROF_SIDES_KERNEL
					 : PROF_SIDES_BOTH;
}

/*
 * Converts a moment of CLOCK_MONOTONIC that has just passed to CLOCK_REALTIME. Any time may pass
 * between two calls that read the clocks, so try a few times and use the shortest try.
 */
static uint64_t realtime_of(uint64_t monotonic_ns)
{
	uint64_t best_ns = UINT64_MAX, realtime_ns = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_monotonic_ns();
		uint64_t real = clock_realtime_ns();
		uint64_t took_ns = clock_monotonic_ns() - before;

		if (took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		realtime_ns = real - (before + took_ns / 2 - monotonic_ns);
	}
	return realtime_ns;
}

/* The offset of local time from UTC, in the unit of prof_meta.zone. */
static uint32_t local_zone(void)
{
	time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) ? PROF_ZONE_UTC + tm.tm_gmtoff / 60 : 0;
}

static void free_texts(struct description *d)
{
	free(d->cpus);
	free(d->command);
	free(d->command_line);
	free(d->filters);
	d->cpus = d->command = d->command_line = d->filters = NULL;
}

static int make_texts(struct description *d, const struct session *s)
{
	const struct record_options *o = s->options;

	free_texts(d);
	d->cpus = cpus_format(&s->cpus);
	d->command = join_command(o->command);
	d->command_line = strdup(o->command_line);
	d->filters = filters_format(&s->filters);
	if (!d->cpus || !d->command || !d->command_line || !d->filters)
		return -ENOMEM;
	cut_text(d->command);
	cut_text(d->command_line);
	cut_text(d->filters);
	return 0;
}

int description_begin(struct description *d, const struct session *s, uint64_t start_ns,
		      uint64_t planned_ns)
{
	const struct record_options *o = s->options;
	int ret = make_texts(d, s);

	if (ret)
		return ret;
	d->uts = (struct utsname){0};
	uname(&d->uts);
	d->meta = (struct prof_meta){
		.hostname = d->uts.nodename,
		.kernel_release = d->uts.release,
		.kernel_version = d->uts.version,
		.arch = d->uts.machine,
		.recorder = "profrec " PROFREC_VERSION,
		.command_line = d->command_line,
		.filters = d->filters,
		.event = s->events.event.name,
		.event_type = s->events.event.type,
		.event_config = s->events.event.config,
		.cpus = d->cpus,
		.nr_cpus = s->cpus.nr,
		.only_cpu = o->cpus.nr == 1 ? o->cpus.data[0] + 1 : 0,
		.command = d->command,
		.freq_hz = o->freq_hz,
		.period = s->events.period,
		.start_realtime_ns = realtime_of(start_ns),
		.start_monotonic_ns = start_ns,
		.duration_ns = planned_ns,
		.interval_ns = o->interval_ns,
		.zone = local_zone(),
		.stack_storage = o->stack_storage,
		.hash_storage = o->hash_storage,
		.sides = stack_sides(s),
		.include_idle = o->include_idle,
		.pids = o->pids.data,
		.nr_pids = o->pids.nr,
		.tids = o->tids.data,
		.nr_tids = o->tids.nr,
		.max_stack_depth = s->depth.most,
		.backend = backend_format_number(s->backend.kind),
		.unwinding = s->unwinder ? PROF_UNWINDING_TABLES : PROF_UNWINDING_FP,
		.events = s->probes.events.data,
		.nr_events = s->probes.events.nr,
	};
	host_describe(&d->host, &d->meta.host);
	host_loads(d->meta.loads);
	return 0;
}

/* Adds the losses of one event to those of the recording. */
static void add_losses(struct prof_end *end, const struct totals *totals)
{
	_Static_assert((int)NR_LOSSES == (int)PROF_NR_LOSSES,
		       "the programs count the losses of the format");
	end->taken += totals->taken;
	end->counted += totals->counted;
	end->idle += totals->idle;
	end->filtered += totals->filtered;
	for (int i = 0; i < NR_LOSSES; i++) {
		end->lost[i] += totals->lost[i];
		end->missed_user[i] += totals->missed_user[i];
		end->missed_kernel[i] += totals->missed_kernel[i];
	}
}

/* -c chooses among hits of probes. Samples have periods, and no time off the CPU is left out. */
static bool is_hit(const struct prof_event *event)
{
	return event->kind != PROF_EVENT_SAMPLES && event->kind != PROF_EVENT_OFF_CPU;
}

/* Fills in the numbers of each event, if the recording has a table of events. */
static void describe_events(struct description *d, const struct session *s,
			    const struct totals *totals, const struct counted *counted)
{
	d->end.nr_events = d->meta.nr_events;
	d->end.events = d->event_ends;
	for (uint32_t i = 0; i < d->end.nr_events; i++) {
		d->event_ends[i] = (struct prof_event_end){
			.taken = totals[i].taken,
			.counted = totals[i].counted - counted->overflows[i],
			.sum = counted->sums[i],
			.overflows = totals[i].overflows + counted->overflows[i],
			.every_nth = is_hit(&d->meta.events[i]) ? s->options->hit_period : 0,
			.shed_gap = s->overhead.largest[i],
			.blocked = s->waited_ns[i],
			.unattached = s->probes.nr_unattached[i],
		};
		d->end.counted -= counted->overflows[i];
	}
}

int description_end(struct description *d, const struct session *s, const struct counted *counted,
		    uint64_t end_ns, enum prof_end_reason reason)
{
	_cleanup_free_ struct totals *totals = calloc(s->nr_events, sizeof(*totals));
	const struct shares *names = file_names_unserved(s->names);

	free(d->cpu_taken);
	d->cpu_taken = calloc(s->cpus.nr, sizeof(*d->cpu_taken));
	if (!d->cpu_taken || !totals)
		return -ENOMEM;
	sampler_take_totals(s->sampler, totals, &s->cpus, d->cpu_taken);
	d->end = (struct prof_end){
		.duration_ns = end_ns - d->meta.start_monotonic_ns,
		.lost_records = sideband_lost(s->sideband) - d->lost_records,
		.reason = reason,
		.unfollowed = sampler_unfollowed(s->sampler),
		.maps_left_out = shares_nr_lacked(&s->jit.unread),
		.mappings_left_out = s->spaces.nr_left_out,
		.looks_left_out = shares_nr_lacked(&s->looks.left_out),
		.infos_left_out = s->new_processes.nr_left_out,
		.names_left_out = names ? shares_nr_lacked(names) : 0,
		.copies_left_out = sampler_early_refused(s->sampler),
		.skipped = sampler_skipped_hits(s->sampler) - d->skipped,
		.nr_cpus_changed = s->changed_cpus.nr,
		.cpu_taken = d->cpu_taken,
		.nr_cpu_taken = s->cpus.nr,
	};
	events_times(&s->events, &d->end.wanted_ns, &d->end.running_ns);
	for (uint32_t i = 0; i < s->nr_events; i++)
		add_losses(&d->end, &totals[i]);
	if (d->meta.nr_events)
		describe_events(d, s, totals, counted);
	else
		d->end.counted = counted->sums[0];
	host_loads(d->end.loads);
	if (session_tell_lacks(s, &d->end))
		return -ENOMEM;
	d->lost_records += d->end.lost_records;
	d->skipped += d->end.skipped;
	return 0;
}

void description_deinit(struct description *d)
{
	free_texts(d);
	free(d->cpu_taken);
	*d = (struct description){0};
}
