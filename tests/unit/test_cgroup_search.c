// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/cgroup_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "01ffffffffffffff0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID_  "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"

/* Directories as engines and systemd make them, in a hierarchy of the test's own. */
static const char *const directories[] = {
	"tree",
	"tree/system.slice",
	"tree/system.slice/nginx.service",
	"tree/system.slice/nginx.service/nginx.service",
	"tree/system.slice/docker-" ID ".scope",
	"tree/system.slice/docker-" ID ".scope/init.scope",
	"tree/system.slice/docker-" OTHER ".scope",
	"tree/kubepods.slice",
	"tree/kubepods.slice/kubepods-pod" UID_ ".slice",
	"tree/user.slice",
	"tree/user.slice/init.scope",
	"tree/user.slice/worker@1.service",
};

static struct err err;
static char *path;

static void begin(void)
{
	enter_new_dir();
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		ck_assert_int_eq(mkdir(directories[i], 0755), 0);
	write_file("tree/cgroup.procs", "1\n");
}

static int search(enum cgroup_part part, const char *word, bool has_v1)
{
	const struct cgroup_wanted wanted = {word, part};

	return cgroup_search_below("tree", has_v1, &wanted, &path, &err);
}

static void expect_found(enum cgroup_part part, const char *word, const char *want)
{
	ck_assert_msg(!search(part, word, false), "%s", err.text);
	ck_assert_str_eq(path, want);
	free(path);
	path = NULL;
}

static void expect_refused(enum cgroup_part part, const char *word, bool has_v1, int code,
			   const char *text, const char *hint)
{
	ck_assert_int_eq(search(part, word, has_v1), code);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
}

START_TEST(what_there_is)
{
	expect_found(NR_CGROUP_PARTS, "kubepods.slice", "tree/kubepods.slice");
	/* What is below a directory that is meant belongs to it. */
	expect_found(NR_CGROUP_PARTS, "nginx.service", "tree/system.slice/nginx.service");
	expect_found(CGROUP_UNIT, "nginx", "tree/system.slice/nginx.service");
	expect_found(CGROUP_UNIT, "worker@1.service", "tree/user.slice/worker@1.service");
	expect_found(CGROUP_CONTAINER, "0123", "tree/system.slice/docker-" ID ".scope");
	expect_found(CGROUP_POD, "0f1e2d3c-4b5a", "tree/kubepods.slice/kubepods-pod" UID_ ".slice");
}
END_TEST

START_TEST(several)
{
	expect_refused(NR_CGROUP_PARTS, "init.scope", false, -EINVAL,
		       "'init.scope' may be any of 2 cgroups: /system.slice/docker-" ID
		       ".scope/init.scope, /user.slice/init.scope",
		       "--cgroup takes one of these paths");
	ck_assert_int_eq(search(CGROUP_CONTAINER, "01", false), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "'01' may be any of 2 containers: "));
	for (char name[] = "tree/a"; name[5] < 'g'; name[5]++) {
		char below[] = "tree/?/many";

		below[5] = name[5];
		ck_assert_int_eq(mkdir(name, 0755), 0);
		ck_assert_int_eq(mkdir(below, 0755), 0);
	}
	ck_assert_int_eq(search(NR_CGROUP_PARTS, "many", false), -EINVAL);
	ck_assert_str_eq(err.text,
			 "'many' may be any of 6 cgroups: /a/many, /b/many, /c/many, /d/many ...");
}
END_TEST

START_TEST(none)
{
	static const char v1[] =
		"this host has cgroup v1, too, and what is there alone cannot be chosen; -p and --mntns choose its processes";

	expect_refused(NR_CGROUP_PARTS, "ngnix.service", true, -ENOENT,
		       "failed to find cgroup 'ngnix.service'; did you mean 'nginx.service'?",
		       "'systemd-cgls' or 'ls /sys/fs/cgroup' lists them");
	expect_refused(NR_CGROUP_PARTS, "orker", false, -ENOENT,
		       "failed to find cgroup 'orker'; did you mean 'worker@1.service'?",
		       "'systemd-cgls' or 'ls /sys/fs/cgroup' lists them");
	expect_refused(CGROUP_UNIT, "ngnix", false, -ENOENT,
		       "failed to find unit 'ngnix'; did you mean 'nginx.service'?",
		       "'systemctl list-units' lists them");
	expect_refused(CGROUP_CONTAINER, "9", false, -ENOENT,
		       "failed to find container '9' in the cgroup v2 tree tree",
		       "'docker ps', 'podman ps' or 'crictl ps' lists them");
	expect_refused(CGROUP_POD, "9", true, -ENOENT,
		       "failed to find pod '9' in the cgroup v2 tree tree", v1);
	expect_refused(NR_CGROUP_PARTS, "", false, -ENOENT,
		       "failed to find cgroup '' in the cgroup v2 tree tree",
		       "'systemd-cgls' or 'ls /sys/fs/cgroup' lists them");
}
END_TEST

START_TEST(memory_is_released)
{
	heap_for_each_round(i)
	{
		expect_found(CGROUP_UNIT, "nginx", "tree/system.slice/nginx.service");
		ck_assert_int_eq(search(NR_CGROUP_PARTS, "x", false), -ENOENT);
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("cgroup_search", begin, NULL, what_there_is, several, none, memory_is_released)
