// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/sampling/bpf/event_names.h"
#include "tests/unit/suite.h"

static void expect(const char *text, uint32_t type, uint64_t config, bool every)
{
	struct event_name event = {0};

	ck_assert_int_eq(event_name_parse(text, &event), 0);
	ck_assert_str_eq(event.name, text);
	ck_assert_uint_eq(event.type, type);
	ck_assert_uint_eq(event.config, config);
	ck_assert_int_eq(event.every, every);
}

START_TEST(known_names)
{
	expect("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false);
	expect("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false);
	expect("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true);
	expect("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, true);
	expect("major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, true);
	expect("context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true);
	expect("cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true);
	expect("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
	expect("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false);
	expect("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false);
	expect("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false);
	expect("cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false);
	expect("cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false);
	expect("bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false);
}
END_TEST

static void expect_modified(const char *text, uint64_t config, bool no_kernel, bool no_user)
{
	struct event_name event = {0};

	expect(text, config == 0x1c2 ? PERF_TYPE_RAW : PERF_TYPE_HARDWARE, config, false);
	ck_assert_int_eq(event_name_parse(text, &event), 0);
	ck_assert_int_eq(event.no_kernel, no_kernel);
	ck_assert_int_eq(event.no_user, no_user);
}

START_TEST(modifiers)
{
	static const char *const unsupported[] = {
		"cycles:p", "cycles:up", "cpu-clock:H", "r1:pp", "sched:sched_switch:u", "a:b:k",
	};
	struct event_name event = {.config = 4711};

	expect_modified("instructions", PERF_COUNT_HW_INSTRUCTIONS, false, false);
	expect_modified("instructions:u", PERF_COUNT_HW_INSTRUCTIONS, true, false);
	expect_modified("instructions:k", PERF_COUNT_HW_INSTRUCTIONS, false, true);
	expect_modified("instructions:uk", PERF_COUNT_HW_INSTRUCTIONS, false, false);
	expect_modified("instructions:ku", PERF_COUNT_HW_INSTRUCTIONS, false, false);
	expect_modified("r1c2:u", 0x1c2, true, false);
	expect("page-faults:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true);
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		ck_assert_msg(event_name_parse(unsupported[i], &event) == -EOPNOTSUPP, "%s",
			      unsupported[i]);
	ck_assert_uint_eq(event.config, 4711);
	/* 'a' is no modifier: this is the name of a tracepoint. */
	expect("r1:a", PERF_TYPE_TRACEPOINT, 0, true);
}
END_TEST

/* An error message lists events: each must be a known one. */
START_TEST(listed_names)
{
	char list[] = EVENT_NAMES, *save = NULL;
	struct event_name event;
	int nr = 0;

	for (char *s = strtok_r(list, ", ", &save); s; s = strtok_r(NULL, ", ", &save), nr++) {
		ck_assert_int_eq(event_name_parse(s, &event), 0);
		ck_assert_uint_ne(event.type, PERF_TYPE_TRACEPOINT);
	}
	ck_assert_int_eq(nr, 14);
}
END_TEST

START_TEST(raw_and_tracepoints)
{
	expect("r1", PERF_TYPE_RAW, 1, false);
	expect("r01c2", PERF_TYPE_RAW, 0x1c2, false);
	expect("rFFFFffffFFFFffff", PERF_TYPE_RAW, UINT64_MAX, false);
	expect("sched:sched_switch", PERF_TYPE_TRACEPOINT, 0, true);
	expect("r1:a-b_c", PERF_TYPE_TRACEPOINT, 0, true);
}
END_TEST

START_TEST(what_is_no_event)
{
	static const char *const bad[] = {
		"",      "cpu-clock ", "CPU-CLOCK", "cpu",  "r",      "r0x1",
		"rg",    ":",          "a:",        ":b",   "a:b:c",  "a/b:c",
		"..:id", "a:..",       "a:b/c",     "a: b", "cs:u\n", "r11112222333344445",
		"cs:",   "a:b:",       ":u",        "r1:",  "xyz",    "a:b:u:k",
	};
	struct event_name event;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(event_name_parse(bad[i], &event) == -EINVAL, "%s", bad[i]);
}
END_TEST

/* A tracefs in the current directory that gives sched:sched_switch this @id. */
static void make_tracefs(const char *id)
{
	ck_assert_int_eq(mkdir("events", 0700), 0);
	ck_assert_int_eq(mkdir("events/sched", 0700), 0);
	ck_assert_int_eq(mkdir("events/sched/sched_switch", 0700), 0);
	write_file("events/sched/sched_switch/id", id);
}

START_TEST(ids)
{
	struct event_name event;
	struct err err = {0};
	const char *dir = enter_new_dir();

	make_tracefs("316\n");
	/* At the first root is no tracefs. */
	ck_assert_int_eq(event_name_parse("sched:sched_switch", &event), 0);
	ck_assert_int_eq(
		event_name_find_id(&event, (const char *const[]){"/nowhere", dir, NULL}, &err), 0);
	ck_assert_uint_eq(event.config, 316);
	ck_assert_int_eq(event_name_parse("sched:nothing", &event), 0);
	ck_assert_int_eq(event_name_find_id(&event, (const char *const[]){dir, NULL}, &err),
			 -ENOENT);
	ck_assert_str_eq(err.text,
			 "failed to find event 'sched:nothing': there is no such tracepoint");
	ck_assert_str_eq(err.hint, "'profrec --list t:sched:' lists the tracepoints");
	ck_assert_int_eq(event_name_parse("sched:sched_swich", &event), 0);
	ck_assert_int_eq(event_name_find_id(&event, (const char *const[]){dir, NULL}, &err),
			 -ENOENT);
	ck_assert_str_eq(err.hint, "did you mean 'sched:sched_switch'?");
	ck_assert_int_eq(event_name_find_id(&event, (const char *const[]){"/nowhere", NULL}, &err),
			 -ENOENT);
	ck_assert_str_eq(
		err.text,
		"failed to find 'sched:sched_swich': there is no library 'sched', and the tracepoints cannot be read: tracefs is not mounted");
	ck_assert_str_eq(err.hint, "mount -t tracefs tracefs /sys/kernel/tracing");
	write_file("events/sched/sched_switch/id", "x\n");
	ck_assert_int_eq(event_name_parse("sched:sched_switch", &event), 0);
	ck_assert_int_eq(event_name_find_id(&event, (const char *const[]){dir, NULL}, &err), -EIO);
}
END_TEST

SUITE_MAIN("event_names", known_names, modifiers, listed_names, raw_and_tracepoints,
	   what_is_no_event, ids)
