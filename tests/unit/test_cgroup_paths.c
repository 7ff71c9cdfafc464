// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/cgroup_paths.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/readfile.h"
#include "record/looks/proc_info.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* No cgroup has this id. */
#define ID_NONE UINT64_C(0x7000000000000001)

/* As in cgroup_paths.c. */
#define KNOWN_MAX 65536

static char root[PATH_MAX], point[PATH_MAX];
static struct cgroup_paths paths;

static bool are_played;
static uint64_t nr_looks;

int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);
int __real_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);

/* Played cgroups are those of the path "/played". */
int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer)
{
	nr_looks++;
	if (!are_played)
		return __real_looker_ask(looker, question, answer);
	*answer = (struct look_answer){.bytes = "/played", .nr = sizeof("/played")};
	return 0;
}

static void begin(void)
{
	are_played = false;
	paths = (struct cgroup_paths){0};
}

static void end(void)
{
	cgroup_paths_deinit(&paths);
}

START_TEST(mounts)
{
	ck_assert(cgroup_mount_parse(
		"22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
		"31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
		root, point));
	ck_assert_str_eq(root, "/");
	ck_assert_str_eq(point, "/sys/fs/cgroup");
	ck_assert(
		cgroup_mount_parse("9 8 0:7 /a\\040b /m\\134n ro - cgroup2 none rw", root, point));
	ck_assert_str_eq(root, "/a b");
	ck_assert_str_eq(point, "/m\\n");
}
END_TEST

START_TEST(no_mounts)
{
	static const char *const texts[] = {
		"",
		"\n",
		"9 8 0:7 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
		"9 8 0:7 / /cgroup2 rw - tmpfs cgroup2 rw\n",
		"9 - cgroup2 cgroup2 rw\n",
		"9 8 0:7 - cgroup2 cgroup2 rw\n",
		"9 8 0:7 / /x rw\n- cgroup2 x\n",
		"9 8 0:7 / /x rw\n9 - cgroup2 x\n",
		"9 8 0:7 a /x rw - cgroup2 none rw\n",
		"9 8 0:7 / x rw - cgroup2 none rw\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(!cgroup_mount_parse(texts[i], root, point), "%s", texts[i]);
}
END_TEST

/* A field ends with a blank, its line or the text, and holds no longer path than there may be. */
START_TEST(fields_of_mounts)
{
	static char text[3 * PATH_MAX], large_root[2 * PATH_MAX], large_point[2 * PATH_MAX];
	static const char after_the_end[] = "9 - cgroup2 /a /b\0/c";
	const int nr_bytes[] = {PATH_MAX - 2, PATH_MAX - 1, PATH_MAX, PATH_MAX + 1};

	for (size_t i = 0; i < ARRAY_SIZE(nr_bytes); i++) {
		const size_t want = nr_bytes[i] < PATH_MAX ? nr_bytes[i] : PATH_MAX - 1;

		snprintf(text, sizeof(text), "9 8 0:7 / /%0*d rw - cgroup2 none rw",
			 nr_bytes[i] - 1, 0);
		ck_assert(cgroup_mount_parse(text, large_root, large_point));
		ck_assert_str_eq(large_root, "/");
		ck_assert_uint_eq(strlen(large_point), want);
	}
	ck_assert(
		cgroup_mount_parse("9 8 0:7 /a\\x /\\040\\011 rw - cgroup2 none rw", root, point));
	ck_assert_str_eq(root, "/a\\x");
	ck_assert_str_eq(point, "/ \t");
	ck_assert(cgroup_mount_parse("9 - cgroup2 /a /b\n/c\n", root, point));
	ck_assert_str_eq(root, "/a");
	ck_assert_str_eq(point, "/b");
	ck_assert(cgroup_mount_parse(after_the_end, root, point));
	ck_assert_str_eq(point, "/b");
}
END_TEST

/* The id of a cgroup is the inode of its directory. */
static uint64_t make_cgroup(char *path)
{
	char_vec text = {0};
	struct stat st;
	bool is_there = !read_file("/proc/self/mountinfo", 8 << 20, &text) && text.nr &&
			cgroup_mount_parse(text.data, root, point) && !strcmp(root, "/");

	vec_free(&text);
	snprintf(path, PATH_MAX, "%.1000s/profrec-test-%d", point, getpid());
	if (!is_there || mkdir(path, 0755))
		return 0;
	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_ino;
}

START_TEST(removed_after_the_look)
{
	char path[PATH_MAX], want[64];
	uint64_t id = make_cgroup(path);
	const char *found;

	snprintf(want, sizeof(want), "/profrec-test-%d", getpid());
	if (!id) {
		printf("# no cgroup can be made here\n");
		return;
	}
	ck_assert_int_eq(cgroup_paths_look(&paths, id), 0);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(cgroup_paths_look(&paths, id), 0);
	found = cgroup_paths_find(&paths, id);
	/* Not everybody may open a cgroup by its id. */
	if (!geteuid() || found)
		ck_assert_pstr_eq(found, want);
}
END_TEST

START_TEST(unknown_and_learned)
{
	struct memory_budget memory = {.max_bytes = 1 << 20};

	paths.memory = &memory;
	ck_assert_int_eq(cgroup_paths_look(&paths, 0), 0);
	ck_assert_uint_eq(paths.known.nr, 0);
	ck_assert_int_eq(cgroup_paths_look(&paths, ID_NONE), 0);
	ck_assert_ptr_null(cgroup_paths_find(&paths, ID_NONE));
	ck_assert_int_eq(cgroup_paths_learn(&paths, ID_NONE, "/first"), 0);
	ck_assert_int_eq(cgroup_paths_learn(&paths, ID_NONE, "/second"), 0);
	ck_assert_int_eq(cgroup_paths_learn(&paths, ID_NONE + 1, "/other"), 0);
	ck_assert_str_eq(cgroup_paths_find(&paths, ID_NONE), "/first");
	ck_assert_ptr_null(cgroup_paths_find(&paths, ID_NONE + 1));
	ck_assert_uint_gt(memory.used_bytes, 0);
	cgroup_paths_deinit(&paths);
	ck_assert_uint_eq(memory.used_bytes, 0);
	begin();
}
END_TEST

/* Nobody needs to know the id that the kernel has for it. */
START_TEST(of_a_process)
{
	char_vec want = {0};
	uint64_t id, again;

	ck_assert_int_eq(proc_cgroup_read(getpid(), &want), 0);
	ck_assert_int_eq(cgroup_paths_of_process(&paths, getpid(), &id), 0);
	ck_assert_int_eq(cgroup_paths_of_process(&paths, getpid(), &again), 0);
	ck_assert_uint_eq(id, again);
	ck_assert_uint_eq(paths.known.nr, want.nr ? 1 : 0);
	if (want.nr)
		ck_assert_str_eq(cgroup_paths_find(&paths, id), want.data);
	else
		ck_assert_uint_eq(id, 0);
	ck_assert_int_eq(cgroup_paths_of_process(&paths, 5000001, &id), 0);
	ck_assert_uint_eq(id, 0);
	vec_free(&want);
}
END_TEST

/* Whoever makes cgroups without end takes no room from those that come later. */
START_TEST(cgroups_without_end)
{
	struct memory_budget memory = {.max_bytes = 1 << 30};
	const uint64_t nr = 3 * KNOWN_MAX;

	paths.memory = &memory;
	are_played = true;
	nr_looks = 0;
	for (uint64_t id = 1; id <= nr; id++) {
		ck_assert_int_eq(cgroup_paths_look(&paths, id), 0);
		ck_assert_pstr_eq(cgroup_paths_find(&paths, id), "/played");
		ck_assert_uint_le(paths.known.nr, KNOWN_MAX);
	}
	/* The last ones are still known, the first one is looked up again. */
	for (uint64_t id = nr - KNOWN_MAX / 2 + 1; id <= nr; id++)
		ck_assert_int_eq(cgroup_paths_look(&paths, id), 0);
	ck_assert_uint_eq(nr_looks, nr);
	ck_assert_ptr_null(cgroup_paths_find(&paths, 1));
	ck_assert_int_eq(cgroup_paths_look(&paths, 1), 0);
	ck_assert_uint_eq(nr_looks, nr + 1);
	ck_assert_uint_gt(memory.used_bytes, 0);
	cgroup_paths_deinit(&paths);
	ck_assert_uint_eq(memory.used_bytes, 0);
	begin();
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		uint64_t id;
		int ret = cgroup_paths_look(&paths, ID_NONE);

		if (!ret)
			ret = cgroup_paths_learn(&paths, ID_NONE, "/path");
		if (!ret)
			ret = cgroup_paths_of_process(&paths, getpid(), &id);
		ck_assert(!ret || (oom_hit && ret == -ENOMEM));
		end();
		begin();
	}
}
END_TEST

SUITE_MAIN_WITH("cgroup_paths", begin, end, mounts, no_mounts, fields_of_mounts,
		removed_after_the_look, unknown_and_learned, of_a_process, cgroups_without_end,
		out_of_memory)
