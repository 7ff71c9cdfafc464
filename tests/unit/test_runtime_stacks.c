// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/runtime_stacks.h"
#include "tests/unit/suite.h"
#include "tests/unit/world.h"

static const struct runtime_stacks *of_name(const struct runtimes_stacks *sums, const char *name)
{
	for (size_t i = 0; i < sums->nr; i++)
		if (!strcmp(sums->of[i].name, name))
			return &sums->of[i];
	return NULL;
}

static void expect(const struct runtimes_stacks *sums, const char *name, uint64_t all,
		   uint64_t incomplete)
{
	const struct runtime_stacks *of = of_name(sums, name);

	ck_assert_ptr_nonnull(of);
	ck_assert_uint_eq(of->all, all);
	ck_assert_uint_eq(of->incomplete, incomplete);
}

/* Stacks that were cut, or whose tables came late, say nothing of the runtime. */
START_TEST(stacks_by_their_ends)
{
	static const bool is_incomplete[PROF_NR_STACK_ENDS] = {
		[PROF_STACK_STRAYED] = true,
		[PROF_STACK_NO_TABLE] = true,
		[PROF_STACK_BAD_RULE] = true,
		[PROF_STACK_UNREADABLE] = true,
	};
	struct runtimes_stacks sums = {.nr = 0};

	for (int end = 0; end < PROF_NR_STACK_ENDS; end++) {
		sums = (struct runtimes_stacks){.nr = 0};
		runtimes_stacks_add(&sums, "SBCL", end, 7);
		expect(&sums, "SBCL", 7, is_incomplete[end] ? 7 : 0);
	}
	runtimes_stacks_add(&sums, "Guile", PROF_STACK_NO_TABLE, 1);
	runtimes_stacks_add(&sums, "Guile", PROF_STACK_COMPLETE, 2);
	expect(&sums, "Guile", 3, 1);
}
END_TEST

/* Names come from files of anybody, as many and as long as they like. */
START_TEST(too_many_and_too_long)
{
	struct runtimes_stacks sums = {.nr = 0};
	char name[200];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	runtimes_stacks_add(&sums, name, PROF_STACK_NO_TABLE, 1);
	runtimes_stacks_add(&sums, name, PROF_STACK_NO_TABLE, 1);
	ck_assert_uint_eq(sums.nr, 1);
	ck_assert_uint_eq(sums.of[0].all, 2);
	for (int i = 0; i < 2 * RUNTIME_STACKS_MAX; i++) {
		snprintf(name, sizeof(name), "runtime %d", i);
		runtimes_stacks_add(&sums, name, PROF_STACK_NO_TABLE, 1);
	}
	ck_assert_uint_eq(sums.nr, RUNTIME_STACKS_MAX);
}
END_TEST

START_TEST(helps)
{
	ck_assert_ptr_nonnull(strstr(runtime_help("Guile"), "GUILE_JIT_THRESHOLD=-1"));
	ck_assert_ptr_nonnull(strstr(runtime_help("V8 99.1.2"), "--perf-basic-prof"));
	ck_assert_ptr_null(runtime_help("V8 of Chromium"));
	ck_assert_ptr_null(runtime_help("SBCL"));
}
END_TEST

START_TEST(executables)
{
	ck_assert_str_eq(runtime_of_executable("/usr/bin/racket"), "Racket");
	ck_assert_str_eq(runtime_of_executable("postgres"), "PostgreSQL with LLVM");
	ck_assert_ptr_null(runtime_of_executable("/usr/bin/racket/x"));
	ck_assert_ptr_null(runtime_of_executable(""));
}
END_TEST

static uint32_t add_process(struct world *w, const char *exe, uint32_t object)
{
	uint32_t first = w->mappings.nr;
	uint32_t process = WORLD_PUSH(
		w, processes, {.pid = 1, .first_mapping = first, .nr_mappings = object ? 1 : 0});

	if (object)
		WORLD_PUSH(w, mappings, {.object = object});
	WORLD_PUSH(w, process_infos, {.process = process, .exe = world_string(w, exe)});
	return process;
}

START_TEST(processes_of_an_epoch)
{
	struct runtimes_stacks sums = {.nr = 0};
	const uint32_t frame = 0;
	uint32_t sbcl, python, full, cut;
	struct world w;

	world_init(&w);
	sbcl = WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE});
	WORLD_PUSH(&w, languages, {sbcl, PROF_LANGUAGE_UNSUPPORTED, 0, world_string(&w, "SBCL")});
	python = WORLD_PUSH(&w, objects, {.kind = PROF_OBJECT_FILE});
	WORLD_PUSH(&w, languages,
		   {python, PROF_LANGUAGE_INTERPRETER, 0, world_string(&w, "CPython")});
	full = world_stack(&w, &frame, 1, PROF_STACK_COMPLETE);
	cut = world_stack(&w, &frame, 1, PROF_STACK_NO_TABLE);
	WORLD_COUNT(&w, add_process(&w, "/usr/bin/racket", sbcl), 0, cut, 0, 5);
	WORLD_COUNT(&w, add_process(&w, "/usr/bin/racket", python), 0, cut, 0, 3);
	WORLD_COUNT(&w, add_process(&w, "/usr/bin/app", sbcl), 0, full, 0, 2);
	WORLD_COUNT(&w, add_process(&w, "/usr/bin/app", 0), 0, cut, 0, 9);
	/* A stack that was not taken. */
	WORLD_COUNT(&w, add_process(&w, "/usr/bin/app", sbcl), 0, 0, 0, 4);
	ck_assert_int_eq(runtimes_stacks_add_epoch(&sums, world_epoch(&w)), 0);
	ck_assert_uint_eq(sums.nr, 2);
	expect(&sums, "SBCL", 7, 5);
	expect(&sums, "Racket", 3, 3);
	world_deinit(&w);
}
END_TEST

SUITE_MAIN("runtime_stacks", stacks_by_their_ends, too_many_and_too_long, helps, executables,
	   processes_of_an_epoch)
