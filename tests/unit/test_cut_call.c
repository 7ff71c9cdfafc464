// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls of a program that is sampled return what they return without a recorder. Each call
 * of a table is made untraced, and while the recorder stops it again and again: as by ptrace, and
 * as by perf events. Signals come meanwhile. Nothing rests on time: a step is over when all stops
 * that are due have come, and the child waits in its call once more.
 */
#include "record/sampling/ptrace/cut_call.h"

#include <sys/mman.h>
#include <sys/ptrace.h>

#include "record/sampling/ptrace/ptrace_source.h"
#include "record/sampling/ptrace/thread_stop.h"
#include "record/sampling/ptrace/tracee.h"
#include "record/host/host_abi.h"
#include "tests/unit/waiting_calls.h"

#define NR_ROUNDS 3
#define NR_STOPS  100

static enum way { UNTRACED, BY_PTRACE, BY_PERF, NR_WAYS } way;

/* A signal that comes in each round, and what the child makes of it. */
static const struct disposition {
	const char *name;
	int sig; /* SIGSTOP: with SIGCONT after it; 0: none */
	bool is_ignored, is_handled;
	int flags;
} dispositions[] = {
	{.name = "none"},
	{.name = "ignored", .sig = SIGUSR1, .is_ignored = true},
	{.name = "ignored by default", .sig = SIGCHLD},
	{.name = "handled", .sig = SIGUSR1, .is_handled = true},
	{.name = "handled, SA_RESTART", .sig = SIGUSR1, .is_handled = true, .flags = SA_RESTART},
	{.name = "job control", .sig = SIGSTOP},
};
#define NR_DISPOSITIONS ARRAY_SIZE(dispositions)

/* How a call has ended, seen by the child. */
struct result {
	bool has_ended; /* before the test let it end */
	long ret;
	int error, nr_handled;
};

static struct scene *scene;
static struct ptrace_source *source;
static bool is_asked; /* by perf events: the child is to stop */
static int nr_let_go, nr_let_go_due, nr_listens, nr_handled_due;
static const struct tracee_ops *kernel;

static int count_request(int request, uint32_t tid, unsigned long data)
{
	int ret = kernel->request(request, tid, data);

	if (ret || tid != (uint32_t)scene->pid)
		return ret;
	nr_let_go += request == PTRACE_CONT || request == PTRACE_DETACH;
	nr_listens += request == PTRACE_LISTEN;
	return 0;
}

static void handle(int sig)
{
	(void)sig;
	scene->nr_handled++;
}

static void wait_a_moment(void)
{
	const struct timespec moment = {.tv_nsec = 20000};

	nanosleep(&moment, NULL);
}

static void run_child(const struct call *call, const struct disposition *d)
{
	struct sigaction action = {.sa_handler = d->is_handled   ? handle
						 : d->is_ignored ? SIG_IGN
								 : SIG_DFL,
				   .sa_flags = d->flags};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (d->is_handled || d->is_ignored)
		sigaction(d->sig, &action, NULL);
	while (!scene->may_begin)
		wait_a_moment();
	if (call->begin)
		call->begin(scene);
	scene->has_begun = 1;
	scene->ret = call->call(scene);
	scene->error = scene->ret < 0 ? errno : 0;
	scene->has_ended = 1;
	for (;;)
		pause();
}

/* The state of the child, one letter (proc_pid_stat(5)). */
static char state(void)
{
	char path[64], text[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", scene->pid);
	f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
	fclose(f);
	return strrchr(text, ')')[2];
}

/* Does with the stops of the child what the recorder does. */
static void take_stops(void)
{
	struct user_regs_struct regs;
	int ret;

	if (way == BY_PTRACE)
		ck_assert_int_eq(ptrace_source_take(source), 0);
	if (way != BY_PERF || !is_asked)
		return;
	ret = thread_stop_look(scene->pid, true, &regs);
	is_asked = ret == -EAGAIN;
	if (!ret)
		ck_assert(thread_stop_end(scene->pid));
}

/*
 * Waits until the child has left the call, or waits in it again after all that is due. Its state
 * alone does not tell: on its way out of a call it may look as if it slept.
 */
static void settle(void)
{
	while (!scene->has_ended && (!scene->has_begun || nr_let_go < nr_let_go_due ||
				     scene->nr_handled < nr_handled_due || state() != 'S')) {
		take_stops();
		wait_a_moment();
	}
}

/* Asks the child to stop for the recorder. */
static void interrupt(void)
{
	if (way == UNTRACED)
		return;
	if (way == BY_PTRACE)
		ck_assert_int_eq(tracee->request(PTRACE_INTERRUPT, scene->pid, 0), 0);
	else
		ck_assert_int_eq(thread_stop_ask(scene->pid), 0);
	is_asked = way == BY_PERF;
	nr_let_go_due++;
}

/* Sends a signal. Each stops a child that is traced all the time. */
static void disturb(const struct disposition *d)
{
	ck_assert_int_eq(kill(scene->pid, d->sig), 0);
	nr_handled_due += d->is_handled;
	nr_let_go_due += way == BY_PTRACE;
}

/* Waits until job control holds the child, and the recorder has left it so @nr times. */
static void wait_for_stop(int nr)
{
	while (way == BY_PTRACE ? nr_listens < nr : is_asked || state() != 'T') {
		take_stops();
		wait_a_moment();
	}
}

static void stop_and_continue(const struct disposition *d)
{
	int nr = nr_listens;

	disturb(d);
	wait_for_stop(nr + 1);
	interrupt();
	nr_let_go_due -= way == BY_PTRACE;
	wait_for_stop(nr + 2);
	ck_assert_int_eq(kill(scene->pid, SIGCONT), 0);
	/* The end of the stop, and the signal. */
	nr_let_go_due += way == BY_PTRACE ? 2 : 0;
	settle();
}

static void disturb_often(const struct disposition *d)
{
	for (int i = 0; i < NR_ROUNDS && !scene->has_ended; i++) {
		interrupt();
		settle();
		if (scene->has_ended || !d->sig)
			continue;
		if (d->sig == SIGSTOP) {
			stop_and_continue(d);
			continue;
		}
		disturb(d);
		settle();
		if (scene->has_ended)
			continue;
		/* Both at once. */
		interrupt();
		disturb(d);
		settle();
	}
}

static void finish(const struct call *call)
{
	bool is_drained = call->finish == drain;

	for (int i = 0; !scene->has_ended; i++) {
		take_stops();
		if (!i || is_drained)
			call->finish(scene);
		wait_a_moment();
	}
	if (!is_drained)
		return;
	while (drain_some(scene))
		;
	ck_assert_uint_eq(scene->nr_drained, scene->nr_before + (scene->ret > 0 ? scene->ret : 0));
}

static int hear_nothing(void *ctx, const struct sideband_record *record)
{
	(void)ctx, (void)record;
	return 0;
}

static void begin_call(const struct call *call, const struct disposition *d)
{
	const struct source_options options = {.freq_hz = 1, .listener.record = hear_nothing};
	struct err err;
	pid_t pid;

	*scene = (struct scene){.fd = {-1, -1, -1}};
	nr_let_go = nr_let_go_due = nr_handled_due = 0;
	is_asked = false;
	if (call->prepare)
		call->prepare(scene);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		run_child(call, d);
	scene->pid = pid;
	if (way == BY_PTRACE) {
		ck_assert_msg(!ptrace_source_create(&options, &source, &err), "%s", err.text);
		ck_assert_msg(!ptrace_source_add(source, pid, false, false, &err), "%s", err.text);
	}
	scene->may_begin = 1;
	settle();
}

static struct result end_call(const struct call *call)
{
	struct result result = {.has_ended = scene->has_ended};

	if (call->finish)
		finish(call);
	result.ret = scene->ret;
	result.error = scene->error;
	result.nr_handled = scene->nr_handled;
	if (way == BY_PTRACE)
		ptrace_source_destroy(source);
	kill(scene->pid, SIGKILL);
	waitpid(scene->pid, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(scene->fd); i++)
		if (scene->fd[i] >= 0)
			close(scene->fd[i]);
	if (call->remove)
		call->remove(scene);
	return result;
}

static struct result run(const struct call *call, const struct disposition *d)
{
	begin_call(call, d);
	disturb_often(d);
	return end_call(call);
}

#define ck_assert_result(call, d, r, expected)                                                     \
	ck_assert_msg(                                                                             \
		(r).has_ended == (expected).has_ended && (r).ret == (expected).ret &&              \
			(r).error == (expected).error && (r).nr_handled == (expected).nr_handled,  \
		"%s, signals %s, way %d: %s with %ld, %s after %d signals; expected %s "           \
		"with %ld, %s after %d signals",                                                   \
		(call)->name, (d)->name, way, (r).has_ended ? "ended" : "went on", (r).ret,        \
		strerror((r).error), (r).nr_handled, (expected).has_ended ? "ended" : "went on",   \
		(expected).ret, strerror((expected).error), (expected).nr_handled)

/* Call number _i of the table. */
START_TEST(a_call)
{
	const struct call *call = &calls[_i];
	struct result calm, untraced, traced;

	way = UNTRACED;
	calm = run(call, &dispositions[0]);
	if (calm.error == ENOSYS || calm.error == EPERM || calm.error == EBADF)
		return; /* there is none here, or it is refused */
	ck_assert_msg(!calm.has_ended, "%s does not wait: %s", call->name, strerror(calm.error));
	for (const struct disposition *d = dispositions; d < dispositions + NR_DISPOSITIONS; d++) {
		way = UNTRACED;
		untraced = run(call, d);
		/* Job control ends some calls. Those of a thread that the recorder stops go on. */
		if (d->sig == SIGSTOP && untraced.error == EINTR)
			untraced = calm;
		for (way = BY_PTRACE; way < NR_WAYS; way++) {
			traced = run(call, d);
			if (!call->is_divisible)
				ck_assert_result(call, d, traced, untraced);
			else
				ck_assert_msg(traced.ret > 0 && traced.ret <= calm.ret,
					      "%s, signals %s, way %d: %ld", call->name, d->name,
					      way, traced.ret);
		}
	}
}
END_TEST

/* However often a call is stopped, it goes on. */
START_TEST(many_stops)
{
	const struct call *call = calls;

	while (strcmp(call->name, "epoll_wait"))
		call++;
	for (way = BY_PTRACE; way < NR_WAYS; way++) {
		begin_call(call, &dispositions[0]);
		for (int i = 0; i < NR_STOPS; i++) {
			interrupt();
			settle();
		}
		ck_assert_int_eq(nr_let_go, NR_STOPS);
		ck_assert_int_eq(end_call(call).ret, 1);
	}
}
END_TEST

static void begin(void)
{
	static struct tracee_ops counting;

	kernel = tracee;
	counting = *kernel;
	counting.request = count_request;
	tracee = &counting;
	enter_new_dir();
	scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne(scene, MAP_FAILED);
}

static const char *missing(void)
{
	const char *reason = NULL;
	pid_t child;

	if (!HOST_REPEATS_CALLS)
		return "threads are not stopped on this architecture";
	if (access("/proc/self/schedstat", R_OK))
		return "the kernel does not tell the CPU times of threads";
	child = fork();
	if (child < 0)
		return "fork is refused";
	if (!child)
		for (;;)
			pause();
	if (ptrace(PTRACE_SEIZE, child, 0, 0))
		reason = "ptrace is refused";
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	return reason;
}

SUITE_MAIN_OF(((struct suite){.name = "cut_call",
			      .missing = missing,
			      .begin = begin,
			      .loop = a_call,
			      .nr_loops = ARRAY_SIZE(calls)}),
	      many_stops)
