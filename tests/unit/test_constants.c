// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts in files that are searched in parts of 64 KiB. */
#include "record/languages/files/constants.h"

#include <errno.h>

#include "tests/unit/dynamic_file.h"

#define MARK       "version "
#define FILE_BYTES 200000
#define PART       65536

static struct dynamic_file file;
static struct dynamic_symbols symbols;

/* Makes a file that has @text at @at of its only segment. */
static void make_file(size_t at, const char *text)
{
	int fd;

	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	file.segments[0].p_filesz = FILE_BYTES;
	fd = dynamic_file_open(&file);
	ck_assert_int_eq(ftruncate(fd, DYNAMIC_FILE_CODE_OFF + FILE_BYTES), 0);
	ck_assert_int_eq(pwrite(fd, text, strlen(text), DYNAMIC_FILE_CODE_OFF + at),
			 (ssize_t)strlen(text));
	dynamic_symbols_deinit(&symbols);
	ck_assert_int_eq(dynamic_symbols_init(&symbols, fd), 0);
}

START_TEST(at_the_borders_of_parts)
{
	const size_t len = strlen(MARK) + 4, next = PART - len;
	const size_t places[] = {
		1000,     PART - len,        PART - len + 1,      PART - 1,        PART,
		2 * next, next + PART - len, 2 * next + PART - 1, FILE_BYTES - len};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char text[4];

		make_file(places[i], MARK "1.25");
		ck_assert_int_eq(constants_find(&symbols, MARK, text, sizeof(text)), 0);
		ck_assert_mem_eq(text, "1.25", sizeof(text));
		ck_assert_int_eq(constants_find(&symbols, MARK "2", text, sizeof(text)), -ENOENT);
	}
}
END_TEST

START_TEST(what_is_not_searched)
{
	char text[4] = "none";

	/* The end of the segment. */
	make_file(FILE_BYTES - strlen(MARK) - 3, MARK "1.2");
	ck_assert_int_eq(constants_find(&symbols, MARK, text, sizeof(text)), -ENOENT);
	/* What can be written is no constant. */
	make_file(1000, MARK "1.25");
	symbols.elf.segments[0].p_flags |= PF_W;
	ck_assert_int_eq(constants_find(&symbols, MARK, text, sizeof(text)), -ENOENT);
	symbols.elf.segments[0].p_flags = PF_R;
	symbols.elf.segments[0].p_type = PT_NOTE;
	ck_assert_int_eq(constants_find(&symbols, MARK, text, sizeof(text)), -ENOENT);
	ck_assert_mem_eq(text, "none", sizeof(text));
	/* A segment that goes on behind the file. */
	symbols.elf.segments[0].p_type = PT_LOAD;
	symbols.elf.segments[0].p_offset = FILE_BYTES + DYNAMIC_FILE_CODE_OFF;
	ck_assert_int_eq(constants_find(&symbols, MARK, text, sizeof(text)), -ENOENT);
}
END_TEST

START_TEST(versions)
{
	char text[VERSION_TEXT_BYTES + 1];

	make_file(1000, MARK "1.8.0_504-ga");
	constants_find_version(&symbols, MARK, text);
	ck_assert_str_eq(text, "1.8.0_504");
	constants_find_version(&symbols, MARK "2", text);
	ck_assert_str_eq(text, "");
}
END_TEST

SUITE_MAIN("constants", at_the_borders_of_parts, what_is_not_searched, versions)
