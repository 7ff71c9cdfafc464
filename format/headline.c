// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/headline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"

/* Prints a Python list, also for one id. bcc does so since its -p takes several. */
static void print_ids(FILE *out, const char *what, const uint32_t *ids, size_t nr)
{
	fprintf(out, "%s [", what);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", ids[i]);
	fputc(']', out);
}

static void print_threads(FILE *out, const struct prof_meta *meta, uint32_t nr_recordings)
{
	if (nr_recordings > 1) {
		fprintf(out, "%" PRIu32 " recordings", nr_recordings);
	} else if (meta->command && meta->command[0]) {
		fputc('\'', out);
		text_print(out, meta->command, TEXT_PLAIN);
		fputs("' (and its children)", out);
	} else if (meta->nr_pids) {
		print_ids(out, "PID", meta->pids, meta->nr_pids);
	} else if (meta->nr_tids) {
		print_ids(out, "TID", meta->tids, meta->nr_tids);
	} else {
		fputs("all threads", out);
	}
	if (meta->filters && meta->filters[0]) {
		fputs(" (", out);
		text_print(out, meta->filters, TEXT_PLAIN);
		fputc(')', out);
	}
}

/* Returns true if some threads were left out. */
static bool is_of_some(const struct prof_meta *meta)
{
	return meta->nr_pids || meta->nr_tids || (meta->command && meta->command[0]) ||
	       (meta->filters && meta->filters[0]);
}

/* Appends the CPUs, unless they are all that were online. */
static void print_cpus(FILE *out, const struct prof_meta *meta, uint32_t nr_recordings)
{
	if (nr_recordings > 1)
		return;
	if (meta->only_cpu) {
		fprintf(out, " on CPU#%" PRIu32, meta->only_cpu - 1);
	} else if (meta->nr_cpus && meta->nr_cpus < meta->host.nr_cpus_online) {
		fputs(" on CPUs ", out);
		text_print(out, meta->cpus, TEXT_PLAIN);
	}
}

/* Appends the duration, in seconds; 0: until Ctrl-C. bcc's tools end their lines so. */
static void print_duration(FILE *out, uint64_t duration_ns)
{
	uint64_t seconds = duration_ns / NS_PER_S, ms = duration_ns % NS_PER_S / NS_PER_MS;
	int digits = ms % 10 ? 3 : ms % 100 ? 2 : 1;

	if (!duration_ns)
		fputs("... Hit Ctrl-C to end.", out);
	else if (!ms)
		fprintf(out, " for %" PRIu64 " secs.", seconds);
	else
		fprintf(out, " for %" PRIu64 ".%0*u secs.", seconds, digits,
			(unsigned int)(digits == 3   ? ms
				       : digits == 2 ? ms / 10
						     : ms / 100));
}

/* Appends the threads and the sides of their stacks. */
static void print_stacks_of(FILE *out, const struct prof_meta *meta, uint32_t nr_recordings)
{
	static const char *const sides[] = {
		[PROF_SIDES_BOTH] = "user + kernel",
		[PROF_SIDES_USER] = "user",
		[PROF_SIDES_KERNEL] = "kernel",
	};

	fputs(" of ", out);
	print_threads(out, meta, nr_recordings);
	fprintf(out, " by %s stack", sides[meta->sides]);
	print_cpus(out, meta, nr_recordings);
}

/* Prints the line of bcc's profile, with the event unless it is one of those that bcc samples. */
static void print_samples(FILE *out, const struct prof_meta *meta, const char *unit,
			  uint32_t nr_recordings)
{
	const char *event = meta->event ? meta->event : "";

	fprintf(out, "Sampling%s%s", unit ? " CPU time in " : "", unit ? unit : "");
	if (!unit && *event && strcmp(event, "cpu-clock") != 0 && strcmp(event, "cycles") != 0) {
		fputc(' ', out);
		text_print(out, event, TEXT_PLAIN);
	}
	fputs(" at ", out);
	if (meta->freq_hz)
		fprintf(out, "%" PRIu64 " Hertz", meta->freq_hz);
	else
		fprintf(out, "every %" PRIu64 " events", meta->period);
	print_stacks_of(out, meta, nr_recordings);
}

/*
 * Prints the line of bcc's stackcount, and the weight if hits are not simply counted. That line has
 * no threads, so it goes on with them only where some were left out.
 */
static void print_hits(FILE *out, const struct prof_meta *meta, const struct prof_event *event,
		       const char *unit, uint32_t nr_recordings)
{
	fputs("Tracing ", out);
	if (event->nr_probes)
		fprintf(out, "%" PRIu64 " ", event->nr_probes);
	fputs("functions for \"", out);
	text_print(out, event->name, TEXT_PLAIN);
	fputc('"', out);
	if (event->weight[0]) {
		fputs(" by sum of ", out);
		text_print(out, event->weight, TEXT_PLAIN);
	}
	if (unit && strcmp(unit, event->weight) != 0)
		fprintf(out, " (%s)", unit);
	if (nr_recordings > 1 || is_of_some(meta)) {
		fputs(nr_recordings > 1 ? " in " : " of ", out);
		print_threads(out, meta, nr_recordings);
	}
	print_cpus(out, meta, nr_recordings);
}

/* Prints the line of bcc's offcputime, and the state if waits are told apart: off-cpu:S. */
static void print_waits(FILE *out, const struct prof_event *event, const char *unit)
{
	const char *state = strchr(event->name, ':');

	fputs("Tracing off-CPU time", out);
	if (state && !strcmp(state, ":other")) {
		fputs(" in other states", out);
	} else if (state) {
		fputs(" in state ", out);
		text_print(out, state + 1, TEXT_PLAIN);
	}
	fprintf(out, " (%s)", unit ? unit : "times");
}

static void print_event(FILE *out, const struct prof_meta *meta, const struct prof_event *event,
			uint32_t nr_recordings)
{
	static const char *const units[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_NS] = "ns",
		[PROF_UNIT_BYTES] = "bytes",
	};
	const char *unit = event ? units[event->unit] : NULL;

	if (!event || event->kind == PROF_EVENT_SAMPLES) {
		print_samples(out, meta, unit, nr_recordings);
	} else if (event->kind == PROF_EVENT_OFF_CPU) {
		print_waits(out, event, unit);
		print_stacks_of(out, meta, nr_recordings);
	} else {
		print_hits(out, meta, event, unit, nr_recordings);
	}
}

char *headline_format(const struct prof_meta *meta, const struct prof_event *event,
		      const struct headline_facts *facts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_event(out, meta, event, facts->nr_recordings);
	if (facts->every_nth > 1)
		fprintf(out, ", one of %" PRIu64 " hits counted", facts->every_nth);
	if (facts->shed_gap > 1)
		fprintf(out, ", one of up to %" PRIu64 " hits counted for all", facts->shed_gap);
	print_duration(out, facts->duration_ns);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

const char *loss_refused_text(uint8_t backend)
{
	return backend == PROF_BACKEND_BPF ? "refused by the kernel" : "not taken in time";
}
