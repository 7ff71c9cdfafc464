/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that is started to be recorded. It is held before its exec until all is attached. */
#ifndef RECORD_SYSTEM_COMMAND_H
#define RECORD_SYSTEM_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

struct command {
	pid_t pid; /* 0: none */
	int pidfd;
	int go_fd;     /* a byte written there lets it run */
	int failed_fd; /* the errno of a failed exec comes from there */
	bool exited;
	int status; /* as of waitpid */
};

/* Forks; the child waits. @argv ends with NULL. Returns 0 or a negative errno with @err set. */
int command_start(struct command *command, char **argv, struct err *err);

/* Lets it run its exec. Fails with the reason when that could not be run. */
int command_go(struct command *command, const char *name, struct err *err);

/* Notes whether it has exited. Does not wait. */
void command_reap(struct command *command);

/* Ends it, if it still runs, with SIGTERM, and releases the descriptors. */
void command_close(struct command *command);

#endif
