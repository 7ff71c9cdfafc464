// SPDX-License-Identifier: GPL-2.0-or-later
/* Each run of the recorder is played (--wrap) in the child that would record, and so are pauses. */
#include "record/run/repeat.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "record/run/recorder.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

#define RUNS_MAX 4

static struct record_options options;
static struct err err;
static int status;

/* What the runs do. */
static struct run {
	int ret, status;
	int kills_itself, asks_for; /* signals; 0: none */
} runs[RUNS_MAX];

/* What the runs tell, in memory that they share. */
static struct told_of_runs {
	size_t nr;
	pid_t pids[RUNS_MAX];
	int received[RUNS_MAX];
	bool is_blocked, dies_with_parent;
} * told;

/* The pauses, and the signals that end some of them; 0: it passes in whole. */
static struct {
	int signals[4];
	size_t nr;
	uint64_t paused_ns;
} pauses;

int __wrap_recorder_run(const struct record_options *o, int *s, struct err *e);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);

/* Has the parent get a signal, and waits until it comes back from there. */
static int send_round(int signal)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getppid(), signal);
	return sigwait(&set, &got) ? 0 : got;
}

int __wrap_recorder_run(const struct record_options *o, int *s, struct err *e)
{
	const size_t at = told->nr++;
	const struct run *run = &runs[at];
	sigset_t blocked;
	int death = 0;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	prctl(PR_GET_PDEATHSIG, &death);
	told->pids[at] = getpid();
	told->is_blocked |= sigismember(&blocked, SIGTERM) || o != &options;
	told->dies_with_parent = death == SIGTERM;
	if (run->asks_for)
		told->received[at] = send_round(run->asks_for);
	if (run->kills_itself)
		raise(run->kills_itself);
	*s = run->status;
	return run->ret ? err_set(e, run->ret, "run %zu failed", at) : 0;
}

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	const uint64_t ns = (uint64_t)timeout->tv_sec * NS_PER_S + (uint64_t)timeout->tv_nsec;
	const int signal = pauses.signals[pauses.nr++];

	ck_assert_int_eq(sigismember(set, SIGTERM), 1);
	ck_assert_uint_lt(timeout->tv_nsec, NS_PER_S);
	*info = (siginfo_t){.si_signo = signal, .si_code = SI_USER};
	pauses.paused_ns += signal ? ns / 2 : ns;
	now_ns += signal ? ns / 2 : ns + 1;
	errno = EAGAIN;
	return signal ? signal : -1;
}

static void begin(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(told, MAP_FAILED);
	now_ns = NS_PER_S;
	options.repeat = 3;
}

static void end(void)
{
	munmap(told, sizeof(*told));
	ck_assert_int_lt(waitpid(-1, NULL, WNOHANG), 0); /* no child is left */
}

static int repeat(void)
{
	status = 77;
	return repeat_recordings(&options, &status, &err);
}

START_TEST(each_recording_is_a_process_of_its_own)
{
	ck_assert_int_eq(repeat(), 0);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(told->nr, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_ne(told->pids[i], getpid());
	ck_assert_int_ne(told->pids[0], told->pids[1]);
	ck_assert(!told->is_blocked);
	ck_assert(told->dies_with_parent);
	ck_assert_uint_eq(pauses.nr, 0);
}
END_TEST

START_TEST(the_first_bad_status_counts)
{
	runs[1].status = 5;
	runs[2].status = 7;
	ck_assert_int_eq(repeat(), 0);
	ck_assert_uint_eq(told->nr, 3);
	ck_assert_int_eq(status, 5);
}
END_TEST

START_TEST(a_recording_that_fails_is_the_last)
{
	runs[1] = (struct run){.ret = -EIO, .status = 9};
	ck_assert_int_eq(repeat(), -ECANCELED);
	ck_assert_uint_eq(told->nr, 2);
	ck_assert_str_eq(err.text, "run 1 failed");
	ck_assert_int_eq(status, 9);
}
END_TEST

START_TEST(a_recorder_that_a_signal_ends)
{
	runs[0].kills_itself = SIGKILL;
	ck_assert_int_eq(repeat(), -EINTR);
	ck_assert_uint_eq(told->nr, 1);
	ck_assert_str_eq(err.text, "failed to record: signal 9 ended the recorder");
}
END_TEST

/* Those that end a recording end the run, too. */
START_TEST(signals_are_passed_on)
{
	static const struct {
		int signal;
		size_t nr_runs;
	} cases[] = {{SIGTERM, 1}, {SIGINT, 1}, {SIGUSR1, 3}, {SIGHUP, 3}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(told, 0, sizeof(*told));
		runs[0] = (struct run){.asks_for = cases[i].signal, .status = 4};
		ck_assert_int_eq(repeat(), 0);
		ck_assert_uint_eq(told->nr, cases[i].nr_runs);
		ck_assert_int_eq(told->received[0], cases[i].signal);
		ck_assert_int_eq(status, 4);
	}
}
END_TEST

START_TEST(pauses_are_between_recordings)
{
	options.pause_ns = 2 * NS_PER_S + 5;
	ck_assert_int_eq(repeat(), 0);
	ck_assert_uint_eq(told->nr, 3);
	ck_assert_uint_eq(pauses.nr, 2);
	ck_assert_uint_eq(pauses.paused_ns, 2 * options.pause_ns);
}
END_TEST

/* A late SIGCHLD or a request to write leaves the rest of the pause. */
START_TEST(signals_in_a_pause)
{
	options.pause_ns = 4 * NS_PER_S;
	pauses.signals[0] = SIGCHLD;
	pauses.signals[1] = SIGUSR1;
	pauses.signals[3] = SIGTERM;
	ck_assert_int_eq(repeat(), 0);
	ck_assert_uint_eq(pauses.nr, 4);
	ck_assert_uint_eq(pauses.paused_ns, options.pause_ns + options.pause_ns / 2);
	ck_assert_uint_eq(told->nr, 2);
}
END_TEST

SUITE_MAIN_WITH("repeat", begin, end, each_recording_is_a_process_of_its_own,
		the_first_bad_status_counts, a_recording_that_fails_is_the_last,
		a_recorder_that_a_signal_ends, signals_are_passed_on, pauses_are_between_recordings,
		signals_in_a_pause)
