// SPDX-License-Identifier: GPL-2.0-or-later
/* The versions and builds of Perl. */
#include "record/languages/files/language_files.h"

#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

/* Places in the data. */
#define MINOR     0
#define PATCH     1
#define BYTES     2
#define KEY       4
#define STACKINFO 8
#define MAIN_SUB  16
#define FILE_NAME 24
#define LOOP      256
#define CALL      320
#define OVERLOAD  400
#define RUN       500

static struct dynamic_file file;

/* A build of 5.@minor.3, with threads if its data have @bytes. */
static void begin_build(uint8_t minor, uint16_t bytes)
{
	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	dynamic_file_add(&file, "PL_version", MINOR, 1);
	dynamic_file_add(&file, "PL_subversion", PATCH, 1);
	dynamic_file_add(&file, "Perl_runops_standard", LOOP, 10);
	dynamic_file_add(&file, "Perl_call_sv", CALL, 20);
	dynamic_file_add(&file, "Perl_amagic_call", OVERLOAD, 30);
	dynamic_file_add(&file, "perl_run", RUN, 40);
	if (bytes) {
		dynamic_file_add(&file, "PL_thr_key", KEY, 4);
		dynamic_file_add(&file, "PL_interp_size", BYTES, 2);
	} else {
		dynamic_file_add(&file, "PL_curstackinfo", STACKINFO, 8);
		dynamic_file_add(&file, "PL_main_cv", MAIN_SUB, 8);
		dynamic_file_add(&file, "PL_origfilename", FILE_NAME, 8);
	}
	file.data[MINOR] = minor;
	file.data[PATCH] = 3;
	memcpy(file.data + BYTES, &bytes, sizeof(bytes));
}

static struct found_interpreter find(void)
{
	struct found_interpreter found;
	int fd = dynamic_file_open(&file);

	interpreter_search(fd, &found);
	close(fd);
	return found;
}

static bool is_walked(void)
{
	struct found_interpreter found = find();

	ck_assert_uint_eq(found.language, LANGUAGE_PERL);
	return found.interpreter.language == LANGUAGE_PERL;
}

static const struct {
	uint8_t minor;
	uint16_t bytes;
	struct perl_layout layout;
} rows[] = {
	{30, 0xcd0, {{0}, 0xf0, 0x718, 0x5d0, 195, 1, 1, 1}},
	{32, 0xed0, {{0}, 0xf0, 0x718, 0x5d0, 195, 1, 1, 0}},
	{36, 0xeb8, {{0}, 0xe0, 0x708, 0x5c0, 195, 1, 0, 0}},
	{40, 0xeb8, {{0}, 0xe0, 0x630, 0x4d8, 198, 1, 0, 0}},
	{44, 0xec0, {{0}, 0xe0, 0x630, 0x4d8, 202, 1, 0, 0}},
};

START_TEST(builds_with_threads)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perl_layout layout = rows[i].layout;
		struct found_interpreter found;
		char name[32];

		begin_build(rows[i].minor, rows[i].bytes);
		found = find();
		snprintf(name, sizeof(name), "Perl 5.%u.3", rows[i].minor);
		ck_assert_str_eq(found.name, name);
		ck_assert_uint_eq(found.interpreter.language, LANGUAGE_PERL);
		ck_assert_uint_eq(found.interpreter.code_off, DYNAMIC_FILE_CODE_OFF);
		ck_assert_uint_eq(found.interpreter.runtime, DYNAMIC_FILE_PLACE(KEY));
		layout.functions = (struct perl_functions){
			DYNAMIC_FILE_PLACE(LOOP),     10, DYNAMIC_FILE_PLACE(CALL), 20,
			DYNAMIC_FILE_PLACE(OVERLOAD), 30, DYNAMIC_FILE_PLACE(RUN),  40};
		ck_assert_mem_eq(&found.interpreter.perl, &layout, sizeof(layout));
		/* Other data. */
		begin_build(rows[i].minor, rows[i].bytes + 8);
		ck_assert(!is_walked());
		/* An odd version is a development's. */
		begin_build(rows[i].minor + 1, rows[i].bytes);
		ck_assert(!is_walked());
	}
}
END_TEST

/* The data are variables of their own. */
START_TEST(builds_without_threads)
{
	struct interpreter in;

	begin_build(36, 0);
	in = find().interpreter;
	ck_assert_uint_eq(in.language, LANGUAGE_PERL);
	ck_assert_uint_eq(in.runtime, 0);
	ck_assert(!in.perl.has_threads);
	ck_assert_uint_eq(in.perl.stackinfo, DYNAMIC_FILE_PLACE(STACKINFO));
	ck_assert_uint_eq(in.perl.main_sub, DYNAMIC_FILE_PLACE(MAIN_SUB));
	ck_assert_uint_eq(in.perl.file, DYNAMIC_FILE_PLACE(FILE_NAME));
	ck_assert_uint_eq(in.perl.first_op, 195);
	begin_build(35, 0);
	ck_assert(!is_walked());
}
END_TEST

START_TEST(files_that_lack_a_symbol)
{
	for (uint32_t i = 1; i <= 9; i++) {
		struct found_interpreter found;

		begin_build(36, 0);
		file.names[file.symbols[i].st_name]++;
		found = find();
		ck_assert_uint_eq(found.language, i > 6 ? LANGUAGE_PERL : LANGUAGE_NONE);
		ck_assert_uint_eq(found.interpreter.language, LANGUAGE_NONE);
	}
	begin_build(36, 0xeb8);
	file.names[file.symbols[8].st_name]++; /* the size of the data */
	ck_assert(!is_walked());
}
END_TEST

SUITE_MAIN("perl_layouts", builds_with_threads, builds_without_threads, files_that_lack_a_symbol)
