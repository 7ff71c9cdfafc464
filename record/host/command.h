/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that the recorder starts to record it. The recorder forks early, and the child waits
 * before its exec until the programs are attached.
 */
#ifndef RECORD_HOST_COMMAND_H
#define RECORD_HOST_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

struct command {
	pid_t pid; /* 0: none */
	int pidfd;
	int go_fd;     /* pipe to the child: a byte lets it call exec */
	int failed_fd; /* pipe from the child: the errno of a failed exec */
	bool exited;   /* and was waited for */
	int status;    /* as of waitpid */
	int refused;   /* exec failed: 127 if there is no such program, else 126, as of a shell */
};

/*
 * Forks the child, which then waits. @argv ends with NULL. Returns 0 or a negative errno with @err
 * set. The caller calls command_close in either case.
 */
int command_start(struct command *command, char **argv, struct err *err);

/*
 * Lets the child call exec, and waits until it has. @name is for errors. Returns 0, the errno of
 * the exec, with refused set, or another negative errno; both with @err set.
 */
int command_go(struct command *command, const char *name, struct err *err);

/* Sets exited and status if the command has exited. Does not wait for it. */
void command_reap(struct command *command);

/* The status of a command that has exited, as of a shell: 128 and the number of a signal. */
int command_exit_status(const struct command *command);

/* Sends SIGTERM to the command if it still runs, and closes the descriptors. */
void command_close(struct command *command);

#endif
