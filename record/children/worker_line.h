/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process that answers requests about files, one after the other, since the files belong to
 * the profiled processes. Nothing here waits for the child. If it dies, a new child takes its
 * place, as often as every ten seconds in the long run. The child is one of
 * record/unwind/table_worker.h or record/symbols/names_worker.h.
 *
 * A file may lie on a server that does not answer. Some kinds of child step aside then: a new child
 * takes the place of the one that waits, which goes on with that one request. There is one of them
 * at a time.
 */
#ifndef RECORD_CHILDREN_WORKER_LINE_H
#define RECORD_CHILDREN_WORKER_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct worker_line;

struct worker_kind {
	const char *name;      /* for messages */
	void (*run)(int sock); /* in the child: answers until the other end is closed, no return */
	/*
	 * Time for one request in which the child does not want a processor: it waits for a file.
	 */
	unsigned int ms_max;
	unsigned int slow_ms; /* after so much of that time, the child steps aside; 0: never */
	bool tells_begin;     /* says at which request it works, and may choose the order */
};

/* Requests that wait. Each is a descriptor on its way to the worker. */
#define WORKER_WAITING_MAX 64

/* Room in a reply for facts of one kind of child. */
#define WORKER_OWN_BYTES 256

/*
 * The status of a message that is no reply yet: the child begins with the request. Of a child that
 * says so, no request is to blame for its end before that.
 */
#define WORKER_BEGINS 1

/*
 * The status of what is no reply yet: the child that works at the request has stepped aside. The
 * others that it had are lost, and the reply of the request comes when it is done.
 */
#define WORKER_STEPS_ASIDE 2

/* When status is 0, it comes with the descriptor of a sealed memfd. */
struct worker_reply {
	uint32_t tag;
	int32_t status;  /* 0 or a negative errno, or WORKER_BEGINS */
	uint64_t cpu_ns; /* CPU time, of the request or of the child so far; 0: not told */
	bool is_aside;   /* set by the line: of a child that had stepped aside */
	/* Of the kind of child, whatever the status is. All zero if the line itself failed. */
	uint8_t own[WORKER_OWN_BYTES];
};

struct worker_request {
	uint32_t tag; /* of the reply */
	const void *bytes;
	size_t nr;
	int fd; /* -1: none; stays the caller's */
};

/*
 * Starts the child. Call it early, since the child is a copy of the caller. Returns 0 or a negative
 * errno with @err set.
 */
int worker_line_start(struct worker_line **line, const struct worker_kind *kind, struct err *err);

/*
 * A socket for a request to the child. It is the line's, and valid until the next call. After
 * somebody has sent a request that gets a reply, worker_line_expect is due. Returns 0, -EAGAIN when
 * too many requests wait, -EIO when there is no child and too many have died lately, or a failing
 * system call's errno.
 */
int worker_line_sock(struct worker_line *line, int *sock);
void worker_line_expect(struct worker_line *line, uint32_t tag);

/*
 * Sends a request that gets a reply. Never blocks: requests wait in line. Returns 0, the errors of
 * worker_line_sock, or a failing system call's errno. After -EAGAIN, worker_line_fd polls readable
 * when there is room.
 */
int worker_line_request(struct worker_line *line, const struct worker_request *request);

/* How many children were started so far. A child knows nothing of those before it. */
unsigned int worker_line_nr_workers(const struct worker_line *line);

/* How many children were found stopped, by a signal of somebody else. */
unsigned int worker_line_nr_stopped(const struct worker_line *line);

/* How long the child has run, in ns; 0 where the kernel does not count that. */
uint64_t worker_line_ran_ns(const struct worker_line *line);

/* Does the child run, or wait for a processor? */
bool worker_line_wants_processor(const struct worker_line *line);

/*
 * A descriptor that polls readable when worker_line_next has something to do. It stays valid until
 * destroy.
 */
int worker_line_fd(const struct worker_line *line);

/*
 * Takes the next request that is done, in the order of requests unless the child chooses. Returns
 * false when none is done. Else reply->tag and reply->status are set, and *@memory is the caller's,
 * or -1. Errors of the line itself are -ETIMEDOUT, -EIO when the child died of the request,
 * -EAGAIN when it died at another one, stepped aside with another one, or was stopped by somebody,
 * and -EBUSY when it had to step aside while another one had. With -ETIMEDOUT of a child that
 * tells what it begins with, reply->cpu_ns is what the kernel has counted for the request.
 */
bool worker_line_next(struct worker_line *line, struct worker_reply *reply, int *memory);

/*
 * Is @fd memory that the child cannot change any more? Its seals prove it. If so, the next read is
 * from its beginning.
 */
bool worker_memory_is_sealed(int fd);

/* Ends the child, and forgets all requests. NULL is fine. */
void worker_line_destroy(struct worker_line *line);

#endif
