// SPDX-License-Identifier: GPL-2.0-or-later
/* Each thing that the specification tells a reader to refuse, with the words it is refused in. */
#include "common/cleanup.h"
#include "tests/unit/prof_builder.h"
#include "tests/unit/suite.h"

/* The payloads of a small valid epoch, and of the records around it. */
static const struct payload valid[] = {
	[SECTION_META] = PAYLOAD("\1\4host\x19\1\2"),
	[SECTION_STRINGS] = PAYLOAD("\2"
				    "\2\2"
				    "\1\1"
				    "ab"),
	[SECTION_OBJECTS] = PAYLOAD("\1"
				    "\1\1\1\0\1\1"
				    "\1"
				    "\0"
				    "\0"
				    "\2"
				    "\0"),
	[SECTION_PROCESSES] = PAYLOAD("\1\1"
				      "\1\1\2\1\1\1\1"
				      "\5"
				      "\2"
				      "\0\1"
				      "\1"
				      "\4"
				      "\1"
				      "\0"),
	[SECTION_SYMBOLS] = PAYLOAD("\1"
				    "\1\1\1\1"
				    "\1"
				    "\x10"
				    "\x8"
				    "\4"),
	[SECTION_STACKS] = PAYLOAD("\2\3"
				   "\2\2\3\3\3\3\1\1\3"
				   "\1\0"
				   "\x10\x10"
				   "\2\1\0"
				   "\0\0\2"
				   "\0\1\0"
				   "\1\2\1"
				   "\0"
				   "\0"
				   "\1\1\1"),
	[SECTION_COUNTS] = PAYLOAD("\2\5\x0a"
				   "\2\2\2\2\2"
				   "\0\1"
				   "\1\2"
				   "\1\1"
				   "\2\0"
				   "\3\1"),
	[SECTION_END] = PAYLOAD("\x9\1\1"),
	[SECTION_PROCESS_INFO] = PAYLOAD("\1"
					 "\1\1\1\1\1\1"
					 "\0"
					 "\7"
					 "\1"
					 "\2"
					 "\4"
					 "\0"),
	[SECTION_FILE_INFO] = PAYLOAD("\1"
				      "\1\1\1\1\1"
				      "\0"
				      "\7"
				      "\10"
				      "\6"
				      "\4"),
	[SECTION_EXACT_FRAMES] = PAYLOAD("\1"
					 "\1"
					 "\0"),
};

#define MAX64 "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"

struct refusal {
	uint32_t type;
	struct payload payload;
	const char *error;
};

static const struct refusal refusals[] = {
	{SECTION_META, PAYLOAD("\1\4hos"), "the attribute after 0 is malformed"},
	{SECTION_META, PAYLOAD("\0\0"), "attribute 0 after attribute 0"},
	{SECTION_META, PAYLOAD("\2\0\1\0"), "attribute 1 after attribute 2"},
	{SECTION_META, PAYLOAD("\1\0\1\0"), "attribute 1 after attribute 1"},
	{SECTION_META, PAYLOAD("\1\3a\0b"), "attribute 1: NUL in a string"},
	{SECTION_META, PAYLOAD("\x10\2\1\1"), "attribute 16 is malformed"},
	{SECTION_META, PAYLOAD("\x10\2\x81\0"), "attribute 16 is malformed"},
	{SECTION_META, PAYLOAD("\x12\xa\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"),
	 "attribute 18 is malformed"},
	{SECTION_META, PAYLOAD("\x10\5\x80\x80\x80\x80\x10"),
	 "attribute 16: 4294967296 is out of range"},
	{SECTION_META, PAYLOAD("\x19\2\x81\x40"), "attribute 25: 8193 is out of range"},
	{SECTION_META, PAYLOAD("\x1a\2\x81\x40"), "attribute 26: 8193 is out of range"},
	{SECTION_META, PAYLOAD("\x1b\1\3"), "attribute 27: 3 is out of range"},
	{SECTION_META, PAYLOAD("\x1c\1\2"), "attribute 28: 2 is out of range"},
	{SECTION_META, PAYLOAD("\x1d\1\x80"), "attribute 29 is malformed"},
	{SECTION_META, PAYLOAD("\x1d\5\x80\x80\x80\x80\x10"), "attribute 29 is malformed"},
	{SECTION_META, PAYLOAD("\x1e\1\x80"), "attribute 30 is malformed"},
	{SECTION_META, PAYLOAD("\x1e\5\x80\x80\x80\x80\x10"), "attribute 30 is malformed"},
	{SECTION_META, PAYLOAD("\x1f\2\x81\x10"), "attribute 31: 2049 is out of range"},
	{SECTION_META, PAYLOAD("\x29\2\xc1\x16"), "attribute 41: 2881 is out of range"},

	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\0\1"),
	 "column 1 exceeds the section"},
	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\0\0"
		 "x"),
	 "1 bytes too many"},
	{SECTION_STRINGS, PAYLOAD(""), "column 0 exceeds the section"},
	{SECTION_STRINGS,
	 PAYLOAD("\0"
		 "\1\0"
		 "\1"),
	 "column 0 has 1 bytes too many"},
	{SECTION_STRINGS,
	 PAYLOAD("\2"
		 "\1\0"
		 "\0"),
	 "2 strings do not fit in 1 bytes"},
	{SECTION_STRINGS,
	 PAYLOAD("\x80\x80\x40"
		 "\0\0"),
	 "1048576 strings exceed the limit of 1048575"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\1"
		 "\2"
		 "a"),
	 "string 1 exceeds the column"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\1"
		 "\1"
		 "\0"),
	 "string 1 contains a NUL"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\1\2"
		 "\1"
		 "ab"),
	 "column 1 has 1 bytes too many"},
	{SECTION_STRINGS,
	 PAYLOAD("\1"
		 "\2\0"
		 "\x80\0"),
	 "column 0 is malformed"},

	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\x8"
		 "\0"
		 "\0"
		 "\2"
		 "\0"),
	 "object 1: kind 8 is not known"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\2"
		 "\0"
		 "\2"
		 "\0"),
	 "object 1: flags 0x2 are not known"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\x41"
		 "\2"
		 "\0"),
	 "object 1: build-id of 65 bytes exceeds the limit of 64"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1"
		 "\2"
		 "\0"),
	 "object 1: build-id exceeds the column"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\6"
		 "\0"),
	 "object 1: string 3 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\0"
		 "\1"
		 "\0"),
	 "object 1: string 18446744073709551615 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\1"
		 "\1\1\1\0\1\5"
		 "\1"
		 "\0"
		 "\0"
		 "\2"
		 "\x80\x80\x80\x80\x10"),
	 "object 1: instance 4294967296 is out of range"},
	{SECTION_OBJECTS,
	 PAYLOAD("\x80\x80\x40"
		 "\0\0\0\0\0\0"),
	 "1048576 objects exceed the limit of 1048575"},

	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\5\1\2\1\1\1\1"
		 "\x80\x80\x80\x80\x10"
		 "\2"
		 "\0\1"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: pid is out of range"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\2"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: 2 mappings are more than there are"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\0"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "1 mappings belong to no process"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\1"
		 "\5"
		 "\2"
		 "\0\1"
		 "\2"
		 "\4"
		 "\1"
		 "\0"),
	 "process 1: mapping 0: object 2 is out of range"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\2"
		 "\1\1\2\2\x14\2\2"
		 "\5"
		 "\2"
		 "\0\2"
		 "\1\1" MAX64 MAX64 "\0\0"
		 "\0\0"),
	 "process 1: mapping 1 exceeds the address space"},
	{SECTION_PROCESSES,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\xa\1"
		 "\5"
		 "\2"
		 "\0\1"
		 "\1"
		 "\1" MAX64 "\0"),
	 "process 1: mapping 0 exceeds the address space"},
	{SECTION_PROCESSES,
	 PAYLOAD("\0\2"
		 "\0\0\1\1\1\1\1"
		 "\1"
		 "\1"
		 "\4"
		 "\1"
		 "\0"),
	 "2 mappings do not fit in 1 bytes"},
	{SECTION_PROCESSES,
	 PAYLOAD("\0\x81\x80\x40"
		 "\0\0\1\0\0\0\0"
		 "\0"),
	 "1048577 mappings exceed the limit of 1048576"},

	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\1"
		 "\1"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: process is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\2"
		 "\2\2\2\2\2\2"
		 "\0\0"
		 "\7\7"
		 "\1\1"
		 "\2\0"
		 "\4\0"
		 "\0\0"),
	 "row 1: process is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\5\1\1\1\1"
		 "\0"
		 "\x80\x80\x80\x80\x10"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: pid is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\5\1\1\1"
		 "\0"
		 "\7"
		 "\x80\x80\x80\x80\x10"
		 "\2"
		 "\4"
		 "\0"),
	 "row 0: uid is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\1"
		 "\0"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\6"),
	 "row 0: string 3 is out of range"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1\2"
		 "\0"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0\0"),
	 "column 5 has 1 bytes too many"},
	{SECTION_PROCESS_INFO,
	 PAYLOAD("\1"
		 "\0\1\1\1\1\1"
		 "\7"
		 "\1"
		 "\2"
		 "\4"
		 "\0"),
	 "1 rows do not fit in 0 bytes"},

	{SECTION_FILE_INFO,
	 PAYLOAD("\1"
		 "\1\1\1\1\1"
		 "\5"
		 "\7"
		 "\10"
		 "\6"
		 "\4"),
	 "row 0: object is out of range"},
	{SECTION_FILE_INFO,
	 PAYLOAD("\2"
		 "\2\1\2\2\2"
		 "\0\0"
		 "\7"
		 "\10\10"
		 "\6\6"
		 "\4\4"),
	 "row 1: object is out of range"},
	{SECTION_FILE_INFO,
	 PAYLOAD("\1"
		 "\0\1\1\1\1"
		 "\7"
		 "\10"
		 "\6"
		 "\4"),
	 "1 rows do not fit in 0 bytes"},
	{SECTION_EXACT_FRAMES,
	 PAYLOAD("\1"
		 "\1"
		 "\10"),
	 "row 0: frame is out of range"},
	{SECTION_EXACT_FRAMES,
	 PAYLOAD("\2"
		 "\12"
		 "\0\xff\xff\xff\xff\xff\xff\xff\xff\1"),
	 "row 1: frame is out of range"},

	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\2"
		 "\x10"
		 "\x8"
		 "\4"),
	 "symbol 0: object is out of range"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\1\1"
		 "\1"
		 "\x10"
		 "\x8"
		 "\6"),
	 "symbol 0: string 3 is out of range"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\1"
		 "\1\1\xa\1"
		 "\1"
		 "\x10" MAX64 "\4"),
	 "symbol 0 exceeds its object"},
	{SECTION_SYMBOLS,
	 PAYLOAD("\2"
		 "\2\xb\2\2"
		 "\1\0"
		 "\1" MAX64 "\0\0"
		 "\4\0"),
	 "symbol 1 exceeds its object"},

	{SECTION_STACKS,
	 PAYLOAD("\2\0"
		 "\2\2\3\0\0\0\0\0\0"
		 "\2\0"
		 "\0\0"
		 "\0\0\0"),
	 "frame 0: object is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\2\0"
		 "\2\xb\3\0\0\0\0\0\0"
		 "\1\0"
		 "\1" MAX64 "\0\0\0"),
	 "frame 1: offset is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\1\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0"),
	 "parent 0: 2 children are more than there are"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\1\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\1\0"
		 "\2"),
	 "child 0 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\2\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0\0"),
	 "child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\0"
		 "\1\1\2\xb\0\0\0\0\0"
		 "\1"
		 "\0"
		 "\2\0"
		 "\0" MAX64),
	 "child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\2\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\x81\x10"
		 "\1"),
	 "stack 1: 2049 frames exceed the limit of 2048"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\1"
		 "\1"
		 "\1"),
	 "stack 1: shares 1 of 1 frames with a stack of 0"},
	{SECTION_STACKS,
	 PAYLOAD("\1\2"
		 "\1\1\2\1\2\2\0\0\2"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0\0"
		 "\1\0"
		 "\1\1"),
	 "stack 2: shares 0 of 0 frames with a stack of 1"},
	{SECTION_STACKS,
	 PAYLOAD("\1\2"
		 "\1\1\2\1\2\2\1\0\2"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0\0"
		 "\1\1"
		 "\0"
		 "\1\1"),
	 "stack 2: frame 0 from the root: child 1 of parent 0 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\2"
		 "\0"
		 "\1"),
	 "stack 1: frame 1 from the root: child 0 of parent 1 is out of range"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\12"),
	 "stack 1: end 10 is not known"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\0\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\3"),
	 "stack 1: is missing but has 1 frames"},
	{SECTION_STACKS,
	 PAYLOAD("\1\1"
		 "\1\1\2\1\1\1\0\1\1"
		 "\1"
		 "\0"
		 "\1\0"
		 "\0"
		 "\0"
		 "\1"
		 "\0"
		 "\1"),
	 "column 7 has 1 bytes too many"},

	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\4"
		 "\0"
		 "\1"
		 "\2"
		 "\1"),
	 "count 0: kernel stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\4"
		 "\1"
		 "\2"
		 "\1"),
	 "count 0: user stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\2\0\0"
		 "\2\2\2\2\2"
		 "\0\0"
		 "\3\1"
		 "\1\1"
		 "\2\0"
		 "\1\1"),
	 "count 1: user stack is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\2"
		 "\2"
		 "\1"),
	 "count 0: process 2 is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\4"
		 "\1"),
	 "count 0: string 3 is out of range"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\0"
		 "\1"),
	 "count 0: no name was before it for process 1"},
	{SECTION_COUNTS,
	 PAYLOAD("\1\0\0"
		 "\1\1\1\1\1"
		 "\0"
		 "\0"
		 "\1"
		 "\2"
		 "\0"),
	 "count 0: the count is 0"},
	{SECTION_COUNTS,
	 PAYLOAD("\2\0\0"
		 "\2\2\2\2\xb"
		 "\0\0"
		 "\0\1"
		 "\1\1"
		 "\2\0"
		 "\1" MAX64),
	 "count 1: the sum of the counts overflows"},
	{SECTION_COUNTS, PAYLOAD("\0\1" MAX64 "\0\0\0\0\0"), "the end time overflows"},

	{SECTION_END, PAYLOAD("\x9\1\5"), "attribute 9: 5 is out of range"},
	{SECTION_END, PAYLOAD("\5\xa" MAX64 "\xa\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x12\xa" MAX64 "\x13\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x1a\xa" MAX64 "\x1c\1\1"), "the sums of samples overflow"},
	{SECTION_END, PAYLOAD("\x22\1\x80"), "attribute 34 is malformed"},
};

/* The section after which that of @type, which need not be there, stands; 0: it must be there. */
static uint32_t section_before(uint32_t type)
{
	return type == SECTION_EXACT_FRAMES ? SECTION_STACKS
	       : type > SECTION_END         ? SECTION_PROCESSES
					    : 0;
}

/* A recording of one epoch whose section of @type, if that is not 0, has another payload. */
static void build(struct memory *m, uint32_t type, struct payload payload)
{
	uint32_t sequence = 0;

	build_file_header(m);
	for (uint32_t i = SECTION_META; i < SECTION_END; i++) {
		build_section(m, i, sequence++, i == type ? payload : valid[i]);
		if (i == section_before(type))
			build_section(m, type, sequence++, payload);
	}
	build_end(m, sequence, type == SECTION_END ? payload : valid[SECTION_END]);
}

static int read_all(struct memory *m, char *error, size_t size)
{
	const struct prof_epoch *epoch;
	struct prof_reader *reader = NULL;
	int ret = prof_reader_create(memory_read, m, &reader);

	while (!ret || ret == PROF_READ_EPOCH)
		ret = prof_reader_next(reader, &epoch);
	snprintf(error, size, "%s", prof_reader_error(reader));
	prof_reader_destroy(reader);
	return ret;
}

/* Reads @m, frees it, and wants this result and these words. */
static void check_result(struct memory *m, int wanted, const char *words)
{
	char error[512];
	int ret = read_all(m, error, sizeof(error));

	ck_assert_msg(ret == wanted, "%d: '%s', wanted '%s'", ret, error, words);
	ck_assert_msg(strcmp(error, words) == 0, "'%s', wanted '%s'", error, words);
	free(m->data);
}

START_TEST(valid_one)
{
	struct memory m = {0};

	build(&m, 0, valid[SECTION_META]);
	check_result(&m, PROF_READ_END, "");
	for (uint32_t type = SECTION_PROCESS_INFO; type <= SECTION_EXACT_FRAMES; type++) {
		m = (struct memory){0};
		build(&m, type, valid[type]);
		check_result(&m, PROF_READ_END, "");
	}
}
END_TEST

START_TEST(payloads)
{
	const struct refusal *refusal = &refusals[_i];
	struct memory m = {0}, before = {0};
	char error[512];

	build_file_header(&before);
	for (uint32_t i = SECTION_META;
	     section_before(refusal->type) ? i <= section_before(refusal->type) : i < refusal->type;
	     i++)
		build_section(&before, i, i - 1, valid[i]);
	snprintf(error, sizeof(error), "section '%s' at offset %zu: %s",
		 section_name(refusal->type), before.nr, refusal->error);
	build(&m, refusal->type, refusal->payload);
	check_result(&m, -EBADMSG, error);
	free(before.data);
}
END_TEST

/* A file header of which some bytes are others; the CRC is right unless it is among them. */
static void check_file_header(size_t off, uint8_t byte, bool fix_crc, int wanted, const char *words)
{
	struct memory m = {0};

	build(&m, 0, valid[SECTION_META]);
	m.data[off] = byte;
	if (fix_crc)
		put_le(m.data + 24, crc32c(0, m.data, 24), 4);
	check_result(&m, wanted, words);
}

START_TEST(file_header)
{
	static const char text[] = "file header at offset 0: ";
	char words[100];

	snprintf(words, sizeof(words), "%snot a recording", text);
	check_file_header(0, 0, true, -EPROTONOSUPPORT, words);
	check_file_header(8, 'P', true, -EPROTONOSUPPORT, words);
	check_file_header(15, 'x', true, -EPROTONOSUPPORT, words);
	snprintf(words, sizeof(words), "%swrong CRC", text);
	check_file_header(16, 2, false, -EBADMSG, words);
	check_file_header(24, 0, false, -EBADMSG, words);
	snprintf(words, sizeof(words), "%sversion 2.1 is not supported", text);
	check_file_header(16, 2, true, -EPROTONOSUPPORT, words);
	snprintf(words, sizeof(words), "%sunknown required features 0x100", text);
	check_file_header(21, 1, true, -EPROTONOSUPPORT, words);
	/* A later minor version is read. */
	check_file_header(18, 7, true, PROF_READ_END, "");
}
END_TEST

START_TEST(not_a_recording)
{
	struct memory empty = {0}, text = {0};

	check_result(&empty, -ENODATA, "file header at offset 0: the recording ends inside it");
	memory_write(&text, "hello", 5);
	check_result(&text, -EPROTONOSUPPORT, "file header at offset 0: not a recording");
}
END_TEST

/* Appends a META section after @change has had its way with header and frame, and reads that. */
static void check_section(void (*change)(struct section_header *header, struct memory *frame),
			  int wanted, const char *words)
{
	struct memory m = {0}, frame = build_frame(valid[SECTION_META], 1, 0);
	struct section_header header = build_header(SECTION_META, 0, valid[SECTION_META], &frame);

	change(&header, &frame);
	build_file_header(&m);
	build_put(&m, &header, &frame);
	build_end(&m, 1, valid[SECTION_END]);
	free(frame.data);
	check_result(&m, wanted, words);
}

static void change_nothing(struct section_header *header, struct memory *frame)
{
	(void)header, (void)frame;
}

static void change_sequence(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->sequence = 3;
}

static void change_flags(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->flags = 5;
}

static void change_required(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->flags = 0;
}

static void change_type(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->type = 77;
}

static void change_order(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->type = SECTION_COUNTS;
}

static void change_decoded(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->decoded_bytes++;
}

static void change_decoded_limit(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->decoded_bytes = PROF_MAX_SECTION_BYTES + 1;
}

static void change_encoded_limit(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->encoded_bytes = SECTION_MAX_ENCODED + 1;
}

static void change_crc(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->payload_crc++;
}

static void change_magic(struct section_header *header, struct memory *frame)
{
	(void)header;
	frame->data[0] ^= 1;
}

static void change_padding(struct section_header *header, struct memory *frame)
{
	header->encoded_bytes++;
	memory_write(frame, "", 1);
}

static void change_no_checksum(struct section_header *header, struct memory *frame)
{
	free(frame->data);
	*frame = build_frame(valid[SECTION_META], 0, 0);
	header->encoded_bytes = frame->nr;
}

static void change_checksum(struct section_header *header, struct memory *frame)
{
	(void)header;
	frame->data[frame->nr - 1] ^= 1;
}

/* Nine MiB of zeros, whose window is too large. */
static void change_window(struct section_header *header, struct memory *frame)
{
	struct payload zeros = {calloc(9, 1 << 20), 9 << 20};

	free(frame->data);
	*frame = build_frame(zeros, 1, 24);
	*header = build_header(SECTION_META, 0, zeros, frame);
	free((char *)zeros.data);
}

START_TEST(container)
{
#define AT "section 'meta' at offset 28: "
	check_section(change_nothing, PROF_READ_END, "");
	check_section(change_sequence, -EBADMSG, AT "number 3 where 0 is due");
	check_section(change_flags, -EPROTONOSUPPORT, AT "unknown flags 0x5");
	check_section(change_required, -EBADMSG, AT "not marked as required");
	check_section(change_type, -EPROTONOSUPPORT,
		      "section of type 77 at offset 28: a required section that is not known");
	check_section(change_order, -EBADMSG,
		      "section 'counts' at offset 28: stands where 'meta' is due");
	check_section(change_decoded, -EBADMSG,
		      AT "zstd frame declares another size than the section");
	check_section(change_decoded_limit, -EBADMSG,
		      AT "16777217 bytes exceed the limit of 16777216");
	check_section(change_encoded_limit, -EBADMSG,
		      AT "17825793 compressed bytes exceed the limit of 17825792");
	check_section(change_crc, -EBADMSG, AT "wrong CRC of the payload");
	check_section(change_magic, -EBADMSG, AT "no zstd frame follows the section header");
	check_section(change_padding, -EBADMSG, AT "zstd frame does not fill the section");
	check_section(change_no_checksum, -EBADMSG, AT "zstd frame header of the wrong kind");
	check_section(change_checksum, -EBADMSG, AT "zstd: Restored data doesn't match checksum");
	check_section(change_window, -EBADMSG, AT "zstd window exceeds the limit of 8388608");
}
END_TEST

/* Sections that this version does not know, wherever they stand. */
START_TEST(unknown_sections)
{
	static const struct payload unknown = PAYLOAD("whatever");
	struct memory m = {0};
	uint32_t sequence = 0;

	build_file_header(&m);
	for (uint32_t i = SECTION_META; i < SECTION_END; i++) {
		build_section(&m, 1000 + i, sequence++, unknown);
		build_section(&m, i, sequence++, valid[i]);
	}
	build_section(&m, 0, sequence++, unknown);
	build_end(&m, sequence, valid[SECTION_END]);
	check_result(&m, PROF_READ_END, "");
}
END_TEST

START_TEST(unknown_section_damaged)
{
	struct memory m = {0};

	build_file_header(&m);
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	m.pos = m.nr;
	build_section(&m, 99, 1, valid[SECTION_META]);
	m.data[m.nr - 1] ^= 1;
	m.pos = 0;
	check_result(&m, -EBADMSG,
		     "section of type 99 at offset 86: zstd: Restored data doesn't match checksum");
}
END_TEST

START_TEST(unknown_attributes)
{
	static const struct payload meta = PAYLOAD("\1\1h\xf\2xy\x10\1\3\x7f\0");
	struct memory m = {0};

	build(&m, SECTION_META, meta);
	check_result(&m, PROF_READ_END, "");
}
END_TEST

START_TEST(order)
{
	struct memory m = {0};

	build_file_header(&m);
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	build_section(&m, SECTION_STRINGS, 1, valid[SECTION_STRINGS]);
	build_end(&m, 2, valid[SECTION_END]);
	check_result(&m, -EBADMSG, "section 'end' at offset 142: stands where 'objects' is due");
}
END_TEST

/* A section that need not be there stands where it belongs or not at all, and once. */
START_TEST(order_of_process_info)
{
	struct memory m = {0};

	build_file_header(&m);
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	build_section(&m, SECTION_PROCESS_INFO, 1, valid[SECTION_PROCESS_INFO]);
	check_result(&m, -EBADMSG,
		     "section 'process info' at offset 86: stands where 'strings' is due");
	m = (struct memory){0};
	build_file_header(&m);
	for (uint32_t i = SECTION_META; i <= SECTION_PROCESSES; i++)
		build_section(&m, i, i - 1, valid[i]);
	for (uint32_t i = 0; i < 2; i++)
		build_section(&m, SECTION_PROCESS_INFO, SECTION_PROCESSES + i,
			      valid[SECTION_PROCESS_INFO]);
	check_result(&m, -EBADMSG,
		     "section 'process info' at offset 331: stands where 'symbols' is due");
}
END_TEST

static void change_optional(struct section_header *header, struct memory *frame)
{
	(void)frame;
	header->type = SECTION_PROCESS_INFO;
}

START_TEST(required_or_not)
{
	check_section(change_optional, -EBADMSG,
		      "section 'process info' at offset 28: marked as required");
}
END_TEST

START_TEST(end_numbers)
{
	static const struct {
		struct payload payload;
		const char *words;
	} cases[] = {
		{PAYLOAD(""), "section 'end' at offset 86: attribute 1 is missing"},
		{PAYLOAD("\1\1\1"), "section 'end' at offset 86: attribute 2 is missing"},
		{PAYLOAD("\1\1\2\2\1\x51"),
		 "section 'end' at offset 86: 2 sections are said to precede it, not 1"},
		{PAYLOAD("\1\1\1\2\1\x50"),
		 "section 'end' at offset 86: 80 bytes are said to precede it"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory m = {0};

		build_file_header(&m);
		build_section(&m, SECTION_META, 0, valid[SECTION_META]);
		build_section(&m, SECTION_END, 1, cases[i].payload);
		check_result(&m, -EBADMSG, cases[i].words);
	}
}
END_TEST

SUITE_MAIN_LOOP("prof_refusals", payloads, ARRAY_SIZE(refusals), valid_one, file_header,
		not_a_recording, container, unknown_sections, unknown_section_damaged,
		unknown_attributes, order, order_of_process_info, required_or_not, end_numbers)
