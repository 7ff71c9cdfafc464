// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The size of two recordings that pull the encoding in different directions: many distinct stacks
 * of few addresses, and many addresses that are seen once. The bounds are a few in a hundred above
 * what is reached; times are printed, not judged.
 */
#include <time.h>

#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

#define NR_STACKS    20000
#define NR_PROCESSES 400

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* Two processes; main calls one of eight functions, which calls one of eight, twelve times. */
static void make_manystacks(struct world *w, uint64_t *rng)
{
	uint32_t object = WORLD_PUSH(w, objects,
				     {.kind = PROF_OBJECT_FILE,
				      .path = world_string(w, "/tmp/manystacks"),
				      .build_id_size = 20});
	uint32_t comm = world_string(w, "manystacks");
	uint32_t start = WORLD_PUSH(w, frames, {object, 0x1000});
	uint32_t main_frame = WORLD_PUSH(w, frames, {object, 0x1100});
	uint32_t calls = w->frames.nr, steps, leaf;

	for (int i = 0; i < 64; i++)
		WORLD_PUSH(w, frames, {object, 0x1200 + 12 * i + 40 * (i / 8)});
	steps = w->frames.nr;
	for (int i = 0; i < 8; i++)
		WORLD_PUSH(w, frames, {object, 0x2000 + 150 * i});
	leaf = w->frames.nr;
	for (int i = 0; i < 4; i++)
		WORLD_PUSH(w, frames, {object, 0x3000 + 4 * i});
	for (uint32_t pid = 1000; pid < 1002; pid++) {
		uint64_t base = 0x555500000000 + (rnd(rng) >> 40 << 12);
		uint32_t mapping = WORLD_PUSH(w, mappings, {object, base, 0x3000, 0x1000});

		WORLD_PUSH(w, processes, {pid, pid, mapping, 1});
	}
	for (int i = 0; i < NR_STACKS; i++) {
		uint32_t frames[16], function = 0, n = 16;

		frames[--n] = start;
		frames[--n] = main_frame;
		while (n > 2) {
			uint32_t next = rnd_below(rng, 8);

			frames[--n] = calls + function * 8 + next;
			function = next;
		}
		frames[1] = steps + function;
		frames[0] = leaf + rnd_below(rng, 4);
		WORLD_PUSH(w, counts,
			   {1 + rnd_below(rng, 2), comm,
			    world_stack(w, frames, 16, PROF_STACK_COMPLETE), 0,
			    1 + !rnd_below(rng, 50)});
	}
}

/* 400 processes of five programs; each sample has a leaf address of its own. */
static void make_processes(struct world *w, uint64_t *rng)
{
	static const char *const programs[] = {"cc1", "as", "collect2", "ld", "gcc"};
	static const char *const libraries[] = {"libc.so.6", "libzstd.so.1", "libgmp.so.10"};
	uint32_t kernel, user, programs_id, libraries_id, comms, kernel_frames, warm, no_stack = 0;

	kernel = WORLD_PUSH(w, objects,
			    {.kind = PROF_OBJECT_KERNEL,
			     .path = world_string(w, "[kernel]"),
			     .build_id_size = 20});
	programs_id = w->objects.nr;
	for (int i = 0; i < 5; i++)
		WORLD_PUSH(w, objects,
			   {.kind = PROF_OBJECT_FILE,
			    .build_id_size = 20,
			    .build_id = {i},
			    .path = world_string(w, programs[i])});
	libraries_id = w->objects.nr;
	for (int i = 0; i < 3; i++)
		WORLD_PUSH(w, objects,
			   {.kind = PROF_OBJECT_FILE,
			    .build_id_size = 20,
			    .build_id = {9, i},
			    .path = world_string(w, libraries[i])});
	comms = w->strings.nr;
	for (int i = 0; i < 5; i++)
		world_string(w, programs[i]);
	kernel_frames = w->frames.nr;
	for (int i = 0; i < 2000; i++)
		WORLD_PUSH(w, frames, {kernel, rnd_below(rng, 0x1400000)});
	for (int i = 0; i < 2000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "kernel_function_%u", (unsigned int)(rnd(rng) >> 44));
		WORLD_PUSH(w, symbols,
			   {kernel, world_string(w, name),
			    w->frames.data[kernel_frames + i].offset & ~63ull, 64});
	}
	warm = w->frames.nr;
	for (int i = 0; i < 300; i++)
		WORLD_PUSH(w, frames, {programs_id, rnd_below(rng, 0x1800000)});
	for (int p = 0; p < NR_PROCESSES; p++) {
		uint64_t base = 0x7f0000000000 + (rnd(rng) >> 36 << 12);
		uint32_t first = w->mappings.nr, program = rnd_below(rng, 8);

		program = program < 5 ? program : 0;
		WORLD_PUSH(w, mappings, {programs_id + program, 0x401000, 0x1800000, 0x1000});
		for (int i = 0; i < 3; i++)
			WORLD_PUSH(w, mappings,
				   {libraries_id + i, base + i * 0x200000, 0x155000, 0x26000});
		WORLD_PUSH(w, processes, {10000 + 3 * p, p, first, 4});
		for (int s = 0; s < NR_STACKS / NR_PROCESSES; s++) {
			uint32_t frames[24], nr = 0, at = rnd_below(rng, 4);
			uint32_t object = rnd_below(rng, 5) ? programs_id + program
							    : libraries_id + rnd_below(rng, 3);

			frames[nr++] = WORLD_PUSH(w, frames, {object, rnd_below(rng, 0x1800000)});
			for (uint64_t n = rnd_below(rng, 3); n > 0; n--)
				frames[nr++] = warm + rnd_below(rng, 1 + rnd_below(rng, 300));
			user = world_stack(w, frames, nr, PROF_STACK_UNKNOWN);
			nr = 10 + rnd_below(rng, 11);
			/* From the root: each address is followed by one of a few others. */
			for (uint32_t i = nr; i-- > 0;) {
				frames[i] = kernel_frames + at;
				at = (at * 7 + 13 + 31 * rnd_below(rng, 1 + rnd_below(rng, 6))) %
				     2000;
			}
			WORLD_PUSH(w, counts,
				   {w->processes.nr - 1, comms + program, user,
				    rnd_below(rng, 3)
					    ? no_stack
					    : world_stack(w, frames, nr, PROF_STACK_COMPLETE),
				    1});
		}
	}
}

static void check_size(struct world *w, const char *name, size_t bound)
{
	struct memory m = {0};
	struct prof_writer *writer = NULL;
	struct prof_reader *reader = NULL;
	const struct prof_epoch *epoch;
	double begin, written, read;

	begin = now_ms();
	ck_assert_int_eq(prof_writer_create(memory_write, &m, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), 0);
	ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(w)), 0);
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	prof_writer_destroy(writer);
	written = now_ms();
	ck_assert_int_eq(prof_reader_create(memory_read, &m, &reader), 0);
	ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_EPOCH);
	ck_assert_uint_eq(epoch->nr_counts, w->counts.nr);
	ck_assert_int_eq(prof_reader_next(reader, &epoch), PROF_READ_END);
	prof_reader_destroy(reader);
	read = now_ms();
	fprintf(stderr, "%s: %zu bytes, written in %.1f ms, read in %.1f ms\n", name, m.nr,
		written - begin, read - written);
	if (getenv("PROF_SIZE_DUMP")) {
		FILE *f = fopen(getenv("PROF_SIZE_DUMP"), "w");

		fwrite(m.data, 1, m.nr, f);
		fclose(f);
	}
	ck_assert_uint_le(m.nr, bound);
	free(m.data);
}

START_TEST(manystacks)
{
	uint64_t rng = 1234567;
	struct world w;

	world_init(&w);
	make_manystacks(&w, &rng);
	check_size(&w, "manystacks", 100000);
	world_deinit(&w);
}
END_TEST

START_TEST(processes)
{
	uint64_t rng = 7654321;
	struct world w;

	world_init(&w);
	make_processes(&w, &rng);
	check_size(&w, "processes", 250000);
	world_deinit(&w);
}
END_TEST

SUITE_MAIN("prof_size", manystacks, processes)
