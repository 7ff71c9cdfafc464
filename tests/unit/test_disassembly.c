// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/annotate/disassembly.h"
#include "tests/unit/suite.h"

static void parse(struct disassembly *d, const char *text)
{
	*d = (struct disassembly){0};
	ck_assert_int_eq(vec_append(&d->bytes, text, strlen(text)), 0);
	ck_assert_int_eq(disassembly_parse(d), 0);
}

static const char *text_of(const struct disassembly *d, size_t i)
{
	static char text[100];

	snprintf(text, sizeof(text), "%.*s", (int)d->instructions.data[i].len,
		 d->bytes.data + d->instructions.data[i].text);
	return text;
}

START_TEST(lines)
{
	struct disassembly d;

	parse(&d, "\n/proc/self/fd/3:     file format elf64-x86-64\n\n\n"
		  "Disassembly of section .text:\n\n"
		  "0000000000401126 <f>:\n"
		  "  401126:\tpush   %rbp\n"
		  "  401127:\tmov    %rsp,%rbp   \n"
		  "ffffffff81000000:\tret\n"
		  "\t...\n"
		  "  12345678901234567:\tfar away\n"
		  "  40112a:\tback\n"
		  "  beef\n");
	ck_assert_uint_eq(d.instructions.nr, 3);
	ck_assert_uint_eq(d.instructions.data[1].addr, 0x401127);
	ck_assert_str_eq(text_of(&d, 0), "push   %rbp");
	ck_assert_str_eq(text_of(&d, 1), "mov    %rsp,%rbp");
	ck_assert_str_eq(text_of(&d, 2), "ret");
	ck_assert_uint_eq(disassembly_at(&d, 0x401125), 3);
	ck_assert_uint_eq(disassembly_at(&d, 0x401126), 0);
	ck_assert_uint_eq(disassembly_at(&d, 0x401129), 1);
	ck_assert_uint_eq(disassembly_at(&d, UINT64_MAX), 2);
	disassembly_free(&d);
}
END_TEST

START_TEST(ends)
{
	struct disassembly d;

	parse(&d, "");
	ck_assert_uint_eq(d.instructions.nr, 0);
	disassembly_free(&d);
	parse(&d, "1:\tret");
	ck_assert_str_eq(text_of(&d, 0), "ret");
	disassembly_free(&d);
	parse(&d, "1:\t");
	ck_assert_uint_eq(d.instructions.data[0].len, 0);
	disassembly_free(&d);
	parse(&d, "1:");
	ck_assert_uint_eq(d.instructions.nr, 0);
	disassembly_free(&d);
}
END_TEST

SUITE_MAIN("disassembly", lines, ends)
