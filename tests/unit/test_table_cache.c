// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/suite.h"

#define NAME "0123456789abcdef"

static const struct build_id id = {8, {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};

/* A directory with the table of this program in it, and that table. */
struct cache {
	char *path;
	int dir_fd;
	struct unwind_table table;
};

static struct cache make_cache(void)
{
	struct cache cache = {.path = temp_create()};
	int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	cache.dir_fd = open(cache.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(cache.dir_fd, 0);
	ck_assert_int_eq(unwind_table_build(exe, &cache.table), 0);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), 0);
	close(exe);
	return cache;
}

static void remove_cache(struct cache *cache)
{
	unwind_table_deinit(&cache->table);
	close(cache->dir_fd);
	temp_remove(cache->path);
}

/* The table in it is the one that was put there. */
static void check_kept(const struct cache *cache)
{
	struct unwind_table table;

	ck_assert_int_eq(table_cache_get(cache->dir_fd, &id, &table), 0);
	ck_assert_uint_eq(table.nr_rows, cache->table.nr_rows);
	ck_assert_mem_eq(table.rows, cache->table.rows, table.nr_rows * sizeof(*table.rows));
	unwind_table_deinit(&table);
}

static void check_refused(const struct cache *cache, int ret)
{
	struct unwind_table table;

	ck_assert_int_eq(table_cache_get(cache->dir_fd, &id, &table), ret);
}

START_TEST(kept)
{
	static const struct build_id other = {1, {0x01}}, none = {0};
	struct cache cache = make_cache();
	struct unwind_table table;
	struct stat st;

	check_kept(&cache);
	ck_assert_int_eq(fstatat(cache.dir_fd, NAME, &st, AT_SYMLINK_NOFOLLOW), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0644);
	ck_assert_int_eq(table_cache_get(cache.dir_fd, &other, &table), -ENOENT);
	ck_assert_int_eq(table_cache_get(cache.dir_fd, &none, &table), -EINVAL);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &none, &cache.table), -EINVAL);
	ck_assert_int_eq(table_cache_put(-1, &id, &cache.table), -EBADF);
	remove_cache(&cache);
}
END_TEST

/* Whatever is in a table's place is no table, and gives way to one. */
START_TEST(replaced)
{
	struct cache cache = make_cache();
	int fd;

	fd = openat(cache.dir_fd, NAME, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "x", 1, 100), 1);
	check_refused(&cache, -EBADMSG);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	check_refused(&cache, -EBADMSG);
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 32), 0);
	check_refused(&cache, -EBADMSG);
	close(fd);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), 0);
	check_kept(&cache);

	ck_assert_int_eq(renameat(cache.dir_fd, NAME, cache.dir_fd, "target"), 0);
	ck_assert_int_eq(symlinkat("target", cache.dir_fd, NAME), 0);
	check_refused(&cache, -EBADMSG);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), 0);
	check_kept(&cache);

	ck_assert_int_eq(unlinkat(cache.dir_fd, NAME, 0), 0);
	ck_assert_int_eq(mkfifoat(cache.dir_fd, NAME, 0600), 0);
	check_refused(&cache, -EBADMSG);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), 0);
	check_kept(&cache);

	ck_assert_int_eq(unlinkat(cache.dir_fd, NAME, 0), 0);
	ck_assert_int_eq(mkdirat(cache.dir_fd, NAME, 0700), 0);
	check_refused(&cache, -EBADMSG);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), -EISDIR);
	remove_cache(&cache);
}
END_TEST

/* A name that was left behind is used again, and what it points to stays as it is. */
START_TEST(left_behind)
{
	struct cache cache = make_cache();
	char temp[64];
	struct stat st;
	int fd = openat(cache.dir_fd, "victim", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	close(fd);
	snprintf(temp, sizeof(temp), "." NAME ".%d.tmp", getpid());
	ck_assert_int_eq(symlinkat("victim", cache.dir_fd, temp), 0);
	ck_assert_int_eq(table_cache_put(cache.dir_fd, &id, &cache.table), 0);
	check_kept(&cache);
	ck_assert_int_eq(fstatat(cache.dir_fd, "victim", &st, 0), 0);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(fstatat(cache.dir_fd, temp, &st, AT_SYMLINK_NOFOLLOW), -1);
	remove_cache(&cache);
}
END_TEST

SUITE_MAIN("table_cache", kept, replaced, left_behind)
