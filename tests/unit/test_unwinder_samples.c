// SPDX-License-Identifier: GPL-2.0-or-later
/* Early samples and names of functions on their way through the unwinder. */
#include "tests/unit/played_unwinder.h"

/* As in unwinder.c. */
#define EARLY_MAX       128
#define EARLY_MAX_BYTES (8u << 20)
#define EARLY_WAIT_MS   50

/* Sends a sample with a stack of @nr_bytes, of which @sent arrive. */
static int send_sample(uint32_t nr_bytes, size_t sent, uint32_t uid)
{
	static struct early_sample sample;

	sample = (struct early_sample){.nr_bytes = nr_bytes, .uid = uid};
	send(RING_EARLY, &sample, EARLY_SAMPLE_SIZE(0) + sent);
	return unwinder_work(unwinder);
}

START_TEST(samples_that_arrive)
{
	const uint64_t used = 1 << 20;
	struct early_sample sample = {0};

	early_rooms[3].used = used;
	ck_assert_int_eq(send_sample(100, 100, 3), 0);
	ck_assert_uint_eq(early.nr_added, 1);
	ck_assert_uint_eq(early_rooms[3].used, used - EARLY_SAMPLE_SIZE(100));
	/* The stack is longer than the record. */
	ck_assert_int_eq(send_sample(101, 100, 3), 0);
	ck_assert_uint_eq(early.nr_added, 1);
	ck_assert_uint_eq(early_rooms[3].used, used - 2 * EARLY_SAMPLE_SIZE(100));
	/* Another user, who has the same room. */
	ck_assert_int_eq(send_sample(100, 100, OWNER_ROOMS + 3), 0);
	ck_assert_uint_eq(early.nr_added, 2);
	ck_assert_uint_eq(early_rooms[3].used, used - 3 * EARLY_SAMPLE_SIZE(100));
	/* It is no sample. */
	sample.uid = 3;
	send(RING_EARLY, &sample, EARLY_SAMPLE_SIZE(0) - 1);
	work();
	ck_assert_uint_eq(early.nr_added, 2);
	ck_assert_uint_eq(early_rooms[3].used, used - 3 * EARLY_SAMPLE_SIZE(100));
	ck_assert_int_eq(send_sample(0, 0, 0), 0);
	ck_assert_uint_eq(early.nr_added, 3);
}
END_TEST

/* After an error the rest is taken off the buffers, but not kept. */
START_TEST(samples_without_memory)
{
	struct early_sample sample = {.uid = 3};

	early.add_error = -ENOMEM;
	early_rooms[3].used = 1 << 20;
	send(RING_EARLY, &sample, EARLY_SAMPLE_SIZE(0));
	ck_assert_int_eq(send_sample(0, 0, 3), -ENOMEM);
	ck_assert_uint_eq(early.nr_added, 1);
	ck_assert_uint_eq(early_rooms[3].used, (1 << 20) - 2 * EARLY_SAMPLE_SIZE(0));
	ck_assert_uint_eq(tables.nr_finished, 0);
	ck_assert_uint_eq(early.nr_walks, 0);
	early.add_error = 0;
	work();
	ck_assert_uint_eq(tables.nr_finished, 1);
	ck_assert_uint_eq(early.nr_walks, 1);
	ck_assert_uint_eq(early.nr_last_walks, 0);
}
END_TEST

#define INTERPRETER 3

static int send_name(uint32_t language, size_t less)
{
	static struct scoped_function_name name;

	memset(&name, 0, sizeof(name));
	((struct function_name *)&name)->word = LANGUAGE_WORD(language, 1, 0x1000);
	((struct function_name *)&name)->uid = 5;
	((struct function_name *)&name)->interpreter = INTERPRETER;
	send(RING_NAMES, &name, function_name_size((struct function_name *)&name) - less);
	return unwinder_work(unwinder);
}

/* Who asks for more is told the interpreter that the program says. */
START_TEST(names_with_an_interpreter)
{
	const struct interpreter_of_file file = {
		.number = INTERPRETER, .is_there = true, .found.interpreter.version = 7};

	ck_assert_int_eq(send_name(LANGUAGE_NODE, 0), 0);
	ck_assert_int_eq(vec_push(&tables.tables->interpreters.files, file), 0);
	functions.version = 7;
	ck_assert_int_eq(send_name(LANGUAGE_NODE, 0), 0);
	ck_assert_uint_eq(functions.nr_wanted, 2);
	vec_free(&tables.tables->interpreters.files);
}
END_TEST

START_TEST(names_that_arrive)
{
	struct owner_room *room = &name_rooms[owner_room_of(5)];

	room->used = 100;
	ck_assert_int_eq(send_name(LANGUAGE_PYTHON, 0), 0);
	ck_assert_uint_eq(functions.nr_added, 1);
	ck_assert_uint_eq(functions.nr_wanted, 1);
	ck_assert_uint_eq(room->used, 99);
	ck_assert_int_eq(send_name(LANGUAGE_JAVA, 0), 0);
	ck_assert_uint_eq(functions.nr_added, 2);
	ck_assert_uint_eq(functions.nr_wanted, 2);
	ck_assert_int_eq(send_name(LANGUAGE_PHP, 0), 0);
	ck_assert_uint_eq(functions.nr_added, 3);
	/* They are cut short. */
	ck_assert_int_eq(send_name(LANGUAGE_PHP, 1), 0);
	ck_assert_int_eq(send_name(LANGUAGE_JAVA, 1), 0);
	ck_assert_uint_eq(functions.nr_added, 3);
	ck_assert_uint_eq(room->used, 97);
	/* There is no room for it. */
	functions.number = NO_FUNCTION;
	ck_assert_int_eq(send_name(LANGUAGE_JAVA, 0), 0);
	ck_assert_uint_eq(functions.nr_wanted, 3);
	functions.number = 0;
	functions.add_error = -ENOMEM;
	ck_assert_int_eq(send_name(LANGUAGE_JAVA, 0), -ENOMEM);
	ck_assert_uint_eq(functions.nr_wanted, 3);
	ck_assert_uint_eq(room->used, 95);
}
END_TEST

START_TEST(errors_of_the_work)
{
	functions.ask_error = -ENOMEM;
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
	ck_assert_uint_eq(tables.nr_finished, 0);
	functions.ask_error = 0;
	tables.finish_error = -ENOMEM;
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
	ck_assert_uint_eq(early.nr_walks, 0);
	tables.finish_error = 0;
	early.walk_error = -ENOMEM;
	functions.nr_asked = 0;
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
	ck_assert_uint_eq(functions.nr_asked, 1);
	early.walk_error = 0;
	work();
	ck_assert_uint_eq(functions.nr_asked, 3);
}
END_TEST

/* What is cut short is no question. */
START_TEST(questions_that_are_cut)
{
	struct unwind_want want = {.space_id = SPACE, .tgid = PID, .uid = UID};

	send(RING_WANTS, &want, sizeof(want) - 1);
	work();
	ck_assert_uint_eq(process.nr_looks, 0);
	send(RING_WANTS, &want, sizeof(want));
	work();
	ck_assert_uint_eq(process.nr_looks, 1);
}
END_TEST

/* The nth user has so much room left out. */
static uint64_t nr_lacked(enum prof_lack_kind kind, uint32_t uid)
{
	const struct shares *pool = unwinder_pool(unwinder, kind);

	vec_for_each(&pool->owners, owner)
		if (owner->uid == uid)
			return owner->nr_lacked;
	return 0;
}

START_TEST(refusals_of_the_program)
{
	early_rooms[2] = (struct owner_room){.nr_refused = 5, .uid = UID};
	name_rooms[3] = (struct owner_room){.nr_refused = 7, .uid = UID, .has_several = 1};
	ck_assert_int_eq(unwinder_take_early(unwinder, 1), 0);
	ck_assert_uint_eq(early.taken_set, 1);
	ck_assert_uint_eq(early.nr_walks, 1);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, UID), 5);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_FUNCTIONS, SHARES_OTHERS), 7);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_FUNCTIONS, UID), 0);
	early_rooms[2].nr_refused = 6;
	ck_assert_int_eq(unwinder_take_early(unwinder, 0), 0);
	ck_assert_uint_eq(early.taken_set, 0);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, UID), 6);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_FUNCTIONS, SHARES_OTHERS), 7);
	/* Of the first and the last room, too. */
	early_rooms[0] = (struct owner_room){.nr_refused = 1, .uid = 0};
	early_rooms[OWNER_ROOMS - 1] = (struct owner_room){.nr_refused = 2, .uid = UID + 1};
	ck_assert_int_eq(unwinder_take_early(unwinder, 0), 0);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, 0), 1);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, UID + 1), 2);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, UID), 6);
	early.walk_error = -ENOMEM;
	early_rooms[2].nr_refused = 7;
	ck_assert_int_eq(unwinder_take_early(unwinder, 1), -ENOMEM);
	ck_assert_uint_eq(nr_lacked(PROF_LACK_COPIES, UID), 7);
}
END_TEST

START_TEST(a_drain_is_due)
{
	struct early_samples *samples = unwinder_early(unwinder);

	ck_assert(!unwinder_wants_drain(unwinder));
	samples->nr_raw = EARLY_MAX - 1;
	ck_assert(!unwinder_wants_drain(unwinder));
	samples->nr_raw = EARLY_MAX;
	ck_assert(unwinder_wants_drain(unwinder));
	/* They may wait for tables, as long as there is room. */
	tables.tables->line.used = 1;
	ck_assert(!unwinder_wants_drain(unwinder));
	/* A slow file may take very long. */
	tables.tables->line.used = 0;
	tables.tables->nr_asked = 1;
	ck_assert(unwinder_wants_drain(unwinder));
	/* A drain does not help a user without time for a table. */
	tables.tables->lacked_time = true;
	ck_assert(!unwinder_wants_drain(unwinder));
	samples->raw_bytes = EARLY_MAX_BYTES - 1;
	ck_assert(!unwinder_wants_drain(unwinder));
	samples->raw_bytes = EARLY_MAX_BYTES;
	ck_assert(unwinder_wants_drain(unwinder));
}
END_TEST

/* At a drain, samples that still wait get a moment more. */
START_TEST(the_last_walk)
{
	ck_assert_int_eq(unwinder_walk_early(unwinder, &spaces), 0);
	ck_assert_uint_eq(tables.nr_waits, 0);
	ck_assert_uint_eq(early.nr_walks, 2);
	ck_assert_uint_eq(early.nr_last_walks, 1);
	unwinder_early(unwinder)->nr_raw = 1;
	ck_assert_int_eq(unwinder_walk_early(unwinder, &spaces), 0);
	ck_assert_uint_eq(tables.nr_waits, 1);
	ck_assert_int_eq(tables.waited_ms, EARLY_WAIT_MS);
	ck_assert_uint_eq(early.nr_last_walks, 2);
	early.walk_error = -ENOMEM;
	ck_assert_int_eq(unwinder_walk_early(unwinder, &spaces), -ENOMEM);
	ck_assert_uint_eq(tables.nr_waits, 1);
	ck_assert_uint_eq(early.nr_last_walks, 2);
	unwinder_early(unwinder)->nr_raw = 0;
	early.walk_error = 0;
}
END_TEST

/* The answer about @pc, at @time_ns, that the finder of a walk gives during the walk. */
static int find_during(int (*walk)(void), uint64_t time_ns, uint64_t pc)
{
	early.question = (struct early_sample){.key.tgid = PID, .time_ns = time_ns};
	early.pc = pc;
	early.answer = 0;
	early.mapping = (struct unwind_mapping){0};
	early.has_regex = false;
	ck_assert_int_eq(walk(), 0);
	return early.answer;
}

static int walk_all(void)
{
	return unwinder_walk_early(unwinder, &spaces);
}

static int walk_known(void)
{
	return unwinder_walk_known(unwinder, &spaces, 100);
}

/* The mappings at the time of the sample count, where they are known. */
START_TEST(samples_of_another_time)
{
	map(PID, "/bin/a", START);
	unwinder_early(unwinder)->nr_raw = 1;
	ck_assert_int_eq(find_during(walk_all, 20, START + 5), 1);
	ck_assert_uint_eq(early.mapping.start, START);
	ck_assert_uint_eq(early.mapping.end, START + 0x1000);
	ck_assert_uint_eq(early.mapping.bias, START);
	ck_assert_uint_eq(early.mapping.pages, UNWIND_TABLE_WANTED);
	ck_assert(!early.has_regex);
	ck_assert_uint_eq(early.nr_expected, 2);
	/* Each of the two walks asks for the table. */
	ck_assert_uint_eq(tables.nr_requests, 2);
	ck_assert_uint_eq(tables.place.pid, PID);
	ck_assert_uint_eq(tables.place.start, START);
	ck_assert_uint_eq(tables.place.user, early.question.uid + 1);
	tables.tables->tables.data[tables.nr].has_regex = true;
	tables.tables->tables.data[tables.nr].state = TABLE_ASKED;
	ck_assert_int_eq(find_during(walk_all, 20, START + 5), 1);
	ck_assert_uint_eq(tables.nr_requests, 2);
	ck_assert(early.has_regex);
	ck_assert_int_eq(find_during(walk_all, 20, START + 0x1000), 0);
	tables.tables->tables.data[tables.nr].state = TABLE_NONE;
	tables.error = -ENOMEM;
	ck_assert_int_eq(find_during(walk_all, 20, START), -ENOMEM);
	/* At a drain, all is known. */
	process.is_known = true;
	process.known.pid = PID;
	tables.error = 0;
	ck_assert_int_eq(find_during(walk_all, 20, START + 5), 1);
	unwinder_early(unwinder)->nr_raw = 0;
}
END_TEST

/* Between drains only of processes that the program does not know any more. */
START_TEST(samples_before_the_drain)
{
	map(PID, "/bin/a", START);
	ck_assert_int_eq(unwinder_walk_known(unwinder, &spaces, 100), 0);
	ck_assert_uint_eq(early.nr_walks, 0);
	unwinder_early(unwinder)->nr_raw = 1;
	ck_assert_int_eq(find_during(walk_known, 100, START), 1);
	ck_assert_int_eq(find_during(walk_known, 101, START), -EAGAIN);
	process.is_known = true;
	process.known.pid = PID;
	ck_assert_int_eq(find_during(walk_known, 100, START), -EAGAIN);
	ck_assert_uint_eq(early.nr_last_walks, 0);
	unwinder_early(unwinder)->nr_raw = 0;
}
END_TEST

START_TEST(no_unwinder)
{
	size_t nr = 1;

	ck_assert_int_eq(unwinder_work(NULL), 0);
	ck_assert_int_eq(unwinder_wait_popular(NULL, &spaces, 1), 0);
	ck_assert_int_eq(unwinder_take_early(NULL, 0), 0);
	ck_assert_int_eq(unwinder_walk_early(NULL, &spaces), 0);
	ck_assert_int_eq(unwinder_walk_known(NULL, &spaces, 1), 0);
	ck_assert_ptr_null(unwinder_early(NULL));
	ck_assert_ptr_null(unwinder_functions(NULL));
	ck_assert_ptr_null(unwinder_interpreters(NULL));
	ck_assert_ptr_null(unwinder_pool(NULL, PROF_LACK_COPIES));
	ck_assert(!unwinder_has_makers(NULL));
	ck_assert(!unwinder_wants_drain(NULL));
	ck_assert(!unwinder_has_many_names(NULL));
	ck_assert(!unwinder_lacks_room(NULL));
	ck_assert_int_eq(unwinder_exited(NULL, PID), 0);
	ck_assert_int_eq(unwinder_sweep(NULL), 0);
	ck_assert_int_eq(unwinder_settle(NULL), 0);
	unwinder_told(NULL, PID);
	unwinder_sampled(NULL, PID, 1);
	ck_assert_ptr_null(unwinder_fds(NULL, &nr));
	ck_assert_uint_eq(nr, 0);
	unwinder_destroy(NULL);
}
END_TEST

START_TEST(what_there_is)
{
	size_t nr;
	const int *fds = unwinder_fds(unwinder, &nr);

	ck_assert_uint_eq(nr, 2);
	ck_assert_int_eq(fds[0], RINGS_FD);
	ck_assert_int_eq(fds[1], LINE_FD);
	ck_assert_ptr_eq(unwinder_pool(unwinder, PROF_LACK_TABLES), &tables.tables->unserved);
	ck_assert_ptr_eq(unwinder_pool(unwinder, PROF_LACK_INTERPRETERS),
			 &tables.tables->interpreters.shares);
	ck_assert_ptr_eq(unwinder_interpreters(unwinder), &tables.tables->interpreters);
	ck_assert_ptr_eq(unwinder_functions(unwinder)->rooms, name_rooms);
	ck_assert_ptr_null(unwinder_pool(unwinder, PROF_LACK_NAMES));
}
END_TEST

SUITE_MAIN_WITH("unwinder_samples", begin, end, samples_that_arrive, samples_without_memory,
		names_that_arrive, names_with_an_interpreter, errors_of_the_work,
		questions_that_are_cut, refusals_of_the_program, a_drain_is_due, the_last_walk,
		samples_of_another_time, samples_before_the_drain, no_unwinder, what_there_is)
