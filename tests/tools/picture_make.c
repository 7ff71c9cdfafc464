// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a recording of many stacks, for tests of pictures: picture_make STACKS [DEPTH] > file.prof.
 * The stacks form a tree of some 13 nodes for each, DEPTH (36) frames deep, over 2,000 functions
 * that call up to 16 others each. The numbers are equal on every machine.
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/minmax.h"
#include "format/writer.h"
#include "tests/unit/random.h"
#include "tests/unit/world.h"

#define NR_FUNCTIONS     2000
#define NR_CALLEES       16
#define FUNCTION_BYTES   64
#define DEPTH            36
#define NEW_FRAMES       14
#define NR_THREADS       4
#define STACKS_PER_EPOCH 20000

static void check(int ret)
{
	if (ret)
		abort();
}

static int write_stdout(void *ctx, const void *buf, size_t len)
{
	(void)ctx;
	return fwrite(buf, 1, len, stdout) == len ? 0 : -EIO;
}

/* A file with all functions in it, mapped into one process. */
static void make_functions(struct world *w)
{
	struct prof_object object = {.kind = PROF_OBJECT_FILE, .build_id_size = 1};

	object.path = world_string(w, "/nonexistent/picture");
	WORLD_PUSH(w, objects, object);
	WORLD_PUSH(w, processes, {.pid = 1, .generation = 1, .nr_mappings = 1});
	WORLD_PUSH(w, mappings, {1, 0x400000, NR_FUNCTIONS * FUNCTION_BYTES, 0});
	for (uint32_t i = 0; i < NR_FUNCTIONS; i++) {
		char name[64];
		uint32_t id;

		snprintf(name, sizeof(name), "picture::part_%" PRIu32 "::function_%" PRIu32, i / 50,
			 i);
		id = world_string(w, name);
		WORLD_PUSH(w, symbols, {1, id, (uint64_t)i * FUNCTION_BYTES, FUNCTION_BYTES});
		WORLD_PUSH(w, frames, {1, (uint64_t)i * FUNCTION_BYTES + 8});
	}
}

/* The callees of a function are fixed; the first are called more often. */
static uint32_t choose_callee(struct random *r, uint32_t function)
{
	uint32_t callee = min_u64(random_below(r, NR_CALLEES), random_below(r, NR_CALLEES));

	return (function * 7919 + callee * 104729 + 1) % NR_FUNCTIONS;
}

/* A stack goes on from some depth of the stack before. @path is root first. */
static void add_stack(struct world *w, struct random *r, uint32_t *path, uint32_t depth,
		      uint32_t thread)
{
	static uint32_t frames[PROF_MAX_STACK_FRAMES];
	/* The first stack is new as a whole; no other is. */
	uint32_t kept = !w->counts.nr && !w->epoch.end_ns
				? 0
				: depth - 1 - random_below(r, min_u64(2 * NEW_FRAMES, depth - 1));
	uint32_t nr, stack;

	for (uint32_t i = kept; i < depth; i++)
		path[i] = i ? choose_callee(r, path[i - 1]) : 0;
	nr = depth - random_below(r, min_u64(3, depth));
	for (uint32_t i = 0; i < nr; i++)
		frames[i] = path[nr - 1 - i];
	stack = world_stack(w, frames, nr, PROF_STACK_COMPLETE);
	WORLD_COUNT(w, 1, thread, stack, 0, 1 + random_below(r, 30));
}

static void write_epoch(struct prof_writer *writer, struct world *w)
{
	w->epoch.begin_ns = w->epoch.end_ns;
	w->epoch.end_ns += NS_PER_S;
	check(prof_writer_epoch(writer, world_epoch(w)));
	vec_clear(&w->counts);
	vec_clear(&w->stack_frames);
	w->stacks.nr = 1;
}

int main(int argc, char **argv)
{
	static uint32_t path[PROF_MAX_STACK_FRAMES];
	const struct prof_meta meta = {.event = "cpu-clock", .freq_hz = 99, .hostname = "picture"};
	struct prof_end end = {0};
	struct prof_writer *writer = NULL;
	struct random random = {1};
	struct world w;
	uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	uint64_t depth = argc > 2 ? strtoull(argv[2], NULL, 0) : DEPTH;

	world_init(&w);
	for (int i = 0; i < NR_THREADS; i++)
		world_bytes(&w, &"abcd"[i], 1);
	make_functions(&w);
	check(prof_writer_create(write_stdout, NULL, &writer));
	check(prof_writer_meta(writer, &meta));
	for (uint64_t i = 1; i <= nr; i++) {
		add_stack(&w, &random, path, min_u64(depth, PROF_MAX_STACK_FRAMES),
			  1 + (i - 1) * NR_THREADS / nr);
		end.counted += w.counts.data[w.counts.nr - 1].count;
		if (i % STACKS_PER_EPOCH == 0 || i == nr)
			write_epoch(writer, &w);
	}
	end.taken = end.counted;
	end.duration_ns = w.epoch.end_ns;
	check(prof_writer_end(writer, &end));
	prof_writer_destroy(writer);
	world_deinit(&w);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
