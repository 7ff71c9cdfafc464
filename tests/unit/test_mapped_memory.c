// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mapped_memory.h"

#include <stdio.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define PAGE UINT64_C(0x1000)

static struct mapped_files files;
static struct mapped_memory *memory;

static int try_map(uint64_t time_ns, const char *path, uint64_t page, uint64_t nr, uint64_t off)
{
	struct mapping m = {.start = page * PAGE,
			    .end = (page + nr) * PAGE,
			    .pgoff = off * PAGE,
			    .begin_ns = time_ns,
			    .end_ns = UINT64_MAX};
	struct mapped_file_key key = {.path = path};
	int ret = mapped_files_get(&files, &key, &m.file);

	return ret ? ret : mapped_memory_map(memory, &files, &m);
}

static void map(uint64_t time_ns, const char *path, uint64_t page, uint64_t nr, uint64_t off)
{
	ck_assert_int_eq(try_map(time_ns, path, page, nr, off), 0);
}

/* Moves @nr pages at @page at time 100. */
static int move(uint64_t page, uint64_t nr, uint64_t to, uint64_t new_nr, bool keeps_old)
{
	const struct mapped_move m = {.time_ns = 100,
				      .old_addr = page * PAGE,
				      .old_size = nr * PAGE,
				      .new_addr = to * PAGE,
				      .new_size = new_nr * PAGE,
				      .keeps_old = keeps_old};

	return mapped_memory_move(memory, &files, &m);
}

/* The live mappings as "path:page+nr@offset", in pages, with " " after each. */
static const char *listed(void)
{
	static char text[256];
	size_t at = 0;

	text[0] = '\0';
	vec_for_each(&memory->live, m)
		at += snprintf(text + at, sizeof(text) - at, "%s:%d+%d@%d ",
			       mapping_file(&files, m)->path, (int)(m->start / PAGE),
			       (int)((m->end - m->start) / PAGE), (int)(m->pgoff / PAGE));
	return text;
}

/* The path at @page at @time_ns. */
static const char *path_at(uint64_t page, uint64_t time_ns)
{
	const struct mapping *m = mapped_memory_lookup(memory, page * PAGE, time_ns);

	return m ? mapping_file(&files, m)->path : "nothing";
}

static void begin(void)
{
	memory = mapped_memory_create(NULL);
	ck_assert_ptr_nonnull(memory);
	memory->complete = true;
}

static void end(void)
{
	mapped_memory_release(memory);
	mapped_files_deinit(&files);
}

START_TEST(code_moves_onto_other_code)
{
	map(1, "/a", 10, 4, 1);
	map(1, "/b", 20, 4, 1);
	ck_assert_int_eq(move(20, 4, 10, 4, false), 0);
	ck_assert_str_eq(listed(), "/b:10+4@1 ");
	ck_assert_str_eq(path_at(10, 99), "/a");
	ck_assert_str_eq(path_at(10, 100), "/b");
	ck_assert_str_eq(path_at(20, 99), "/b");
	ck_assert_str_eq(path_at(20, 100), "nothing");
	ck_assert(memory->complete);
	/* Each place had another meaning before. */
	ck_assert(mapped_memory_has_changed(memory, 50, 100));
}
END_TEST

START_TEST(a_part_of_code_moves)
{
	map(1, "/a", 10, 8, 3);
	ck_assert_int_eq(move(12, 2, 30, 2, false), 0);
	ck_assert_str_eq(listed(), "/a:10+2@3 /a:14+4@7 /a:30+2@5 ");
}
END_TEST

START_TEST(several_mappings_move)
{
	map(1, "/a", 10, 2, 0);
	map(1, "/b", 13, 2, 0);
	ck_assert_int_eq(move(10, 5, 30, 5, false), 0);
	ck_assert_str_eq(listed(), "/a:30+2@0 /b:33+2@0 ");
}
END_TEST

START_TEST(sizes_change)
{
	map(1, "/a", 10, 4, 2);
	ck_assert_int_eq(move(10, 4, 30, 6, false), 0);
	ck_assert_str_eq(listed(), "/a:30+6@2 ");
	ck_assert_int_eq(move(30, 6, 10, 2, false), 0);
	ck_assert_str_eq(listed(), "/a:10+2@2 ");
	/* In place, with something after it. */
	map(1, "/b", 12, 2, 0);
	ck_assert_int_eq(move(10, 2, 10, 1, false), 0);
	ck_assert_str_eq(listed(), "/a:10+1@2 /b:12+2@0 ");
	ck_assert_int_eq(move(10, 1, 10, 2, false), 0);
	ck_assert_str_eq(listed(), "/a:10+2@2 /b:12+2@0 ");
}
END_TEST

START_TEST(the_old_range_stays)
{
	map(1, "/a", 10, 4, 2);
	ck_assert_int_eq(move(10, 4, 30, 4, true), 0);
	ck_assert_str_eq(listed(), "/a:10+4@2 /a:30+4@2 ");
	/* An old size of 0 maps shared memory once more. */
	ck_assert_int_eq(move(11, 0, 40, 2, true), 0);
	ck_assert_str_eq(listed(), "/a:10+4@2 /a:30+4@2 /a:40+2@3 ");
}
END_TEST

START_TEST(memory_without_a_file_has_no_offset)
{
	map(1, "//anon", 10, 4, 0);
	ck_assert_int_eq(move(12, 2, 30, 2, false), 0);
	ck_assert_uint_eq(memory->live.data[1].pgoff, 0);
}
END_TEST

/* Nobody has told of the code that moves. */
START_TEST(unknown_code_moves)
{
	map(1, "/a", 10, 4, 0);
	ck_assert_int_eq(move(50, 2, 11, 2, false), 0);
	ck_assert_str_eq(listed(), "/a:10+1@0 /a:13+1@3 ");
	ck_assert(!memory->complete);
}
END_TEST

START_TEST(absurd_ranges)
{
	const struct mapped_move wraps = {
		.old_addr = 10 * PAGE, .old_size = UINT64_MAX, .new_addr = PAGE, .new_size = PAGE};

	map(1, "/a", 10, 4, 0);
	ck_assert_int_eq(mapped_memory_move(memory, &files, &wraps), 0);
	ck_assert_str_eq(listed(), "/a:10+4@0 ");
}
END_TEST

/* A copy shares the list until one of them changes, and both may move. */
START_TEST(copies_move_apart)
{
	struct mapped_memory *first = memory, *copy = mapped_memory_create(NULL);

	ck_assert_ptr_nonnull(copy);
	map(1, "/a", 10, 4, 0);
	ck_assert_int_eq(mapped_memory_copy(memory, copy), 0);
	ck_assert_ptr_eq(copy->live.data, memory->live.data);
	ck_assert(copy->complete);
	memory = copy;
	ck_assert_int_eq(move(10, 4, 30, 4, false), 0);
	ck_assert_str_eq(listed(), "/a:30+4@0 ");
	memory = first;
	ck_assert_str_eq(listed(), "/a:10+4@0 ");
	mapped_memory_release(copy);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		int ret;

		end();
		begin();
		ret = try_map(1, "/a", 10, 4, 0);
		if (!ret)
			ret = try_map(1, "/b", 20, 4, 0);
		if (!ret)
			ret = move(20, 4, 11, 4, false);
		if (!ret)
			ck_assert_str_eq(listed(), "/a:10+1@0 /b:11+4@0 ");
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
	}
}
END_TEST

/* The file of the mapping at page 1 when the next look finds @next where it found @first. */
static uint32_t file_after(const struct mapped_file_key *first, const struct mapped_file_key *next,
			   uint32_t *told)
{
	const struct mapped_file_key *keys[] = {first, next};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct mapping m = {.start = PAGE,
				    .end = 2 * PAGE,
				    .begin_ns = 10 * (i + 1),
				    .end_ns = UINT64_MAX};

		ck_assert_int_eq(mapped_files_get(&files, keys[i], &m.file), 0);
		ck_assert_int_eq(mapped_memory_map(memory, &files, &m), 0);
		*told = m.file;
	}
	return mapped_memory_lookup(memory, PAGE, 25)->file;
}

/* The scan and the side-band tell of one mapping; but a file may be written anew at its place. */
START_TEST(a_mapping_that_is_told_twice)
{
	const struct file_identity stat = {
		.is_stat = true, .dev = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5};
	const struct build_id id = {.size = 2, .bytes = {1, 2}};
	struct mapped_file_key a = {.path = "/lib", .identity = stat}, b = a;
	uint32_t told;

	/* Stat and the list of mappings can tell different devices. */
	a.identity.is_stat = b.identity.is_stat = false;
	b.identity.dev++;
	ck_assert_uint_ne(file_after(&a, &b, &told), told);
	/* The kernel tells of files with a build-id no more than that. */
	a.build_id = b.build_id = &id;
	ck_assert_uint_eq(file_after(&a, &b, &told), told);
	a.identity = b.identity = stat;
	a.build_id = b.build_id = NULL;
	ck_assert_uint_eq(file_after(&a, &b, &told), told);
#define EXPECT_ANEW(member, value)                                                                 \
	b.identity = stat;                                                                         \
	b.identity.member = value;                                                                 \
	ck_assert_uint_eq(file_after(&a, &b, &told), told);                                        \
	ck_assert_uint_eq(file_after(&b, &a, &told), told)
	EXPECT_ANEW(size, 4);
	EXPECT_ANEW(mtime_ns, 5);
	EXPECT_ANEW(ctime_ns, 6);
	EXPECT_ANEW(inode, 7);
	EXPECT_ANEW(is_stat, false);
}
END_TEST

SUITE_MAIN_WITH("mapped_memory", begin, end, code_moves_onto_other_code, a_part_of_code_moves,
		several_mappings_move, sizes_change, the_old_range_stays,
		memory_without_a_file_has_no_offset, unknown_code_moves, absurd_ranges,
		copies_move_apart, a_mapping_that_is_told_twice, out_of_memory)
