// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/session_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "record/looks/file_owner.h"
#include "record/host/cpus.h"
#include "record/shares/shares.h"

/*
 * Stacks that wait for unwind tables wait in copies. At the begin of each program many do so for a
 * moment, and some find no room. The user hears of them if they are this part of all samples.
 */
#define COPIES_SHARE 100

static void note_given_up(const struct session *s)
{
	uint64_t nr = looker_nr_given_up(s->looker), most;
	uint32_t uid;

	if (!nr)
		return;
	most = looker_most_given_up(s->looker, &uid);
	progress_note(
		s->progress,
		"%" PRIu64
		" looks at files or mappings of processes were given up, since no answer came in time (a file server that hangs?): frames there may be unknown, and stacks cut",
		nr);
	if (uid == SHARES_OTHERS)
		progress_note(s->progress, "%" PRIu64 " of them were at processes that had ended",
			      most);
	else
		progress_note(s->progress, "%" PRIu64 " of them were at processes of user %" PRIu32,
			      most, uid);
}

static const struct shares *pool_of(const struct session *s, enum prof_lack_kind kind)
{
	switch (kind) {
	case PROF_LACK_JIT_MAPS:
		return &s->jit.held;
	case PROF_LACK_JIT_READS:
		return &s->jit.unread;
	case PROF_LACK_NAMES:
		return file_names_unserved(s->names);
	case PROF_LACK_LOOKS:
		return &s->looks.left_out;
	default:
		return unwinder_pool(s->unwinder, kind);
	}
}

static int compare_lacks(const void *a, const void *b)
{
	const struct prof_lack *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr) - (x->nr > y->nr)
			      : (x->uid > y->uid) - (x->uid < y->uid);
}

/* Owners who are not told apart have no user id. */
static uint32_t uid_of(const struct share_owner *owner)
{
	return owner->uid == SHARES_OTHERS || owner->uid == FILE_OWNER_UNSURE ? PROF_UID_UNKNOWN
									      : owner->uid;
}

int session_tell_lacks(const struct session *s, struct prof_end *end)
{
	VEC(struct prof_lack) lacks = {0};
	int ret = 0;

	for (uint32_t kind = 0; kind < PROF_NR_LACK_KINDS && !ret; kind++) {
		const struct shares *pool = pool_of(s, kind);

		vec_clear(&lacks);
		for (size_t i = 0; pool && i < pool->owners.nr && !ret; i++) {
			const struct share_owner *o = &pool->owners.data[i];
			const struct prof_lack lack = {kind, uid_of(o), o->nr_lacked};

			if (o->nr_lacked)
				ret = vec_push(&lacks, lack);
		}
		if (lacks.nr)
			qsort(lacks.data, lacks.nr, sizeof(*lacks.data), compare_lacks);
		vec_for_each(&lacks, lack)
			prof_end_add_lack(end, lack);
	}
	vec_free(&lacks);
	return ret;
}

/* What had no room, and whose most of it was. */
static void note_lacks(const struct session *s, const struct shares *shares, const char *what)
{
	const struct share_owner *most = shares ? shares_most_lacked(shares) : NULL;
	uint64_t nr = shares ? shares_nr_lacked(shares) : 0;

	const char *times = nr == 1 ? "time" : "times";

	if (most && uid_of(most) == PROF_UID_UNKNOWN)
		progress_note(s->progress, "%" PRIu64 " %s %s", nr, times, what);
	else if (most)
		progress_note(s->progress, "%" PRIu64 " %s %s; %" PRIu64 " of user %" PRIu32, nr,
			      times, what, most->nr_lacked, most->uid);
}

/* Is the number of lacks of @kind, which @shares has, worth a note? */
static bool is_noticeable(const struct session *s, enum prof_lack_kind kind,
			  const struct shares *shares)
{
	struct err ignored = {0};
	uint64_t taken;

	if (kind != PROF_LACK_COPIES || !shares || sampler_taken(s->sampler, &taken, &ignored))
		return true;
	return shares_nr_lacked(shares) >= taken / COPIES_SHARE;
}

void session_note_omissions(const struct session *s)
{
	const struct {
		uint64_t nr;
		const char *what;
	} parts[] = {
		{s->spaces.nr_left_out,
		 "mappings were not kept: they did not fit into --max-memory, and their frames are unknown"},
		{s->new_processes.nr_left_out,
		 "processes were not described when they began: --max-memory was half in use"},
		{looker_nr_stopped(s->looker),
		 "times a signal stopped the child that looks at processes, and another took its place: some mappings were read late"},
	};

	const char *lacks = s->is_own ? source_lacks(s->without.source) : NULL;
	struct prof_end end = {0};

	events_times(&s->events, &end.wanted_ns, &end.running_ns);
	if (lacks)
		progress_note(s->progress, "%s", lacks);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].nr)
			progress_note(s->progress, "%" PRIu64 " %s", parts[i].nr, parts[i].what);
	if (prof_end_counted_percent(&end) < 100)
		progress_note(
			s->progress,
			"event '%s' was counted for %" PRIu32
			" %% of the time, since others used the counters of the CPUs: samples are missing",
			s->events.event.name, prof_end_counted_percent(&end));
	note_given_up(s);
	for (uint32_t kind = 0; kind < PROF_NR_LACK_KINDS; kind++) {
		const char *message = prof_lack_words[kind].message;
		char text[256];

		if (!is_noticeable(s, kind, pool_of(s, kind)))
			continue;
		snprintf(text, sizeof(text), "%s%s", message,
			 kind == PROF_LACK_COPIES && s->probes.events.nr
				 ? " (-c COUNT counts fewer hits)"
				 : "");
		note_lacks(s, pool_of(s, kind), text);
	}
}

static void note_cpu(struct session *s, uint32_t cpu, bool is_online)
{
	if (is_online)
		progress_note(
			s->progress,
			"CPU %" PRIu32
			" came online: it is not sampled, and mappings that are made on it may be unknown",
			cpu);
	else
		progress_note(
			s->progress,
			"CPU %" PRIu32
			" went offline: it is not sampled from now on, also when it comes back",
			cpu);
}

/*
 * A CPU that goes offline ends its event, and the event stays ended when the CPU comes back. The
 * recorder has given up the capabilities that opening another event takes.
 */
int session_watch_cpus(struct session *s)
{
	u32_vec now = {0};
	size_t nr = s->changed_cpus.nr;
	int ret = 0;

	/* The recording goes on if the list cannot be read any more. */
	if (!cpus_online(&now, NULL))
		ret = cpus_compare(&s->online, &now, &s->changed_cpus);
	for (; nr < s->changed_cpus.nr; nr++)
		note_cpu(s, s->changed_cpus.data[nr], cpus_has(&now, s->changed_cpus.data[nr]));
	vec_free(&now);
	return ret ? err_set(s->err, ret, "failed to record: out of memory") : 0;
}
