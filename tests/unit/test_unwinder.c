// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes whose mappings the program asks for, and tables of their files. */
#include "tests/unit/played_unwinder.h"

/* A file counts as everywhere if at least one process in so many maps it. */
#define EVERYWHERE 8

START_TEST(a_process_is_looked_at)
{
	looks.next_ns = now_ns + 5;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(process.most, LOOK_MAPPINGS_MAX);
	ck_assert_uint_eq(looks.nr_charged, 1);
	ck_assert_uint_eq(looks.uid, UID);
	ck_assert(!looks.is_cut);
	ck_assert_uint_eq(process.nr_put, 1);
	ck_assert_uint_eq(process.put.pid, PID);
	ck_assert_uint_eq(process.put.uid, UID);
	ck_assert_uint_eq(process.put.space_id, SPACE);
	ck_assert_uint_eq(process.put.exec_pages, 9);
	ck_assert(!process.put.is_idle);
	ck_assert_uint_eq(process.known.next_look_ns, looks.next_ns);
	/* A new program in the process. */
	looks.must_wait = true;
	ask_space(SPACE + 1);
	ck_assert_uint_eq(process.nr_put, 2);
	ck_assert_uint_eq(process.put.space_id, SPACE + 1);
}
END_TEST

START_TEST(a_look_that_does_not_read_all)
{
	process.error = -E2BIG;
	ask_space(SPACE);
	ck_assert(looks.is_cut);
	ck_assert_uint_eq(process.nr_put, 1);
	process.put_error = -ENOMEM;
	process.is_known = false;
	ck_assert_int_eq(ask(SPACE, 0), -ENOMEM);
	process.put_error = 0;
	process.is_known = false;
	process.error = -ENOMEM;
	ck_assert_int_eq(ask(SPACE, 0), -ENOMEM);
	ck_assert_uint_eq(process.nr_put, 2);
}
END_TEST

/* Nothing is mapped, or nobody may see what is. */
START_TEST(a_process_without_mappings)
{
	static const struct {
		int error;
		bool is_hidden;
	} cases[] = {{0, false},      {-ESRCH, false}, {-ENOENT, false},
		     {-EACCES, true}, {-EPERM, true},  {-EAGAIN, true}};

	process.paths[0] = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		process.error = cases[i].error;
		process.nr_hidden = 0;
		ask_space(SPACE);
		ck_assert_uint_eq(process.nr_hidden, cases[i].is_hidden);
	}
	ck_assert_uint_eq(process.nr_put, 0);
	ck_assert_uint_eq(process.nr_removed, 0);
}
END_TEST

START_TEST(a_process_that_has_gone)
{
	process.has_ended = true;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 0);
	ck_assert_uint_eq(process.nr_removed, 1);
	/* It ends during the look. */
	process.known.pid = PID;
	process.known.uid = UID;
	process.known.space_id = SPACE;
	process.is_known = true;
	process.paths[0] = NULL;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(process.nr_removed, 2);
	ck_assert_uint_eq(process.nr_hidden, 0);
}
END_TEST

/* The program asks again, and the look waits for 100 ns. */
static void ask_too_early(void)
{
	ask_space(SPACE);
	looks.must_wait = true;
	process.known.next_look_ns = now_ns + 100;
	ask_space(SPACE);
}

START_TEST(looks_that_wait)
{
	ask_too_early();
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert(process.known.is_waiting);
	ask_space(SPACE);
	ck_assert_uint_eq(looks.nr_asked, 1);
	now_ns += 99;
	work();
	ck_assert_uint_eq(process.nr_looks, 1);
	now_ns += 1;
	work();
	ck_assert_uint_eq(process.nr_looks, 2);
	ck_assert_uint_eq(process.put.space_id, SPACE);
	ck_assert_uint_eq(process.put.uid, UID);
	ck_assert(!process.known.is_waiting);
	now_ns += 1000;
	work();
	ck_assert_uint_eq(process.nr_looks, 2);
	looks.must_wait = false;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 3);
}
END_TEST

START_TEST(a_waiting_process_that_is_forgotten)
{
	ask_too_early();
	process.is_known = false;
	now_ns += 100;
	work();
	process.is_known = true;
	work();
	ck_assert_uint_eq(process.nr_looks, 1);
}
END_TEST

START_TEST(a_late_look_without_memory)
{
	ask_too_early();
	process.put_error = -ENOMEM;
	now_ns += 100;
	ck_assert_int_eq(unwinder_work(unwinder), -ENOMEM);
}
END_TEST

/* A user starts very many programs. */
START_TEST(first_looks_that_wait)
{
	looks.haste = LOOK_LATER;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 0);
	ask_space(SPACE + 1);
	ck_assert_uint_eq(process.nr_looks, 0);
	ask_space(SPACE + 1);
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(looks.nr_left_out, 0);
	process.is_known = false;
	looks.haste = LOOK_NEVER;
	ask_space(SPACE + 2);
	ck_assert_uint_eq(looks.nr_left_out, 0);
	ask_space(SPACE + 2);
	ck_assert_uint_eq(looks.nr_left_out, 1);
	ck_assert_uint_eq(process.nr_looks, 1);
}
END_TEST

static void begin_told(void)
{
	struct err err = {0};

	end();
	spaces = (struct address_spaces){0};
	ck_assert_int_eq(try_begin(true, false, &err), 0);
	told.knows_files = true;
}

/* The side-band has told of all files of a program. */
START_TEST(a_program_that_was_told)
{
	begin_told();
	ask_space(SPACE);
	ck_assert_uint_eq(told.nr_reads, 1);
	ck_assert_uint_eq(process.nr_looks, 0);
	ck_assert_uint_eq(looks.nr_charged, 0);
	ck_assert_uint_eq(process.nr_put, 1);
	ck_assert_uint_eq(process.known.next_look_ns, 0);
	told.knows_files = false;
	process.is_known = false;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 1);
	ck_assert_uint_eq(looks.nr_charged, 1);
	told.knows_files = true;
	told.error = -ENOENT;
	process.is_known = false;
	ask_space(SPACE);
	ck_assert_uint_eq(process.nr_looks, 2);
	told.error = -ENOMEM;
	process.is_known = false;
	ck_assert_int_eq(ask(SPACE, 0), -ENOMEM);
	ck_assert_uint_eq(process.nr_looks, 2);
	ck_assert_uint_eq(process.nr_put, 3);
}
END_TEST

static void set_state(uint32_t nr, enum table_state state)
{
	tables.tables->tables.data[nr].state = state;
}

START_TEST(a_table_is_asked_for)
{
	ask_table(START + 5);
	ck_assert_uint_eq(process.nr_looks_at_pc, 1);
	ck_assert_uint_eq(process.nr_looks, 0);
	ck_assert_uint_eq(tables.nr_requests, 1);
	ck_assert_uint_eq(tables.nr, NR_OWN_TABLES);
	ck_assert_uint_eq(tables.place.pid, PID);
	ck_assert_uint_eq(tables.place.start, START);
	ck_assert_uint_eq(tables.place.end, END);
	ck_assert_uint_eq(tables.place.user, UID + 1);
	ck_assert_uint_eq(tables.nr_held, 0);
	set_state(tables.nr, TABLE_ASKED);
	ask_table(START + 5);
	ck_assert_uint_eq(tables.nr_requests, 1);
	set_state(tables.nr, TABLE_NONE);
	tables.error = -ENOMEM;
	ck_assert_int_eq(ask(SPACE, START), -ENOMEM);
	/* Nothing is mapped there. */
	ask_table(END);
	ck_assert_uint_eq(tables.nr_requests, 2);
	process.error = -ENOMEM;
	ck_assert_int_eq(ask(SPACE, START), -ENOMEM);
	ck_assert_uint_eq(tables.nr_requests, 2);
	process.error = -ESRCH;
	ask_table(END);
}
END_TEST

/* The child for names gets the file, too. */
START_TEST(a_file_is_held_for_its_names)
{
	struct err err = {0};

	end();
	spaces = (struct address_spaces){0};
	ck_assert_int_eq(try_begin(false, true, &err), 0);
	ask_table(START);
	ck_assert_uint_eq(tables.nr_held, 1);
	tables.hold_error = -ENOMEM;
	ck_assert_int_eq(ask(SPACE, START), -ENOMEM);
	tables.error = -ENOMEM;
	ck_assert_int_eq(ask(SPACE, START), -ENOMEM);
	ck_assert_uint_eq(tables.nr_held, 2);
}
END_TEST

/* Its user had no time for the table a moment ago. */
START_TEST(a_table_is_refused)
{
	ask_table(START);
	ck_assert_uint_eq(tables.nr_requests, 1);
	tables.tables->tables.data[tables.nr].refused[0] =
		(struct refused_user){.user = UID + 1, .end_ns = now_ns + 1};
	ask_table(START);
	ck_assert_uint_eq(tables.nr_requests, 1);
	now_ns++;
	ask_table(START);
	ck_assert_uint_eq(tables.nr_requests, 2);
}
END_TEST

/* The side-band told a build-id that another file has: the process is looked at again. */
START_TEST(a_mistaken_mapping)
{
	ask_space(SPACE);
	process.is_mistake = true;
	ask_table(START);
	ck_assert_uint_eq(tables.nr_requests, 1);
	ck_assert_uint_eq(process.nr_looks, 2);
	process.is_mistake = false;
	ask_table(START);
	ck_assert_uint_eq(process.nr_looks, 2);
}
END_TEST

/* The side-band tells of mappings that the program knows otherwise. */
START_TEST(mappings_that_change)
{
	const struct mapping mapping = {.start = START, .end = END};
	const struct mapped_file file = {.kind = MAPPED_ANON};

	ck_assert_int_eq(unwinder_mapped(NULL, PID, &mapping, &file), 0);
	process.differs = true;
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, &mapping, &file), 0);
	work();
	ck_assert_uint_eq(process.nr_looks, 0);
	ask_space(SPACE);
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, &mapping, &file), 0);
	ck_assert(process.known.is_waiting);
	ck_assert_uint_eq(looks.nr_asked, 1);
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, &mapping, &file), 0);
	ck_assert_uint_eq(looks.nr_asked, 1);
	work();
	ck_assert_uint_eq(process.nr_looks, 2);
	process.differs = false;
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, &mapping, &file), 0);
	ck_assert(!process.known.is_waiting);
	/* It has moved some. */
	ck_assert_int_eq(unwinder_mapped(unwinder, PID, NULL, NULL), 0);
	ck_assert(process.known.is_waiting);
}
END_TEST

/* Begins anew with the processes in @spaces. */
static void begin_again(void)
{
	struct err err = {0};

	unwinder_destroy(unwinder);
	ck_assert_int_eq(try_begin(false, false, &err), 0);
}

START_TEST(processes_of_the_scan)
{
	map(PID, "/bin/a", START);
	begin_again();
	ck_assert_uint_eq(process.nr_put, 1);
	ck_assert_uint_eq(process.put.pid, PID);
	ck_assert_uint_eq(process.put.uid, UID);
	ck_assert(process.put.is_idle);
	ck_assert_uint_eq(process.put.space_id, 0);
	ck_assert_uint_eq(tables.tables->tables.data[NR_OWN_TABLES].nr_processes, 1);
}
END_TEST

/* Files that many processes map, each once. */
START_TEST(popular_files)
{
	for (uint32_t i = 0; i < 2 * EVERYWHERE; i++)
		map(PID + i, i < 2 ? "/lib/popular" : "/bin/others", START);
	map(PID, "/usr/rare", 2 * START);
	begin_again();
	ck_assert_int_eq(unwinder_request_popular(unwinder, &spaces), 0);
	ck_assert(!unwinder_has_makers(unwinder));
	ck_assert_uint_eq(tables.nr_requests, 2);
	ck_assert_uint_eq(tables.place.start, START);
	ck_assert_int_eq(unwinder_request_popular(unwinder, &spaces), 0);
	ck_assert_uint_eq(tables.nr_requests, 2);
}
END_TEST

/* Files of a process that makes code, and whatever it may be that knows it. */
START_TEST(files_of_makers)
{
	for (uint32_t i = 0; i < 2 * EVERYWHERE + 1; i++)
		map(PID + i, "/lib/popular", START);
	map(PID, "/usr/rare", 2 * START);
	map(PID, "/memfd:code (deleted)", 3 * START);
	begin_again();
	ck_assert(!unwinder_has_makers(unwinder));
	tables.error = -ENOMEM;
	ck_assert_int_eq(unwinder_request_popular(unwinder, &spaces), -ENOMEM);
	tables.error = 0;
	ck_assert_int_eq(unwinder_request_popular(unwinder, &spaces), 0);
	ck_assert(unwinder_has_makers(unwinder));
	ck_assert_uint_eq(tables.nr_requests, 3);
}
END_TEST

START_TEST(own_files)
{
	process.paths[1] = "/lib/library";
	ck_assert_int_eq(unwinder_request_own(unwinder), 0);
	ck_assert_uint_eq(tables.nr_requests, 2);
	ck_assert_uint_eq(tables.place.pid, getpid());
	ck_assert_uint_eq(tables.place.start, START + 0x100000);
	ck_assert_uint_eq(tables.place.end, END + 0x100000);
	set_state(tables.nr, TABLE_READY);
	ck_assert_int_eq(unwinder_request_own(unwinder), 0);
	ck_assert_uint_eq(tables.nr_requests, 3);
	tables.error = -ENOMEM;
	ck_assert_int_eq(unwinder_request_own(unwinder), -ENOMEM);
	ck_assert_uint_eq(tables.nr_requests, 4);
	process.error = -EACCES;
	ck_assert_int_eq(unwinder_request_own(unwinder), 0);
	process.error = -ENOMEM;
	ck_assert_int_eq(unwinder_request_own(unwinder), -ENOMEM);
	ck_assert_uint_eq(tables.nr_requests, 4);
}
END_TEST

/* The child has died with requests, or had no place for them. */
START_TEST(files_that_are_asked_for_again)
{
	struct file_table *table;

	for (uint32_t i = 0; i < EVERYWHERE; i++)
		map(PID + i, "/lib/popular", START);
	begin_again();
	ck_assert_int_eq(unwinder_request_popular(unwinder, &spaces), 0);
	ck_assert_uint_eq(tables.nr_requests, 1);
	table = &tables.tables->tables.data[tables.nr];
	ck_assert_int_eq(unwinder_wait_popular(unwinder, &spaces, 7), 0);
	ck_assert_int_eq(tables.waited_ms, 7);
	ck_assert_uint_eq(tables.nr_requests, 2);
	/* Nobody can open it. */
	table->attempts = 1;
	ck_assert_int_eq(unwinder_wait_popular(unwinder, &spaces, 7), 0);
	table->attempts = 0;
	table->state = TABLE_READY;
	ck_assert_int_eq(unwinder_wait_popular(unwinder, &spaces, 7), 0);
	ck_assert_uint_eq(tables.nr_requests, 2);
	ck_assert_int_eq(unwinder_wait_own(unwinder, 8), 0);
	ck_assert_int_eq(tables.waited_ms, 8);
	ck_assert_uint_eq(tables.nr_requests, 3);
	tables.error = -ENOMEM;
	ck_assert_int_eq(unwinder_wait_own(unwinder, 8), -ENOMEM);
}
END_TEST

START_TEST(buffers_that_cannot_be_mapped)
{
	for (rings.missing = 1; rings.missing < NR_RINGS; rings.missing++) {
		struct err err = {0};

		unwinder_destroy(unwinder);
		ck_assert_int_eq(try_begin(false, false, &err), -EPERM);
		ck_assert_str_eq(err.text,
				 "failed to map the unwinder's buffer: Operation not permitted");
	}
}
END_TEST

SUITE_MAIN_WITH("unwinder", begin, end, a_process_is_looked_at, a_look_that_does_not_read_all,
		a_process_without_mappings, a_process_that_has_gone, looks_that_wait,
		a_waiting_process_that_is_forgotten, a_late_look_without_memory,
		first_looks_that_wait, a_program_that_was_told, a_table_is_asked_for,
		a_file_is_held_for_its_names, a_table_is_refused, a_mistaken_mapping,
		mappings_that_change, processes_of_the_scan, popular_files, files_of_makers,
		own_files, files_that_are_asked_for_again, buffers_that_cannot_be_mapped)
