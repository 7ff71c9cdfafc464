// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols for debuggers in HotSpot's library, and its version. */
#include "record/languages/files/language_files.h"

#include "record/languages/files/host_code.h"
#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

#define VERSION_AT 512

static const char *const names[NR_JAVA_SYMBOLS] = {
	[JAVA_FIELDS] = "gHotSpotVMStructs",
	[JAVA_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[JAVA_FIELD_TYPE_NAME] = "gHotSpotVMStructEntryTypeNameOffset",
	[JAVA_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[JAVA_FIELD_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[JAVA_FIELD_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[JAVA_TYPES] = "gHotSpotVMTypes",
	[JAVA_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[JAVA_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[JAVA_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
};

static struct dynamic_file file;

static void begin_version(const char *version)
{
	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++)
		dynamic_file_add(&file, names[i], 8 * i, 8);
	snprintf((char *)file.data + VERSION_AT, 128, "OpenJDK%s%s), built on", host_java_mark,
		 version);
}

static struct found_interpreter find(void)
{
	struct found_interpreter found;
	int fd = dynamic_file_open(&file);

	interpreter_search(fd, &found);
	close(fd);
	return found;
}

START_TEST(versions)
{
	static const struct {
		const char *text, *name;
		uint32_t version; /* 0: it is not walked */
	} cases[] = {
		{"17.0.15+6", "HotSpot 17.0.15", 17},
		{"1.8.0_504-8u504-ga-1-b01", "HotSpot 1.8.0_504", 8},
		{"16.0.1+6", "HotSpot 16.0.1", 0},
		{"x", "HotSpot without a version", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct found_interpreter found;

		begin_version(cases[i].text);
		found = find();
		ck_assert_uint_eq(found.language, LANGUAGE_JAVA);
		ck_assert_int_eq(strncmp(found.name, cases[i].name, strlen(cases[i].name)), 0);
		ck_assert_uint_eq(found.interpreter.version, cases[i].version);
		ck_assert_uint_eq(found.interpreter.language,
				  cases[i].version ? LANGUAGE_JAVA : LANGUAGE_NONE);
	}
}
END_TEST

START_TEST(places)
{
	struct interpreter in;

	begin_version("17.0.15+6");
	in = find().interpreter;
	ck_assert_uint_eq(in.code_off, DYNAMIC_FILE_CODE_OFF);
	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++)
		ck_assert_uint_eq(in.java[i], DYNAMIC_FILE_PLACE(8 * i));
	/* The last place that has a number. */
	file.symbols[1].st_value = DYNAMIC_FILE_ADDR + (uint64_t)UINT32_MAX;
	ck_assert_uint_eq(find().interpreter.java[0], UINT32_MAX);
	file.symbols[1].st_value++;
	ck_assert_uint_eq(find().language, LANGUAGE_NONE);
	for (uint32_t i = 1; i <= NR_JAVA_SYMBOLS; i++) {
		begin_version("17.0.15+6");
		file.names[file.symbols[i].st_name]++;
		ck_assert_uint_eq(find().language, LANGUAGE_NONE);
	}
}
END_TEST

SUITE_MAIN("java_symbols", versions, places)
