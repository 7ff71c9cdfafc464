// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "record/description.h"
#include "tests/unit/suite.h"

static struct record_options options;
static struct session session;
static struct description description;

static void begin(void)
{
	options = (struct record_options){
		.command_line = (char *)(uintptr_t) "profrec -F 99",
		.freq_hz = 99,
		.interval_ns = 2 * NS_PER_S,
		.uid = FILTERS_ANY_UID,
	};
	session = (struct session){
		.has_kernel = true,
		.options = &options,
		.filters.options.uid = FILTERS_ANY_UID,
		.events.event = {.name = "cpu-clock", .type = 1},
		.depth = {.most = 64},
	};
	for (uint32_t cpu = 0; cpu < 6; cpu++)
		ck_assert_int_eq(cpu == 4 ? 0 : vec_push(&session.cpus, cpu), 0);
}

static void end(void)
{
	description_deinit(&description);
	vec_free(&session.cpus);
	vec_free(&options.cpus);
}

static const struct prof_meta *describe(uint64_t planned_ns)
{
	ck_assert_int_eq(
		description_begin(&description, &session, clock_monotonic_ns(), planned_ns), 0);
	return &description.meta;
}

START_TEST(all_processes)
{
	const struct prof_meta *meta = describe(7 * NS_PER_S);

	ck_assert_str_eq(meta->command_line, "profrec -F 99");
	ck_assert_str_eq(meta->command, "");
	ck_assert_str_eq(meta->filters, "");
	ck_assert_str_eq(meta->event, "cpu-clock");
	ck_assert_str_eq(meta->cpus, "0-3,5");
	ck_assert_uint_eq(meta->nr_cpus, 5);
	ck_assert_uint_eq(meta->only_cpu, 0);
	ck_assert_uint_eq(meta->freq_hz, 99);
	ck_assert_uint_eq(meta->duration_ns, 7 * NS_PER_S);
	ck_assert_uint_eq(meta->interval_ns, 2 * NS_PER_S);
	ck_assert_uint_eq(meta->max_stack_depth, 64);
	ck_assert_uint_eq(meta->sides, PROF_SIDES_BOTH);
	ck_assert_uint_eq(meta->unwinding, PROF_UNWINDING_FP);
	ck_assert_uint_ge(meta->host.nr_cpus_online, 1);
	ck_assert_int_ne(meta->kernel_release[0], '\0');
}
END_TEST

/* The two clocks name one moment. */
START_TEST(two_clocks)
{
	struct timespec before, after;
	uint64_t start_ns, real_ns;

	clock_gettime(CLOCK_REALTIME, &before);
	start_ns = clock_monotonic_ns();
	clock_gettime(CLOCK_REALTIME, &after);
	ck_assert_int_eq(description_begin(&description, &session, start_ns, 0), 0);
	ck_assert_uint_eq(description.meta.start_monotonic_ns, start_ns);
	real_ns = description.meta.start_realtime_ns;
	/* Somebody may set the clock meanwhile, but not by a day. */
	ck_assert_uint_ge(real_ns / NS_PER_S + 86400, before.tv_sec);
	ck_assert_uint_le(real_ns / NS_PER_S, after.tv_sec + 86400);
}
END_TEST

START_TEST(a_command)
{
	char *command[] = {(char *)(uintptr_t) "make", (char *)(uintptr_t) "-j", NULL};

	options.command = command;
	ck_assert_str_eq(describe(0)->command, "make -j");
	ck_assert_uint_eq(description.meta.duration_ns, 0);
}
END_TEST

START_TEST(sides_and_a_cpu)
{
	session.has_kernel = false;
	ck_assert_uint_eq(describe(0)->sides, PROF_SIDES_USER);
	session.has_kernel = true;
	options.kernel_only = true;
	ck_assert_int_eq(vec_push(&options.cpus, 3), 0);
	ck_assert_uint_eq(describe(0)->sides, PROF_SIDES_KERNEL);
	ck_assert_uint_eq(description.meta.only_cpu, 4);
}
END_TEST

/* A command line may be longer than a string of the format. */
START_TEST(a_long_command_line)
{
	static char line[PROF_MAX_STRING_BYTES + 100];

	memset(line, 'x', sizeof(line) - 1);
	options.command_line = line;
	ck_assert_uint_eq(strlen(describe(0)->command_line), PROF_MAX_STRING_BYTES);
	ck_assert_uint_eq(strlen(line), sizeof(line) - 1);
}
END_TEST

SUITE_MAIN_WITH("description", begin, end, all_processes, two_clocks, a_command, sides_and_a_cpu,
		a_long_command_line)
