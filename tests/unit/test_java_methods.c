// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Methods of Java at a place in compiled code: java_scopes.c, java_methods.c, java_lines.c and
 * unsigned5.h, in memory that the test makes as HotSpot 8, 17 and 25 have it.
 */
#include "record/machines/java_methods.h"

#include <errno.h>

#include "record/machines/java_lines.h"
#include "record/machines/unsigned5.h"
#include "tests/unit/suite.h"

#define BASE  UINT64_C(0x7f0000100000)
#define BYTES 65536

/* Where things are in the memory. */
#define BLOCK   0x1000
#define CODE    0x1200
#define INFO    0x2000 /* PcDescs, */
#define SCOPES  0x2100 /* scopes, */
#define TABLE   0x2200 /* and Methods */
#define METHODS 0x3000 /* each with its parts */
#define PARTS   0x400  /* bytes of one */

#define COMPILE_ID 77
#define LEVEL      0x180 /* of the block */

static uint8_t memory[BYTES];
static uint64_t nr_reads;

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t off = addr - BASE;

	(void)ctx;
	nr_reads++;
	if (off >= BYTES)
		return -EFAULT;
	if (len > BYTES - off)
		len = BYTES - off;
	memcpy(buf, memory + off, len);
	return len;
}

static const struct machine_memory made_memory = {.read = read_memory};
static struct java_machine machine;
static struct java_layout layout;
static const struct java_code code = {&made_memory, &machine, &layout};
static uint32_t scopes_end; /* bytes of scopes that are there */

static void put(uint64_t off, uint64_t value, size_t len)
{
	memcpy(memory + off, &value, len);
}

/* As the compiler of HotSpot writes it. Returns the offset after it. */
static uint32_t put_number(uint32_t off, uint32_t value)
{
	uint32_t least = machine.version >= UNSIGNED5_WITHOUT_ZEROS, many = 192 - least;

	for (int i = 0; i < 4 && value >= many; i++) {
		value -= many;
		memory[off++] = many + least + value % 64;
		value /= 64;
	}
	memory[off++] = value + least;
	return off;
}

/* Adds a scope. Returns its offset. */
static uint32_t add_scope(uint32_t caller, uint32_t method, int32_t index)
{
	uint32_t begin = scopes_end, at = SCOPES + begin;

	at = put_number(at, caller);
	at = put_number(at, method);
	at = put_number(at, (uint32_t)(index + 1));
	scopes_end = at - SCOPES;
	return begin;
}

static void put_pc(int nr, int32_t off, uint32_t scope)
{
	put(INFO + 16 * nr, (uint32_t)off, 4);
	put(INFO + 16 * nr + 4, scope, 4);
}

static uint64_t method_at(uint32_t nr)
{
	return BASE + METHODS + (nr - 1) * PARTS;
}

static void put_symbol(uint64_t off, const char *text, uint16_t length)
{
	put(off + machine.symbol_length, length, 2);
	memcpy(memory + off + machine.symbol_text, text, strlen(text));
}

/* Method @nr of class "a/K", whose bytecode 0 is in line 10 * @nr, and 5 in the line after. */
static void put_method(uint32_t nr, const char *name)
{
	uint64_t at = METHODS + (nr - 1) * PARTS, parts = at + 0x40, pool = at + 0xc0;
	uint32_t line;

	put(at + machine.method_const, BASE + parts, 8);
	put(parts + machine.const_pool, BASE + pool, 8);
	put(parts + machine.const_name, 1, 2);
	put(parts + machine.const_code_size, 8, 2);
	put(parts + layout.const_flags, 1, 2);
	put(parts + layout.const_words, 16, 4);
	put(pool + machine.pool_class, BASE + at + 0x180, 8);
	put(at + 0x180 + machine.class_name, BASE + at + 0x200, 8);
	put(pool + machine.pool_bytes + 8, (BASE + at + 0x240) | 1, 8);
	put_symbol(at + 0x200, "a/K", 3);
	put_symbol(at + 0x240, name, strlen(name));
	line = parts + machine.const_bytes + 8;
	memory[line++] = 0xff;
	line = put_number(line, 0);
	line = put_number(line, 2 * (10 * nr)); /* signed */
	memory[line++] = 5 << 3 | 1;
	memory[line] = 0;
}

/* The code of method 1, which has method 2 in it, which has method 3 in it. */
static void put_code(void)
{
	uint32_t outer, middle, inner, other;

	scopes_end = 1; /* 0 is no scope */
	outer = add_scope(0, 1, 5);
	middle = add_scope(outer, 2, 0);
	inner = add_scope(middle, 3, 5);
	other = add_scope(outer, 3, -1);
	put_pc(0, -1, 0);
	put_pc(1, 0x10, outer);
	put_pc(2, 0x20, middle);
	put_pc(3, 0x30, inner);
	put_pc(4, 0x40, other);
	put_pc(5, 0x7fffffff, 0);
	for (uint32_t i = 1; i <= 3; i++)
		put(TABLE + 8 * (i - 1), method_at(i), 8);
	put(BLOCK + layout.compile_id, COMPILE_ID, 4);
	put(BLOCK + machine.blob_method, method_at(1), 8);
}

static void begin_17(void)
{
	machine = (struct java_machine){.version = 17, .blob_code_begin = 32, .blob_method = 112};
	layout = (struct java_layout){.has_scopes = 1,
				      .compile_id = 304,
				      .pcs = 268,
				      .pcs_end = 272,
				      .scopes = 120,
				      .metadata = 260};
	put(BLOCK + 32, BASE + CODE, 8);
	put(BLOCK + 268, INFO - BLOCK, 4);
	put(BLOCK + 272, INFO - BLOCK + 16 * 6, 4);
	put(BLOCK + 260, TABLE - BLOCK, 4);
	put(BLOCK + 120, BASE + SCOPES, 8);
}

/* The parts of a block up to 24 have an order, which the memory does not have. */
#define ORDERED        0x4000
#define ORDERED_SCOPES (ORDERED + 3 * 8)
#define ORDERED_PCS    (ORDERED_SCOPES + 0x80)

static void order_parts(void)
{
	/* methods, scopes, PcDescs */
	memmove(memory + ORDERED, memory + TABLE, 3 * 8);
	memmove(memory + ORDERED_SCOPES, memory + SCOPES, 0x80);
	memmove(memory + ORDERED_PCS, memory + INFO, 16 * 6);
}

static void order_17(void)
{
	order_parts();
	put(BLOCK + 260, ORDERED - BLOCK, 4);
	put(BLOCK + 120, BASE + ORDERED_SCOPES, 8);
	put(BLOCK + 268, ORDERED_PCS - BLOCK, 4);
	put(BLOCK + 272, ORDERED_PCS + 16 * 6 - BLOCK, 4);
}

/* As 17, but the scopes and the code are at offsets from the block. */
static void begin_8(void)
{
	machine = (struct java_machine){
		.version = 8, .code_is_offset = 1, .blob_code_begin = 32, .blob_method = 64};
	layout = (struct java_layout){.has_scopes = 1,
				      .compile_id = 204,
				      .pcs = 180,
				      .pcs_end = 184,
				      .scopes = 176,
				      .scopes_is_offset = 1,
				      .metadata = 172};
	put(BLOCK + 32, CODE - BLOCK, 4);
}

static void order_8(void)
{
	order_parts();
	put(BLOCK + 172, ORDERED - BLOCK, 4);
	put(BLOCK + 176, ORDERED_SCOPES - BLOCK, 4);
	put(BLOCK + 180, ORDERED_PCS - BLOCK, 4);
	put(BLOCK + 184, ORDERED_PCS + 16 * 6 - BLOCK, 4);
}

static void begin_25(void)
{
	machine = (struct java_machine){
		.version = 25, .code_is_offset = 1, .blob_code_begin = 36, .blob_method = 80};
	layout = (struct java_layout){.has_scopes = 1,
				      .compile_id = 212,
				      .pcs = 196,
				      .pcs_end = 200,
				      .scopes = 200,
				      .immutable = 96,
				      .scopes_end = 160,
				      .mutable = 16,
				      .mutable_bytes = 48,
				      .relocation_bytes = 28};
	put(BLOCK + 36, CODE - BLOCK, 4);
	put(BLOCK + 96, BASE + INFO, 8);
	put(BLOCK + 200, SCOPES - INFO, 4);
	put(BLOCK + 160, 0x200, 4);
	put(BLOCK + 16, BASE + TABLE - 16, 8);
	put(BLOCK + 28, 16, 4);
	put(BLOCK + 48, 16 + 3 * 8, 4);
}

static void begin(int version)
{
	memset(memory, 0, sizeof(memory));
	if (version == 8)
		begin_8();
	else if (version == 17)
		begin_17();
	else
		begin_25();
	machine.method_const = 8;
	machine.const_pool = 8;
	machine.const_name = 36;
	machine.const_code_size = 34;
	machine.const_bytes = 56;
	machine.pool_bytes = 72;
	machine.pool_class = 24;
	machine.class_name = 24;
	machine.symbol_length = 4;
	machine.symbol_text = 6;
	layout.has_lines = 1;
	layout.const_flags = 28;
	layout.const_words = 24;
	put_code();
	put_method(1, "outer");
	put_method(2, "middle");
	put_method(3, "inner");
	/* 25 has other bytes of PcDescs before the scopes, which mean no address. */
	for (int i = 6; version == 25 && i < 16; i++)
		put_pc(i, 0x7fffffff, 0);
	if (version == 8)
		order_8();
	if (version == 17)
		order_17();
	nr_reads = 0;
}

/* Finds the methods at @off of the code, and compares them with @want: numbers, innermost first. */
static void expect(uint32_t off, const char *want)
{
	const struct java_place place = {
		.block = BASE + BLOCK, .compile_id = COMPILE_ID, .pc = BASE + CODE + off};
	struct java_scope scopes[JAVA_MAX_SCOPES];
	int nr = java_scopes_find(&code, &place, scopes);

	ck_assert_msg(nr == (int)strlen(want), "%#x: %d methods, not %s", off, nr, want);
	for (int i = 0; i < nr; i++)
		ck_assert_uint_eq(scopes[i].method, method_at(want[i] - '0'));
	ck_assert_uint_lt(nr_reads, 1000);
}

static const int versions[] = {8, 17, 25};

START_TEST(chains_are_found)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		begin(versions[i]);
		expect(0x10, "1");
		expect(0x20, "21");
		expect(0x30, "321");
		expect(0x40, "31");
	}
}
END_TEST

START_TEST(leaf_has_what_neighbours_share)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		begin(versions[i]);
		expect(0x18, "1");  /* 1, and 2 in 1 */
		expect(0x28, "21"); /* 2 in 1, and 3 in 2 in 1 */
		expect(0x38, "1");  /* 3 in 2 in 1, and 3 in 1 */
		expect(0x08, "1");  /* before all */
		expect(0x48, "1");  /* after all */
	}
}
END_TEST

/* An element of C1's code stands for its own address alone. */
START_TEST(leaf_of_c1_has_the_method_of_the_code)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		for (int level = 0; level <= 4; level++) {
			bool is_c1 = level >= 1 && level <= 3;

			begin(versions[i]);
			layout.level = LEVEL;
			put(BLOCK + LEVEL, level, 1);
			expect(0x28, is_c1 ? "1" : "21");
			expect(0x20, "21");
			expect(0x30, "321");
		}
	}
}
END_TEST

START_TEST(numbers_are_decoded)
{
	static const struct {
		uint8_t bytes[5];
		uint32_t nr, version, value;
	} cases[] = {
		{{0}, 1, 17, 0},
		{{0xbf}, 1, 17, 191},
		{{0xc0, 0}, 2, 17, 192},
		{{0xff, 0xbf}, 2, 17, 255 + (191 << 6)},
		{{1}, 1, 21, 0},
		{{0xbf}, 1, 21, 190},
		{{0xc0, 1}, 2, 21, 191},
		{{0xff, 0xff, 0xff, 0xff, 0xff},
		 5,
		 17,
		 255 + (255u << 6) + (255u << 12) + (255u << 18) + (255u << 24)},
	};
	const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff}, zero[] = {0xc1, 0};
	struct unsigned5 in;
	uint32_t value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in = unsigned5_of(cases[i].bytes, cases[i].bytes + cases[i].nr, cases[i].version);
		ck_assert(unsigned5_read(&in, &value));
		ck_assert_uint_eq(value, cases[i].value);
		ck_assert_ptr_eq(in.at, in.end);
	}
	value = 7;
	in = unsigned5_of(endless, endless + sizeof(endless), 17);
	ck_assert(!unsigned5_read(&in, &value));
	in = unsigned5_of(zero, zero + sizeof(zero), 21);
	ck_assert(!unsigned5_read(&in, &value));
	ck_assert_uint_eq(value, 7);
	ck_assert_int_eq(unsigned5_signed(3), -2);
	ck_assert_int_eq(unsigned5_signed(4), 2);
}
END_TEST

START_TEST(first_lines_are_found)
{
	/* (5, 13), (0, 12), (9, 14) */
	const uint8_t table[] = {5 << 3, 13, 0}, far[] = {0xff, 10, 26, 0xff, 9, 1, 0xff, 18, 4, 0};
	const uint8_t wild[] = {0xff, 3, 24, 0}, small[] = {3, 0};

	ck_assert_uint_eq(java_lines_first(far, sizeof(far), 17), 12);
	/* The table ends with 0. */
	ck_assert_uint_eq(java_lines_first(far, 3, 17), 0);
	ck_assert_uint_eq(java_lines_first(far, 0, 17), 0);
	ck_assert_uint_eq(java_lines_first(table, sizeof(table), 17), 0);
	ck_assert_uint_eq(java_lines_first(wild, sizeof(wild), 17), 0);
	ck_assert_uint_eq(java_lines_first(small, sizeof(small), 17), 3);
}
END_TEST

START_TEST(methods_have_names_and_lines)
{
	struct machine_function method;

	begin(17);
	ck_assert_int_eq(java_method_read(&code, method_at(2), &method), 0);
	ck_assert_uint_eq(method.class.nr_bytes, 3);
	ck_assert_int_eq(memcmp(method.class.bytes, "a/K", 3), 0);
	ck_assert_int_eq(memcmp(method.name.bytes, "middle", method.name.nr_bytes), 0);
	ck_assert_uint_eq(method.line, 20);
	ck_assert_int_eq(java_method_read(&code, 0x123456789000, &method), -EFAULT);
	/* A name of 65535 bytes is cut. */
	put(METHODS + PARTS + 0x240 + machine.symbol_length, 65535, 2);
	ck_assert_int_eq(java_method_read(&code, method_at(2), &method), 0);
	ck_assert_uint_eq(method.name.nr_bytes, NAME_BYTES);
	ck_assert_uint_eq(method.name.is_cut, 1);
	/* Without a name there is no method. */
	put(METHODS + PARTS + 0x240 + machine.symbol_length, 0, 2);
	ck_assert_int_eq(java_method_read(&code, method_at(2), &method), -EBADMSG);
}
END_TEST

START_TEST(other_code_is_stale)
{
	const struct java_place place = {
		.block = BASE + BLOCK, .compile_id = COMPILE_ID + 1, .pc = BASE + CODE + 0x30};
	const struct java_place nowhere = {.block = 0x123456789000, .compile_id = 1};
	struct java_scope scopes[JAVA_MAX_SCOPES];

	begin(17);
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), -ESTALE);
	ck_assert_int_eq(java_scopes_find(&code, &nowhere, scopes), -EFAULT);
	layout.has_scopes = 0;
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), -ENOENT);
}
END_TEST

/* Of a chain that contradicts itself, the method of the code remains. */
START_TEST(lies_end_the_chain)
{
	uint32_t at, off;

	begin(25);
	/* A scope that is in itself, and one that is in a later one. */
	at = scopes_end;
	put_pc(3, 0x30, add_scope(at, 3, 0));
	expect(0x30, "1");
	off = scopes_end;
	put_pc(3, 0x30, add_scope(off + 3, 3, 0));
	expect(0x30, "1");
	/* A method that the code does not have, and the number 0. */
	put_pc(3, 0x30, add_scope(0, 4, 0));
	expect(0x30, "1");
	put_pc(3, 0x30, add_scope(0, 0, 0));
	expect(0x30, "1");
	/* The outermost method is not that of the code. */
	put_pc(3, 0x30, add_scope(0, 2, 0));
	expect(0x30, "1");
	/* A scope beyond the end, and one before the begin. */
	put_pc(3, 0x30, 0x10000);
	expect(0x30, "1");
	put_pc(3, 0x30, 0xffffffff);
	expect(0x30, "1");
}
END_TEST

START_TEST(chains_have_a_limit)
{
	const struct java_place place = {
		.block = BASE + BLOCK, .compile_id = COMPILE_ID, .pc = BASE + CODE + 0x30};
	struct java_scope scopes[JAVA_MAX_SCOPES];
	uint32_t last;

	begin(25);
	put(BLOCK + 160, 0x1000, 4); /* the scopes may be long; they cover the methods' table */
	memmove(memory + 0x8000, memory + TABLE, 3 * 8);
	put(BLOCK + 16, BASE + 0x8000 - 16, 8);
	scopes_end = 1;
	last = add_scope(0, 1, 0);
	for (int i = 1; i < JAVA_MAX_SCOPES; i++)
		last = add_scope(last, 1, 0);
	put_pc(3, 0x30, last);
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), JAVA_MAX_SCOPES);
	put_pc(3, 0x30, add_scope(last, 1, 0));
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), 1);
}
END_TEST

/* A block that says gigabytes of debug information is no block. */
START_TEST(sizes_have_a_limit)
{
	const struct java_place place = {
		.block = BASE + BLOCK, .compile_id = COMPILE_ID, .pc = BASE + CODE + 0x30};
	struct java_scope scopes[JAVA_MAX_SCOPES];

	begin(25);
	put(BLOCK + 200, 0x7fffffff, 4);
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), -EBADMSG);
	begin(25);
	put(BLOCK + 48, 0, 4); /* the methods end before they begin */
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), -EBADMSG);
	begin(25);
	put(BLOCK + 36, 0x7fffffff, 4); /* the place is before the code */
	ck_assert_int_eq(java_scopes_find(&code, &place, scopes), -EBADMSG);
}
END_TEST

SUITE_MAIN("java_methods", chains_are_found, leaf_has_what_neighbours_share,
	   leaf_of_c1_has_the_method_of_the_code, numbers_are_decoded, first_lines_are_found,
	   methods_have_names_and_lines, other_code_is_stale, lies_end_the_chain,
	   chains_have_a_limit, sizes_have_a_limit)
