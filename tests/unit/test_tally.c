// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/tally.h"
#include "tests/unit/suite.h"

static void expect_name(const char *text, const char *name)
{
	size_t len = tally_name_length(text, strlen(text));

	ck_assert_msg(len == strlen(name) && !memcmp(text, name, len), "'%s': '%.*s'", text,
		      (int)len, text);
}

/* Parts and copies of a function count as the function. */
START_TEST(parts_and_copies)
{
	expect_name("work", "work");
	expect_name("work.cold", "work");
	expect_name("work.part.0", "work");
	expect_name("work.constprop.0.isra.1", "work");
	expect_name("work.llvm.1234567890", "work");
	expect_name("zip::pack(int) [clone .isra.0]", "zip::pack(int)");
	expect_name("zip::pack(int) [clone .part.0] [clone .cold]", "zip::pack(int)");
}
END_TEST

/* Other names with dots and brackets are whole. */
START_TEST(whole_names)
{
	expect_name("runtime.mcall", "runtime.mcall");
	expect_name("main.(*T).part", "main.(*T).part");
	expect_name("[libc.so.6+0x271d0]", "[libc.so.6+0x271d0]");
	expect_name("[unknown]", "[unknown]");
	expect_name(".cold", ".cold");
	expect_name(" [clone .cold]", " [clone .cold]");
	expect_name("f [clone .cold] [libz.so]", "f");
}
END_TEST

/* Those of later recordings. */
START_TEST(keys_that_a_recording_does_not_know)
{
	uint64_t counts[] = {1, 2};
	const struct tally_slices slices = {.nr = 2, .nr_keys = 1, .counts = counts};

	ck_assert_uint_eq(tally_slices_count(&slices, 0, 1), 2);
	ck_assert_uint_eq(tally_slices_count(&slices, 1, 0), 0);
}
END_TEST

SUITE_MAIN("tally", parts_and_copies, whole_names, keys_that_a_recording_does_not_know)
