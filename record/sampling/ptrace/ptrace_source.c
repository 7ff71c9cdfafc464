// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/ptrace_source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/timerfd.h>
#include <sys/user.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/vec.h"
#include "record/looks/proc_task.h"
#include "record/sampling/ptrace/cut_call.h"
#include "record/sampling/ptrace/registers.h"
#include "record/sampling/ptrace/targets.h"
#include "record/sampling/ptrace/thread_debts.h"
#include "record/sampling/ptrace/thread_stop.h"
#include "record/sampling/ptrace/thread_times.h"
#include "record/sampling/ptrace/tracee.h"
#include "record/host/cpus.h"
#include "record/host/privilege.h"

/* The look at CPU times comes earlier or later by up to this part of the period, by lot. */
#define JITTER_PART 8

/* A thread that has not run since the last look at it is looked at only every fourth time. */
#define IDLE_LOOKS 4

/* Threads that have ended without a word are looked for every eighth time. */
#define REAP_LOOKS 8

/* At the end, a thread that waits for a disk does not stop. Nobody waits longer for it. */
#define LEAVE_NS (200 * NS_PER_MS)

/* A thread that stops elsewhere than where it was is asked again, so often in all. */
#define ASKS_MAX 4

#define TRACE_OPTIONS                                                                              \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |     \
	 PTRACE_O_TRACEEXIT)

struct ptrace_source {
	struct source_options options;
	struct targets targets;
	u32_vec possible;
	struct thread_debts debts;
	int timer_fd;
	bool is_behind;    /* a thread owes more than one sample */
	uint32_t nr_looks; /* at the CPU times */
	uint32_t turn;
	bool is_running;
	bool lacks_threads; /* some are not traced, and run */
	bool is_leaving;    /* threads are let go for good when they stop */
};

int ptrace_source_create(const struct source_options *options, struct ptrace_source **source,
			 struct err *err)
{
	struct ptrace_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "failed to trace: out of memory");
	/* A recorder that stands still would hold up all threads that it traces. */
	signal(SIGTSTP, SIG_IGN);
	s->timer_fd = -1;
	s->options = *options;
	s->targets.looker = options->looker;
	s->debts.period_ns = NS_PER_S / options->freq_hz;
	if (access("/proc/self/schedstat", R_OK)) {
		ptrace_source_destroy(s);
		return err_set(
			err, -EOPNOTSUPP,
			"failed to trace: the kernel does not tell the CPU times of threads (/proc/PID/schedstat, CONFIG_SCHED_INFO)");
	}
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	ret = s->timer_fd < 0 ? err_set(err, -errno, "failed to make a timer: %m")
			      : cpus_possible(&s->possible, err);
	if (ret) {
		ptrace_source_destroy(s);
		return ret;
	}
	*source = s;
	return 0;
}

void ptrace_source_destroy(struct ptrace_source *s)
{
	if (!s)
		return;
	ptrace_source_stop(s);
	cleanup_close(&s->timer_fd);
	targets_deinit(&s->targets);
	vec_free(&s->possible);
	free(s);
}

const int *ptrace_source_fds(const struct ptrace_source *s, size_t *nr)
{
	*nr = 1;
	return &s->timer_fd;
}

/* Traces the thread, unless it is traced. Returns as proc_add_threads wants it. */
static int trace_thread(void *ctx, uint32_t tid)
{
	struct ptrace_source *s = ctx;
	struct target_thread *t;
	uint32_t pid, tracer;
	int ret;

	if (targets_find_thread(&s->targets, tid))
		return 0;
	if (proc_tgid(tid, &pid))
		return -ESRCH;
	/* Comes first: a thread that is traced, and unknown for lack of memory, would stay so. */
	t = targets_thread(&s->targets, pid, tid);
	if (!t)
		return -ENOMEM;
	ret = tracee->request(PTRACE_SEIZE, tid, TRACE_OPTIONS);
	if (!ret) {
		thread_debts_begin(&s->debts, t);
		return 1;
	}
	targets_remove_thread(&s->targets, tid);
	if (ret != -EPERM)
		return ret;
	/* A thread that has ended, and waits for the others, cannot be traced. */
	if (thread_times_has_ended(pid, tid, s->options.looker))
		return -ESRCH;
	ret = proc_tracer(tid, &tracer);
	if (ret)
		return ret == -ENOENT ? -ESRCH : ret;
	/* A traced thread has begun it. The recorder hears of that when it takes the stops. */
	return tracer == (uint32_t)getpid() ? 0 : -EPERM;
}

static int explain(uint32_t id, int code, struct err *err)
{
	uint32_t tracer;

	err_set(err, code, "failed to trace process %u: %s", id, strerror(-code));
	if (code != -EPERM)
		return code;
	if (!proc_tracer(id, &tracer) && tracer)
		return err_hint(err, code, "process %u traces it already, a debugger or profrec",
				tracer);
	return privilege_explain_trace(code, err);
}

int ptrace_source_add(struct ptrace_source *s, uint32_t id, bool is_thread, bool is_followed,
		      struct err *err)
{
	uint32_t pid = id;
	struct target_process *p;
	int ret = is_thread ? proc_tgid(id, &pid) : 0;

	if (ret)
		return ret == -ENOENT ? -ESRCH : ret;
	p = targets_process(&s->targets, pid);
	if (!p)
		return err_set(err, -ENOMEM, "failed to trace: out of memory");
	p->known.is_followed |= is_followed;
	p->is_whole |= !is_thread;
	ret = is_thread ? trace_thread(s, id) : proc_add_threads(id, trace_thread, s);
	if (ret < 0)
		return ret == -ESRCH ? ret : explain(id, ret, err);
	return 0;
}

static void set_timer(const struct ptrace_source *s)
{
	uint64_t period_ns = s->is_behind ? s->debts.period_ns / 2 : s->debts.period_ns;
	uint64_t jitter_ns = period_ns / JITTER_PART;
	uint64_t wait_ns = period_ns - jitter_ns + (uint64_t)random() % (2 * jitter_ns + 1);
	const struct itimerspec at = {
		.it_value = {.tv_sec = wait_ns / NS_PER_S, .tv_nsec = wait_ns % NS_PER_S}};

	timerfd_settime(s->timer_fd, 0, &at, NULL);
}

int ptrace_source_start(struct ptrace_source *s, struct err *err)
{
	(void)err;
	s->is_running = true;
	vec_for_each(&s->targets.threads, t)
		t->ran_ns = thread_times_read(t);
	set_timer(s);
	return 0;
}

static int tell(const struct ptrace_source *s, const struct sideband_record *record)
{
	const struct source_listener *l = &s->options.listener;

	return l->record(l->ctx, record);
}

/* Has the thread stop for a sample, if it runs. */
static void ask(struct ptrace_source *s, struct target_thread *t)
{
	if (thread_times_runs(t, &s->possible, s->options.looker) &&
	    !tracee->request(PTRACE_INTERRUPT, t->tid, 0))
		t->is_due = true;
}

/*
 * Looks at the CPU times, and asks threads to stop that owe a sample and run. One that has just
 * been let go would stop there again.
 */
static void look_at_times(struct ptrace_source *s)
{
	thread_debts_limit(&s->debts, 0, &s->debts.left_ns);
	s->is_behind = s->debts.left_ns >= 2 * s->debts.period_ns;
	vec_for_each(&s->targets.threads, t) {
		if (t->is_stopped || t->is_exiting ||
		    (t->is_idle && (s->nr_looks + t->tid) % IDLE_LOOKS))
			continue;
		thread_debts_count(t);
		if (t->is_due || t->owed_ns < s->debts.period_ns)
			continue;
		thread_debts_limit(&s->debts, t->cpu, &t->owed_ns);
		s->is_behind |= t->owed_ns >= 2 * s->debts.period_ns;
		if (t->let_go_turn == s->turn)
			t->is_asked_again = true;
		else
			ask(s, t);
	}
}

/* Asks threads that have been let go for a moment. */
static void ask_again(struct ptrace_source *s)
{
	bool is_any = false;

	vec_for_each(&s->targets.threads, t)
		is_any |= t->is_asked_again;
	if (!is_any)
		return;
	thread_stop_pause();
	vec_for_each(&s->targets.threads, t) {
		if (t->is_asked_again)
			ask(s, t);
		t->is_asked_again = false;
	}
}

/*
 * Was the stopped thread elsewhere when it was asked? Where it leaves the kernel it stops at once,
 * and where it runs only when the interrupt has come. Nothing tells whether it was in its system
 * call already. But the kernel counts how much of the thread's time was its own, and samples in
 * calls are not to be more than that. A signal may have come at any time before its handler.
 */
static bool is_elsewhere(struct target_thread *t)
{
	struct user_regs_struct regs;
	uint64_t kernel = t->ticks.kernel - t->first_ticks.kernel;
	uint64_t all = kernel + t->ticks.user - t->first_ticks.user;
	bool is_in_call, are_too_many;

	if (tracee->read_registers(t->tid, &regs) < 0)
		return false;
	is_in_call = registers_left_call(&regs);
	are_too_many = (t->nr_in_calls + 1) * (all + 1) > (t->nr_taken + 1) * (kernel + 1);
	t->is_asked_again = ++t->nr_asks < ASKS_MAX &&
			    ((is_in_call && are_too_many) || registers_enter_handler(&regs));
	if (t->is_asked_again)
		return true;
	t->nr_asks = 0;
	t->nr_taken++;
	t->nr_in_calls += is_in_call;
	return false;
}

/*
 * Looks at the executable mappings of the process, unless it had no page fault since the last look.
 */
static int watch_code(struct ptrace_source *s, struct target_process *p, uint64_t now_ns)
{
	const struct source_listener *l = &s->options.listener;
	uint64_t faults = targets_faults(&s->targets, p->known.pid);
	int ret;

	/* A process that has begun by vfork has none of its own. */
	if ((p->code.hash && faults == p->faults) || now_ns < p->code.next_look_ns)
		return 0;
	p->faults = faults;
	ret = l->look_at_code(l->ctx, p->known.pid, now_ns, &p->code);
	p->known.exec_pages += p->code.has_changed;
	return ret;
}

/* Takes a sample of the thread, which is stopped. */
static int take_sample(struct ptrace_source *s, struct target_thread *t)
{
	struct target_process *p = targets_find_process(&s->targets, t->pid);
	struct program_sample sample = {.tid = t->tid,
					.time_ns = clock_monotonic_ns(),
					.memory.is_stopped = true,
					.has_thread_pointer = true,
					.looker = s->targets.looker};
	const struct source_listener *l = &s->options.listener;
	struct program_wants wants;
	int ret = 0;

	if (!p || tracee->read_registers(t->tid, &sample.regs) < 0)
		return 0; /* it has been killed */
	thread_debts_pay(&s->debts, t);
	if (!p->is_read)
		ret = l->find_cgroup(l->ctx, p->known.pid, &p->known.cgroup);
	targets_read_process(&s->targets, p, t->tid);
	targets_read_comm(t);
	if (!ret)
		ret = watch_code(s, p, sample.time_ns);
	memcpy(sample.comm, t->comm, sizeof(sample.comm));
	sample.process = &p->known;
	sample.cpu = t->cpu;
	program_take_sample(&sample, &wants);
	return ret;
}

/*
 * Does the stopped thread stand where it began? It may owe a sample from the first moment, and on a
 * busy machine it waits long for its first turn on a CPU. A sample taken meanwhile would show clone
 * or fork as if they used the time. In the child of clone, no unwind table holds there, either.
 */
static bool is_at_begin(struct target_thread *t)
{
	struct user_regs_struct regs;

	if (!t->is_new || tracee->read_registers(t->tid, &regs) < 0)
		return false;
	if (!t->begin_ip) {
		t->begin_ip = registers_ip(&regs);
		t->begin_sp = registers_sp(&regs);
	}
	t->is_new = registers_ip(&regs) == t->begin_ip && registers_sp(&regs) == t->begin_sp;
	return t->is_new;
}

/* The thread has its last sample behind it. */
static void leave_debts(struct ptrace_source *s, struct target_thread *t)
{
	if (!t->is_exiting)
		thread_debts_count(t);
	thread_debts_leave(&s->debts, t);
}

static void let_go(struct ptrace_source *s, struct target_thread *t, int sig)
{
	t->is_stopped = false;
	t->let_go_turn = s->turn;
	if (s->is_leaving) {
		leave_debts(s, t);
		tracee->request(PTRACE_DETACH, t->tid, sig);
		targets_remove_thread(&s->targets, t->tid);
	} else {
		tracee->request(PTRACE_CONT, t->tid, sig);
	}
}

/* Adds a thread or process that a traced one has begun. The kernel traces it already. */
static int add_begun(struct ptrace_source *s, uint32_t tid, uint32_t parent)
{
	struct target_process *p, *child;
	struct target_thread *t;
	uint32_t pid;
	bool is_followed;

	if (targets_find_thread(&s->targets, tid) || proc_tgid(tid, &pid))
		return 0;
	t = targets_thread(&s->targets, pid, tid);
	if (!t)
		return -ENOMEM;
	thread_debts_begin_new(&s->debts, t);
	t->is_new = true;
	if (pid != tid)
		return 0;
	p = targets_find_process(&s->targets, parent);
	is_followed = p && p->known.is_followed;
	targets_remove_process(&s->targets, pid);
	child = targets_process(&s->targets, pid);
	if (!child)
		return -ENOMEM;
	child->known.is_followed = is_followed;
	child->is_whole = true;
	return tell(s, &(struct sideband_record){.type = SIDEBAND_FORK,
						 .time_ns = clock_monotonic_ns(),
						 .pid = pid,
						 .tid = pid,
						 .parent_pid = parent,
						 .name = ""});
}

/* All threads of the process have gone but @former, which has called exec and has its id now. */
static struct target_thread *keep_one_thread(struct ptrace_source *s, uint32_t pid, uint32_t former)
{
	const struct target_thread *from = targets_find_thread(&s->targets, former);
	uint64_t owed_ns = from ? from->owed_ns : 0, ran_ns = from ? from->ran_ns : 0;
	bool has_lot = from && from->has_lot;
	struct target_thread *t;

	for (size_t i = 0; i < s->targets.threads.nr;) {
		struct target_thread *other = &s->targets.threads.data[i];

		if (other->pid != pid) {
			i++;
			continue;
		}
		if (other->tid != former)
			thread_debts_leave(&s->debts, other);
		targets_remove_thread(&s->targets, other->tid);
	}
	t = targets_thread(&s->targets, pid, pid);
	if (!t)
		return NULL;
	t->owed_ns = owed_ns;
	t->ran_ns = ran_ns;
	t->has_lot = has_lot;
	t->is_stopped = true;
	return t;
}

/* The process has called exec, in the thread that was @former. */
static int take_exec(struct ptrace_source *s, uint32_t pid, uint32_t former)
{
	struct target_process *p = targets_find_process(&s->targets, pid);
	struct target_thread *t = keep_one_thread(s, pid, former);
	uint64_t now_ns = clock_monotonic_ns();
	int ret;

	if (!p || !t)
		return p ? -ENOMEM : 0;
	targets_exec(&s->targets, p);
	p->code = (struct source_code){0};
	p->faults = 0;
	targets_read_comm(t);
	ret = tell(s, &(struct sideband_record){.type = SIDEBAND_EXEC,
						.time_ns = now_ns,
						.pid = pid,
						.tid = pid,
						.name = t->comm});
	/* The program may have ended, or removed its file, before its first sample. */
	return ret ? ret : watch_code(s, p, now_ns);
}

static int take_event(struct ptrace_source *s, struct target_thread *t, int event, int sig)
{
	uint32_t tid = t->tid, pid = t->pid;
	unsigned long message = 0;
	int ret = 0;

	switch (event) {
	case PTRACE_EVENT_STOP:
		/* Job control has stopped it. It stays so until SIGCONT. */
		if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) {
			t->is_due = false;
			if (!s->is_leaving) {
				tracee->request(PTRACE_LISTEN, tid, 0);
				return 0;
			}
			let_go(s, t, 0);
			return 0;
		}
		if (!is_at_begin(t) && t->is_due && s->is_running && !is_elsewhere(t))
			ret = take_sample(s, t);
		t->is_due = false;
		cut_call_repeat(tid);
		let_go(s, t, 0);
		return ret;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		if (!tracee->message(tid, &message))
			ret = add_begun(s, message, pid);
		break;
	case PTRACE_EVENT_EXEC:
		if (tracee->message(tid, &message))
			message = tid; /* it has been killed */
		ret = take_exec(s, pid, message);
		break;
	case PTRACE_EVENT_EXIT:
		/* It came here between the look at its time and the stop that was asked for. */
		if (t->is_due && s->is_running)
			ret = take_sample(s, t);
		t->is_due = false;
		t->is_exiting = true;
		thread_debts_count(t);
		thread_debts_leave(&s->debts, t);
		let_go(s, t, 0);
		return ret;
	default:
		break;
	}
	/* The list may have moved. */
	t = targets_find_thread(&s->targets, tid);
	if (t)
		let_go(s, t, 0);
	return ret;
}

static int take_stop(struct ptrace_source *s, uint32_t tid, int status)
{
	struct target_thread *t = targets_find_thread(&s->targets, tid);
	int event = status >> 8, sig = status & 0xff, ret = 0, event_ret;

	/* A new thread may stop before the one that began it. */
	if (!t) {
		uint32_t parent = 0;

		proc_parent(tid, &parent);
		ret = add_begun(s, tid, parent);
		t = targets_find_thread(&s->targets, tid);
	}
	if (!t) {
		tracee->request(ret ? PTRACE_DETACH : PTRACE_CONT, tid, event ? 0 : sig);
		return ret;
	}
	t->is_stopped = true;
	/* Any other stop takes the place of the one that was asked for. */
	if (event != PTRACE_EVENT_STOP && event != PTRACE_EVENT_EXIT)
		t->is_due = false;
	if (event) {
		event_ret = take_event(s, t, event, sig);
		return ret ? ret : event_ret;
	}
	/*
	 * A signal is about to be delivered. One that is ignored would not have woken the thread
	 * without a tracer.
	 */
	cut_call_repeat(tid);
	let_go(s, t, sig);
	return ret;
}

/* Handles one stop of these threads, as waitid has them. *@is_any says whether there was one. */
static int take_one_stop(struct ptrace_source *s, idtype_t type, uint32_t id, bool *is_any)
{
	siginfo_t info = {0};

	*is_any = !tracee->wait(type, id, &info, WSTOPPED | __WALL | WNOHANG) && info.si_pid;
	/* A child of the recorder that job control has stopped is none of them. */
	return *is_any && info.si_code == CLD_TRAPPED ? take_stop(s, info.si_pid, info.si_status)
						      : 0;
}

/* Processes that begin others without end may stop as fast as the recorder lets them go. */
#define STOPS_NS (20 * NS_PER_MS)

/*
 * Handles the threads that have stopped: all, unless they keep it from other work. The kernel tells
 * first of threads that it has traced last. So where new ones come without end, each thread has its
 * turn after them.
 */
static int take_stops(struct ptrace_source *s)
{
	uint64_t end_ns = clock_monotonic_ns() + STOPS_NS;
	bool is_any = true;
	int ret = 0;

	while (!ret && is_any && clock_monotonic_ns() < end_ns)
		ret = take_one_stop(s, P_ALL, 0, &is_any);
	for (size_t i = 0; i < s->targets.threads.nr && is_any && !ret; i++) {
		bool ignored;

		ret = take_one_stop(s, P_PID, s->targets.threads.data[i].tid, &ignored);
	}
	return ret;
}

/* Has the thread ended? Then its parent hears of it from now on. */
static bool has_ended(const struct ptrace_source *s, uint32_t tid)
{
	const int flags = WEXITED | __WALL | WNOHANG;
	siginfo_t info = {0};

	if (tracee->wait(P_PID, tid, &info, flags | WNOWAIT))
		return true;
	/* Stops of traced threads are seen whether they are asked for or not. */
	if (!info.si_pid || info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
		return false;
	if (tid != s->options.command_pid)
		tracee->wait(P_PID, tid, &info, flags);
	return true;
}

/*
 * Collects threads that have ended, so that their parents hear of it. The command is its parent's.
 */
static int reap_threads(struct ptrace_source *s, bool all)
{
	for (size_t i = 0; i < s->targets.threads.nr;) {
		struct target_thread *t = &s->targets.threads.data[i];
		uint32_t tid = t->tid, pid = t->pid;
		int ret;

		if ((!t->is_exiting && !all) || !has_ended(s, tid)) {
			i++;
			continue;
		}
		thread_debts_leave(&s->debts, t);
		targets_remove_thread(&s->targets, tid);
		if (targets_have_other_thread(&s->targets, pid, tid))
			continue;
		targets_remove_process(&s->targets, pid);
		ret = tell(s, &(struct sideband_record){.type = SIDEBAND_EXIT,
							.time_ns = clock_monotonic_ns(),
							.pid = pid,
							.tid = pid,
							.name = ""});
		if (ret)
			return ret;
	}
	return 0;
}

int ptrace_source_take(struct ptrace_source *s)
{
	uint64_t expired;
	bool is_time = s->is_running && read(s->timer_fd, &expired, sizeof(expired)) > 0;
	int ret;

	s->turn++;
	ret = take_stops(s);
	/* The kernel tells of nearly all ends before they come. */
	if (!ret)
		ret = reap_threads(s, is_time && s->nr_looks++ % REAP_LOOKS == 0);
	if (!ret && is_time) {
		look_at_times(s);
		set_timer(s);
		ret = take_stops(s);
	}
	if (!ret)
		ask_again(s);
	return ret;
}

/* The kernel traces no thread that was begun with CLONE_UNTRACED (clone(2)). */
static int look_for_untraced(void *ctx, uint32_t tid)
{
	struct ptrace_source *s = ctx;
	uint32_t pid, tracer;

	if (!targets_find_thread(&s->targets, tid) && !proc_tgid(tid, &pid) &&
	    !proc_tracer(tid, &tracer) && !tracer &&
	    !thread_times_has_ended(pid, tid, s->options.looker))
		s->lacks_threads = true;
	return 0;
}

/* What threads owe still is lost, also of those that have not stopped. */
static void lose_rest(struct ptrace_source *s)
{
	vec_for_each(&s->targets.threads, t)
		leave_debts(s, t);
	thread_debts_end(&s->debts);
}

void ptrace_source_stop(struct ptrace_source *s)
{
	const struct itimerspec never = {0};
	const struct timespec pause = {.tv_nsec = 50 * NS_PER_US};
	uint64_t end_ns = clock_monotonic_ns() + LEAVE_NS;

	vec_for_each(&s->targets.processes, p)
		if (s->is_running && p->is_whole)
			proc_add_threads(p->known.pid, look_for_untraced, s);
	s->is_leaving = true;
	timerfd_settime(s->timer_fd, 0, &never, NULL);
	/* Those that run and owe a sample give it before they are let go. */
	if (s->is_running)
		look_at_times(s);
	vec_for_each(&s->targets.threads, t)
		if (!t->is_due)
			tracee->request(PTRACE_INTERRUPT, t->tid, 0);
	while (s->targets.threads.nr && clock_monotonic_ns() < end_ns) {
		if (take_stops(s) || reap_threads(s, true))
			break;
		nanosleep(&pause, NULL);
	}
	if (s->is_running)
		lose_rest(s);
	s->is_running = false;
}

const char *ptrace_source_lacks(const struct ptrace_source *s)
{
	return s->lacks_threads
		       ? "threads that a program begins with CLONE_UNTRACED have no samples by ptrace"
		       : NULL;
}
