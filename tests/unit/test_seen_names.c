// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/seen_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/random.h"
#include "tests/unit/suite.h"
#include "tests/unit/world.h"

#define NR_SYMBOLS 2000
#define NR_FRAMES  20

static struct seen_names seen;
static struct model model;
static struct random rnd;
static struct world told, later; /* the epoch that has told the names, and one that needs them */

static void begin(void)
{
	rnd = (struct random){1};
	ck_assert_int_eq(seen_names_init(&seen), 0);
	ck_assert_int_eq(model_init(&model), 0);
	world_init(&told);
	world_init(&later);
}

static void end(void)
{
	seen_names_deinit(&seen);
	model_deinit(&model);
	world_deinit(&told);
	world_deinit(&later);
}

static uint32_t add_object(struct world *w, uint8_t kind, uint8_t id)
{
	struct prof_object object = {
		.kind = kind, .path = world_string(w, "/lib"), .build_id_size = 1};

	object.build_id[0] = id;
	return WORLD_PUSH(w, objects, object);
}

static void add_symbol(uint32_t object, uint64_t offset, uint64_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "at_%" PRIx64 "_of_%" PRIx64, offset, size);
	WORLD_PUSH(&told, symbols, {object, world_string(&told, name), offset, size});
}

static void add_line(uint32_t object, uint64_t offset)
{
	uint32_t frame =
		WORLD_PUSH(&told, source_frames,
			   {world_string(&told, "f"), world_string(&told, "f.c"), 7, false});

	WORLD_PUSH(&told, lines, {object, offset, frame, 1});
}

static void add_frame(uint32_t object, uint64_t offset)
{
	WORLD_PUSH(&later, frames, {object, offset});
}

static void give(void)
{
	ck_assert_int_eq(seen_names_add(&seen, world_epoch(&told)), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&later)), 0);
	ck_assert_int_eq(seen_names_give_near(&seen, &model), 0);
	ck_assert_int_eq(model_finish(&model), 0);
}

static bool covers(const struct prof_symbol *symbol, uint64_t offset)
{
	return offset - symbol->offset < symbol->size;
}

/* Returns how many of @symbols cover @offset. */
static uint32_t count_covering(const struct prof_symbol *symbols, size_t nr, uint64_t offset)
{
	uint32_t found = 0;

	for (size_t i = 0; i < nr; i++)
		found += covers(&symbols[i], offset);
	return found;
}

#define NR_AT(v, offset) count_covering((v)->symbols.data, (v)->symbols.nr, offset)

START_TEST(all_that_covers_a_frame_is_given)
{
	uint32_t object = add_object(&told, PROF_OBJECT_FILE, 1);
	uint64_t offsets[NR_FRAMES];
	uint32_t nr_covering = 0;

	for (uint32_t i = 0; i < NR_SYMBOLS; i++)
		add_symbol(object, random_below(&rnd, 1 << 20),
			   random_below(&rnd, 1 << random_below(&rnd, 18)));
	add_symbol(object, UINT64_MAX - 100, 100);
	object = add_object(&later, PROF_OBJECT_FILE, 1);
	for (uint32_t i = 0; i < NR_FRAMES; i++) {
		offsets[i] = i ? random_below(&rnd, 1 << 20) : UINT64_MAX - 1;
		add_frame(object, offsets[i]);
	}
	give();
	for (uint32_t i = 0; i < NR_FRAMES; i++) {
		for (uint32_t before = 0; before < 2; before++)
			ck_assert_uint_eq(NR_AT(&model, offsets[i] - before),
					  NR_AT(&told, offsets[i] - before));
		nr_covering += NR_AT(&told, offsets[i]);
	}
	ck_assert_uint_gt(nr_covering, NR_FRAMES);
}
END_TEST

START_TEST(what_is_far_from_all_frames_is_not_given)
{
	uint32_t object = add_object(&told, PROF_OBJECT_FILE, 1);

	for (uint32_t i = 0; i < NR_SYMBOLS; i++)
		add_symbol(object, i * 0x100, 0x100);
	for (uint32_t i = 0; i < NR_SYMBOLS; i++)
		add_line(object, i * 0x100);
	add_frame(add_object(&later, PROF_OBJECT_FILE, 1), 0x8080);
	give();
	ck_assert_uint_eq(model.symbols.nr, 1);
	ck_assert_uint_eq(model.symbols.data[0].offset, 0x8000);
	ck_assert_uint_eq(model.lines.nr, 0);
}
END_TEST

/* A frame is looked up at its offset where it is a leaf, and one byte before where it calls. */
START_TEST(lines_are_given_at_both_places_of_a_frame)
{
	uint32_t object = add_object(&told, PROF_OBJECT_FILE, 1);
	uint32_t frame;

	for (uint64_t offset = 0x10; offset < 0x40; offset++)
		add_line(object, offset);
	object = add_object(&later, PROF_OBJECT_FILE, 1);
	add_frame(object, 0x21);
	frame = WORLD_PUSH(&later, frames, {object, 0x31});
	WORLD_PUSH(&later, exact_frames, frame);
	give();
	ck_assert_uint_eq(model.lines.nr, 3);
	ck_assert(model_find_line(&model, model.frames.data[0].object, 0x20));
	ck_assert(model_find_line(&model, model.frames.data[0].object, 0x21));
	ck_assert(model_find_line(&model, model.frames.data[0].object, 0x31));
}
END_TEST

START_TEST(names_stay_with_their_object)
{
	add_symbol(add_object(&told, PROF_OBJECT_FILE, 1), 0, 0x1000);
	add_symbol(add_object(&told, PROF_OBJECT_JIT, 2), 0, 0x2000);
	add_symbol(add_object(&told, PROF_OBJECT_FILE, 3), 0, 0x3000);
	add_frame(add_object(&later, PROF_OBJECT_FILE, 3), 0x10);
	add_frame(add_object(&later, PROF_OBJECT_JIT, 2), 0x10);
	add_frame(add_object(&later, PROF_OBJECT_FILE, 4), 0x10);
	add_frame(add_object(&later, PROF_OBJECT_FILE, 1), 0x10);
	give();
	ck_assert_uint_eq(model.symbols.nr, 2);
	ck_assert_uint_eq(model.symbols.data[0].size, 0x3000);
	ck_assert_uint_eq(model.symbols.data[0].object, model.frames.data[0].object);
	ck_assert_uint_eq(model.symbols.data[1].size, 0x1000);
	ck_assert_uint_eq(model.symbols.data[1].object, model.frames.data[3].object);
}
END_TEST

/* A stream tells names between the intervals that need them. */
START_TEST(names_that_come_later_are_given_to_the_next_model)
{
	add_symbol(add_object(&told, PROF_OBJECT_FILE, 1), 0, 0x10);
	add_frame(add_object(&later, PROF_OBJECT_FILE, 1), 0x18);
	give();
	ck_assert_uint_eq(model.symbols.nr, 0);
	model_deinit(&model);
	ck_assert_int_eq(model_init(&model), 0);
	add_symbol(1, 0x10, 0x10);
	give();
	ck_assert_uint_eq(model.symbols.nr, 1);
}
END_TEST

SUITE_MAIN_WITH("seen_names", begin, end, all_that_covers_a_frame_is_given,
		what_is_far_from_all_frames_is_not_given, lines_are_given_at_both_places_of_a_frame,
		names_stay_with_their_object, names_that_come_later_are_given_to_the_next_model)
