// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/file_sources.h"

#include "tests/unit/suite.h"

static struct file_sources sources;

static struct mapped_file file_of(const char *path, uint8_t id)
{
	return (struct mapped_file){.path = (char *)(uintptr_t)path,
				    .given_id = {.size = 2, .bytes = {id, 7}}};
}

static struct file_source *get(const char *path, uint8_t id, source_scope scope)
{
	const struct mapped_file file = file_of(path, id);
	struct file_source *source;

	ck_assert_int_eq(file_sources_get(&sources, &file, scope, &source), 0);
	return source;
}

static struct file_source *find(const char *path, uint8_t id, source_scope scope)
{
	const struct mapped_file file = file_of(path, id);

	return file_sources_find(&sources, &file, scope);
}

static void settle(void)
{
	ck_assert_int_eq(file_sources_settle(&sources), 0);
}

static void end(void)
{
	file_sources_deinit(&sources);
}

/* A path, a build-id and a scope make a source. */
START_TEST(sources_that_differ)
{
	ck_assert_ptr_null(find("/a", 1, SOURCE_OF_ROOT));
	ck_assert_uint_eq(get("/a", 1, SOURCE_OF_ROOT)->file, NO_SOURCE_FILE);
	get("/a", 1, SOURCE_OF_ROOT)->file = 5;
	get("/b", 1, SOURCE_OF_ROOT)->file = 6;
	get("/a", 2, SOURCE_OF_ROOT)->file = 7;
	get("/a", 1, source_of_user(1000))->file = 8;
	get("/a", 1, source_of_process(1000))->file = 9;
	ck_assert_uint_eq(sources.sources.nr, 5);
	ck_assert_uint_eq(find("/a", 1, SOURCE_OF_ROOT)->file, 5);
	ck_assert_uint_eq(find("/b", 1, SOURCE_OF_ROOT)->file, 6);
	ck_assert_uint_eq(find("/a", 2, SOURCE_OF_ROOT)->file, 7);
	ck_assert_uint_eq(find("/a", 1, source_of_user(1000))->file, 8);
	ck_assert_uint_eq(find("/a", 1, source_of_process(1000))->file, 9);
	ck_assert_ptr_null(find("/a", 1, source_of_user(1001)));
	file_sources_forget(&sources, 6);
	ck_assert_uint_eq(find("/b", 1, SOURCE_OF_ROOT)->file, NO_SOURCE_FILE);
	ck_assert_uint_eq(find("/a", 1, SOURCE_OF_ROOT)->file, 5);
}
END_TEST

/* Two epochs without a use are enough. */
START_TEST(sources_that_nobody_uses)
{
	get("/a", 1, SOURCE_OF_ROOT)->attempts = 3;
	get("/b", 1, SOURCE_OF_ROOT);
	get("/c", 1, SOURCE_OF_ROOT)->file = 9;
	settle();
	ck_assert_uint_eq(find("/a", 1, SOURCE_OF_ROOT)->attempts, 0);
	ck_assert_ptr_nonnull(find("/c", 1, SOURCE_OF_ROOT));
	settle();
	ck_assert_uint_eq(sources.sources.nr, 3);
	get("/c", 1, SOURCE_OF_ROOT);
	settle();
	ck_assert_uint_eq(sources.sources.nr, 2);
	ck_assert_ptr_null(find("/b", 1, SOURCE_OF_ROOT));
	ck_assert_uint_eq(find("/c", 1, SOURCE_OF_ROOT)->file, 9);
	ck_assert_str_eq(find("/a", 1, SOURCE_OF_ROOT)->path, "/a");
	settle();
	settle();
	settle();
	ck_assert_uint_eq(sources.sources.nr, 0);
	ck_assert_uint_eq(get("/c", 1, SOURCE_OF_ROOT)->file, NO_SOURCE_FILE);
}
END_TEST

SUITE_MAIN_WITH("file_sources", NULL, end, sources_that_differ, sources_that_nobody_uses)
