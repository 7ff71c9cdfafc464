// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/language_files.h"

#include "record/languages/files/python_offsets.h"
#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

#define RUNTIME_OFF   64
#define RUNTIME_BYTES 3000
#define THREAD_OFF    3500

static struct dynamic_file file;

static void begin(void)
{
	dynamic_file_init(&file);
	dynamic_file_add(&file, "PyEval_EvalFrameEx", 0, 1);
	dynamic_file_add(&file, "Py_Version", 8, 4);
	dynamic_file_add(&file, "_PyRuntime", RUNTIME_OFF, RUNTIME_BYTES);
	dynamic_file_add(&file, "PyGILState_GetThisThreadState", THREAD_OFF, 16);
}

/* What is found in the file of this version; from 3.13 on with the offsets for debuggers. */
static struct found_interpreter find(uint32_t version, uint64_t is_free_threaded)
{
	const uint64_t offsets[] = {version, is_free_threaded};
	struct found_interpreter found;
	int fd;

	memcpy(file.data + 8, &version, sizeof(version));
	if (version >= 0x030d0000) {
		memcpy(file.data + RUNTIME_OFF, "xdebugpy", 8);
		memcpy(file.data + RUNTIME_OFF + 8, offsets, sizeof(offsets));
	}
	fd = dynamic_file_open(&file);
	interpreter_search(fd, &found);
	close(fd);
	return found;
}

static void expect(uint32_t version, uint64_t is_free_threaded, const char *name, bool is_walked)
{
	struct found_interpreter found = find(version, is_free_threaded);

	ck_assert_uint_eq(found.language, LANGUAGE_PYTHON);
	ck_assert_str_eq(found.name, name);
	ck_assert_uint_eq(found.interpreter.language, is_walked ? LANGUAGE_PYTHON : LANGUAGE_NONE);
}

/* The program reads the words from that with the flags on (PYTHON_CODE_WORDS). */
static void expect_read(const struct python_layout *at, uint8_t off)
{
	ck_assert_uint_ge(off, at->code_flags);
	ck_assert_uint_lt(off / 8 - at->code_flags / 8, PYTHON_CODE_WORDS);
}

/* All parts of a code object are in the words that the program reads, and addresses are whole. */
START_TEST(parts_of_code_are_read)
{
	static const struct {
		uint32_t version;
		bool is_free_threaded;
	} known[] = {{0x030b00f0, false}, {0x030c00f0, false}, {0x030d00f0, false},
		     {0x030d00f0, true},  {0x030e00f0, false}, {0x030e00f0, true}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct found_interpreter found = find(known[i].version, known[i].is_free_threaded);
		const struct python_layout *at = &found.interpreter.python;

		ck_assert_uint_eq(at->code_file % 8 + at->code_name % 8, 0);
		expect_read(at, at->code_line);
		expect_read(at, at->code_file);
		expect_read(at, at->code_name);
		if (at->code_version)
			expect_read(at, at->code_version);
	}
}
END_TEST

START_TEST(versions)
{
	expect(0x030b02f0, 0, "CPython 3.11.2", true);
	expect(0x030c00c1, 0, "CPython 3.12.0", true);
	expect(0x030d00f0, 0, "CPython 3.13.0", true);
	expect(0x030d00f0, 1, "CPython 3.13.0, free-threaded", true);
	expect(0x030e08f0, 0, "CPython 3.14.8", true);
	expect(0x030e08f0, 1, "CPython 3.14.8, free-threaded", true);
}
END_TEST

/* Before 3.11, functions tell the version. */
START_TEST(versions_by_functions)
{
	dynamic_file_init(&file);
	dynamic_file_add(&file, "PyEval_EvalFrameEx", 0, 1);
	dynamic_file_add(&file, "_PyRuntime", RUNTIME_OFF, RUNTIME_BYTES);
	expect(0, 0, "CPython before 3.9", false);
	dynamic_file_add(&file, "PyFrame_GetCode", 0, 1);
	dynamic_file_add(&file, "_PyEval_EvalFrameDefault", 0, 1);
	expect(0, 0, "CPython 3.9", false); /* no table says what its loop jumps to */
	dynamic_file_add(&file, "Py_NewRef", 0, 1);
	expect(0, 0, "CPython 3.10", true);
}
END_TEST

START_TEST(unknown_versions_are_not_walked)
{
	expect(0x030d00b3, 0, "CPython 3.13.0, unreleased", false);
	expect(0x031000f0, 0, "CPython 3.16.0", false);
	expect(0x030f00f0, 1, "CPython 3.15.0, free-threaded", false);
	expect(0x040b00f0, 0, "CPython 4.11.0", false);
	expect(0xfffffff0, 1, "CPython 255.255.255, free-threaded", false);
}
END_TEST

START_TEST(variable_of_the_thread)
{
	static const uint8_t code[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xd8, 0xff, 0xff, 0xff, 0xc3};

	expect(0x030f00f0, 0, "CPython 3.15.0", false); /* the function has another form */
	memcpy(file.data + THREAD_OFF, code, sizeof(code));
	expect(0x030f00f0, 0, "CPython 3.15.0", true);
	ck_assert_int_eq(find(0x030f00f0, 0).interpreter.python.variable, -0x28);
}
END_TEST

/*
 * The offsets that 3.13.0 publishes after its version, with a size for each struct, but where the
 * thread state of 3.15 has more frames and other places.
 */
static const uint64_t published[] = {
	283320, 608,  632,                                              /* runtime_state */
	194968, 7272, 7264, 7344, 7400, 7656, 7640, 7648, 16,           /* interpreter_state */
	7752,   0,    7768, 7760,                                       /* ... */
	304,    0,    8,    16,   80,   88,   96,   168,  176, 248, 32, /* thread_state */
	80,     8,    0,    56,   72,   70,                             /* interpreter_frame */
	208,    112,  120,  128,  136,  68,   52,   96,   104, 200,     /* code_object */
	16,     8,    416,  24,   88,   168,  32,   24,   16,  40,  24, 16, 48, /* objects */
	32,     40,   24,   16,   32,   16,   24,   40,   16,  32,              /* ... */
	64,     32,   16,   40,                                                 /* unicode_object */
	240,    200,                                                            /* gc */
};

/* Where a number is among these. */
enum {
	PUBLISHED_LINKS = 17,
	PUBLISHED_CURRENT_FRAME = 20,
	PUBLISHED_THREAD_ID = 23,
	PUBLISHED_PREVIOUS = 28,
	PUBLISHED_OWNER = 32,
	PUBLISHED_QUALNAME = 36,
	PUBLISHED_LINE = 38,
	PUBLISHED_ASCII = 69,
};

static uint64_t *publish(void)
{
	static const uint8_t code[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xd8, 0xff, 0xff, 0xff, 0xc3};
	void *at = file.data + RUNTIME_OFF + sizeof(struct python_offsets_head);

	memcpy(file.data + THREAD_OFF, code, sizeof(code));
	memcpy(at, published, sizeof(published));
	return at;
}

START_TEST(offsets_of_a_version_without_a_row)
{
	struct python_layout judged, read;

	publish();
	judged = find(0x030f00f0, 0).interpreter.python;
	expect(0x031000f0, 0, "CPython 3.16.0, not judged", true);
	read = find(0x031000f0, 0).interpreter.python;
	ck_assert_uint_eq(read.tstate_frame, 80);
	ck_assert_uint_eq(read.tstate_thread, 168);
	ck_assert_uint_eq(read.frame_owner, 70);
	read.tstate_frame = judged.tstate_frame;
	read.tstate_thread = judged.tstate_thread;
	read.frame_owner = judged.frame_owner;
	ck_assert_mem_eq(&read, &judged, sizeof(read));
	/* Without the lock the state is under a key, whose place is not published. */
	expect(0x031000f0, 1, "CPython 3.16.0, free-threaded", false);
	expect(0x031000a3, 0, "CPython 3.16.0, unreleased", false);
}
END_TEST

/* A version with a row is as its row says. */
START_TEST(offsets_of_a_version_with_a_row)
{
	publish();
	ck_assert_uint_eq(find(0x030f00f0, 0).interpreter.python.tstate_thread, 176);
}
END_TEST

/* Fields that are added before, between and after those that are used. */
START_TEST(more_offsets)
{
	static const size_t places[] = {0, 3, 16, 23, 26, 27, 33, 43, 67};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		uint64_t *words = publish();
		size_t at = places[i];

		memmove(words + at + 1, words + at, sizeof(published) - 8 * at);
		words[at] = 1000;
		if (at == 23)
			words[at] = 104; /* one more frame */
		expect(0x031000f0, 0, "CPython 3.16.0, not judged", true);
		ck_assert_uint_eq(find(0x031000f0, 0).interpreter.python.tstate_thread, 168);
	}
}
END_TEST

START_TEST(offsets_that_have_changed)
{
	static const struct {
		size_t at;
		uint64_t value;
	} changes[] = {
		{PUBLISHED_LINKS, 16},
		{PUBLISHED_CURRENT_FRAME, 184},
		{PUBLISHED_CURRENT_FRAME, 82},
		{PUBLISHED_THREAD_ID, 1000},
		{PUBLISHED_PREVIOUS, 16},
		{PUBLISHED_OWNER, PYTHON_FRAME_BYTES},
		{PUBLISHED_OWNER, ~0ULL},
		{PUBLISHED_QUALNAME, 136},
		{PUBLISHED_LINE, 72},
		{PUBLISHED_ASCII, 48},
		{PUBLISHED_CURRENT_FRAME, 1ULL << 32 | 80},
	};

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		publish()[changes[i].at] = changes[i].value;
		expect(0x031000f0, 0, "CPython 3.16.0", false);
	}
}
END_TEST

START_TEST(offsets_of_another_version)
{
	const uint64_t other = 0x030d01f0;
	struct found_interpreter found;
	int fd;

	find(0x030d00f0, 0);
	memcpy(file.data + RUNTIME_OFF + 8, &other, sizeof(other));
	fd = dynamic_file_open(&file);
	interpreter_search(fd, &found);
	close(fd);
	ck_assert_uint_eq(found.interpreter.language, LANGUAGE_NONE);
}
END_TEST

START_TEST(data_too_short)
{
	file.symbols[3].st_size = 596 + 3;
	expect(0x030b02f0, 0, "CPython 3.11.2", false);
	file.symbols[3].st_size = 596 + 4;
	expect(0x030b02f0, 0, "CPython 3.11.2", true);
}
END_TEST

START_TEST(other_files)
{
	struct found_interpreter found;

	strcpy(file.names + file.symbols[1].st_name, "qyEval_EvalFrameEx");
	found = find(0x030b02f0, 0);
	ck_assert_uint_eq(found.language, LANGUAGE_NONE);
	ck_assert_str_eq(found.name, "");
}
END_TEST

SUITE_MAIN_WITH("python_layouts", begin, NULL, parts_of_code_are_read, versions,
		versions_by_functions, unknown_versions_are_not_walked, variable_of_the_thread,
		offsets_of_a_version_without_a_row, offsets_of_a_version_with_a_row, more_offsets,
		offsets_that_have_changed, offsets_of_another_version, data_too_short, other_files)
