// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/oom.h"
#include "tests/unit/played_names.h"

START_TEST(a_question_and_its_answer)
{
	struct file_symbol symbol;
	uint32_t nr = hold(7, ALICE);
	const struct names_request *order;

	ck_assert_uint_eq(nr, 0);
	ck_assert_uint_eq(child.orders.nr, 1);
	expect_order(0, NAMES_KEEP, 0);
	ck_assert_uint_eq(hold(7, ALICE), nr);
	ck_assert_uint_eq(looker.nr_sent, 1);
	ck_assert_int_eq(state(nr), FILE_NAMES_EXPECTED);
	ck_assert(!file_names_is_waiting(names));
	ask(nr);
	ck_assert(file_names_is_waiting(names));
	ck_assert_uint_eq(child.questions.nr, 0);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	order = &child.questions.data[0].order;
	ck_assert_uint_eq(order->slot, 0);
	ck_assert_uint_eq(order->cpu_max_ns, budget.limit_ns);
	ck_assert_uint_eq(order->urgent_ns, URGENT_NS);
	ck_assert_uint_eq(order->identity.inode, 7);
	ck_assert_uint_eq(order->nr, 2);
	ck_assert_uint_eq(child.questions.data[0].offsets[1], FIRST_OFFSET + 1);
	ck_assert(file_names_is_waiting(names));
	ck_assert(!file_names_find(names, nr, FIRST_OFFSET, &symbol));
	answer();
	ck_assert(!file_names_is_waiting(names));
	ck_assert_int_eq(state(nr), FILE_NAMES_KNOWN);
	ck_assert(file_names_find(names, nr, FIRST_OFFSET + 1, &symbol));
	ck_assert_uint_eq(symbol.off, FIRST_OFFSET);
	ck_assert_uint_eq(symbol.size, 16);
	ck_assert_str_eq(symbol.name, "xxxx");
	ck_assert_uint_eq(symbol.parts, NAME_PART_SYMTAB);
	ck_assert_int_eq(file_names_fd(names), LINE_FD);
	ck_assert_uint_eq(nr_unserved(0), 0);
}
END_TEST

/* Only the offsets that nothing is known about, and one question about a file at a time. */
START_TEST(nothing_is_asked_twice)
{
	uint32_t nr = ask_about(7, ALICE);

	ask_from(nr, FIRST_OFFSET + 10, 5);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].order.nr, 2);
	answer();
	ask(nr);
	ck_assert(!file_names_is_waiting(names));
	ask_from(nr, FIRST_OFFSET, 3);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].order.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].offsets[0], FIRST_OFFSET + 2);
}
END_TEST

START_TEST(a_symbol_without_a_name)
{
	uint32_t nr = ask_about(7, ALICE);
	struct file_symbol symbol;

	work();
	answer_after(0, 0, false);
	ck_assert(file_names_find(names, nr, FIRST_OFFSET, &symbol));
	ck_assert_str_eq(symbol.name, "");
}
END_TEST

START_TEST(each_recording_has_its_symbols)
{
	uint32_t nr = ask_about(7, ALICE);
	struct file_symbol symbol;

	work();
	answer();
	ck_assert(file_names_find(names, nr, FIRST_OFFSET, &symbol));
	ck_assert(!symbol.is_written);
	file_names_note_written(names, &symbol);
	ck_assert(file_names_find(names, nr, FIRST_OFFSET + 1, &symbol));
	ck_assert(symbol.is_written);
	file_names_begin_recording(names);
	ck_assert(file_names_find(names, nr, FIRST_OFFSET, &symbol));
	ck_assert(!symbol.is_written);
}
END_TEST

static void expect_next(uint64_t inode)
{
	ck_assert_uint_eq(child.questions.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].order.identity.inode, inode);
	answer();
}

/* Root is first. The child has questions of one user at once. */
START_TEST(users_take_turns)
{
	ask_about(1, ALICE);
	ask_about(2, BOB);
	ask_about(3, ALICE);
	ask_about(4, 0);
	work();
	expect_next(4);
	expect_next(1);
	expect_next(2);
	expect_next(3);
	ck_assert(!file_names_is_waiting(names));
}
END_TEST

START_TEST(who_used_much_time_is_last)
{
	budget.spender = ALICE;
	ask_about(1, ALICE);
	ask_about(2, BOB);
	ask_about(3, BOB);
	work();
	ck_assert_uint_eq(child.questions.nr, 2);
	ck_assert_uint_eq(child.questions.data[1].order.identity.inode, 3);
	answer();
	expect_next(3);
	expect_next(1);
}
END_TEST

START_TEST(the_child_has_a_few_questions_at_once)
{
	for (uint32_t i = 0; i < NAMES_SENT_MAX + 3; i++)
		ask_about(i + 1, ALICE);
	work();
	ck_assert_uint_eq(child.questions.nr, NAMES_SENT_MAX);
	answer();
	ck_assert_uint_eq(child.questions.nr, NAMES_SENT_MAX);
	ck_assert_uint_eq(child.questions.data[NAMES_SENT_MAX - 1].order.identity.inode,
			  NAMES_SENT_MAX + 1);
	while (child.questions.nr)
		answer();
	for (uint32_t i = 0; i < NAMES_SENT_MAX + 3; i++)
		ck_assert_int_eq(state(i), FILE_NAMES_KNOWN);
}
END_TEST

/* The socket is full: the question waits. Any other error ends the wait for an answer. */
START_TEST(questions_that_cannot_be_sent)
{
	uint32_t nr = ask_about(7, ALICE);

	child.question_error = -EAGAIN;
	work();
	work();
	ck_assert(file_names_is_waiting(names));
	child.question_error = 0;
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	answer();
	ask_from(nr, 0x200, 1);
	child.question_error = -EIO;
	work();
	ck_assert(!file_names_is_waiting(names));
	ck_assert_uint_eq(child.questions.nr, 0);
	child.question_error = 0;
	ask_from(nr, 0x200, 1);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
}
END_TEST

START_TEST(an_owner_without_time_is_not_asked_about)
{
	budget.limit_ns = 0;
	ask_about(7, ALICE);
	work();
	ck_assert_uint_eq(child.questions.nr, 0);
	ck_assert(!file_names_is_waiting(names));
}
END_TEST

/* What an answer without names says about the file. */
START_TEST(failures)
{
	static const struct {
		int status;
		enum file_names_state state;
		bool is_dropped; /* and may be sent again */
		bool has_died;
	} cases[] = {
		{-EAGAIN, FILE_NAMES_LEFT_OUT, true, false},
		{-EBADF, FILE_NAMES_LEFT_OUT, true, false},
		{-ENOMEM, FILE_NAMES_LEFT_OUT, true, false},
		{-EBUSY, FILE_NAMES_LEFT_OUT, true, true},
		{-ETIMEDOUT, FILE_NAMES_LEFT_OUT, false, true},
		{-EIO, FILE_NAMES_LEFT_OUT, false, true},
		{-ETIME, FILE_NAMES_EXPECTED, false, false},
		{-ESTALE, FILE_NAMES_UNREADABLE, false, false},
		{-ENOEXEC, FILE_NAMES_UNREADABLE, false, false},
	};

	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t nr = ask_about(i + 1, ALICE), again;
		size_t nr_orders = child.orders.nr;

		looker.blamed = 0;
		looker.nr_sent = 0;
		work();
		fail_after(cases[i].status, 0);
		ck_assert_int_eq(state(nr), cases[i].state);
		ck_assert(!file_names_is_waiting(names));
		ck_assert_uint_eq(child.orders.nr, nr_orders + cases[i].is_dropped);
		if (cases[i].is_dropped)
			expect_order(nr_orders, NAMES_DROP, child.orders.data[nr_orders - 1].slot);
		ck_assert_uint_eq(looker.blamed,
				  cases[i].status == -ETIMEDOUT ? look_device(DEVICE) : 0);
		ck_assert_uint_eq(budget.owner, ALICE);
		ck_assert_int_eq(budget.has_died, cases[i].has_died);
		ck_assert_uint_eq(budget.used_ns,
				  cases[i].has_died && !cases[i].is_dropped ? budget.limit_ns : 0);
		again = hold(i + 1, ALICE);
		ck_assert_uint_eq(again, nr);
		ck_assert_uint_eq(looker.nr_sent, cases[i].is_dropped);
		ask(nr);
		ck_assert_int_eq(file_names_is_waiting(names),
				 cases[i].is_dropped || cases[i].status == -ETIME);
		work();
		if (child.questions.nr)
			answer();
	}
}
END_TEST

/* Memory that the child could still change is not believed. */
START_TEST(damaged_answers)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t nr = ask_about(i + 1, ALICE);
		struct question question;
		int memory;

		work();
		question = take_question();
		memory = make_answer(&question, 4, false);
		if (i) {
			ck_assert_int_eq(ftruncate(memory, 20), 0);
			seal(memory);
		}
		add_reply(&question, 0, 0, memory);
		free(question.offsets);
		work();
		ck_assert_int_eq(state(nr), FILE_NAMES_UNREADABLE);
		ck_assert(!file_names_is_waiting(names));
	}
}
END_TEST

/* The limit of a question is on top of what the child has used so far, which begins with it. */
START_TEST(time_of_the_child)
{
	uint32_t nr = ask_about(7, ALICE);

	work();
	answer_after(300, 4, false);
	ck_assert_uint_eq(budget.used_ns, 300);
	ask_from(nr, 0x200, 1);
	work();
	ck_assert_uint_eq(child.questions.data[0].order.cpu_max_ns, 300 + budget.limit_ns);
	answer_after(500, 4, false);
	ck_assert_uint_eq(budget.used_ns, 200);
	ask_from(nr, 0x300, 1);
	work();
	answer_after(500, 4, false);
	ck_assert_uint_eq(budget.used_ns, 0);
	child.nr_workers++;
	ask_about(8, BOB);
	work();
	ck_assert_uint_eq(child.questions.data[0].order.cpu_max_ns, budget.limit_ns);
	answer_after(100, 4, false);
	ck_assert_uint_eq(budget.owner, BOB);
	ck_assert_uint_eq(budget.used_ns, 100);
}
END_TEST

/* A child that died with what it has used, and another one in its place. */
START_TEST(another_child_has_no_file)
{
	uint32_t nr = ask_about(7, ALICE), other = ask_about(8, BOB);

	work();
	child.nr_workers++;
	fail_after(-EIO, 700);
	ck_assert_uint_eq(budget.used_ns, 700);
	ck_assert(budget.has_died);
	/* The second question was not sent. */
	ck_assert_uint_eq(child.questions.nr, 0);
	ck_assert(!file_names_is_waiting(names));
	ck_assert_int_eq(state(other), FILE_NAMES_LEFT_OUT);
	ask(other);
	ck_assert(!file_names_is_waiting(names));
	/* It comes to its slot again; the one that ended the child does not come. */
	ck_assert_uint_eq(looker.nr_sent, 2);
	hold(7, ALICE);
	ck_assert_uint_eq(looker.nr_sent, 2);
	hold(8, BOB);
	ck_assert_uint_eq(looker.nr_sent, 3);
	expect_order(child.orders.nr - 1, NAMES_KEEP, 1);
	ck_assert_int_eq(state(other), FILE_NAMES_EXPECTED);
	ck_assert_int_eq(state(nr), FILE_NAMES_LEFT_OUT);
}
END_TEST

/* The child waits for the file of the first question, and steps aside with it. */
static uint32_t ask_slow(struct question *slow)
{
	uint32_t nr = ask_about(7, ALICE), other = ask_about(8, ALICE);
	struct question lost;

	work();
	*slow = take_question();
	lost = take_question();
	child.nr_workers++;
	add_reply(slow, WORKER_STEPS_ASIDE, 0, -1);
	work();
	ck_assert_uint_eq(budget.owner, ALICE);
	ck_assert(budget.has_died);
	ck_assert_uint_eq(budget.used_ns, 0);
	add_reply(&lost, -EAGAIN, 0, -1);
	work();
	free(lost.offsets);
	ck_assert_int_eq(state(other), FILE_NAMES_LEFT_OUT);
	/* Also when another child has taken a question. */
	ask_about(5, BOB);
	work();
	answer();
	ck_assert_int_eq(state(nr), FILE_NAMES_EXPECTED);
	ck_assert(file_names_is_waiting(names));
	return nr;
}

/* Questions of others go on, and its own answer is taken whenever it comes. */
START_TEST(a_slow_file)
{
	struct question slow;
	uint32_t nr = ask_slow(&slow), bobs;
	int memory;

	/* It is not asked about twice. */
	hold(7, ALICE);
	ask(nr);
	bobs = ask_about(9, BOB);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].order.cpu_max_ns, budget.limit_ns);
	answer_after(100, 4, false);
	ck_assert_int_eq(state(bobs), FILE_NAMES_KNOWN);
	ck_assert_uint_eq(budget.owner, BOB);
	ck_assert(file_names_is_waiting(names));
	memory = make_answer(&slow, 4, false);
	seal(memory);
	add_reply(&slow, 0, 300, memory);
	child.replies.data[0].is_aside = true;
	work();
	free(slow.offsets);
	ck_assert_int_eq(state(nr), FILE_NAMES_KNOWN);
	ck_assert_uint_eq(budget.owner, ALICE);
	ck_assert_uint_eq(budget.used_ns, 300);
	ck_assert(!budget.has_died);
	ck_assert(!file_names_is_waiting(names));
}
END_TEST

/* What the child had used before is not charged again. */
START_TEST(the_time_of_a_slow_file)
{
	struct question slow;
	uint32_t nr;

	ask_about(1, BOB);
	work();
	answer_after(1000, 4, false);
	nr = ask_slow(&slow);
	ask_about(9, BOB);
	work();
	answer_after(100, 4, false);
	ck_assert_uint_eq(budget.used_ns, 100);
	add_reply(&slow, -ETIMEDOUT, 1200, -1);
	child.replies.data[0].is_aside = true;
	work();
	free(slow.offsets);
	ck_assert_uint_eq(budget.used_ns, 200);
	ck_assert(budget.has_died);
	ck_assert_uint_eq(looker.blamed, look_device(DEVICE));
	ck_assert_int_eq(state(nr), FILE_NAMES_LEFT_OUT);
	ck_assert(!file_names_is_waiting(names));
}
END_TEST

/* The last question of the user with most of them is forgotten, and may be asked again. */
START_TEST(many_questions)
{
	uint32_t last = 0, nr_answers = 0;

	for (uint32_t i = 0; i < NAMES_FILES_MAX; i++)
		last = ask_about(i + 1, ALICE);
	/* It takes the slot of the first file, too. */
	ask_about(1000, BOB);
	work();
	for (; child.questions.nr; nr_answers++)
		answer();
	ck_assert_uint_eq(nr_answers, NAMES_FILES_MAX - 1);
	ck_assert(!file_names_is_waiting(names));
	ck_assert_int_eq(state(last), FILE_NAMES_EXPECTED);
	ask(last);
	ck_assert(file_names_is_waiting(names));
}
END_TEST

/* The child takes so many offsets at once. */
START_TEST(many_offsets)
{
	static uint64_t offsets[NAMES_OFFSETS_MAX + 1];
	const uint32_t nr = hold(7, ALICE);

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		offsets[i] = FIRST_OFFSET + i;
	ck_assert_int_eq(file_names_ask(names, nr, offsets, ARRAY_SIZE(offsets), URGENT_NS), 0);
	work();
	ck_assert_uint_eq(child.questions.nr, 1);
	ck_assert_uint_eq(child.questions.data[0].order.nr, NAMES_OFFSETS_MAX);
}
END_TEST

START_TEST(names_that_were_left_out)
{
	uint32_t nr = ask_about(7, ALICE);

	ck_assert_ptr_null(file_names_unserved(NULL));
	work();
	answer_after(0, 4, true);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	file_names_note_unserved(names, nr);
	ck_assert_uint_eq(nr_unserved(ALICE), 2);
}
END_TEST

/* Adds names of some two million bytes. */
static void add_large_names(uint32_t nr)
{
	enum { NAME = 16000, NR = 128 };

	for (uint64_t i = 0; i < NR; i++) {
		ask_from(nr, 0x10000 + 16 * i, 1);
		work();
		answer_after(0, NAME, false);
	}
}

static bool knows(uint32_t nr)
{
	return file_names_state(names, nr, 0x10000) == FILE_NAMES_KNOWN;
}

/* There is room for so many in an epoch, and for fewer afterwards. */
START_TEST(names_of_many_files)
{
	enum { FILE_BYTES = 2 << 20, NR_ALICE = KNOWN_BYTES_MAX / FILE_BYTES };
	uint32_t bobs = hold(1000, BOB), first, nr_known = 0;

	add_large_names(bobs);
	first = hold(1, ALICE);
	add_large_names(first);
	for (uint32_t i = 1; i < NR_ALICE; i++)
		add_large_names(hold(i + 1, ALICE));
	/* The user who has most loses some. */
	ck_assert(knows(bobs));
	for (uint32_t i = 0; i < NR_ALICE; i++)
		nr_known += knows(first + i);
	ck_assert_uint_lt(nr_known, NR_ALICE);
	ck_assert_uint_gt(nr_known, NR_ALICE / 2);
	settle();
	for (uint32_t i = 0; i < NR_ALICE; i++)
		ck_assert(!knows(first + i));
	ck_assert(!knows(bobs));
	add_large_names(bobs);
	settle();
	ck_assert(knows(bobs));
	settle();
	ck_assert(knows(bobs));
}
END_TEST

/* Where one user has nearly all the room, another one gets some of it. */
START_TEST(names_of_another_user)
{
	enum { FILE_BYTES = 2 << 20, NR_ALICE = KNOWN_BYTES_MAX / FILE_BYTES };
	uint32_t bobs, first = hold(1, ALICE), nr_known = 0, nr_left = 0;

	add_large_names(first);
	for (uint32_t i = 1; i < NR_ALICE; i++)
		add_large_names(hold(i + 1, ALICE));
	for (uint32_t i = 0; i < NR_ALICE; i++)
		nr_known += knows(first + i);
	bobs = hold(1000, BOB);
	add_large_names(bobs);
	ck_assert(knows(bobs));
	for (uint32_t i = 0; i < NR_ALICE; i++)
		nr_left += knows(first + i);
	ck_assert_uint_lt(nr_left, nr_known);
	ck_assert_uint_ge(nr_left + 2, nr_known);
}
END_TEST

/* Holds a file, has it named, and has it forgotten. *@is_held: it has a slot. */
static int use_file(bool *is_held)
{
	const uint64_t offsets[] = {FIRST_OFFSET, FIRST_OFFSET + 1};
	const struct file_place alice = place_of(ALICE, 8);
	const struct mapped_file file = told_file("/lib/c");
	uint32_t nr = FILE_NAMES_NONE;
	int ret = file_names_hold(names, &file, &alice, &nr);

	*is_held = !ret && state(nr) == FILE_NAMES_EXPECTED;
	if (!*is_held)
		return ret;
	ret = file_names_ask(names, nr, offsets, ARRAY_SIZE(offsets), URGENT_NS);
	if (!ret)
		ret = file_names_work(names);
	if (!ret) {
		struct question question = take_question();
		int memory = make_answer(&question, 4, false);

		seal(memory);
		add_reply(&question, 0, 0, memory);
		free(question.offsets);
		ret = file_names_work(names);
	}
	for (int i = 0; i < 3 && !ret; i++)
		ret = file_names_settle(names);
	return ret;
}

/* Where there is no memory for a slot, the file goes without names. */
START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		bool is_held;
		int ret;

		end();
		child.questions.nr = 0;
		begin();
		send_as(7, ALICE, true);
		ret = use_file(&is_held);
		ck_assert_int_eq(ret, oom_hit && (is_held || ret) ? -ENOMEM : 0);
	}
}
END_TEST

START_TEST(no_names)
{
	ck_assert_int_eq(file_names_work(NULL), 0);
	ck_assert_int_eq(file_names_settle(NULL), 0);
	file_names_destroy(NULL);
}
END_TEST

SUITE_MAIN_WITH("file_names", begin, end, a_question_and_its_answer, nothing_is_asked_twice,
		a_symbol_without_a_name, each_recording_has_its_symbols, users_take_turns,
		who_used_much_time_is_last, the_child_has_a_few_questions_at_once,
		questions_that_cannot_be_sent, an_owner_without_time_is_not_asked_about, failures,
		damaged_answers, time_of_the_child, another_child_has_no_file, a_slow_file,
		the_time_of_a_slow_file, many_questions, many_offsets, names_that_were_left_out,
		names_of_many_files, names_of_another_user, out_of_memory, no_names)
