// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of a run. At the start the recorder opens the output first, so that a mistake there
 * costs nothing, and attaches the sampler before it writes, since a reader may keep it waiting. At
 * the end it stops the sampler first, then drains for the last time.
 */
#include "record/run/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/run/confine.h"
#include "record/run/description.h"
#include "record/output/progress.h"
#include "record/output/recordings.h"
#include "record/output/schedule.h"
#include "record/run/pipeline.h"
#include "record/run/session.h"
#include "record/run/session_notes.h"
#include "record/host/exits.h"
#include "record/host/open_files.h"
#include "record/host/wakeups.h"

/*
 * Between drains the recorder applies side-band records that are at least this old: the kernel has
 * written all of them into the buffers by now.
 */
#define SIDEBAND_SETTLE_NS (100 * NS_PER_MS)

/*
 * The recorder reads the side-band at least this often, since /proc tells of a new process only
 * while the process lives.
 */
#define SIDEBAND_INTERVAL_NS (250 * NS_PER_MS)

/*
 * The least time between frequent wake-ups. Programs that begin all the time would wake the
 * recorder for each of them, and walk the samples that wait for unwind tables each time.
 */
#define WAKEUP_PAUSE_NS (4 * NS_PER_MS)

/*
 * The recorder sorts all records that wait before it applies some. Between drains it does so at
 * most this often, however fast the buffers fill.
 */
#define SIDEBAND_PAUSE_NS (20 * NS_PER_MS)

/* The same while many records wait, since each time all of them are looked at. */
#define SIDEBAND_MANY_PAUSE_NS (100 * NS_PER_MS)

/* The least time between two reads of the list of online CPUs, other than at drains. */
#define CPUS_PAUSE_NS (100 * NS_PER_MS)

/*
 * How long the names of an epoch may take while sampling goes on. Those that take longer come with
 * a later epoch. The child that looks them up starts at the lowest priority, and gets the
 * recorder's after NAMES_URGENT_NS.
 */
#define NAMES_WAIT_NS   (2 * NS_PER_S)
#define NAMES_URGENT_NS (300 * NS_PER_MS)

/* From the start of sampling to the first question about names. */
#define NAMES_FIRST_NS NS_PER_S

/* From the end of sampling to a message that the recorder waits for names. */
#define NAMES_NOTE_NS NS_PER_S

#define STATUS_INTERVAL_NS NS_PER_S

/* Longest wait for a signal that has reached the reader of standard output a moment earlier. */
#define READER_SIGNAL_NS (100 * NS_PER_MS)

/* The exit status of a recording that a signal ended together with its reader, as of a shell. */
#define INTERRUPTED_STATUS (128 + SIGINT)

/*
 * malloc maps blocks of this size and more one by one. By default malloc raises the size when
 * libbpf frees the kernel's types, 5 MB; then tables that grow would leave holes in the heap.
 */
#define MAPPED_BLOCK_BYTES (128 << 10)

struct recorder {
	const struct record_options *options;
	struct err *err;
	struct progress progress;
	struct session session;
	struct description description;
	struct recordings recordings;
	struct wakeups wakeups;
	struct exits exits; /* of the processes that were chosen by their ids */
	struct schedule schedule;
	struct pipeline pipeline;
	uint64_t start_ns;   /* CLOCK_MONOTONIC: start of the run */
	uint64_t applied_ns; /* CLOCK_MONOTONIC: when records were applied between drains */
	uint64_t watched_ns; /* CLOCK_MONOTONIC: when the list of CPUs was read between drains */
	enum prof_end_reason end_reason;
	bool stop;                /* the run ends as soon as it can */
	uint64_t nr_other_labels; /* of sampler_other_labels, in the recordings before */
	uint64_t nr_other_traces; /* likewise */
	uint64_t stopped_ns;      /* CLOCK_MONOTONIC: end of sampling; 0: sampling goes on */
	bool has_told_wait;       /* that it waits for the last names */
	int pending; /* bits of enum wakeup, from while the recorder waited for a reader */
};

static int out_of_memory(struct recorder *r)
{
	return err_set(r->err, -ENOMEM, "failed to record: out of memory");
}

static int watch_all(struct recorder *r)
{
	size_t nr;
	const int *fds = sideband_fds(r->session.sideband, &nr);
	int ret = wakeups_init(&r->wakeups, r->err);

	/* Without BPF, threads may stand still until the recorder comes. */
	r->wakeups.pause_ns = r->session.is_own ? 0 : WAKEUP_PAUSE_NS;
	if (!ret)
		ret = wakeups_watch_watermark(&r->wakeups, sampler_wakeup_fd(r->session.sampler),
					      r->err);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = wakeups_watch(&r->wakeups, fds[i], r->err);
	if (!ret && r->session.is_own) {
		fds = source_fds(r->session.without.source, &nr);
		for (size_t i = 0; i < nr && !ret; i++)
			ret = wakeups_watch_edges(&r->wakeups, fds[i], r->err);
	}
	if (!ret)
		ret = wakeups_watch(&r->wakeups, rings_fd(r->session.told), r->err);
	if (!ret && r->session.names)
		ret = wakeups_watch(&r->wakeups, file_names_fd(r->session.names), r->err);
	fds = unwinder_fds(r->session.unwinder, &nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = wakeups_watch(&r->wakeups, fds[i], r->err);
	return ret;
}

/* With --follow, children go on after them. */
static int watch_exits(struct recorder *r)
{
	const u32_vec *pids = &r->options->pids;
	int ret;

	if (!pids->nr || r->options->follow || r->options->command)
		return 0;
	ret = exits_init(&r->exits, pids);
	if (ret)
		return out_of_memory(r);
	vec_for_each(&r->exits.pidfds, fd)
		ret = ret ? ret : wakeups_watch_edges(&r->wakeups, *fd, r->err);
	return ret;
}

static void request_stop(struct recorder *r, enum prof_end_reason reason)
{
	if (!r->stop)
		r->end_reason = reason;
	r->stop = true;
}

/* The programs may have stopped earlier, by themselves (sampler_end_at). */
static void stop_sampling(struct recorder *r)
{
	session_stop(&r->session);
	if (!r->stopped_ns)
		r->stopped_ns = min_u64(clock_monotonic_ns(), r->schedule.end_ns);
}

/* Stops the run if @happened, bits of enum wakeup, says so. */
static void handle_wakeups(struct recorder *r, int happened)
{
	if (happened & WAKEUP_CHILD)
		command_reap(&r->session.command);
	if (happened & WAKEUP_STOP)
		request_stop(r, PROF_END_SIGNAL);
	if (r->session.command.exited)
		request_stop(r, PROF_END_COMMAND);
	if (r->stop || !exits_are_over(&r->exits))
		return;
	if (r->exits.nr > 1)
		progress_note(&r->progress, "all %zu processes have ended", r->exits.nr);
	else
		progress_note(&r->progress, "process %u has ended", r->options->pids.data[0]);
	request_stop(r, PROF_END_COMMAND);
}

/*
 * The wait function of an outfile. While nobody reads standard output, sampling still ends when it
 * is due or a signal asks for it. Then the recorder keeps the last part of the recording for the
 * reader. Another signal ends the recorder, and that part is lost.
 */
static int wait_for_reader(void *ctx, int fd)
{
	struct recorder *r = ctx;

	for (;;) {
		uint64_t now = clock_monotonic_ns(), end_ns = r->schedule.end_ns;
		int what;

		if (!r->stopped_ns && (r->stop || now >= end_ns))
			stop_sampling(r);
		what = wakeups_wait_for(&r->wakeups, (struct pollfd){.fd = fd, .events = POLLOUT},
					r->stopped_ns ? SCHEDULE_NEVER : end_ns - now, r->err);
		if (what < 0)
			return what;
		if (what & WAKEUP_READY)
			return 0;
		if (what & WAKEUP_STOP && r->stopped_ns)
			return err_set(
				r->err, -EINTR,
				"failed to write 'standard output': a signal came while nobody read it");
		r->pending |= what & (WAKEUP_FLUSH | WAKEUP_ROTATE);
		handle_wakeups(r, what);
	}
}

static void tell_wait(struct recorder *r)
{
	if (!r->has_told_wait)
		progress_note(&r->progress,
			      "waiting for the names of functions, %" PRIu64
			      " s at most (--names-wait): Ctrl-C leaves out those that lack",
			      r->options->names_wait_ns / NS_PER_S);
	r->has_told_wait = true;
}

/* The pipeline's wait_for_names. A signal ends the wait, since the first one has ended sampling. */
static int wait_for_last_names(void *ctx)
{
	struct recorder *r = ctx;
	struct file_names *names = r->session.names;
	const uint64_t begin_ns = clock_monotonic_ns();
	const uint64_t end_ns = begin_ns + r->options->names_wait_ns;
	const uint64_t note_ns = begin_ns + NAMES_NOTE_NS;

	while (file_names_is_waiting(names)) {
		uint64_t now = clock_monotonic_ns();
		uint64_t next_ns = now < note_ns ? min_u64(note_ns, end_ns) : end_ns;
		int what;

		if (now >= end_ns)
			return 1;
		if (now >= note_ns)
			tell_wait(r);
		what = wakeups_wait_for(
			&r->wakeups, (struct pollfd){.fd = file_names_fd(names), .events = POLLIN},
			next_ns - now, r->err);
		if (what < 0)
			return what;
		handle_wakeups(r, what & WAKEUP_CHILD);
		if (what & WAKEUP_STOP)
			return 1;
		if (file_names_work(names))
			return out_of_memory(r);
	}
	return 0;
}

/* Does all that can be done before the first sample. */
static int prepare_run(struct recorder *r)
{
	int ret;

	wakeups_block_signals();
	open_files_raise();
	ret = session_init(&r->session, r->options, &r->progress, r->err);
	if (!ret)
		ret = recordings_open(&r->recordings, r->options->output, &r->options->rotation,
				      r->err);
	if (!ret && !r->recordings.out.path) {
		r->recordings.out.wait = wait_for_reader;
		r->recordings.out.wait_ctx = r;
	}
	if (!ret)
		ret = session_prepare(&r->session);
	if (!ret)
		ret = watch_all(r);
	if (!ret)
		ret = watch_exits(r);
	if (!ret)
		ret = pipeline_init(&r->pipeline, &r->session, &r->recordings, &r->schedule);
	r->pipeline.wait_for_names = wait_for_last_names;
	r->pipeline.wait_ctx = r;
	return ret;
}

/* Describes the recording that begins at @start_ns. */
static int describe_recording(struct recorder *r, uint64_t start_ns)
{
	if (description_begin(&r->description, &r->session, start_ns,
			      schedule_planned_ns(&r->schedule)))
		return out_of_memory(r);
	epoch_begin_recording(r->pipeline.epoch);
	overhead_begin_recording(&r->session.overhead);
	return 0;
}

/*
 * Starts sampling, and then begins the first recording. To write the description can take as long
 * as a reader of standard output wants, and all samples of that time have to be there.
 */
static int begin_run(struct recorder *r)
{
	const struct record_options *o = r->options;
	const struct schedule_lengths lengths = {
		.duration_ns = o->duration_ns,
		.interval_ns = o->interval_ns,
		.rotate_ns = o->rotation.time_ns,
		.status_ns = progress_has_status(&r->progress) ? STATUS_INTERVAL_NS : 0,
		.names_ns = r->session.names ? NAMES_FIRST_NS : 0,
	};
	int ret;

	r->start_ns = r->pipeline.drained_ns = clock_monotonic_ns();
	schedule_begin(&r->schedule, r->start_ns, &lengths);
	sampler_end_at(r->session.sampler, r->schedule.end_ns);
	pipeline_begin_slices(&r->pipeline, r->start_ns);
	ret = describe_recording(r, r->start_ns);
	if (!ret)
		ret = session_attach(&r->session);
	if (ret)
		return ret;
	progress_begin(&r->progress, &r->description.meta, o->duration_ns);
	ret = session_start(&r->session);
	if (!ret)
		ret = recordings_begin(&r->recordings, &r->description.meta);
	if (!ret && !r->session.keeps_rights)
		ret = confine_recorder(r->session.sampler, &r->recordings, r->session.unwinder,
				       r->err);
	return ret;
}

static int show_status(struct recorder *r, uint64_t now)
{
	uint64_t taken;
	int ret = sampler_taken(r->session.sampler, &taken, r->err);

	if (!ret)
		progress_status(&r->progress, now - r->start_ns, taken,
				pipeline_nr_stacks(&r->pipeline));
	r->schedule.status_due_ns = now + r->schedule.lengths.status_ns;
	return ret;
}

/* Applies the side-band's records that are old enough, unless it did so a moment ago. */
static int apply_settled_records(struct recorder *r)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t pause_ns =
		session_has_many_records(&r->session) ? SIDEBAND_MANY_PAUSE_NS : SIDEBAND_PAUSE_NS;

	if (now - r->applied_ns < pause_ns)
		return session_collect_records(&r->session);
	r->applied_ns = now;
	return session_apply_records(&r->session, now - SIDEBAND_SETTLE_NS);
}

static int watch_cpus(struct recorder *r)
{
	uint64_t now = clock_monotonic_ns();

	if (now - r->watched_ns < CPUS_PAUSE_NS)
		return 0;
	r->watched_ns = now;
	return session_watch_cpus(&r->session);
}

/* Waits until @due_ns or until something happens. *@happened receives bits of enum wakeup. */
static int wait_until(struct recorder *r, uint64_t due_ns, int *happened)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t wait_ns = due_ns <= now ? 0 : due_ns - now;
	int what;

	if (wait_ns > SIDEBAND_INTERVAL_NS)
		wait_ns = SIDEBAND_INTERVAL_NS;
	what = wakeups_wait(&r->wakeups, wait_ns, r->err);
	if (what < 0)
		return what;
	handle_wakeups(r, what);
	*happened = what | r->pending;
	r->pending = 0;
	/* Those that follow have no bit. The unwinder comes early: samples wait for it. */
	what = session_take_samples(&r->session);
	if (!what)
		what = session_unwind(&r->session);
	if (!what)
		what = apply_settled_records(r);
	if (!what)
		what = session_watch_overhead(&r->session);
	return what ? what : watch_cpus(r);
}

/* Prints the closing line of the recording, and how the command ended. */
static void print_end(struct recorder *r)
{
	struct command *command = &r->session.command;
	struct progress_result result = {
		.end = &r->description.end,
		.backend = r->description.meta.backend,
		.is_of_event = r->options->event_text && r->options->event.every,
		.runtimes = &r->recordings.runtimes,
		.nr_stacks = r->recordings.nr_stacks,
		.bytes = recordings_bytes(&r->recordings),
		.output = recordings_name(&r->recordings),
	};

	result.nr_beyond_labels = sampler_other_labels(r->session.sampler) - r->nr_other_labels;
	r->nr_other_labels += result.nr_beyond_labels;
	result.nr_beyond_traces = sampler_other_traces(r->session.sampler) - r->nr_other_traces;
	r->nr_other_traces += result.nr_beyond_traces;
	command_reap(command);
	result.command_status = command->status;
	progress_end(&r->progress, &result);
}

/* Ends the recording at @end_ns. All its samples have been drained and written. */
static int end_recording(struct recorder *r, uint64_t end_ns, enum prof_end_reason reason)
{
	const struct counted counted = {r->recordings.sums, epoch_overflows(r->pipeline.epoch)};
	struct err warning;
	int ret;

	epoch_end_recording(r->pipeline.epoch);
	if (description_end(&r->description, &r->session, &counted, end_ns, reason))
		return out_of_memory(r);
	ret = recordings_end(&r->recordings, &r->description.end);
	if (ret)
		return ret;
	print_end(r);
	ret = recordings_remove_old(&r->recordings, &warning);
	if (warning.text[0])
		progress_error(&r->progress, &warning);
	return ret;
}

/* Call it after a drain. Ends the recording, and begins another where this one ends. */
static int rotate_recording(struct recorder *r)
{
	uint64_t at_ns = r->pipeline.drained_ns;
	int ret = end_recording(r, at_ns, PROF_END_ROTATED);

	if (!ret)
		ret = recordings_open_next(&r->recordings);
	if (ret)
		return ret;
	schedule_rotate(&r->schedule, at_ns);
	ret = describe_recording(r, at_ns);
	return ret ? ret : recordings_begin(&r->recordings, &r->description.meta);
}

/* Bits of enum due: the work that signals, full maps and ended processes ask for. */
static int asked_work(const struct recorder *r, int happened)
{
	int asked = 0;

	if (happened & WAKEUP_WATERMARK ||
	    (!r->session.ksyms.loading && pipeline_wants_drain(&r->pipeline)))
		asked |= DUE_DRAIN;
	if (happened & (WAKEUP_FLUSH | WAKEUP_ROTATE))
		asked |= DUE_EPOCH;
	if (happened & WAKEUP_ROTATE && r->recordings.is_pattern)
		asked |= DUE_FILE;
	return asked;
}

/*
 * Waits for the names that the epoch needs. Meanwhile sampling and all other work goes on, but for
 * drains: the set has room for a while, and the wait ends when it is half full.
 */
static int name_epoch(struct recorder *r)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t end_ns = min_u64(now + NAMES_WAIT_NS, r->schedule.end_ns);
	int kept = 0, ret;

	if (!r->session.names)
		return 0;
	ret = pipeline_ask_names(&r->pipeline, now + NAMES_URGENT_NS);
	while (!ret && !r->stop && !(kept & WAKEUP_WATERMARK) && now < end_ns &&
	       file_names_is_waiting(r->session.names)) {
		int happened = 0;

		ret = wait_until(r, end_ns, &happened);
		kept |= happened;
		now = clock_monotonic_ns();
	}
	r->pending |= kept;
	return ret;
}

/* Drains, writes and rotates as @due, bits of enum due, says. */
static int do_due(struct recorder *r, int due)
{
	bool is_loading = r->session.ksyms.loading;
	int ret;

	if (!(due & DUE_DRAIN))
		return 0;
	ret = pipeline_take_set(&r->pipeline);
	/*
	 * Reading kallsyms can take long on a busy machine, and a set has no room for that time.
	 * Until the names are there, only take the samples.
	 */
	if (is_loading && !(due & DUE_EPOCH))
		return ret;
	if (!ret)
		ret = pipeline_fill_epoch(&r->pipeline);
	if (!ret && due & DUE_NAMES) {
		ret = pipeline_ask_names(&r->pipeline, clock_monotonic_ns() + NAMES_URGENT_NS);
		schedule_asked(&r->schedule, clock_monotonic_ns());
	}
	if (!ret && (due & DUE_EPOCH || recordings_is_full(&r->recordings))) {
		ret = name_epoch(r);
		if (!ret)
			ret = pipeline_end_epoch(&r->pipeline);
	}
	/* The epoch that was written may have filled the file. */
	if (!ret && (due & DUE_FILE || recordings_is_full(&r->recordings)))
		ret = rotate_recording(r);
	return ret;
}

/* Records until the run is to end. */
static int run_loop(struct recorder *r)
{
	struct ksyms *ksyms = &r->session.ksyms;

	while (!r->stop) {
		bool is_busy = ksyms->loading || r->pending;
		uint64_t now, next_ns = is_busy ? 0 : schedule_next(&r->schedule);
		int due, happened = 0;
		int ret = wait_until(r, next_ns, &happened);

		if (ret)
			return ret;
		now = clock_monotonic_ns();
		due = schedule_due(&r->schedule, now, asked_work(r, happened));
		if (due & DUE_END)
			break;
		ret = do_due(r, due);
		if (!ret && ksyms_load_slice(ksyms))
			ret = out_of_memory(r);
		if (!ret && due & DUE_STATUS)
			ret = show_status(r, now);
		if (ret)
			return ret;
	}
	return 0;
}

/* Stops sampling, drains the last samples and ends the recording. */
static int finish_run(struct recorder *r)
{
	int ret;

	stop_sampling(r);
	r->pipeline.is_over = true;
	ret = pipeline_take_set(&r->pipeline);
	if (!ret)
		ret = pipeline_take_waiting(&r->pipeline, r->stopped_ns);
	if (!ret)
		ret = pipeline_fill_epoch(&r->pipeline);
	r->pipeline.drained_ns = r->stopped_ns; /* no sample was taken later */
	if (!ret)
		ret = pipeline_end_epoch(&r->pipeline);
	if (!ret)
		ret = end_recording(r, r->stopped_ns, r->end_reason);
	if (!ret)
		session_note_omissions(&r->session);
	return ret;
}

/* After an error, writes the samples that were drained before, and keeps the error. */
static void salvage_epoch(struct recorder *r)
{
	struct err first = *r->err;

	pipeline_end_epoch(&r->pipeline);
	*r->err = first;
}

static void release_all(struct recorder *r, bool keep_part)
{
	pipeline_deinit(&r->pipeline);
	recordings_close(&r->recordings, keep_part);
	description_deinit(&r->description);
	session_deinit(&r->session);
	exits_deinit(&r->exits);
	wakeups_deinit(&r->wakeups);
}

/*
 * Ctrl-C ends all of a pipeline. If it ends the reader of standard output first, nobody is left who
 * wants the rest of the recording, and the user knows why it is missing.
 */
static bool is_interrupted_with_reader(struct recorder *r)
{
	int what = 0;

	if (!r->recordings.out.is_unread)
		return false;
	if (!r->stop)
		what = wakeups_wait_for(&r->wakeups, (struct pollfd){.fd = -1}, READER_SIGNAL_NS,
					r->err);
	if (what > 0)
		handle_wakeups(r, what);
	return r->stop && r->end_reason == PROF_END_SIGNAL;
}

/* The exit status of the command for the caller of recorder_run, which returns @ret. */
static int command_status(const struct recorder *r, int ret)
{
	const struct command *command = &r->session.command;

	if (ret)
		return command->refused;
	return command->exited && r->end_reason == PROF_END_COMMAND ? command_exit_status(command)
								    : 0;
}

int recorder_run(const struct record_options *options, int *status, struct err *err)
{
	struct recorder r = {
		.options = options,
		.err = err,
		.recordings.out.fd = -1,
		.wakeups = {.signal_fd = -1, .epoll_fd = -1},
	};
	bool keep_part = false;
	int ret;

	mallopt(M_MMAP_THRESHOLD, MAPPED_BLOCK_BYTES);
	progress_init(&r.progress, stderr, options->quiet);
	ret = prepare_run(&r);
	if (!ret)
		ret = begin_run(&r);
	if (!ret) {
		ret = run_loop(&r);
		if (!ret)
			ret = finish_run(&r);
		if (ret)
			salvage_epoch(&r);
		if (ret)
			progress_clear(&r.progress);
		keep_part = ret && r.recordings.nr_stacks;
	}
	*status = command_status(&r, ret);
	if (ret && is_interrupted_with_reader(&r)) {
		*status = INTERRUPTED_STATUS;
		ret = 0;
	}
	release_all(&r, keep_part);
	return ret;
}
