// SPDX-License-Identifier: GPL-2.0-or-later
/* The emulator of Erlang, by what it exports and by its code. */
#include "record/languages/files/language_files.h"

#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

#define CODE_OFF DYNAMIC_FILE_CODE_OFF

/* Places in the data. */
#define NORMAL_EXIT 0
#define FRAMES      8
#define ACTIVE_CODE 16
#define ATOMS       24
#define KEY         32
#define RANGES      48
#define CONSTANTS   64 /* four */
#define RELEASE     80
#define GET_KEY     256
#define GET_RANGES  320
#define TELL        384
#define TELL_KEY    448
#define TELL_ATOMS  512

#define PLACE(off) DYNAMIC_FILE_PLACE(off)

static struct dynamic_file file;
static size_t code_bytes; /* 0: the file and no more */
static size_t ranges_at;  /* another place in the code with the function of ranges; 0: none */

/* Puts an instruction with the distance to @to at @off, and returns where it ends. */
static size_t put_insn(size_t off, const void *opcode, size_t len, size_t to)
{
	int32_t distance = to - (off + len + 4);

	memcpy(file.data + off, opcode, len);
	memcpy(file.data + off + len, &distance, sizeof(distance));
	return off + len + sizeof(distance);
}

static const uint8_t ranges_end[] = {0x48, 0xc1, 0xe0, 0x04, 0xc3};

static void put_ranges(size_t off)
{
	off = put_insn(off, "\x48\x8b\x05", 3, RANGES);
	memcpy(file.data + off, ranges_end, sizeof(ranges_end));
}

static void begin_file(void)
{
	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	code_bytes = ranges_at = 0;
	put_insn(GET_KEY, "\x8b\x3d", 2, KEY);
	put_ranges(GET_RANGES);
}

/* A release that exports its variables. */
static void begin_exported(void)
{
	static const struct {
		const char *name;
		uint32_t off;
	} symbols[] = {
		{"beam_normal_exit", NORMAL_EXIT},
		{"erts_frame_layout", FRAMES},
		{"the_active_code_index", ACTIVE_CODE},
		{"erts_atom_table", ATOMS},
		{"erts_get_scheduler_data", GET_KEY},
		{"erts_ranges_sz", GET_RANGES},
		{"etp_beamasm", CONSTANTS},
		{"etp_debug_compiled", CONSTANTS + 4},
		{"etp_lock_count", CONSTANTS + 8},
		{"etp_lock_check", CONSTANTS + 12},
		{"etp_otp_release", RELEASE},
	};

	begin_file();
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		dynamic_file_add(&file, symbols[i].name, symbols[i].off, 8);
	file.data[CONSTANTS] = 1;
	strcpy((char *)file.data + RELEASE, "27");
}

/* A release that exports functions for its extensions alone. */
static void begin_told(void)
{
	static const uint8_t type[] = {0x8b, 0x80, 0xb0, 0, 0, 0};
	size_t at;

	begin_file();
	dynamic_file_add(&file, "enif_schedule_nif", 0, 8);
	dynamic_file_add(&file, "driver_system_info", TELL, 64);
	dynamic_file_add(&file, "enif_thread_type", TELL_KEY, 64);
	dynamic_file_add(&file, "enif_get_atom_length", TELL_ATOMS, 64);
	put_insn(TELL, "\x48\x8d\x05", 3, RELEASE);
	at = put_insn(TELL_KEY + 5, "\xe8", 1, GET_KEY);
	memcpy(file.data + at + 3, type, sizeof(type));
	put_insn(TELL_ATOMS + 9, "\x48\x8b\x05", 3, ATOMS + 120);
	strcpy((char *)file.data + RELEASE, "29");
}

/* Writes the function of the ranges into the code. */
static void write_ranges(int fd, size_t at)
{
	const int32_t distance = PLACE(RANGES) - (CODE_OFF + at + 7);
	uint8_t code[12] = {0x48, 0x8b, 0x05};

	memcpy(code + 3, &distance, sizeof(distance));
	memcpy(code + 7, ranges_end, sizeof(ranges_end));
	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF + at), sizeof(code));
}

static struct found_interpreter find(void)
{
	struct found_interpreter found;
	int fd;

	if (code_bytes)
		file.segments[0].p_filesz = code_bytes;
	fd = dynamic_file_open(&file);
	ck_assert_int_eq(ftruncate(fd, CODE_OFF + file.segments[0].p_filesz), 0);
	if (ranges_at)
		write_ranges(fd, ranges_at);
	interpreter_search(fd, &found);
	close(fd);
	return found;
}

static void expect(const char *name, bool is_walked)
{
	struct found_interpreter found = find();

	ck_assert_str_eq(found.name, name);
	ck_assert_uint_eq(found.language, *name ? LANGUAGE_BEAM : LANGUAGE_NONE);
	ck_assert_uint_eq(found.interpreter.language, is_walked ? LANGUAGE_BEAM : LANGUAGE_NONE);
}

START_TEST(releases_that_export_their_variables)
{
	struct interpreter in;

	begin_exported();
	expect("BEAM 27", true);
	in = find().interpreter;
	ck_assert_uint_eq(in.version, 27);
	ck_assert_uint_eq(in.code_off, CODE_OFF);
	ck_assert_uint_eq(in.beam.normal_exit, PLACE(NORMAL_EXIT));
	ck_assert_uint_eq(in.beam.frame_layout, PLACE(FRAMES));
	ck_assert_uint_eq(in.beam.active_code, PLACE(ACTIVE_CODE));
	ck_assert_uint_eq(in.beam.atoms, PLACE(ATOMS));
	ck_assert_uint_eq(in.beam.key, PLACE(KEY));
	ck_assert_uint_eq(in.beam.ranges, PLACE(RANGES));
	/* The compilers of some distributions begin functions with endbr64. */
	memcpy(file.data + GET_KEY, "\xf3\x0f\x1e\xfa", 4);
	put_insn(GET_KEY + 4, "\x8b\x3d", 2, KEY + 4);
	ck_assert_uint_eq(find().interpreter.beam.key, PLACE(KEY + 4));
	file.data[GET_KEY + 4]++;
	expect("BEAM 27", false);
}
END_TEST

START_TEST(versions)
{
	static const struct {
		const char *text, *name;
		bool is_walked;
	} cases[] = {
		{"25", "BEAM 25", true},     {"26", "BEAM 26", false},
		{"29", "BEAM 29", false}, /* has no such symbols */
		{"27-rc1", "BEAM 27", true}, {"rc", "BEAM without a version", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin_exported();
		strcpy((char *)file.data + RELEASE, cases[i].text);
		expect(cases[i].name, cases[i].is_walked);
	}
}
END_TEST

/* Other builds, and files that lack a variable. */
START_TEST(files_that_are_not_walked)
{
	for (uint32_t i = 1; i <= 11; i++) {
		begin_exported();
		file.names[file.symbols[i].st_name]++;
		expect(i == 1 ? "" : i == 11 ? "BEAM without a version" : "BEAM 27", false);
	}
	for (size_t i = 0; i < 4; i++) {
		begin_exported();
		file.data[CONSTANTS + 4 * i] ^= 1;
		expect("BEAM 27", false);
	}
	/* A variable before the file. */
	begin_exported();
	file.symbols[2].st_value = 0x10;
	expect("BEAM 27", false);
}
END_TEST

START_TEST(releases_that_tell_extensions_alone)
{
	struct interpreter in;

	begin_told();
	expect("BEAM 29", true);
	in = find().interpreter;
	ck_assert_uint_eq(in.version, 29);
	ck_assert_uint_eq(in.code_off, CODE_OFF);
	ck_assert_uint_eq(in.beam.normal_exit, 0);
	ck_assert_uint_eq(in.beam.atoms, PLACE(ATOMS));
	ck_assert_uint_eq(in.beam.key, PLACE(KEY));
	ck_assert_uint_eq(in.beam.ranges, PLACE(RANGES));
	for (uint32_t i = 1; i <= 4; i++) {
		begin_told();
		file.names[file.symbols[i].st_name]++;
		expect(i == 1 ? "" : i == 2 ? "BEAM without a version" : "BEAM 29", false);
	}
}
END_TEST

START_TEST(texts_that_are_no_release)
{
	static const char *const texts[] = {"2", "x9", "2x", "290", ""};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		begin_told();
		strcpy((char *)file.data + RELEASE, texts[i]);
		expect("BEAM without a version", false);
	}
	begin_told();
	strcpy((char *)file.data + RELEASE, "27"); /* it has symbols */
	expect("BEAM 27", false);
	/* Only what begins and ends in the first bytes of a function belongs to it. */
	begin_told();
	memset(file.data + TELL, 0x90, 64);
	put_insn(TELL + 57, "\x48\x8d\x05", 3, RELEASE);
	expect("BEAM 29", true);
	memset(file.data + TELL, 0x90, 64);
	put_insn(TELL + 58, "\x48\x8d\x05", 3, RELEASE);
	expect("BEAM without a version", false);
}
END_TEST

START_TEST(other_code_of_functions)
{
	static const size_t places[] = {GET_KEY,      GET_RANGES,    GET_RANGES + 7,
					TELL_KEY + 5, TELL_KEY + 14, TELL_ATOMS + 9};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		begin_told();
		file.data[places[i]]++;
		expect("BEAM 29", false);
	}
	begin_told();
	put_insn(TELL_ATOMS + 9, "\x48\x8b\x05", 3, -PLACE(0)); /* before the file */
	expect("BEAM 29", false);
}
END_TEST

/* The function is found wherever it is, but it must be there once, and all of it. */
START_TEST(code_in_chunks)
{
	static const size_t places[] = {16384 - 13, 16384 - 12,    16384 - 11, 16384 - 1,
					16384,      2 * 16373 - 1, 2 * 16373,  40000 - 12};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		begin_told();
		code_bytes = 40000;
		ranges_at = places[i];
		expect("BEAM 29", false);
		memset(file.data + GET_RANGES, 0, 12);
		expect("BEAM 29", true);
		ck_assert_uint_eq(find().interpreter.beam.ranges, PLACE(RANGES));
		code_bytes = places[i] + 11;
		expect("BEAM 29", false);
	}
}
END_TEST

SUITE_MAIN("beam_symbols", releases_that_export_their_variables, versions,
	   files_that_are_not_walked, releases_that_tell_extensions_alone,
	   texts_that_are_no_release, other_code_of_functions, code_in_chunks)
