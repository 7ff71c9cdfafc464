// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of functions of Erlang: beam_lines.c, in memory that the test makes as BEAM 25 and 27 have
 * it. */
#include "record/machines/beam_lines.h"

#include "tests/unit/suite.h"

#define BASE  UINT64_C(0x7f0000100000)
#define BYTES 0x8000

/* Where things are in the memory. The module is followed by the names of files. */
#define POINTER    72 /* to the table */
#define TABLE      0x200
#define STARTS     (TABLE + 24)
#define PLACES     (STARTS + 8 * (NR_FUNCTIONS + 1))
#define NAMES      (PLACES + 8 * (NR_PLACES + 1))
#define LINES      (NAMES + 8 * NR_NAMES)
#define CODE       0x400 /* of the functions */
#define MODULE_END 0x800
#define CELLS      0x1000 /* of the names, up to the end of the memory */

#define NR_FUNCTIONS 4
#define NR_PLACES    6
#define NR_NAMES     3

static uint8_t memory[BYTES];
static struct beam_code code;
static struct machine_function function;
static uint64_t nr_reads;

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t off = addr - BASE;

	(void)ctx;
	nr_reads++;
	if (off >= BYTES)
		return -EFAULT;
	if (len > BYTES - off)
		len = BYTES - off;
	memcpy(buf, memory + off, len);
	return len;
}

static const struct machine_memory made_memory = {.read = read_memory};

static void put(uint64_t off, uint64_t value, size_t len)
{
	memcpy(memory + off, &value, len);
}

static void put_cell(uint64_t off, uint64_t value, uint64_t rest)
{
	put(off, value, 8);
	put(off + 8, rest, 8);
}

static uint64_t number(uint64_t value)
{
	return value << 4 | 15;
}

/* Puts a name as the loader does: the first character has the last cell, below @end. */
static void put_name(uint64_t nr, uint64_t end, const uint32_t *text, size_t nr_characters)
{
	uint64_t rest = 0x3b;

	for (size_t i = nr_characters; i-- > 0;) {
		uint64_t at = end - 16 * (i + 1);

		put_cell(at, number(text[i]), rest);
		rest = BASE + at + 1;
	}
	put(NAMES + 8 * nr, rest, 8);
}

static void put_ascii(uint64_t nr, uint64_t end, const char *text)
{
	uint32_t characters[256];
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		characters[i] = text[i];
	put_name(nr, end, characters, len);
}

/* Place @nr, @bytes of the code away, is at @line of file @file. */
static void put_place(uint64_t nr, uint64_t bytes, uint32_t file, uint32_t line)
{
	put(PLACES + 8 * nr, BASE + CODE + bytes, 8);
	if (memory[TABLE + 8] == 2)
		put(LINES + 2 * nr, line, 2);
	else
		put(LINES + 4 * nr, (uint64_t)file << 24 | line, 4);
}

/* The third function has no line, but the code of its body has. */
static void begin(void)
{
	static const uint64_t starts[NR_FUNCTIONS + 1] = {0, 2, 3, 4, NR_PLACES};

	memset(memory, 0, sizeof(memory));
	put(POINTER, BASE + TABLE, 8);
	put(TABLE, BASE + NAMES, 8);
	put(TABLE + 8, 4, 4);
	put(TABLE + 16, BASE + LINES, 8);
	for (size_t i = 0; i <= NR_FUNCTIONS; i++)
		put(STARTS + 8 * i, BASE + PLACES + 8 * starts[i], 8);
	put_place(0, 0, 0, 10);
	put_place(1, 0x30, 0, 12);
	put_place(2, 0x80 - 7, 1, 0xfffffe);
	put_place(3, 0x100 + 0x40, 0, 300);
	put_place(4, 0x180, 2, 40);
	put_place(5, 0x1c0, 2, 41);
	put(PLACES + 8 * NR_PLACES, BASE + CODE + 0x200, 8);
	put_ascii(0, 0x2000, "shop.erl");
	put_ascii(1, 0x3008, "src/made/shop.erl"); /* one cell is in two pages */
	put_ascii(2, 0x4000, "gen.yrl");
	code = (struct beam_code){.begin = BASE, .end = BASE + MODULE_END, .nr = NR_FUNCTIONS};
	nr_reads = 0;
}

/* The line of function @nr. */
static uint32_t line_of(uint32_t nr)
{
	function = (struct machine_function){.class = {.nr_bytes = 4, .bytes = "shop"},
					     .name = {.nr_bytes = 4, .bytes = "at/1"}};
	code.index = nr;
	code.function = BASE + CODE + UINT64_C(0x80) * nr;
	beam_line_read(&made_memory, &code, POINTER, &function);
	ck_assert_uint_eq(function.class.nr_bytes, 4);
	ck_assert_uint_eq(function.name.nr_bytes, 4);
	if (!function.line)
		ck_assert_uint_eq(function.file.nr_bytes, 0);
	return function.line;
}

#define ck_file(text)                                                                              \
	do {                                                                                       \
		ck_assert_uint_eq(function.file.nr_bytes, strlen(text));                           \
		ck_assert_mem_eq(function.file.bytes, text, strlen(text));                         \
	} while (0)

START_TEST(functions_have_lines)
{
	ck_assert_uint_eq(line_of(0), 10);
	ck_file("shop.erl");
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_file("src/made/shop.erl");
	ck_assert_uint_eq(line_of(2), 0);
	nr_reads = 0;
	ck_assert_uint_eq(line_of(3), 40);
	ck_file("gen.yrl");
	/* The cells of a name are read at once. */
	ck_assert_uint_eq(nr_reads, 7);
}
END_TEST

START_TEST(short_numbers)
{
	put(TABLE + 8, 2, 4);
	put_place(0, 0, 0, 10);
	put_place(2, 0x80, 0, 0xffff);
	ck_assert_uint_eq(line_of(0), 10);
	ck_assert_uint_eq(line_of(1), 0xffff);
	ck_file("shop.erl");
	put(TABLE + 8, 3, 4);
	ck_assert_uint_eq(line_of(0), 0);
	put(TABLE + 8, UINT32_MAX, 4);
	ck_assert_uint_eq(line_of(0), 0);
}
END_TEST

START_TEST(without_lines)
{
	put_place(0, 0, 0, 0);
	ck_assert_uint_eq(line_of(0), 0);
	put_place(2, 0x80, 1, 0); /* the file alone is of no use */
	ck_assert_uint_eq(line_of(1), 0);
	put(STARTS, BASE + PLACES + 16, 8); /* no place at all */
	ck_assert_uint_eq(line_of(0), 0);
	put(POINTER, 0, 8);
	ck_assert_uint_eq(line_of(3), 0);
}
END_TEST

/* The place has to be that of the function's own beginning. */
START_TEST(other_places)
{
	put_place(0, 1, 0, 10);
	ck_assert_uint_eq(line_of(0), 0);
	put_place(0, 0, 0, 10);
	put_place(2, 0x80 - 8, 0, 10);
	ck_assert_uint_eq(line_of(1), 0);
	put_place(2, 0x80, 0, 10);
	ck_assert_uint_eq(line_of(1), 10);
	put(STARTS + 8, BASE + PLACES + 17, 8);
	put(PLACES + 17, BASE + CODE + 0x80, 8);
	ck_assert_uint_eq(line_of(1), 0);
	put(STARTS + 8, BASE + PLACES - 8, 8);
	ck_assert_uint_eq(line_of(1), 0);
	ck_assert_uint_eq(line_of(0), 0); /* its places end before they begin */
	put(STARTS + 8, BASE + PLACES, 8);
	ck_assert_uint_eq(line_of(0), 0);
	put(STARTS + 8, BASE + PLACES + 8, 8);
	ck_assert_uint_eq(line_of(0), 10);
}
END_TEST

/* Nothing but names is outside of the module, whatever is there. */
START_TEST(tables_elsewhere)
{
	const uint64_t moved = 0x6000;

	memcpy(memory + moved, memory + TABLE, CODE - TABLE);
	put(POINTER, BASE + moved, 8);
	ck_assert_uint_eq(line_of(0), 0);
	put(POINTER, BASE + MODULE_END - 8, 8);
	ck_assert_uint_eq(line_of(0), 0);
	put(POINTER, UINT64_MAX, 8);
	ck_assert_uint_eq(line_of(0), 0);
	begin();
	put(TABLE + 16, BASE + moved + (LINES - TABLE), 8);
	ck_assert_uint_eq(line_of(0), 0);
	begin();
	code.nr = UINT32_MAX;
	ck_assert_uint_eq(line_of(0), 0);
	code.nr = NR_FUNCTIONS;
	code.end = BASE + LINES + 2; /* in the midst of a number */
	ck_assert_uint_eq(line_of(0), 0);
	code.end = 0;
	ck_assert_uint_eq(line_of(0), 0);
	begin();
	code.begin = BASE + MODULE_END; /* the table is before the module */
	code.end = BASE + BYTES;
	put(MODULE_END + POINTER, BASE + TABLE, 8);
	ck_assert_uint_eq(line_of(0), 0);
}
END_TEST

/* The numbers of lines end the names. */
START_TEST(files_without_a_name)
{
	const uint64_t lines = 0x7c8;

	memcpy(memory + lines, memory + LINES, 4 * NR_PLACES);
	memcpy(memory + 0x7e0, memory + NAMES + 8, 8);
	memcpy(memory + 0x7e8, memory + NAMES + 8, 8);
	put(TABLE, BASE + lines - 8, 8);
	put(TABLE + 16, BASE + lines, 8);
	put(lines + 8, UINT64_C(4) << 24 | 10, 4);
	ck_assert_uint_eq(line_of(0), 10);
	ck_assert_uint_eq(line_of(1), 0);
	put(TABLE, BASE + 0x7e0, 8); /* behind the numbers */
	put(lines + 8, UINT64_C(1) << 24 | 10, 4);
	ck_assert_uint_eq(line_of(1), 0);
	put(TABLE, BASE + NAMES, 8);
	ck_assert_uint_eq(line_of(1), 10);
}
END_TEST

/* Without the name of the file its line says nothing. */
START_TEST(lists_that_lie)
{
	const uint64_t cell = CELLS + 0x100;

	put(NAMES + 8, 0x3b, 8); /* an empty one */
	ck_assert_uint_eq(line_of(1), 0);
	put(NAMES + 8, BASE + cell, 8); /* an address without the mark */
	ck_assert_uint_eq(line_of(1), 0);
	put(NAMES + 8, BASE + BYTES + 1, 8); /* no memory */
	ck_assert_uint_eq(line_of(1), 0);
	put(NAMES + 8, BASE + cell + 1, 8);
	put_cell(cell, number('x'), BASE + cell + 1); /* no end */
	nr_reads = 0;
	ck_assert_uint_eq(line_of(1), 0);
	ck_assert_uint_lt(nr_reads, 20);
	put_cell(cell, number(0x110000), 0x3b);
	ck_assert_uint_eq(line_of(1), 0);
	put_cell(cell, number(0), 0x3b);
	ck_assert_uint_eq(line_of(1), 0);
	put_cell(cell, 0x0b, 0x3b); /* an atom */
	ck_assert_uint_eq(line_of(1), 0);
	put_cell(cell, number('x'), 0x3b);
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_file("x");
}
END_TEST

/* A cell may be anywhere, also at the end of a page, and at each address that 8 divides. */
START_TEST(scattered_lists)
{
	uint64_t rest = 0x3b;

	for (int i = 0; i < 40; i++) {
		uint64_t at = CELLS + 0x2f8 * (uint64_t)(i % 2 ? i : 40 - i) % 0x6ff8;

		put_cell(at, number('a' + i % 26), rest);
		rest = BASE + at + 1;
	}
	put(NAMES + 8, rest, 8);
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_file("nmlkjihgfedcbazyxwvutsrqponmlkjihgfedcba");
}
END_TEST

START_TEST(long_names)
{
	uint32_t text[1025];

	for (size_t i = 0; i < 1025; i++)
		text[i] = 'a' + i % 26;
	put_name(1, BYTES, text, 1024);
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_assert(function.file.is_cut);
	ck_assert_uint_eq(function.file.nr_bytes, NAME_BYTES);
	ck_assert_int_eq(function.file.bytes[NAME_BYTES - 1], (int)text[1023]);
	put_name(1, BYTES, text, 1025);
	ck_assert_uint_eq(line_of(1), 0);
	/* Characters beyond Latin-1 take 4 bytes. */
	text[999] = 0x6f22;
	put_name(1, BYTES, text, 1000);
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_assert_uint_eq(function.file.kind, 4);
	ck_assert_uint_eq(function.file.nr_bytes, NAME_BYTES);
	ck_assert_mem_eq(function.file.bytes, &text[1000 - NAME_BYTES / 4], NAME_BYTES);
	put_name(1, BYTES, text, NAME_BYTES);
	ck_assert_uint_eq(line_of(1), 0xfffffe);
	ck_assert(!function.file.is_cut);
	/* A module whose name leaves no room for the end has a line all the same. */
	line_of(0);
	function.class.nr_bytes = NAME_BYTES - 3;
	function.file.nr_bytes = 0;
	beam_line_read(&made_memory, &code, POINTER, &function);
	ck_assert_uint_eq(function.line, 10);
	ck_assert_uint_eq(function.file.nr_bytes, 0);
	function.class.nr_bytes = NAME_BYTES - 4;
	beam_line_read(&made_memory, &code, POINTER, &function);
	ck_assert_uint_eq(function.file.nr_bytes, NAME_BYTES);
}
END_TEST

SUITE_MAIN_WITH("beam_lines", begin, NULL, functions_have_lines, short_numbers, without_lines,
		other_places, tables_elsewhere, files_without_a_name, lists_that_lie,
		scattered_lists, long_names)
