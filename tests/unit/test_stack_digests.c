// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/view/rows.h"
#include "tests/unit/suite.h"
#include "tests/unit/world.h"

#define NR_FRAMES 4

static struct model model;
static struct symbols symbols;
static struct resolved resolved[(NR_FRAMES + 1) * NR_FRAME_PLACES];
static uint64_t counts[16];
static uint32_t comms[16];
static size_t nr_rows;
static struct rows_summary summary;

static int see(void *ctx, const struct stack_row *row)
{
	(void)ctx;
	counts[nr_rows] = row->count;
	comms[nr_rows++] = row->comm;
	return 0;
}

/* Frame @frame of the world stands for @name at @off, a leaf or not. */
static void name_frame(uint32_t frame, const char *name, uint64_t off)
{
	struct resolved r = {.off = off};

	ck_assert_int_eq(string_set_add(&symbols.names, name, strlen(name), &r.name), 0);
	for (int place = 0; place < NR_FRAME_PLACES; place++)
		resolved[frame * NR_FRAME_PLACES + place] = r;
}

/*
 * Two processes have a library at different addresses. Frames 0 and 1 are two places of one
 * function of it, frame 2 is a place of another function, and frame 3 of a namesake in another
 * library. Two threads of one process call the function, with equal pids after an exec.
 */
static void begin(void)
{
	uint32_t frames[NR_FRAMES], lib, other, first, second, third, thread;
	struct world w;

	world_init(&w);
	lib = WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE, .path = world_string(&w, "/l/a")});
	other = WORLD_PUSH(&w, objects,
			   {.kind = PROF_OBJECT_FILE, .path = world_string(&w, "/l/b")});
	thread = world_string(&w, "thread");
	for (uint32_t i = 0; i < NR_FRAMES; i++)
		frames[i] = WORLD_PUSH(&w, frames, {i < 3 ? lib : other, i});
	WORLD_PUSH(&w, mappings, {lib, 0x1000, 0x1000, 0});
	first = WORLD_PUSH(&w, processes, {5, 1, 0, 1});
	WORLD_PUSH(&w, mappings, {lib, 0x2000, 0x1000, 0});
	second = WORLD_PUSH(&w, processes, {6, 2, 1, 1});
	third = WORLD_PUSH(&w, processes, {5, 3, 2, 0});
	WORLD_COUNT(&w, first, 0, world_stack(&w, frames, 1, 0), 0, 1);
	WORLD_COUNT(&w, first, thread, world_stack(&w, frames + 1, 1, PROF_STACK_CUT), 0, 2);
	WORLD_COUNT(&w, second, 0, world_stack(&w, frames, 1, 0), 0, 4);
	WORLD_COUNT(&w, third, 0, world_stack(&w, frames + 3, 1, 0), 0, 8);
	WORLD_COUNT(&w, first, 0, world_stack(&w, frames + 2, 1, 0), 0, 16);
	WORLD_COUNT(&w, first, 0, world_stack(&w, frames, 0, PROF_STACK_MISSED_ERROR), 0, 32);
	WORLD_COUNT(&w, second, 0, world_stack(&w, frames, 0, PROF_STACK_MISSED_FULL), 0, 64);
	WORLD_COUNT(&w, first, 0, 0, world_stack(&w, frames, 1, 0), 128);
	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	world_deinit(&w);
	ck_assert_uint_le(model.frames.nr, ARRAY_SIZE(resolved) / NR_FRAME_PLACES);
	ck_assert_int_eq(string_set_init(&symbols.names), 0);
	symbols.frames = resolved;
	for (uint32_t i = 0; i < model.frames.nr; i++)
		name_frame(i, model.frames.data[i].offset == 2 ? "free" : "malloc",
			   model.frames.data[i].offset);
	nr_rows = 0;
}

static void end(void)
{
	string_set_deinit(&symbols.names);
	model_deinit(&model);
}

/* The counts of the rows of @view are the @nr at @want. */
static void expect(struct view view, const uint64_t *want, size_t nr)
{
	ck_assert_int_eq(rows_visit_alike(&model, &symbols, &view, see, NULL, &summary), 0);
	ck_assert_uint_eq(nr_rows, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(counts[i], want[i]);
}

#define EXPECT(view, ...)                                                                          \
	expect(view, (const uint64_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__})))

START_TEST(bare_names)
{
	EXPECT(((struct view){0}), 1 + 2 + 4 + 8, 16, 32 + 64, 128);
	ck_assert_uint_eq(comms[0], 0);
	/* The graver end of stacks that were added up is told. */
	ck_assert_uint_eq(summary.cut_stacks, 1);
	ck_assert_uint_eq(summary.missed_stacks, 1);
	ck_assert(summary.is_storage_full);
}
END_TEST

START_TEST(more_of_names)
{
	EXPECT(((struct view){.offsets = true}), 2, 1 + 4, 8, 16, 32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.modules = true}), 1 + 2 + 4, 8, 16, 32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.addresses = true}), 1, 2, 4, 8, 16, 32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.addresses = true, .folded = true}), 1 + 2 + 4 + 8, 16, 32 + 64, 128);
}
END_TEST

/* No frame has a name. Frames 0 and 1 are in a function that starts at 0, frame 2 in another. */
START_TEST(unnamed)
{
	for (uint32_t i = 0; i < model.frames.nr * NR_FRAME_PLACES; i++) {
		resolved[i].name = 0;
		resolved[i].is_bounded = true;
		if (model.frames.data[i / NR_FRAME_PLACES].offset == 2)
			resolved[i].off = 0;
	}
	EXPECT(((struct view){0}), 1 + 2 + 4 + 8 + 16, 32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.unnamed = UNNAMED_FUNCTION}), 1 + 2 + 4, 8, 16, 32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.unnamed = UNNAMED_FUNCTION, .offsets = true}), 2, 1 + 4, 8, 16,
	       32 + 64, 128);
	nr_rows = 0;
	EXPECT(((struct view){.unnamed = UNNAMED_MODULE}), 8, 1 + 2 + 4 + 16, 32 + 64, 128);
}
END_TEST

START_TEST(processes)
{
	EXPECT(((struct view){.per_process = true}), 2, 4, 1 + 8, 16, 32, 64, 128);
	ck_assert_uint_ne(comms[0], 0);
	nr_rows = 0;
	EXPECT(((struct view){.per_process = true, .folded = true}), 2, 1 + 4 + 8, 16, 32 + 64,
	       128);
}
END_TEST

START_TEST(one_side)
{
	EXPECT(((struct view){.kernel_only = true}), 1 + 2 + 4 + 8 + 16 + 32 + 64, 128);
}
END_TEST

SUITE_MAIN_WITH("stack_digests", begin, end, bare_names, more_of_names, unnamed, processes,
		one_side)
