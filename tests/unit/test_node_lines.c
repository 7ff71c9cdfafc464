// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of functions of JavaScript, in memory that the test makes as V8 has it, or has not. */
#include "record/machines/node_lines.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define BASE  UINT64_C(0x7f0000100000)
#define BYTES (1u << 18)

/* Where objects are in the memory. */
enum { SCRIPT = 0x100, TEXT = 0x10000, OTHER = 0x800, CHARACTERS = 0x1000, ENDS = 0x200 };

/* Where their maps are: one for each type. */
#define MAP_OF(type) (0x2000 + 64 * (type))

enum { ONE_BYTE = 8, TWO_BYTE = 0, CONS = 9, EXTERNAL = 10, SLICED = 11, THIN = 13, UNCACHED = 26 };
enum { ARRAY_TYPE = 175, SCRIPT_TYPE = 167, UNDEFINED_TYPE = 131 };

#define OBJECT(off) (BASE + (off) + 1)
#define SMALL(n)    ((uint64_t)(n) << 32)
#define ID          12

static uint8_t memory[BYTES];
static uint64_t nr_reads, moves_at; /* the map of the Script goes at this read; 0: it does not */

static void put(uint64_t off, uint64_t value)
{
	memcpy(memory + off, &value, sizeof(value));
}

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t off = addr - BASE;

	(void)ctx;
	if (++nr_reads == moves_at)
		put(SCRIPT, 0x1230);
	if (off >= BYTES)
		return -EFAULT;
	if (len > BYTES - off)
		len = BYTES - off;
	memcpy(buf, memory + off, len);
	return len;
}

static const struct machine_memory made_memory = {.read = read_memory};
static struct node_layout layout;
static struct node_lines notes;

static void put_map(uint64_t off, uint16_t type)
{
	memcpy(memory + MAP_OF(type) + 12, &type, sizeof(type));
	put(off, OBJECT(MAP_OF(type)));
}

static void put_string(uint64_t off, uint16_t type, uint32_t nr, uint64_t first, uint64_t second)
{
	notes = (struct node_lines){0};
	put_map(off, type);
	put(off + 8, SMALL(nr));
	put(off + 16, first);
	put(off + 24, second);
}

static void put_text(const char *text)
{
	put_string(TEXT, ONE_BYTE, strlen(text), 0, 0);
	memcpy(memory + TEXT + 16, text, strlen(text));
}

static void begin(void)
{
	memset(memory, 0, sizeof(memory));
	nr_reads = moves_at = 0;
	notes = (struct node_lines){0};
	layout = (struct node_layout){.script_type = SCRIPT_TYPE, .array_type = ARRAY_TYPE};
	put_map(SCRIPT, SCRIPT_TYPE);
	put_map(ENDS, UNDEFINED_TYPE);
	put(SCRIPT + 8, OBJECT(TEXT));
	put(SCRIPT + 56, OBJECT(ENDS));
	put(SCRIPT + 64, SMALL(ID));
	put_text("a\nb\r\nc\rd");
}

/* The line at @position, or an error. */
static int line_at(uint32_t position)
{
	const struct node_position at = {BASE + SCRIPT, ID, position};
	uint32_t line = 0;
	int ret = node_line_find(&made_memory, &layout, &notes, &at, &line);

	return ret ? ret : (int)line;
}

START_TEST(lines_of_a_text)
{
	static const int lines[] = {1, 1, 2, 2, 2, 3, 3, 4};

	for (uint32_t i = 0; i < ARRAY_SIZE(lines); i++)
		ck_assert_int_eq(line_at(i), lines[i]);
	ck_assert_int_eq(line_at(8), -EBADMSG);
	/* A part of a file begins at line 5 of it. */
	put(SCRIPT + 24, SMALL(4));
	ck_assert_int_eq(line_at(7), 8);
}
END_TEST

START_TEST(lines_of_wide_text)
{
	static const uint16_t text[] = {'a', 0x2028, 'b', 0x2029, '\r', '\n', 0x0a0a, 'c'};

	put_string(TEXT, TWO_BYTE, ARRAY_SIZE(text), 0, 0);
	memcpy(memory + TEXT + 16, text, sizeof(text));
	ck_assert_int_eq(line_at(2), 2);
	ck_assert_int_eq(line_at(7), 4);
}
END_TEST

/* It takes several reads. A line end of two characters is at the border of them. */
START_TEST(lines_of_a_long_text)
{
	const uint32_t nr = 50000;

	put_string(TEXT, ONE_BYTE, nr, 0, 0);
	memset(memory + TEXT + 16, '\n', nr);
	memory[TEXT + 16 + 16383] = '\r';
	ck_assert_int_eq(line_at(16383), 16384);
	ck_assert_int_eq(line_at(16385), 16385);
	ck_assert_int_eq(line_at(nr - 1), nr - 1);
	/* What was counted is not counted again. */
	nr_reads = 0;
	ck_assert_int_eq(line_at(nr - 2), nr - 2);
	ck_assert_uint_lt(nr_reads, 12);
	ck_assert_int_eq(line_at(16383), 16384);
	put_string(TEXT, TWO_BYTE, nr, 0, 0);
	ck_assert_int_eq(line_at(nr - 1), 1);
}
END_TEST

/* Texts are not counted again, and a look reads so much of all texts. */
START_TEST(several_texts)
{
	const uint32_t nr = 40000;
	uint32_t nr_bytes;

	memset(memory + TEXT + 16, '\n', 2 * nr);
	for (uint32_t i = 0; i < 2 * NODE_TEXTS; i++) {
		put(SCRIPT + 8, OBJECT(OTHER));
		put_map(OTHER, EXTERNAL);
		put(OTHER + 8, SMALL(nr));
		put(OTHER + 24, BASE + TEXT + 16 + i % NODE_TEXTS);
		nr_bytes = notes.nr_bytes;
		ck_assert_int_eq(line_at(nr - 1), nr);
		ck_assert_int_eq(notes.nr_bytes - nr_bytes > NODE_CHUNK, i < NODE_TEXTS);
	}
	notes.nr_bytes = NODE_LOOK_BYTES - nr % NODE_CHUNK;
	ck_assert_int_eq(line_at(nr - 1), nr);
	ck_assert_int_eq(line_at(nr - 1), -E2BIG);
}
END_TEST

START_TEST(strings_that_refer_to_others)
{
	put(SCRIPT + 8, OBJECT(OTHER));
	put_string(OTHER, THIN, 8, OBJECT(TEXT), 0);
	ck_assert_int_eq(line_at(7), 4);
	put_string(OTHER, CONS, 8, OBJECT(TEXT), 0);
	ck_assert_int_eq(line_at(7), 4);
	/* Its second part is not empty, so it is no text that V8 has read. */
	put_string(OTHER, CONS, 8, 0, OBJECT(TEXT));
	ck_assert_int_eq(line_at(7), -EBADMSG);
	/* The part of the text from "b" on. */
	put_string(OTHER, SLICED, 6, OBJECT(TEXT), SMALL(2));
	ck_assert_int_eq(line_at(5), 3);
	ck_assert_int_eq(line_at(6), -EBADMSG);
	/* From there up to "c", and of that from "\n" on. */
	put_string(OTHER, SLICED, 4, OBJECT(TEXT), SMALL(2));
	ck_assert_int_eq(line_at(3), 2);
	ck_assert_int_eq(line_at(4), -EBADMSG);
	put(SCRIPT + 8, OBJECT(OTHER + 0x40));
	put_string(OTHER + 0x40, SLICED, 8, OBJECT(OTHER), SMALL(2));
	ck_assert_int_eq(line_at(1), 2);
	ck_assert_int_eq(line_at(2), -EBADMSG);
	put(SCRIPT + 8, OBJECT(OTHER));
	memcpy(memory + CHARACTERS, "\n\n\n\n", 4);
	put_string(OTHER, EXTERNAL, 8, 0, BASE + CHARACTERS);
	ck_assert_int_eq(line_at(3), 4);
	put_string(OTHER, UNCACHED, 8, 0, BASE + CHARACTERS);
	ck_assert_int_eq(line_at(3), -ENODATA);
}
END_TEST

START_TEST(strings_that_lie)
{
	put(SCRIPT + 8, OBJECT(OTHER));
	put_string(OTHER, THIN, 8, OBJECT(OTHER), 0);
	ck_assert_int_eq(line_at(3), -EBADMSG);
	ck_assert_uint_lt(nr_reads, 30);
	put_string(OTHER, THIN, 8, 1, 0);
	ck_assert_int_eq(line_at(3), -EFAULT);
	put_string(OTHER, THIN, 8, SMALL(1), 0);
	ck_assert_int_eq(line_at(3), -ENODATA);
	put_string(OTHER, SLICED, 8, OBJECT(TEXT), SMALL(UINT32_MAX));
	ck_assert_int_eq(line_at(3), -EBADMSG);
	put_string(OTHER, 4, 8, OBJECT(TEXT), 0);
	ck_assert_int_eq(line_at(3), -EBADMSG);
	put_map(OTHER, SCRIPT_TYPE);
	ck_assert_int_eq(line_at(3), -ENODATA);
	put_string(OTHER, EXTERNAL, UINT32_MAX, 0, BASE + BYTES - 2);
	ck_assert_int_eq(line_at(3), -EFAULT);
	/* No work without an end. */
	nr_reads = 0;
	ck_assert_int_eq(line_at(NODE_TEXT_MAX + 1), -EBADMSG);
	ck_assert_uint_lt(nr_reads, 30);
}
END_TEST

static void put_ends(const uint32_t *ends, uint32_t nr)
{
	put_map(ENDS, ARRAY_TYPE);
	put(ENDS + 8, SMALL(nr));
	for (uint32_t i = 0; i < nr; i++)
		put(ENDS + 16 + UINT64_C(8) * i, SMALL(ends[i]));
}

START_TEST(lines_that_v8_has_noted)
{
	static const uint32_t ends[] = {10, 20, 30};

	put_ends(ends, ARRAY_SIZE(ends));
	ck_assert_int_eq(line_at(0), 1);
	ck_assert_int_eq(line_at(10), 1);
	ck_assert_int_eq(line_at(11), 2);
	ck_assert_int_eq(line_at(30), 3);
	ck_assert_int_eq(line_at(31), 4);
	put_ends(ends, 0);
	ck_assert_int_eq(line_at(5), -EBADMSG);
	put(ENDS + 8, SMALL(UINT32_MAX));
	ck_assert_int_eq(line_at(5), -EBADMSG);
	put(ENDS + 8, OBJECT(TEXT));
	ck_assert_int_eq(line_at(5), -EBADMSG);
	put(ENDS + 8, SMALL(1u << 24));
	ck_assert_int_eq(line_at(5), -EFAULT);
}
END_TEST

/* Another object has come to its place, or it has been moved. */
START_TEST(a_script_that_has_gone)
{
	put(SCRIPT + 64, SMALL(ID + 1));
	ck_assert_int_eq(line_at(3), -ESTALE);
	put(SCRIPT + 64, OBJECT(TEXT));
	ck_assert_int_eq(line_at(3), -ESTALE);
	begin();
	put_map(SCRIPT, SCRIPT_TYPE + 1);
	ck_assert_int_eq(line_at(3), -ESTALE);
	/* The last read is of the type, after which nothing is read any more. */
	for (uint64_t i = 1, nr = 0; i <= nr || !nr; i++) {
		begin();
		ck_assert_int_eq(line_at(3), 2);
		nr = nr_reads;
		begin();
		moves_at = i;
		ck_assert_int_eq(line_at(3), i == nr ? 2 : -ESTALE);
	}
}
END_TEST

START_TEST(a_version_whose_lines_are_not_known)
{
	layout.array_type = 0;
	ck_assert_int_eq(line_at(3), -ENODATA);
}
END_TEST

SUITE_MAIN_WITH("node_lines", begin, NULL, lines_of_a_text, lines_of_wide_text,
		lines_of_a_long_text, several_texts, strings_that_refer_to_others, strings_that_lie,
		lines_that_v8_has_noted, a_script_that_has_gone,
		a_version_whose_lines_are_not_known)
