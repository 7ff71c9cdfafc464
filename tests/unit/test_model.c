// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/model/model.h"
#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

static struct model model;

static void begin(void)
{
	ck_assert_int_eq(model_init(&model), 0);
}

static void end(void)
{
	model_deinit(&model);
}

/* One process, one file with a frame, one count. @shift unused elements come before them. */
struct sample {
	uint32_t shift;
	uint64_t start; /* of the mapping */
	uint64_t count;
	uint8_t end;
};

static void make_epoch(struct world *w, struct sample s)
{
	uint32_t path, comm, object, frame, stack, process;

	world_init(w);
	for (uint32_t i = 0; i < s.shift; i++) {
		char name[32];

		snprintf(name, sizeof(name), "unused%u", i);
		WORLD_PUSH(w, objects, {.kind = PROF_OBJECT_ANON, .path = world_string(w, name)});
	}
	path = world_string(w, "/bin/a");
	comm = world_string(w, "a");
	object = WORLD_PUSH(w, objects,
			    {.kind = PROF_OBJECT_FILE, .path = path, .build_id_size = 2});
	frame = WORLD_PUSH(w, frames, {object, 0x1234});
	stack = world_stack(w, &frame, 1, s.end);
	WORLD_PUSH(w, mappings, {object, s.start, 0x3000, 0x1000});
	process = WORLD_PUSH(w, processes, {7, 99, 0, 1});
	WORLD_COUNT(w, process, comm, stack, 0, s.count);
}

static void add_sample(struct sample s)
{
	struct world w;

	make_epoch(&w, s);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	world_deinit(&w);
}

START_TEST(empty)
{
	ck_assert_uint_eq(model.objects.nr, 1);
	ck_assert_uint_eq(model.processes.nr, 1);
	ck_assert_uint_eq(model.stacks.nr, 1);
	ck_assert_int_eq(model_finish(&model), 0);
}
END_TEST

START_TEST(equal_epochs_add_up)
{
	add_sample((struct sample){.start = 0x10000, .count = 2});
	add_sample((struct sample){.shift = 5, .start = 0x10000, .count = 3});
	ck_assert_uint_eq(model.rows.nr, 1);
	ck_assert_uint_eq(model.rows.data[0].count, 5);
	ck_assert_uint_eq(model.totals[0], 5);
	ck_assert_uint_eq(model.frames.nr, 1);
	ck_assert_uint_eq(model.stacks.nr, 2);
	ck_assert_uint_eq(model.processes.nr, 2);
	ck_assert_uint_eq(model.nr_epochs, 2);
}
END_TEST

START_TEST(ends_keep_stacks_apart)
{
	add_sample((struct sample){.start = 0x10000, .count = 1, .end = PROF_STACK_COMPLETE});
	add_sample((struct sample){.start = 0x10000, .count = 1, .end = PROF_STACK_CUT});
	ck_assert_uint_eq(model.rows.nr, 2);
}
END_TEST

START_TEST(moved_library)
{
	uint64_t addr;

	add_sample((struct sample){.start = 0x10000, .count = 1});
	add_sample((struct sample){.start = 0x50000, .count = 1});
	add_sample((struct sample){.start = 0x10000, .count = 1});
	ck_assert_uint_eq(model.rows.nr, 2);
	ck_assert_uint_eq(model.rows.data[0].count, 2);
	ck_assert(model_address(&model, model.rows.data[0].process, 0, &addr));
	ck_assert_uint_eq(addr, 0x10234);
	ck_assert(model_address(&model, model.rows.data[1].process, 0, &addr));
	ck_assert_uint_eq(addr, 0x50234);
	ck_assert_uint_eq(model.processes.data[2].pid, 7);
	ck_assert_uint_eq(model.processes.data[2].layout, 1);
}
END_TEST

static void add_kernel(uint64_t start, bool is_mapped)
{
	struct world w;
	uint32_t object, frame, stack;

	world_init(&w);
	object = WORLD_PUSH(&w, objects,
			    {.kind = PROF_OBJECT_MODULE, .path = world_string(&w, "[ext4]")});
	frame = WORLD_PUSH(&w, frames, {object, 0x10});
	stack = world_stack(&w, &frame, 1, 0);
	if (is_mapped) {
		WORLD_PUSH(&w, mappings, {object, start, 0x1000, 0});
		w.processes.data[0].nr_mappings = 1;
	}
	WORLD_COUNT(&w, 0, 0, 0, stack, 1);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	world_deinit(&w);
}

START_TEST(moved_module)
{
	uint64_t addr;

	add_kernel(0xffffffffc0000000, true);
	add_kernel(0xffffffffc0100000, true);
	add_kernel(0, false);
	ck_assert_uint_eq(model.rows.nr, 3);
	ck_assert(model_address(&model, 0, 0, &addr));
	ck_assert_uint_eq(addr, 0xffffffffc0000010);
	ck_assert(model_address(&model, 0, 1, &addr));
	ck_assert_uint_eq(addr, 0xffffffffc0100010);
	ck_assert(!model_address(&model, 0, 2, &addr));
}
END_TEST

/* The process of make_epoch, with what an epoch knows of it. */
static void add_info(uint32_t ns_pid, uint32_t uid, const char *name, const char *exe)
{
	struct world w;

	make_epoch(&w, (struct sample){.start = 0x10000, .count = 1});
	WORLD_PUSH(&w, process_infos,
		   {1, ns_pid, uid, world_string(&w, name), world_string(&w, exe), 0});
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	world_deinit(&w);
}

START_TEST(facts_about_a_process)
{
	const struct prof_process_info *info;

	add_info(12, PROF_UID_UNKNOWN, "old", "/bin/a");
	add_info(0, 33, "new", "");
	add_info(0, PROF_UID_UNKNOWN, "", "");
	ck_assert_uint_eq(model.processes.nr, 2);
	info = &model.processes.data[1].info;
	ck_assert_uint_eq(info->ns_pid, 12);
	ck_assert_uint_eq(info->uid, 33);
	ck_assert_str_eq(string_set_get(&model.strings, info->name), "new");
	ck_assert_str_eq(string_set_get(&model.strings, info->exe), "/bin/a");
}
END_TEST

START_TEST(overflow)
{
	struct world w;

	add_sample((struct sample){.start = 0x10000, .count = UINT64_MAX});
	make_epoch(&w, (struct sample){.start = 0x10000, .count = 1});
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), -EOVERFLOW);
	world_deinit(&w);
}
END_TEST

START_TEST(symbols_by_object)
{
	struct world w;

	world_init(&w);
	for (int i = 0; i < 3; i++)
		WORLD_PUSH(
			&w, objects,
			{.kind = PROF_OBJECT_BPF, .path = world_string(&w, i ? "[bpf]" : "[x]")});
	WORLD_PUSH(&w, symbols, {3, world_string(&w, "b"), 20, 5});
	WORLD_PUSH(&w, symbols, {1, world_string(&w, "c"), 30, 5});
	WORLD_PUSH(&w, symbols, {2, world_string(&w, "a"), 10, 5});
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	/* Objects 2 and 3 of the epoch are one object of the model. */
	ck_assert_uint_eq(model.objects.nr, 3);
	ck_assert_uint_eq(model.objects.data[1].nr_symbols, 1);
	ck_assert_uint_eq(model.objects.data[2].nr_symbols, 2);
	ck_assert_uint_eq(model.symbols.data[model.objects.data[2].first_symbol].offset, 10);
	world_deinit(&w);
}
END_TEST

/* Any valid epoch can be merged. Merged twice, it counts twice. */
START_TEST(random_epochs)
{
	struct random rng = {.state = 42 + _i};
	struct world w;
	uint64_t total = 0;

	world_random(&w, &rng, 1 + _i * 5);
	vec_for_each(&w.counts, count)
		total += count->count;
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_uint_eq(model.totals[0], total);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_uint_eq(model.totals[0], 2 * total);
	ck_assert_int_eq(model_finish(&model), 0);
	world_deinit(&w);
}
END_TEST

SUITE_MAIN_LOOP_WITH("model", begin, end, random_epochs, 50, empty, equal_epochs_add_up,
		     ends_keep_stacks_apart, moved_library, moved_module, facts_about_a_process,
		     overflow, symbols_by_object)
