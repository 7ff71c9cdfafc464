// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "record/sampling/bpf/set_memory.h"
#include "tests/unit/suite.h"

/* Files in memory in place of the maps. They are mapped as the maps are. */
struct world {
	struct set_maps maps;
	struct set_state state;
	VEC(uint64_t) stacks; /* ids that came */
	VEC(uint64_t) counts; /* ids of user stacks that came */
	VEC(struct slice_change) changes;
	int fail_with;
};

static int create_file(size_t bytes)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, bytes), 0);
	return fd;
}

static void world_init(struct world *w, uint32_t storage, uint32_t max_depth)
{
	*w = (struct world){0};
	set_memory_choose(storage, storage, max_depth, &w->maps.sizes);
	w->maps.stack_slots =
		create_file(sizeof(uint64_t) * NR_SETS * w->maps.sizes.nr_stack_slots);
	w->maps.stack_lines =
		create_file(sizeof(struct stack_line) * NR_SETS * w->maps.sizes.max_lines);
	w->maps.count_slots =
		create_file(sizeof(struct count_slot) * NR_SETS * w->maps.sizes.nr_count_slots);
	w->maps.slice_changes =
		create_file(sizeof(struct slice_change) * NR_SETS * w->maps.sizes.max_changes);
}

static void world_deinit(struct world *w)
{
	close(w->maps.stack_slots);
	close(w->maps.stack_lines);
	close(w->maps.count_slots);
	close(w->maps.slice_changes);
	vec_free(&w->stacks);
	vec_free(&w->counts);
	vec_free(&w->changes);
}

/* Adds a stack to set 1, as the program does. Its frames are made from its id. */
static void add_stack(struct world *w, uint64_t id, uint32_t nr_frames)
{
	uint32_t nr = STACK_LINES(nr_frames), line = SET_LINES(w->state.stacks);
	uint64_t at = (w->maps.sizes.max_lines + line) * sizeof(struct stack_line);
	struct stack_entry *stack = calloc(nr, sizeof(struct stack_line));
	bool is_full = SET_STACKS(w->state.stacks) > w->maps.sizes.max_stacks ||
		       line > w->maps.sizes.max_lines;

	ck_assert_ptr_nonnull(stack);
	*stack = (struct stack_entry){.id = id, .nr_frames = nr_frames};
	for (uint32_t i = 0; i < nr_frames; i++)
		stack->frames[i] = id * 1000 + i;
	w->state.stacks += SET_ONE_STACK + nr;
	if (SET_STACKS(w->state.stacks) > w->maps.sizes.max_stacks ||
	    line + nr > w->maps.sizes.max_lines)
		w->state.lines_end = is_full ? w->state.lines_end : line;
	else
		ck_assert_int_eq(
			pwrite(w->maps.stack_lines, stack, nr * sizeof(struct stack_line), at),
			nr * sizeof(struct stack_line));
	free(stack);
}

static void add_count(struct world *w, uint32_t slot, uint64_t user_stack)
{
	struct count_slot count = {
		.id = 1, .key.user_stack = user_stack, .value.count = user_stack + 1};
	uint64_t at = (w->maps.sizes.nr_count_slots + slot) * sizeof(count);

	ck_assert_int_eq(pwrite(w->maps.count_slots, &count, sizeof(count), at), sizeof(count));
	w->state.nr_counts++;
}

/* The count at @slot was hit @count times before slice @slice. */
static void add_change(struct world *w, uint32_t slot, uint32_t slice, uint64_t count)
{
	struct slice_change change = {
		.slot = w->maps.sizes.nr_count_slots + slot, .slice = slice, .count = count};
	uint64_t at = (w->maps.sizes.max_changes + w->state.nr_changes++) * sizeof(change);

	if (w->state.nr_changes <= w->maps.sizes.max_changes)
		ck_assert_int_eq(pwrite(w->maps.slice_changes, &change, sizeof(change), at),
				 sizeof(change));
}

static int note_stack(void *ctx, const struct stack_entry *stack)
{
	struct world *w = ctx;

	for (uint32_t i = 0; i < stack->nr_frames; i++)
		ck_assert_uint_eq(stack->frames[i], stack->id * 1000 + i);
	return w->fail_with ? w->fail_with : vec_push(&w->stacks, stack->id);
}

static int note_count(void *ctx, const struct sampled_count *count)
{
	struct world *w = ctx;

	ck_assert_uint_eq(count->value->count, count->key->user_stack + 1);
	for (size_t i = 0; i < count->nr_changes; i++)
		ck_assert_uint_eq(count->changes[i].slot,
				  w->maps.sizes.nr_count_slots + count->key->user_stack);
	return vec_append(&w->changes, count->changes, count->nr_changes) ||
			       vec_push(&w->counts, count->key->user_stack)
		       ? -ENOMEM
		       : 0;
}

static int drain(struct world *w, struct err *err)
{
	const struct sampler_sink sink = {.stack = note_stack, .count = note_count, .ctx = w};

	return set_memory_drain(&w->maps, 1, &w->state, &sink, err);
}

/* Stacks of all sizes and counts come out as they went in, however many windows they take. */
START_TEST(all_comes_out)
{
	struct err err = {0};
	struct world w;
	uint32_t depth = 0;

	world_init(&w, 40000, 127);
	for (uint64_t id = 10; id < 10000; id++) {
		add_stack(&w, id, depth);
		depth = (depth + 11) % 60;
	}
	for (uint32_t slot = 0; slot < w.maps.sizes.nr_count_slots; slot += 3)
		add_count(&w, slot, slot);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.stacks.nr, 9990);
	for (size_t i = 0; i < w.stacks.nr; i++)
		ck_assert_uint_eq(w.stacks.data[i], 10 + i);
	ck_assert_uint_eq(w.counts.nr, (w.maps.sizes.nr_count_slots + 2) / 3);
	for (size_t i = 0; i < w.counts.nr; i++)
		ck_assert_uint_eq(w.counts.data[i], i * 3);
	world_deinit(&w);
}
END_TEST

/* Slots are free after a drain. */
/* Changes of slices come with their counts, in the order of time. */
START_TEST(changes_of_counts)
{
	static const struct slice_change wanted[] = {{1, 0, 3}, {2, 0, 3}, {5, 0, 4}, {9, 0, 2}};
	struct err err = {0};
	struct world w;

	world_init(&w, 100, 127);
	add_count(&w, 10, 10);
	add_count(&w, 7, 7);
	add_count(&w, 8, 8);
	add_change(&w, 10, 2, 9);
	add_change(&w, 7, 3, 2);
	add_change(&w, 7, 4, 5);
	add_change(&w, 7, 3, 1);
	/* A slot that has no count. */
	add_change(&w, 9, 3, 1);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.counts.nr, 3);
	ck_assert_uint_eq(w.changes.nr, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		ck_assert_uint_eq(w.changes.data[i].slice, wanted[i].slice);
		ck_assert_uint_eq(w.changes.data[i].count, wanted[i].count);
	}
	world_deinit(&w);
}
END_TEST

/* More changes than there is room for: those that found room count. */
START_TEST(too_many_changes)
{
	struct err err = {0};
	struct world w;

	world_init(&w, 2, 127);
	add_count(&w, 0, 0);
	for (uint32_t i = 0; i < w.maps.sizes.max_changes + 100; i++)
		add_change(&w, 0, i, 0);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.changes.nr, w.maps.sizes.max_changes);
	world_deinit(&w);
}
END_TEST

START_TEST(the_set_is_empty)
{
	struct err err = {0};
	struct world w;
	uint64_t id = 42;

	world_init(&w, 1000, 127);
	add_stack(&w, id, 3);
	ck_assert_int_eq(pwrite(w.maps.stack_slots, &id, sizeof(id),
				(w.maps.sizes.nr_stack_slots + 7) * sizeof(id)),
			 sizeof(id));
	add_count(&w, 5, 1);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_int_eq(pread(w.maps.stack_slots, &id, sizeof(id),
			       (w.maps.sizes.nr_stack_slots + 7) * sizeof(id)),
			 sizeof(id));
	ck_assert_uint_eq(id, 0);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.counts.nr, 1);
	world_deinit(&w);
}
END_TEST

/* Stacks without room are not in the lines, and nor is anything after them. */
START_TEST(a_full_set)
{
	struct err err = {0};
	struct world w;
	uint64_t nr;

	world_init(&w, 20, 127);
	nr = w.maps.sizes.max_lines / STACK_LINES(127);
	for (uint64_t id = 10; id < 10 + nr + 3; id++)
		add_stack(&w, id, 127);
	add_stack(&w, 99, 1);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.stacks.nr, nr);
	world_deinit(&w);

	world_init(&w, 20, 127);
	for (uint64_t id = 10; id < 30; id++)
		add_stack(&w, id, 1);
	ck_assert_int_eq(drain(&w, &err), 0);
	ck_assert_uint_eq(w.stacks.nr, w.maps.sizes.max_stacks);
	world_deinit(&w);
}
END_TEST

/* How many slots a step of each length meets before it comes to one again: all of them. */
START_TEST(steps_meet_all_slots)
{
	const uint32_t storages[] = {2, 9, 100, 2048};

	for (size_t i = 0; i < sizeof(storages) / sizeof(*storages); i++) {
		struct set_sizes sizes;
		uint32_t nr;

		set_memory_choose(storages[i], storages[i], 127, &sizes);
		nr = sizes.nr_stack_slots;
		for (uint32_t step = 1; step < nr; step++) {
			uint32_t met = 1;

			for (uint32_t at = step; at; at = (at + step) % nr)
				met++;
			ck_assert_uint_eq(met, nr);
		}
	}
}
END_TEST

START_TEST(there_is_room)
{
	struct set_sizes sizes;

	/* The least storage has room for one stack of any depth. */
	set_memory_choose(2, 2, 2048, &sizes);
	ck_assert_uint_eq(sizes.max_stacks, 1);
	ck_assert_uint_ge(sizes.max_lines, STACK_LINES(2048));
	/* Shallow stacks always have room. */
	set_memory_choose(2000, 2000, 16, &sizes);
	ck_assert_uint_ge(sizes.max_lines, 1000 * STACK_LINES(16));
	ck_assert_uint_gt(sizes.nr_count_slots, sizes.max_counts);
	/* The defaults take less than 10 MB. */
	set_memory_choose(16384, 40960, 127, &sizes);
	ck_assert_uint_lt(NR_SETS * (sizes.max_lines * sizeof(struct stack_line) +
				     sizes.nr_stack_slots * sizeof(uint64_t) +
				     sizes.nr_count_slots * sizeof(struct count_slot)),
			  10000000);
}
END_TEST

START_TEST(failures)
{
	struct err err = {0};
	struct world w;

	world_init(&w, 1000, 127);
	add_stack(&w, 42, 3);
	w.fail_with = -ENOMEM;
	ck_assert_int_eq(drain(&w, &err), -ENOMEM);
	w.fail_with = 0;
	close(w.maps.stack_lines);
	ck_assert_int_eq(drain(&w, &err), -EBADF);
	ck_assert_str_eq(err.text, "failed to map the memory of BPF maps: Bad file descriptor");
	w.maps.stack_lines = -1;
	world_deinit(&w);
}
END_TEST

SUITE_MAIN("set_memory", all_comes_out, changes_of_counts, too_many_changes, the_set_is_empty,
	   a_full_set, there_is_room, steps_meet_all_slots, failures)
