// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories that stand for tracefs. What may be read is played (--wrap), as root may read all. */
#include "record/sampling/bpf/tracefs.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

static struct err err;
static const char *denied; /* a path that nobody may look into; NULL: none */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
	if (!denied || strcmp(path, denied) != 0)
		return __real_access(path, mode);
	errno = EACCES;
	return -1;
}

static void make_dirs(const char *const *dirs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		ck_assert_int_eq(mkdir(dirs[i], 0700), 0);
}

#define MAKE_DIRS(...)                                                                             \
	make_dirs((const char *const[]){__VA_ARGS__},                                              \
		  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

START_TEST(the_first_that_can_be_read)
{
	static const char *const roots[] = {"a", "b", "c", NULL};
	const char *root = NULL;

	MAKE_DIRS("a", "b", "b/events", "c", "c/events");
	ck_assert_int_eq(tracefs_find(roots, &root, &err), 0);
	ck_assert_str_eq(root, "b");
	denied = "b/events";
	ck_assert_int_eq(tracefs_find(roots, &root, &err), 0);
	ck_assert_str_eq(root, "c");
}
END_TEST

START_TEST(none_that_can_be_read)
{
	static const char *const roots[] = {"a", "b", "c", NULL};
	const char *root = NULL;

	ck_assert_int_eq(tracefs_find(roots, &root, &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to find the tracepoints: tracefs is not mounted");
	ck_assert_str_eq(err.hint, "mount -t tracefs tracefs /sys/kernel/tracing");
	err = (struct err){0};
	denied = "b/events";
	ck_assert_int_eq(tracefs_find(roots, &root, &err), -EACCES);
	ck_assert_str_eq(err.text, "failed to find the tracepoints: Permission denied");
	ck_assert_str_eq(err.hint, "");
	ck_assert_ptr_null(root);
}
END_TEST

START_TEST(tracepoints_that_are_not_there)
{
	static const char *const roots[] = {"nowhere", "a", NULL};
	static const char no_event
		[] = "failed to find event '%s': there is no such tracepoint",
	neither[] = "failed to find '%s': there is no library and no category of tracepoints '%s'",
	list[] = "'profrec --list t:' lists the tracepoints",
	list_sched[] = "'profrec --list t:sched:' lists the tracepoints";
	static const struct {
		const char *event, *text, *category, *hint;
	} cases[] = {
		{"sched:sched_swich", no_event, "", "did you mean 'sched:sched_switch'?"},
		{"t:sched:sched_swich", no_event, "", "did you mean 'sched:sched_switch'?"},
		{"sched:sched_wakee", no_event, "", "did you mean 'sched:sched_wake'?"},
		{"sched:other", no_event, "", list_sched},
		{"irq:sched_swich", neither, "irq", list},
		{"t:irq:sched_swich", no_event, "", list},
		{"shed:sched_switch", neither, "shed", "did you mean the category 'sched'?"},
		{"t:shed:sched_switch", no_event, "", "did you mean the category 'sched'?"},
		{"sched", no_event, "", list_sched},
		{"libnosuch:f*", neither, "libnosuch", list},
	};

	MAKE_DIRS("a", "a/events", "a/events/sched", "a/events/sched/sched_switch",
		  "a/events/sched/sched_wake");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[128];

		err = (struct err){0};
		ck_assert_int_eq(tracefs_refuse(roots, cases[i].event, &err), -ENOENT);
		if (cases[i].text == neither)
			snprintf(text, sizeof(text), neither, cases[i].event, cases[i].category);
		else
			snprintf(text, sizeof(text), no_event, cases[i].event);
		ck_assert_str_eq(err.text, text);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
	heap_for_each_round(i) tracefs_refuse(roots, "sched:sched_swich", &err);
	ck_assert(!heap_has_grown());
}
END_TEST

/* Where no tracepoint can be looked up, a word without "t:" is no library either. */
START_TEST(nothing_that_can_be_looked_up)
{
	static const char *const roots[] = {"a", NULL};

	ck_assert_int_eq(tracefs_refuse(roots, "libnosuch:foo", &err), -ENOENT);
	ck_assert_str_eq(
		err.text,
		"failed to find 'libnosuch:foo': there is no library 'libnosuch', and the tracepoints cannot be read: tracefs is not mounted");
	ck_assert_str_eq(err.hint, "mount -t tracefs tracefs /sys/kernel/tracing");
	ck_assert_int_eq(tracefs_refuse(roots, "t:sched:x", &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to find the tracepoints: tracefs is not mounted");
	denied = "a/events";
	ck_assert_int_eq(tracefs_refuse(roots, "libnosuch:foo", &err), -EACCES);
	ck_assert_str_eq(
		err.text,
		"failed to find 'libnosuch:foo': there is no library 'libnosuch', and the tracepoints cannot be read: Permission denied");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

SUITE_MAIN_WITH("tracefs", begin_in_new_dir, NULL, the_first_that_can_be_read,
		none_that_can_be_read, tracepoints_that_are_not_there,
		nothing_that_can_be_looked_up)
