// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that make code, and have no functions of a language of their own. */
#include "record/languages/files/code_maker_symbols.h"

#include "record/languages/files/host_code.h"
#include "record/languages/interpreter_search.h"
#include "tests/unit/dynamic_file.h"

START_TEST(programs_that_make_code)
{
	static const struct {
		const char *symbol;
		bool has_traces, has_regex;
	} cases[] = {
		{"luaJIT_profile_dumpstack", true, false}, {"pcre2_jit_match_8", false, true},
		{"pcre2_jit_match_16", false, true},       {"pcre2_jit_match_32", false, true},
		{"pcre2_match_8", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct dynamic_file file;
		struct found_interpreter found;
		int fd;

		dynamic_file_init(&file);
		dynamic_file_add(&file, cases[i].symbol, 0, 8);
		fd = dynamic_file_open(&file);
		interpreter_search(fd, &found);
		close(fd);
		ck_assert_uint_eq(found.interpreter.has_traces,
				  cases[i].has_traces && host_knows_made_code);
		ck_assert_uint_eq(found.has_regex, cases[i].has_regex && host_knows_made_code);
		ck_assert_uint_eq(found.language, LANGUAGE_NONE);
	}
}
END_TEST

START_TEST(the_code_of_guile)
{
	static struct dynamic_file file;
	struct found_interpreter found;
	int fd;

	dynamic_file_init(&file);
	dynamic_file_add(&file, "scm_boot_guile", 0, 8);
	fd = dynamic_file_open(&file);
	interpreter_search(fd, &found);
	close(fd);
	ck_assert_str_eq(found.name, "Guile");
	ck_assert_uint_eq(found.interpreter.language, LANGUAGE_NONE);
	ck_assert_uint_eq(found.interpreter.guile_bytes != 0, host_knows_made_code);
	ck_assert_uint_eq(found.interpreter.has_traces, 0);
}
END_TEST

START_TEST(versions_that_were_judged)
{
	struct interpreter_version version;

	ck_assert_int_eq(lua_version(0, &version), host_knows_made_code);
	ck_assert(!lua_version(1, &version));
	ck_assert_int_eq(guile_version(0, &version), host_knows_made_code);
	ck_assert(!guile_version(1, &version));
	ck_assert_int_eq(python_stub_version(1, &version), host_knows_made_code);
	ck_assert(!python_stub_version(2, &version));
}
END_TEST

SUITE_MAIN("code_maker_symbols", programs_that_make_code, the_code_of_guile,
	   versions_that_were_judged)
