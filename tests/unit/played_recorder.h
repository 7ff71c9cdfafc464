/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorder whose session, pipeline, files, clock and wake-ups a test plays (--wrap): functions
 * note their names, and one of them fails.
 */
#ifndef TESTS_PLAYED_RECORDER_H
#define TESTS_PLAYED_RECORDER_H

#include <inttypes.h>
#include <poll.h>
#include <signal.h>

#include "record/run/confine.h"
#include "record/run/description.h"
#include "record/output/recordings.h"
#include "record/output/schedule.h"
#include "record/run/pipeline.h"
#include "record/run/recorder.h"
#include "record/run/session.h"
#include "record/run/session_notes.h"
#include "record/host/exits.h"
#include "record/host/open_files.h"
#include "record/host/wakeups.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/played_steps.h"

#define NAMES_FD           77
#define BEGIN_NS           (1000 * NS_PER_S)
#define SIDEBAND_SETTLE_NS (100 * NS_PER_MS)
#define SIDEBAND_PAUSE_NS  (20 * NS_PER_MS)
#define MANY_PAUSE_NS      (100 * NS_PER_MS)
#define INTERVAL_NS        (250 * NS_PER_MS)
#define NAMES_WAIT_NS      (2 * NS_PER_S)
#define NAMES_URGENT_NS    (300 * NS_PER_MS)
#define ASKED              UINT64_MAX

static struct record_options options;
static struct err err;

/* What happens at each wait: after how long, and bits of enum wakeup. Then all waits are whole. */
static struct {
	struct wait {
		uint64_t ns; /* ASKED: as long as the recorder wants to wait */
		int what;
	} waits[16];
	size_t nr, next;
	uint64_t most_ns; /* the longest wait that was wanted */
} script;

static struct {
	bool are_over, has_many_records, is_full, wants_drain, has_status, has_names, is_unread;
	bool is_pattern;
	bool is_early;           /* in_epoch is called in each epoch, not only in the last one */
	bool has_command_ended;  /* at the next SIGCHLD */
	uint32_t nr_names_waits; /* until the names are there */
	uint64_t nr_other_labels;
	int refused;
	uint32_t slices_left;  /* of kallsyms */
	int (*in_epoch)(void); /* called when an epoch is written */
} parts;

static struct {
	struct recordings *recordings;
	struct pipeline *pipeline;
	struct session *session;
	uint64_t until_ns, sampled_until_ns, ended_ns, waiting_ns;
	enum prof_end_reason reason;
	uint64_t nr_beyond_labels; /* told of all recordings */
	bool keeps_part;
	uint64_t epoch_ns;  /* when the first epoch was written */
	uint64_t urgent_ns; /* how long the names of the last question may take before they are */
	uint32_t nr_applied, nr_taken, nr_unwound;
} seen;

PLAY_STEP(session_prepare, struct session *);
PLAY_STEP(wakeups_init, struct wakeups *, struct err *);
PLAY_STEP(wakeups_watch, struct wakeups *, int, struct err *);
PLAY_STEP(wakeups_watch_watermark, struct wakeups *, int, struct err *);
PLAY_STEP(description_begin, struct description *, const struct session *, uint64_t, uint64_t);
PLAY_STEP(recordings_begin, struct recordings *, const struct prof_meta *);
PLAY_STEP(session_attach, struct session *);
PLAY_STEP(session_start, struct session *);
PLAY_STEP(confine_recorder, struct sampler *, struct recordings *, const struct unwinder *,
	  struct err *);
PLAY_STEP(session_watch_cpus, struct session *);
PLAY_STEP(session_watch_overhead, struct session *);
PLAY_STEP(session_collect_records, struct session *);
PLAY_STEP(recordings_end, struct recordings *, const struct prof_end *);
PLAY_STEP(recordings_remove_old, struct recordings *, struct err *);
PLAY_STEP(recordings_open_next, struct recordings *);
PLAY_STEP(pipeline_take_set, struct pipeline *);
PLAY_STEP(pipeline_fill_epoch, struct pipeline *);
PLAY_CALL(session_stop, struct session *);
PLAY_CALL(session_note_omissions, const struct session *);
PLAY_CALL(progress_status, struct progress *, uint64_t, uint64_t, uint64_t);
PLAY_CALL(progress_clear, struct progress *);
PLAY_CALL(epoch_begin_recording, struct epoch *);
PLAY_CALL(epoch_end_recording, struct epoch *);
PLAY_NOTHING(wakeups_block_signals, void);
PLAY_NOTHING(open_files_raise, void);
PLAY_NOTHING(overhead_begin_recording, struct overhead *);
PLAY_NOTHING(pipeline_begin_slices, struct pipeline *, uint64_t);
PLAY_NOTHING(progress_begin, struct progress *, const struct prof_meta *, uint64_t);
PLAY_NOTHING(pipeline_deinit, struct pipeline *);
PLAY_NOTHING(description_deinit, struct description *);
PLAY_NOTHING(session_deinit, struct session *);
PLAY_NOTHING(exits_deinit, struct exits *);
PLAY_NOTHING(wakeups_deinit, struct wakeups *);
PLAY_NOTHING(progress_init, struct progress *, FILE *, bool);
PLAY_NOTHING(progress_error, struct progress *, const struct err *);
PLAY_VALUE(int, sampler_wakeup_fd, 1, const struct sampler *);
PLAY_VALUE(int, rings_fd, 1, const struct rings *);
PLAY_VALUE(int, file_names_fd, NAMES_FD, const struct file_names *);
PLAY_VALUE(bool, exits_are_over, parts.are_over, struct exits *);
PLAY_VALUE(bool, session_has_many_records, parts.has_many_records, const struct session *);
PLAY_VALUE(uint64_t, pipeline_nr_stacks, 1, const struct pipeline *);
PLAY_VALUE(uint64_t, sampler_other_labels, parts.nr_other_labels, const struct sampler *);
PLAY_VALUE(uint64_t, sampler_other_traces, 0, const struct sampler *);
PLAY_VALUE(const uint64_t *, epoch_overflows, NULL, const struct epoch *);
PLAY_VALUE(uint64_t, recordings_bytes, 1, const struct recordings *);
PLAY_VALUE(const char *, recordings_name, "name", const struct recordings *);
PLAY_VALUE(bool, recordings_is_full, parts.is_full, const struct recordings *);
PLAY_VALUE(bool, pipeline_wants_drain, parts.wants_drain, const struct pipeline *);
PLAY_VALUE(bool, file_names_is_waiting, parts.nr_names_waits > 0, const struct file_names *);
PLAY_VALUE(int, command_exit_status, 5, const struct command *);
PLAY_VALUE(bool, progress_has_status, parts.has_status, const struct progress *);

int __wrap_session_init(struct session *session, const struct record_options *o,
			struct progress *progress, struct err *e);
int __wrap_recordings_open(struct recordings *recordings, const char *output,
			   const struct rotation *rotation, struct err *e);
void __wrap_recordings_close(struct recordings *recordings, bool keep_part);
int __wrap_pipeline_init(struct pipeline *pipeline, struct session *session,
			 struct recordings *recordings, struct schedule *schedule);
int __wrap_pipeline_take_waiting(struct pipeline *pipeline, uint64_t end_ns);
int __wrap_pipeline_ask_names(struct pipeline *pipeline, uint64_t urgent_ns);
int __wrap_exits_init(struct exits *exits, const u32_vec *pids);
void __wrap_sampler_end_at(struct sampler *sampler, uint64_t end_ns);
int __wrap_wakeups_wait(struct wakeups *wakeups, uint64_t timeout_ns, struct err *e);
int __wrap_wakeups_wait_for(struct wakeups *wakeups, struct pollfd fd, uint64_t timeout_ns,
			    struct err *e);
int __wrap_session_take_samples(struct session *session);
int __wrap_session_unwind(struct session *session);
int __wrap_session_apply_records(struct session *session, uint64_t until_ns);
void __wrap_progress_end(struct progress *p, const struct progress_result *result);
int __wrap_sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *e);
void __wrap_command_reap(struct command *command);
int __wrap_description_end(struct description *description, const struct session *session,
			   const struct counted *counted, uint64_t end_ns,
			   enum prof_end_reason reason);
int __wrap_ksyms_load_slice(struct ksyms *ksyms);
int __wrap_file_names_work(struct file_names *names);
const int *__wrap_sideband_fds(const struct sideband *sideband, size_t *nr);
const int *__wrap_unwinder_fds(const struct unwinder *unwinder, size_t *nr);

int __wrap_session_init(struct session *session, const struct record_options *o,
			struct progress *progress, struct err *e)
{
	static char something;

	(void)progress, (void)e;
	session->options = o;
	session->names = parts.has_names ? (struct file_names *)&something : NULL;
	session->command.refused = parts.refused;
	session->ksyms.loading = parts.slices_left;
	seen.session = session;
	return step("session_init");
}

int __wrap_recordings_open(struct recordings *recordings, const char *output,
			   const struct rotation *rotation, struct err *e)
{
	(void)output, (void)rotation, (void)e;
	seen.recordings = recordings;
	recordings->is_pattern = parts.is_pattern;
	recordings->out.is_unread = parts.is_unread;
	recordings->nr_stacks = 1;
	return step("recordings_open");
}

void __wrap_recordings_close(struct recordings *recordings, bool keep_part)
{
	(void)recordings;
	seen.keeps_part = keep_part;
}

int __wrap_pipeline_init(struct pipeline *pipeline, struct session *session,
			 struct recordings *recordings, struct schedule *schedule)
{
	(void)session, (void)recordings, (void)schedule;
	seen.pipeline = pipeline;
	return step("pipeline_init");
}

int __wrap_pipeline_take_waiting(struct pipeline *pipeline, uint64_t end_ns)
{
	(void)pipeline;
	seen.waiting_ns = end_ns;
	return step("pipeline_take_waiting");
}

int __wrap_pipeline_ask_names(struct pipeline *pipeline, uint64_t urgent_ns)
{
	(void)pipeline;
	seen.urgent_ns = urgent_ns - now_ns;
	return step("pipeline_ask_names");
}

int __wrap_exits_init(struct exits *exits, const u32_vec *pids)
{
	exits->nr = pids->nr;
	return step("exits_init");
}

void __wrap_sampler_end_at(struct sampler *sampler, uint64_t end_ns)
{
	(void)sampler;
	seen.sampled_until_ns = end_ns;
}

static inline int play_wait(uint64_t timeout_ns)
{
	struct wait wait = {.ns = ASKED};

	if (timeout_ns > script.most_ns)
		script.most_ns = timeout_ns;
	if (script.next < script.nr)
		wait = script.waits[script.next++];
	/* Nobody waits for ever. */
	ck_assert(wait.ns != ASKED || timeout_ns < NS_PER_S * 3600);
	now_ns += wait.ns == ASKED ? timeout_ns : wait.ns;
	return wait.what;
}

int __wrap_wakeups_wait(struct wakeups *wakeups, uint64_t timeout_ns, struct err *e)
{
	(void)wakeups, (void)e;
	if (parts.nr_names_waits)
		parts.nr_names_waits--;
	return play_wait(timeout_ns);
}

int __wrap_wakeups_wait_for(struct wakeups *wakeups, struct pollfd fd, uint64_t timeout_ns,
			    struct err *e)
{
	(void)wakeups, (void)fd, (void)e;
	return play_wait(timeout_ns);
}

int __wrap_session_take_samples(struct session *session)
{
	(void)session;
	seen.nr_taken++;
	return 0;
}

int __wrap_session_unwind(struct session *session)
{
	(void)session;
	seen.nr_unwound++;
	return 0;
}

int __wrap_session_apply_records(struct session *session, uint64_t until_ns)
{
	(void)session;
	ck_assert_uint_eq(until_ns, now_ns - SIDEBAND_SETTLE_NS);
	seen.nr_applied++;
	return 0;
}

int __wrap_sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *e)
{
	(void)sampler, (void)e;
	*taken = 1;
	return step("sampler_taken");
}

void __wrap_command_reap(struct command *command)
{
	command->exited |= parts.has_command_ended;
}

int __wrap_description_end(struct description *description, const struct session *session,
			   const struct counted *counted, uint64_t end_ns,
			   enum prof_end_reason reason)
{
	(void)description, (void)session, (void)counted;
	seen.ended_ns = end_ns;
	seen.reason = reason;
	return step("description_end");
}

int __wrap_ksyms_load_slice(struct ksyms *ksyms)
{
	if (parts.slices_left)
		parts.slices_left--;
	ksyms->loading = parts.slices_left;
	return step("ksyms_load_slice");
}

int __wrap_file_names_work(struct file_names *names)
{
	(void)names;
	if (parts.nr_names_waits)
		parts.nr_names_waits--;
	return step("file_names_work");
}

const int *__wrap_sideband_fds(const struct sideband *sideband, size_t *nr)
{
	static const int fds[] = {3, 4};

	(void)sideband;
	*nr = ARRAY_SIZE(fds);
	return fds;
}

const int *__wrap_unwinder_fds(const struct unwinder *unwinder, size_t *nr)
{
	(void)unwinder;
	*nr = 0;
	return NULL;
}

void __wrap_progress_end(struct progress *p, const struct progress_result *result)
{
	(void)p;
	seen.nr_beyond_labels += result->nr_beyond_labels;
	note_step("progress_end");
}

/* What parts.in_epoch returned last. */
static int names_result;

int __wrap_pipeline_end_epoch(struct pipeline *pipeline);

int __wrap_pipeline_end_epoch(struct pipeline *pipeline)
{
	if (!seen.epoch_ns)
		seen.epoch_ns = now_ns;
	if (parts.in_epoch && (pipeline->is_over || parts.is_early))
		names_result = parts.in_epoch();
	return step("pipeline_end_epoch");
}

#endif
