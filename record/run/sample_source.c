// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/sample_source.h"

#include <errno.h>
#include <stdlib.h>

#include "record/sampling/perf/perf_source.h"
#include "record/sampling/ptrace/ptrace_source.h"

/* One of the two. */
struct source {
	struct perf_source *perf;
	struct ptrace_source *stops;
	struct event_name clock; /* of stops: CPU time */
};

int source_create(const struct source_options *options, struct source **source, struct err *err)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "failed to record: out of memory");
	event_name_parse("cpu-clock", &s->clock);
	if (options->kind == SOURCE_PERF)
		ret = perf_source_create(options, &s->perf, err);
	else
		ret = ptrace_source_create(options, &s->stops, err);
	if (ret) {
		source_destroy(s);
		return ret;
	}
	*source = s;
	return 0;
}

void source_destroy(struct source *s)
{
	if (!s)
		return;
	perf_source_destroy(s->perf);
	ptrace_source_destroy(s->stops);
	free(s);
}

int source_add(struct source *s, uint32_t id, bool is_thread, bool is_followed, struct err *err)
{
	return s->perf ? perf_source_add(s->perf, id, is_thread, is_followed, err)
		       : ptrace_source_add(s->stops, id, is_thread, is_followed, err);
}

int source_start(struct source *s, struct err *err)
{
	return s->perf ? perf_source_start(s->perf, err) : ptrace_source_start(s->stops, err);
}

int source_take(struct source *s)
{
	return s->perf ? perf_source_take(s->perf) : ptrace_source_take(s->stops);
}

void source_stop(struct source *s)
{
	if (s->perf)
		perf_source_stop(s->perf);
	else
		ptrace_source_stop(s->stops);
}

const int *source_fds(const struct source *s, size_t *nr)
{
	return s->perf ? perf_source_fds(s->perf, nr) : ptrace_source_fds(s->stops, nr);
}

const struct event_name *source_event(const struct source *s)
{
	return s->perf ? perf_source_event(s->perf) : &s->clock;
}

bool source_has_kernel(const struct source *s)
{
	return s->perf && perf_source_has_kernel(s->perf);
}

uint64_t source_nr_lost(const struct source *s)
{
	return s->perf ? perf_source_nr_lost(s->perf) : 0;
}

bool source_has_changed(struct source *s, uint32_t pid)
{
	return s->perf && perf_source_has_changed(s->perf, pid);
}

const char *source_lacks(const struct source *s)
{
	return s->perf ? perf_source_lacks(s->perf) : ptrace_source_lacks(s->stops);
}
