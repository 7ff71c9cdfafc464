// SPDX-License-Identifier: GPL-2.0-or-later
/* The versions and builds of PHP, and the code of its interpreter. */
#include "record/languages/files/language_files.h"

#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

/* Places in the data. */
#define GLOBALS    0
#define VERSION_AT 512
#define BUILD_AT   576
#define TABLE      640
#define KIND       700
#define DESTROY    720
#define SWITCH     760
#define LOOP       1024
#define LOOP_BYTES 100
#define COLD       2048
#define COLD_BYTES 200

static struct dynamic_file file;

static void begin_build(const char *version, const char *build, size_t nr_jumps)
{
	static const uint32_t functions[] = {KIND, LOOP, LOOP + LOOP_BYTES, COLD,
					     COLD + COLD_BYTES};

	dynamic_file_init(&file);
	dynamic_file_skip_header(&file);
	dynamic_file_add(&file, "execute_ex", LOOP, LOOP_BYTES);
	dynamic_file_add(&file, "zend_vm_kind", KIND, 8);
	dynamic_file_add(&file, "zend_objects_destroy_object", DESTROY, 30);
	dynamic_file_add(&file, "executor_globals", GLOBALS, 8);
	dynamic_file_add(&file, "zend_fiber_switch_context", SWITCH, 40);
	snprintf((char *)file.data + VERSION_AT, 64, "X-Powered-By: PHP/%s", version);
	snprintf((char *)file.data + BUILD_AT, 64, "%s", build);
	memcpy(file.data + KIND, "\xb8\x04\x00\x00\x00\xc3", 6); /* mov $4,%eax; ret */
	dynamic_file_set_functions(&file, TABLE, functions, ARRAY_SIZE(functions));
	for (size_t i = 0; i < nr_jumps; i++)
		dynamic_file_put_insn(&file, LOOP + 10 * i, "\xe9", COLD + 7 * i);
}

static struct found_interpreter find(void)
{
	struct found_interpreter found;
	int fd = dynamic_file_open(&file);

	interpreter_search(fd, &found);
	close(fd);
	return found;
}

static void expect(const char *name, bool is_walked, bool has_loop)
{
	struct found_interpreter found = find();

	ck_assert_str_eq(found.name, name);
	ck_assert_uint_eq(found.language, LANGUAGE_PHP);
	ck_assert_uint_eq(found.interpreter.language, is_walked ? LANGUAGE_PHP : LANGUAGE_NONE);
	ck_assert_uint_eq(found.interpreter.loop,
			  has_loop ? DYNAMIC_FILE_PLACE(LOOP) + LOOP_BYTES / 2 : 0);
	ck_assert_uint_eq(found.interpreter.code_off,
			  is_walked || has_loop ? DYNAMIC_FILE_CODE_OFF : 0);
}

START_TEST(versions)
{
	static const struct {
		const char *version, *build;
		uint8_t function_code, has_loop;
	} cases[] = {
		{"7.4.33", "API320190902,NTS", 64, 0},  {"8.1.2", "API420210902,NTS", 72, 1},
		{"8.2.7", "API420220829,NTS", 88, 1},   {"8.3.0", "API420230831,NTS", 80, 1},
		{"8.4.10", "API420240924,NTS", 104, 1}, {"8.5.0", "API420250925,NTS", 104, 1},
	};
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin_build(cases[i].version, cases[i].build, 4);
		snprintf(name, sizeof(name), "PHP %s", cases[i].version);
		expect(name, true, cases[i].has_loop);
		ck_assert_uint_eq(find().interpreter.php.function_code, cases[i].function_code);
	}
	begin_build("8.6.0", "API420220829,NTS", 4);
	expect("PHP 8.6.0", false, false);
	begin_build("x", "API420220829,NTS", 4);
	expect("PHP without a version", false, false);
}
END_TEST

START_TEST(other_builds)
{
	begin_build("8.2.7", "API420220829,NTS,debug", 4);
	expect("PHP 8.2.7", false, true);
	begin_build("8.2.7", "API420220829,TS", 4);
	expect("PHP 8.2.7", false, true);
	begin_build("8.2.7", "API420230831,NTS", 4);
	expect("PHP 8.2.7", false, true);
	/* With threads there are no global variables. */
	begin_build("8.2.7", "API420220829,NTS", 4);
	file.names[file.symbols[4].st_name]++;
	expect("PHP 8.2.7, with threads", false, true);
	/* The loop calls functions. */
	begin_build("8.2.7", "API420220829,NTS", 4);
	file.data[KIND + 1] = 1;
	expect("PHP 8.2.7", true, false);
	for (size_t i = 1; i <= 2; i++) {
		begin_build("8.2.7", "API420220829,NTS", 4);
		file.names[file.symbols[i].st_name]++;
		ck_assert_uint_eq(find().language, LANGUAGE_NONE);
	}
}
END_TEST

START_TEST(code_of_the_interpreter)
{
	struct interpreter in;
	const struct language_code *code = &in.php.code;

	begin_build("8.2.7", "API420220829,NTS", 4);
	in = find().interpreter;
	ck_assert_uint_eq(in.runtime, DYNAMIC_FILE_PLACE(GLOBALS));
	ck_assert_uint_eq(code->loop, DYNAMIC_FILE_PLACE(LOOP));
	ck_assert_uint_eq(code->loop_bytes, LOOP_BYTES);
	ck_assert_uint_eq(code->cold, DYNAMIC_FILE_PLACE(COLD));
	ck_assert_uint_eq(code->cold_bytes, COLD_BYTES);
	ck_assert_uint_eq(code->destroy, DYNAMIC_FILE_PLACE(DESTROY));
	ck_assert_uint_eq(code->destroy_bytes, 30);
	ck_assert_uint_eq(code->change, DYNAMIC_FILE_PLACE(SWITCH));
	ck_assert_uint_eq(code->change_bytes, 40);
	/* There is no function that changes stacks. */
	file.names[file.symbols[5].st_name]++;
	in = find().interpreter;
	ck_assert_uint_eq(in.language, LANGUAGE_PHP);
	ck_assert_uint_eq(code->change + code->change_bytes, 0);
	file.names[file.symbols[3].st_name]++;
	ck_assert_uint_eq(find().interpreter.language, LANGUAGE_NONE);
	begin_build("8.2.7", "API420220829,NTS", 4);
	file.symbols[1].st_size = 0;
	ck_assert_uint_eq(find().interpreter.language, LANGUAGE_NONE);
}
END_TEST

/* Few jumps may be bytes that look like one. */
START_TEST(moved_code)
{
	struct interpreter in;

	begin_build("8.2.7", "API420220829,NTS", 3);
	in = find().interpreter;
	ck_assert_uint_eq(in.language, LANGUAGE_PHP);
	ck_assert_uint_eq(in.php.code.cold_bytes, 0);
	/* A jump with a condition is one, a call is none. */
	dynamic_file_put_insn(&file, LOOP + 50, "\xe8", COLD);
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, 0);
	dynamic_file_put_insn(&file, LOOP + 50, "\x0f\x84", COLD);
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, COLD_BYTES);
	/* The last byte of the moved part. */
	dynamic_file_put_insn(&file, LOOP + LOOP_BYTES - 6, "\x0f\x8f", COLD + COLD_BYTES - 1);
	memset(file.data + LOOP + 50, 0, 6);
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, COLD_BYTES);
	dynamic_file_put_insn(&file, LOOP + LOOP_BYTES - 6, "\x0f\x8f", COLD + COLD_BYTES);
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, 0);
	/* An instruction that the function's end cuts off. */
	dynamic_file_put_insn(&file, LOOP + LOOP_BYTES - 4, "\xe9", COLD);
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, 0);
}
END_TEST

/* Without the table of functions nobody knows where the moved part ends. */
START_TEST(tables_of_functions)
{
	for (size_t i = 0; i < 4; i++) {
		begin_build("8.2.7", "API420220829,NTS", 4);
		file.data[TABLE + i]++;
		ck_assert_uint_eq(find().interpreter.language,
				  i == 1 ? LANGUAGE_PHP : LANGUAGE_NONE);
	}
	begin_build("8.2.7", "API420220829,NTS", 4);
	file.segments[2].p_type = PT_NULL;
	ck_assert_uint_eq(find().interpreter.language, LANGUAGE_NONE);
	/* Nothing follows the moved part, or all is behind it. */
	begin_build("8.2.7", "API420220829,NTS", 4);
	file.data[TABLE + 8] = 4;
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, 0);
	file.data[TABLE + 8] = 0;
	ck_assert_uint_eq(find().interpreter.php.code.cold_bytes, 0);
}
END_TEST

SUITE_MAIN("php_layouts", versions, other_builds, code_of_the_interpreter, moved_code,
	   tables_of_functions)
