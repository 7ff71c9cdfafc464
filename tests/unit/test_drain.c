// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sampler hands out, and early samples, go into an epoch. The sampler is played. */
#include "record/epoch/drain.h"

#include "tests/unit/epoch_helper.h"
#include "tests/unit/heap.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define FRAMES_MAX 8

static struct drain *drain;
static struct early_samples early;
static struct err err;

struct played_stack {
	uint64_t id;
	enum stack_end end;
	size_t nr;
	uint64_t frames[FRAMES_MAX];
};

struct played_count {
	struct count_key key;
	struct count_value value;
	size_t nr_changes;
	struct slice_change changes[2];
};

/* What the next sampler_drain and sampler_visit_waiting hand out. */
static struct {
	struct played_stack stacks[16];
	struct played_count counts[16];
	struct waiting_thread waiting[16];
	size_t nr_stacks, nr_counts, nr_waiting;
	int failure;              /* of both; 0: none */
	struct count_key counted; /* the latest by sampler_count_waiting */
	size_t nr_counted;
} played;

int __wrap_sampler_drain(struct sampler *sampler, const struct sampler_sink *sink, struct err *e);
int __wrap_sampler_visit_waiting(struct sampler *sampler,
				 int (*visit)(void *ctx, const struct waiting_thread *thread),
				 void *ctx, struct err *e);
void __wrap_sampler_count_waiting(struct sampler *sampler, const struct count_key *key);

int __wrap_sampler_drain(struct sampler *sampler, const struct sampler_sink *sink, struct err *e)
{
	uint64_t room[sizeof(struct stack_entry) / sizeof(uint64_t) + FRAMES_MAX];
	struct stack_entry *entry = (struct stack_entry *)room;
	int ret = played.failure;

	(void)sampler, (void)e;
	for (size_t i = 0; i < played.nr_stacks && !ret; i++) {
		const struct played_stack *s = &played.stacks[i];

		entry->id = s->id;
		entry->nr_frames = s->nr;
		entry->end = s->end;
		memcpy(entry->frames, s->frames, s->nr * sizeof(s->frames[0]));
		ret = sink->stack(sink->ctx, entry);
	}
	for (size_t i = 0; i < played.nr_counts && !ret; i++) {
		const struct played_count *c = &played.counts[i];

		ret = sink->count(sink->ctx, &(struct sampled_count){.key = &c->key,
								     .value = &c->value,
								     .changes = c->changes,
								     .nr_changes = c->nr_changes});
	}
	return ret;
}

int __wrap_sampler_visit_waiting(struct sampler *sampler,
				 int (*visit)(void *ctx, const struct waiting_thread *thread),
				 void *ctx, struct err *e)
{
	int ret = played.failure;

	(void)sampler, (void)e;
	for (size_t i = 0; i < played.nr_waiting && !ret; i++)
		ret = visit(ctx, &played.waiting[i]);
	return ret;
}

void __wrap_sampler_count_waiting(struct sampler *sampler, const struct count_key *key)
{
	(void)sampler;
	played.counted = *key;
	played.nr_counted++;
}

static void play_stack(uint64_t id, enum stack_end end, const uint64_t *frames, size_t nr)
{
	struct played_stack *s = &played.stacks[played.nr_stacks++];

	*s = (struct played_stack){.id = id, .end = end, .nr = nr};
	memcpy(s->frames, frames, nr * sizeof(*frames));
}

static struct played_count *play_count(uint64_t user, uint64_t kernel, uint64_t count)
{
	struct played_count *c = &played.counts[played.nr_counts++];

	*c = (struct played_count){
		.key = {.user_stack = user, .kernel_stack = kernel, .tgid = PID_A, .comm = "set"},
		.value = {.count = count, .first_ns = 20, .last_ns = 20}};
	return c;
}

/* Takes what is played, and plays nothing from then on. */
static void take_set(bool keeps_waiting)
{
	ck_assert_int_eq(drain_take(drain, NULL, &err), 0);
	if (keeps_waiting)
		ck_assert_int_eq(drain_keep_waiting(drain, NULL, &err), 0);
	played.nr_stacks = played.nr_counts = 0;
}

/* The epoch of what was taken. */
static void fill(void)
{
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	finish_epoch();
}

static void begin(void)
{
	world_create();
	early = (struct early_samples){0};
	memset(&played, 0, sizeof(played));
	ck_assert_int_eq(drain_create(&drain), 0);
}

static void end(void)
{
	early_samples_deinit(&early);
	drain_destroy(drain);
	world_destroy();
}

/* A sample of one frame, whose stack has been walked. */
static void add_early(uint32_t pid, uint64_t addr, bool is_taken)
{
	struct early sample = {.key = {.tgid = pid, .comm = "early"},
			       .time_ns = 20,
			       .weight = 1,
			       .is_taken = is_taken,
			       .frames = malloc(sizeof(addr)),
			       .nr_frames = 1,
			       .end = STACK_END_ROOT};

	ck_assert_ptr_nonnull(sample.frames);
	sample.frames[0] = addr;
	ck_assert_int_eq(vec_push(&early.samples, sample), 0);
}

START_TEST(samples_of_the_set_that_was_taken)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	add_early(PID_A, 0x10010, true);
	add_early(PID_A, 0x10020, false);
	add_early(PID_A, 0x10010, true);
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, 2);
	expect_user(0, FRAMES(0x10010));
	/* The other one waits for the drain of its set. */
	ck_assert_uint_eq(early.samples.nr, 1);
	ck_assert_uint_eq(early.samples.data[0].frames[0], 0x10020);
	early.samples.data[0].is_taken = true;
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	ck_assert_uint_eq(early.samples.nr, 0);
	ck_assert_int_eq(drain_add_next(drain, NULL, w.epoch), 0);
	finish_epoch();
	ck_assert_uint_eq(nr_samples, 3);
}
END_TEST

/* Each time that the epoch is large, the caller gets to write it; no sample is lost or doubled. */
START_TEST(the_caller_writes_large_epochs)
{
	enum { NR = 10000 };
	uint64_t nr_written = 0;
	unsigned int nr_parts = 0;
	int ret;

	for (uint32_t i = 0; i < NR; i++)
		add_early(PID_A + i, 0x10000, true);
	while ((ret = drain_add_next(drain, &early, w.epoch)) == 1) {
		ck_assert(epoch_is_large(w.epoch));
		finish_epoch();
		nr_written += nr_samples;
		nr_parts++;
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
	}
	ck_assert_int_eq(ret, 0);
	ck_assert(!epoch_is_large(w.epoch));
	ck_assert_uint_gt(nr_parts, 1);
	finish_epoch();
	ck_assert_uint_eq(nr_written + nr_samples, NR);
	ck_assert_uint_eq(early.samples.nr, 0);
}
END_TEST

/* A stack that was walked for counts to come is no sample itself. */
START_TEST(stack_of_a_thread_that_waits)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	add_early(PID_A, 0x10010, true);
	early.samples.data[0].key.user_stack = STACK_FIRST_ID + 1;
	early.samples.data[0].weight = 0;
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	ck_assert_uint_eq(early.samples.nr, 0);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 0);
}
END_TEST

/* Of walks that wait for their samples, and of one whose set was not taken. */
START_TEST(counts_find_stacks_that_were_walked)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	for (uint64_t i = 0; i < 3; i++) {
		add_early(PID_A, 0x10010 + i, i != 1);
		early.samples.data[i].key.user_stack = STACK_FIRST_ID + i;
		early.samples.data[i].weight = 0;
		play_count(STACK_FIRST_ID + i, STACK_NONE, 1);
	}
	add_early(PID_A, 0x10020, true);
	take_set(false);
	fill();
	ck_assert_uint_eq(t.nr_counts, 4);
	expect_user(0, FRAMES(0x10010));
	ck_assert_int_eq(t.stacks[t.counts[1].user_stack].end, PROF_STACK_MISSED_ERROR);
	expect_user(2, FRAMES(0x10012));
	expect_user(3, FRAMES(0x10020));
}
END_TEST

/* Each count of a set may be the one for which /proc is read, here that of this process. */
START_TEST(mappings_are_looked_up_for_all_counts)
{
	const uint64_t here = (uintptr_t)&play_count;

	play_stack(100, STACK_END_ROOT, &here, 1);
	play_count(STACK_NONE, STACK_NONE, 1);
	play_count(100, STACK_NONE, 1)->key.tgid = getpid();
	take_set(false);
	fill();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_int_eq(t.objects[user_frame(1, 0)->object].kind, PROF_OBJECT_FILE);
}
END_TEST

START_TEST(memory_is_released)
{
	play_stack(100, STACK_END_FP, FRAMES(0x10010, 0x10020));
	play_count(100, STACK_NONE, 5)->nr_changes = 2;
	heap_for_each_round(i)
	{
		struct drain *d;

		ck_assert_int_eq(drain_create(&d), 0);
		ck_assert_int_eq(drain_take(d, NULL, &err), 0);
		drain_destroy(d);
	}
	ck_assert(!heap_has_grown());
	drain_destroy(NULL);
}
END_TEST

static uint64_t nr_told;

static void tell(void *ctx, uint32_t pid, uint64_t nr)
{
	ck_assert_ptr_eq(ctx, &nr_told);
	ck_assert_uint_eq(pid, PID_A);
	nr_told += nr;
}

/* Sums of weights that were all 0 are no counts. */
START_TEST(counts_get_their_stacks)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	play_stack(100, STACK_END_FP, FRAMES(0x10010, 0x10020));
	play_stack(200, STACK_END_ROOT, FRAMES(TEXT + 0x3010));
	play_count(100, 200, 5);
	play_count(100, STACK_NONE, 0);
	play_count(STACK_NONE, 300, 2);
	take_set(false);
	drain_tell_samples(drain, tell, &nr_told);
	ck_assert_uint_eq(nr_told, 7);
	fill();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_uint_eq(nr_samples, 7);
	ck_assert_str_eq(string_of(t.counts[0].comm), "set");
	expect_user(0, FRAMES(0x10010, 0x10020));
	expect_kernel(0, FRAMES(TEXT + 0x3010));
	ck_assert_int_eq(t.stacks[t.counts[0].kernel_stack].end, PROF_STACK_COMPLETE);
	ck_assert_int_eq(t.stacks[t.counts[1].kernel_stack].end, PROF_STACK_MISSED_ERROR);
	/* What is in an epoch is not in the next one. */
	fill();
	ck_assert_uint_eq(t.nr_counts, 0);
}
END_TEST

START_TEST(changes_of_slices_belong_to_their_counts)
{
	static const struct slice_change changes[] = {{.count = 1, .slice = 4},
						      {.count = 2, .slice = 6}};
	static const struct prof_slice want[] = {{.row = 0, .slice = 0, .count = 1},
						 {.row = 0, .slice = 4, .count = 2},
						 {.row = 1, .slice = 0, .count = 2},
						 {.row = 1, .slice = 6, .count = 3}};

	epoch_begin_slices(w.epoch, 20, 10);
	for (size_t drained = 0; drained < 2; drained++) {
		for (uint64_t i = 0; i < 2; i++) {
			struct played_count *c = play_count(STACK_NONE, STACK_NONE, 3 + 2 * i);

			c->key.tid = 1 + i;
			c->changes[0] = changes[i];
			c->nr_changes = 1;
		}
		take_set(false);
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
		ck_assert_int_eq(drain_add_next(drain, NULL, w.epoch), 0);
		ck_assert_int_eq(epoch_finish(w.epoch, 20, 100, &t), 0);
		ck_assert_uint_eq(t.nr_slices, ARRAY_SIZE(want));
		for (size_t i = 0; i < ARRAY_SIZE(want); i++)
			ck_assert_mem_eq(&t.slices[i], &want[i], sizeof(want[i]));
	}
}
END_TEST

/*
 * A count whose kernel stack is a wake, by @tgid with the user stack 500 and the kernel stack 600.
 */
static void play_wake(uint32_t tgid)
{
	const struct wake wake = {.kernel_stack = 400,
				  .waker = {.user_stack = 500, .kernel_stack = 600, .tgid = tgid}};

	play_stack(300, STACK_END_WAKE, (const uint64_t *)&wake, WAKE_WORDS);
	play_stack(400, STACK_END_SWITCH, FRAMES(TEXT + 0x6010, TEXT + 0x3010));
	play_stack(500, STACK_END_FP, FRAMES(0x20010));
	play_count(STACK_NONE, 300, 7);
}

START_TEST(a_wake_is_taken_apart)
{
	map_file(PID_B, 10, "/bin/waker", &id_lib, 0x20000, 0x1000, 0);
	play_wake(PID_B);
	play_stack(600, STACK_END_WAKER, FRAMES(TEXT + 0x6010, TEXT + 0x2010));
	take_set(false);
	fill();
	ck_assert_uint_eq(t.nr_counts, 1);
	/* Functions that call the recorder's own program are none of the stack. */
	expect_kernel(0, FRAMES(TEXT + 0x3010));
	expect_stack(0, t.counts[0].waker_kernel_stack, FRAMES(TEXT + 0x2010));
	ck_assert_uint_eq(t.stacks[t.counts[0].waker_user_stack].nr_frames, 1);
	ck_assert_uint_eq(t.processes[t.counts[0].process].pid, PID_A);
}
END_TEST

/* The user stack belongs to a task that the interrupt met by chance; an idle task has none. */
START_TEST(wakers_without_a_user_stack)
{
	map_file(PID_B, 10, "/bin/waker", &id_lib, 0x20000, 0x1000, 0);
	play_wake(PID_B);
	play_stack(600, STACK_END_WAKER, FRAMES(TEXT + 0x3010, TEXT + 0x5010, TEXT + 0x2010));
	take_set(false);
	fill();
	ck_assert_uint_eq(t.counts[0].waker_user_stack, 0);
	expect_stack(0, t.counts[0].waker_kernel_stack, FRAMES(TEXT + 0x3010, TEXT + 0x5010));
	play_wake(0);
	play_stack(600, STACK_END_WAKER, FRAMES(TEXT + 0x2010));
	take_set(false);
	fill();
	ck_assert_uint_eq(t.counts[0].waker_user_stack, 0);
	expect_stack(0, t.counts[0].waker_kernel_stack, FRAMES(TEXT + 0x2010));
}
END_TEST

/* Each of the stacks that a waiting thread has, and one that no thread has. */
static void play_waiting_thread(void)
{
	for (uint64_t i = 0; i < 6; i++)
		play_stack(100 + i, STACK_END_ROOT, FRAMES(0x10010 + i, 0x10020));
	played.waiting[0] = (struct waiting_thread){
		.key = {.user_stack = 101, .kernel_stack = 102, .labels = 103},
		.waker = {.user_stack = 104, .kernel_stack = 105}};
	played.nr_waiting = 1;
}

static void expect_kept(uint64_t id, bool is_kept)
{
	play_count(id, STACK_NONE, 1);
	take_set(true);
	fill();
	ck_assert_uint_eq(t.nr_counts, 1);
	if (is_kept)
		expect_user(0, FRAMES(0x10010 + id - 100, 0x10020));
	else
		ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, PROF_STACK_MISSED_ERROR);
}

START_TEST(stacks_of_threads_that_wait_stay)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	play_waiting_thread();
	for (int i = 0; i < 4; i++) {
		take_set(true);
		fill();
	}
	for (uint64_t id = 105; id >= 100; id--)
		expect_kept(id, id != 100);
	/* Once nobody waits, they go. */
	played.nr_waiting = 0;
	take_set(true);
	fill();
	expect_kept(102, true);
	expect_kept(102, false);
}
END_TEST

/* A thread that came back around the swap has a stack of the set before, and none older. */
START_TEST(a_stack_that_was_used_stays_for_one_more_set)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	play_waiting_thread();
	played.nr_waiting = 0;
	take_set(true);
	fill();
	expect_kept(103, true);
	expect_kept(103, true);
	play_stack(103, STACK_END_ROOT, FRAMES(0x10013, 0x10020)); /* it comes anew */
	expect_kept(103, true);
	expect_kept(103, true);
	expect_kept(103, true);
	expect_kept(103, false);
}
END_TEST

START_TEST(without_waiting_threads_stacks_go_with_their_set)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	play_waiting_thread();
	take_set(false);
	fill();
	play_count(101, STACK_NONE, 1);
	take_set(false);
	fill();
	ck_assert_int_eq(t.stacks[t.counts[0].user_stack].end, PROF_STACK_MISSED_ERROR);
}
END_TEST

START_TEST(threads_that_still_wait_at_the_end)
{
	static const struct {
		uint64_t since_ns, min_ns, max_ns, want_ns;
		uint32_t stands_for;
	} cases[] = {
		{1000, 0, 0, 4000, 0},    {1000, 0, 0, 4000, 1},       {1000, 0, 0, 12000, 3},
		{1000, 4000, 0, 4000, 0}, {1000, 4001, 0, 0, 0},       {1000, 0, 4000, 4000, 0},
		{1000, 0, 3999, 0, 0},    {4999, 0, 0, 1, 0},          {5000, 0, 0, 0, 0},
		{5001, 0, 0, 0, 0},       {1000, 4000, 4000, 8000, 2},
	};
	uint64_t waited_ns[2] = {0, 70};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct drain_end last = {
			.time_ns = 5000, .min_ns = cases[i].min_ns, .max_ns = cases[i].max_ns};

		waited_ns[1] = 70;
		played.nr_counted = 0;
		played.waiting[0] = (struct waiting_thread){
			.key = {.tgid = PID_A, .tid = 77, .event = 1, .comm = "waits"},
			.since_ns = cases[i].since_ns,
			.stands_for = cases[i].stands_for};
		played.nr_waiting = 1;
		ck_assert_int_eq(drain_count_waiting(drain, NULL, &last, waited_ns, &err), 0);
		ck_assert_uint_eq(waited_ns[1], 70 + cases[i].want_ns);
		ck_assert_uint_eq(played.nr_counted, cases[i].want_ns > 0);
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
		ck_assert_int_eq(drain_add_next(drain, NULL, w.epoch), 0);
		ck_assert_int_eq(epoch_finish(w.epoch, 0, 0, &t), 0);
		ck_assert_uint_eq(t.nr_counts, cases[i].want_ns > 0);
		if (t.nr_counts)
			ck_assert_uint_eq(t.counts[0].count, cases[i].want_ns);
	}
	ck_assert_uint_eq(waited_ns[0], 0);
	ck_assert_uint_eq(played.counted.tid, 77);
}
END_TEST

START_TEST(a_sampler_that_fails)
{
	uint64_t waited_ns[2] = {0};

	played.failure = -EIO;
	ck_assert_int_eq(drain_take(drain, NULL, &err), -EIO);
	ck_assert_int_eq(drain_keep_waiting(drain, NULL, &err), -EIO);
	ck_assert_int_eq(drain_count_waiting(drain, NULL, &(struct drain_end){0}, waited_ns, &err),
			 -EIO);
}
END_TEST

START_TEST(out_of_memory)
{
	play_waiting_thread();
	play_count(101, 102, 1)->nr_changes = 1;
	oom_for_each_call(n)
	{
		struct drain *d = NULL;
		int ret = drain_create(&d);

		if (!ret)
			ret = drain_take(d, NULL, &err);
		if (!ret)
			ret = drain_add_next(d, NULL, w.epoch);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		drain_destroy(d);
		oom_granted = SIZE_MAX;
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
	}
}
END_TEST

SUITE_MAIN_WITH("drain", begin, end, samples_of_the_set_that_was_taken,
		the_caller_writes_large_epochs, stack_of_a_thread_that_waits,
		counts_find_stacks_that_were_walked, mappings_are_looked_up_for_all_counts,
		memory_is_released, counts_get_their_stacks,
		changes_of_slices_belong_to_their_counts, a_wake_is_taken_apart,
		wakers_without_a_user_stack, stacks_of_threads_that_wait_stay,
		a_stack_that_was_used_stays_for_one_more_set,
		without_waiting_threads_stacks_go_with_their_set,
		threads_that_still_wait_at_the_end, a_sampler_that_fails, out_of_memory)
