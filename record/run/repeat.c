// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/repeat.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "record/run/recorder.h"
#include "record/host/wakeups.h"

/* What a child tells, in memory that it shares with the parent. */
struct told {
	struct err err;
	int status; /* as of recorder_run */
};

struct repeater {
	const struct record_options *options;
	struct told *told;
	int status; /* the first that is not 0 */
	sigset_t signals;
	pid_t child; /* 0: none */
	bool stop;
};

/* Never returns. The child ends its recording when the parent is gone. */
static void record_in_child(struct repeater *r, pid_t parent)
{
	int ret;

	wakeups_restore_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	ret = recorder_run(r->options, &r->told->status, &r->told->err);
	_exit(ret ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Passes a signal on. A terminal has sent it to the child already. */
static void handle_signal(struct repeater *r, const siginfo_t *info)
{
	if (info->si_signo == SIGINT || info->si_signo == SIGTERM)
		r->stop = true;
	if (r->child && info->si_code <= 0)
		kill(r->child, info->si_signo);
}

/* Waits for the child, which has ended when this returns. Returns its status as of waitpid. */
static int wait_for_child(struct repeater *r)
{
	siginfo_t info;
	int status;

	while (waitpid(r->child, &status, WNOHANG) != r->child)
		if (sigwaitinfo(&r->signals, &info) > 0 && info.si_signo != SIGCHLD)
			handle_signal(r, &info);
	r->child = 0;
	return status;
}

static int record_once(struct repeater *r, struct err *err)
{
	pid_t self = getpid();
	int status;

	r->told->status = 0;
	r->child = fork();
	if (r->child < 0)
		return err_set(err, -errno, "failed to start a process: %m");
	if (!r->child)
		record_in_child(r, self);
	status = wait_for_child(r);
	if (!r->status)
		r->status = r->told->status;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return err_set(err, -EINTR, "failed to record: signal %d ended the recorder",
			       WTERMSIG(status));
	*err = r->told->err;
	return -ECANCELED;
}

/* Waits for the time between two recordings, or until a signal ends the run. */
static void pause_between(struct repeater *r)
{
	uint64_t now_ns = clock_monotonic_ns(), end_ns = now_ns + r->options->pause_ns;

	for (; !r->stop && now_ns <= end_ns; now_ns = clock_monotonic_ns()) {
		const struct timespec left = {.tv_sec = (end_ns - now_ns) / NS_PER_S,
					      .tv_nsec = (end_ns - now_ns) % NS_PER_S};
		siginfo_t info;

		if (sigtimedwait(&r->signals, &info, &left) > 0 && info.si_signo != SIGCHLD)
			handle_signal(r, &info);
	}
}

int repeat_recordings(const struct record_options *options, int *status, struct err *err)
{
	struct repeater r = {.options = options};
	int ret = 0;

	r.told = mmap(NULL, sizeof(*r.told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (r.told == MAP_FAILED)
		return err_set(err, -ENOMEM, "failed to record: out of memory");
	wakeups_block_signals();
	wakeups_fill_signals(&r.signals);
	for (uint64_t i = 0; i < options->repeat && !r.stop && !ret; i++) {
		if (i && options->pause_ns)
			pause_between(&r);
		if (!r.stop)
			ret = record_once(&r, err);
	}
	munmap(r.told, sizeof(*r.told));
	*status = r.status;
	return ret;
}
