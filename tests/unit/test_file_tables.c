// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/file_tables.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has these ids. */
#define PID_GONE 5000001u

/* As in file_tables.c. */
#define ATTEMPTS_MAX 8
#define PAUSE_MIN_NS (100 * NS_PER_MS)

/* A file that processes have mapped, and its table. */
struct mapped_world {
	struct file_tables tables;
	char dir[270], path[280], hidden[280];
	struct mapped_file file;
	uint32_t nr;
};

static void note_change(void *ctx, uint32_t nr)
{
	(void)ctx;
	(void)nr;
}

static const struct mapping mapped = {.start = 0x1000, .end = 0x2000};

static void begin(struct mapped_world *w)
{
	struct err err = {0};
	struct stat st;
	int fd;

	*w = (struct mapped_world){0};
	snprintf(w->dir, sizeof(w->dir), "%s/XXXXXX", suite_dir);
	ck_assert_ptr_nonnull(mkdtemp(w->dir));
	snprintf(w->path, sizeof(w->path), "%s/mapped", w->dir);
	snprintf(w->hidden, sizeof(w->hidden), "%s-hidden", w->dir);
	fd = open(w->path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	ck_assert_int_eq(file_tables_init(&w->tables, NULL, NULL, &err), 0);
	w->tables.changed = note_change;
	w->file = (struct mapped_file){
		.path = w->path,
		.kind = MAPPED_FILE,
		.identity = file_identity_of_stat(&st),
	};
	ck_assert_int_eq(file_tables_find(&w->tables, &w->file, &mapped, 0, &w->nr), 0);
}

static void end(struct mapped_world *w)
{
	file_tables_deinit(&w->tables);
}

/* Moves the file's directory: the file itself does not change. */
static void hide(struct mapped_world *w)
{
	ck_assert_int_eq(rename(w->dir, w->hidden), 0);
}

static void show(struct mapped_world *w)
{
	ck_assert_int_eq(rename(w->hidden, w->dir), 0);
}

static const struct file_table *table(const struct mapped_world *w)
{
	return &w->tables.tables.data[w->nr];
}

/* Asks for the table by way of process @pid. Returns the state after it. */
static enum table_state request(struct mapped_world *w, uint32_t pid)
{
	const struct file_place place = {.pid = pid, .start = 0x1000, .end = 0x2000};

	ck_assert_int_eq(file_tables_request(&w->tables, w->nr, &w->file, &place), 0);
	return table(w)->state;
}

static void fail_until_pause(struct mapped_world *w)
{
	for (uint32_t i = 1; i < ATTEMPTS_MAX; i++)
		ck_assert_int_eq(request(w, PID_GONE + i), TABLE_NONE);
	ck_assert_int_eq(request(w, PID_GONE + ATTEMPTS_MAX), TABLE_IMPOSSIBLE);
}

static void wait_for_pause(struct mapped_world *w)
{
	while (table(w)->state == TABLE_IMPOSSIBLE) {
		usleep(1000);
		ck_assert_int_eq(file_tables_finish(&w->tables), 0);
	}
}

START_TEST(a_file_that_comes_is_asked_for_again)
{
	struct mapped_world w;

	begin(&w);
	hide(&w);
	fail_until_pause(&w);
	show(&w);
	wait_for_pause(&w);
	ck_assert_int_eq(table(&w)->state, TABLE_NONE);
	ck_assert_int_eq(request(&w, PID_GONE), TABLE_ASKED);
	end(&w);
}
END_TEST

START_TEST(samples_of_one_gone_process_are_one_attempt)
{
	struct mapped_world w;

	begin(&w);
	hide(&w);
	for (int i = 0; i < 3 * ATTEMPTS_MAX; i++)
		ck_assert_int_eq(request(&w, PID_GONE), TABLE_NONE);
	ck_assert_uint_eq(table(&w)->attempts, 1);
	end(&w);
}
END_TEST

START_TEST(a_process_that_lives_is_asked_again)
{
	struct mapped_world w;

	begin(&w);
	hide(&w);
	for (int i = 1; i < ATTEMPTS_MAX; i++)
		ck_assert_int_eq(request(&w, getpid()), TABLE_NONE);
	ck_assert_int_eq(request(&w, getpid()), TABLE_IMPOSSIBLE);
	end(&w);
}
END_TEST

static void add_file(struct mapped_world *w, struct mapped_file *file, uint64_t inode,
		     uint32_t owner)
{
	file->identity.inode = inode;
	file->identity.owner = owner;
	ck_assert_int_eq(file_tables_find(&w->tables, file, &mapped, 0, &w->nr), 0);
}

/* A build-id alone tells a file where nobody can have made a second one that has it. */
START_TEST(files_of_a_build_id)
{
	char another[] = "/another";
	struct mapped_file told = {.kind = MAPPED_FILE, .given_id = {.size = 4, .bytes = "abcd"}};
	struct mapped_file file;
	struct mapped_world w;

	begin(&w);
	file = w.file;
	file.found_id = told.given_id;
	told.path = another;
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	add_file(&w, &file, 1, 0);
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	told.path = file.path;
	ck_assert(file_tables_know(&w.tables, &told, 0));
	ck_assert(file_tables_know(&w.tables, &told, 1000));
	/* Its file system says that it is root's, and is not believed. */
	w.tables.tables.data[w.nr].state = TABLE_READY;
	w.tables.tables.data[w.nr].owner = 1000;
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	ck_assert(file_tables_know(&w.tables, &told, 1000));
	w.tables.tables.data[w.nr].state = TABLE_NONE;
	/* Which of two it is does not matter once their tables are known to be equal. */
	add_file(&w, &file, 2, 1000);
	ck_assert(!file_tables_know(&w.tables, &told, 1000));
	w.tables.tables.data[w.nr].state = TABLE_READY;
	w.tables.tables.data[w.nr].owner = 1000;
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	ck_assert(!file_tables_know(&w.tables, &told, 1001));
	end(&w);
}
END_TEST

/* Nobody has looked whose file it is. */
START_TEST(a_file_that_was_told)
{
	char path[] = "/told";
	const struct mapped_file told = {
		.path = path, .kind = MAPPED_FILE, .given_id = {.size = 4, .bytes = "abcd"}};
	struct mapped_world w;

	begin(&w);
	ck_assert_int_eq(file_tables_find(&w.tables, &told, &mapped, 0, &w.nr), 0);
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	w.tables.tables.data[w.nr].state = TABLE_READY;
	ck_assert(file_tables_know(&w.tables, &told, 0));
	w.tables.tables.data[w.nr].owner = 7;
	ck_assert(!file_tables_know(&w.tables, &told, 0));
	ck_assert(file_tables_know(&w.tables, &told, 7));
	end(&w);
}
END_TEST

static uint32_t find_told(struct mapped_world *w, const struct mapped_file *told, uint32_t uid)
{
	uint32_t nr;

	ck_assert_int_eq(file_tables_find(&w->tables, told, &mapped, uid, &nr), 0);
	return nr;
}

/* Whoever has the build-id of a system's library in a file is not believed by other users. */
START_TEST(a_file_with_the_build_id_of_another)
{
	char path[] = "/told";
	const struct mapped_file told = {
		.path = path, .kind = MAPPED_FILE, .given_id = {.size = 4, .bytes = "abcd"}};
	struct mapped_file file;
	struct mapped_world w;
	uint32_t forged, roots;

	begin(&w);
	file = w.file;
	file.found_id = told.given_id;
	add_file(&w, &file, 1, 1000);
	forged = w.nr;
	ck_assert_uint_eq(find_told(&w, &told, 1000), forged);
	roots = find_told(&w, &told, 0);
	ck_assert_uint_ne(roots, forged);
	/* Nobody has looked whose this one is. */
	ck_assert_uint_eq(find_told(&w, &told, 0), roots);
	ck_assert_uint_eq(find_told(&w, &told, 1001), roots);
	ck_assert_uint_eq(find_told(&w, &told, 1000), roots);
	/* Who opened them knows better. */
	w.tables.tables.data[forged].state = TABLE_READY;
	w.tables.tables.data[forged].owner = 1001;
	w.tables.tables.data[roots].state = TABLE_READY;
	w.tables.tables.data[roots].owner = 1000;
	ck_assert_uint_eq(find_told(&w, &told, 1000), roots);
	ck_assert_uint_eq(find_told(&w, &told, 1001), forged);
	roots = find_told(&w, &told, 0);
	ck_assert_uint_ge(roots, w.nr + 2);
	end(&w);
}
END_TEST

SUITE_MAIN("file_tables", a_file_that_comes_is_asked_for_again,
	   samples_of_one_gone_process_are_one_attempt, a_process_that_lives_is_asked_again,
	   files_of_a_build_id, a_file_that_was_told, a_file_with_the_build_id_of_another)
