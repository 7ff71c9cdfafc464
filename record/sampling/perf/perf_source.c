// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/perf/perf_source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "record/sampling/perf/perf_events.h"
#include "record/sampling/perf/perf_sample.h"
#include "record/sampling/ptrace/registers.h"
#include "record/sampling/ptrace/targets.h"
#include "record/sampling/ptrace/thread_stop.h"
#include "record/looks/looker.h"

/* While a thread calls exec, its old stack is further away than this from the new one. */
#define NEAR_BYTES (128u << 10)

/* Samples stand for all but this part of the CPU time, unless many threads end within a period. */
#define TIME_SLACK_PART 10

/* At the end, a thread that waits for a disk does not stop. Nobody waits longer for it. */
#define LEAVE_NS (200 * NS_PER_MS)

/*
 * A thread that stops elsewhere than where it was is asked again, so often in all. On a busy
 * machine it may not have run meanwhile.
 */
#define ASKS_MAX 8

/* A record that waits for those of other CPUs. */
struct waiting {
	uint64_t time_ns;
	uint32_t ring, order;
	uint64_t off;
};

/* A sample whose thread has been asked to stop. */
struct stopping {
	uint32_t pid, tid, cpu;
	bool is_in_kernel; /* when the sample was taken */
	bool is_stopped;   /* with regs */
	bool is_let_go;    /* to be asked again */
	bool is_over;      /* the sample is taken or lost, and the end of the thread is due */
	uint32_t nr_asks;
	uint64_t stopped_ns;
	uint64_t ip, sp; /* when the sample was taken */
	struct user_regs_struct regs;
	size_t nr_kernel_frames;
	uint64_t kernel_frames[PERF_MAX_STACK_DEPTH];
};

struct perf_source {
	struct perf_events events;
	struct targets targets;
	VEC(struct waiting) waiting;
	VEC(struct stopping) stopping;
	char *record;       /* room for one that wraps around the end of a buffer */
	uint64_t lost_rest; /* samples of the kernel that do not make up a sample yet */
	uint64_t nr_lost;   /* records that are no samples */
	uint64_t nr_lost_samples;
	bool has_losses;   /* records of them have come */
	uint64_t nr_seen;  /* samples of the kernel */
	bool lacks_memory; /* some thread could not be stopped */
	bool lacks_stops;  /* some thread was in a system call that a stop would have ended */
	bool lacks_time;   /* samples stand for less than the time that threads ran */
};

struct id_trailer { /* of the other records, with attr.sample_id_all */
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct name_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

int perf_source_create(const struct source_options *options, struct perf_source **source,
		       struct err *err)
{
	struct perf_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "failed to open the events: out of memory");
	s->targets.looker = options->looker;
	ret = perf_events_open(&s->events, options, err);
	s->record = malloc(UINT16_MAX + 1);
	if (!ret && !s->record)
		ret = err_set(err, -ENOMEM, "failed to open the events: out of memory");
	if (ret) {
		perf_source_destroy(s);
		return ret;
	}
	*source = s;
	return 0;
}

void perf_source_destroy(struct perf_source *s)
{
	if (!s)
		return;
	perf_events_close(&s->events);
	targets_deinit(&s->targets);
	vec_free(&s->waiting);
	vec_free(&s->stopping);
	free(s->record);
	free(s);
}

int perf_source_add(struct perf_source *s, uint32_t id, bool is_thread, bool is_followed,
		    struct err *err)
{
	struct target_process *p;

	if (!is_thread) {
		p = targets_process(&s->targets, id);
		if (!p)
			return err_set(err, -ENOMEM, "failed to record: out of memory");
		p->known.is_followed |= is_followed;
	}
	return perf_events_add(&s->events, id, is_thread, err);
}

int perf_source_start(struct perf_source *s, struct err *err)
{
	return perf_events_enable(&s->events, err);
}

/* Copies @nr bytes at @off of the buffer. */
static void copy_out(const struct perf_source *s, const struct perf_ring *ring, uint64_t off,
		     void *to, size_t nr)
{
	const char *data = (const char *)ring->page + s->events.page_size;
	size_t at = off % ring->bytes, first = nr < ring->bytes - at ? nr : ring->bytes - at;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, nr - first);
}

/* The record at @off, as a whole. It is good until the next call. */
static const struct perf_event_header *record_at(struct perf_source *s,
						 const struct perf_ring *ring, uint64_t off)
{
	const char *data = (const char *)ring->page + s->events.page_size;
	size_t at = off % ring->bytes;
	const struct perf_event_header *header = (const void *)(data + at);

	if (header->size <= ring->bytes - at)
		return header;
	copy_out(s, ring, off, s->record, header->size);
	return (const void *)s->record;
}

/* Does a record in a buffer say that @pid ends or, if @also_begin, begins an address space? */
static bool has_record(struct perf_source *s, uint32_t pid, bool also_begin)
{
	for (uint32_t i = 0; i < s->events.nr_rings; i++) {
		const struct perf_ring *ring = &s->events.rings[i];
		uint64_t head =
			ring->page ? __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) : 0;
		uint64_t off = ring->page ? ring->page->data_tail : 0;

		while (off < head) {
			struct task_record task; /* or the begin of another record */

			copy_out(s, ring, off, &task, sizeof(task));
			if (task.header.size < sizeof(task.header))
				return true;
			if (task.header.type == PERF_RECORD_EXIT && task.pid == pid &&
			    task.tid == pid)
				return true;
			if (also_begin && sideband_begun_pid(&task.header) == pid)
				return true;
			off += task.header.size;
		}
	}
	return false;
}

static uint64_t time_of(const struct perf_source *s, const struct perf_ring *ring, uint64_t off,
			const struct perf_event_header *header)
{
	uint64_t time;
	size_t at = header->type == PERF_RECORD_SAMPLE ? offsetof(struct perf_sample_head, time)
						       : header->size - sizeof(struct id_trailer) +
								 offsetof(struct id_trailer, time);

	copy_out(s, ring, off + at, &time, sizeof(time));
	return time;
}

/* Notes the records of a buffer up to @limit_ns. *@end receives where they end. */
static int note_records(struct perf_source *s, uint32_t nr, uint64_t limit_ns, uint64_t *end)
{
	const struct perf_ring *ring = &s->events.rings[nr];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t off = ring->page->data_tail;

	while (off < head) {
		struct perf_event_header header;
		struct waiting record = {.ring = nr, .order = s->waiting.nr, .off = off};

		copy_out(s, ring, off, &header, sizeof(header));
		if (header.size < sizeof(header) + sizeof(struct id_trailer))
			return -EIO;
		record.time_ns = time_of(s, ring, off, &header);
		if (record.time_ns > limit_ns)
			break;
		if (vec_push(&s->waiting, record))
			return -ENOMEM;
		off += header.size;
	}
	*end = off;
	return 0;
}

static int compare_waiting(const void *pa, const void *pb)
{
	const struct waiting *a = pa, *b = pb;

	COMPARE(a->time_ns, b->time_ns);
	COMPARE(a->order, b->order);
	return 0;
}

/*
 * In the last part of exec, a thread has the memory of the new program and the registers of the old
 * one. Its stack pointer is not in the new stack then.
 */
static bool is_between_programs(struct target_process *p, const struct program_sample *sample,
				bool is_in_kernel)
{
	uint64_t below = p->known.start_stack - registers_sp(&sample->regs);

	if (p->is_in_exec && (!is_in_kernel || below < NEAR_BYTES))
		p->is_in_exec = false;
	return p->is_in_exec;
}

/*
 * May a thread be stopped? If it is in a system call, that returns early: it has read less, waited
 * less, or failed with EINTR or EAGAIN. Whoever records processes by name accepts that for them.
 */
static bool may_stop(struct perf_source *s, uint32_t pid, bool is_in_kernel)
{
	bool may = !is_in_kernel || !s->events.options.all;

	if (looker_is_child(s->targets.looker, pid))
		return false;

	s->lacks_stops |= !may;
	return may;
}

/*
 * Has the thread of @sample stop, to take the sample then. Returns 1, 0 if it may not be stopped,
 * or -ENOMEM.
 */
static int ask_to_stop(struct perf_source *s, const struct program_sample *sample,
		       bool is_in_kernel)
{
	struct stopping new = {.pid = sample->process->pid,
			       .tid = sample->tid,
			       .cpu = sample->cpu,
			       .is_in_kernel = is_in_kernel,
			       .nr_asks = 1,
			       .ip = registers_ip(&sample->regs),
			       .sp = registers_sp(&sample->regs)};
	int ret;

	vec_for_each(&s->stopping, other)
		if (other->tid == sample->tid) {
			program_lose_samples(sample->cpu, 1); /* the stop comes too late */
			return 1;
		}
	new.nr_kernel_frames = min_u64(sample->nr_kernel_frames, ARRAY_SIZE(new.kernel_frames));
	if (new.nr_kernel_frames)
		memcpy(new.kernel_frames, sample->kernel_frames,
		       new.nr_kernel_frames * sizeof(new.kernel_frames[0]));
	if (vec_reserve(&s->stopping, 1))
		return -ENOMEM;
	ret = thread_stop_ask(sample->tid);
	s->lacks_memory |= ret == -EPERM;
	return ret ? 0 : !vec_push(&s->stopping, new);
}

/* Takes the sample of a thread that has stopped. */
static void take_stopped(struct perf_source *s, const struct stopping *from)
{
	const struct target_process *p = targets_find_process(&s->targets, from->pid);
	const struct target_thread *t = targets_find_thread(&s->targets, from->tid);
	struct program_sample sample = {.process = p ? &p->known : NULL,
					.tid = from->tid,
					.cpu = from->cpu,
					.time_ns = from->stopped_ns,
					.regs = from->regs,
					.has_thread_pointer = true,
					.memory.is_stopped = true,
					.looker = s->targets.looker};
	struct program_wants wants;

	if (!p || !t) {
		program_lose_samples(from->cpu, 1);
		return;
	}
	memcpy(sample.comm, t->comm, sizeof(sample.comm));
	/* If the thread has gone on meanwhile, the kernel's stack is of another moment. */
	if (registers_ip(&from->regs) == from->ip && registers_sp(&from->regs) == from->sp) {
		sample.kernel_frames = from->kernel_frames;
		sample.nr_kernel_frames = from->nr_kernel_frames;
	}
	program_take_sample(&sample, &wants);
}

/* Does @work for each thread that was asked to stop, and forgets those whose stop is over. */
static void for_each_stop(struct perf_source *s,
			  bool (*work)(struct perf_source *s, struct stopping *stopping))
{
	size_t nr = 0;

	for (size_t i = 0; i < s->stopping.nr; i++) {
		struct stopping stopping = s->stopping.data[i];

		if (!work(s, &stopping))
			s->stopping.data[nr++] = stopping;
	}
	s->stopping.nr = nr;
}

/*
 * Was the stopped thread elsewhere when its sample was taken, and would be too often where it is
 * now? Where it leaves the kernel it stops at once, after a call or before a handler of a signal,
 * and where it runs only when the interrupt has come. A call that it waits in may take long, and is
 * not disturbed again. @ret is of thread_stop_look.
 */
static bool is_elsewhere(const struct perf_source *s, const struct stopping *stopping, int ret)
{
	if (stopping->is_over || stopping->nr_asks >= ASKS_MAX || !s->events.is_running)
		return false;
	return ret == -EINTR ||
	       (!ret && !stopping->is_in_kernel &&
		(registers_left_call(&stopping->regs) || registers_enter_handler(&stopping->regs)));
}

/* Looks whether the thread has stopped. Returns true if its stop is over, and nothing is due. */
static bool look_at_stop(struct perf_source *s, struct stopping *stopping)
{
	int ret;

	if (stopping->is_stopped || stopping->is_let_go)
		return false;
	ret = thread_stop_look(stopping->tid, stopping->tid == s->events.options.command_pid,
			       &stopping->regs);
	if (ret == -EAGAIN)
		return false;
	if (is_elsewhere(s, stopping, ret)) {
		stopping->is_let_go = ret || thread_stop_end(stopping->tid);
		return false;
	}
	stopping->is_stopped = !ret;
	stopping->stopped_ns = clock_monotonic_ns();
	if (!ret)
		return false;
	if (!stopping->is_over)
		program_lose_samples(stopping->cpu, 1);
	stopping->is_over = true;
	if (ret != -ECHILD || stopping->tid == stopping->pid)
		return true;
	stopping->tid = stopping->pid;
	return false;
}

/* Asks the thread to stop again if it was let go for that. Returns as look_at_stop. */
static bool ask_again(struct perf_source *s, struct stopping *stopping)
{
	(void)s;
	if (!stopping->is_let_go)
		return false;
	stopping->is_let_go = false;
	stopping->nr_asks++;
	if (!thread_stop_ask(stopping->tid))
		return false;
	program_lose_samples(stopping->cpu, 1);
	return true;
}

static void ask_those_let_go(struct perf_source *s)
{
	bool is_any = false;

	vec_for_each(&s->stopping, stopping)
		is_any |= stopping->is_let_go;
	if (!is_any)
		return;
	thread_stop_pause();
	for_each_stop(s, ask_again);
}

/* Takes the sample of the thread if it has stopped, and lets it go. Returns as look_at_stop. */
static bool end_stop(struct perf_source *s, struct stopping *stopping)
{
	if (!stopping->is_stopped)
		return false;
	if (!stopping->is_over)
		take_stopped(s, stopping);
	stopping->is_over = true;
	stopping->is_stopped = false;
	return thread_stop_end(stopping->tid);
}

/* When a process has ended, another one may have its id. */
static void read_process(struct perf_source *s, struct target_process *p, uint32_t tid)
{
	if (p->is_read)
		return;
	targets_read_process(&s->targets, p, tid);
	if (has_record(s, p->known.pid, false))
		p->known.has_uid = false;
}

static int take_sample(struct perf_source *s, const struct perf_ring *ring,
		       const struct perf_event_header *header)
{
	const struct perf_sample_head *head = (const void *)header;
	bool is_in_kernel =
		(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct program_sample sample = {.tid = head->tid,
					.cpu = ring->position,
					.time_ns = head->time,
					.looker = s->targets.looker};
	struct target_process *p = targets_process(&s->targets, head->pid);
	struct target_thread *t = targets_thread(&s->targets, head->pid, head->tid);
	struct program_wants wants;
	bool is_whole;

	if (!p || !t)
		return -ENOMEM;
	s->nr_seen++;
	if (s->events.nr_per_sample > 1) {
		if (!t->nr_skipped)
			t->nr_skipped = 1 + (uint32_t)random() % s->events.nr_per_sample;
		if (t->nr_skipped++ < s->events.nr_per_sample)
			return 0;
		t->nr_skipped = 1;
	}
	if (head->pid)
		read_process(s, p, head->tid);
	if (!t->has_comm)
		targets_read_comm(t);
	memcpy(sample.comm, t->comm, sizeof(sample.comm));
	sample.process = &p->known;
	is_whole = perf_sample_decode(head, s->events.has_frames_of_kernel, &sample,
				      s->events.has_cgroups ? &p->known.cgroup : NULL);
	if (!is_in_kernel)
		sample.nr_kernel_frames = 0;
	if (!is_whole || is_between_programs(p, &sample, is_in_kernel))
		sample.regs = (struct user_regs_struct){0};
	/* A process that has ended meanwhile tells of no code. It had some, as it had registers. */
	if (registers_are_there(&sample.regs) && !p->known.start_code)
		p->known.start_code = 1;
	if ((p->needs_stop || program_needs_stop(head->pid)) &&
	    registers_are_64_bit(&sample.regs) && s->events.is_running) {
		int ret = may_stop(s, head->pid, is_in_kernel)
				  ? ask_to_stop(s, &sample, is_in_kernel)
				  : 0;

		if (ret)
			return ret < 0 ? ret : 0;
	}
	program_take_sample(&sample, &wants);
	p->needs_stop |= wants.more_stack;
	return 0;
}

static int take_fork(struct perf_source *s, const struct task_record *record)
{
	struct target_process *parent = targets_find_process(&s->targets, record->ppid), *child;
	const struct target_thread *from;
	struct target_thread *thread;
	bool is_followed = parent && parent->known.is_followed;
	bool has_uid = parent && parent->known.has_uid;
	uint32_t uid = parent ? parent->known.uid : 0;

	if (record->pid != record->ppid) {
		/* An earlier process of this id has ended, and nobody said so. */
		targets_remove_process(&s->targets, record->pid);
		child = targets_process(&s->targets, record->pid);
		if (!child)
			return -ENOMEM;
		child->known.is_followed = is_followed;
		child->known.uid = uid;
		child->known.has_uid = has_uid && uid; /* root may become another user at once */
	}
	targets_remove_thread(&s->targets, record->tid);
	thread = targets_thread(&s->targets, record->pid, record->tid);
	from = targets_find_thread(&s->targets, record->ptid);
	if (!thread)
		return -ENOMEM;
	if (from && from->has_comm) {
		memcpy(thread->comm, from->comm, sizeof(thread->comm));
		thread->has_comm = true;
	}
	return 0;
}

static void take_exit(struct perf_source *s, const struct task_record *record)
{
	targets_remove_thread(&s->targets, record->tid);
	if (!targets_have_other_thread(&s->targets, record->pid, record->tid))
		targets_remove_process(&s->targets, record->pid);
}

static int take_name(struct perf_source *s, const struct name_record *record)
{
	struct target_process *p = targets_process(&s->targets, record->pid);
	struct target_thread *t = targets_thread(&s->targets, record->pid, record->tid);

	if (!p || !t)
		return -ENOMEM;
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, record->comm, strnlen(record->comm, sizeof(t->comm) - 1));
	t->has_comm = true;
	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		targets_exec(&s->targets, p);
	return 0;
}

static int take_mapping(struct perf_source *s, const struct name_record *record)
{
	struct target_process *p = targets_process(&s->targets, record->pid);

	if (!p)
		return -ENOMEM;
	p->known.exec_pages++;
	return 0;
}

static void lose_samples(struct perf_source *s, const struct perf_ring *ring, uint64_t nr)
{
	s->nr_lost_samples += nr;
	s->lost_rest += nr;
	program_lose_samples(ring->position, s->lost_rest / s->events.nr_per_sample);
	s->lost_rest %= s->events.nr_per_sample;
}

/* Where the kernel counts what an event has lost (Linux 6.0), take_counted_losses asks. */
static void take_lost(struct perf_source *s, const struct perf_ring *ring,
		      const struct lost_record *record)
{
	if (ring->tells)
		s->nr_lost += record->lost;
	else if (s->events.counts_lost)
		s->has_losses = true;
	else
		lose_samples(s, ring, record->lost);
}

/* Reads all events, so it is done once a turn, however many records of losses have come. */
static void take_counted_losses(struct perf_source *s)
{
	for (uint32_t i = 0; i < s->events.nr_rings; i++)
		lose_samples(s, &s->events.rings[i], perf_events_take_lost(&s->events, i));
	s->has_losses = false;
}

/* Tells the session what a side-band tells elsewhere. */
static int tell(const struct perf_source *s, const struct perf_event_header *header,
		uint64_t time_ns)
{
	struct sideband_record record;

	if (header->type == PERF_RECORD_COMM && !(header->misc & PERF_RECORD_MISC_COMM_EXEC))
		return 0;
	sideband_decode(header, time_ns, &record);
	return s->events.options.listener.record(s->events.options.listener.ctx, &record);
}

static int take_record(struct perf_source *s, const struct waiting *w)
{
	const struct perf_ring *ring = &s->events.rings[w->ring];
	const struct perf_event_header *header = record_at(s, ring, w->off);
	int ret = 0;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, ring, header);
	case PERF_RECORD_FORK:
		ret = take_fork(s, (const void *)header);
		break;
	case PERF_RECORD_EXIT:
		take_exit(s, (const void *)header);
		break;
	case PERF_RECORD_COMM:
		ret = take_name(s, (const void *)header);
		break;
	case PERF_RECORD_MMAP2:
		ret = take_mapping(s, (const void *)header);
		break;
	case PERF_RECORD_LOST:
		take_lost(s, ring, (const void *)header);
		return 0;
	default:
		return 0;
	}
	return ret ? ret : tell(s, header, w->time_ns);
}

/* Takes the records that have come, in the order of time. */
static int take_records(struct perf_source *s)
{
	_cleanup_free_ uint64_t *ends = calloc(s->events.nr_rings, sizeof(*ends));
	/*
	 * What comes while the buffers are read waits for the next turn. Else a sample in one of
	 * them would be taken before an older change in a buffer that was read already.
	 */
	uint64_t limit_ns = clock_monotonic_ns();
	int ret = ends ? 0 : -ENOMEM;

	vec_clear(&s->waiting);
	for (uint32_t i = 0; i < s->events.nr_rings && !ret; i++)
		if (s->events.rings[i].page)
			ret = note_records(s, i, limit_ns, &ends[i]);
	if (!ret && s->waiting.nr)
		qsort(s->waiting.data, s->waiting.nr, sizeof(*s->waiting.data), compare_waiting);
	vec_for_each(&s->waiting, w)
		if (!ret)
			ret = take_record(s, w);
	for (size_t i = 0; i < s->events.nr_rings && !ret; i++)
		if (s->events.rings[i].page)
			__atomic_store_n(&s->events.rings[i].page->data_tail, ends[i],
					 __ATOMIC_RELEASE);
	return ret;
}

/*
 * A thread may have another name and other mappings when it stops than when it was asked to. So
 * what the kernel has told until then comes before its sample. The second turn is for threads that
 * the first one has asked.
 */
int perf_source_take(struct perf_source *s)
{
	int ret = 0;

	for (int turn = 0; turn < 2 && (!turn || s->stopping.nr) && !ret; turn++) {
		for_each_stop(s, look_at_stop);
		ret = take_records(s);
		for_each_stop(s, end_stop);
	}
	ask_those_let_go(s);
	if (!ret && s->has_losses)
		take_counted_losses(s);
	return ret;
}

/*
 * A thread that ends before its first period has no sample, but the event has counted its time. The
 * samples that this time stands for are lost. Where the event leaves the kernel's time out, it
 * counts that time as well, so nobody knows which of both has no samples.
 */
static void lose_short_threads(struct perf_source *s)
{
	double hz = s->events.options.freq_hz * s->events.nr_per_sample;
	uint64_t due = (uint64_t)((double)perf_events_ran_ns(&s->events) / NS_PER_S * hz);
	uint64_t seen = s->nr_seen + s->nr_lost_samples;

	s->lacks_time = due > seen + due / TIME_SLACK_PART + s->events.nr_per_sample;
	if (s->lacks_time && s->events.has_kernel)
		program_lose_samples(s->events.rings[0].position,
				     (due - seen) / s->events.nr_per_sample);
}

void perf_source_stop(struct perf_source *s)
{
	const struct timespec pause = {.tv_nsec = 50 * NS_PER_US};
	uint64_t end_ns = clock_monotonic_ns() + LEAVE_NS;

	perf_events_disable(&s->events);
	while (s->stopping.nr && clock_monotonic_ns() < end_ns && !perf_source_take(s))
		nanosleep(&pause, NULL);
	/* Without memory, the last call says so. */
	if (perf_source_take(s))
		return;
	/* After the last losses of a buffer there may be no record that tells them. */
	take_counted_losses(s);
	lose_short_threads(s);
}

bool perf_source_has_changed(struct perf_source *s, uint32_t pid)
{
	return has_record(s, pid, true);
}

const int *perf_source_fds(const struct perf_source *s, size_t *nr)
{
	*nr = s->events.ring_fds.nr;
	return s->events.ring_fds.data;
}

const struct event_name *perf_source_event(const struct perf_source *s)
{
	return &s->events.event;
}

bool perf_source_has_kernel(const struct perf_source *s)
{
	return s->events.has_kernel;
}

uint64_t perf_source_nr_lost(const struct perf_source *s)
{
	return s->nr_lost;
}

const char *perf_source_lacks(const struct perf_source *s)
{
	if (s->lacks_memory)
		return "some samples have no functions of interpreted languages, or cut stacks: their processes may not be traced (ptrace)";
	if (s->lacks_stops)
		return "samples in system calls have no functions of interpreted languages, and cut stacks: a stop of their threads would end the calls early; -p and -- COMMAND stop them";
	if (s->lacks_time && s->events.has_kernel)
		return "threads that end within a period have no samples by perf events, which are counted as lost: '--backend ptrace' samples them";
	if (s->lacks_time)
		return "CPU time is under-reported: perf events took no samples in the kernel, nor in threads that end within a period; '--backend ptrace' samples such threads";
	return NULL;
}
