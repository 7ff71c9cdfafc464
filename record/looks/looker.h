/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process, the looker, that touches files and memory of other processes for the recorder.
 * Such a touch may never end: a FUSE server does not answer, or a process holds a lock of its
 * memory for ever. So the recorder asks the looker, and waits for a bounded time. A looker that
 * does not answer is left behind, and a new child takes its place.
 *
 * The looker is a copy of the recorder. A question therefore names a function, which the looker
 * calls. That function stands next to the code that asks.
 */
#ifndef RECORD_LOOKS_LOOKER_H
#define RECORD_LOOKS_LOOKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct looker;

/* Bytes of a question: a path and some numbers. */
#define LOOK_QUESTION_MAX 8192

/* Bytes of an answer. */
#define LOOK_ANSWER_MAX 49152

/* The one to blame when a touch does not end: a device with files, or a process. */
typedef uint64_t look_culprit;

static inline look_culprit look_device(uint64_t dev)
{
	return UINT64_C(1) << 62 | dev;
}

static inline look_culprit look_process(uint32_t pid)
{
	return UINT64_C(1) << 63 | pid;
}

/* A question as the looker sees it. */
struct look {
	const void *question;
	size_t nr_question;
	int fd; /* came with the question, or -1; stays the caller's */
	char answer[LOOK_ANSWER_MAX];
	size_t nr_answer; /* bytes */
	int answer_fd;    /* goes with the answer, which closes it; -1: none */
	uint64_t begin_ns;
	struct look_watch *watch; /* NULL: nobody watches */
};

/* Runs in the looker, with look->nr_answer 0 and look->answer_fd -1. Returns the result. */
typedef int (*look_fn)(struct look *look);

/*
 * Call it before each touch: what follows may never end, and @culprit is to blame then. Returns 0,
 * or -EHOSTDOWN when the recorder has given up @culprit for now. @look may be NULL.
 */
int look_touch(struct look *look, look_culprit culprit);

/* Should the answer go out with what is there, because the look has taken too long? */
bool look_is_long(const struct look *look);

/* Appends @len bytes to the answer. Returns false if there is no room. */
bool look_answer_append(struct look *look, const void *bytes, size_t len);

/*
 * Starts the child. Call it early, since the child is a copy of the caller. It gives up all
 * capabilities but those to look at other users' processes, unless @keeps_rights: a process may
 * look at others of its user only if it has no fewer capabilities than they. Returns 0 or a
 * negative errno with @err set.
 */
int looker_start(bool keeps_rights, struct looker **looker, struct err *err);

struct look_question {
	look_fn fn;
	const void *bytes;
	size_t nr; /* at most LOOK_QUESTION_MAX */
	int fd;    /* -1: none; stays the caller's */
	uint32_t
		pid; /* of the process that it is about, whose user answers for the time; 0: root */
};

struct look_answer {
	char bytes[LOOK_ANSWER_MAX];
	size_t nr;
	int fd; /* -1: none; the caller's */
};

/*
 * Has a question answered. Returns the result of the question's function; or -ETIMEDOUT when no
 * answer came in time, -EHOSTDOWN when the culprit or all looks are given up for now, -EIO when the
 * child has died. In these cases the answer is empty. Without a looker, the function runs in this
 * process, and may block.
 */
int looker_ask(struct looker *looker, const struct look_question *question,
	       struct look_answer *answer);

/* A touch of @culprit elsewhere did not end: gives it up for some time. NULL is fine. */
void looker_blame(struct looker *looker, look_culprit culprit);

/* Is @pid the child? Whoever stops it waits for it in vain. @looker may be NULL. */
bool looker_is_child(const struct looker *looker, uint32_t pid);

/* A number that no call before has returned. @looker may be NULL. */
uint32_t looker_next_number(struct looker *looker);

/* The CPU time of all looks that were answered. */
uint64_t looker_cpu_ns(const struct looker *looker);

/* How many looks were given up. */
uint64_t looker_nr_given_up(const struct looker *looker);

/* The user whose processes had most looks given up, of those. Returns their number. */
uint64_t looker_most_given_up(const struct looker *looker, uint32_t *uid);

/* How often somebody had stopped the child (SIGSTOP), so that another took its place. */
uint64_t looker_nr_stopped(const struct looker *looker);

/* Ends the child. NULL is fine. */
void looker_destroy(struct looker *looker);

#endif
