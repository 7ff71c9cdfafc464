// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that the specification tells a reader to refuse, and the words of the refusal. */
#include "tests/unit/refused_records.h"
#include "tests/unit/refused_tables.h"
#include "tests/unit/suite.h"

/* All sections before END, in their order. */
static const uint32_t all_sections[] = {
	SECTION_META,         SECTION_EVENTS,       SECTION_STRINGS,      SECTION_OBJECTS,
	SECTION_PROCESSES,    SECTION_PROCESS_INFO, SECTION_FILE_INFO,    SECTION_LANGUAGES,
	SECTION_SYMBOLS,      SECTION_LINES,        SECTION_NAME_SOURCES, SECTION_STACKS,
	SECTION_EXACT_FRAMES, SECTION_COUNT_EVENTS, SECTION_COUNT_WAKERS, SECTION_COUNT_THREADS,
	SECTION_LABEL_SETS,   SECTION_COUNT_LABELS, SECTION_SLICES,       SECTION_COUNTS,
};

/* Does the recording that tests a section of @type have a table of events? */
static bool has_events(uint32_t type)
{
	return type >= SECTION_EVENTS && type <= SECTION_COUNT_WAKERS;
}

/* Is there a section of type @is in the recording that tests a section of @type? */
static bool is_built(uint32_t is, uint32_t type)
{
	if (is == SECTION_EVENTS || is == SECTION_COUNT_EVENTS)
		return has_events(type);
	return is < SECTION_END || is == type;
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

/*
 * The sections before @last of a recording whose section of @type has another payload. Returns
 * their number.
 */
static uint32_t build_until(uint32_t last, uint32_t type, struct payload other)
{
	uint32_t sequence = 0;

	begin_file();
	for (size_t i = 0; i < ARRAY_SIZE(all_sections) && all_sections[i] != last; i++) {
		uint32_t is = all_sections[i];

		if (!is_built(is, type))
			continue;
		if (is == type)
			build_section(&m, is, sequence++, other);
		else
			build_section(&m, is, sequence++,
				      is == SECTION_META && has_events(type) ? meta_of_events
									     : valid[is]);
	}
	return sequence;
}

/* A recording of one epoch whose section of @type, if that is not 0, has another payload. */
static void build(uint32_t type, struct payload payload)
{
	uint32_t sequence = build_until(SECTION_END, type, payload);

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
	for (uint32_t type = SECTION_PROCESS_INFO; type <= SECTION_NAME_SOURCES; type++) {
		build(type, valid[type]);
		expect_result(PROF_READ_END, "");
	}
}
END_TEST

START_TEST(payloads)
{
	const size_t nr_records = ARRAY_SIZE(refused_records);
	const struct refusal *refusal =
		(size_t)_i < nr_records ? &refused_records[_i] : &refused_tables[_i - nr_records];
	char error[512];

	/* The place of the section. */
	build_until(refusal->type, refusal->type, refusal->payload);
	snprintf(error, sizeof(error), "section '%s' at offset %zu: %s",
		 section_name(refusal->type), m.nr, refusal->error);
	build(refusal->type, refusal->payload);
	expect_result(-EBADMSG, error);
}
END_TEST

/* A file header with another byte: @byte, or the next one if it is that. The CRC is right if
 * @fix_crc is set. */
static void check_file_header(size_t off, uint8_t byte, bool fix_crc, int wanted, const char *words)
{
	build(0, valid[SECTION_META]);
	m.data[off] = m.data[off] == byte ? byte + 1 : byte;
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
	check_file_header(16, 2, true, -EPROTONOSUPPORT, AT "version 2.9 is not supported");
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
	m.nr = m.pos = 0;
	memory_write(&m, "\x1f\x8b\x08", 3);
	expect_result(
		-EPROTONOSUPPORT, AT
		"not a recording, but packed by gzip, as profiles of pprof are; go tool pprof reads those");
	m.nr = m.pos = 0;
	memory_write(&m, "app;main;work 3\n", 16);
	expect_result(-EPROTONOSUPPORT,
		      AT "folded stacks, not a recording; 'profrep html --folded' reads them");
	m.nr = m.pos = 0;
	memory_write(&m, "a;\x01", 3);
	expect_result(-EPROTONOSUPPORT, AT "not a recording");
	m.nr = m.pos = 0;
	memory_write(&m, "PERFILE2", 8);
	expect_result(-EPROTONOSUPPORT, AT "a recording of perf; use perf report");
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

/* An epoch before its section of type @last, of a recording with a table of events. */
static uint32_t build_events_until(uint32_t last)
{
	return build_until(last, SECTION_EVENTS, valid[SECTION_EVENTS]);
}

/* The section of @type, which follows now, is not due: @due is. */
static void expect_not_due(uint32_t type, uint32_t sequence, const char *due)
{
	char error[512];

	snprintf(error, sizeof(error), "section '%s' at offset %zu: stands where '%s' is due",
		 section_name(type), m.nr, due);
	build_section(&m, type, sequence, valid[type]);
	expect_result(-EBADMSG, error);
}

/* The table of events stands after META if that says so, and the events of rows then, too. */
START_TEST(order_of_events)
{
	static const struct payload meta_of_one = PAYLOAD("\x2a\1\1");

	expect_not_due(SECTION_STRINGS, build_events_until(SECTION_EVENTS), "events");
	begin_file();
	build_section(&m, SECTION_META, 0, valid[SECTION_META]);
	expect_not_due(SECTION_EVENTS, 1, "strings");
	/* Without its column, rows of several events could not be told apart. */
	expect_not_due(SECTION_COUNTS, build_events_until(SECTION_COUNT_EVENTS), "count events");
	/* Rows of one event have no column for it. */
	begin_file();
	build_section(&m, SECTION_META, 0, meta_of_one);
	build_section(&m, SECTION_EVENTS, 1, one_event);
	for (uint32_t i = SECTION_STRINGS; i <= SECTION_STACKS; i++)
		build_section(&m, i, i, valid[i]);
	expect_not_due(SECTION_COUNT_EVENTS, 7, "counts");
	/* Samples of a CPU have no wakers. */
	expect_not_due(SECTION_COUNT_WAKERS, build_until(SECTION_COUNTS, 0, valid[0]), "counts");
}
END_TEST

/* All columns of the counts have equally many rows. */
START_TEST(rows_of_counts)
{
	static const struct {
		uint32_t type;
		struct payload payload;
		const char *words;
	} cases[] = {
		{SECTION_COUNT_EVENTS, PAYLOAD("\1\1\0"), "2 counts, but events of 1"},
		{SECTION_COUNT_EVENTS, PAYLOAD("\0\0"), "2 counts, but events of 0"},
		{SECTION_COUNT_WAKERS, PAYLOAD("\1\1\1\0\0"), "2 counts, but wakers of 1"},
		{SECTION_COUNT_WAKERS, PAYLOAD("\0\0\0"), "2 counts, but wakers of 0"},
		{SECTION_COUNT_THREADS, PAYLOAD("\1\1\1\1\1\0\1\0"), "2 counts, but threads of 1"},
		{SECTION_COUNT_THREADS, PAYLOAD("\0\0\0\0\0"), "2 counts, but threads of 0"},
		/* Both counts are of process 1. */
		{SECTION_COUNT_THREADS, PAYLOAD("\2\1\2\1\1\0\1\1\0"),
		 "count 1: thread is out of range"},
		{SECTION_COUNT_THREADS, PAYLOAD("\2\1\2\1\1\0\0\0\0"),
		 "count 0: thread is out of range"},
		{SECTION_COUNT_LABELS, PAYLOAD("\1\1\0"), "2 counts, but labels of 1"},
		{SECTION_SLICES, PAYLOAD("\1\1\5\2\1\1\0\0\0"), "2 counts, but slices of 1"},
		{SECTION_SLICES, PAYLOAD("\0\0\5\2\0\0\0"), "2 counts, but slices of 0"},
		/* The first count is 3, and its last part would be 0. */
		{SECTION_SLICES, PAYLOAD("\2\3\5\2\2\3\1\1\0\0\1\0\3"),
		 "count 0: slices add up to too much"},
		{SECTION_SLICES, PAYLOAD("\2\4\5\2\2\4\2\2\0\0\0\0\0\1\4"),
		 "count 0: slices add up to too much"},
		/* The epoch lasts 10 ns, and slice 3 begins 13 ns after it began. */
		{SECTION_SLICES, PAYLOAD("\2\2\5\2\2\2\0\0\0\0\3"),
		 "count 1: slice after the epoch"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t sequence = build_until(SECTION_COUNTS, cases[i].type, cases[i].payload);
		char error[512];

		snprintf(error, sizeof(error), "section 'counts' at offset %zu: %s", m.nr,
			 cases[i].words);
		build_section(&m, SECTION_COUNTS, sequence, valid[SECTION_COUNTS]);
		expect_result(-EBADMSG, error);
	}
}
END_TEST

/* The lists of END have a number for each event. */
START_TEST(end_of_events)
{
	static const struct {
		struct payload payload;
		const char *words;
	} cases[] = {
		{PAYLOAD("\x3c\1\1"), "attribute 60 has not 2 numbers"},
		{PAYLOAD("\x3e\3\1\1\1"), "attribute 62 has not 2 numbers"},
		{PAYLOAD("\x42\2\1\x80"), "attribute 66 has not 2 numbers"},
		{PAYLOAD("\5\1\1\x3f\xb" MAX64 "\0"), "the sums of samples overflow"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t sequence = build_events_until(SECTION_END);
		char error[512];

		snprintf(error, sizeof(error), "section 'end' at offset %zu: %s", m.nr,
			 cases[i].words);
		build_end(&m, sequence, cases[i].payload);
		expect_result(-EBADMSG, error);
	}
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

SUITE_MAIN_LOOP_WITH("prof_refusals", begin, end, payloads,
		     ARRAY_SIZE(refused_records) + ARRAY_SIZE(refused_tables), valid_one,
		     file_header, not_a_recording, container, unknown_sections,
		     unknown_section_damaged, unknown_attributes, order, order_of_process_info,
		     order_of_events, rows_of_counts, end_of_events, end_numbers)
