// SPDX-License-Identifier: GPL-2.0-or-later
/* When frames of Java in an early sample are walked. What is known of its process is played. */
#include "record/unwind/early_java.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define PID   42
#define SPACE 7

static enum unwind_machine state;
static bool is_found, is_java;
static int want_result;
static uint32_t nr_frames, nr_wanted;

static struct space_maps spaces;
static struct machines machines;
static struct method_names methods;
static struct function_names functions;
static struct early_java java = {&spaces, &machines, &methods, &functions};
static const struct early_sample sample = {.key.tgid = PID, .space_id = SPACE};
static struct java_stretch stretch;
static struct machine machine;

enum unwind_machine __wrap_space_maps_machine(const struct space_maps *maps, uint32_t pid,
					      uint64_t space_id);
const struct machine *__wrap_machines_find(const struct machines *all, uint32_t pid, uint32_t kind);
int __wrap_java_stretch_walk(struct looker *looker, const struct machine *of,
			     const struct early_sample *from, struct unwind_frame *frame,
			     struct java_stretch *found);
int __wrap_method_names_want_unnamed(struct method_names *names, const struct function_names *all,
				     const struct early_sample *from,
				     const struct java_stretch_frame *frame);

enum unwind_machine __wrap_space_maps_machine(const struct space_maps *maps, uint32_t pid,
					      uint64_t space_id)
{
	ck_assert_ptr_eq(maps, &spaces);
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(space_id, SPACE);
	return state;
}

const struct machine *__wrap_machines_find(const struct machines *all, uint32_t pid, uint32_t kind)
{
	ck_assert_ptr_eq(all, &machines);
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(kind, MACHINE_JAVA);
	return is_found ? &machine : NULL;
}

int __wrap_java_stretch_walk(struct looker *looker, const struct machine *of,
			     const struct early_sample *from, struct unwind_frame *frame,
			     struct java_stretch *found)
{
	(void)looker, (void)frame;
	ck_assert_ptr_eq(of, &machine);
	ck_assert_ptr_eq(from, &sample);
	found->nr = nr_frames;
	return is_java;
}

int __wrap_method_names_want_unnamed(struct method_names *names, const struct function_names *all,
				     const struct early_sample *from,
				     const struct java_stretch_frame *frame)
{
	(void)names, (void)all, (void)from;
	ck_assert_ptr_eq(frame, &stretch.frames[nr_wanted]);
	nr_wanted++;
	return want_result;
}

static void begin(void)
{
	state = UNWIND_MACHINE_READY;
	is_found = is_java = true;
	nr_frames = 3;
}

static void end(void)
{
}

static int walk(void)
{
	nr_wanted = 0;
	return early_java_walk(&java, &sample, NULL, &stretch);
}

/* Their names are wanted, each once. */
START_TEST(frames_of_java)
{
	ck_assert_int_eq(walk(), 1);
	ck_assert_uint_eq(nr_wanted, 3);
	want_result = -ENOMEM;
	ck_assert_int_eq(walk(), -ENOMEM);
	ck_assert_uint_eq(nr_wanted, 1);
}
END_TEST

START_TEST(frames_of_others)
{
	is_java = false;
	ck_assert_int_eq(walk(), 0);
	is_java = true;
	is_found = false;
	ck_assert_int_eq(walk(), 0);
	is_found = true;
	state = UNWIND_MACHINE_EXPECTED;
	ck_assert_int_eq(walk(), 0);
	state = UNWIND_NO_MACHINE;
	ck_assert_int_eq(walk(), 0);
	ck_assert_uint_eq(nr_wanted, 0);
}
END_TEST

/* A sample waits for a machine that is expected, where no table tells of the code. */
START_TEST(code_of_an_expected_machine)
{
	static const struct {
		uint64_t pages;
		enum unwind_machine state;
		uint64_t want;
	} cases[] = {
		{UNWIND_WITHOUT_TABLE, UNWIND_MACHINE_EXPECTED, UNWIND_TABLE_ASKED_FOR},
		{UNWIND_WITHOUT_TABLE, UNWIND_MACHINE_READY, UNWIND_WITHOUT_TABLE},
		{UNWIND_WITHOUT_TABLE, UNWIND_NO_MACHINE, UNWIND_WITHOUT_TABLE},
		{UNWIND_TABLE_WANTED, UNWIND_MACHINE_EXPECTED, UNWIND_TABLE_WANTED},
		{UNWIND_PAGES(3, 1), UNWIND_MACHINE_EXPECTED, UNWIND_PAGES(3, 1)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct unwind_mapping mapping = {.pages = cases[i].pages};

		state = cases[i].state;
		early_java_expect(&java, &sample, &mapping);
		ck_assert_uint_eq(mapping.pages, cases[i].want);
	}
}
END_TEST

SUITE_MAIN_WITH("early_java", begin, end, frames_of_java, frames_of_others,
		code_of_an_expected_machine)
