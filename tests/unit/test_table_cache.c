// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/suite.h"
#include "tests/unit/table_helper.h"

#define NAME "0123456789abcdef"

static const struct build_id id = {8, {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};

/* A cache, which is the current directory, too, with the table of this program in it. */
static int cache_fd;
static struct unwind_table own;

static void put_own(int ret)
{
	ck_assert_int_eq(table_cache_put(cache_fd, &id, &own), ret);
}

static void begin(void)
{
	cache_fd = open(enter_new_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(cache_fd, 0);
	build_own_table(&own);
	put_own(0);
}

static void end(void)
{
	unwind_table_deinit(&own);
	close(cache_fd);
}

static void expect_own(void)
{
	struct unwind_table table;

	ck_assert_int_eq(table_cache_get(cache_fd, &id, &table), 0);
	expect_same_table(&table, &own);
	unwind_table_deinit(&table);
}

/* The hash says which file the table is of, whatever the rest is. */
START_TEST(hashes)
{
	static const struct build_id none = {0};
	uint8_t hash[UNWIND_HASH_BYTES];
	int fd;

	ck_assert_int_eq(table_cache_get_hash(cache_fd, &id, hash), 0);
	ck_assert_mem_eq(hash, own.hash, sizeof(hash));
	ck_assert_int_eq(table_cache_get_hash(cache_fd, &none, hash), -EINVAL);
	fd = open(NAME, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "x", 1, 100), 1);
	ck_assert_int_eq(table_cache_get_hash(cache_fd, &id, hash), 0);
	ck_assert_int_eq(ftruncate(fd, 20), 0);
	ck_assert_int_eq(table_cache_get_hash(cache_fd, &id, hash), -EBADMSG);
	/* A table of an earlier version has no hash. */
	ck_assert_int_eq(pwrite(fd, "PUWT\1\0\0\0", 8, 0), 8);
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	ck_assert_int_eq(table_cache_get_hash(cache_fd, &id, hash), -EBADMSG);
	close(fd);
	ck_assert_int_eq(unlink(NAME), 0);
	ck_assert_int_eq(table_cache_get_hash(cache_fd, &id, hash), -ENOENT);
}
END_TEST

static void expect_damaged(void)
{
	struct unwind_table table;

	ck_assert_int_eq(table_cache_get(cache_fd, &id, &table), -EBADMSG);
}

START_TEST(kept)
{
	static const struct build_id other = {1, {0x01}}, none = {0};
	struct unwind_table table;
	struct stat st;

	expect_own();
	ck_assert_int_eq(lstat(NAME, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0644);
	ck_assert_int_eq(table_cache_get(cache_fd, &other, &table), -ENOENT);
	ck_assert_int_eq(table_cache_get(cache_fd, &none, &table), -EINVAL);
	ck_assert_int_eq(table_cache_put(cache_fd, &none, &own), -EINVAL);
	ck_assert_int_eq(table_cache_put(-1, &id, &own), -EBADF);
}
END_TEST

/* Anything else in a table's place is refused, and a table replaces it. */
START_TEST(replaced)
{
	int fd;

	fd = open(NAME, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "x", 1, 100), 1);
	expect_damaged();
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	expect_damaged();
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 32), 0);
	expect_damaged();
	close(fd);
	put_own(0);
	expect_own();

	ck_assert_int_eq(rename(NAME, "target"), 0);
	ck_assert_int_eq(symlink("target", NAME), 0);
	expect_damaged();
	put_own(0);
	expect_own();

	ck_assert_int_eq(unlink(NAME), 0);
	ck_assert_int_eq(mkfifo(NAME, 0600), 0);
	expect_damaged();
	put_own(0);
	expect_own();

	ck_assert_int_eq(unlink(NAME), 0);
	ck_assert_int_eq(mkdir(NAME, 0700), 0);
	expect_damaged();
	put_own(-EISDIR);
}
END_TEST

/* A link that has the name of the temporary file is replaced, not followed. */
START_TEST(left_behind)
{
	char temp[64];
	struct stat st;

	write_file("victim", "");
	snprintf(temp, sizeof(temp), "." NAME ".%d.tmp", getpid());
	ck_assert_int_eq(symlink("victim", temp), 0);
	put_own(0);
	expect_own();
	ck_assert_int_eq(stat("victim", &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(lstat(temp, &st), -1);
}
END_TEST

SUITE_MAIN_WITH("table_cache", begin, end, kept, hashes, replaced, left_behind)
