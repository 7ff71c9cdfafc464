// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/process_layouts.h"
#include "tests/unit/suite.h"

#define NR_PROCESSES 300
#define NR_LAYOUTS   9

static struct model model;
static struct process_layouts layouts;

static void begin(void)
{
	ck_assert_int_eq(model_init(&model), 0);
}

static void end(void)
{
	process_layouts_deinit(&layouts);
	model_deinit(&model);
}

static struct model_process *add_layout(uint32_t pid, uint64_t generation, uint32_t layout)
{
	uint32_t id;

	ck_assert_int_eq(model_add_process(&model, pid, generation, layout, &id), 0);
	return &model.processes.data[id];
}

/* As epochs bring them: one layout of each process, then the next. */
static void add_processes(void)
{
	for (uint32_t layout = 0; layout < NR_LAYOUTS; layout++)
		for (uint32_t i = 0; i < NR_PROCESSES; i++)
			add_layout(i / 2, i, layout);
	ck_assert_int_eq(process_layouts_init(&layouts, &model), 0);
}

/* Whoever goes through the layouts of all processes comes to each layout once. */
START_TEST(each_layout_once)
{
	size_t sum = 0;

	add_processes();
	for (uint32_t first = 0; first < model.processes.nr; first++) {
		size_t nr;
		const uint32_t *ids;

		if (layouts.first[first] != first)
			continue;
		ids = process_layouts_of(&layouts, first, &nr);
		ck_assert_uint_eq(ids[0], first);
		for (size_t i = 0; i < nr; i++) {
			ck_assert_uint_eq(layouts.first[ids[i]], first);
			ck_assert_uint_eq(model.processes.data[ids[i]].layout, i);
		}
		sum += nr;
	}
	ck_assert_uint_eq(sum, model.processes.nr);
}
END_TEST

/* A later layout has the newest facts, and no layout takes back what another knows. */
START_TEST(facts)
{
	struct model_process process;
	uint32_t first;

	add_layout(7, 1, 0)->info.uid = 1;
	first = model.processes.nr - 1;
	add_layout(7, 2, 0)->info.uid = 5;
	add_layout(7, 1, 1)->info.uid = 2;
	add_layout(7, 1, 1)->attributes[PROF_ATTRIBUTE_SERVICE] = 3;
	add_layout(7, 1, 2)->info.ns_pid = 4;
	ck_assert_int_eq(process_layouts_init(&layouts, &model), 0);
	process_layouts_gather(&layouts, first, &process);
	ck_assert_uint_eq(process.info.uid, 2);
	ck_assert_uint_eq(process.info.ns_pid, 4);
	ck_assert_uint_eq(process.attributes[PROF_ATTRIBUTE_SERVICE], 3);
}
END_TEST

SUITE_MAIN_WITH("process_layouts", begin, end, each_layout_once, facts)
