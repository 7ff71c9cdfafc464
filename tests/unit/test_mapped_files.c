// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "record/process/mapped_files.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static const struct build_id id_a = {.size = 4, .bytes = {1, 2, 3, 4}};
static const struct build_id id_b = {.size = 4, .bytes = {1, 2, 3, 5}};
static const struct build_id id_none = {0};

static struct mapped_files files;

static void begin(void)
{
	files = (struct mapped_files){0};
}

static void end(void)
{
	mapped_files_deinit(&files);
}

static uint32_t get_file(const struct mapped_file_key *key)
{
	uint32_t index = UINT32_MAX;

	ck_assert_int_eq(mapped_files_get(&files, key, &index), 0);
	ck_assert_uint_lt(index, files.files.nr);
	return index;
}

static const struct mapped_file *get_path(const char *path)
{
	uint32_t index = get_file(&(struct mapped_file_key){.path = path});

	return &files.files.data[index];
}

START_TEST(each_file_is_held_once)
{
	struct mapped_file_key key = {.path = "/bin/a", .identity = {.dev = 1, .inode = 2}};
	uint32_t first = get_file(&key);

	ck_assert_uint_eq(get_file(&key), first);
	key.build_id = &id_none; /* an empty build-id is none */
	ck_assert_uint_eq(get_file(&key), first);
	ck_assert_uint_eq(files.files.nr, 1);
	key.path = "/bin/b";
	ck_assert_uint_ne(get_file(&key), first);
}
END_TEST

START_TEST(what_tells_files_apart)
{
	struct mapped_file_key key = {.path = "/bin/a", .identity = {.dev = 1, .inode = 2}};

	get_file(&key);
	key.identity.inode = 3; /* replaced by another file */
	get_file(&key);
	key.identity.dev = 9;
	get_file(&key);
	key.path = "/bin/a (deleted)";
	get_file(&key);
	ck_assert_uint_eq(files.files.nr, 4);
	/* With a build-id the rest does not matter. */
	key.path = "/bin/a";
	key.build_id = &id_a;
	get_file(&key);
	key.identity.dev = key.identity.inode = 77;
	get_file(&key);
	ck_assert_uint_eq(files.files.nr, 5);
	key.build_id = &id_b;
	get_file(&key);
	ck_assert_uint_eq(files.files.nr, 6);
}
END_TEST

START_TEST(build_ids)
{
	uint32_t given = get_file(&(struct mapped_file_key){.path = "/a", .build_id = &id_a});
	uint32_t not_given = get_file(&(struct mapped_file_key){.path = "/b", .identity.inode = 5});
	struct mapped_file *file = &files.files.data[given];

	ck_assert(build_id_equal(mapped_file_build_id(file), &id_a));
	file = &files.files.data[not_given];
	ck_assert(build_id_is_none(mapped_file_build_id(file)));
	ck_assert_uint_eq(file->identity.inode, 5);
	file->found_id = id_b;
	ck_assert(build_id_equal(mapped_file_build_id(file), &id_b));
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

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(get_path(cases[i].path)->kind == cases[i].kind, "%s", cases[i].path);
}
END_TEST

START_TEST(deleted_files)
{
	const struct mapped_file *file = get_path("/bin/a (deleted)");

	ck_assert(file->deleted);
	ck_assert_str_eq(file->path, "/bin/a");
	file = get_path("/bin/a");
	ck_assert(!file->deleted);
	ck_assert_str_eq(file->path, "/bin/a");
	/* A file may have the suffix in its name. The kernel adds one suffix. */
	file = get_path("/bin/a (deleted) (deleted)");
	ck_assert(file->deleted);
	ck_assert_str_eq(file->path, "/bin/a (deleted)");
	file = get_path("/bin/a(deleted)");
	ck_assert(!file->deleted);
	file = get_path(" (deleted)");
	ck_assert(!file->deleted);
	ck_assert_str_eq(file->path, " (deleted)");
}
END_TEST

/* Memory without a file is one object, whatever inode it shows. */
START_TEST(anonymous_memory_has_no_inode)
{
	get_file(&(struct mapped_file_key){.path = "/dev/zero (deleted)", .identity.inode = 1});
	get_file(&(struct mapped_file_key){.path = "/dev/zero (deleted)", .identity.inode = 2});
	ck_assert_uint_eq(files.files.nr, 1);
}
END_TEST

static void get_number(uint32_t number, uint32_t want)
{
	char path[32];

	snprintf(path, sizeof(path), "/file%u", number);
	ck_assert_uint_eq(get_file(&(struct mapped_file_key){.path = path}), want);
}

START_TEST(sweep)
{
	enum { NR = 5000 };
	static bool used[NR];
	static uint32_t moved[NR];
	uint32_t left = 0;

	ck_assert(!mapped_files_want_sweep(&files));
	for (uint32_t i = 0; i < NR; i++)
		get_number(i, i);
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
		get_number(i, moved[i]);
		left++;
	}
	ck_assert_uint_eq(files.files.nr, left);
	ck_assert(!mapped_files_want_sweep(&files));
	get_number(0, left); /* forgotten: new again */
	/* Again only when there are twice as many. */
	for (uint32_t i = 1; i < left; i++)
		get_number(NR + i, left + i);
	ck_assert(!mapped_files_want_sweep(&files));
	get_number(2 * NR, 2 * left);
	ck_assert(mapped_files_want_sweep(&files));
}
END_TEST

START_TEST(sweep_of_everything)
{
	bool used[3] = {false};
	uint32_t moved[3];

	for (uint32_t i = 0; i < 3; i++)
		get_number(i, i);
	mapped_files_sweep(&files, used, moved);
	ck_assert_uint_eq(files.files.nr, 0);
	get_number(2, 0);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		char path[32];
		int ret = 0;

		for (uint32_t i = 0, index; !ret && i < 200; i++) {
			snprintf(path, sizeof(path), "/file%u", i);
			ret = mapped_files_get(&files, &(struct mapped_file_key){.path = path},
					       &index);
		}
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end();
		begin();
	}
}
END_TEST

SUITE_MAIN_WITH("mapped_files", begin, end, each_file_is_held_once, what_tells_files_apart,
		build_ids, kinds, deleted_files, anonymous_memory_has_no_inode, sweep,
		sweep_of_everything, out_of_memory)
