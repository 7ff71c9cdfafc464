// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/short_lives.h"
#include "tests/unit/suite.h"

static struct short_lives lives;
static bool is_gone = true;

static void begin(void)
{
	is_gone = true;
}

static void end(void)
{
	short_lives_deinit(&lives);
	lives = (struct short_lives){0};
}

static bool say_gone(uint32_t pid)
{
	(void)pid;
	return is_gone;
}

static void note(enum sideband_type type, uint64_t time_ns, uint32_t pid, uint32_t parent)
{
	const struct sideband_record record = {
		.type = type, .time_ns = time_ns, .pid = pid, .tid = pid, .parent_pid = parent};

	ck_assert_int_eq(short_lives_note(&lives, &record), 0);
}

static void note_life(uint64_t time_ns, uint32_t pid, uint32_t parent)
{
	note(SIDEBAND_FORK, time_ns, pid, parent);
	note(SIDEBAND_EXEC, time_ns + 1, pid, 0);
	note(SIDEBAND_MMAP, time_ns + 2, pid, 0);
	note(SIDEBAND_EXIT, time_ns + 9, pid, 0);
}

static void judge(void)
{
	short_lives_judge(&lives, 2000, say_gone);
}

static bool passes(enum sideband_type type, uint64_t time_ns, uint32_t pid)
{
	return short_lives_pass(&lives, &(const struct sideband_record){
						.type = type, .time_ns = time_ns, .pid = pid});
}

START_TEST(unsampled_lives_are_passed_over)
{
	note_life(10, 7, 1);
	note_life(20, 8, 1);
	short_lives_need(&lives, 8);
	judge();
	ck_assert(passes(SIDEBAND_FORK, 10, 7));
	ck_assert(passes(SIDEBAND_EXIT, 19, 7));
	/* Of the process before and after it that had its pid. */
	ck_assert(!passes(SIDEBAND_MMAP, 9, 7));
	ck_assert(!passes(SIDEBAND_MMAP, 20, 7));
	ck_assert(!passes(SIDEBAND_MMAP, 22, 8));
	ck_assert(!passes(SIDEBAND_MMAP, 22, 1));
}
END_TEST

START_TEST(unfinished_lives_are_kept)
{
	note(SIDEBAND_EXIT, 5, 6, 0);
	note(SIDEBAND_FORK, 10, 7, 1);
	note_life(1995, 8, 1);
	judge();
	ck_assert(!passes(SIDEBAND_EXIT, 5, 6));
	ck_assert(!passes(SIDEBAND_FORK, 10, 7));
	/* Records of children may still be missing there. */
	ck_assert(!passes(SIDEBAND_FORK, 1995, 8));
}
END_TEST

START_TEST(processes_that_are_there_are_kept)
{
	is_gone = false;
	note_life(10, 7, 1);
	judge();
	ck_assert(!passes(SIDEBAND_FORK, 10, 7));
}
END_TEST

START_TEST(parents_of_others_are_kept)
{
	note(SIDEBAND_FORK, 10, 7, 1);
	note(SIDEBAND_FORK, 20, 8, 7);
	note(SIDEBAND_EXIT, 30, 7, 0);
	note(SIDEBAND_FORK, 40, 9, 1);
	note_life(50, 10, 9);
	note(SIDEBAND_EXIT, 70, 9, 0);
	judge();
	ck_assert(!passes(SIDEBAND_FORK, 10, 7));
	ck_assert(!passes(SIDEBAND_FORK, 20, 8));
	ck_assert(passes(SIDEBAND_FORK, 40, 9));
	ck_assert(passes(SIDEBAND_FORK, 50, 10));
}
END_TEST

/* What a child of vfork maps is mapped in its parent. */
START_TEST(maps_in_shared_memory_are_kept)
{
	note(SIDEBAND_FORK, 10, 7, 1);
	note(SIDEBAND_SHARE, 10, 7, 1);
	note(SIDEBAND_MMAP, 11, 7, 0);
	note(SIDEBAND_EXIT, 12, 7, 0);
	note(SIDEBAND_FORK, 20, 8, 1);
	note(SIDEBAND_SHARE, 20, 8, 1);
	note(SIDEBAND_EXEC, 21, 8, 0);
	note(SIDEBAND_MMAP, 22, 8, 0);
	note(SIDEBAND_EXIT, 23, 8, 0);
	judge();
	ck_assert(!passes(SIDEBAND_MMAP, 11, 7));
	ck_assert(passes(SIDEBAND_MMAP, 22, 8));
}
END_TEST

START_TEST(threads_end_no_life)
{
	note(SIDEBAND_FORK, 10, 7, 1);
	note(SIDEBAND_FORK, 11, 7, 7);
	ck_assert_int_eq(
		short_lives_note(&lives,
				 &(const struct sideband_record){
					 .type = SIDEBAND_EXIT, .time_ns = 12, .pid = 7, .tid = 8}),
		0);
	judge();
	ck_assert(!passes(SIDEBAND_FORK, 10, 7));
}
END_TEST

/* One that ended without a record is another one than its successor. */
START_TEST(pids_are_used_again)
{
	note(SIDEBAND_FORK, 10, 7, 1);
	note_life(20, 7, 1);
	note_life(40, 7, 1);
	judge();
	ck_assert(!passes(SIDEBAND_FORK, 10, 7));
	ck_assert(passes(SIDEBAND_FORK, 20, 7));
	ck_assert(!passes(SIDEBAND_MMAP, 35, 7));
	ck_assert(passes(SIDEBAND_FORK, 40, 7));
}
END_TEST

START_TEST(records_are_left_for_the_next_time)
{
	note_life(995, 7, 1); /* it ends at 1004 */
	note(SIDEBAND_FORK, 996, 8, 1);
	note(SIDEBAND_FORK, 1010, 9, 1);
	judge();
	ck_assert(passes(SIDEBAND_FORK, 995, 7));
	ck_assert(!passes(SIDEBAND_FORK, 1010, 9));
	ck_assert_int_eq(short_lives_forget(&lives, 1000), 0);
	ck_assert_int_eq(lives.lives.nr, 2);
	note(SIDEBAND_EXIT, 1011, 8, 0);
	note(SIDEBAND_EXIT, 1012, 9, 0);
	judge();
	ck_assert(passes(SIDEBAND_EXIT, 1004, 7));
	ck_assert(!passes(SIDEBAND_EXIT, 1011, 8));
	ck_assert(passes(SIDEBAND_FORK, 1010, 9));
	ck_assert_int_eq(short_lives_forget(&lives, 2000), 0);
	ck_assert_int_eq(lives.lives.nr, 0);
	ck_assert(!passes(SIDEBAND_FORK, 1010, 9));
}
END_TEST

SUITE_MAIN_WITH("short_lives", begin, end, unsampled_lives_are_passed_over,
		unfinished_lives_are_kept, processes_that_are_there_are_kept,
		parents_of_others_are_kept, maps_in_shared_memory_are_kept, threads_end_no_life,
		pids_are_used_again, records_are_left_for_the_next_time)
