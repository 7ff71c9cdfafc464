// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of things. Start: the output first, so that a mistake there costs nothing; the sampler
 * last. Stop: the sampler first, then the last drain. Why each drain goes as it does:
 * doc/design.md.
 */
#include "record/recorder.h"

#include <errno.h>
#include <malloc.h>

#include "common/clock.h"
#include "record/confine.h"
#include "record/epoch/drain.h"
#include "record/epoch/epoch.h"
#include "record/system/open_files.h"
#include "record/output/progress.h"
#include "record/output/schedule.h"
#include "record/output/recordings.h"
#include "record/session.h"
#include "record/system/wakeups.h"

/* What ends, processes and mappings, is kept until a drain; at this many there is one. */
#define EXITED_MAX 1024
#define ENDED_MAX  16384

/*
 * Between drains side-band records are taken over up to this long ago: by then they are all in
 * their buffers.
 */
#define SIDEBAND_SETTLE_NS (100 * NS_PER_MS)

/*
 * The side-band is read at least this often: what is known of processes from /proc can be had only
 * while they live.
 */
#define SIDEBAND_INTERVAL_NS (250 * NS_PER_MS)

#define STATUS_INTERVAL_NS NS_PER_S

/*
 * Blocks from this size on are mapped one by one. Left to itself, malloc would no longer do so once
 * libbpf has freed the kernel's types, 5 MB, and tables that grow would leave holes in the heap.
 */
#define MAPPED_BLOCK_BYTES (128 << 10)

struct recorder {
	const struct record_options *options;
	struct err *err;
	struct session session;
	struct recordings recordings;
	struct wakeups wakeups;
	struct schedule schedule;
	struct drain *drain;
	struct epoch *epoch;
	uint64_t start_ns;     /* CLOCK_MONOTONIC: of the run */
	uint64_t drained_ns;   /* CLOCK_MONOTONIC: what was sampled until then is in the epoch */
	size_t nr_exited;      /* address spaces that no drain could forget */
	uint64_t lost_records; /* of the side-band, as of the last drain */
	uint64_t nr_stacks;    /* rows written so far */
	enum prof_end_reason end_reason;
	bool stop;
	uint64_t stopped_ns; /* CLOCK_MONOTONIC: when sampling was ended; 0: it was not */
	int pending;         /* bits of enum wakeup that came while the output was waited for */
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int out_of_memory(struct recorder *r)
{
	return err_set(r->err, -ENOMEM, "failed to record: out of memory");
}

static int watch_all(struct recorder *r)
{
	size_t nr;
	const int *fds = sideband_fds(r->session.sideband, &nr);
	int ret = wakeups_init(&r->wakeups, r->err);

	if (!ret)
		ret = wakeups_watch_watermark(&r->wakeups, sampler_wakeup_fd(r->session.sampler),
					      r->err);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = wakeups_watch(&r->wakeups, fds[i], r->err);
	if (ret || !r->session.unwinder)
		return ret;
	fds = unwinder_fds(r->session.unwinder, &nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = wakeups_watch(&r->wakeups, fds[i], r->err);
	return ret;
}

static void stop(struct recorder *r, enum prof_end_reason reason)
{
	if (!r->stop)
		r->end_reason = reason;
	r->stop = true;
}

static void stop_sampling(struct recorder *r)
{
	session_stop(&r->session);
	if (!r->stopped_ns)
		r->stopped_ns = clock_monotonic_ns();
}

static void heed(struct recorder *r, int happened)
{
	if (happened & WAKEUP_CHILD)
		command_reap(&r->session.command);
	if (happened & WAKEUP_STOP)
		stop(r, PROF_END_SIGNAL);
	if (r->session.command.exited)
		stop(r, PROF_END_COMMAND);
}

/*
 * While nobody reads standard output, the recording ends when it is due or asked for, and its end
 * is kept for the reader; who then asks once more wants the recorder to end. An outfile's wait.
 */
static int wait_for_reader(void *ctx, int fd)
{
	struct recorder *r = ctx;

	for (;;) {
		uint64_t now = clock_monotonic_ns(), end_ns = r->schedule.end_ns;
		int what;

		if (!r->stopped_ns && (r->stop || now >= end_ns))
			stop_sampling(r);
		what = wakeups_wait_writable(&r->wakeups, fd,
					     r->stopped_ns ? SCHEDULE_NEVER : end_ns - now, r->err);
		if (what < 0)
			return what;
		if (what & WAKEUP_WRITABLE)
			return 0;
		if (what & WAKEUP_STOP && r->stopped_ns)
			return err_set(
				r->err, -EINTR,
				"failed to write 'standard output': a signal came while nobody read it");
		r->pending |= what & (WAKEUP_FLUSH | WAKEUP_ROTATE);
		heed(r, what);
	}
}

/* Everything that needs no sampler yet. */
static int prepare(struct recorder *r)
{
	int ret;

	wakeups_block_signals();
	open_files_raise();
	ret = session_init(&r->session, r->options, r->err);
	if (!ret)
		ret = recordings_open(&r->recordings, &r->session);
	if (!ret && !r->recordings.out.path) {
		r->recordings.out.wait = wait_for_reader;
		r->recordings.out.wait_ctx = r;
	}
	if (!ret)
		ret = session_prepare(&r->session);
	if (!ret)
		ret = watch_all(r);
	if (!ret && (drain_create(&r->drain) ||
		     epoch_create(&r->session.spaces, &r->session.ksyms, &r->epoch)))
		ret = out_of_memory(r);
	if (!ret)
		epoch_set_names(r->epoch, &r->session.vdso, &r->session.jit);
	return ret;
}

/* Starts sampling. */
static int begin(struct recorder *r)
{
	const struct record_options *o = r->options;
	uint64_t start = clock_monotonic_ns();
	int ret;

	r->start_ns = r->drained_ns = start;
	schedule_begin(&r->schedule, start, o->duration_s * NS_PER_S, o->interval_s * NS_PER_S,
		       o->rotation.seconds * NS_PER_S);
	ret = recordings_begin(&r->recordings, start, schedule_planned_s(&r->schedule));
	if (!ret)
		ret = session_start(&r->session);
	if (!ret)
		ret = confine_recorder(r->session.sampler, &r->recordings, o->command != NULL,
				       r->session.unwinder, r->err);
	return ret;
}

/* Writes what is in the epoch as one that ends at @end_ns. */
static int write_epoch(struct recorder *r, uint64_t end_ns)
{
	struct prof_epoch tables;
	int ret;

	if (!epoch_nr_counts(r->epoch))
		return 0;
	if (epoch_finish(r->epoch, &tables))
		return out_of_memory(r);
	tables.begin_ns = r->schedule.epoch_begin_ns;
	tables.end_ns = end_ns;
	ret = recordings_write_epoch(&r->recordings, &tables);
	if (ret)
		return ret;
	r->nr_stacks += epoch_nr_counts(r->epoch);
	if (epoch_reset(r->epoch) || jit_forget(&r->session.jit, &r->session.spaces))
		return out_of_memory(r);
	/* Of a large epoch many small pieces are free now: over hours they would add up. */
	malloc_trim(0);
	return 0;
}

/*
 * Within a drain, of an epoch that has grown large; the rest of the drain is of the same time. That
 * it is not the last epoch of its interval shows in its end.
 */
static int flush_part(struct recorder *r)
{
	return write_epoch(r, min_u64(r->drained_ns, schedule_interval_end(&r->schedule) - 1));
}

/* After a drain: the next epoch begins where this one ends. */
static int end_epoch(struct recorder *r)
{
	int ret = write_epoch(r, r->drained_ns);

	r->schedule.epoch_begin_ns = r->drained_ns;
	return ret;
}

/* Swaps the sets and takes what is in the one at rest. */
static int take(struct recorder *r)
{
	struct session *s = &r->session;
	int ret;

	/* Before the swap: a wakeup of the new set, which fills already, must not be consumed. */
	sampler_clear_wakeups(s->sampler);
	ret = sampler_swap(s->sampler, &r->drained_ns, r->err);
	if (!ret && s->unwinder)
		ret = unwinder_settle(s->unwinder);
	/* All samples at rest were taken by now, and all records of before them are written. */
	if (!ret)
		ret = session_apply_records(s, clock_monotonic_ns());
	if (!ret && s->unwinder)
		ret = unwinder_take_early(s->unwinder, sampler_set_at_rest(s->sampler));
	if (!ret)
		ret = drain_take(r->drain, s->sampler, r->err);
	return ret == -ENOMEM ? out_of_memory(r) : ret;
}

/* Moves what was taken into the epoch. */
static int add(struct recorder *r)
{
	struct session *s = &r->session;
	struct early_samples *early = NULL;
	int ret = ksyms_load_rest(&s->ksyms);

	if (!ret && !s->options->user_only)
		ret = ksyms_refresh(&s->ksyms);
	if (!ret)
		ret = session_watch_cpus(s);
	sideband_count_lost(s->sideband);
	if (sideband_lost(s->sideband) != r->lost_records || s->changed_cpus.nr) {
		address_spaces_distrust(&s->spaces);
		if (!ret && s->unwinder)
			ret = unwinder_sweep(s->unwinder);
	}
	r->lost_records = sideband_lost(s->sideband);
	if (!ret && s->unwinder) {
		ret = unwinder_walk_early(s->unwinder, &s->spaces);
		early = unwinder_early(s->unwinder);
	}
	while (!ret && (ret = drain_add_next(r->drain, early, r->epoch)) > 0)
		ret = flush_part(r);
	if (ret == -ENOMEM)
		out_of_memory(r);
	if (!ret && session_forget(s, r->drained_ns))
		ret = out_of_memory(r);
	r->nr_exited = s->spaces.nr_exited;
	return ret;
}

static int show_status(struct recorder *r, uint64_t now)
{
	uint64_t taken;
	int ret = sampler_taken(r->session.sampler, &taken, r->err);

	if (!ret)
		progress_status(now - r->start_ns, taken, r->nr_stacks + epoch_nr_counts(r->epoch));
	return ret;
}

/* Waits until @due_ns or until something happens: bits of enum wakeup go to *@happened. */
static int wait_until(struct recorder *r, uint64_t due_ns, int *happened)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t wait_ns = due_ns <= now ? 0 : min_u64(due_ns - now, SIDEBAND_INTERVAL_NS);
	int what = wakeups_wait(&r->wakeups, wait_ns, r->err);

	if (what < 0)
		return what;
	heed(r, what);
	*happened = what | r->pending;
	r->pending = 0;
	/* Anything else that woke us is looked at in any case. Samples wait for the unwinder. */
	what = session_unwind(&r->session);
	if (!what)
		what = session_apply_records(&r->session,
					     clock_monotonic_ns() - SIDEBAND_SETTLE_NS);
	return what ? what : session_watch_cpus(&r->session);
}

static bool has_many_ended(const struct recorder *r)
{
	if (r->session.unwinder && unwinder_wants_drain(r->session.unwinder))
		return true;
	return r->session.spaces.nr_exited >= r->nr_exited + EXITED_MAX ||
	       r->session.spaces.nr_ended >= ENDED_MAX;
}

/* After a drain: the recording ends with it, and the next one goes on from there. */
static int rotate(struct recorder *r)
{
	schedule_rotate(&r->schedule, r->drained_ns);
	return recordings_rotate(&r->recordings, r->drained_ns, schedule_planned_s(&r->schedule));
}

static bool is_full(const struct recorder *r)
{
	return r->options->rotation.bytes &&
	       recordings_bytes(&r->recordings) >= r->options->rotation.bytes;
}

/* Drains, writes and rotates as is due at @now or asked for by @happened. */
static int do_due(struct recorder *r, uint64_t now, int happened)
{
	bool wants_file = r->recordings.is_pattern && happened & WAKEUP_ROTATE;
	bool file_due = wants_file || now >= r->schedule.rotate_due_ns;
	bool epoch_due = file_due || now >= schedule_epoch_due(&r->schedule) ||
			 happened & (WAKEUP_FLUSH | WAKEUP_ROTATE);
	bool is_loading = r->session.ksyms.loading;
	int ret;

	if (!epoch_due && !(happened & WAKEUP_WATERMARK) && (is_loading || !has_many_ended(r)))
		return 0;
	ret = take(r);
	/* The sets have room for the time of a drain, but not of kallsyms on a busy machine. */
	if (is_loading && !epoch_due)
		return ret;
	if (!ret)
		ret = add(r);
	if (!ret && (epoch_due || is_full(r)))
		ret = end_epoch(r);
	if (!ret && (file_due || is_full(r)))
		ret = rotate(r);
	return ret;
}

static int loop(struct recorder *r)
{
	bool has_status = !r->options->quiet && progress_has_status();
	uint64_t status_due = has_status ? r->start_ns + STATUS_INTERVAL_NS : UINT64_MAX;

	while (!r->stop) {
		uint64_t now;
		int happened = 0;
		struct ksyms *ksyms = &r->session.ksyms;
		uint64_t due =
			ksyms->loading ? 0 : min_u64(schedule_next(&r->schedule), status_due);
		int ret = wait_until(r, due, &happened);

		now = clock_monotonic_ns();
		if (!ret && now >= r->schedule.end_ns)
			break;
		if (!ret)
			ret = do_due(r, now, happened);
		if (!ret && ksyms_load_slice(ksyms))
			ret = out_of_memory(r);
		if (!ret && now >= status_due) {
			ret = show_status(r, now);
			status_due = now + STATUS_INTERVAL_NS;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* Stops sampling, drains what is left and ends the recording. */
static int finish(struct recorder *r)
{
	struct recordings_end how = {.reason = r->end_reason};
	int ret;

	stop_sampling(r);
	how.end_ns = r->stopped_ns;
	ret = take(r);
	if (!ret)
		ret = add(r);
	r->drained_ns = how.end_ns; /* nothing was sampled behind it */
	if (!ret)
		ret = end_epoch(r);
	return ret ? ret : recordings_end(&r->recordings, &how);
}

/* What was drained before something failed is worth keeping, if it can be written. */
static void salvage(struct recorder *r)
{
	struct err first = *r->err;

	end_epoch(r);
	*r->err = first;
}

static void release(struct recorder *r, bool keep_part)
{
	recordings_close(&r->recordings, keep_part);
	session_deinit(&r->session);
	wakeups_deinit(&r->wakeups);
	epoch_destroy(r->epoch);
	drain_destroy(r->drain);
}

int recorder_run(const struct record_options *options, struct err *err)
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
	ret = prepare(&r);
	if (!ret)
		ret = begin(&r);
	if (!ret) {
		ret = loop(&r);
		if (!ret)
			ret = finish(&r);
		if (ret)
			salvage(&r);
		if (ret && !options->quiet)
			progress_clear();
		keep_part = ret && r.recordings.nr_stacks;
	}
	release(&r, keep_part);
	return ret;
}
