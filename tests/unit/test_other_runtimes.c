// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/other_runtimes.h"

#include "common/cleanup.h"
#include "tests/unit/dynamic_file.h"

static struct dynamic_file file;
static struct found_interpreter found;

static void begin(void)
{
	dynamic_file_init(&file);
	found = (struct found_interpreter){0};
}

static void find(void)
{
	_cleanup_close_ int fd = dynamic_file_open(&file);
	struct dynamic_symbols symbols;

	ck_assert_int_eq(dynamic_symbols_init(&symbols, fd), 0);
	other_runtime_find(&symbols, &found);
	registered_code_find(&symbols, &found);
	dynamic_symbols_deinit(&symbols);
	found_interpreter_check(&found);
}

START_TEST(by_symbol)
{
	dynamic_file_add(&file, "mono_jit_init", 0, 8);
	find();
	ck_assert_str_eq(found.name, "Mono");
	ck_assert_str_eq(other_runtime_key(found.language), "net");
	ck_assert_uint_eq(found.interpreter.language, LANGUAGE_NONE);
}
END_TEST

START_TEST(by_newest_symbol)
{
	dynamic_file_add(&file, "lua_rawsetp", 0, 8);
	dynamic_file_add(&file, "lua_rotate", 8, 8);
	find();
	ck_assert_str_eq(found.name, "Lua 5.3");
	begin();
	dynamic_file_add(&file, "lua_objlen", 0, 8);
	dynamic_file_add(&file, "luaJIT_setmode", 8, 8);
	find();
	ck_assert_str_eq(found.name, "LuaJIT");
	ck_assert_str_eq(other_runtime_key(found.language), "lua");
}
END_TEST

START_TEST(no_runtime)
{
	dynamic_file_add(&file, "main", 0, 8);
	find();
	ck_assert_uint_eq(found.language, LANGUAGE_NONE);
	/* An interpreter that has been found stays. */
	dynamic_file_add(&file, "lua_rotate", 8, 8);
	found.language = LANGUAGE_PHP;
	find();
	ck_assert_uint_eq(found.language, LANGUAGE_PHP);
	ck_assert_str_eq(other_runtime_key(LANGUAGE_PHP), "");
	ck_assert_str_eq(other_runtime_key(NR_LANGUAGES + 100), "");
	/* The recorder believes no number. */
	found.language = NR_LANGUAGES + 100;
	found_interpreter_check(&found);
	ck_assert_uint_eq(found.language, LANGUAGE_NONE);
}
END_TEST

START_TEST(of_registered_code)
{
	dynamic_file_add(&file, "__jit_debug_descriptor", 16, 24);
	find();
	ck_assert_uint_eq(found.descriptor, DYNAMIC_FILE_AT(data) + 16 - DYNAMIC_FILE_ADDR);
	ck_assert_uint_eq(found.language, LANGUAGE_NONE);
}
END_TEST

SUITE_MAIN_WITH("other_runtimes", begin, NULL, by_symbol, by_newest_symbol, no_runtime,
		of_registered_code)
