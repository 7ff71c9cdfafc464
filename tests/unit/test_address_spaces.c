// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "common/clock.h"
#include "tests/unit/address_spaces_helper.h"
#include "tests/unit/oom.h"

static bool is_gone_yes(uint32_t pid)
{
	(void)pid;
	return true;
}

static bool is_gone_no(uint32_t pid)
{
	(void)pid;
	return false;
}

START_TEST(ranges_are_half_open)
{
	map(7, 100, "/a", 0x2000, 0x4000, 0x1000);
	map(7, 100, "/b", 0x4000, 0x5000, 0);
	expect(7, 100, 0x1fff, NULL, 0);
	expect(7, 100, 0x2000, "/a", 0x1000);
	expect(7, 100, 0x3fff, "/a", 0x2fff);
	expect(7, 100, 0x4000, "/b", 0);
	expect(7, 100, 0x5000, NULL, 0);
	ck_assert_ptr_null(address_spaces_find(&spaces, 8, 100));
}
END_TEST

START_TEST(empty_mappings_are_ignored)
{
	map(7, 100, "/a", 0x2000, 0x4000, 0);
	map(7, 110, "/b", 0x3000, 0x3000, 0);
	map(7, 110, "/b", 0x3000, 0x2000, 0);
	expect(7, 110, 0x3000, "/a", 0x1000);
	expect(7, 110, 0x2000, "/a", 0);
}
END_TEST

START_TEST(the_end_of_the_address_space)
{
	map(7, 1, "/top", UINT64_MAX - 0xfff, UINT64_MAX, 0);
	expect(7, 1, UINT64_MAX - 1, "/top", 0xffe);
	expect(7, 1, UINT64_MAX - 0x1000, NULL, 0);
	map(7, 2, "/bottom", 0, PAGE, 0);
	expect(7, 2, 0, "/bottom", 0);
}
END_TEST

/* A mapping over the middle leaves two parts whose file offsets go on as before. */
START_TEST(a_mapping_splits_an_older_one)
{
	map(7, 100, "/old", 0x10000, 0x20000, 0x5000);
	map(7, 200, "/new", 0x14000, 0x16000, 0x9000);
	expect(7, 200, 0x13fff, "/old", 0x8fff);
	expect(7, 200, 0x14000, "/new", 0x9000);
	expect(7, 200, 0x15fff, "/new", 0xafff);
	expect(7, 200, 0x16000, "/old", 0xb000);
	expect(7, 200, 0x1ffff, "/old", 0x14fff);
	/* Before, the old mapping covers all. */
	for (uint64_t addr = 0x10000; addr < 0x20000; addr += 0x800)
		expect(7, 199, addr, "/old", addr - 0x10000 + 0x5000);
}
END_TEST

START_TEST(a_mapping_covers_several)
{
	map(7, 100, "/a", 0x10000, 0x12000, 0);
	map(7, 100, "/b", 0x12000, 0x14000, 0);
	map(7, 100, "/c", 0x15000, 0x18000, 0);
	map(7, 200, "/all", 0x11000, 0x16000, 0x7000);
	expect(7, 200, 0x10fff, "/a", 0xfff);
	expect(7, 200, 0x11000, "/all", 0x7000);
	expect(7, 200, 0x14800, "/all", 0xa800);
	expect(7, 200, 0x16000, "/c", 0x1000);
	expect(7, 150, 0x11000, "/a", 0x1000);
	expect(7, 150, 0x13000, "/b", 0x1000);
	expect(7, 150, 0x15000, "/c", 0);
}
END_TEST

START_TEST(times_in_force)
{
	map(7, 100, "/1", 0x1000, 0x2000, 0);
	map(7, 200, "/2", 0x1000, 0x2000, 0);
	map(7, 300, "/3", 0x1000, 0x2000, 0);
	expect(7, 100, 0x1000, "/1", 0);
	expect(7, 199, 0x1000, "/1", 0);
	expect(7, 200, 0x1000, "/2", 0);
	expect(7, 299, 0x1000, "/2", 0);
	expect(7, 300, 0x1000, "/3", 0);
	expect(7, UINT64_MAX, 0x1000, "/3", 0);
	/* For a sample from before the first record there is no better match. */
	expect(7, 99, 0x1000, "/3", 0);
}
END_TEST

/* If all mappings are known, a mapping holds from its record on, but for a hair. */
START_TEST(no_mapping_before_its_record)
{
	ck_assert_int_eq(address_spaces_exec(&spaces, 7, NS_PER_S), 0);
	map(7, 3 * NS_PER_S, "/late", 0x1000, 0x2000, 0);
	expect(7, 3 * NS_PER_S - NS_PER_MS, 0x1000, "/late", 0);
	expect(7, 3 * NS_PER_S - NS_PER_MS - 1, 0x1000, NULL, 0);
	/* While records may be missing, the mapping may have been there long before. */
	address_spaces_distrust(&spaces);
	expect(7, 2 * NS_PER_S, 0x1000, "/late", 0);
	ck_assert_int_eq(address_spaces_trust(&spaces, 7, 4 * NS_PER_S), 0);
	expect(7, 2 * NS_PER_S, 0x1000, "/late", 0);
	map(7, 6 * NS_PER_S, "/later", 0x5000, 0x6000, 0);
	expect(7, 5 * NS_PER_S, 0x5000, NULL, 0);
}
END_TEST

START_TEST(times_of_changes)
{
	const struct address_space *space;

	map(7, 100, "/1", 0x1000, 0x2000, 0);
	map(7, 150, "/other", 0x8000, 0x9000, 0); /* ends nothing */
	map(7, 200, "/2", 0x1000, 0x2000, 0);
	map(7, 300, "/3", 0x1000, 0x2000, 0);
	space = address_spaces_find(&spaces, 7, 300);
	ck_assert(!address_space_has_changed(space, 0, 199));
	ck_assert(address_space_has_changed(space, 0, 200));
	ck_assert(address_space_has_changed(space, 199, 299));
	ck_assert(!address_space_has_changed(space, 200, 299));
	ck_assert(address_space_has_changed(space, 100, 1000));
	ck_assert(!address_space_has_changed(space, 300, 1000));
}
END_TEST

/* The scan of /proc and the side-band may both report a mapping. */
START_TEST(a_repeated_record_changes_nothing)
{
	map(7, 0, "/a", 0x1000, 0x3000, 0x2000);
	map(7, 100, "/a", 0x1000, 0x3000, 0x2000);
	for (uint64_t time = 0; time <= 200; time += 50)
		expect(7, time, 0x2800, "/a", 0x3800);
}
END_TEST

START_TEST(exec_begins_an_empty_space)
{
	struct address_space *before, *after;

	map(7, 100, "/sh", 0x1000, 0x2000, 0);
	before = address_spaces_find(&spaces, 7, 150);
	ck_assert_int_eq(address_spaces_exec(&spaces, 7, 200), 0);
	expect(7, 200, 0x1000, NULL, 0);
	map(7, 201, "/cc", 0x1000, 0x2000, 0);
	expect(7, 199, 0x1000, "/sh", 0);
	expect(7, 201, 0x1000, "/cc", 0);
	after = address_spaces_find(&spaces, 7, 200);
	ck_assert_ptr_ne(before, after);
	ck_assert_ptr_eq(address_spaces_find(&spaces, 7, 199), before);
	ck_assert_uint_ne(before->generation, after->generation);
	ck_assert_uint_eq(before->pid, 7);
	ck_assert_uint_eq(after->pid, 7);
}
END_TEST

START_TEST(fork_copies_the_mappings)
{
	map(7, 100, "/old", 0x1000, 0x2000, 0);
	map(7, 150, "/sh", 0x1000, 0x3000, 0x4000);
	address_spaces_name(&spaces, 7, "shell", 150);
	ck_assert_int_eq(address_spaces_fork(&spaces, 8, 7, 200), 0);
	ck_assert_str_eq(address_spaces_find(&spaces, 8, 200)->name, "shell");
	expect(8, 200, 0x2800, "/sh", 0x5800);
	/* Later changes belong to one of the two. */
	map(7, 300, "/parent", 0x1000, 0x2000, 0);
	map(8, 300, "/child", 0x2000, 0x3000, 0);
	expect(7, 300, 0x1000, "/parent", 0);
	expect(7, 300, 0x2000, "/sh", 0x5000);
	expect(8, 300, 0x1000, "/sh", 0x4000);
	expect(8, 300, 0x2000, "/child", 0);
	expect(8, 250, 0x2000, "/sh", 0x5000);
}
END_TEST

/* Children that change nothing take no memory for the mappings of their parent. */
START_TEST(forks_share_the_mappings)
{
	const struct address_space *parent, *child;

	map(1, 10, "/a", PAGE, 2 * PAGE, 0);
	map(1, 10, "/b", 3 * PAGE, 4 * PAGE, 0);
	for (uint32_t pid = 2; pid < 5; pid++)
		ck_assert_int_eq(address_spaces_fork(&spaces, pid, 1, 20), 0);
	parent = address_spaces_find(&spaces, 1, 20);
	child = address_spaces_find(&spaces, 2, 20);
	ck_assert_ptr_eq(child->memory->live.data, parent->memory->live.data);
	map(2, 30, "/c", PAGE, 2 * PAGE, 0);
	ck_assert_ptr_ne(child->memory->live.data, parent->memory->live.data);
	map(1, 30, "/d", 3 * PAGE, 4 * PAGE, 0);
	expect(1, 40, PAGE, "/a", 0);
	expect(1, 40, 3 * PAGE, "/d", 0);
	expect(2, 40, PAGE, "/c", 0);
	expect(2, 40, 3 * PAGE, "/b", 0);
	for (uint32_t pid = 3; pid < 5; pid++) {
		expect(pid, 40, PAGE, "/a", 0);
		expect(pid, 40, 3 * PAGE, "/b", 0);
	}
}
END_TEST

START_TEST(fork_of_an_unknown_parent)
{
	struct address_space *child;

	ck_assert_int_eq(address_spaces_fork(&spaces, 8, 7, 200), 0);
	child = address_spaces_find(&spaces, 8, 200);
	ck_assert_ptr_nonnull(child);
	ck_assert_uint_eq(child->begin_ns, 200);
	expect(8, 200, 0x1000, NULL, 0);
	ck_assert_ptr_null(address_spaces_find(&spaces, 7, 200));
}
END_TEST

/* An exec keeps the ancestors, and a new process of the same id has others. */
START_TEST(ancestors)
{
	struct address_space *space;
	struct file_place place;

	ck_assert_int_eq(address_spaces_fork(&spaces, 8, 7, 100), 0);
	ck_assert_int_eq(address_spaces_fork(&spaces, 9, 8, 200), 0);
	ck_assert_int_eq(address_spaces_exec(&spaces, 9, 300), 0);
	space = address_spaces_find(&spaces, 9, 300);
	place = address_space_place(space, &(struct mapping){.start = 0x1000, .end = 0x2000});
	ck_assert_uint_eq(place.pid, 9);
	ck_assert_uint_eq(place.start, 0x1000);
	ck_assert_uint_eq(place.end, 0x2000);
	ck_assert_uint_eq(place.ancestors[0], 8);
	ck_assert_uint_eq(place.ancestors[1], 7);
	ck_assert_int_eq(address_spaces_fork(&spaces, 9, 5, 400), 0);
	space = address_spaces_find(&spaces, 9, 400);
	ck_assert_uint_eq(space->ancestors[0], 5);
	ck_assert_uint_eq(space->ancestors[1], 0);
}
END_TEST

/* The process id is used again before the first process is forgotten. */
START_TEST(a_reused_pid)
{
	map(1, 0, "/init", 0x1000, 0x2000, 0);
	map(7, 100, "/first", 0x1000, 0x2000, 0);
	address_spaces_exit(&spaces, 7, 200);
	ck_assert_uint_eq(spaces.nr_exited, 1);
	ck_assert_int_eq(address_spaces_fork(&spaces, 7, 1, 300), 0);
	expect(7, 150, 0x1000, "/first", 0);
	expect(7, 250, 0x1000, "/first", 0);
	expect(7, 300, 0x1000, "/init", 0);
	ck_assert_uint_eq(address_spaces_find(&spaces, 7, 250)->exited_ns, 200);
	ck_assert_uint_eq(address_spaces_find(&spaces, 7, 300)->exited_ns, 0);
	/* The second process lives, so only the first is forgotten. */
	ck_assert_int_eq(address_spaces_forget(&spaces, 400, is_gone_no), 0);
	ck_assert_uint_eq(spaces.nr_exited, 0);
	expect(7, 250, 0x1000, "/init", 0);
}
END_TEST

START_TEST(exit_of_the_unknown_and_twice)
{
	address_spaces_exit(&spaces, 7, 100);
	ck_assert_uint_eq(spaces.nr_exited, 0);
	map(7, 100, "/a", 0x1000, 0x2000, 0);
	address_spaces_exit(&spaces, 7, 200);
	address_spaces_exit(&spaces, 7, 300);
	ck_assert_uint_eq(spaces.nr_exited, 1);
	ck_assert_uint_eq(address_spaces_find(&spaces, 7, 300)->exited_ns, 200);
}
END_TEST

START_TEST(the_oldest_space_stands_for_earlier_times)
{
	struct address_space *first, *got;

	ck_assert_int_eq(address_spaces_exec(&spaces, 7, 100), 0);
	first = address_spaces_find(&spaces, 7, 100);
	ck_assert_int_eq(address_spaces_exec(&spaces, 7, 200), 0);
	ck_assert_ptr_eq(address_spaces_find(&spaces, 7, 50), first);
	ck_assert_int_eq(address_spaces_get(&spaces, 7, 50, &got), 0);
	ck_assert_ptr_eq(got, first);
	/* For an unknown process, a space without a beginning is added. */
	ck_assert_int_eq(address_spaces_get(&spaces, 9, 500, &got), 0);
	ck_assert_uint_eq(got->pid, 9);
	ck_assert_uint_eq(got->begin_ns, 0);
	ck_assert_ptr_eq(address_spaces_find(&spaces, 9, 1), got);
}
END_TEST

START_TEST(forget_keeps_what_samples_may_refer_to)
{
	map(7, 100, "/1", 0x1000, 0x2000, 0);
	map(7, 200, "/2", 0x1000, 0x2000, 0);
	map(7, 300, "/3", 0x1000, 0x2000, 0);
	ck_assert_int_eq(address_spaces_forget(&spaces, 250, is_gone_yes), 0);
	expect(7, 250, 0x1000, "/2", 0);
	expect(7, 299, 0x1000, "/2", 0);
	expect(7, 300, 0x1000, "/3", 0);
	ck_assert_uint_eq(spaces.newest.data[0]->memory->ended.nr, 1);
	ck_assert_int_eq(address_spaces_forget(&spaces, 301, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.data[0]->memory->ended.nr, 0);
	expect(7, 301, 0x1000, "/3", 0);
}
END_TEST

START_TEST(forget_execs)
{
	map(7, 100, "/1", 0x1000, 0x2000, 0);
	for (uint64_t time = 200; time <= 400; time += 100) {
		char path[8];

		ck_assert_int_eq(address_spaces_exec(&spaces, 7, time), 0);
		snprintf(path, sizeof(path), "/%" PRIu64, time / 100);
		map(7, time, path, 0x1000, 0x2000, 0);
	}
	ck_assert_int_eq(address_spaces_forget(&spaces, 250, is_gone_yes), 0);
	expect(7, 250, 0x1000, "/2", 0);
	expect(7, 350, 0x1000, "/3", 0);
	expect(7, 450, 0x1000, "/4", 0);
	/* The oldest space that is left stands for earlier times. */
	expect(7, 150, 0x1000, "/2", 0);
	ck_assert_int_eq(address_spaces_forget(&spaces, 1000, is_gone_yes), 0);
	expect(7, 250, 0x1000, "/4", 0);
	ck_assert_ptr_null(spaces.newest.data[0]->older);
}
END_TEST

START_TEST(forget_the_dead)
{
	for (uint32_t pid = 1; pid <= 100; pid++)
		map(pid, 100, "/a", 0x1000 * pid, 0x1000 * pid + 0x1000, 0);
	for (uint32_t pid = 1; pid <= 100; pid += 2)
		address_spaces_exit(&spaces, pid, 200);
	ck_assert_uint_eq(spaces.nr_exited, 50);
	/* Samples may still refer to them, and later a thread of theirs may go on. */
	ck_assert_int_eq(address_spaces_forget(&spaces, 200, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.nr, 100);
	ck_assert_int_eq(address_spaces_forget(&spaces, 300, is_gone_no), 0);
	ck_assert_uint_eq(spaces.newest.nr, 100);
	expect(1, 300, 0x1000, "/a", 0);
	/* They have gone now. Samples from before that moment come with the next set. */
	ck_assert_int_eq(address_spaces_forget(&spaces, 300, is_gone_yes), 0);
	expect(1, 310, 0x1000, "/a", 0);
	ck_assert_int_eq(address_spaces_forget(&spaces, 320, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.nr, 50);
	ck_assert_uint_eq(spaces.nr_exited, 0);
	for (uint32_t pid = 1; pid <= 100; pid++) {
		if (pid % 2)
			ck_assert_ptr_null(address_spaces_find(&spaces, pid, 300));
		else
			expect(pid, 300, 0x1000 * pid, "/a", 0);
	}
}
END_TEST

/* If the exit of a process may have been missed, it counts as one, with the same respite. */
START_TEST(forget_the_missed)
{
	map(1, 100, "/a", 0x1000, 0x2000, 0);
	map(2, 100, "/a", 0x1000, 0x2000, 0);
	address_spaces_distrust(&spaces);
	ck_assert_int_eq(address_spaces_forget(&spaces, 200, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.nr, 2);
	ck_assert_int_eq(address_spaces_forget(&spaces, 300, is_gone_no), 0);
	ck_assert_int_eq(address_spaces_forget(&spaces, 300, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.nr, 2);
	address_spaces_distrust(&spaces);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(address_spaces_forget(&spaces, 400, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.newest.nr, 0);
}
END_TEST

/* Files without a mapping are swept. Mappings follow the files that move. */
START_TEST(forget_sweeps_files)
{
	char path[32];

	for (uint32_t i = 0; i < 4000; i++) {
		snprintf(path, sizeof(path), "/file%u", i);
		map(7, 100 + i, path, PAGE * (1 + i % 100), PAGE * (2 + i % 100), 0);
	}
	ck_assert_uint_eq(spaces.files.files.nr, 4000);
	/* In force are 3900 to 3999; 3800 to 3899 ended at the time of 3900 and later. */
	ck_assert_int_eq(address_spaces_forget(&spaces, 100 + 3900, is_gone_yes), 0);
	ck_assert_uint_eq(spaces.files.files.nr, 200);
	for (uint32_t i = 3900; i < 4000; i++) {
		snprintf(path, sizeof(path), "/file%u", i);
		expect(7, 5000, PAGE * (1 + i % 100), path, 0);
		snprintf(path, sizeof(path), "/file%u", i - 100);
		expect(7, 100 + i - 1, PAGE * (1 + i % 100), path, 0);
	}
	/* A file that was kept is found again. A file that was swept is new. */
	map(7, 6000, "/file3999", PAGE * 500, PAGE * 501, 0);
	ck_assert_uint_eq(spaces.files.files.nr, 200);
	map(7, 6000, "/file0", PAGE * 501, PAGE * 502, 0);
	ck_assert_uint_eq(spaces.files.files.nr, 201);
}
END_TEST

/* Each sweep leaves out a file before those of processes 7 and 8, and many others. */
static void sweep_before(uint32_t round)
{
	const size_t nr = spaces.files.files.nr;
	char path[32];

	map(10, 100 + round, "/stays", round * PAGE, (round + 1) * PAGE, 0);
	for (uint32_t i = 0; i < 3000; i++) {
		snprintf(path, sizeof(path), "/file%u", i);
		map(11, 10000 * (round + 1) + i, path, PAGE, 2 * PAGE, 0);
	}
	map(11, 10000 * (round + 2), "/stays", PAGE, 2 * PAGE, 0);
	ck_assert_int_eq(address_spaces_forget(&spaces, 100000, is_gone_no), 0);
	ck_assert_uint_eq(spaces.files.files.nr, nr - (round ? 1 : 0));
}

/* Files get new numbers again and again, and everybody who maps them has these once. */
START_TEST(every_sweep_moves_files)
{
	enum { NR = 3 };

	for (uint32_t i = 0; i < NR; i++)
		map(10, 10, (const char *[]){"/one", "/two", "/three"}[i], i * PAGE, (i + 1) * PAGE,
		    0);
	map(7, 10, "/before", PAGE, 2 * PAGE, 0);
	ck_assert_int_eq(address_spaces_exec(&spaces, 7, 200000), 0);
	map(7, 200001, "/ended", PAGE, 2 * PAGE, 0);
	map(7, 200010, "/after", PAGE, 2 * PAGE, 0);
	ck_assert_int_eq(address_spaces_fork(&spaces, 8, 7, 200020), 0);
	for (uint32_t round = 0; round < NR; round++) {
		sweep_before(round);
		expect(7, 199999, PAGE, "/before", 0);
		expect(7, 200005, PAGE, "/ended", 0);
		expect(7, 200030, PAGE, "/after", 0);
		expect(8, 200030, PAGE, "/after", 0);
	}
}
END_TEST

START_TEST(many_processes_and_mappings)
{
	for (uint32_t pid = 1; pid <= 3000; pid++)
		map(pid, pid, "/a", PAGE, 2 * PAGE, pid * PAGE);
	/*
	 * The order is neither ascending nor descending, since 7 and 4000 have no common divisor.
	 */
	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t at = i * 7 % 4000;

		map(3001, 5000, "/b", 2 * at * PAGE, (2 * at + 1) * PAGE, at * PAGE);
	}
	for (uint32_t pid = 1; pid <= 3000; pid++)
		expect(pid, 5000, PAGE, "/a", pid * PAGE);
	for (uint64_t i = 0; i < 4000; i++) {
		expect(3001, 5000, 2 * i * PAGE + 5, "/b", i * PAGE + 5);
		expect(3001, 5000, (2 * i + 1) * PAGE, NULL, 0);
	}
}
END_TEST

/* The kernel does not tell of mappings that go away. Those that add up end together. */
START_TEST(mappings_that_add_up)
{
	struct address_space *space;

	ck_assert_int_eq(address_spaces_exec(&spaces, 1, 1), 0);
	for (uint64_t i = 0; i < MAPPED_MEMORY_MAX; i++)
		map(1, 10, "/a", 2 * i * PAGE, (2 * i + 1) * PAGE, i * PAGE);
	space = address_spaces_find(&spaces, 1, 10);
	ck_assert(space->memory->complete);
	map(1, 20, "/b", 1 * PAGE, 2 * PAGE, 0);
	ck_assert(!space->memory->complete);
	ck_assert_uint_eq(space->memory->live.nr, 1);
	expect(1, 19, 4 * PAGE, "/a", 2 * PAGE);
	expect(1, 20, 4 * PAGE, NULL, 0);
	expect(1, 20, 1 * PAGE, "/b", 0);
	ck_assert(spaces.has_many_ended);
	ck_assert_int_eq(address_spaces_forget(&spaces, 30, is_gone_no), 0);
	ck_assert(!spaces.has_many_ended);
}
END_TEST

/* A limit that nearly holds what is there now. */
static void make_memory_short(void)
{
	memory.max_bytes = memory.used_bytes + memory.used_bytes / 8;
}

/* The process with most mappings loses them, and has new ones after an exec. */
START_TEST(the_heaviest_process_loses_its_mappings)
{
	map(1, 10, "/a", PAGE, 2 * PAGE, 0);
	for (uint64_t i = 0; i < 2000; i++)
		map(2, 10, "/b", 2 * i * PAGE, (2 * i + 1) * PAGE, i * PAGE);
	ck_assert_int_eq(address_spaces_fork(&spaces, 3, 2, 10), 0);
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	ck_assert(!address_spaces_refuse(&spaces, 2, 10));
	make_memory_short();
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	ck_assert(!memory_budget_is_used(&memory, MEMORY_MAPPINGS_LOW));
	expect(1, 20, PAGE, "/a", 0);
	expect(2, 20, 2 * PAGE, NULL, 0);
	expect(3, 20, 2 * PAGE, NULL, 0);
	ck_assert_uint_eq(spaces.nr_left_out, 4000);
	ck_assert(!address_spaces_refuse(&spaces, 1, 20));
	ck_assert(address_spaces_refuse(&spaces, 2, 20));
	ck_assert(address_spaces_refuse(&spaces, 3, 20));
	ck_assert_uint_eq(spaces.nr_left_out, 4002);
	map(2, 20, "/c", PAGE, 2 * PAGE, 0);
	expect(2, 20, PAGE, NULL, 0);
	ck_assert_int_eq(address_spaces_trust(&spaces, 2, 20), 0);
	ck_assert(!address_spaces_find(&spaces, 2, 20)->memory->complete);
	ck_assert_int_eq(address_spaces_exec(&spaces, 2, 30), 0);
	ck_assert(!address_spaces_refuse(&spaces, 2, 30));
	map(2, 30, "/c", PAGE, 2 * PAGE, 0);
	expect(2, 30, PAGE, "/c", 0);
}
END_TEST

/* Those from before an exec, which samples may still mean, weigh as much. */
START_TEST(mappings_before_an_exec)
{
	for (uint64_t i = 0; i < 2000; i++)
		map(2, 10, "/b", 2 * i * PAGE, (2 * i + 1) * PAGE, i * PAGE);
	ck_assert_int_eq(address_spaces_exec(&spaces, 2, 20), 0);
	map(2, 30, "/c", PAGE, 2 * PAGE, 0);
	make_memory_short();
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	expect(2, 30, PAGE, "/c", 0);
	expect(2, 15, 2 * PAGE, NULL, 0);
	ck_assert(!address_spaces_refuse(&spaces, 2, 30));
}
END_TEST

/* As long as there is room, nobody loses anything, and those without room have lost all. */
START_TEST(room_is_made_when_it_is_needed)
{
	for (uint64_t i = 0; i < 2000; i++)
		map(2, 10, "/b", 2 * i * PAGE, (2 * i + 1) * PAGE, i * PAGE);
	memory.max_bytes = 2 * memory.used_bytes;
	while (!memory_budget_is_used(&memory, MEMORY_MAPPINGS_LOW))
		memory.max_bytes -= memory.max_bytes / 64;
	ck_assert(!memory_budget_is_used(&memory, MEMORY_MAPPINGS));
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	ck_assert(!spaces.is_full);
	expect(2, 20, 2 * PAGE, "/b", PAGE);
	make_memory_short();
	spaces.is_full = true;
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	expect(2, 20, 2 * PAGE, "/b", PAGE);
}
END_TEST

/* Long paths weigh, too. They go with the mappings. */
START_TEST(the_process_with_the_longest_paths)
{
	char path[4000];

	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "/%0*d", (int)sizeof(path) - 2, i);
		map(1, 10, path, 2 * i * PAGE, (2 * i + 1) * PAGE, 0);
		map(2, 10, "/short", 2 * i * PAGE, (2 * i + 1) * PAGE, 0);
	}
	make_memory_short();
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	expect(1, 20, 0, NULL, 0);
	expect(2, 20, 0, "/short", 0);
	ck_assert_uint_eq(spaces.files.files.nr, 1);
}
END_TEST

/* If all processes are small, no further mapping is kept, until there is room again. */
START_TEST(many_small_processes)
{
	for (uint32_t pid = 1; pid <= 1000; pid++)
		map(pid, 10, "/a", PAGE, 2 * PAGE, 0);
	make_memory_short();
	ck_assert_int_eq(address_spaces_make_room(&spaces), 0);
	ck_assert(spaces.is_full);
	expect(1, 20, PAGE, "/a", 0);
	ck_assert(address_spaces_refuse(&spaces, 1, 20));
	expect(1, 20, PAGE, NULL, 0); /* nobody knows whether the old mapping still holds */
	ck_assert_uint_eq(spaces.nr_left_out, 2);
	ck_assert_int_eq(address_spaces_forget(&spaces, 30, is_gone_no), 0);
	ck_assert(spaces.is_full);
	for (uint32_t pid = 2; pid <= 1000; pid++)
		address_spaces_exit(&spaces, pid, 30);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(address_spaces_forget(&spaces, 40, is_gone_yes), 0);
	ck_assert(!spaces.is_full);
	ck_assert(!address_spaces_refuse(&spaces, 1, 40));
	map(1, 40, "/a", PAGE, 2 * PAGE, 0);
	expect(1, 40, PAGE, "/a", 0);
}
END_TEST

static int run_until_out_of_memory(void)
{
	char path[32];
	int ret = 0;

	for (uint32_t i = 0; !ret && i < 40; i++) {
		snprintf(path, sizeof(path), "/file%u", i);
		ret = try_map(1, i, path, i * PAGE, (i + 2) * PAGE, 0);
	}
	for (uint32_t pid = 2; !ret && pid < 60; pid++)
		ret = address_spaces_fork(&spaces, pid, 1, 100 + pid);
	if (!ret)
		ret = address_spaces_exec(&spaces, 5, 200);
	if (!ret)
		ret = try_map(1, 300, "/over", 0, 30 * PAGE, 0);
	if (!ret)
		address_spaces_exit(&spaces, 7, 300);
	for (int i = 0; !ret && i < 2; i++)
		ret = address_spaces_forget(&spaces, 400, is_gone_yes);
	return ret;
}

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		int ret = run_until_out_of_memory();

		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end_spaces();
		begin_spaces();
	}
}
END_TEST

SUITE_MAIN_WITH("address_spaces", begin_spaces, end_spaces, ranges_are_half_open,
		empty_mappings_are_ignored, the_end_of_the_address_space,
		a_mapping_splits_an_older_one, a_mapping_covers_several, times_in_force,
		no_mapping_before_its_record, times_of_changes, a_repeated_record_changes_nothing,
		exec_begins_an_empty_space, fork_copies_the_mappings, forks_share_the_mappings,
		fork_of_an_unknown_parent, ancestors, a_reused_pid, exit_of_the_unknown_and_twice,
		the_oldest_space_stands_for_earlier_times, forget_keeps_what_samples_may_refer_to,
		forget_execs, forget_the_dead, forget_the_missed, forget_sweeps_files,
		every_sweep_moves_files, many_processes_and_mappings, mappings_that_add_up,
		the_heaviest_process_loses_its_mappings, mappings_before_an_exec,
		room_is_made_when_it_is_needed, the_process_with_the_longest_paths,
		many_small_processes, out_of_memory)
