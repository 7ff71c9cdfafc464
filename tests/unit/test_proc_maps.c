// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/readfile.h"
#include "record/proc/proc_maps.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* Parses @text, which is one line and all of it. The path stays valid until the next call. */
static struct proc_map parse(const char *text)
{
	static char line[8192];
	struct proc_map map = {0};
	char *next;

	snprintf(line, sizeof(line), "%s", text);
	next = proc_map_parse(line, &map);
	ck_assert_msg(next != NULL, "'%s' is refused", text);
	ck_assert_ptr_eq(next, line + strlen(text));
	return map;
}

static void expect_refused(const char *text)
{
	char line[512];
	struct proc_map map;

	snprintf(line, sizeof(line), "%s", text);
	ck_assert_msg(!proc_map_parse(line, &map), "'%s' is taken", text);
}

START_TEST(a_file)
{
	struct proc_map map = parse("7f0a1c000000-7f0a1c021000 r-xp 00028000 fe:01 1234"
				    "                       /usr/lib/libc.so.6\n");

	ck_assert_uint_eq(map.start, 0x7f0a1c000000);
	ck_assert_uint_eq(map.end, 0x7f0a1c021000);
	ck_assert_uint_eq(map.pgoff, 0x28000);
	ck_assert_uint_eq(map.dev, makedev(0xfe, 1));
	ck_assert_uint_eq(map.inode, 1234);
	ck_assert(map.executable);
	ck_assert_str_eq(map.path, "/usr/lib/libc.so.6");
}
END_TEST

START_TEST(anonymous_memory)
{
	/* The kernel writes a space after the inode, and no more when there is no name. */
	struct proc_map map = parse("7f0a1c000000-7f0a1c021000 rwxp 00000000 00:00 0 \n");

	ck_assert_str_eq(map.path, "");
	ck_assert_uint_eq(map.inode, 0);
	ck_assert_uint_eq(map.dev, 0);
	ck_assert(map.executable);
	map = parse("7ffc8e5c6000-7ffc8e5e7000 rw-p 00000000 00:00 0                   [stack]\n");
	ck_assert_str_eq(map.path, "[stack]");
	ck_assert(!map.executable);
}
END_TEST

START_TEST(large_numbers)
{
	struct proc_map map = parse("ffffffffff600000-ffffffffff601000 --xp fffffffffffff000 "
				    "fff:fffff 18446744073709551615 [vsyscall]");

	ck_assert_uint_eq(map.start, UINT64_C(0xffffffffff600000));
	ck_assert_uint_eq(map.end, UINT64_C(0xffffffffff601000));
	ck_assert_uint_eq(map.pgoff, UINT64_C(0xfffffffffffff000));
	ck_assert_uint_eq(map.dev, makedev(0xfff, 0xfffff));
	ck_assert_uint_eq(map.inode, UINT64_MAX);
}
END_TEST

START_TEST(permissions)
{
	static const char *const not [] = {"r--p", "rw-p", "---p", "rw-s"};
	static const char *const is[] = {"r-xp", "rwxp", "--xp", "r-xs"};
	char line[64];

	for (size_t i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "1000-2000 %s 00000000 00:00 0 ", not [i]);
		ck_assert(!parse(line).executable);
		snprintf(line, sizeof(line), "1000-2000 %s 00000000 00:00 0 ", is[i]);
		ck_assert(parse(line).executable);
	}
}
END_TEST

START_TEST(paths)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{"/a b/c  d", "/a b/c  d"},
		{"/bin/a (deleted)", "/bin/a (deleted)"},
		{"/new\\012line", "/new\nline"},
		{"/\\012\\012", "/\n\n"},
		{"/back\\slash", "/back\\slash"},
		{"/not\\011octal\\01", "/not\\011octal\\01"},
		{"/bytes\xff\x01", "/bytes\xff\x01"},
		{"/trailing ", "/trailing "},
		{"anon_inode:[perf_event]", "anon_inode:[perf_event]"},
		{"[anon:name of it]", "[anon:name of it]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char line[128];

		snprintf(line, sizeof(line), "1000-2000 r-xp 00000000 08:01 99      %s\n",
			 cases[i].text);
		ck_assert_str_eq(parse(line).path, cases[i].path);
	}
}
END_TEST

START_TEST(a_long_path)
{
	static char line[8000], path[4097];

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	snprintf(line, sizeof(line), "1000-2000 r-xp 00000000 08:01 99 %s\n", path);
	ck_assert_str_eq(parse(line).path, path);
}
END_TEST

START_TEST(several_lines)
{
	char text[] = "1000-2000 r--p 00000000 08:01 1 /a\n"
		      "2000-3000 r-xp 00001000 08:01 1 /a\n"
		      "3000-4000 rw-p 00000000 00:00 0 \n"
		      "4000-5000 r-xp 00000000 08:01 2 /b";
	static const char *const want[] = {"/a", "/a", "", "/b"};
	char *line = text;

	for (uint64_t i = 0; i < 4; i++) {
		struct proc_map map;

		line = proc_map_parse(line, &map);
		ck_assert_ptr_nonnull(line);
		ck_assert_uint_eq(map.start, (i + 1) << 12);
		ck_assert_uint_eq(map.end, (i + 2) << 12);
		ck_assert_str_eq(map.path, want[i]);
	}
	ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(what_is_no_line)
{
	expect_refused("");
	expect_refused("\n");
	expect_refused("1000");
	expect_refused("1000-\n");
	expect_refused("1000-2000\n");
	expect_refused("1000-2000 r-x\n");
	expect_refused("1000-2000 r-xp\n");
	expect_refused("1000-2000 r-xp 00000000\n");
	expect_refused("1000-2000 r-xp 00000000 08:01\n");
	expect_refused("1000 2000 r-xp 00000000 08:01 1 /a\n");
	expect_refused("x000-2000 r-xp 00000000 08:01 1 /a\n");
	expect_refused("1000-2000 r-xp zzzzzzzz 08:01 1 /a\n");
	expect_refused("1000-2000 r-xp 00000000 0801 1 /a\n");
	/* The rest is on another line. */
	expect_refused("1000-2000 r-xp\n00000000 08:01 1 /a\n");
}
END_TEST

/* Every file of this kind that is at hand: our own. The text section must be in it. */
START_TEST(our_own_maps)
{
	char_vec text = {0};
	bool found = false;

	ck_assert_int_eq(read_file("/proc/self/maps", 1 << 20, &text), 0);
	for (char *line = text.data; *line;) {
		struct proc_map map;

		line = proc_map_parse(line, &map);
		ck_assert_ptr_nonnull(line);
		ck_assert_uint_lt(map.start, map.end);
		if (map.start <= (uintptr_t)parse && (uintptr_t)parse < map.end) {
			found = true;
			ck_assert(map.executable);
			ck_assert_uint_ne(map.inode, 0);
			ck_assert_ptr_nonnull(strstr(map.path, "test_proc_maps"));
		}
	}
	ck_assert(found);
	vec_free(&text);
}
END_TEST

/* Lines with bytes changed at random are taken or refused within their bounds. */
START_TEST(damaged_lines)
{
	static const char good[] = "7f0a1c000000-7f0a1c021000 r-xp 00028000 fe:01 1234  /a\\012b\n";
	static const char bytes[] = "0123456789abcdef-: \n\\/xrwp\t\xff+";
	struct random random = {.state = 4711};

	for (int i = 0; i < 20000; i++) {
		struct proc_map map;
		/* On the heap and of exact size, for the address sanitizer. */
		char *line = strdup(good), *next;
		size_t len = strlen(line);

		for (uint64_t n = random_below(&random, 4); n; n--)
			line[random_below(&random, len)] =
				bytes[random_below(&random, sizeof(bytes) - 1)];
		line[random_below(&random, 3) ? len : random_below(&random, len)] = '\0';
		next = proc_map_parse(line, &map);
		if (next && (next > line + len || map.path < line || map.path > line + len))
			ck_abort_msg("out of bounds");
		free(line);
	}
}
END_TEST

struct tally {
	uint64_t nr, nr_executable, last_start;
	int fail_at; /* -1: never */
};

static int tally_map(void *ctx, const struct proc_map *map)
{
	struct tally *tally = ctx;

	if ((int)tally->nr == tally->fail_at)
		return -E2BIG;
	tally->nr++;
	tally->nr_executable += map->executable;
	ck_assert_uint_eq(map->start, tally->last_start + 0x2000);
	ck_assert_uint_eq(map->end, map->start + 0x1000);
	ck_assert_uint_eq(map->inode, map->start >> 13);
	tally->last_start = map->start;
	return 0;
}

/* A file of @nr lines of many lengths, and @tail. */
static FILE *write_maps(uint64_t nr, const char *tail)
{
	static const char path[] =
		"/usr/lib/x86_64-linux-gnu/a/long/way/down/to/a/library-that-has-a-name.so.6";
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	for (uint64_t i = 1; i <= nr; i++)
		fprintf(f, "%lx-%lx r-%cp 00000000 08:01 %lu    %.*s\n", i << 13,
			(i << 13) + 0x1000, i % 3 ? '-' : 'x', i, (int)(1 + i % (sizeof(path) - 1)),
			path);
	fputs(tail, f);
	ck_assert_int_eq(fflush(f), 0);
	rewind(f);
	return f;
}

static int read_maps(FILE *f, struct tally *tally)
{
	char_vec scratch = {0};
	int ret = proc_maps_read(fileno(f), &scratch, tally_map, tally);

	ck_assert_uint_lt(scratch.cap, 1 << 17);
	vec_free(&scratch);
	fclose(f);
	return ret;
}

/* More lines than vm.max_map_count usually lets a process have, in little memory. */
START_TEST(a_text_of_any_length)
{
	struct tally tally = {.fail_at = -1};
	FILE *f = write_maps(150000, "");

	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	ck_assert_int_gt(ftell(f), 8 << 20);
	rewind(f);
	ck_assert_int_eq(read_maps(f, &tally), 0);
	ck_assert_uint_eq(tally.nr, 150000);
	ck_assert_uint_eq(tally.nr_executable, 50000);
}
END_TEST

START_TEST(ends_of_a_text)
{
	static char endless[1 << 17];
	struct tally tally = {.fail_at = -1};

	ck_assert_int_eq(read_maps(write_maps(0, ""), &tally), -ESRCH);
	ck_assert_uint_eq(tally.nr, 0);
	/* Up to a line that is none, or that is not whole. */
	ck_assert_int_eq(read_maps(write_maps(2, "none\n"), &tally), 0);
	ck_assert_uint_eq(tally.nr, 2);
	tally = (struct tally){.fail_at = -1};
	ck_assert_int_eq(read_maps(write_maps(2, "6000-7000 r-"), &tally), 0);
	ck_assert_uint_eq(tally.nr, 2);
	memset(endless, 'x', sizeof(endless) - 1);
	tally = (struct tally){.fail_at = -1};
	ck_assert_int_eq(read_maps(write_maps(2, endless), &tally), -EBADMSG);
	tally = (struct tally){.fail_at = 1};
	ck_assert_int_eq(read_maps(write_maps(2, ""), &tally), -E2BIG);
	ck_assert_uint_eq(tally.nr, 1);
}
END_TEST

SUITE_MAIN("proc_maps", a_file, anonymous_memory, large_numbers, permissions, paths, a_long_path,
	   several_lines, what_is_no_line, our_own_maps, damaged_lines, a_text_of_any_length,
	   ends_of_a_text)
