// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/drain.h"

#include <errno.h>

#include "common/index.h"
#include "common/vec.h"

struct drained_stack {
	uint64_t id;
	size_t first_frame;
	uint32_t nr_frames;
	bool is_cut;
};

struct drain {
	VEC(struct drained_stack) stacks;
	VEC(uint64_t) frames;
	struct index by_id;
	/* While it runs: */
	struct epoch *epoch;
	drain_flush_fn flush;
	void *flush_ctx;
	struct err *err;
};

int drain_create(struct drain **drain)
{
	*drain = calloc(1, sizeof(**drain));
	return *drain ? 0 : -ENOMEM;
}

void drain_destroy(struct drain *drain)
{
	if (!drain)
		return;
	vec_free(&drain->stacks);
	vec_free(&drain->frames);
	index_deinit(&drain->by_id);
	free(drain);
}

static int take_stack(void *ctx, uint64_t id, const struct stack_entry *entry)
{
	struct drain *drain = ctx;
	struct drained_stack stack = {.id = id,
				      .first_frame = drain->frames.nr,
				      .nr_frames = entry->nr_frames,
				      .is_cut = entry->is_cut};

	if (vec_append(&drain->frames, entry->frames, entry->nr_frames) ||
	    index_insert(&drain->by_id, id, drain->stacks.nr))
		return -ENOMEM;
	return vec_push(&drain->stacks, stack);
}

/* The frames of stack @id. A count whose stack is not in its set would be a defect: missed. */
static struct raw_stack find_stack(const struct drain *drain, uint64_t id)
{
	if (id < STACK_FIRST_ID)
		return (struct raw_stack){.id = id};
	index_for_each (&drain->by_id, id, i) {
		const struct drained_stack *stack = &drain->stacks.data[i];

		if (stack->id == id)
			return (struct raw_stack){.id = id,
						  .frames = drain->frames.data + stack->first_frame,
						  .nr_frames = stack->nr_frames,
						  .is_cut = stack->is_cut};
	}
	return (struct raw_stack){.id = STACK_MISSED + LOSS_REFUSED};
}

static int take_count(void *ctx, const struct count_key *key, const struct count_value *value)
{
	struct drain *drain = ctx;
	struct raw_count count = {
		.key = key,
		.value = value,
		.user = find_stack(drain, key->user_stack),
		.kernel = find_stack(drain, key->kernel_stack),
	};
	int ret;

	ret = epoch_add(drain->epoch, &count);
	if (!ret && epoch_is_large(drain->epoch))
		ret = drain->flush(drain->flush_ctx);
	return ret;
}

int drain_run(struct drain *drain, struct counter *counter, struct epoch *epoch,
	      drain_flush_fn flush, void *flush_ctx, struct err *err)
{
	struct counter_sink sink = {.stack = take_stack, .count = take_count, .ctx = drain};

	vec_clear(&drain->stacks);
	vec_clear(&drain->frames);
	index_clear(&drain->by_id);
	drain->epoch = epoch;
	drain->flush = flush;
	drain->flush_ctx = flush_ctx;
	drain->err = err;
	return counter_drain(counter, &sink, err);
}
