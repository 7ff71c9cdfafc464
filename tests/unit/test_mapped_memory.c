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

/* Mappings that touch a range are not in it. */
START_TEST(neighbours_stay_as_they_are)
{
	map(1, "/a", 10, 2, 0);
	map(1, "/b", 14, 2, 0);
	map(5, "/c", 12, 2, 0);
	ck_assert_str_eq(listed(), "/a:10+2@0 /c:12+2@0 /b:14+2@0 ");
	ck_assert_uint_eq(memory->ended.nr, 0);
	/* The same range, of another file. */
	map(6, "/d", 12, 2, 0);
	ck_assert_uint_eq(memory->ended.nr, 1);
	ck_assert_str_eq(listed(), "/a:10+2@0 /d:12+2@0 /b:14+2@0 ");
	/* Only what was there moves, and it grows at its end. */
	ck_assert_int_eq(move(12, 2, 30, 5, false), 0);
	ck_assert_str_eq(listed(), "/a:10+2@0 /b:14+2@0 /d:30+5@0 ");
	/* One that ends before the end of the range does not grow. */
	ck_assert_int_eq(move(30, 6, 40, 8, false), 0);
	ck_assert_str_eq(listed(), "/a:10+2@0 /b:14+2@0 /d:40+5@0 ");
	/* The new range is too short for the second one. */
	map(7, "/e", 45, 2, 0);
	ck_assert_int_eq(move(40, 7, 50, 5, true), 0);
	ck_assert_str_eq(listed(), "/a:10+2@0 /b:14+2@0 /d:40+5@0 /e:45+2@0 /d:50+5@0 ");
}
END_TEST

START_TEST(parts_beside_an_overlap)
{
	map(1, "/a", 10, 6, 2);
	map(5, "/b", 12, 2, 0);
	ck_assert_str_eq(listed(), "/a:10+2@2 /b:12+2@0 /a:14+2@6 ");
	ck_assert_uint_eq(memory->ended.nr, 1);
	ck_assert_uint_eq(memory->ended.data[0].start, 12 * PAGE);
	ck_assert_uint_eq(memory->ended.data[0].end, 14 * PAGE);
	ck_assert_uint_eq(memory->ended.data[0].pgoff, 4 * PAGE);
	ck_assert_uint_eq(memory->ended.data[0].end_ns, 5);
	/* Over the end of one, all of the next, and the beginning of the last. */
	map(6, "/c", 11, 4, 0);
	ck_assert_str_eq(listed(), "/a:10+1@2 /c:11+4@0 /a:15+1@7 ");
	ck_assert_uint_eq(memory->ended.nr, 4);
}
END_TEST

START_TEST(times_of_mappings)
{
	memory->complete_ns = 2000;
	map(1000, "/a", 10, 2, 0);
	map(5000, "/b", 10, 2, 0);
	ck_assert_str_eq(path_at(10, 1000), "/a");
	ck_assert_str_eq(path_at(10, 4999), "/a");
	ck_assert_str_eq(path_at(11, 4999), "/a");
	ck_assert_str_eq(path_at(10, 5000), "/b");
	ck_assert_str_eq(path_at(12, 4999), "nothing");
	ck_assert_str_eq(path_at(9, 4999), "nothing");
	/* Before that, /proc may have told late. */
	ck_assert_str_eq(path_at(10, 999), "/b");
	ck_assert(!mapped_memory_has_changed(memory, 5000, 9000));
	ck_assert(mapped_memory_has_changed(memory, 4999, 5000));
	ck_assert(!mapped_memory_has_changed(memory, 1, 4999));
	mapped_memory_forget(memory, 5000);
	ck_assert_uint_eq(memory->ended.nr, 1);
	mapped_memory_forget(memory, 5001);
	ck_assert_uint_eq(memory->ended.nr, 0);
	ck_assert_uint_eq(memory->ended.cap, 0);
	/* A record may come a millisecond late, when all is known. */
	map(5000000, "/c", 20, 2, 0);
	ck_assert_str_eq(path_at(20, 4000000), "/c");
	ck_assert_str_eq(path_at(20, 3999999), "nothing");
	ck_assert_str_eq(path_at(20, 1999), "/c");
	ck_assert_str_eq(path_at(20, 2000), "nothing");
	memory->complete = false;
	ck_assert_str_eq(path_at(20, 3999999), "/c");
}
END_TEST

START_TEST(a_memory_that_is_closed)
{
	map(1, "/a", 10, 2, 0);
	map(2, "/b", 10, 2, 0);
	map(3, "/c", 20, 2, 0);
	ck_assert_uint_eq(mapped_memory_close(memory), 2);
	ck_assert_str_eq(listed(), "");
	ck_assert_uint_eq(memory->ended.nr, 0);
	ck_assert(!memory->complete);
	map(4, "/a", 10, 2, 0);
	ck_assert_str_eq(listed(), "");
	mapped_memory_open(memory);
	map(5, "/a", 10, 2, 0);
	ck_assert_str_eq(listed(), "/a:10+2@0 ");
}
END_TEST

/* At the limit all that is there ends, and the newest mapping alone is left. */
START_TEST(too_many_mappings)
{
	for (uint64_t i = 0; i < MAPPED_MEMORY_MAX; i++)
		map(1, "/a", 10 + 2 * i, 1, 0);
	ck_assert_uint_eq(memory->live.nr, MAPPED_MEMORY_MAX);
	ck_assert(memory->complete);
	map(7, "/b", 5, 1, 0);
	ck_assert_str_eq(listed(), "/b:5+1@0 ");
	ck_assert_uint_eq(memory->ended.nr, MAPPED_MEMORY_MAX);
	ck_assert_uint_eq(memory->ended.data[9].end_ns, 7);
	ck_assert(!memory->complete);
}
END_TEST

/* Live mappings that memories share are paid once. */
START_TEST(bytes_are_paid)
{
	struct memory_budget budget = {.max_bytes = 1 << 20};
	struct mapped_memory *first = mapped_memory_create(&budget), *second;
	struct mapping m = {.end = PAGE, .end_ns = UINT64_MAX};
	struct mapped_file_key key = {.path = "/a"};
	size_t alone, list;

	ck_assert_uint_eq(budget.used_bytes, sizeof(*first));
	ck_assert_int_eq(mapped_files_get(&files, &key, &m.file), 0);
	ck_assert_int_eq(mapped_memory_map(first, &files, &m), 0);
	list = vec_bytes(&first->live);
	alone = budget.used_bytes;
	ck_assert_uint_eq(alone, sizeof(*first) + list);
	ck_assert_uint_eq(mapped_memory_weight(first, &files), list + 2);
	second = mapped_memory_create(&budget);
	ck_assert_int_eq(mapped_memory_copy(first, second), 0);
	ck_assert_uint_eq(budget.used_bytes, alone + sizeof(*second) + sizeof(struct live_share));
	/* The second one gets mappings of its own. */
	m.begin_ns = 9;
	m.pgoff = PAGE;
	ck_assert_int_eq(mapped_memory_map(second, &files, &m), 0);
	ck_assert_uint_eq(second->ended.nr, 1);
	ck_assert_uint_eq(budget.used_bytes, 2 * sizeof(*first) + sizeof(struct live_share) + list +
						     vec_bytes(&second->live) +
						     vec_bytes(&second->ended));
	ck_assert_uint_eq(mapped_memory_weight(second, &files),
			  vec_bytes(&second->live) + vec_bytes(&second->ended) + 4);
	mapped_memory_release(first);
	ck_assert_uint_eq(budget.used_bytes,
			  sizeof(*second) + vec_bytes(&second->live) + vec_bytes(&second->ended));
	mapped_memory_close(second);
	ck_assert_uint_eq(budget.used_bytes, sizeof(*second));
	mapped_memory_release(second);
	ck_assert_uint_eq(budget.used_bytes, 0);
}
END_TEST

/* Files get new numbers, once for each list. */
START_TEST(numbers_of_files_change)
{
	static const uint32_t moved[] = {4, 5, 6, 7};
	struct mapped_memory *copy = mapped_memory_create(NULL);
	bool used[4] = {false};

	map(1, "/a", 10, 1, 0);
	map(1, "/b", 12, 1, 0);
	map(2, "/c", 12, 1, 0);
	memory->live.data[1].text = 3 + 1;
	memory->ended.data[0].text = 0;
	mapped_memory_mark_files(memory, used);
	ck_assert(used[0] && used[1] && used[2] && used[3]);
	ck_assert_int_eq(mapped_memory_copy(memory, copy), 0);
	for (int i = 0; i < 2; i++) {
		mapped_memory_move_files(memory, moved);
		mapped_memory_move_files(copy, moved);
	}
	ck_assert_uint_eq(copy->live.data[0].file, 4);
	ck_assert_uint_eq(copy->live.data[1].file, 6);
	ck_assert_uint_eq(copy->live.data[1].text, 7 + 1);
	ck_assert_uint_eq(copy->live.data[0].text, 0);
	ck_assert_uint_eq(memory->ended.data[0].file, 5);
	mapped_memory_end_move(memory);
	mapped_memory_end_move(copy);
	ck_assert(!memory->is_moved && !copy->is_moved && !memory->share->is_moved);
	/* The files have no such numbers. */
	mapped_memory_release(copy);
	vec_clear(&memory->live);
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
		copies_move_apart, a_mapping_that_is_told_twice, neighbours_stay_as_they_are,
		parts_beside_an_overlap, times_of_mappings, a_memory_that_is_closed,
		too_many_mappings, bytes_are_paid, numbers_of_files_change, out_of_memory)
