// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/batches.h"

#include <pthread.h>

#include "common/minmax.h"

/* Recordings whose stacks are merged in memory at a time, by each of two threads. */
#define BATCH_MAX 100

struct batches {
	struct merger *merger;
	const char *const *names;
	size_t nr;
	void (*done)(void *ctx, const struct recording *batch);
	void *ctx;
	struct err *err;
	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t turn_changed;
	size_t next; /* first recording that no thread has begun */
	size_t turn; /* first recording of the batch whose thread may write, and use the rest */
	int ret;     /* the first error; no thread begins a batch then */
};

static void wait_for_turn(struct batches *b, size_t first)
{
	pthread_mutex_lock(&b->lock);
	while (b->turn != first)
		pthread_cond_wait(&b->turn_changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static void end_turn(struct batches *b, size_t next, int ret)
{
	pthread_mutex_lock(&b->lock);
	b->turn = next;
	b->ret = b->ret ? b->ret : ret;
	pthread_cond_broadcast(&b->turn_changed);
	pthread_mutex_unlock(&b->lock);
}

/* Reads the batch that begins with recording @first, and writes it when its turn has come. */
static void merge_batch(struct batches *b, size_t first)
{
	const struct timespan everything = {.keeps_slots = true, .keeps_labels = true};
	size_t nr = min_u64(b->nr - first, BATCH_MAX);
	struct recording batch = {0};
	struct err err = {0};
	int ret = recordings_join(&batch, b->names + first, nr, &everything, &err);
	bool is_read = !ret;

	wait_for_turn(b, first);
	if (!ret && !b->ret)
		ret = merger_add(b->merger, &batch, &err);
	if (!ret && !b->ret)
		b->done(b->ctx, &batch);
	if (ret && !b->ret)
		*b->err = err;
	end_turn(b, first + nr, ret);
	if (is_read)
		recording_deinit(&batch);
}

static void *merge_batches(void *batches)
{
	struct batches *b = batches;

	for (;;) {
		size_t first;
		bool is_over;

		pthread_mutex_lock(&b->lock);
		is_over = b->ret || b->next >= b->nr;
		first = b->next;
		if (!is_over)
			b->next += BATCH_MAX;
		pthread_mutex_unlock(&b->lock);
		if (is_over)
			return NULL;
		merge_batch(b, first);
	}
}

int batches_merge(struct merger *merger, const char *const *names, size_t nr,
		  void (*done)(void *ctx, const struct recording *batch), void *ctx,
		  struct err *err)
{
	struct batches b = {
		.merger = merger,
		.names = names,
		.nr = nr,
		.done = done,
		.ctx = ctx,
		.err = err,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn_changed = PTHREAD_COND_INITIALIZER,
	};
	pthread_t thread;
	/* This thread works, too; alone, if there is one batch, or no other can be made. */
	bool has_thread = nr > BATCH_MAX && !pthread_create(&thread, NULL, merge_batches, &b);

	merge_batches(&b);
	if (has_thread)
		pthread_join(thread, NULL);
	return b.ret;
}
