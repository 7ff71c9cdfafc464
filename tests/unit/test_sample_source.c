// SPDX-License-Identifier: GPL-2.0-or-later
/* A source is one of two, which the test plays (--wrap). */
#include "record/run/sample_source.h"

#include "record/sampling/perf/perf_source.h"
#include "record/sampling/ptrace/ptrace_source.h"
#include "tests/unit/played_steps.h"

static struct source *source;
static struct event_name perf_event = {.name = "cycles"};
static const int fds[] = {7, 8};
static bool has_kernel, has_changed;

/* The sources have these addresses, which nobody follows. */
static char perf, stops;

int __wrap_perf_source_create(const struct source_options *options, struct perf_source **new,
			      struct err *err);
int __wrap_ptrace_source_create(const struct source_options *options, struct ptrace_source **new,
				struct err *err);
void __wrap_perf_source_destroy(struct perf_source *s);
void __wrap_ptrace_source_destroy(struct ptrace_source *s);
const int *__wrap_perf_source_fds(const struct perf_source *s, size_t *nr);
const int *__wrap_ptrace_source_fds(const struct ptrace_source *s, size_t *nr);

int __wrap_perf_source_create(const struct source_options *options, struct perf_source **new,
			      struct err *err)
{
	int ret = step("create perf");

	(void)options, (void)err;
	if (!ret)
		*new = (struct perf_source *)&perf;
	return ret;
}

int __wrap_ptrace_source_create(const struct source_options *options, struct ptrace_source **new,
				struct err *err)
{
	int ret = step("create stops");

	(void)options, (void)err;
	if (!ret)
		*new = (struct ptrace_source *)&stops;
	return ret;
}

void __wrap_perf_source_destroy(struct perf_source *s)
{
	if (s)
		note_step("destroy perf");
}

void __wrap_ptrace_source_destroy(struct ptrace_source *s)
{
	if (s)
		note_step("destroy stops");
}

const int *__wrap_perf_source_fds(const struct perf_source *s, size_t *nr)
{
	(void)s;
	*nr = 2;
	return fds;
}

const int *__wrap_ptrace_source_fds(const struct ptrace_source *s, size_t *nr)
{
	(void)s;
	*nr = 1;
	return fds;
}

PLAY_STEP(perf_source_add, struct perf_source *, uint32_t, bool, bool, struct err *);
PLAY_STEP(ptrace_source_add, struct ptrace_source *, uint32_t, bool, bool, struct err *);
PLAY_STEP(perf_source_start, struct perf_source *, struct err *);
PLAY_STEP(ptrace_source_start, struct ptrace_source *, struct err *);
PLAY_STEP(perf_source_take, struct perf_source *);
PLAY_STEP(ptrace_source_take, struct ptrace_source *);
PLAY_CALL(perf_source_stop, struct perf_source *);
PLAY_CALL(ptrace_source_stop, struct ptrace_source *);
PLAY_VALUE(const struct event_name *, perf_source_event, &perf_event, const struct perf_source *);
PLAY_VALUE(bool, perf_source_has_kernel, has_kernel, const struct perf_source *);
PLAY_VALUE(uint64_t, perf_source_nr_lost, 5, const struct perf_source *);
PLAY_VALUE(bool, perf_source_has_changed, has_changed, struct perf_source *, uint32_t);
PLAY_VALUE(const char *, perf_source_lacks, "something", const struct perf_source *);
PLAY_VALUE(const char *, ptrace_source_lacks, "threads", const struct ptrace_source *);

static void begin(void)
{
	fail_at = NO_STEP;
}

static void end(void)
{
}

static int create(enum source_kind kind)
{
	const struct source_options options = {.kind = kind};
	struct err err = {0};

	return source_create(&options, &source, &err);
}

static void use(void)
{
	struct err err = {0};

	ck_assert_int_eq(source_add(source, 1, false, false, &err), 0);
	ck_assert_int_eq(source_start(source, &err), 0);
	ck_assert_int_eq(source_take(source), 0);
	source_stop(source);
	source_destroy(source);
}

START_TEST(perf_events)
{
	size_t nr;

	ck_assert_int_eq(create(SOURCE_PERF), 0);
	ck_assert_ptr_eq(source_fds(source, &nr), fds);
	ck_assert_uint_eq(nr, 2);
	ck_assert_ptr_eq(source_event(source), &perf_event);
	ck_assert_uint_eq(source_nr_lost(source), 5);
	ck_assert_str_eq(source_lacks(source), "something");
	for (int i = 0; i < 4; i++) {
		has_kernel = i & 1;
		has_changed = i & 2;
		ck_assert_int_eq(source_has_kernel(source), has_kernel);
		ck_assert_int_eq(source_has_changed(source, 1), has_changed);
	}
	use();
	expect_steps("create perf perf_source_add perf_source_start perf_source_take "
		     "perf_source_stop destroy perf");
}
END_TEST

/* Stops have CPU time for their event, and hear of all processes. */
START_TEST(stops_of_threads)
{
	size_t nr;

	has_kernel = has_changed = true;
	ck_assert_int_eq(create(SOURCE_PTRACE), 0);
	ck_assert_ptr_eq(source_fds(source, &nr), fds);
	ck_assert_uint_eq(nr, 1);
	ck_assert_str_eq(source_event(source)->name, "cpu-clock");
	ck_assert_uint_eq(source_nr_lost(source), 0);
	ck_assert_str_eq(source_lacks(source), "threads");
	ck_assert(!source_has_kernel(source));
	ck_assert(!source_has_changed(source, 1));
	use();
	expect_steps("create stops ptrace_source_add ptrace_source_start ptrace_source_take "
		     "ptrace_source_stop destroy stops");
}
END_TEST

START_TEST(sources_that_are_refused)
{
	for (int kind = SOURCE_PERF; kind <= SOURCE_PTRACE; kind++) {
		fail_at = nr_steps;
		ck_assert_int_eq(create(kind), failure);
		ck_assert_ptr_null(source);
	}
	expect_steps("create perf create stops");
	source_destroy(NULL);
}
END_TEST

SUITE_MAIN_WITH("sample_source", begin, end, perf_events, stops_of_threads,
		sources_that_are_refused)
