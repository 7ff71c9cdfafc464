// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/drain.h"

#include <errno.h>
#include <string.h>

#include "common/index.h"
#include "common/vec.h"

struct drained_stack {
	uint64_t id;
	size_t first_frame;
	uint32_t nr_frames;
	enum stack_end end;
	uint32_t used; /* the latest set that had the stack, or a thread that waits with it */
};

struct drained_count {
	struct count_key key;
	struct count_value value;
	size_t first_change;
	uint32_t nr_changes;
};

struct drain {
	VEC(struct drained_stack) stacks;
	VEC(uint64_t) frames;
	VEC(struct drained_count) counts;
	VEC(struct slice_change) changes;
	struct index by_id;
	size_t nr_added;   /* how many counts, and early samples after them, are in the epoch */
	uint32_t nr_taken; /* sets that were taken so far */
	bool keeps_stacks; /* for threads that wait */
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
	vec_free(&drain->counts);
	vec_free(&drain->changes);
	index_deinit(&drain->by_id);
	free(drain);
}

static struct drained_stack *find_drained(const struct drain *drain, uint64_t id)
{
	index_for_each(&drain->by_id, id, i)
		if (drain->stacks.data[i].id == id)
			return &drain->stacks.data[i];
	return NULL;
}

static int keep_stack(struct drain *drain, uint64_t id, const void *frames, uint32_t nr,
		      enum stack_end end)
{
	struct drained_stack stack = {.id = id,
				      .first_frame = drain->frames.nr,
				      .nr_frames = nr,
				      .end = end,
				      .used = drain->nr_taken};
	struct drained_stack *have = find_drained(drain, id);

	if (have) { /* the stack came with an earlier set */
		have->used = drain->nr_taken;
		return 0;
	}
	if (vec_append(&drain->frames, frames, nr))
		return -ENOMEM;
	return index_push(&drain->by_id, &drain->stacks, id, stack);
}

static int take_stack(void *ctx, const struct stack_entry *entry)
{
	struct drain *drain = ctx;

	return keep_stack(drain, entry->id, entry->frames, entry->nr_frames, entry->end);
}

static int take_count(void *ctx, const struct sampled_count *count)
{
	struct drain *drain = ctx;
	const struct drained_count drained = {
		.key = *count->key,
		.value = *count->value,
		.first_change = drain->changes.nr,
		.nr_changes = count->nr_changes,
	};

	if (!count->value->count)
		return 0; /* a sum of weights that were all 0 */
	if (vec_append(&drain->changes, count->changes, count->nr_changes))
		return -ENOMEM;
	return vec_push(&drain->counts, drained);
}

/*
 * The frames of stack @id. A stack that is not in the set of its count would be a defect; it counts
 * as missed.
 */
static struct raw_stack find_stack(const struct drain *drain, uint64_t id)
{
	const struct drained_stack *stack;

	if (id < STACK_FIRST_ID)
		return (struct raw_stack){.id = id};
	stack = find_drained(drain, id);
	if (!stack)
		return (struct raw_stack){.id = STACK_MISSED + LOSS_REFUSED};
	return (struct raw_stack){.id = id,
				  .frames = drain->frames.data + stack->first_frame,
				  .nr_frames = stack->nr_frames,
				  .end = stack->end};
}

/* If the kernel stack of @count is a wake, takes it apart. */
static void split_wake(const struct drain *drain, struct raw_count *count)
{
	struct wake wake;

	if (count->kernel.end != STACK_END_WAKE)
		return;
	memcpy(&wake, count->kernel.frames, sizeof(wake));
	count->kernel = find_stack(drain, wake.kernel_stack);
	count->waker = (struct raw_waker){
		.user = find_stack(drain, wake.waker.user_stack),
		.kernel = find_stack(drain, wake.waker.kernel_stack),
		.tgid = wake.waker.tgid,
	};
}

int drain_take(struct drain *drain, struct sampler *sampler, struct err *err)
{
	struct sampler_sink sink = {.stack = take_stack, .count = take_count, .ctx = drain};

	drain->nr_taken++;
	return sampler_drain(sampler, &sink, err);
}

static void use_stack(struct drain *drain, uint64_t id)
{
	struct drained_stack *stack = find_drained(drain, id);

	if (stack)
		stack->used = drain->nr_taken;
}

static int use_stacks(void *ctx, const struct waiting_thread *thread)
{
	use_stack(ctx, thread->key.user_stack);
	use_stack(ctx, thread->key.kernel_stack);
	use_stack(ctx, thread->key.labels);
	use_stack(ctx, thread->waker.user_stack);
	use_stack(ctx, thread->waker.kernel_stack);
	return 0;
}

int drain_keep_waiting(struct drain *drain, struct sampler *sampler, struct err *err)
{
	drain->keeps_stacks = true;
	return sampler_visit_waiting(sampler, use_stacks, drain, err);
}

/* The end of the recording, for the threads that still wait. */
struct last_moment {
	struct drain *drain;
	struct sampler *sampler;
	const struct drain_end *end;
	uint64_t *waited_ns;
};

static int count_waiting(void *ctx, const struct waiting_thread *thread)
{
	struct last_moment *last = ctx;
	uint64_t now_ns = last->end->time_ns, waited_ns = now_ns - thread->since_ns;
	struct drained_count count = {
		.key = thread->key,
		.value = {.count = waited_ns, .first_ns = now_ns, .last_ns = now_ns},
	};

	if (thread->since_ns >= now_ns || waited_ns < last->end->min_ns ||
	    (last->end->max_ns && waited_ns > last->end->max_ns))
		return 0;
	if (thread->stands_for > 1)
		count.value.count *= thread->stands_for;
	last->waited_ns[thread->key.event] += count.value.count;
	sampler_count_waiting(last->sampler, &thread->key);
	return vec_push(&last->drain->counts, count);
}

int drain_count_waiting(struct drain *drain, struct sampler *sampler, const struct drain_end *end,
			uint64_t *waited_ns, struct err *err)
{
	struct last_moment last = {drain, sampler, end, waited_ns};

	return sampler_visit_waiting(sampler, count_waiting, &last, err);
}

static size_t nr_counts(const struct drain *drain, const struct early_samples *early)
{
	return drain->counts.nr + (early ? early->samples.nr : 0);
}

/*
 * Makes a count of the early sample. Returns false when its set was not taken, and for a weight of
 * 0.
 */
static bool count_early(const struct drain *drain, const struct early *early,
			struct raw_count *count)
{
	*count = (struct raw_count){
		.key = &early->key,
		.value = {.count = early->weight,
			  .first_ns = early->time_ns,
			  .last_ns = early->time_ns},
		/* Nobody looks this id up, so any id of a stack will do. */
		.user = {.id = STACK_FIRST_ID,
			 .frames = early->frames,
			 .nr_frames = early->nr_frames,
			 .end = early->end},
		.kernel = find_stack(drain, early->key.kernel_stack),
		.labels = find_stack(drain, early->key.labels),
	};
	return early->is_taken && early->weight;
}

/*
 * Count @i of the taken counts, with early samples after all others. Returns false when there is
 * none.
 */
static bool get_count(const struct drain *drain, const struct early_samples *early, size_t i,
		      struct raw_count *count)
{
	const struct drained_count *drained;

	if (i >= drain->counts.nr)
		return count_early(drain, &early->samples.data[i - drain->counts.nr], count);
	drained = &drain->counts.data[i];
	*count = (struct raw_count){
		.key = &drained->key,
		.value = drained->value,
		.changes = drain->changes.data + drained->first_change,
		.nr_changes = drained->nr_changes,
		.user = find_stack(drain, drained->key.user_stack),
		.kernel = find_stack(drain, drained->key.kernel_stack),
		.labels = find_stack(drain, drained->key.labels),
	};
	split_wake(drain, count);
	return true;
}

/* Keeps the stacks that were walked for counts to come. */
static int keep_walked(struct drain *drain, const struct early_samples *early)
{
	int ret = 0;

	for (size_t i = 0; early && i < early->samples.nr && !ret; i++) {
		const struct early *e = &early->samples.data[i];

		if (e->is_taken && e->key.user_stack >= STACK_FIRST_ID)
			ret = keep_stack(drain, e->key.user_stack, e->frames, e->nr_frames, e->end);
	}
	return ret;
}

static int prepare_counts(struct drain *drain, const struct early_samples *early,
			  struct epoch *epoch)
{
	struct raw_count count;
	int ret = keep_walked(drain, early);

	epoch_begin_drain(epoch);
	for (size_t i = 0; !ret && i < nr_counts(drain, early); i++)
		if (get_count(drain, early, i, &count))
			ret = epoch_prepare(epoch, &count);
	return ret;
}

/*
 * Forgets the stacks that no count can have any more. A thread may leave the CPU before a swap,
 * come back after it, and be in neither list of threads that wait. So the stacks of the latest set
 * are kept for the next one, too.
 */
static void forget_stacks(struct drain *drain)
{
	size_t nr_frames = 0, nr = 0;

	index_clear(&drain->by_id);
	for (size_t i = 0; drain->keeps_stacks && i < drain->stacks.nr; i++) {
		struct drained_stack stack = drain->stacks.data[i];

		if (stack.used + 1 < drain->nr_taken)
			continue;
		memmove(drain->frames.data + nr_frames, drain->frames.data + stack.first_frame,
			stack.nr_frames * sizeof(*drain->frames.data));
		stack.first_frame = nr_frames;
		nr_frames += stack.nr_frames;
		drain->stacks.data[nr] = stack;
		/* It held more before, so this does not grow. */
		index_insert(&drain->by_id, stack.id, nr++);
	}
	drain->stacks.nr = nr;
	drain->frames.nr = nr_frames;
}

static void clear_drain(struct drain *drain)
{
	forget_stacks(drain);
	vec_clear(&drain->counts);
	vec_clear(&drain->changes);
	drain->nr_added = 0;
}

void drain_tell_samples(const struct drain *drain,
			void (*tell)(void *ctx, uint32_t pid, uint64_t nr), void *ctx)
{
	vec_for_each(&drain->counts, c)
		tell(ctx, c->key.tgid, c->value.count);
}

int drain_add_next(struct drain *drain, struct early_samples *early, struct epoch *epoch)
{
	int ret = drain->nr_added ? 0 : prepare_counts(drain, early, epoch);

	while (!ret && drain->nr_added < nr_counts(drain, early)) {
		struct raw_count count;

		if (get_count(drain, early, drain->nr_added++, &count))
			ret = epoch_add(epoch, &count);
		if (!ret && epoch_is_large(epoch))
			return 1;
	}
	if (ret)
		return ret;
	if (early)
		early_samples_forget(early);
	clear_drain(drain);
	return 0;
}
