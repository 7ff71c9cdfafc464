// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/thread_variable.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define ADDR    0x3ca570
#define RUNTIME 0x8c74c0

static int parse(const void *bytes, size_t len, struct thread_variable *found)
{
	uint8_t code[THREAD_VARIABLE_BYTES];

	memset(code, 0xcc, sizeof(code));
	memcpy(code, bytes, len);
	return thread_variable_parse(code, ADDR, RUNTIME, found);
}
#define PARSE(bytes, found) parse(bytes, sizeof(bytes) - 1, found)

START_TEST(executable)
{
	struct thread_variable found = {0};

	/* python3.15 of Debian: endbr64; mov %fs:-0x28,%rax; ret */
	ck_assert_int_eq(PARSE("\xf3\x0f\x1e\xfa\x64\x48\x8b\x04\x25\xd8\xff\xff\xff\xc3", &found),
			 0);
	ck_assert(!found.is_in_block);
	ck_assert_int_eq(found.variable, -0x28);
}
END_TEST

START_TEST(library)
{
	struct thread_variable found = {0};

	/* libpython3.15.so of Debian: lea 0x4a5231(%rip),%rdi from address 0x3ca57f on; call; pop;
	 * mov 0x28(%rax),%rax */
	ck_assert_int_eq(PARSE("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x48\x8d\x3d\x31\x52\x4a\x00\xe8"
			       "\x0c\xe9\xcf\xff\x5d\x48\x8b\x80\x28\x00\x00\x00\xc3",
			       &found),
			 0);
	ck_assert(found.is_in_block);
	ck_assert_int_eq(found.key, 0x86f7b0 - RUNTIME);
	ck_assert_int_eq(found.variable, 0x28);
}
END_TEST

START_TEST(library_general_model)
{
	struct thread_variable found = {0};

	/* push %rax; data16 lea 16(%rip),%rdi; data16 data16 rex.W call; mov -8(%rax),%rax */
	ck_assert_int_eq(PARSE("\x50\x66\x48\x8d\x3d\x10\x00\x00\x00\x66\x66\x48\xe8\x01\x02\x03"
			       "\x04\x48\x8b\x40\xf8",
			       &found),
			 0);
	ck_assert_int_eq(found.key, ADDR + 9 + 16 - RUNTIME);
	ck_assert_int_eq(found.variable, -8);
	/* mov (%rax),%rax */
	ck_assert_int_eq(PARSE("\x66\x48\x8d\x3d\x10\x00\x00\x00\x66\x66\x48\xe8\x01\x02\x03\x04"
			       "\x48\x8b\x00",
			       &found),
			 0);
	ck_assert_int_eq(found.variable, 0);
}
END_TEST

START_TEST(library_of_ruby)
{
	struct thread_variable found = {0};

	/* libruby-3.3.so of Debian: endbr64; sub $8,%rsp; data16 lea 0x225010(%rip),%rdi; data16
	 * data16 rex.W call; mov (%rax),%rax */
	ck_assert_int_eq(PARSE("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x66\x48\x8d\x3d\x10\x50\x22\x00"
			       "\x66\x66\x48\xe8\x38\x9c\xe0\xff\x48\x8b\x00\x48\x8b\x40\x30",
			       &found),
			 0);
	ck_assert(found.is_in_block);
	ck_assert_int_eq(found.key, ADDR + 16 + 0x225010 - RUNTIME);
	ck_assert_int_eq(found.variable, 0);
}
END_TEST

START_TEST(other_forms_are_refused)
{
	struct thread_variable found = {.is_in_block = true, .key = 78, .variable = 79};

	/* 3.14: mov KEY(%rip),%edi; jmp pthread_getspecific */
	ck_assert_int_eq(PARSE("\x8b\x3d\x10\x00\x00\x00\xe9\x00\x00\x00\x00", &found), -ENOENT);
	/* a call that is followed by a compare */
	ck_assert_int_eq(
		PARSE("\x48\x8d\x3d\x31\x52\x4a\x00\xe8\x0c\xe9\xcf\xff\x48\x39\xc0", &found),
		-ENOENT);
	/* no call */
	ck_assert_int_eq(
		PARSE("\x48\x8d\x3d\x31\x52\x4a\x00\x90\x90\x90\x90\x90\x48\x8b\x00", &found),
		-ENOENT);
	ck_assert_int_eq(PARSE("", &found), -ENOENT);
	ck_assert(found.is_in_block);
	ck_assert_int_eq(found.key, 78);
	ck_assert_int_eq(found.variable, 79);
}
END_TEST

START_TEST(far_blocks_are_refused)
{
	struct thread_variable found = {0};
	uint8_t code[THREAD_VARIABLE_BYTES] = "\x48\x8d\x3d\x31\x52\x4a\x00\xe8\x0c\xe9\xcf\xff\x48"
					      "\x8b\x00";

	ck_assert_int_eq(thread_variable_parse(code, 1ULL << 40, RUNTIME, &found), -ENOENT);
	ck_assert_int_eq(thread_variable_parse(code, ADDR, RUNTIME, &found), 0);
}
END_TEST

/* Code that ends in the middle of an instruction is not read beyond its end. */
START_TEST(every_end)
{
	static const uint8_t body[] = {0x48, 0x8d, 0x3d, 0x31, 0x52, 0x4a, 0x00, 0xe8, 0x0c, 0xe9,
				       0xcf, 0xff, 0x5d, 0x48, 0x8b, 0x80, 0x28, 0x00, 0x00, 0x00};

	for (size_t len = 0; len < sizeof(body); len++) {
		uint8_t *code = malloc(THREAD_VARIABLE_BYTES); /* for sanitizers */
		struct thread_variable found = {0};

		memset(code, 0xcc, THREAD_VARIABLE_BYTES);
		memcpy(code + THREAD_VARIABLE_BYTES - len, body, len);
		ck_assert_int_eq(thread_variable_parse(code, ADDR, RUNTIME, &found), -ENOENT);
		free(code);
	}
}
END_TEST

SUITE_MAIN("thread_variable", executable, library, library_general_model, library_of_ruby,
	   other_forms_are_refused, far_blocks_are_refused, every_end)
