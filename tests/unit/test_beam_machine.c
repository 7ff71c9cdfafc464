// SPDX-License-Identifier: GPL-2.0-or-later
/* Machines and functions of Erlang: beam_machine.c, in memory that the test makes as BEAM 25, 27
 * and 29 have it. */
#include "record/machines/beam_machine.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define BASE  UINT64_C(0x7f0000100000)
#define BYTES 0x8000

/* Where things are in the memory: variables, */
#define EXIT   0x00
#define LAYOUT 0x08
#define KEY    0x10
#define ACTIVE 0x18
#define SUM    0x20 /* the lists follow */
#define LISTS  0x28
#define ATOMS  0x100
/* tables, */
#define RANGES   0x400
#define SEGMENTS 0x500
#define SEGMENT  0x600
#define ENTRIES  0x800
/* and code. */
#define SHARED  0x1000
#define MAIN    0x24e0
#define NORMAL  0x2c00
#define MODULES 0x3000 /* each with its functions */
#define MODULE  0x1000

#define CALLS 0x200 /* the code of a module's functions, from its beginning */
#define INFO  0x40  /* bytes of a function */

static uint8_t memory[BYTES];

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t off = addr - BASE;

	(void)ctx;
	if (off >= BYTES)
		return -EFAULT;
	if (len > BYTES - off)
		len = BYTES - off;
	memcpy(buf, memory + off, len);
	return len;
}

static const struct machine_memory made_memory = {.read = read_memory};
static struct interpreter in = {
	.language = LANGUAGE_BEAM,
	.beam = {.normal_exit = EXIT,
		 .frame_layout = LAYOUT,
		 .key = KEY,
		 .ranges = SUM,
		 .active_code = ACTIVE,
		 .atoms = ATOMS},
};
static struct beam_machine machine;
static struct beam_tables tables;

static void put(uint64_t off, uint64_t value, size_t len)
{
	memcpy(memory + off, &value, len);
}

static uint64_t atom(uint64_t nr)
{
	return nr << 6 | 0x0b;
}

/* Release 29 has the text in a string of bits. */
static void put_atom(uint64_t nr, const char *text)
{
	uint64_t entry = ENTRIES + 0x40 * nr, bits = entry + 0x600;

	if (in.version == 29) {
		put(SEGMENT + 8 * nr, BASE + entry, 8);
		put(entry + 24, strlen(text), 2);
		put(entry + 32, (BASE + bits) | 2, 8);
		put(bits, 0xa0, 8);
		put(bits + 8, 8 * strlen(text), 8);
		memcpy(memory + bits + 16, text, strlen(text));
		return;
	}

	put(SEGMENT + 8 * nr, BASE + entry, 8);
	put(entry + 24, strlen(text), 2);
	put(entry + 32, BASE + bits, 8);
	memcpy(memory + bits, text, strlen(text));
}

/* The modules "one" and "two" have the functions start/0, loop/1 and loop/2. */
static void put_module(uint64_t nr, uint64_t functions)
{
	uint64_t at = MODULES + MODULE * nr;

	put(RANGES + 16 * nr, BASE + at, 8);
	put(RANGES + 16 * nr + 8, BASE + at + 0x400, 8);
	put(at, 3, 4);
	for (uint64_t i = 0; i < 4; i++)
		put(at + functions + 8 * i, BASE + at + CALLS + INFO * i, 8);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t info = at + CALLS + INFO * i;

		put(info + 16, atom(nr), 8);
		put(info + 24, atom(i ? 3 : 2), 8);
		put(info + 32, i, 4);
	}
}

/* A module of release @version has the list of its functions at @functions. */
static void begin_release(uint32_t version, uint64_t functions)
{
	in.version = version;
	for (size_t i = 0; i < BYTES; i++)
		memory[i] = i >= SHARED ? i * 7 : 0;
	put(EXIT, BASE + NORMAL, 8);
	put(LAYOUT, 0, 4);
	put(KEY, 4, 4);
	put(ACTIVE, 1, 4);
	put(LISTS + 32, BASE + RANGES, 8);
	put(LISTS + 40, 2, 8);
	put(ATOMS + 120, BASE + SEGMENTS, 8);
	put(SEGMENTS, BASE + SEGMENT, 8);
	put_atom(0, "one");
	put_atom(1, "two");
	put_atom(2, "start");
	put_atom(3, "loop");
	put_module(0, functions);
	put_module(1, functions);
	memcpy(memory + MAIN, "\x48\x81\xec\x10\x41\x00\x00\x48\x83\xe4\xc0", 11);
	memcpy(memory + MAIN + 0x100, "\x49\x8b\x65\x58", 4);
	memcpy(memory + MAIN + 0x120, "\xff\xe0", 2);
	ck_assert_int_eq(beam_machine_read(&made_memory, &in, BASE, &machine, &tables), 0);
}

/* As begin_release, without symbols, and with the code that tells of them. */
static void begin_bare_release(void)
{
	begin_release(25, 152);
	in.version = 29;
	for (size_t i = ENTRIES; i < SHARED; i++)
		memory[i] = 0;
	put_atom(0, "one");
	put_atom(1, "two");
	put_atom(2, "start");
	put_atom(3, "loop");
	put_atom(4, "erts_beamasm");
	put_atom(5, "normal_exit");
	put(EXIT, 0, 8);
	put(LAYOUT, 1, 4);
	put(NORMAL - 24, atom(4), 8);
	put(NORMAL - 16, atom(5), 8);
	put(NORMAL - 8, 0, 8);
	memcpy(memory + MAIN + 11, "\x48\x89\x27\x48\x8d\x5c\x24\x40", 8);
	memcpy(memory + MAIN + 0x80, "\x48\xbf", 2);
	put(MAIN + 0x82, BASE + ACTIVE, 8);
	memcpy(memory + MAIN + 0x8a, "\xbe\x03\0\0\0\x44\x8b\x27", 8);
	ck_assert_int_eq(beam_machine_read(&made_memory, &in, BASE, &machine, &tables), 0);
}

static void begin(void)
{
	begin_release(25, 96);
}

static int read_again(void)
{
	return beam_machine_read(&made_memory, &in, BASE, &machine, &tables);
}

/* The word of the code at @off. */
static uint64_t word_at(uint64_t off)
{
	__u64 code[2];

	memcpy(code, memory + off, sizeof(code));
	return beam_word_of(BASE + off, code);
}

static int read_function(uint64_t off, struct machine_function *function)
{
	return beam_function_read(&made_memory, &tables, word_at(off), function);
}

#define ck_text(text, expected)                                                                    \
	do {                                                                                       \
		ck_assert_uint_eq((text).nr_bytes, strlen(expected));                              \
		ck_assert_mem_eq((text).bytes, expected, strlen(expected));                        \
	} while (0)

START_TEST(a_machine_is_described)
{
	ck_assert_uint_eq(machine.normal_exit, BASE + NORMAL);
	ck_assert_uint_eq(machine.key, 4);
	ck_assert_uint_eq(machine.registers_base, 0x80);
	ck_assert_uint_eq(machine.main, BASE + MAIN);
	ck_assert_uint_eq(machine.main_end, BASE + MAIN + 0x120);
	ck_assert_uint_le(machine.shared, BASE + SHARED);
	ck_assert_uint_eq(machine.shared_end, BASE + MODULES);
	/* A module before it bounds the shared code. */
	put(RANGES, BASE + SHARED, 8);
	put(RANGES + 8, BASE + SHARED + 0x400, 8);
	ck_assert_int_eq(read_again(), 0);
	ck_assert_uint_eq(machine.shared, BASE + SHARED + 0x400);
	ck_assert_uint_eq(machine.shared_end, BASE + MODULES + MODULE);
	ck_assert(!machine.has_frame_pointers);
	put(LAYOUT, 1, 4);
	ck_assert_int_eq(read_again(), 0);
	ck_assert(machine.has_frame_pointers);
	/* There is no module after it. */
	put(LISTS + 40, 1, 8);
	ck_assert_int_eq(read_again(), -ENOTSUP);
}
END_TEST

START_TEST(other_machines_are_left_alone)
{
	put(EXIT, 0, 8);
	ck_assert_int_eq(read_again(), -EAGAIN);
	put(EXIT, BASE + NORMAL, 8);
	put(LISTS + 40, 0, 8);
	ck_assert_int_eq(read_again(), -EAGAIN);
	put(LISTS + 40, 2, 8);
	memory[MAIN + 0x103] = 0x60; /* the stack is elsewhere */
	ck_assert_int_eq(read_again(), -ENOTSUP);
	put(EXIT, BASE + BYTES + 0x1800, 8);
	ck_assert_int_ne(read_again(), 0);
	in.version = 24;
	ck_assert_int_eq(read_again(), -ENOTSUP);
}
END_TEST

START_TEST(functions_have_names)
{
	struct machine_function f;

	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), 0);
	ck_text(f.class, "one");
	ck_text(f.name, "start/0");
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x38, &f), 0);
	ck_text(f.class, "two");
	ck_text(f.name, "loop/2");
	/* A call at the end returns to the next function. */
	ck_assert_int_eq(read_function(MODULES + CALLS + INFO, &f), 0);
	ck_text(f.name, "start/0");
	ck_assert_int_eq(read_function(MODULES + CALLS + 3 * INFO, &f), 0);
	ck_text(f.name, "loop/2");
}
END_TEST

/* An address is that after a call, so the first byte of a function is not yet one of it. */
START_TEST(borders_of_functions)
{
	struct machine_function f;

	ck_assert_int_eq(read_function(MODULES + CALLS, &f), -ENOENT);
	ck_assert_int_eq(read_function(MODULES + CALLS + 1, &f), 0);
	ck_text(f.name, "start/0");
	ck_assert_int_eq(read_function(MODULES + CALLS + INFO + 1, &f), 0);
	ck_text(f.name, "loop/1");
	/* The second module begins with its first function. */
	put(MODULES + MODULE + 96, BASE + MODULES + MODULE, 8);
	put(MODULES + MODULE + 16, atom(1), 8);
	put(MODULES + MODULE + 24, atom(2), 8);
	put(MODULES + MODULE + 32, 7, 4);
	ck_assert_int_eq(read_function(MODULES + MODULE, &f), -ENOENT);
	ck_assert_int_eq(read_function(MODULES + MODULE + 1, &f), 0);
	ck_text(f.class, "two");
	ck_text(f.name, "start/7");
}
END_TEST

/* Whichever module has the code, the search ends with it. */
START_TEST(many_modules)
{
	static const char *const names[] = {"one", "two", "start", "loop", "five"};
	struct machine_function f;

	put_atom(4, "five");
	for (uint64_t nr = 2; nr < ARRAY_SIZE(names); nr++)
		put_module(nr, 96);
	for (uint64_t nr = 1; nr <= ARRAY_SIZE(names); nr++) {
		put(LISTS + 40, nr, 8);
		for (uint64_t i = 0; i < nr; i++) {
			ck_assert_int_eq(read_function(MODULES + MODULE * i + CALLS + 9, &f), 0);
			ck_text(f.class, names[i]);
			ck_text(f.name, "start/0");
		}
	}
}
END_TEST

/* Module @nr has a table of lines: its functions are in line 11, nowhere and in line 13. */
static void put_lines(uint64_t nr)
{
	uint64_t at = MODULES + MODULE * nr, table = at + 0x300;

	put(at + 72, BASE + table, 8);
	put(table + 8, 2, 4);
	put(table + 16, BASE + table + 0x60, 8);
	for (uint64_t i = 0; i < 4; i++) {
		put(table + 24 + 8 * i, BASE + table + 56 + 8 * i, 8);
		put(table + 56 + 8 * i, BASE + at + CALLS + INFO * i, 8);
		put(table + 0x60 + 2 * i, i == 1 ? 0 : 11 + i, 2);
	}
}

START_TEST(functions_have_lines)
{
	struct machine_function f;

	put(MODULES + 72, 0, 8);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), 0);
	ck_assert_uint_eq(f.line, 0);
	put_lines(1);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 0x30, &f), 0);
	ck_assert_uint_eq(f.line, 11);
	ck_text(f.file, "two.erl");
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + INFO + 0x30, &f), 0);
	ck_text(f.name, "loop/1");
	ck_assert_uint_eq(f.line, 0);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x30, &f), 0);
	ck_text(f.name, "loop/2");
	ck_assert_uint_eq(f.line, 13);
	/* Nobody has judged where a release has them. */
	tables.lines = 0;
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 0x30, &f), 0);
	ck_assert_uint_eq(f.line, 0);
}
END_TEST

START_TEST(releases_differ)
{
	struct machine_function f;

	begin_release(27, 136);
	ck_assert_uint_eq(machine.registers_base, 0x40);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x38, &f), 0);
	ck_text(f.class, "two");
	ck_text(f.name, "loop/2");
	put_lines(1);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x38, &f), 0);
	ck_assert_uint_eq(f.line, 13);
}
END_TEST

START_TEST(a_machine_without_symbols_is_found)
{
	struct machine_function f;

	begin_bare_release();
	ck_assert_uint_eq(machine.normal_exit, BASE + NORMAL);
	ck_assert_uint_eq(machine.registers_base, 0x40);
	ck_assert_uint_eq(machine.main, BASE + MAIN);
	ck_assert_uint_eq(machine.main_end, BASE + MAIN + 0x120);
	ck_assert_uint_eq(machine.shared_end, BASE + MODULES);
	ck_assert_uint_eq(tables.active_code, BASE + ACTIVE);
	ck_assert(!machine.has_frame_pointers);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x38, &f), 0);
	ck_text(f.class, "two");
	ck_text(f.name, "loop/2");
	put_lines(1);
	ck_assert_int_eq(read_function(MODULES + MODULE + CALLS + 2 * INFO + 0x38, &f), 0);
	ck_assert_uint_eq(f.line, 13);
	memcpy(memory + MAIN + 0xf0, "\x49\x8b\x6d\x60", 4);
	ck_assert_int_eq(read_again(), 0);
	ck_assert(machine.has_frame_pointers);
	/* Another list has other modules, and the number of the one in force is read each time. */
	put(LISTS, 8, 8);
	put(LISTS + 8, 2, 8);
	ck_assert_int_eq(read_again(), 0);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), 0);
	put(ACTIVE, 2, 4);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), -ENOENT);
	/* The code is before a later module. */
	put(RANGES, BASE + SHARED, 8);
	put(RANGES + 8, BASE + SHARED + 0x400, 8);
	put(RANGES + 16, BASE + MODULES, 8);
	ck_assert_int_eq(read_again(), 0);
	ck_assert_uint_eq(machine.shared, BASE + SHARED + 0x400);
	ck_assert_uint_eq(machine.shared_end, BASE + MODULES);
	put(LISTS + 40, 0, 8);
	put(LISTS + 8, 0, 8);
	ck_assert_int_eq(read_again(), -EAGAIN);
}
END_TEST

/* Changes @len bytes at @off to @value, reads the machine, and changes them back. */
static int read_changed(uint64_t off, uint64_t value, size_t len)
{
	uint64_t had = 0;
	int ret;

	memcpy(&had, memory + off, len);
	put(off, value, len);
	ret = read_again();
	put(off, had, len);
	return ret;
}

/* The loop has 1 KiB at most, from its first instruction up to the jump. */
START_TEST(loops_that_are_long)
{
	for (uint64_t bytes = 0x3ff; bytes <= 0x401; bytes++) {
		begin_bare_release();
		memory[MAIN + 0x120] = 0;
		memcpy(memory + MAIN + bytes, "\xff\xe0", 2);
		ck_assert_int_eq(read_again(), bytes <= 0x400 ? 0 : -EFAULT);
		ck_assert_uint_eq(machine.main_end, BASE + MAIN + bytes);
	}
}
END_TEST

/* The first module after the code to which processes return is near it, and none holds it. */
START_TEST(borders_of_shared_code)
{
	static const struct {
		uint64_t before, end, after; /* modules; 0: none */
		int ret;
	} cases[] = {
		{0, 0, NORMAL + 0x2000, 0},
		{0, 0, NORMAL + 0x2000 + 8, -ENOTSUP},
		{0, 0, NORMAL + 8, 0},
		{0, 0, NORMAL, -ENOTSUP},
		{SHARED, NORMAL, MODULES, 0},
		{SHARED, NORMAL + 8, MODULES, -ENOTSUP},
		{SHARED, SHARED + 8, NORMAL + 0x2000, 0},
		{SHARED, SHARED + 8, NORMAL + 0x2000 + 8, -ENOTSUP},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t nr = cases[i].before ? 1 : 0;

		put(RANGES, BASE + cases[i].before, 8);
		put(RANGES + 8, BASE + cases[i].end, 8);
		put(RANGES + 16 * nr, BASE + cases[i].after, 8);
		put(RANGES + 16 * nr + 8, BASE + cases[i].after + 0x100, 8);
		put(LISTS + 40, nr + 1, 8);
		ck_assert_msg(read_again() == cases[i].ret, "%zu", i);
		if (!cases[i].ret)
			ck_assert_uint_eq(machine.shared_end, BASE + cases[i].after);
	}
}
END_TEST

START_TEST(other_machines_without_symbols_are_left_alone)
{
	struct machine_function f;

	begin_bare_release();
	ck_assert_int_eq(read_changed(NORMAL - 8, 1, 8), -ENOTSUP);        /* another arity, */
	ck_assert_int_eq(read_changed(NORMAL - 16, atom(4), 8), -ENOTSUP); /* function */
	ck_assert_int_eq(read_changed(NORMAL - 24, atom(0), 8), -ENOTSUP); /* and module */
	ck_assert_int_eq(read_changed(MAIN + 18, 0x80, 1), -ENOTSUP);      /* other registers */
	ck_assert_int_eq(read_changed(MAIN + 0x8b, 4, 1), -ENOTSUP); /* another number of lists */
	ck_assert_int_eq(read_changed(MAIN + 0x80, 0x49, 1), -ENOTSUP); /* another register */
	ck_assert_int_eq(read_changed(MAIN + 0x81, 0xbe, 1), -ENOTSUP);
	ck_assert_int_eq(read_changed(MAIN + 0x103, 0x60, 1), -ENOTSUP); /* another stack */
	ck_assert_int_eq(read_changed(RANGES, BASE + MODULES + 4, 8), -ENOTSUP);
	ck_assert_int_eq(read_changed(LISTS + 32, 8, 8), -ENOTSUP);
	ck_assert_int_eq(read_again(), 0);
	/* Texts that are no strings of bits, or are longer than their atoms. */
	put(ENTRIES + 32, BASE + ENTRIES + 0x600, 8);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), -ENOENT);
	put_atom(0, "one");
	put(ENTRIES + 0x608, 32, 8);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), -ENOENT);
	put_atom(0, "one");
	put(ENTRIES + 0x600, 0x124, 8);
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), -ENOENT);
	put_atom(0, "one");
	ck_assert_int_eq(read_function(MODULES + CALLS + 0x30, &f), 0);
}
END_TEST

START_TEST(other_code_has_no_name)
{
	uint64_t word = word_at(MODULES + CALLS + 0x30);
	struct machine_function f;

	ck_assert_int_eq(read_function(MODULES + 0x10, &f), -ENOENT);
	ck_assert_int_eq(read_function(MODULES + CALLS + 3 * INFO + 1, &f), -ENOENT);
	ck_assert_int_eq(read_function(NORMAL, &f), -ENOENT);
	/* Other code came to the place. */
	memory[MODULES + CALLS + 0x31] ^= 0xff;
	ck_assert_int_eq(beam_function_read(&made_memory, &tables, word, &f), -ENOENT);
}
END_TEST

START_TEST(lies_have_no_name)
{
	const uint64_t place = MODULES + CALLS + 0x30;
	struct machine_function f;

	/* There are three lists. */
	put(LISTS + 96, BASE + RANGES, 8);
	put(LISTS + 104, 2, 8);
	put(ACTIVE, 3, 4);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(ACTIVE, 1, 4);
	/* At a number that may be, the memory does not have what belongs to it. */
	put(LISTS + 40, 1u << 16, 8);
	ck_assert_int_eq(read_function(place, &f), -EFAULT);
	put(LISTS + 40, (1u << 16) + 1, 8);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(LISTS + 40, 2, 8);
	put(MODULES, 1u << 16, 4);
	ck_assert_int_eq(read_function(place, &f), -EFAULT);
	put(MODULES, (1u << 16) + 1, 4);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(MODULES, 0, 4);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(MODULES, 3, 4);
	put(LISTS + 40, UINT64_MAX, 8);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(LISTS + 40, 2, 8);
	put(MODULES, UINT32_MAX, 4);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(MODULES, 3, 4);
	put(MODULES + CALLS + 24, 0x3b, 8); /* a number */
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(MODULES + CALLS + 24, UINT64_MAX << 6 | 0x0b, 8);
	ck_assert_int_eq(read_function(place, &f), -ENOENT);
	put(MODULES + CALLS + 24, atom(2), 8);
	put(ENTRIES + 0x80 + 32, 16, 8);
	ck_assert_int_eq(read_function(place, &f), -EFAULT);
	/* A long name is cut, and keeps its arity. */
	put(ENTRIES + 0x80 + 32, BASE + SHARED, 8);
	put(ENTRIES + 0x80 + 24, 0xffff, 2);
	ck_assert_int_eq(read_function(place, &f), 0);
	ck_assert_uint_eq(f.name.nr_bytes, NAME_BYTES);
	ck_assert_mem_eq(f.name.bytes + NAME_BYTES - 2, "/0", 2);
}
END_TEST

SUITE_MAIN_WITH("beam_machine", begin, NULL, a_machine_is_described, other_machines_are_left_alone,
		functions_have_names, borders_of_functions, many_modules, functions_have_lines,
		releases_differ, a_machine_without_symbols_is_found,
		other_machines_without_symbols_are_left_alone, loops_that_are_long,
		borders_of_shared_code, other_code_has_no_name, lies_have_no_name)
