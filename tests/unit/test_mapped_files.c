// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "record/process/mapped_files.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static const struct build_id id_a = {.size = 4, .bytes = {1, 2, 3, 4}};
static const struct build_id id_b = {.size = 4, .bytes = {1, 2, 3, 5}};
static const struct build_id id_none = {0};

static uint32_t get(struct mapped_files *files, const struct mapped_file_key *key)
{
	uint32_t index = UINT32_MAX;

	ck_assert_int_eq(mapped_files_get(files, key, &index), 0);
	ck_assert_uint_lt(index, files->files.nr);
	return index;
}

static const struct mapped_file *get_path(struct mapped_files *files, const char *path)
{
	uint32_t index = get(files, &(struct mapped_file_key){.path = path});

	return &files->files.data[index];
}

START_TEST(each_file_is_held_once)
{
	struct mapped_files files = {0};
	struct mapped_file_key key = {.path = "/bin/a", .dev = 1, .inode = 2};
	uint32_t first = get(&files, &key);

	ck_assert_uint_eq(get(&files, &key), first);
	key.build_id = &id_none; /* as good as not given */
	ck_assert_uint_eq(get(&files, &key), first);
	ck_assert_uint_eq(files.files.nr, 1);
	key.path = "/bin/b";
	ck_assert_uint_ne(get(&files, &key), first);
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(what_tells_files_apart)
{
	struct mapped_files files = {0};
	struct mapped_file_key key = {.path = "/bin/a", .dev = 1, .inode = 2};

	get(&files, &key);
	key.inode = 3; /* replaced by another file */
	get(&files, &key);
	key.dev = 9;
	get(&files, &key);
	key.path = "/bin/a (deleted)";
	get(&files, &key);
	ck_assert_uint_eq(files.files.nr, 4);
	/* With a build-id the rest does not matter. */
	key.path = "/bin/a";
	key.build_id = &id_a;
	get(&files, &key);
	key.dev = key.inode = 77;
	get(&files, &key);
	ck_assert_uint_eq(files.files.nr, 5);
	key.build_id = &id_b;
	get(&files, &key);
	ck_assert_uint_eq(files.files.nr, 6);
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(build_ids)
{
	struct mapped_files files = {0};
	uint32_t given = get(&files, &(struct mapped_file_key){.path = "/a", .build_id = &id_a});
	uint32_t not_given = get(&files, &(struct mapped_file_key){.path = "/b", .inode = 5});
	struct mapped_file *file = &files.files.data[given];

	ck_assert(build_id_equal(mapped_file_build_id(file), &id_a));
	ck_assert_msg(file->searched, "a build-id that is known would be looked for");
	file = &files.files.data[not_given];
	ck_assert(build_id_is_none(mapped_file_build_id(file)));
	ck_assert(!file->searched);
	ck_assert_uint_eq(file->inode, 5);
	file->found_id = id_b;
	ck_assert(build_id_equal(mapped_file_build_id(file), &id_b));
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(kinds)
{
	static const struct {
		const char *path;
		enum mapped_kind kind;
	} cases[] = {
		{"/usr/lib/libc.so.6", MAPPED_FILE},
		{"/dev/shm/x", MAPPED_FILE},
		{"/memfd:code (deleted)", MAPPED_FILE},
		{"/", MAPPED_FILE},
		{"//anon", MAPPED_ANON},
		{"[heap]", MAPPED_ANON},
		{"[stack]", MAPPED_ANON},
		{"[uprobes]", MAPPED_ANON},
		{"[vsyscall]", MAPPED_ANON},
		{"[vdso32]", MAPPED_ANON},
		{"anon_inode:[perf_event]", MAPPED_ANON},
		{"/anon_hugepage (deleted)", MAPPED_ANON},
		{"/dev/zero", MAPPED_ANON},
		{"/dev/zero (deleted)", MAPPED_ANON},
		{"", MAPPED_ANON},
		{"[vdso]", MAPPED_VDSO},
	};
	struct mapped_files files = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(get_path(&files, cases[i].path)->kind == cases[i].kind, "%s",
			      cases[i].path);
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(deleted_files)
{
	struct mapped_files files = {0};
	const struct mapped_file *file = get_path(&files, "/bin/a (deleted)");

	ck_assert(file->deleted);
	ck_assert_str_eq(file->path, "/bin/a");
	file = get_path(&files, "/bin/a");
	ck_assert(!file->deleted);
	ck_assert_str_eq(file->path, "/bin/a");
	/* Deleted, and that was its name: one suffix is the kernel's. */
	file = get_path(&files, "/bin/a (deleted) (deleted)");
	ck_assert(file->deleted);
	ck_assert_str_eq(file->path, "/bin/a (deleted)");
	file = get_path(&files, "/bin/a(deleted)");
	ck_assert(!file->deleted);
	file = get_path(&files, " (deleted)");
	ck_assert(!file->deleted);
	ck_assert_str_eq(file->path, " (deleted)");
	mapped_files_deinit(&files);
}
END_TEST

/* Memory without a file is the same thing whatever number it has. */
START_TEST(anonymous_memory_has_no_inode)
{
	struct mapped_files files = {0};

	get(&files, &(struct mapped_file_key){.path = "/dev/zero (deleted)", .inode = 1});
	get(&files, &(struct mapped_file_key){.path = "/dev/zero (deleted)", .inode = 2});
	ck_assert_uint_eq(files.files.nr, 1);
	mapped_files_deinit(&files);
}
END_TEST

static void get_number(struct mapped_files *files, uint32_t number, uint32_t want)
{
	char path[32];

	snprintf(path, sizeof(path), "/file%u", number);
	ck_assert_uint_eq(get(files, &(struct mapped_file_key){.path = path}), want);
}

START_TEST(sweep)
{
	enum { NR = 5000 };
	struct mapped_files files = {0};
	static bool used[NR];
	static uint32_t moved[NR];
	uint32_t left = 0;

	ck_assert(!mapped_files_want_sweep(&files));
	for (uint32_t i = 0; i < NR; i++)
		get_number(&files, i, i);
	ck_assert(mapped_files_want_sweep(&files));
	for (uint32_t i = 0; i < NR; i++)
		used[i] = i % 3 == 1;
	mapped_files_sweep(&files, used, moved);
	for (uint32_t i = 0; i < NR; i++) {
		char path[32];

		if (!used[i])
			continue;
		snprintf(path, sizeof(path), "/file%u", i);
		ck_assert_str_eq(files.files.data[moved[i]].path, path);
		get_number(&files, i, moved[i]);
		left++;
	}
	ck_assert_uint_eq(files.files.nr, left);
	ck_assert(!mapped_files_want_sweep(&files));
	get_number(&files, 0, left); /* forgotten: new again */
	/* Again only when there are twice as many. */
	for (uint32_t i = 1; i < left; i++)
		get_number(&files, NR + i, left + i);
	ck_assert(!mapped_files_want_sweep(&files));
	get_number(&files, 2 * NR, 2 * left);
	ck_assert(mapped_files_want_sweep(&files));
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(sweep_of_everything)
{
	struct mapped_files files = {0};
	bool used[3] = {false};
	uint32_t moved[3];

	for (uint32_t i = 0; i < 3; i++)
		get_number(&files, i, i);
	mapped_files_sweep(&files, used, moved);
	ck_assert_uint_eq(files.files.nr, 0);
	get_number(&files, 2, 0);
	mapped_files_deinit(&files);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		struct mapped_files files = {0};
		char path[32];
		int ret = 0;

		for (uint32_t i = 0, index; !ret && i < 200; i++) {
			snprintf(path, sizeof(path), "/file%u", i);
			ret = mapped_files_get(&files, &(struct mapped_file_key){.path = path},
					       &index);
		}
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		mapped_files_deinit(&files);
	}
}
END_TEST

SUITE_MAIN("mapped_files", each_file_is_held_once, what_tells_files_apart, build_ids, kinds,
	   deleted_files, anonymous_memory_has_no_inode, sweep, sweep_of_everything, out_of_memory)
