// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that the specification tells a reader to refuse, and the words of the refusal. */
#include "tests/unit/prof_builder.h"
#include "tests/unit/suite.h"

/* The payloads of a small valid epoch, and of META and END. */
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

/* The section that an optional section of @type follows; 0: the section is not optional. */
static uint32_t section_before(uint32_t type)
{
	return type == SECTION_EXACT_FRAMES ? SECTION_STACKS
	       : type > SECTION_END         ? SECTION_PROCESSES
					    : 0;
}

/* The recording of a test. */
static struct memory m;

static void begin(void)
{
	m = (struct memory){0};
}

static void end(void)
{
	free(m.data);
}

/* The file header, in the place of the last recording. */
static void begin_file(void)
{
	m.nr = m.pos = 0;
	build_file_header(&m);
}

/* A recording of one epoch whose section of @type, if that is not 0, has another payload. */
static void build(uint32_t type, struct payload payload)
{
	uint32_t sequence = 0;

	begin_file();
	for (uint32_t i = SECTION_META; i < SECTION_END; i++) {
		build_section(&m, i, sequence++, i == type ? payload : valid[i]);
		if (i == section_before(type))
			build_section(&m, type, sequence++, payload);
	}
	build_end(&m, sequence, type == SECTION_END ? payload : valid[SECTION_END]);
}

static int read_all(char error[static 512])
{
	const struct prof_epoch *epoch;
	struct prof_reader *reader = NULL;
	int ret = prof_reader_create(memory_read, &m, &reader);

	while (!ret || ret == PROF_READ_EPOCH)
		ret = prof_reader_next(reader, &epoch);
	snprintf(error, 512, "%s", prof_reader_error(reader));
	prof_reader_destroy(reader);
	return ret;
}

/* Reading the recording ends with this result and these words. */
static void expect_result(int wanted, const char *words)
{
	char error[512];
	int ret = read_all(error);

	ck_assert_msg(ret == wanted, "%d: '%s', wanted '%s'", ret, error, words);
	ck_assert_msg(strcmp(error, words) == 0, "'%s', wanted '%s'", error, words);
}

START_TEST(valid_one)
{
	build(0, valid[SECTION_META]);
	expect_result(PROF_READ_END, "");
	for (uint32_t type = SECTION_PROCESS_INFO; type <= SECTION_EXACT_FRAMES; type++) {
		build(type, valid[type]);
		expect_result(PROF_READ_END, "");
	}
}
END_TEST

START_TEST(payloads)
{
	const struct refusal *refusal = &refusals[_i];
	uint32_t before = section_before(refusal->type);
	uint32_t last = before ? before : refusal->type - 1;
	char error[512];

	/* The place of the section. */
	begin_file();
	for (uint32_t i = SECTION_META; i <= last; i++)
		build_section(&m, i, i - 1, valid[i]);
	snprintf(error, sizeof(error), "section '%s' at offset %zu: %s",
		 section_name(refusal->type), m.nr, refusal->error);
	build(refusal->type, refusal->payload);
	expect_result(-EBADMSG, error);
}
END_TEST

/* A file header with another @byte. The CRC is right if @fix_crc is set. */
static void check_file_header(size_t off, uint8_t byte, bool fix_crc, int wanted, const char *words)
{
	build(0, valid[SECTION_META]);
	m.data[off] = byte;
	if (fix_crc)
		put_le(m.data + 24, crc32c(0, m.data, 24), 4);
	expect_result(wanted, words);
}

START_TEST(file_header)
{
#define AT "file header at offset 0: "
	check_file_header(0, 0, true, -EPROTONOSUPPORT, AT "not a recording");
	check_file_header(8, 'P', true, -EPROTONOSUPPORT, AT "not a recording");
	check_file_header(15, 'x', true, -EPROTONOSUPPORT, AT "not a recording");
	check_file_header(16, 2, false, -EBADMSG, AT "wrong CRC");
	check_file_header(24, 0, false, -EBADMSG, AT "wrong CRC");
	check_file_header(16, 2, true, -EPROTONOSUPPORT, AT "version 2.1 is not supported");
	check_file_header(21, 1, true, -EPROTONOSUPPORT, AT "unknown required features 0x100");
	/* A later minor version is read. */
	check_file_header(18, 7, true, PROF_READ_END, "");
}
END_TEST

START_TEST(not_a_recording)
{
	expect_result(-ENODATA, AT "the recording ends inside it");
	memory_write(&m, "hello", 5);
	expect_result(-EPROTONOSUPPORT, AT "not a recording");
#undef AT
}
END_TEST

/* The META section that check_section writes. */
static struct section_header header;
static struct memory frame;

static void make_section(void)
{
	frame = build_frame(valid[SECTION_META], 1, 0);
	header = build_header(SECTION_META, 0, valid[SECTION_META], &frame);
}

/* Frees the section. */
static void check_section(int wanted, const char *words)
{
	begin_file();
	build_put(&m, &header, &frame);
	build_end(&m, 1, valid[SECTION_END]);
	free(frame.data);
	expect_result(wanted, words);
}

/* A recording whose META section has the @change is read with this result and these words. */
#define CHECK_SECTION(change, wanted, words)                                                       \
	do {                                                                                       \
		make_section();                                                                    \
		change;                                                                            \
		check_section(wanted, words);                                                      \
	} while (0)

static void pad_frame(void)
{
	header.encoded_bytes++;
	memory_write(&frame, "", 1);
}

static void drop_checksum(void)
{
	free(frame.data);
	frame = build_frame(valid[SECTION_META], 0, 0);
	header.encoded_bytes = frame.nr;
}

/* Nine MiB of zeros, whose window is too large. */
static void widen_window(void)
{
	struct payload zeros = {calloc(9, 1 << 20), 9 << 20};

	free(frame.data);
	frame = build_frame(zeros, 1, 24);
	header = build_header(SECTION_META, 0, zeros, &frame);
	free((char *)zeros.data);
}

START_TEST(container)
{
#define AT "section 'meta' at offset 28: "
	CHECK_SECTION(, PROF_READ_END, "");
	CHECK_SECTION(header.sequence = 3, -EBADMSG, AT "number 3 where 0 is due");
	CHECK_SECTION(header.flags = 5, -EPROTONOSUPPORT, AT "unknown flags 0x5");
	CHECK_SECTION(header.flags = 0, -EBADMSG, AT "not marked as required");
	CHECK_SECTION(header.type = 77, -EPROTONOSUPPORT,
		      "section of type 77 at offset 28: a required section that is not known");
	CHECK_SECTION(header.type = SECTION_COUNTS, -EBADMSG,
		      "section 'counts' at offset 28: stands where 'meta' is due");
	CHECK_SECTION(header.type = SECTION_PROCESS_INFO, -EBADMSG,
		      "section 'process info' at offset 28: marked as required");
	CHECK_SECTION(header.decoded_bytes++, -EBADMSG,
		      AT "zstd frame declares another size than the section");
	CHECK_SECTION(header.decoded_bytes = PROF_MAX_SECTION_BYTES + 1, -EBADMSG,
		      AT "16777217 bytes exceed the limit of 16777216");
	CHECK_SECTION(header.encoded_bytes = SECTION_MAX_ENCODED + 1, -EBADMSG,
		      AT "17825793 compressed bytes exceed the limit of 17825792");
	CHECK_SECTION(header.payload_crc++, -EBADMSG, AT "wrong CRC of the payload");
	CHECK_SECTION(frame.data[0] ^= 1, -EBADMSG, AT "no zstd frame follows the section header");
	CHECK_SECTION(pad_frame(), -EBADMSG, AT "zstd frame does not fill the section");
	CHECK_SECTION(drop_checksum(), -EBADMSG, AT "zstd frame header of the wrong kind");
	CHECK_SECTION(frame.data[frame.nr - 1] ^= 1, -EBADMSG,
		      AT "zstd: Restored data doesn't match checksum");
	CHECK_SECTION(widen_window(), -EBADMSG, AT "zstd window exceeds the limit of 8388608");
#undef AT
}
END_TEST

/* A reader skips unknown sections before and after any section. */
START_TEST(unknown_sections)
{
	static const struct payload unknown = PAYLOAD("whatever");
	uint32_t sequence = 0;

	begin_file();
	for (uint32_t i = SECTION_META; i < SECTION_END; i++) {
		build_section(&m, 1000 + i, sequence++, unknown);
		build_section(&m, i, sequence++, valid[i]);
	}
	build_section(&m, 0, sequence++, unknown);
	build_end(&m, sequence, valid[SECTION_END]);
	expect_result(PROF_READ_END, "");
}
END_TEST

START_TEST(unknown_section_damaged)
{
	begin_file();
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	build_section(&m, 99, 1, valid[SECTION_META]);
	m.data[m.nr - 1] ^= 1;
	expect_result(
		-EBADMSG,
		"section of type 99 at offset 86: zstd: Restored data doesn't match checksum");
}
END_TEST

START_TEST(unknown_attributes)
{
	static const struct payload meta = PAYLOAD("\1\1h\xf\2xy\x10\1\3\x7f\0");

	build(SECTION_META, meta);
	expect_result(PROF_READ_END, "");
}
END_TEST

START_TEST(order)
{
	begin_file();
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	build_section(&m, SECTION_STRINGS, 1, valid[SECTION_STRINGS]);
	build_end(&m, 2, valid[SECTION_END]);
	expect_result(-EBADMSG, "section 'end' at offset 142: stands where 'objects' is due");
}
END_TEST

/* PROCESS_INFO stands after PROCESSES, once, or nowhere. */
START_TEST(order_of_process_info)
{
	begin_file();
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	build_section(&m, SECTION_PROCESS_INFO, 1, valid[SECTION_PROCESS_INFO]);
	expect_result(-EBADMSG,
		      "section 'process info' at offset 86: stands where 'strings' is due");
	begin_file();
	for (uint32_t i = SECTION_META; i <= SECTION_PROCESSES; i++)
		build_section(&m, i, i - 1, valid[i]);
	for (uint32_t i = 0; i < 2; i++)
		build_section(&m, SECTION_PROCESS_INFO, SECTION_PROCESSES + i,
			      valid[SECTION_PROCESS_INFO]);
	expect_result(-EBADMSG,
		      "section 'process info' at offset 331: stands where 'symbols' is due");
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
		begin_file();
		build_section(&m, SECTION_META, 0, valid[SECTION_META]);
		build_section(&m, SECTION_END, 1, cases[i].payload);
		expect_result(-EBADMSG, cases[i].words);
	}
}
END_TEST

SUITE_MAIN_LOOP_WITH("prof_refusals", begin, end, payloads, ARRAY_SIZE(refusals), valid_one,
		     file_header, not_a_recording, container, unknown_sections,
		     unknown_section_damaged, unknown_attributes, order, order_of_process_info,
		     end_numbers)
