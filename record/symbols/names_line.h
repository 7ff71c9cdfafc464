/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child that looks up names (record/symbols/names_worker.h), and the questions that it has.
 *
 * When it has waited for half a second for a file, as one on a server that does not answer, it
 * steps aside, and questions about other files go on. The slow child keeps this one question, for
 * 20 s at most.
 */
#ifndef RECORD_SYMBOLS_NAMES_LINE_H
#define RECORD_SYMBOLS_NAMES_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/children/worker_line.h"
#include "record/symbols/names_worker.h"

/*
 * Questions that the child has at once. On a busy host each turn of the child and of the recorder
 * may take a second, and an answer less than a millisecond. Files on their way to the child need
 * room in the socket, too.
 */
#define NAMES_SENT_MAX 16

/* A question that the child has. */
struct names_question {
	uint32_t nr;       /* of the file */
	uint32_t payer;    /* of the file, at that time */
	uint64_t limit_ns; /* CPU time that the child had for it at most */
};

struct names_line {
	struct worker_line *line;
	struct names_question sent[NAMES_SENT_MAX]; /* of one user, in the order of the answers */
	size_t nr_sent;
	uint64_t cpu_ns; /* used by the child at its last answer */
	uint32_t worker; /* its number: another child has none of the files */
	bool has_slow;
	struct names_question slow; /* of the child that stepped aside */
	uint64_t slow_cpu_ns;       /* used by it before that question */
};

/* What came of a question. */
struct names_reply {
	struct names_question question;
	int status;
	uint64_t used_ns; /* CPU time of the child */
	bool has_died;    /* others lost their child, for which the payer answers */
};

/* Returns as worker_line_start. The deinit is due in any case. */
int names_line_start(struct names_line *l, struct err *err);

/* Returns as worker_line_sock. The child's number may have changed. */
int names_line_sock(struct names_line *l, int *sock);

/* Sends an order without a reply. Returns 0 or a negative errno. */
int names_line_order(struct names_line *l, enum names_order order, uint32_t slot);

/*
 * Asks about @request->nr @offsets. There must be room for the question. Returns 0 or a negative
 * errno: -EAGAIN when the socket is full.
 */
int names_line_ask(struct names_line *l, const struct names_question *question,
		   struct names_request *request, const uint64_t *offsets);

/*
 * Takes what comes next. Returns false when there is nothing. The status is that of
 * worker_line_next, where WORKER_STEPS_ASIDE says that the question goes on, or of the child.
 * *@memory is the caller's, or -1.
 */
bool names_line_next(struct names_line *l, struct names_reply *reply, int *memory);

/* Has a child a question? */
bool names_line_is_waiting(const struct names_line *l);

void names_line_deinit(struct names_line *l);

#endif
