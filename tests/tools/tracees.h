/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command and all that it starts, under ptrace: to stop a thread of it somewhere, look at it, and
 * let it go on.
 */
#ifndef TESTS_TRACEES_H
#define TESTS_TRACEES_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/vec.h"

struct tracee {
	pid_t tid;
	bool is_stopped;
	bool has_begun;   /* the command's first exec has happened */
	bool is_asked;    /* to stop, and has not yet */
	bool is_stepping; /* stops after one instruction */
	int signal;       /* to be delivered when it goes on */
	unsigned int nr_execs;
	void *data; /* the user's, freed with free_data */
};

struct tracees {
	VEC(struct tracee *) all;
	void (*free_data)(void *data);
};

#define TRACEES_OPTIONS                                                                            \
	(PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |     \
	 PTRACE_O_EXITKILL)

static struct tracee *tracees_find(const struct tracees *ts, pid_t tid)
{
	vec_for_each(&ts->all, t)
		if ((*t)->tid == tid)
			return *t;
	return NULL;
}

static struct tracee *tracees_add(struct tracees *ts, pid_t tid, bool has_begun)
{
	struct tracee *t = calloc(1, sizeof(*t));

	if (!t || vec_push(&ts->all, t))
		errx(1, "out of memory");
	t->tid = tid;
	t->has_begun = has_begun;
	return t;
}

static void tracees_remove(struct tracees *ts, struct tracee *t)
{
	vec_for_each(&ts->all, at) {
		if (*at == t) {
			*at = ts->all.data[--ts->all.nr];
			break;
		}
	}
	if (t->data)
		ts->free_data(t->data);
	free(t);
}

/*
 * Starts @argv, stopped by nothing, with its output thrown away. SIGCHLD is blocked from here on.
 */
static void tracees_start(struct tracees *ts, char **argv)
{
	sigset_t set;
	int go[2];
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pipe2(go, O_CLOEXEC) || (pid = fork()) < 0)
		err(1, "failed to start '%s'", argv[0]);
	if (!pid) {
		int null = open("/dev/null", O_RDWR);
		char byte;

		sigprocmask(SIG_UNBLOCK, &set, NULL);
		close(go[1]);
		(void)!read(go[0], &byte, 1);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, TRACEES_OPTIONS))
		err(1, "failed to trace '%s'", argv[0]);
	tracees_add(ts, pid, false);
	close(go[0]);
	close(go[1]);
}

static void tracee_resume(struct tracee *t, bool step)
{
	/* It may have been killed meanwhile: then its end is still to be reported. */
	if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, t->tid, NULL, (long)t->signal))
		return;
	t->is_stopped = false;
	t->is_stepping = step;
	t->signal = 0;
}

/* Asks it to stop; tracees_wait tells when it has. */
static void tracee_ask(struct tracee *t)
{
	if (!t->is_asked && !t->is_stopped && !ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL))
		t->is_asked = true;
}

/* The meaning of a stop. Returns whether it is one of those where a stack is looked at. */
static bool tracee_stopped(struct tracees *ts, struct tracee *t, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);
	unsigned long former = 0;
	struct tracee *dead;

	t->is_stopped = true;
	t->is_asked = false; /* any stop is one that was asked for */
	switch (event) {
	case 0:
		if (sig != SIGTRAP || !t->is_stepping)
			t->signal = sig;
		return true;
	case PTRACE_EVENT_STOP:
		return true;
	case PTRACE_EVENT_EXEC:
		/* All other threads are gone, and this one is called as the first. */
		ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &former);
		dead = former != (unsigned long)t->tid ? tracees_find(ts, former) : NULL;
		if (dead)
			tracees_remove(ts, dead);
		t->nr_execs++;
		t->has_begun = true;
		break;
	default:
		break;
	}
	tracee_resume(t, false);
	return false;
}

/*
 * Waits at most @ns for a thread to stop where a stack can be looked at; all others go on. Returns
 * NULL when none did, and when none is left.
 */
static struct tracee *tracees_wait(struct tracees *ts, int64_t ns)
{
	struct timespec now, timeout;
	int64_t end = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (ts->all.nr) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
		struct tracee *t = tid > 0 ? tracees_find(ts, tid) : NULL;

		if (tid < 0)
			return NULL;
		if (tid > 0 && !t && WIFSTOPPED(status)) {
			/* It is still where it came into being. */
			tracee_resume(tracees_add(ts, tid, true), false);
		} else if (t && !WIFSTOPPED(status)) {
			tracees_remove(ts, t);
		} else if (t && tracee_stopped(ts, t, status)) {
			if (t->has_begun)
				return t;
			tracee_resume(t, false);
		}
		if (tid)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!end)
			end = now.tv_sec * 1000000000LL + now.tv_nsec + ns;
		ns = end - (now.tv_sec * 1000000000LL + now.tv_nsec);
		if (ns <= 0)
			return NULL;
		timeout = (struct timespec){ns / 1000000000, ns % 1000000000};
		sigtimedwait(&set, NULL, &timeout);
	}
	return NULL;
}

/* Ends the command and all it has started. */
static void tracees_end(struct tracees *ts)
{
	struct tracee *t;

	vec_for_each(&ts->all, at)
		kill((*at)->tid, SIGKILL);
	/* Some may come into being only now. */
	while ((t = tracees_wait(ts, 1000000000))) {
		kill(t->tid, SIGKILL);
		tracee_resume(t, false);
	}
	while (ts->all.nr)
		tracees_remove(ts, ts->all.data[0]);
}

#endif
