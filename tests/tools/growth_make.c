// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes recordings that have many of one thing, for tests of growth: growth_make KIND NR > FILE.
 * Each row of counts is another. A third argument is the number of the first epoch: recordings of
 * other epochs have other functions and processes. The kinds are
 *
 *	processes   NR processes, each with names and a cgroup of its own
 *	layouts     NR processes, whose object is at another address in each of 64 epochs
 *	mappings    NR mappings of one object in one process
 *	objects     NR objects in one process
 *	functions   NR functions of one object
 *	stacks      NR stacks of 16 functions
 *	threads     NR threads, each with a name of its own
 *	labels      NR requests, each with a route of its own
 *	lines       NR source lines of one function, each in a file of its own
 *	epochs      NR / 100 epochs, each with 10 processes, objects, functions, threads of its own
 *	slices      NR slices of 10 ms, each with a sample
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "format/writer.h"
#include "tests/unit/world.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NR_LAYOUTS    64
#define SLICE_NS      UINT64_C(10000000)
#define CODE_BYTES    64
#define NR_FUNCTIONS  256

struct maker {
	struct prof_writer *writer;
	struct world w;
	uint64_t taken, end_ns;
	uint32_t nr;
	uint32_t epoch; /* of several */
};

static void check(int ret)
{
	if (ret) {
		fprintf(stderr, "growth_make: %s\n", strerror(-ret));
		exit(EXIT_FAILURE);
	}
}

static int write_stdout(void *ctx, const void *buf, size_t len)
{
	(void)ctx;
	return fwrite(buf, 1, len, stdout) == len ? 0 : -EIO;
}

static uint32_t numbered(struct maker *m, const char *prefix, uint32_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%" PRIu32, prefix, i);
	return world_string(&m->w, name);
}

static uint32_t add_object(struct maker *m, uint32_t i)
{
	struct prof_object object = {
		.kind = PROF_OBJECT_FILE,
		.path = numbered(m, "/nonexistent/lib", i),
		.build_id_size = 4,
	};

	memcpy(object.build_id, &i, sizeof(i));
	return WORLD_PUSH(&m->w, objects, object);
}

/* A process with names of its own. Its mappings are those that come next. */
static uint32_t add_process(struct maker *m, uint32_t i, uint32_t nr_mappings)
{
	uint32_t id = WORLD_PUSH(&m->w, processes,
				 {.pid = 1000 + i,
				  .generation = i + 1,
				  .first_mapping = m->w.mappings.nr,
				  .nr_mappings = nr_mappings});

	WORLD_PUSH(&m->w, process_infos,
		   {.process = id,
		    .uid = i % 16,
		    .name = numbered(m, "name", i),
		    .exe = numbered(m, "/usr/bin/exe", i),
		    .cgroup = numbered(m, "/system.slice/unit.service/", i)});
	return id;
}

/* Function @i of @object, and a frame in it. */
static uint32_t add_function(struct maker *m, uint32_t object, uint32_t i)
{
	uint32_t name = numbered(m, "function", i);

	WORLD_PUSH(&m->w, symbols, {object, name, (uint64_t)i * CODE_BYTES, CODE_BYTES});
	return WORLD_PUSH(&m->w, frames, {object, (uint64_t)i * CODE_BYTES + 8});
}

static uint32_t add_stack(struct maker *m, const uint32_t *frames, uint32_t nr)
{
	uint32_t first = m->w.stack_frames.nr;

	for (uint32_t i = 0; i < nr; i++)
		WORLD_PUSH(&m->w, stack_frames, frames[i]);
	return WORLD_PUSH(&m->w, stacks,
			  {.first_frame = first, .nr_frames = nr, .end = PROF_STACK_COMPLETE});
}

static struct prof_count *add_count(struct maker *m, uint32_t process, uint32_t comm,
				    uint32_t stack)
{
	uint32_t row = WORLD_COUNT(&m->w, process, comm, stack, 0, 1);

	m->taken++;
	return &m->w.counts.data[row];
}

/* A process with one object, which has one function. */
static void add_base(struct maker *m, uint32_t *process, uint32_t *object, uint32_t *stack)
{
	uint32_t frame;

	*object = add_object(m, 0);
	*process = add_process(m, 0, 1);
	WORLD_PUSH(&m->w, mappings, {*object, 0x400000, UINT64_C(1) << 32, 0});
	frame = add_function(m, *object, 0);
	*stack = add_stack(m, &frame, 1);
}

static void make_processes(struct maker *m)
{
	uint32_t object = add_object(m, 0), frame = add_function(m, object, 0);
	uint32_t stack = add_stack(m, &frame, 1), comm = world_string(&m->w, "comm");

	for (uint32_t i = 0; i < m->nr; i++) {
		add_count(m, add_process(m, i, 1), comm, stack);
		WORLD_PUSH(&m->w, mappings,
			   {object, 0x400000 + m->epoch * 0x1000, NR_FUNCTIONS * CODE_BYTES, 0});
	}
}

static void make_mappings(struct maker *m)
{
	uint32_t object = add_object(m, 0), comm = world_string(&m->w, "comm");
	uint32_t process = add_process(m, 0, m->nr);

	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t frame = add_function(m, object, i * NR_FUNCTIONS);

		WORLD_PUSH(&m->w, mappings,
			   {object, 0x400000 + 2ull * i * NR_FUNCTIONS * CODE_BYTES,
			    NR_FUNCTIONS * CODE_BYTES, (uint64_t)i * NR_FUNCTIONS * CODE_BYTES});
		add_count(m, process, comm, add_stack(m, &frame, 1));
	}
}

static void make_objects(struct maker *m)
{
	uint32_t process = add_process(m, 0, m->nr), comm = world_string(&m->w, "comm");

	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t object = add_object(m, i), frame = add_function(m, object, 0);

		WORLD_PUSH(&m->w, mappings,
			   {object, 0x400000 + i * 0x100000ull, NR_FUNCTIONS * CODE_BYTES, 0});
		add_count(m, process, comm, add_stack(m, &frame, 1));
	}
}

static void make_functions(struct maker *m)
{
	uint32_t process, object, stack, comm = world_string(&m->w, "comm");

	add_base(m, &process, &object, &stack);
	add_count(m, process, comm, stack);
	for (uint32_t i = 1; i < m->nr; i++) {
		uint32_t frame = add_function(m, object, i);

		add_count(m, process, comm, add_stack(m, &frame, 1));
	}
}

/* Stacks whose frames are the digits of their numbers. */
static void make_stacks(struct maker *m)
{
	uint32_t process, object, stack, comm = world_string(&m->w, "comm");
	uint32_t first, frames[16];

	add_base(m, &process, &object, &stack);
	add_count(m, process, comm, stack);
	first = m->w.frames.nr;
	for (uint32_t i = 1; i <= NR_FUNCTIONS; i++)
		add_function(m, object, i);
	for (uint32_t i = 1; i < m->nr; i++) {
		for (uint32_t f = 0; f < ARRAY_SIZE(frames); f++)
			frames[f] = first + f * 16 + (f < 8 ? i >> 4 * f & 15 : 0);
		add_count(m, process, comm, add_stack(m, frames, ARRAY_SIZE(frames)));
	}
}

static void make_threads(struct maker *m)
{
	uint32_t process, object, stack;

	add_base(m, &process, &object, &stack);
	for (uint32_t i = 0; i < m->nr; i++)
		add_count(m, process, numbered(m, "thread", i), stack)->tid = 1000 + i;
}

static void make_labels(struct maker *m)
{
	uint32_t process, object, stack, comm = world_string(&m->w, "comm");
	uint32_t key = world_string(&m->w, "http.route");

	add_base(m, &process, &object, &stack);
	WORLD_PUSH(&m->w, label_sets, {0, 0});
	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t label = WORLD_PUSH(&m->w, labels, {key, numbered(m, "/route/", i)});

		add_count(m, process, comm, stack)->label_set =
			WORLD_PUSH(&m->w, label_sets, {label, 1});
	}
}

static void make_lines(struct maker *m)
{
	uint32_t process, object, stack, comm = world_string(&m->w, "comm");
	uint32_t name = world_string(&m->w, "all");

	add_base(m, &process, &object, &stack);
	m->w.symbols.data[0].size = UINT64_C(1) << 32;
	for (uint32_t i = 0; i < m->nr; i++) {
		uint32_t frame = WORLD_PUSH(&m->w, frames, {object, 0x1000 + i * 4});
		uint32_t source = WORLD_PUSH(&m->w, source_frames,
					     {name, numbered(m, "/src/file", i), i + 1, false});

		WORLD_PUSH(&m->w, lines, {object, 0x1000 + i * 4, source, 1});
		add_count(m, process, comm, add_stack(m, &frame, 1));
	}
}

static void make_epoch(struct maker *m)
{
	uint32_t shared = add_object(m, 0);

	for (uint32_t i = 0; i < 10; i++) {
		uint32_t number = m->epoch * 10 + i, own = add_object(m, number + 1);
		uint32_t frames[] = {add_function(m, shared, number), add_function(m, own, 0)};

		add_count(m, add_process(m, number, 2), numbered(m, "thread", number),
			  add_stack(m, frames, 2));
		WORLD_PUSH(&m->w, mappings, {shared, 0x400000, UINT64_C(1) << 32, 0});
		WORLD_PUSH(&m->w, mappings, {own, UINT64_C(1) << 40, UINT64_C(1) << 32, 0});
	}
}

static void make_slices(struct maker *m)
{
	uint32_t process, object, stack, comm = world_string(&m->w, "comm");

	add_base(m, &process, &object, &stack);
	add_count(m, process, comm, stack)->count = m->nr;
	m->taken += m->nr - 1;
	m->end_ns = m->nr * SLICE_NS;
	m->w.epoch.slice_ns = SLICE_NS;
	for (uint32_t i = 0; i < m->nr; i++)
		WORLD_PUSH(&m->w, slices, {.row = 0, .slice = i, .count = 1});
}

static const struct kind {
	const char *name;
	void (*make)(struct maker *m);
	uint32_t nr_epochs; /* 0: one for each hundred */
} kinds[] = {
	{"processes", make_processes, 1}, {"layouts", make_processes, NR_LAYOUTS},
	{"mappings", make_mappings, 1},   {"objects", make_objects, 1},
	{"functions", make_functions, 1}, {"stacks", make_stacks, 1},
	{"threads", make_threads, 1},     {"labels", make_labels, 1},
	{"lines", make_lines, 1},         {"epochs", make_epoch, 0},
	{"slices", make_slices, 1},
};

static void make_recording(struct maker *m, const struct kind *kind)
{
	uint32_t nr_epochs = kind->nr_epochs ? kind->nr_epochs : m->nr / 100;
	uint64_t begin_ns = 0;

	for (uint32_t i = 0; i < nr_epochs; i++, m->epoch++) {
		world_init(&m->w);
		m->end_ns = begin_ns + NS_PER_SECOND;
		kind->make(m);
		m->w.epoch.begin_ns = begin_ns;
		m->w.epoch.end_ns = begin_ns = m->end_ns;
		check(prof_writer_epoch(m->writer, world_epoch(&m->w)));
		world_deinit(&m->w);
	}
}

int main(int argc, char **argv)
{
	struct prof_meta meta = {.event = "cpu-clock", .freq_hz = 49, .cpus = "0", .nr_cpus = 1};
	struct prof_end end = {0};
	struct maker m = {0};
	size_t i = 0;

	while (i < ARRAY_SIZE(kinds) && argc >= 3 && strcmp(argv[1], kinds[i].name) != 0)
		i++;
	if (argc < 3 || argc > 4 || i == ARRAY_SIZE(kinds)) {
		fprintf(stderr, "usage: growth_make KIND NR [FIRST] > FILE\n");
		return 2;
	}
	m.nr = strtoul(argv[2], NULL, 10);
	m.epoch = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	check(prof_writer_create(write_stdout, NULL, &m.writer));
	check(prof_writer_meta(m.writer, &meta));
	make_recording(&m, &kinds[i]);
	end.taken = end.counted = m.taken;
	end.duration_ns = m.end_ns;
	check(prof_writer_end(m.writer, &end));
	prof_writer_destroy(m.writer);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
