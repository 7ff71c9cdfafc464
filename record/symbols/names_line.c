// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/names_line.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/children/fd_message.h"

/* Time for the names of one file, whose server may not answer: before others go on, and in all. */
#define NAMES_SLOW_MS 500
#define NAMES_MS_MAX  20000

/* Another child has used no time. */
static void note_worker(struct names_line *l)
{
	uint32_t worker = worker_line_nr_workers(l->line);

	if (worker != l->worker)
		l->cpu_ns = 0;
	l->worker = worker;
}

int names_line_start(struct names_line *l, struct err *err)
{
	const struct worker_kind kind = {.name = "child for names",
					 .run = names_worker_run,
					 .ms_max = NAMES_MS_MAX,
					 .slow_ms = NAMES_SLOW_MS};
	int ret;

	*l = (struct names_line){0};
	ret = worker_line_start(&l->line, &kind, err);
	if (!ret)
		note_worker(l);
	return ret;
}

int names_line_sock(struct names_line *l, int *sock)
{
	int ret = worker_line_sock(l->line, sock);

	note_worker(l);
	return ret;
}

int names_line_order(struct names_line *l, enum names_order order, uint32_t slot)
{
	const struct names_request request = {.order = order, .slot = slot};
	int sock, ret = worker_line_sock(l->line, &sock);

	return ret ? ret : fd_message_send(sock, &request, sizeof(request), -1);
}

int names_line_ask(struct names_line *l, const struct names_question *question,
		   struct names_request *request, const uint64_t *offsets)
{
	_cleanup_close_ int memory = memfd_create("offsets", MFD_CLOEXEC);
	const struct worker_request message = {
		.tag = request->slot, .bytes = request, .nr = sizeof(*request), .fd = memory};
	const ssize_t size = request->nr * sizeof(*offsets);
	int ret;

	request->order = NAMES_ASK;
	request->cpu_max_ns = l->cpu_ns + question->limit_ns;
	if (memory < 0 || pwrite(memory, offsets, size, 0) != size)
		return -ENOMEM;
	ret = worker_line_request(l->line, &message);
	if (!ret)
		l->sent[l->nr_sent++] = *question;
	return ret;
}

/* The question that is answered. */
static struct names_question take_question(struct names_line *l, const struct worker_reply *reply)
{
	struct names_question question = l->slow;

	if (reply->is_aside) {
		l->has_slow = false;
		return question;
	}
	question = l->sent[0];
	l->nr_sent--;
	memmove(&l->sent[0], &l->sent[1], l->nr_sent * sizeof(l->sent[0]));
	if (reply->status == WORKER_STEPS_ASIDE) {
		l->has_slow = true;
		l->slow = question;
		l->slow_cpu_ns = l->cpu_ns;
	}
	return question;
}

bool names_line_next(struct names_line *l, struct names_reply *reply, int *memory)
{
	struct worker_reply got;
	uint64_t *cpu_ns;

	if (!worker_line_next(l->line, &got, memory))
		return false;
	*reply = (struct names_reply){.question = take_question(l, &got), .status = got.status};
	reply->has_died = got.status == -EIO || got.status == -ETIMEDOUT;
	/* Root's own files are slow for good reasons. */
	if (got.status == -EBUSY || got.status == WORKER_STEPS_ASIDE)
		reply->has_died = reply->question.payer;
	cpu_ns = got.is_aside ? &l->slow_cpu_ns : &l->cpu_ns;
	if (got.cpu_ns > *cpu_ns) {
		reply->used_ns = got.cpu_ns - *cpu_ns;
		*cpu_ns = got.cpu_ns;
	} else if (got.status == -EIO || got.status == -ETIMEDOUT) {
		/* It may have used all that it was given. */
		reply->used_ns = reply->question.limit_ns;
	}
	return true;
}

bool names_line_is_waiting(const struct names_line *l)
{
	return l->nr_sent || l->has_slow;
}

void names_line_deinit(struct names_line *l)
{
	worker_line_destroy(l->line);
}
