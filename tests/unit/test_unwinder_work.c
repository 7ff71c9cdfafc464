// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of the unwinder's work, and what it hands on to its parts (--wrap). */
#include "tests/unit/played_unwinder.h"

#include <malloc.h>

#include "tests/unit/played_steps.h"

/* What the played parts say. */
static bool is_room_short, are_interpreters_short, wants_sweep;
static uint32_t nr_forgotten;
static int played_lookup;

bool __real_mapped_files_want_sweep(const struct mapped_files *files);
bool __wrap_mapped_files_want_sweep(const struct mapped_files *files);
void __real_mapped_files_deinit(struct mapped_files *files);
void __wrap_mapped_files_deinit(struct mapped_files *files);
void __wrap_space_maps_look_for_machines(struct space_maps *maps);
void __wrap_space_contexts_look(struct space_maps *maps);

bool __wrap_mapped_files_want_sweep(const struct mapped_files *files)
{
	return wants_sweep || __real_mapped_files_want_sweep(files);
}

void __wrap_mapped_files_deinit(struct mapped_files *files)
{
	nr_forgotten++;
	__real_mapped_files_deinit(files);
}

/* Machines and contexts are looked for between the late looks and the tables, in any case. */
static void expect_looks(void)
{
	ck_assert_uint_eq(functions.nr_asked, 1);
	ck_assert_uint_eq(tables.nr_finished, 0);
	ck_assert_uint_eq(early.nr_walks, 0);
}

void __wrap_space_maps_look_for_machines(struct space_maps *maps)
{
	(void)maps;
	expect_looks();
	note_step("machines");
}

void __wrap_space_contexts_look(struct space_maps *maps)
{
	(void)maps;
	expect_looks();
	note_step("contexts");
}

PLAY_STEP(space_maps_exited, struct space_maps *, uint32_t);
PLAY_STEP(space_maps_sweep, struct space_maps *);
PLAY_STEP(space_maps_settle, struct space_maps *);
PLAY_CALL(space_maps_sampled, struct space_maps *, uint32_t, uint64_t);
PLAY_CALL(space_maps_expect_context, struct space_maps *, uint32_t);
PLAY_CALL(space_maps_table_changed, struct space_maps *, uint32_t);
PLAY_CALL(space_maps_interpreter_renumbered, struct space_maps *, uint32_t);
PLAY_CALL(space_maps_machine_lost, struct space_maps *, uint32_t);
PLAY_VALUE(int, space_maps_lookup, played_lookup, const struct space_maps *, uint32_t, uint64_t,
	   uint64_t, struct unwind_mapping *, bool *);
PLAY_VALUE(bool, space_room_is_short, is_room_short, const struct space_room *);
PLAY_VALUE(bool, interpreter_maps_is_short, are_interpreters_short,
	   const struct interpreter_maps *);

static void begin_work(void)
{
	fail_at = NO_STEP;
	begin();
}

/* Nothing was done in this turn yet. */
static void begin_turn(void)
{
	functions.nr_asked = tables.nr_finished = early.nr_walks = 0;
}

/* A process waits for a look, whose time has come. */
static void wait_for_look(void)
{
	process.is_known = true;
	process.known = (struct unwind_process){.pid = PID, .uid = UID, .space_id = SPACE};
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, NULL, NULL), 0);
	ck_assert(process.known.is_waiting);
}

START_TEST(the_order_of_the_work)
{
	wait_for_look();
	work();
	expect_steps("machines contexts");
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(tables.nr_finished, 1);
	ck_assert_uint_eq(early.nr_walks, 1);
	ck_assert_uint_eq(functions.nr_asked, 2);
}
END_TEST

/* An error ends the work, but machines and contexts are looked for all the same. */
START_TEST(work_with_an_error)
{
	wait_for_look();
	functions.ask_error = -ENOMEM;
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
	expect_steps("machines contexts");
	ck_assert_uint_eq(process.nr_looks, 0);
	ck_assert_uint_eq(tables.nr_finished, 0);
	ck_assert_uint_eq(early.nr_walks, 0);
	/* The look that waits is not forgotten. */
	functions.ask_error = 0;
	begin_turn();
	process.put_error = -EIO;
	ck_assert_int_eq(unwinder_work(unwinder), -EIO);
	expect_steps("machines contexts machines contexts");
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(tables.nr_finished, 0);
	ck_assert_uint_eq(early.nr_walks, 0);
}
END_TEST

/* After an error, no more questions are answered in that turn. */
START_TEST(questions_after_an_error)
{
	struct unwind_want want = {.space_id = SPACE, .tgid = PID, .uid = UID};

	process.put_error = -ENOMEM;
	send(RING_WANTS, &want, sizeof(want));
	send(RING_WANTS, &want, sizeof(want));
	functions.nr_asked = 1; /* nobody asks for names now */
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(functions.nr_asked, 1);
}
END_TEST

/* Early samples are walked by what the program knows now. */
START_TEST(mappings_of_now)
{
	static const int answers[] = {-EAGAIN, 0, 1};

	early.question = (struct early_sample){.key.tgid = PID, .time_ns = 1};
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		begin_turn();
		early.nr_expected = 0;
		played_lookup = answers[i];
		work();
		ck_assert_int_eq(early.answer, answers[i]);
		ck_assert_uint_eq(early.nr_expected, answers[i] == 1);
	}
}
END_TEST

/* What callers tell is handed on, with the answers. */
START_TEST(what_is_handed_on)
{
	struct file_tables *t = tables.tables;

	unwinder_sampled(unwinder, PID, 1);
	unwinder_told(unwinder, PID);
	ck_assert_int_eq(unwinder_exited(unwinder, PID), 0);
	ck_assert_int_eq(unwinder_sweep(unwinder), 0);
	ck_assert_int_eq(unwinder_settle(unwinder), 0);
	t->changed(t->ctx, 1);
	t->interpreters.renumbered(t->interpreters.ctx, 1);
	t->interpreters.machines.lost(t->interpreters.machines.ctx, 1);
	expect_steps("space_maps_sampled space_maps_expect_context space_maps_exited "
		     "space_maps_sweep space_maps_settle space_maps_table_changed "
		     "space_maps_interpreter_renumbered space_maps_machine_lost");
	fail_at = nr_steps;
	ck_assert_int_eq(unwinder_settle(unwinder), failure);
}
END_TEST

START_TEST(room_that_is_short)
{
	for (int i = 0; i < 4; i++) {
		is_room_short = i & 1;
		are_interpreters_short = i & 2;
		ck_assert_int_eq(unwinder_lacks_room(unwinder), i != 0);
	}
}
END_TEST

/* Files of earlier looks are forgotten when there are many. */
START_TEST(files_are_forgotten)
{
	const uint32_t before = nr_forgotten;

	ask_space(SPACE);
	begin_turn();
	ask_table(START);
	ck_assert_uint_eq(nr_forgotten, before);
	wants_sweep = true;
	begin_turn();
	ask_table(START);
	ck_assert_uint_eq(nr_forgotten, before + 1);
	process.is_known = false;
	begin_turn();
	ask_space(SPACE);
	ck_assert_uint_eq(nr_forgotten, before + 2);
	wants_sweep = false;
}
END_TEST

/* Looks at a process and its file, and notes what the program has refused. */
static int begin_and_work(void)
{
	struct err err = {0};
	int ret = try_begin(false, false, &err);

	if (ret)
		return ret;
	begin_turn();
	process.is_known = false;
	ret = ask(SPACE, 0);
	begin_turn();
	if (!ret)
		ret = ask(SPACE, START);
	begin_turn();
	early_rooms[0].nr_refused++;
	return ret ? ret : unwinder_mapped(unwinder, PID, NULL, NULL);
}

/* What an unwinder has, it gives back: after some turns, there is as much memory as before. */
START_TEST(an_unwinder_ends)
{
	size_t bytes[12];

	end();
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		spaces = (struct address_spaces){0};
		ck_assert_int_eq(begin_and_work(), 0);
		ck_assert_int_eq(unwinder_take_early(unwinder, 0), 0);
		unwinder_destroy(unwinder);
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
	unwinder = NULL;
}
END_TEST

START_TEST(processes_that_cannot_be_adopted)
{
	struct err err = {0};

	map(PID, "/bin/a", START);
	unwinder_destroy(unwinder);
	process.put_error = -ENOMEM;
	ck_assert_int_eq(try_begin(false, false, &err), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to begin unwinding: Cannot allocate memory");
}
END_TEST

SUITE_MAIN_WITH("unwinder_work", begin_work, end, the_order_of_the_work, work_with_an_error,
		questions_after_an_error, mappings_of_now, what_is_handed_on, room_that_is_short,
		files_are_forgotten, an_unwinder_ends, processes_that_cannot_be_adopted)
