// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files the child for names holds, and whom they stand for. */
#include "record/symbols/names_payer.h"
#include "tests/unit/played_names.h"

/* The order to keep the file does not arrive: the child has it not, and the slot is free. */
START_TEST(a_lost_order)
{
	uint32_t nr;

	child.order_error = -EAGAIN;
	nr = hold(7, ALICE);
	ck_assert_uint_ne(nr, FILE_NAMES_NONE);
	ck_assert_int_eq(state(nr), FILE_NAMES_LEFT_OUT);
	child.order_error = 0;
	hold(8, ALICE);
	expect_order(0, NAMES_KEEP, 0);
	hold(7, ALICE);
	expect_order(1, NAMES_KEEP, 1);
	ck_assert_int_eq(state(nr), FILE_NAMES_EXPECTED);
}
END_TEST

/* The user with most files loses one; root has what it needs. */
START_TEST(all_slots_are_taken)
{
	uint32_t first = hold(1, ALICE), bobs, roots;

	for (uint32_t i = 1; i < NAMES_FILES_MAX; i++)
		hold(i + 1, ALICE);
	ck_assert_uint_eq(child.orders.nr, NAMES_FILES_MAX);
	expect_order(NAMES_FILES_MAX - 1, NAMES_KEEP, NAMES_FILES_MAX - 1);
	bobs = hold(1000, BOB);
	ck_assert_uint_eq(child.orders.nr, NAMES_FILES_MAX + 2);
	expect_order(NAMES_FILES_MAX, NAMES_DROP, 0);
	expect_order(NAMES_FILES_MAX + 1, NAMES_KEEP, 0);
	ck_assert_int_eq(state(first), FILE_NAMES_LEFT_OUT);
	ck_assert_int_eq(state(bobs), FILE_NAMES_EXPECTED);
	roots = hold(1001, 0);
	expect_order(NAMES_FILES_MAX + 2, NAMES_DROP, 1);
	expect_order(NAMES_FILES_MAX + 3, NAMES_KEEP, 1);
	ck_assert_int_eq(state(roots), FILE_NAMES_EXPECTED);
	/* One more of the user who has most is not held. */
	ck_assert_int_eq(state(hold(1002, ALICE)), FILE_NAMES_LEFT_OUT);
	ck_assert_uint_eq(child.orders.nr, NAMES_FILES_MAX + 4);
}
END_TEST

/* A process of @uid maps a file of root. */
static uint32_t map_roots(uint64_t inode, uint32_t uid)
{
	const struct file_place place = place_of(uid, uid + 1);
	const struct mapped_file file = file_of(inode);

	looker.sent = (struct sent_file){.owner = 0, .identity = file.identity};
	return hold_for(&file, &place);
}

/* Who maps more files of root than there are slots takes none from others. */
START_TEST(files_of_root_that_a_user_maps)
{
	enum { NR = 700, NR_OTHERS = 50, NR_SHARED = 20 };
	uint32_t bobs[NR_OTHERS], roots[NR_OTHERS];

	for (uint32_t i = 0; i < NR; i++)
		map_roots(i + 1, ALICE);
	for (int epoch = 0; epoch < 4; epoch++) {
		for (uint32_t i = 0; i < NR_OTHERS; i++) {
			bobs[i] = map_roots(1000 + i, BOB);
			roots[i] = map_roots(2000 + i, 0);
		}
		for (uint32_t i = 0; i < NR_SHARED; i++)
			map_roots(1 + i, BOB);
		for (uint32_t i = 0; i < NR; i++)
			map_roots(i + 1, ALICE);
		for (uint32_t i = 0; i < NR_OTHERS; i++) {
			ck_assert_int_eq(state(bobs[i]), FILE_NAMES_EXPECTED);
			ck_assert_uint_eq(file_names_payer(names, bobs[i]), BOB);
			ck_assert_int_eq(state(roots[i]), FILE_NAMES_EXPECTED);
			ck_assert_uint_eq(file_names_payer(names, roots[i]), 0);
		}
		/* What both map is there as well. */
		for (uint32_t i = 0; i < NR_SHARED; i++)
			ck_assert_int_eq(state(map_roots(1 + i, BOB)), FILE_NAMES_EXPECTED);
		settle();
	}
}
END_TEST

/* A file that several users map is paid for by one of them that has something left. */
START_TEST(who_pays_for_a_file)
{
	const struct file_place unknown = {.pid = 1};
	const struct mapped_file file = file_of(7);
	uint32_t nr = map_roots(7, ALICE);

	ck_assert_uint_eq(file_names_payer(names, nr), ALICE);
	map_roots(7, BOB);
	ck_assert_uint_eq(file_names_payer(names, nr), ALICE);
	map_roots(8, ALICE);
	map_roots(7, BOB);
	ck_assert_uint_eq(file_names_payer(names, nr), BOB);
	map_roots(7, ALICE);
	ck_assert_uint_eq(file_names_payer(names, nr), BOB);
	budget.spender = BOB;
	map_roots(7, ALICE);
	ck_assert_uint_eq(file_names_payer(names, nr), ALICE);
	map_roots(7, BOB);
	ck_assert_uint_eq(file_names_payer(names, nr), ALICE);
	hold_for(&file, &unknown);
	ck_assert_uint_eq(file_names_payer(names, nr), ALICE);
	ask(nr);
	map_roots(7, 0);
	ck_assert_uint_eq(file_names_payer(names, nr), 0);
	map_roots(7, BOB);
	ck_assert_uint_eq(file_names_payer(names, nr), 0);
	file_names_note_unserved(names, nr);
	ck_assert_uint_eq(nr_unserved(0), 1);
}
END_TEST

START_TEST(what_is_no_file_is_not_held)
{
	const struct file_place place = {.pid = 1};
	struct mapped_file memory = file_of(7);

	memory.kind = MAPPED_ANON;
	ck_assert_uint_eq(hold_for(&memory, &place), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, 0);
}
END_TEST

START_TEST(identities)
{
	uint32_t roots = hold(7, 0), others = hold(8, ALICE);

	ck_assert_ptr_null(file_names_identity(names, roots));
	ck_assert_ptr_null(file_names_identity(names, FILE_NAMES_NONE));
	ck_assert_uint_eq(file_names_identity(names, others)->inode, 8);
	ck_assert_uint_eq(file_names_payer(names, roots), 0);
	ck_assert_uint_eq(file_names_payer(names, others), ALICE);
}
END_TEST

/* The kernel tells of files by path and build-id, which anybody can have. */
START_TEST(a_file_of_root_stands_for_all)
{
	const struct mapped_file file = told_file("/lib/c");
	const struct mapped_file elsewhere = told_file("/lib/d");
	const struct file_place alice = place_of(ALICE, 0), bob = place_of(BOB, 9), none = {0};
	uint32_t nr;

	send_as(7, 0, false);
	nr = hold_for(&file, &alice);
	ck_assert_uint_ne(nr, FILE_NAMES_NONE);
	ck_assert_uint_eq(hold_for(&file, &bob), nr);
	ck_assert_uint_eq(hold_for(&file, &none), nr);
	ck_assert_uint_eq(looker.nr_sent, 1);
	hold_for(&elsewhere, &alice);
	ck_assert_uint_eq(looker.nr_sent, 2);
}
END_TEST

START_TEST(a_file_of_a_user_stands_for_that_user)
{
	const struct mapped_file file = told_file("/lib/c");
	const struct file_place alice = place_of(ALICE, 8), bob = place_of(BOB, 9), none = {0};
	uint32_t nr;

	send_as(7, ALICE, false);
	ck_assert_uint_eq(hold_for(&file, &bob), FILE_NAMES_NONE);
	ck_assert_uint_eq(hold_for(&file, &none), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, 2);
	nr = hold_for(&file, &alice);
	ck_assert_uint_ne(nr, FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, 2);
	/* A process that maps this very inode. */
	send_as(7, ALICE, true);
	ck_assert_uint_eq(hold_for(&file, &bob), nr);
	ck_assert_uint_eq(looker.nr_sent, 1);
	ck_assert_uint_eq(child.orders.nr, 1);
	send_as(8, ALICE, false);
	ck_assert_uint_eq(hold_for(&file, &bob), nr);
	ck_assert_uint_eq(looker.nr_sent, 0);
}
END_TEST

/* The file system may be the user's own. */
START_TEST(a_file_of_an_unsure_owner)
{
	const struct mapped_file file = told_file("/lib/c");
	const struct file_place alice = place_of(ALICE, 8), other = place_of(ALICE, 9);
	uint32_t nr;

	send_as(7, FILE_OWNER_UNSURE, true);
	nr = hold_for(&file, &alice);
	ck_assert_uint_ne(nr, FILE_NAMES_NONE);
	ck_assert_uint_eq(hold_for(&file, &alice), nr);
	ck_assert_uint_eq(looker.nr_sent, 1);
	send_as(7, FILE_OWNER_UNSURE, false);
	ck_assert_uint_eq(hold_for(&file, &other), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, 1);
}
END_TEST

/* Two files have one path and one build-id, but somebody looked at them. */
START_TEST(files_of_one_build_id)
{
	const struct file_place alice = place_of(ALICE, 8);
	struct mapped_file file = told_file("/lib/c");
	uint32_t first;

	send_as(7, 0, true);
	first = hold_for(&file, &alice);
	file.identity = file_of(8).identity;
	send_as(8, 0, true);
	ck_assert_uint_ne(hold_for(&file, &alice), first);
	ck_assert_uint_eq(looker.nr_sent, 1);
	file.identity = file_of(7).identity;
	ck_assert_uint_eq(hold_for(&file, &alice), first);
	ck_assert_uint_eq(looker.nr_sent, 1);
}
END_TEST

/* The kernel knows device and inode, but nobody could look at the file. */
START_TEST(a_file_that_was_not_looked_at)
{
	const struct file_place alice = place_of(ALICE, 8);
	struct mapped_file file = file_of(7);

	send_as(7, ALICE, false);
	ck_assert_uint_ne(hold_for(&file, &alice), FILE_NAMES_NONE);
	file.identity.is_stat = false;
	file.identity.generation = 1;
	send_as(7, ALICE, true);
	hold_for(&file, &alice);
	ck_assert_uint_eq(looker.nr_sent, 1);
}
END_TEST

START_TEST(a_file_that_cannot_be_opened)
{
	const struct file_place alice = place_of(ALICE, 0), bob = place_of(BOB, 0);
	const struct mapped_file file = told_file("/lib/c");

	send_as(7, 0, false);
	looker.ret = -EAGAIN; /* the looker could not even try */
	for (uint32_t i = 0; i < 2 * ATTEMPTS_MAX; i++)
		ck_assert_uint_eq(hold_for(&file, &alice), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, 2 * ATTEMPTS_MAX);
	looker.nr_sent = 0;
	looker.ret = -ENOENT;
	for (uint32_t i = 0; i < 2 * ATTEMPTS_MAX; i++)
		ck_assert_uint_eq(hold_for(&file, &alice), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, ATTEMPTS_MAX);
	/* The processes of another user have attempts of their own, and so has another epoch. */
	hold_for(&file, &bob);
	ck_assert_uint_eq(looker.nr_sent, ATTEMPTS_MAX + 1);
	settle();
	looker.ret = 0;
	ck_assert_uint_ne(hold_for(&file, &alice), FILE_NAMES_NONE);
	/* Without a child, nobody is asked to open it. */
	child.sock_error = -EIO;
	ck_assert_uint_eq(hold(9, ALICE), FILE_NAMES_NONE);
	ck_assert_uint_eq(looker.nr_sent, ATTEMPTS_MAX + 2);
}
END_TEST

/* Two epochs that do not use it. */
START_TEST(an_idle_file_is_forgotten)
{
	uint32_t first = hold(7, ALICE), second = hold(8, ALICE);

	settle();
	hold(8, ALICE);
	settle();
	ck_assert_uint_eq(child.orders.nr, 2);
	ck_assert_int_eq(state(first), FILE_NAMES_EXPECTED);
	ask(second);
	work();
	settle();
	ck_assert_uint_eq(child.orders.nr, 3);
	expect_order(2, NAMES_DROP, 0);
	/* It waits for an answer, and the number stays valid until then. */
	settle();
	settle();
	settle();
	answer();
	ck_assert_int_eq(state(second), FILE_NAMES_KNOWN);
	/* Another file has the number and the slot of the one that was forgotten. */
	ck_assert_uint_eq(hold(9, BOB), first);
	expect_order(3, NAMES_KEEP, 0);
	ck_assert_uint_eq(file_names_payer(names, first), BOB);
	ck_assert_uint_eq(hold(8, ALICE), second);
	looker.nr_sent = 0;
	ck_assert_uint_eq(hold(7, ALICE), 2);
	ck_assert_uint_eq(looker.nr_sent, 1);
}
END_TEST

START_TEST(a_question_uses_the_file)
{
	uint32_t nr = ask_about(7, ALICE);

	work();
	answer();
	settle();
	settle();
	ask(nr);
	settle();
	settle();
	ck_assert_uint_eq(child.orders.nr, 1);
	settle();
	ck_assert_uint_eq(child.orders.nr, 2);
}
END_TEST

/* A forgotten file stands for nobody. */
START_TEST(a_forgotten_source)
{
	const struct file_place alice = place_of(ALICE, 0), bob = place_of(BOB, 0);
	const struct mapped_file file = told_file("/lib/c");
	uint32_t other;

	send_as(7, ALICE, false);
	hold_for(&file, &alice);
	for (int i = 0; i < 3; i++) {
		looker.ret = -ENOENT;
		hold_for(&file, &bob);
		settle();
	}
	looker.ret = 0;
	other = hold(8, BOB);
	ck_assert_uint_eq(other, 0);
	send_as(7, ALICE, false);
	ck_assert_uint_eq(hold_for(&file, &alice), 1);
}
END_TEST

/* Others pay nothing for it, though its id may be theirs now. */
START_TEST(a_process_that_has_gone)
{
	const struct file_place place = {.pid = 0x7fffffff, .user = ALICE + 1};
	struct file_place told = place;

	ck_assert_uint_eq(names_payer_of(&place, 0), ALICE);
	told.owner = BOB + 1;
	ck_assert_uint_eq(names_payer_of(&told, 0), BOB);
}
END_TEST

SUITE_MAIN_WITH("held_files", begin, end, a_process_that_has_gone, a_lost_order,
		all_slots_are_taken, files_of_root_that_a_user_maps, who_pays_for_a_file,
		what_is_no_file_is_not_held, identities, a_file_of_root_stands_for_all,
		a_file_of_a_user_stands_for_that_user, a_file_of_an_unsure_owner,
		files_of_one_build_id, a_file_that_was_not_looked_at, a_file_that_cannot_be_opened,
		an_idle_file_is_forgotten, a_question_uses_the_file, a_forgotten_source)
