// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/python_thread.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define ADDR    0x3ca570
#define RUNTIME 0x8c74c0

static int parse(const void *bytes, size_t len, struct python_layout *layout)
{
	uint8_t code[PYTHON_THREAD_BYTES];

	memset(code, 0xcc, sizeof(code));
	memcpy(code, bytes, len);
	return python_thread_parse(code, ADDR, RUNTIME, layout);
}
#define PARSE(bytes, layout) parse(bytes, sizeof(bytes) - 1, layout)

START_TEST(executable)
{
	struct python_layout layout = {0};

	/* python3.15 of Debian: endbr64; mov %fs:-0x28,%rax; ret */
	ck_assert_int_eq(PARSE("\xf3\x0f\x1e\xfa\x64\x48\x8b\x04\x25\xd8\xff\xff\xff\xc3", &layout),
			 0);
	ck_assert_uint_eq(layout.thread, PYTHON_THREAD_VARIABLE);
	ck_assert_int_eq(layout.variable, -0x28);
}
END_TEST

START_TEST(library)
{
	struct python_layout layout = {0};

	/* libpython3.15.so of Debian: lea 0x4a5231(%rip),%rdi from address 0x3ca57f on; call; pop;
	 * mov 0x28(%rax),%rax */
	ck_assert_int_eq(PARSE("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x48\x8d\x3d\x31\x52\x4a\x00\xe8"
			       "\x0c\xe9\xcf\xff\x5d\x48\x8b\x80\x28\x00\x00\x00\xc3",
			       &layout),
			 0);
	ck_assert_uint_eq(layout.thread, PYTHON_THREAD_BLOCK);
	ck_assert_int_eq(layout.key, 0x86f7b0 - RUNTIME);
	ck_assert_int_eq(layout.variable, 0x28);
}
END_TEST

START_TEST(library_general_model)
{
	struct python_layout layout = {0};

	/* push %rax; data16 lea 16(%rip),%rdi; data16 data16 rex.W call; mov -8(%rax),%rax */
	ck_assert_int_eq(PARSE("\x50\x66\x48\x8d\x3d\x10\x00\x00\x00\x66\x66\x48\xe8\x01\x02\x03"
			       "\x04\x48\x8b\x40\xf8",
			       &layout),
			 0);
	ck_assert_int_eq(layout.key, ADDR + 9 + 16 - RUNTIME);
	ck_assert_int_eq(layout.variable, -8);
	/* mov (%rax),%rax */
	ck_assert_int_eq(PARSE("\x66\x48\x8d\x3d\x10\x00\x00\x00\x66\x66\x48\xe8\x01\x02\x03\x04"
			       "\x48\x8b\x00",
			       &layout),
			 0);
	ck_assert_int_eq(layout.variable, 0);
}
END_TEST

START_TEST(other_forms_are_refused)
{
	struct python_layout layout = {.thread = 77, .key = 78, .variable = 79};

	/* 3.14: mov KEY(%rip),%edi; jmp pthread_getspecific */
	ck_assert_int_eq(PARSE("\x8b\x3d\x10\x00\x00\x00\xe9\x00\x00\x00\x00", &layout), -ENOENT);
	/* a call that is followed by a compare */
	ck_assert_int_eq(
		PARSE("\x48\x8d\x3d\x31\x52\x4a\x00\xe8\x0c\xe9\xcf\xff\x48\x39\xc0", &layout),
		-ENOENT);
	/* no call */
	ck_assert_int_eq(
		PARSE("\x48\x8d\x3d\x31\x52\x4a\x00\x90\x90\x90\x90\x90\x48\x8b\x00", &layout),
		-ENOENT);
	ck_assert_int_eq(PARSE("", &layout), -ENOENT);
	ck_assert_uint_eq(layout.thread, 77);
	ck_assert_int_eq(layout.key, 78);
	ck_assert_int_eq(layout.variable, 79);
}
END_TEST

START_TEST(far_blocks_are_refused)
{
	struct python_layout layout = {0};
	uint8_t code[PYTHON_THREAD_BYTES] = "\x48\x8d\x3d\x31\x52\x4a\x00\xe8\x0c\xe9\xcf\xff\x48"
					    "\x8b\x00";

	ck_assert_int_eq(python_thread_parse(code, 1ULL << 40, RUNTIME, &layout), -ENOENT);
	ck_assert_int_eq(python_thread_parse(code, ADDR, RUNTIME, &layout), 0);
}
END_TEST

/* Code that ends in the middle of an instruction is not read beyond its end. */
START_TEST(every_end)
{
	static const uint8_t body[] = {0x48, 0x8d, 0x3d, 0x31, 0x52, 0x4a, 0x00, 0xe8, 0x0c, 0xe9,
				       0xcf, 0xff, 0x5d, 0x48, 0x8b, 0x80, 0x28, 0x00, 0x00, 0x00};

	for (size_t len = 0; len < sizeof(body); len++) {
		uint8_t *code = malloc(PYTHON_THREAD_BYTES); /* for sanitizers */
		struct python_layout layout = {0};

		memset(code, 0xcc, PYTHON_THREAD_BYTES);
		memcpy(code + PYTHON_THREAD_BYTES - len, body, len);
		ck_assert_int_eq(python_thread_parse(code, ADDR, RUNTIME, &layout), -ENOENT);
		free(code);
	}
}
END_TEST

SUITE_MAIN("python_thread", executable, library, library_general_model, other_forms_are_refused,
	   far_blocks_are_refused, every_end)
