// SPDX-License-Identifier: GPL-2.0-or-later
/* What records of a process tell, one by one: the test is the side-band. */
#include "record/process/program_records.h"

#include <errno.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define PID 7

/* Where the code of the records is. */
#define START UINT64_C(0x400000)

static struct sideband_record records[8];
static size_t nr_records;
static struct mapped_files files;
static mapping_vec told;
static uint64_t page;

int __wrap_sideband_show_begun(struct sideband *sideband, uint32_t pid, sideband_fn fn, void *ctx);

int __wrap_sideband_show_begun(struct sideband *sideband, uint32_t pid, sideband_fn fn, void *ctx)
{
	int ret = nr_records ? 0 : -ENOENT;

	ck_assert_ptr_null(sideband);
	ck_assert_uint_eq(pid, PID);
	for (size_t i = 0; i < nr_records && !ret; i++)
		ret = fn(ctx, &records[i]);
	return ret;
}

static void begin(void)
{
	page = sysconf(_SC_PAGESIZE);
	nr_records = 0;
}

static void end(void)
{
	mapped_files_deinit(&files);
	vec_free(&told);
}

static struct sideband_record *play(enum sideband_type type)
{
	struct sideband_record *record = &records[nr_records++];

	ck_assert_uint_le(nr_records, ARRAY_SIZE(records));
	*record = (struct sideband_record){.type = type, .pid = PID, .tid = PID};
	return record;
}

/* @nr pages at page @at are code of the file @path. */
static struct sideband_record *play_mapping(uint64_t at, uint64_t nr, const char *path)
{
	struct sideband_record *record = play(SIDEBAND_MMAP);

	record->addr = START + at * page;
	record->size = nr * page;
	record->pgoff = 3 * page;
	record->build_id = (struct build_id){.size = 2, .bytes = {1, 2}};
	record->name = path;
	return record;
}

/* A program of one page. */
static void play_program(void)
{
	nr_records = 0;
	play(SIDEBAND_EXEC);
	play_mapping(0, 1, "/bin/program");
}

static int read_records(uint32_t pages)
{
	return program_records_read(NULL, PID, pages, &files, &told);
}

START_TEST(mappings_are_told_in_order)
{
	play_program();
	play_mapping(4, 2, "/lib/late.so");
	play_mapping(1, 1, "[vdso]");
	ck_assert_int_eq(read_records(4), 0);
	ck_assert_uint_eq(told.nr, 3);
	for (size_t i = 0; i < told.nr; i++) {
		const struct mapping *mapping = &told.data[i];
		const char *const paths[] = {"/bin/program", "[vdso]", "/lib/late.so"};
		const uint64_t starts[] = {0, 1, 4}, ends[] = {1, 2, 6}, pgoffs[] = {3, 0, 3};

		ck_assert_str_eq(mapping_file(&files, mapping)->path, paths[i]);
		ck_assert_uint_eq(mapping->start, START + starts[i] * page);
		ck_assert_uint_eq(mapping->end, START + ends[i] * page);
		ck_assert_uint_eq(mapping->pgoff, pgoffs[i] * page);
	}
	/* Another look begins anew. */
	play_program();
	ck_assert_int_eq(read_records(1), 0);
	ck_assert_uint_eq(told.nr, 1);
}
END_TEST

/* Once there was as much code as the process has, the records have told of all of it. */
START_TEST(the_code_is_whole)
{
	play_program();
	play_mapping(1, 2, "/lib/one.so");
	for (uint32_t pages = 0; pages < 5; pages++)
		ck_assert_int_eq(read_records(pages), pages == 1 || pages == 3 ? 0 : -ENOENT);
}
END_TEST

START_TEST(mappings_do_not_overlap)
{
	static const struct {
		uint64_t at, nr;
		int ret;
	} cases[] = {{0, 1, 0},       {1, 1, -ENOENT}, {1, 2, -ENOENT},
		     {2, 1, -ENOENT}, {3, 1, -ENOENT}, {1, 4, -ENOENT},
		     {4, 1, 0},       {3, 0, -ENOENT}, {5, 0, -ENOENT}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		nr_records = 0;
		play(SIDEBAND_EXEC);
		play_mapping(1, 3, "/bin/program");
		play_mapping(cases[i].at, cases[i].nr, "/lib/one.so");
		ck_assert_msg(read_records(3) == cases[i].ret, "case %zu", i);
	}
}
END_TEST

/* Without a build-id, nobody knows which file has the path by now. */
START_TEST(code_without_a_known_file)
{
	play_program();
	play_mapping(1, 1, "/lib/one.so")->build_id.size = 0;
	ck_assert_int_eq(read_records(1), -ENOENT);
	play_program();
	play_mapping(1, 1, "//anon");
	ck_assert_int_eq(read_records(1), -ENOENT);
	play_program();
	play_mapping(1, 1, "[vdso]")->build_id.size = 0;
	ck_assert_int_eq(read_records(1), 0);
}
END_TEST

/* A fork copies mappings, of which there are no records. */
START_TEST(an_exec_comes_first)
{
	static const enum sideband_type first[] = {SIDEBAND_FORK, SIDEBAND_MMAP};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		nr_records = 0;
		play_mapping(1, 1, "/lib/one.so")->type = first[i];
		records[0].parent_pid = PID;
		play(SIDEBAND_EXEC);
		play_mapping(0, 1, "/bin/program");
		ck_assert_int_eq(read_records(1), -ENOENT);
	}
	play_program();
	ck_assert_int_eq(read_records(1), 0);
	nr_records = 0;
	ck_assert_int_eq(read_records(1), -ENOENT);
}
END_TEST

START_TEST(threads_come_and_go)
{
	play_program();
	play(SIDEBAND_FORK)->parent_pid = PID;
	play(SIDEBAND_EXIT)->tid = PID + 1;
	ck_assert_int_eq(read_records(1), 0);
	play(SIDEBAND_EXIT);
	ck_assert_int_eq(read_records(1), -ENOENT);
	play_program();
	play(SIDEBAND_FORK)->parent_pid = PID + 1; /* it is another process's */
	ck_assert_int_eq(read_records(1), -ENOENT);
	play_program();
	play(SIDEBAND_MOVE);
	ck_assert_int_eq(read_records(1), -ENOENT);
}
END_TEST

SUITE_MAIN_WITH("program_records_played", begin, end, mappings_are_told_in_order, the_code_is_whole,
		mappings_do_not_overlap, code_without_a_known_file, an_exec_comes_first,
		threads_come_and_go)
