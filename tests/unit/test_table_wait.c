// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/played_tables.h"

/* Waits 100 ms, or longer, for what was asked for. Returns how many milliseconds it took. */
static uint64_t wait_ms(void)
{
	const uint64_t begin_ns = now_ns;

	waits.nr = 0;
	ck_assert_int_eq(table_wait(&tables, 100), 0);
	return (now_ns - begin_ns) / NS_PER_MS;
}

START_TEST(waits_for_tables)
{
	uint32_t nr = find_inode(1);

	ck_assert_uint_eq(wait_ms(), 0);
	ck_assert_uint_eq(waits.nr, 0);
	request(nr, ALICE);
	ck_assert_uint_eq(wait_ms(), 100);
	ck_assert_uint_eq(waits.nr, 1);
	waits.ns = 30 * NS_PER_MS;
	ck_assert_uint_eq(wait_ms(), 100);
	ck_assert_uint_eq(waits.nr, 4);
	child.done = (struct done){.nr = nr, .made = made_table(1)};
	waits.done_nr = 2;
	ck_assert_uint_eq(wait_ms(), 60);
	ck_assert_int_eq(table(nr)->state, TABLE_READY);
}
END_TEST

/* Slow files keep nobody waiting but who begins. */
START_TEST(waits_for_the_first_child)
{
	uint32_t slow = find_inode(1);

	request(slow, ALICE);
	finish(slow, -EBUSY);
	ck_assert(!file_tables_are_due(&tables));
	ck_assert_int_eq(request(slow, ALICE), TABLE_ASKED);
	ck_assert(!file_tables_are_due(&tables));
	ck_assert_uint_eq(wait_ms(), 0);
	request(find_inode(2), ALICE);
	ck_assert(file_tables_are_due(&tables));
	ck_assert_uint_eq(wait_ms(), 100);
	finish(find_inode(2), 0);
	ck_assert(!file_tables_are_due(&tables));
	tables.tables.data[VDSO_TABLE].state = TABLE_ASKED;
	ck_assert(file_tables_are_due(&tables));
}
END_TEST

/* Other programs have all processors. */
START_TEST(waits_while_the_child_lacks_a_processor)
{
	request(find_inode(1), ALICE);
	child.wants_processor = true;
	ck_assert_uint_eq(wait_ms(), 500);
	waits.ran_ns = 100 * NS_PER_MS;
	ck_assert_uint_eq(wait_ms(), 100);
	/* It gets some of the time. */
	waits.ran_ns = 99 * NS_PER_MS;
	ck_assert_uint_eq(wait_ms(), 200);
	waits.ran_ns = 25 * NS_PER_MS;
	ck_assert_uint_eq(wait_ms(), 400);
	/* It waits for something else. */
	waits.ran_ns = 0;
	child.wants_processor = false;
	ck_assert_uint_eq(wait_ms(), 100);
}
END_TEST

START_TEST(waits_that_are_interrupted)
{
	request(find_inode(1), ALICE);
	child.wants_processor = true;
	waits.ns = NS_PER_MS;
	waits.error = EINTR;
	ck_assert_uint_eq(wait_ms(), 1);
}
END_TEST

/* Asks for the tables in asking that nobody has asked for. */
static struct {
	uint32_t nr[2];
	unsigned int nr_times;
	int error;
} asking;

static int ask_again(void *ctx)
{
	ck_assert_ptr_eq(ctx, &asking);
	asking.nr_times++;
	for (uint32_t i = 0; i < ARRAY_SIZE(asking.nr); i++)
		if (table(asking.nr[i])->state == TABLE_NONE)
			request(asking.nr[i], ALICE);
	return asking.error;
}

/* A slow file, and another one that goes with the child that was killed because of it. */
START_TEST(waits_that_ask_again)
{
	const uint32_t slow = find_inode(1), other = find_inode(2);

	asking.nr[0] = slow;
	asking.nr[1] = other;
	request(slow, ALICE);
	request(other, ALICE);
	ck_assert_int_eq(finish(other, -EAGAIN), TABLE_NONE);
	child.done = (struct done){.nr = slow, .status = -EBUSY};
	waits.ns = 30 * NS_PER_MS;
	waits.done_nr = 1;
	ck_assert_int_eq(table_wait_asking(&tables, 100, ask_again, &asking), 0);
	ck_assert_int_eq(table(slow)->state, TABLE_ASKED);
	ck_assert_int_eq(table(other)->state, TABLE_ASKED);
	ck_assert_uint_eq(shares_held(&tables.patient_line, 0), 1);
	ck_assert_uint_eq(asking.nr_times, 2);
	ck_assert_uint_eq(waits.nr, 4);
	/* When all have answers, those that had no place in the line have a turn. */
	asking.nr[1] = find_inode(3);
	ck_assert_int_eq(finish(slow, 0), TABLE_READY);
	child.done = (struct done){.nr = other, .made = made_table(1)};
	waits.nr = 0;
	ck_assert_int_eq(table_wait_asking(&tables, 100, ask_again, &asking), 0);
	ck_assert_uint_eq(asking.nr_times, 3);
	ck_assert_int_eq(table(asking.nr[1])->state, TABLE_ASKED);
	asking.error = -ENOMEM;
	finish(asking.nr[1], -EAGAIN);
	ck_assert_int_eq(table_wait_asking(&tables, 100, ask_again, &asking), -ENOMEM);
	/* What cannot be asked for keeps nobody waiting. */
	asking.error = 0;
	finish(asking.nr[1], -EAGAIN);
	child.sock_error = -EAGAIN;
	waits.nr = 0;
	ck_assert_int_eq(table_wait_asking(&tables, 100, ask_again, &asking), 0);
	ck_assert_uint_eq(waits.nr, 0);
}
END_TEST

/* The others have a turn while the patient child alone has a request. */
START_TEST(waits_that_ask_again_beside_a_slow_file)
{
	const uint32_t slow = find_inode(1);

	request(slow, ALICE);
	ck_assert_int_eq(finish(slow, -EBUSY), TABLE_NONE);
	request(slow, ALICE);
	ck_assert(child.is_patient);
	tables.has_lost = false;
	asking.nr[0] = slow;
	asking.nr[1] = find_inode(2);
	asking.nr_times = 0;
	waits.ns = 100 * NS_PER_MS;
	ck_assert_int_eq(table_wait_asking(&tables, 100, ask_again, &asking), 0);
	ck_assert_uint_eq(asking.nr_times, 1);
	ck_assert_int_eq(table(asking.nr[1])->state, TABLE_ASKED);
}
END_TEST

SUITE_MAIN_WITH("table_wait", begin, end, waits_for_tables, waits_for_the_first_child,
		waits_while_the_child_lacks_a_processor, waits_that_are_interrupted,
		waits_that_ask_again, waits_that_ask_again_beside_a_slow_file)
