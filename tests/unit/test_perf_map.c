// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/perf_map.h"

#include "elf/ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/clock.h"
#include "tests/unit/suite.h"

static bool parse(const char *line, struct perf_map_entry *entry)
{
	return perf_map_parse(line, strlen(line), entry);
}

START_TEST(lines)
{
	struct perf_map_entry e;

	ck_assert(parse("7f0012345000 1a0 LazyCompile:*run /srv/app.js:1", &e));
	ck_assert_uint_eq(e.start, 0x7f0012345000);
	ck_assert_uint_eq(e.size, 0x1a0);
	ck_assert_uint_eq(e.len, strlen("LazyCompile:*run /srv/app.js:1"));
	ck_assert_mem_eq(e.name, "LazyCompile:*run", 16);
	ck_assert(parse("0x10 0XfF x", &e));
	ck_assert_uint_eq(e.start, 0x10);
	ck_assert_uint_eq(e.size, 0xff);
	/* Names are bytes. A carriage return at the end does not belong to the name. */
	ck_assert(parse("10 1 \x1b[31m\xff;\r", &e));
	ck_assert_uint_eq(e.len, 7);
	/* A name may begin with a space. */
	ck_assert(parse("10 1  x", &e));
	ck_assert_uint_eq(e.len, 2);
	ck_assert(parse("ffffffffffffffff ffffffffffffffff top", &e));
	ck_assert_uint_eq(e.size, 1);
	ck_assert(parse("fffffffffffff000 1001 past", &e));
	ck_assert_uint_eq(e.size, 0x1000);
	ck_assert(parse("0 ffffffffffffffff all", &e));
	ck_assert_uint_eq(e.size, UINT64_MAX);
}
END_TEST

START_TEST(hostile_lines)
{
	static const char *const bad[] = {
		"",
		"x",
		"10",
		"10 ",
		"10 1",
		"10 1 ",
		"10 0 name",
		" 10 1 x",
		"10  1 x",
		"-10 1 x",
		"10 -1 x",
		"0x 1 x",
		"10\t1\tx",
		"g 1 x",
		"10000000000000000 1 x",
		"10 10000000000000000 x",
		"10 1 \r",
		"0x0x10 1 x",
	};
	struct perf_map_entry e;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!parse(bad[i], &e), "'%s'", bad[i]);
	/* A NUL ends the name, and there must be one before it. */
	ck_assert(perf_map_parse("10 1 a\0b", 8, &e));
	ck_assert_uint_eq(e.len, 1);
	ck_assert(!perf_map_parse("10 1 \0b", 7, &e));
	/* Nothing after the length is read. */
	for (size_t len = 0; len < 6; len++)
		ck_assert_int_eq(perf_map_parse("10 1 abc", len, &e), len > 5);
}
END_TEST

static int map_of(const char *text, size_t len)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	return fd;
}

/* A lookup of @addr, among others, finds @name; "" for none. */
static void expect(int fd, uint64_t addr, const char *name)
{
	struct perf_map_hit hits[] = {{.addr = 0x1}, {.addr = addr}, {.addr = UINT64_MAX}};
	char found[PERF_MAP_NAME_MAX + 1] = "";

	ck_assert_int_eq(perf_map_lookup(fd, hits, ARRAY_SIZE(hits)), 0);
	if (hits[1].size)
		perf_map_name(fd, &hits[1], found);
	ck_assert_str_eq(found, name);
}

START_TEST(look_ups)
{
	static const char text[] = "1000 100 first\n"
				   "garbage\n"
				   "\n"
				   "2000 10 second with spaces\n"
				   "1080 10 later\n"
				   "3000 10 last";
	int fd = map_of(text, sizeof(text) - 1);

	expect(fd, 0xfff, "");
	expect(fd, 0x1000, "first");
	expect(fd, 0x107f, "first");
	expect(fd, 0x1080, "later");
	expect(fd, 0x108f, "later");
	expect(fd, 0x1090, "first");
	expect(fd, 0x10ff, "first");
	expect(fd, 0x1100, "");
	expect(fd, 0x2008, "second with spaces");
	expect(fd, 0x3000, "last");
	close(fd);
	fd = map_of("", 0);
	expect(fd, 0x1000, "");
	close(fd);
}
END_TEST

/* Entries whose order is forgotten say of each hit what the map says. */
START_TEST(overwritten)
{
	static const char text[] = "1050 100 old\n"
				   "1120 10 within\n"
				   "1000 60 new\n"
				   "1000 80 same\n"
				   "1140 20 tail\n";
	enum { BASE = 0xfff, NR = 0x180 };
	static struct perf_map_hit hits[NR];
	static struct range ranges[NR];
	static struct range_hit found[NR];
	char names[NR][PERF_MAP_NAME_MAX + 1];
	int fd = map_of(text, sizeof(text) - 1);

	for (size_t i = 0; i < NR; i++)
		hits[i].addr = found[i].addr = BASE + i;
	ck_assert_int_eq(perf_map_lookup(fd, hits, NR), 0);
	for (size_t i = 0; i < NR; i++) {
		perf_map_name(fd, &hits[i], names[i]);
		ranges[i] = (struct range){.start = hits[i].start,
					   .size = hits[i].size,
					   .name = names[i],
					   .len = strlen(names[i])};
	}
	ck_assert_int_eq(ranges_resolve(ranges, NR, found, NR), 0);
	for (size_t i = 0; i < NR; i++)
		ck_assert_str_eq(found[i].range ? found[i].range->name : "", names[i]);
	ck_assert_str_eq(names[0x1055 - BASE], "same");
	ck_assert_str_eq(names[0x1080 - BASE], "old");
	ck_assert_uint_eq(hits[0x1080 - BASE].start, 0x1080);
	ck_assert_uint_eq(hits[0x1080 - BASE].size, 0xd0);
	ck_assert_str_eq(names[0x1128 - BASE], "within");
	ck_assert_str_eq(names[0x114f - BASE], "tail");
	close(fd);
}
END_TEST

/* A line is longer than the pieces that are read; other lines lie across their borders. */
START_TEST(long_lines)
{
	static char text[400000];
	char name[PERF_MAP_NAME_MAX + 1];
	size_t nr = sprintf(text, "1000 10 ");
	int fd;

	memset(text + nr, 'x', 200000);
	nr += 200000;
	nr += sprintf(text + nr, " 5000 10 not a line\n");
	while (nr < 390000)
		nr += sprintf(text + nr, "%zx 1 n%zx\n", nr + 0x100000, nr);
	nr += sprintf(text + nr, "2000 10 behind\n");
	fd = map_of(text, nr);
	memset(name, 'x', PERF_MAP_NAME_MAX);
	name[PERF_MAP_NAME_MAX] = '\0';
	expect(fd, 0x1000, name);
	expect(fd, 0x5000, "");
	expect(fd, 0x2001, "behind");
	/* Every line in between was read once. */
	for (size_t off = 200028 + 1; off < 389000; off++) {
		if (text[off - 1] != '\n')
			continue;
		snprintf(name, sizeof(name), "n%zx", off);
		if (off % 7 == 0)
			expect(fd, off + 0x100000, name);
	}
	close(fd);
}
END_TEST

/* Each line covers all addresses. The lookup takes a bounded time all the same. */
START_TEST(busy_work)
{
	enum { NR = 20000, LINES = 200000 };
	struct perf_map_hit *hits = calloc(NR, sizeof(*hits));
	char *text = malloc(LINES * 24);
	size_t nr = 0;
	int fd;

	for (size_t i = 0; i < NR; i++)
		hits[i].addr = i;
	for (size_t i = 0; i < LINES; i++)
		nr += sprintf(text + nr, "0 ffffffffffffff x\n");
	fd = map_of(text, nr);
	ck_assert_int_eq(perf_map_lookup(fd, hits, NR), 0); /* 4 billion steps would time out */
	ck_assert_uint_ne(hits[NR - 1].size, 0);
	close(fd);
	free(text);
	free(hits);
}
END_TEST

/* Opens the map of process 7, of user @uid, in the current directory. Returns 0 or the error. */
static uint64_t since_ns;

static int try_open(uid_t uid)
{
	int dir_fd = open(".", O_PATH | O_DIRECTORY), fd;

	ck_assert_int_ge(dir_fd, 0);
	fd = perf_map_open(dir_fd, 7, uid, since_ns);
	close(dir_fd);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

START_TEST(what_is_opened)
{
	static const char path[] = "perf-7.map";
	int fd;

	enter_new_dir();
	ck_assert_int_eq(try_open(getuid()), -ENOENT);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(try_open(getuid()), 0);
	/* A map from before the process is that of a process that had its id. */
	since_ns = clock_realtime_ns() + NS_PER_S;
	ck_assert_int_eq(try_open(getuid()), -ESTALE);
	since_ns -= NS_PER_S;
	ck_assert_int_eq(try_open(getuid()), 0);
	ck_assert_int_eq(ftruncate(fd, PERF_MAP_MAX_BYTES), 0);
	ck_assert_int_eq(try_open(getuid()), 0);
	ck_assert_int_eq(ftruncate(fd, PERF_MAP_MAX_BYTES + 1), 0);
	ck_assert_int_eq(try_open(getuid()), -EFBIG);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	if (!fchown(fd, 12345, 12345)) {
		ck_assert_int_eq(try_open(12345), 0);
		ck_assert_int_eq(try_open(12346), -EPERM);
		ck_assert_int_eq(fchown(fd, 0, 0), 0);
		ck_assert_int_eq(try_open(12346), 0);
	}
	close(fd);
	ck_assert_int_eq(rename(path, "other"), 0);
	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert_int_eq(try_open(getuid()), -EINVAL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(try_open(getuid()), -EINVAL);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(try_open(getuid()), -EINVAL);
}
END_TEST

SUITE_MAIN("perf_map", lines, hostile_lines, look_ups, overwritten, long_lines, busy_work,
	   what_is_opened)
