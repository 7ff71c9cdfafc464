// SPDX-License-Identifier: GPL-2.0-or-later
/* What bounds an epoch: how much of each kind it holds, and how high its sums count. */
#include "tests/unit/epoch_helper.h"
#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

#define START UINT64_C(0x10000000)

static uint64_t deep[PROF_MAX_STACK_FRAMES];

/* Each adds sample @n, counted from 0, of one kind of things without end. */
static void add_thread_name(uint64_t n)
{
	char comm[16];

	snprintf(comm, sizeof(comm), "%" PRIu64, n);
	add_sample(&(struct sample){.pid = PID_A, .comm = comm, .count = 1});
}

static void add_stack(uint64_t n)
{
	add_user(PID_A, 20, FRAMES(START + n));
}

/* The same frames in another order. */
static void add_deep_stack(uint64_t n)
{
	for (uint64_t i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = START + (i + n) % ARRAY_SIZE(deep);
	add_user(PID_A, 20, deep, ARRAY_SIZE(deep));
}

static void add_frames(uint64_t n)
{
	for (uint64_t i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = START + n * ARRAY_SIZE(deep) + i;
	add_user(PID_A, 20, deep, ARRAY_SIZE(deep));
}

static void add_process(uint64_t n)
{
	add_user(PID_A + n, 20, FRAMES(START));
}

static void add_path(uint64_t n)
{
	char path[4096];

	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	path[snprintf(path + 1, 8, "%06" PRIu64, n) + 1] = 'p';
	path[sizeof(path) - 1] = '\0';
	map_file(PID_A, 10, path, NULL, START + n * PAGE, PAGE, 0);
	add_user(PID_A, 20, FRAMES(START + n * PAGE));
}

/* Two files with each stack. */
static void add_objects(uint64_t n)
{
	char path[24];

	for (uint64_t i = 2 * n; i < 2 * n + 2; i++) {
		snprintf(path, sizeof(path), "/%" PRIu64, i);
		map_file(PID_A, 10, path, NULL, START + i * PAGE, PAGE, 0);
	}
	add_user(PID_A, 20, FRAMES(START + 2 * n * PAGE, START + (2 * n + 1) * PAGE));
}

/* Mappings of one file, at its distance. */
static void add_mappings(uint64_t n)
{
	for (uint64_t i = 0; i < ARRAY_SIZE(deep); i++) {
		uint64_t off = 2 * PAGE * (n * ARRAY_SIZE(deep) + i);

		map_file(PID_A, 10, "/bin/app", &id_app, START + off, PAGE, off);
		deep[i] = START + off;
	}
	add_user(PID_A, 20, deep, ARRAY_SIZE(deep));
}

START_TEST(an_epoch_is_large_at_each_limit)
{
	static const struct {
		void (*add)(uint64_t n);
		uint64_t nr; /* with which the epoch is large */
	} cases[] = {
		{add_thread_name, 32 << 10},
		{add_stack, (32 << 10) - 1}, /* beside the empty stack */
		{add_deep_stack, (512 << 10) / PROF_MAX_STACK_FRAMES},
		{add_frames, (96 << 10) / PROF_MAX_STACK_FRAMES},
		{add_process, (4 << 10) - 1}, /* beside the kernel */
		{add_path, (2 << 20) / 4096},
		{add_objects, 16 << 10},
		{add_mappings, (64 << 10) / PROF_MAX_STACK_FRAMES},
	};

	for (uint64_t n = 0; n < cases[_i].nr; n++) {
		ck_assert(!epoch_is_large(w.epoch));
		cases[_i].add(n);
	}
	ck_assert(epoch_is_large(w.epoch));
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ck_assert(!epoch_is_large(w.epoch));
}
END_TEST

/* A count of @nr samples of event 1, each of which has the next slice. */
static void add_slices(uint64_t nr)
{
	const struct count_key key = {.tgid = PID_A, .event = 1, .comm = "c"};
	struct slice_change *changes = calloc(nr, sizeof(*changes));
	const struct raw_count count = {
		.key = &key, .value = {.count = nr}, .changes = changes, .nr_changes = nr};

	for (uint64_t i = 0; i < nr; i++)
		changes[i] = (struct slice_change){.count = i + 1, .slice = i + 1};
	ck_assert_int_eq(epoch_prepare(w.epoch, &count), 0);
	ck_assert_int_eq(epoch_add(w.epoch, &count), 0);
	free(changes);
}

START_TEST(an_epoch_of_many_slices_is_large)
{
	epoch_begin_slices(w.epoch, 0, 10);
	add_slices((128 << 10) - 1);
	ck_assert(!epoch_is_large(w.epoch));
	add_slices(1);
	ck_assert(epoch_is_large(w.epoch));
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ck_assert(!epoch_is_large(w.epoch));
}
END_TEST

static void add_many(uint64_t count)
{
	add_sample(&(struct sample){.pid = PID_A, .comm = "many", .count = count});
}

/* What a sum of 64 bits has no room for is left out, and how often that was is known. */
START_TEST(sums_that_overflow)
{
	add_many(UINT64_MAX - 3);
	add_many(2);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[0], 0);
	add_many(5);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[0], 1);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, UINT64_MAX);
	/* The sum is of the whole recording. */
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	add_many(1);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[0], 2);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[1], 0);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 0);
	epoch_begin_recording(w.epoch);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[0], 0);
	add_many(UINT64_MAX);
	ck_assert_uint_eq(epoch_overflows(w.epoch)[0], 0);
	finish_epoch();
	ck_assert_uint_eq(t.counts[0].count, UINT64_MAX);
}
END_TEST

/* Of an epoch with a count in turns, slices of time and stacks of both sides. */
START_TEST(memory_is_released)
{
	static const uint64_t user = START + 0x10, kernel = TEXT + 0x2010;

	heap_for_each_round(i)
	{
		world_destroy();
		world_create();
		epoch_begin_slices(w.epoch, 0, 100);
		map_file(PID_A, 10, "/bin/app", &id_app, START, PAGE, 0);
		map_file(PID_A, 400, "/lib/lib.so", &id_lib, START, PAGE, 0);
		add_sample(&(struct sample){.pid = PID_A,
					    .comm = "app",
					    .first_ns = 20,
					    .time_ns = 1000,
					    .count = 100,
					    .user = &user,
					    .nr_user = 1,
					    .kernel = &kernel,
					    .nr_kernel = 1});
		ck_assert_int_eq(epoch_finish(w.epoch, 0, 1000, &t), 0);
		ck_assert_uint_eq(t.nr_counts, 2);
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_LOOP_WITH("epoch_limits", world_create, world_destroy, an_epoch_is_large_at_each_limit,
		     8, an_epoch_of_many_slices_is_large, sums_that_overflow, memory_is_released)
