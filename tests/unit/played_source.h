/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that sources of samples meet but perf events: what /proc tells of played threads, who hears
 * of records, and the program that counts samples. The Makefile names the functions whose place
 * these take (--wrap).
 */
#ifndef TESTS_PLAYED_SOURCE_H
#define TESTS_PLAYED_SOURCE_H

#include <string.h>

#include "common/clock.h"
#include "record/looks/proc_task.h"
#include "record/sampling/program/program.h"
#include "record/sampling/ptrace/source_options.h"
#include "record/sampling/ptrace/targets.h"
#include "record/sampling/ptrace/thread_times.h"
#include "record/host/cpus.h"
#include "tests/unit/played_threads.h"

/* Errors that a test wants to see. */
static int tgid_error, tracer_error, cpus_error, listener_error, look_error;
static uint64_t lot;               /* that random() draws */
static uint32_t played_uid = 1000; /* of all processes; UINT32_MAX: not known */
static uint32_t tracer;            /* of all processes; 0: none */
static bool is_cgroup_due;         /* the listener notes that it is asked for one */

/* What the latest sample and the latest look at code had. */
static struct program_sample sample;
static struct program_process sampled;
static struct source_code *code;
static uint64_t sample_frames[4]; /* of the kernel */
static char sample_stack[32];     /* where it was copied */

/* What the next samples want. */
static struct program_wants sample_wants;
static uint32_t stopped_pid; /* a process whose threads must be stopped; 0: none */

int __wrap_proc_tgid(uint32_t tid, uint32_t *tgid);
int __wrap_proc_parent(uint32_t pid, uint32_t *ppid);
int __wrap_proc_tracer(uint32_t tid, uint32_t *tracer);
int __wrap_proc_add_threads(uint32_t pid, int (*add)(void *ctx, uint32_t tid), void *ctx);
int __wrap_cpus_possible(u32_vec *cpus, struct err *err);
uint64_t __wrap_thread_times_read(struct target_thread *thread);
bool __wrap_thread_times_runs(struct target_thread *thread, const u32_vec *possible,
			      struct looker *looker);
bool __wrap_thread_times_has_ended(uint32_t pid, uint32_t tid, struct looker *looker);
void __wrap_targets_read_process(const struct targets *targets, struct target_process *process,
				 uint32_t tid);
uint64_t __wrap_targets_faults(const struct targets *targets, uint32_t pid);
void __wrap_targets_read_comm(struct target_thread *thread);
void __wrap_program_take_sample(const struct program_sample *sample, struct program_wants *wants);
void __wrap_program_lose_samples(uint32_t cpu, uint64_t nr);
bool __wrap_program_needs_stop(uint32_t pid);
long __wrap_random(void);

int __wrap_proc_tgid(uint32_t tid, uint32_t *tgid)
{
	const struct played_thread *t = played_find(tid);

	if (tgid_error || !t)
		return tgid_error ? tgid_error : -ENOENT;
	*tgid = t->pid;
	return 0;
}

int __wrap_proc_parent(uint32_t pid, uint32_t *ppid)
{
	const struct played_thread *t = played_find(pid);

	if (t)
		*ppid = t->parent;
	return t ? 0 : -ENOENT;
}

int __wrap_proc_tracer(uint32_t tid, uint32_t *found)
{
	(void)tid;
	if (tracer_error)
		return tracer_error;
	*found = tracer;
	return 0;
}

int __wrap_proc_add_threads(uint32_t pid, int (*add)(void *ctx, uint32_t tid), void *ctx)
{
	int ret = -ESRCH;

	for (size_t i = 0; i < nr_played; i++) {
		int added = played[i].pid == pid ? add(ctx, played[i].tid) : -ESRCH;

		if (added != -ESRCH)
			ret = added < 0 ? added : 0;
		if (ret && ret != -ESRCH)
			break;
	}
	return ret;
}

/* There are CPUs 0, 2 and 5. */
int __wrap_cpus_possible(u32_vec *cpus, struct err *err)
{
	static const uint32_t numbers[] = {0, 2, 5};

	if (cpus_error)
		return err_set(err, cpus_error, "failed to read the CPUs");
	return vec_append(cpus, numbers, ARRAY_SIZE(numbers));
}

uint64_t __wrap_thread_times_read(struct target_thread *thread)
{
	struct played_thread *t = played_find(thread->tid);

	if (!t)
		return thread->ran_ns;
	t->nr_reads++;
	return t->ran_ns;
}

bool __wrap_thread_times_runs(struct target_thread *thread, const u32_vec *possible,
			      struct looker *looker)
{
	const struct played_thread *t = played_find(thread->tid);

	(void)looker;
	ck_assert_uint_eq(possible->nr, 3);
	thread->cpu = t ? t->cpu : 0;
	thread->ticks = t ? t->ticks : (struct thread_ticks){0};
	return t && t->runs;
}

bool __wrap_thread_times_has_ended(uint32_t pid, uint32_t tid, struct looker *looker)
{
	(void)pid, (void)looker;
	return played_find(tid)->has_ended;
}

void __wrap_targets_read_process(const struct targets *targets, struct target_process *process,
				 uint32_t tid)
{
	const struct played_thread *t = played_find(tid);

	(void)targets;
	process->is_read = true;
	process->known.start_code = t ? t->start_code : 0;
	process->known.start_stack = t ? t->start_stack : 0;
	if (played_uid == UINT32_MAX)
		return;
	process->known.uid = played_uid;
	process->known.has_uid = true;
}

uint64_t __wrap_targets_faults(const struct targets *targets, uint32_t pid)
{
	(void)targets;
	return played_find(pid)->faults;
}

void __wrap_targets_read_comm(struct target_thread *thread)
{
	const struct played_thread *t = played_find(thread->tid);

	if (!t)
		return;
	memcpy(thread->comm, t->comm, sizeof(thread->comm));
	thread->has_comm = true;
}

void __wrap_program_take_sample(const struct program_sample *taken, struct program_wants *wants)
{
	*wants = sample_wants;
	sample = *taken;
	sampled = *taken->process;
	ck_assert_uint_le(taken->nr_kernel_frames, ARRAY_SIZE(sample_frames));
	for (size_t i = 0; i < taken->nr_kernel_frames; i++)
		sample_frames[i] = taken->kernel_frames[i];
	if (taken->memory.copy)
		memcpy(sample_stack, taken->memory.copy, sizeof(sample_stack));
	played_note("sample %u\n", taken->tid);
}

void __wrap_program_lose_samples(uint32_t cpu, uint64_t nr)
{
	if (nr)
		played_note("lose %u %u\n", cpu, (unsigned)nr);
}

bool __wrap_program_needs_stop(uint32_t pid)
{
	return pid == stopped_pid;
}

long __wrap_random(void)
{
	return (long)lot;
}

static int hear_record(void *ctx, const struct sideband_record *record)
{
	static const char *const names[] = {
		[SIDEBAND_MMAP] = "mmap",
		[SIDEBAND_EXEC] = "exec",
		[SIDEBAND_FORK] = "fork",
		[SIDEBAND_EXIT] = "exit",
	};

	(void)ctx;
	ck_assert_uint_lt(record->type, ARRAY_SIZE(names));
	ck_assert_uint_le(record->time_ns, clock_monotonic_ns());
	played_note("%s %u", names[record->type], record->pid);
	if (record->parent_pid)
		played_note(" of %u", record->parent_pid);
	played_note("%s%s\n", *record->name ? " " : "", record->name);
	return listener_error;
}

/* Finds the same code again, unless a test says otherwise. */
static int look_at_code(void *ctx, uint32_t pid, uint64_t time_ns, struct source_code *known)
{
	(void)ctx;
	ck_assert_uint_le(time_ns, clock_monotonic_ns());
	played_note("code %u%s\n", pid, known->hash ? "" : " anew");
	known->has_changed = !known->hash;
	known->hash = 1;
	code = known;
	return look_error;
}

static int find_cgroup(void *ctx, uint32_t pid, uint64_t *id)
{
	(void)ctx;
	if (is_cgroup_due)
		played_note("cgroup %u\n", pid);
	*id = 4711;
	return is_cgroup_due ? listener_error : 0;
}

static const struct source_listener played_listener = {
	.record = hear_record, .look_at_code = look_at_code, .find_cgroup = find_cgroup};

#endif
