// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of blocks of HotSpot's code that are no methods, in a heap that the test makes. */
#include "record/machines/java_stubs.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/java_heap.h"

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	/* Strings at the end of the heap are shorter than what is asked for. */
	while (len && unwind_read(NULL, buf, len, addr))
		len--;
	return len ? (long)len : -EFAULT;
}

static const struct machine_memory memory = {.read = read_memory};
static char *text;

/* Describes the heap of @m in text. */
static int describe(const struct java_machine *m)
{
	size_t nr;
	FILE *out;
	int ret;

	free(text);
	out = open_memstream(&text, &nr);
	ret = java_stubs_write(&memory, m, out);
	fclose(out);
	return ret;
}

static void begin_heap(void)
{
	memset(heap, 0, sizeof(heap));
	memset(segments, 0xff, sizeof(segments));
	make_block(CALLER, "nmethod", 32, 8);
	make_block(STUB, "StubRoutines (1)", 0, NEVER);
	make_block(INTERPRETER, "Interpreter", 0, NEVER);
}

START_TEST(blocks_have_names)
{
	begin_heap();
	ck_assert_int_eq(describe(&machine), 0);
	ck_assert_str_eq(text, "7001100 f00 StubRoutines (1)\n7003100 f00 Interpreter\n");
}
END_TEST

START_TEST(the_call_stub_has_a_name)
{
	struct java_machine m = machine;

	begin_heap();
	m.call_stub_return = code(STUB, 0x20);
	ck_assert_int_eq(describe(&m), 0);
	ck_assert_ptr_nonnull(strstr(text, "\n700111f 1 call_stub\n"));
}
END_TEST

/* A line stays one line, and code is within the heap. */
START_TEST(lies_are_left_out)
{
	const uint64_t elsewhere = 0x1000, end = HEAP + sizeof(heap) + 8;

	begin_heap();
	make_block(OLD, "a\nb", 0, NEVER);
	put(HEAP + INTERPRETER * BLOCK + HEADER + CODE_BEGIN, &elsewhere, 8);
	put(HEAP + STUB * BLOCK + HEADER + CODE_END, &end, 8);
	ck_assert_int_eq(describe(&machine), 0);
	ck_assert_str_eq(text, "7002100 f00 a\n");
	put(HEAP + OLD * BLOCK + HEADER + NAME, &elsewhere, 8);
	ck_assert_int_eq(describe(&machine), -ENOENT);
}
END_TEST

START_TEST(a_machine_without_a_heap_has_none)
{
	struct java_machine m = machine;

	begin_heap();
	m.interpreter_begin = 0;
	ck_assert_int_eq(describe(&m), -ENOENT);
}
END_TEST

SUITE_MAIN("java_stubs", blocks_have_names, the_call_stub_has_a_name, lies_are_left_out,
	   a_machine_without_a_heap_has_none)
