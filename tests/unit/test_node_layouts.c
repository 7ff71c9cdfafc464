// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers for debuggers in files of Node.js. */
#include "record/languages/files/language_files.h"

#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

#define CLASS "v8dbg_class_"

struct number {
	const char *name;
	uint32_t value;
};

/* Of 10.2, the first version. */
static const struct number numbers[] = {
	{"_ZN2v88internal7Version6major_E", 10},
	{"_ZN2v88internal7Version6minor_E", 2},
	{"_ZN2v88internal7Version6build_E", 154},
	/* Those that are the same in all versions. */
	{"v8dbg_HeapObjectTag", 1},
	{"v8dbg_HeapObjectTagMask", 3},
	{"v8dbg_SmiTagMask", 1},
	{"v8dbg_SmiShiftSize", 31},
	{"v8dbg_off_fp_context", -8},
	{"v8dbg_off_fp_function", -16},
	{CLASS "Map__instance_type__uint16_t", 12},
	{"v8dbg_IsNotStringMask", ~127u},
	{"v8dbg_StringRepresentationMask", 7},
	{"v8dbg_StringEncodingMask", 8},
	{"v8dbg_OneByteStringTag", 8},
	{"v8dbg_ConsStringTag", 1},
	{"v8dbg_SlicedStringTag", 3},
	{"v8dbg_ThinStringTag", 5},
	{CLASS "String__length__int32_t", 12},
	{CLASS "SeqOneByteString__chars__char", 16},
	{CLASS "SeqTwoByteString__chars__char", 16},
	{CLASS "ConsString__first__String", 16},
	{CLASS "ConsString__second__String", 24},
	{CLASS "SlicedString__parent__String", 16},
	{CLASS "SlicedString__offset__SMI", 24},
	{CLASS "ThinString__actual__String", 16},
	{"v8dbg_scopeinfo_idx_nparams", 1},
	{"v8dbg_scopeinfo_idx_ncontextlocals", 2},
	/* Those that differ. */
	{"v8dbg_type_JSFunction__JS_FUNCTION_TYPE", 2060},
	{"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 256},
	{"v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", 257},
	{"v8dbg_type_Script__SCRIPT_TYPE", 258},
	{CLASS "JSFunction__shared__SharedFunctionInfo", 24},
	{CLASS "SharedFunctionInfo__name_or_scope_info__Object", 16},
	{CLASS "SharedFunctionInfo__script_or_debug_info__HeapObject", 32},
	{CLASS "SharedFunctionInfo__flags__int", 56},
	{CLASS "Script__name__Object", 8},
	{"v8dbg_scopeinfo_idx_first_vars", 3},
	{"v8dbg_LastJSFunctionType", 2080},
	/* For lines. */
	{"v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", 179},
	{CLASS "Script__source__Object", 8},
	{CLASS "Script__line_ends__Object", 56},
	{CLASS "FixedArray__data__uintptr_t", 16},
	{CLASS "ExternalString__resource__Object", 16},
	{"v8dbg_ExternalStringTag", 2},
	/* For inlined functions. */
	{"v8dbg_type_Code__CODE_TYPE", 240},
	{"v8dbg_CodeKindBaseline", 11},
	/* These are not in every version. */
	{"v8dbg_CodeKindFieldMask", 15},
	{CLASS "Code__flags__uint32_t", 48},
	{CLASS "Code__instruction_size__int", 40},
	{CLASS "Code__instruction_start__Address", 0},
};

#define FIRST_CONSTANT 3
#define FIRST_NUMBER   27
#define FIRST_OFFSET   31 /* of five */
#define LAST_TYPE      37
#define ARRAY_TYPE     38
#define CODE_TYPE      44
#define CODE_KINDS     46 /* the first one that may be missing */
#define CODE_FLAGS     47
#define CODE_SIZE      48
#define CODE_START     49

static struct dynamic_file file;

static void begin(void)
{
	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	for (uint32_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		dynamic_file_add(&file, numbers[i].name, 4 * i, 4);
		memcpy(file.data + 4 * i, &numbers[i].value, 4);
	}
}

static void set_number(size_t i, uint32_t value)
{
	memcpy(file.data + 4 * i, &value, sizeof(value));
}

/* Files without the number. */
static void hide_number(size_t i)
{
	file.names[file.symbols[i + 1].st_name]++;
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

	ck_assert_uint_eq(found.language, LANGUAGE_NODE);
	return found.interpreter.language == LANGUAGE_NODE;
}

START_TEST(numbers_of_a_version)
{
	struct found_interpreter found = find();
	const struct node_layout *layout = &found.interpreter.node;

	ck_assert_str_eq(found.name, "V8 10.2.154");
	ck_assert_uint_eq(found.language, LANGUAGE_NODE);
	ck_assert_uint_eq(found.interpreter.language, LANGUAGE_NODE);
	ck_assert_uint_eq(found.interpreter.version, 10);
	ck_assert_uint_eq(found.interpreter.code_off, DYNAMIC_FILE_CODE_OFF);
	ck_assert_uint_eq(layout->function_type, 2060);
	ck_assert_uint_eq(layout->last_function_type, 2080);
	ck_assert_uint_eq(layout->shared_type, 256);
	ck_assert_uint_eq(layout->scope_type, 257);
	ck_assert_uint_eq(layout->script_type, 258);
	ck_assert_uint_eq(layout->function_shared, 24);
	ck_assert_uint_eq(layout->shared_name, 16);
	ck_assert_uint_eq(layout->shared_script, 32);
	ck_assert_uint_eq(layout->shared_flags, 56);
	ck_assert_uint_eq(layout->script_name, 8);
	ck_assert_uint_eq(layout->scope_locals, 32);
	/* Older versions do not tell the number of the last type. */
	hide_number(LAST_TYPE);
	ck_assert_uint_eq(find().interpreter.node.last_function_type, 2075);
}
END_TEST

/* A version that has them elsewhere has functions without lines. */
START_TEST(numbers_for_lines)
{
	ck_assert_uint_eq(find().interpreter.node.array_type, 179);
	for (size_t i = ARRAY_TYPE; i < CODE_TYPE; i++) {
		set_number(i, numbers[i].value + 65536);
		ck_assert(is_walked());
		ck_assert_uint_eq(find().interpreter.node.array_type, 0);
		set_number(i, numbers[i].value);
		hide_number(i);
		ck_assert_uint_eq(find().interpreter.node.array_type, 0);
		begin();
	}
}
END_TEST

/* What is known of code. */
static const struct {
	uint32_t major, minor;
	struct node_layout layout;
} layouts_of_code[] = {
	{10, 2, {.code_header = 128, .code_data = 16, .code_flags = 48, .code_bytes = 40}},
	{11,
	 3,
	 {.code_header = 16,
	  .code_is_apart = 1,
	  .code_data = 16,
	  .code_start = 40,
	  .code_flags = 48,
	  .code_bytes = 56}},
	{12,
	 4,
	 {.code_header = 32,
	  .code_is_apart = 1,
	  .code_data = 8,
	  .code_start = 40,
	  .code_flags = 48,
	  .code_bytes = 52}},
	{13,
	 6,
	 {.code_header = 32,
	  .code_is_apart = 1,
	  .code_data = 8,
	  .code_start = 40,
	  .code_flags = 52,
	  .code_bytes = 56,
	  .is_data_protected = 1}},
	{14,
	 6,
	 {.code_header = 32,
	  .code_is_apart = 1,
	  .code_data = 8,
	  .code_start = 40,
	  .code_flags = 52,
	  .code_bytes = 56,
	  .is_data_protected = 1,
	  .has_position_flags = 1}},
};

static void expect_layout_of_code(const struct node_layout *expected)
{
	const struct node_layout l = find().interpreter.node;

	ck_assert_uint_eq(l.code_type, 240);
	ck_assert_uint_eq(l.baseline_kind, 11);
	ck_assert_uint_eq(l.code_header, expected->code_header);
	ck_assert_uint_eq(l.code_is_apart, expected->code_is_apart);
	ck_assert_uint_eq(l.code_data, expected->code_data);
	ck_assert_uint_eq(l.code_start, expected->code_start);
	ck_assert_uint_eq(l.code_flags, expected->code_flags);
	ck_assert_uint_eq(l.code_bytes, expected->code_bytes);
	ck_assert_uint_eq(l.is_data_protected, expected->is_data_protected);
	ck_assert_uint_eq(l.has_position_flags, expected->has_position_flags);
}

/* Each version has its own. */
START_TEST(layout_of_code)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts_of_code); i++) {
		const struct node_layout *expected = &layouts_of_code[i].layout;

		begin();
		set_number(0, layouts_of_code[i].major);
		set_number(1, layouts_of_code[i].minor);
		set_number(CODE_FLAGS, expected->code_flags);
		set_number(CODE_SIZE, expected->code_bytes);
		set_number(CODE_START, expected->code_start);
		expect_layout_of_code(expected);
		for (size_t j = CODE_KINDS; j < ARRAY_SIZE(numbers); j++)
			hide_number(j);
		expect_layout_of_code(expected);
	}
}
END_TEST

/* A file with other numbers has functions without others in them. */
START_TEST(layouts_of_code_that_differ)
{
	for (size_t i = CODE_TYPE; i < ARRAY_SIZE(numbers); i++) {
		set_number(i, 65536);
		ck_assert(is_walked());
		ck_assert_uint_eq(find().interpreter.node.array_type, 179);
		ck_assert_uint_eq(find().interpreter.node.code_header, 0);
		set_number(i, numbers[i].value);
		hide_number(i);
		ck_assert_uint_eq(find().interpreter.node.code_header, i < CODE_KINDS ? 0 : 128);
		begin();
	}
}
END_TEST

START_TEST(versions)
{
	static const uint32_t known[][2] = {{10, 2}, {11, 3}, {12, 4}, {13, 6}, {14, 6}};
	static const uint32_t unknown[][2] = {{10, 3}, {9, 2}, {12, 6}, {14, 5}, {14, 7}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		set_number(0, known[i][0]);
		set_number(1, known[i][1]);
		ck_assert(is_walked());
		set_number(0, unknown[i][0]);
		set_number(1, unknown[i][1]);
		ck_assert(!is_walked());
	}
	for (size_t i = 0; i < FIRST_CONSTANT; i++) {
		begin();
		hide_number(i);
		ck_assert_uint_eq(find().language, LANGUAGE_NONE);
	}
}
END_TEST

START_TEST(constants_that_differ)
{
	for (size_t i = FIRST_CONSTANT; i < FIRST_NUMBER; i++) {
		set_number(i, numbers[i].value + 1);
		ck_assert(!is_walked());
		set_number(i, numbers[i].value);
		ck_assert(is_walked());
		hide_number(i);
		ck_assert(!is_walked());
		begin();
	}
}
END_TEST

START_TEST(numbers_that_make_no_sense)
{
	static const struct {
		size_t at;
		uint32_t value;
		bool is_walked;
	} cases[] = {
		{FIRST_NUMBER, UINT16_MAX - 256, true},
		{FIRST_NUMBER, UINT16_MAX - 255, false},
		{FIRST_NUMBER + 1, UINT16_MAX, true},
		{FIRST_NUMBER + 1, UINT16_MAX + 1, false},
		{FIRST_OFFSET, 64, false},
		{FIRST_OFFSET + 5, 16, true},
		{FIRST_OFFSET + 5, 17, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		set_number(cases[i].at, cases[i].value);
		ck_assert_int_eq(is_walked(), cases[i].is_walked);
	}
	/* All but the number of the last type are needed, and offsets are of words. */
	for (size_t i = FIRST_NUMBER; i < LAST_TYPE; i++) {
		begin();
		hide_number(i);
		ck_assert(!is_walked());
	}
	for (size_t i = FIRST_OFFSET; i < FIRST_OFFSET + 5; i++) {
		begin();
		set_number(i, 20);
		ck_assert(!is_walked());
	}
}
END_TEST

SUITE_MAIN_WITH("node_layouts", begin, NULL, numbers_of_a_version, numbers_for_lines,
		layout_of_code, layouts_of_code_that_differ, versions, constants_that_differ,
		numbers_that_make_no_sense)
