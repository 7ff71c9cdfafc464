// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The size of two recordings that pull the encoding in different directions: many distinct stacks
 * of few addresses, and many addresses that occur once. The bounds are about 5 percent
 * above the sizes that zstd 1.5.4 leads to.
 */
#include "tests/unit/prof_helper.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define NR_STACKS    20000
#define NR_PROCESSES 400

static struct random rng;
static struct world w;

static void begin(void)
{
	rng.state = 1234567;
	world_init(&w);
}

static void end(void)
{
	world_deinit(&w);
}

/* Two processes. main calls one of eight functions, which calls one of eight, and so on. */
static void make_manystacks(void)
{
	uint32_t object = WORLD_PUSH(&w, objects,
				     {.kind = PROF_OBJECT_FILE,
				      .path = world_string(&w, "/tmp/manystacks"),
				      .build_id_size = 20});
	uint32_t comm = world_string(&w, "manystacks");
	uint32_t start = WORLD_PUSH(&w, frames, {object, 0x1000});
	uint32_t main_frame = WORLD_PUSH(&w, frames, {object, 0x1100});
	uint32_t calls = w.frames.nr, steps, leaf;

	for (int i = 0; i < 64; i++)
		WORLD_PUSH(&w, frames, {object, 0x1200 + 12 * i + 40 * (i / 8)});
	steps = w.frames.nr;
	for (int i = 0; i < 8; i++)
		WORLD_PUSH(&w, frames, {object, 0x2000 + 150 * i});
	leaf = w.frames.nr;
	for (int i = 0; i < 4; i++)
		WORLD_PUSH(&w, frames, {object, 0x3000 + 4 * i});
	for (uint32_t pid = 1000; pid < 1002; pid++) {
		uint64_t base = 0x555500000000 + (random_u64(&rng) >> 40 << 12);
		uint32_t mapping = WORLD_PUSH(&w, mappings, {object, base, 0x3000, 0x1000});

		WORLD_PUSH(&w, processes, {pid, pid, mapping, 1});
	}
	for (int i = 0; i < NR_STACKS; i++) {
		uint32_t frames[16], function = 0, n = 16;

		frames[--n] = start;
		frames[--n] = main_frame;
		while (n > 2) {
			uint32_t next = random_below(&rng, 8);

			frames[--n] = calls + function * 8 + next;
			function = next;
		}
		frames[1] = steps + function;
		frames[0] = leaf + random_below(&rng, 4);
		WORLD_COUNT(&w, 1 + random_below(&rng, 2), comm,
			    world_stack(&w, frames, 16, PROF_STACK_COMPLETE), 0,
			    1 + !random_below(&rng, 50));
	}
}

#define NR_KERNEL_FRAMES 2000
#define NR_WARM_FRAMES   300

static const char *const programs[] = {"cc1", "as", "collect2", "ld", "gcc"};
static const char *const libraries[] = {"libc.so.6", "libzstd.so.1", "libgmp.so.10"};

/* The first ids of the tables that make_processes fills. */
static struct {
	uint32_t kernel, programs, libraries, comms;
	uint32_t kernel_frames, warm_frames; /* frames that many stacks share */
} ids;

static uint32_t add_objects(uint8_t kind, const char *const *paths, size_t nr)
{
	uint32_t first = w.objects.nr;

	for (size_t i = 0; i < nr; i++)
		WORLD_PUSH(&w, objects,
			   {.kind = kind,
			    .build_id_size = 20,
			    .build_id = {kind, i},
			    .path = world_string(&w, paths[i])});
	return first;
}

static void add_names(void)
{
	ids.kernel = add_objects(PROF_OBJECT_KERNEL, (const char *const[]){"[kernel]"}, 1);
	ids.programs = add_objects(PROF_OBJECT_FILE, programs, ARRAY_SIZE(programs));
	ids.libraries = add_objects(PROF_OBJECT_FILE, libraries, ARRAY_SIZE(libraries));
	ids.comms = w.strings.nr;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		world_string(&w, programs[i]);
}

static void add_shared_frames(void)
{
	ids.kernel_frames = w.frames.nr;
	for (int i = 0; i < NR_KERNEL_FRAMES; i++) {
		uint64_t off = random_below(&rng, 0x1400000);
		char name[32];

		snprintf(name, sizeof(name), "kernel_function_%u",
			 (unsigned int)(random_u64(&rng) >> 44));
		WORLD_PUSH(&w, frames, {ids.kernel, off});
		WORLD_PUSH(&w, symbols, {ids.kernel, world_string(&w, name), off & ~63ull, 64});
	}
	ids.warm_frames = w.frames.nr;
	for (int i = 0; i < NR_WARM_FRAMES; i++)
		WORLD_PUSH(&w, frames, {ids.programs, random_below(&rng, 0x1800000)});
}

/* A leaf address of its own, below up to two addresses that many stacks share. */
static uint32_t add_user_stack(uint32_t program)
{
	uint32_t object = random_below(&rng, 5)
				  ? ids.programs + program
				  : ids.libraries + random_below(&rng, ARRAY_SIZE(libraries));
	uint32_t frames[3], nr = 0;

	frames[nr++] = WORLD_PUSH(&w, frames, {object, random_below(&rng, 0x1800000)});
	for (uint64_t n = random_below(&rng, 3); n > 0; n--)
		frames[nr++] = ids.warm_frames +
			       random_below(&rng, 1 + random_below(&rng, NR_WARM_FRAMES));
	return world_stack(&w, frames, nr, PROF_STACK_UNKNOWN);
}

/* From the root on, each address is followed by one of a few others. */
static uint32_t add_kernel_stack(void)
{
	uint32_t frames[24], nr = 10 + random_below(&rng, 11), at = random_below(&rng, 4);

	for (uint32_t i = nr; i-- > 0;) {
		uint32_t step = random_below(&rng, 1 + random_below(&rng, 6));

		frames[i] = ids.kernel_frames + at;
		at = (at * 7 + 13 + 31 * step) % NR_KERNEL_FRAMES;
	}
	return world_stack(&w, frames, nr, PROF_STACK_COMPLETE);
}

static void add_process(uint32_t nr)
{
	uint64_t base = 0x7f0000000000 + (random_u64(&rng) >> 36 << 12);
	uint32_t program = random_below(&rng, 8), process;

	program = program < ARRAY_SIZE(programs) ? program : 0;
	process = WORLD_PUSH(&w, processes, {10000 + 3 * nr, nr, w.mappings.nr, 4});
	WORLD_PUSH(&w, mappings, {ids.programs + program, 0x401000, 0x1800000, 0x1000});
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		WORLD_PUSH(&w, mappings,
			   {ids.libraries + i, base + i * 0x200000, 0x155000, 0x26000});
	for (int i = 0; i < NR_STACKS / NR_PROCESSES; i++) {
		uint32_t user = add_user_stack(program);
		uint32_t kernel = random_below(&rng, 3) ? 0 : add_kernel_stack();

		WORLD_COUNT(&w, process, ids.comms + program, user, kernel, 1);
	}
}

/* Processes of five programs; each sample has a leaf address of its own. */
static void make_processes(void)
{
	add_names();
	add_shared_frames();
	for (uint32_t i = 0; i < NR_PROCESSES; i++)
		add_process(i);
}

/* The recording of w has at most @bound bytes. */
static void check_size(size_t bound)
{
	struct memory m = {0};
	struct prof_writer *writer = begin_recording(&m);
	struct prof_reader *reader;

	write_epoch(writer, &w);
	end_recording(writer);
	reader = open_recording(&m);
	ck_assert_uint_eq(read_epoch(reader)->nr_counts, w.counts.nr);
	expect_end(reader);
	prof_reader_destroy(reader);
	ck_assert_uint_le(m.nr, bound);
	free(m.data);
}

START_TEST(manystacks)
{
	make_manystacks();
	check_size(95000);
}
END_TEST

START_TEST(processes)
{
	make_processes();
	check_size(207000);
}
END_TEST

SUITE_MAIN_WITH("prof_size", begin, end, manystacks, processes)
