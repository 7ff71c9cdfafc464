// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of JavaScript that are put into others, in memory that the test makes as V8 10.2, 12.4
 * and 14.6 have it: node_inlined.c, node_functions.c, and the kind of machine.
 */
#include "record/machines/node_inlined.h"

#include <errno.h>

#include "record/machines/machine_kinds.h"
#include "record/machines/node_functions.h"
#include "tests/unit/suite.h"

#define BASE  UINT64_C(0x7f0000100000)
#define BYTES (1u << 17)

/* Where objects are in the memory. The code is in the second page of it, or further on. */
enum {
	CODE = 0x3040,
	CODE_BYTES = 0x5000,
	OBJECTS = 0x10000,
	DESCRIPTION = OBJECTS, /* the Code, if it is apart */
	DATA = OBJECTS + 0x100,
	LITERALS = OBJECTS + 0x200,
	INLININGS = OBJECTS + 0x300,
	POSITIONS = OBJECTS + 0x400,
	SCRIPT = OBJECTS + 0x800,
	WRAPPER = OBJECTS + 0x900,
	FUNCTIONS = OBJECTS + 0x1000, /* 0x400 bytes each */
	MAPS = OBJECTS + 0x4000,
};

enum {
	ARRAY = 175,
	CODE_TYPE = 245,
	SHARED = 262,
	SCOPE = 261,
	SCRIPT_TYPE = 167,
	STRING = 8,
};

#define OBJECT(off) (BASE + (off) + 1)
#define SMALL(n)    ((uint64_t)(n) << 32)
#define ID          12
#define PC          (BASE + CODE + 0x4444)
#define PC_OFF      0x4444

static uint8_t memory[BYTES];
static uint64_t nr_reads, changes_at; /* a byte changes at this read; 0: it does not */
static uint64_t changes_off, inlinings;
static uint32_t positions_end;

static void put(uint64_t off, uint64_t value)
{
	memcpy(memory + off, &value, sizeof(value));
}

static void put_number(uint64_t off, uint32_t value)
{
	memcpy(memory + off, &value, sizeof(value));
}

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t off = addr - BASE;

	(void)ctx;
	if (++nr_reads == changes_at)
		memory[changes_off] += 8;
	if (off >= BYTES)
		return -EFAULT;
	if (len > BYTES - off)
		len = BYTES - off;
	memcpy(buf, memory + off, len);
	return len;
}

static const struct machine_memory made_memory = {.read = read_memory};
static struct node_layout layout;
static struct node_place place;

static void put_map(uint64_t off, uint16_t type)
{
	const uint64_t map = MAPS + UINT64_C(64) * type;

	memcpy(memory + map + 12, &type, sizeof(type));
	put(off, OBJECT(map));
}

static void put_string(uint64_t off, const char *text)
{
	put_map(off, STRING);
	put(off + 8, SMALL(strlen(text)));
	memcpy(memory + off + 16, text, strlen(text));
}

static uint64_t function_at(uint32_t nr)
{
	return FUNCTIONS + 0x400 * nr;
}

/* Function @nr, which begins in line @nr + 1 of the text. Its name is in a ScopeInfo. */
static void put_function(uint32_t nr, const char *name)
{
	const uint64_t at = function_at(nr), scope = at + 0x100, text = at + 0x200;

	put_map(at, SHARED);
	put(at + 16, OBJECT(scope));
	put(at + 32, OBJECT(SCRIPT));
	put(at + 48, SMALL(nr + 1));
	put_map(scope, SCOPE);
	put(scope + 8, 3u << 12);
	put(scope + 24, SMALL(1));
	if (layout.scope_locals > 32) {
		put(scope + 32, SMALL(2 * nr));
		put(scope + 48 + 16, OBJECT(text));
	} else {
		put(scope + 32 + 16, OBJECT(text));
		put(scope + 32 + 32, SMALL(2 * nr));
	}
	put_string(text, name);
}

static void put_varint(int64_t value)
{
	uint64_t left = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

	do {
		memory[POSITIONS + 16 + positions_end++] = (left & 0x7f) | (left > 0x7f) << 7;
		left >>= 7;
	} while (left);
	put(POSITIONS + 8, SMALL(positions_end));
}

/* Instructions from @off on are of inlining @id; both as differences to the last one. */
static void put_position(uint32_t off, int64_t id)
{
	put_varint(layout.has_position_flags ? (int64_t)off << 1 | 1 : -(int64_t)off - 1);
	put_varint(id * (INT64_C(1) << 31) + 2);
}

/* Inlining @id is a call of function @function in inlining @caller. */
static void put_inlining(uint32_t id, uint32_t caller, int32_t function)
{
	put(inlinings + 16 * id, (uint64_t)caller << 31 | 2);
	put_number(inlinings + 16 * id + 8, function);
	put(inlinings + 8, SMALL(16 * id));
}

static void put_code(void)
{
	const uint64_t code = layout.code_is_apart ? DESCRIPTION : CODE - layout.code_header;

	put_map(code, CODE_TYPE);
	if (layout.code_is_apart) {
		put_map(CODE - layout.code_header, 252);
		put(CODE - layout.code_header + 8, OBJECT(code));
		put(code + layout.code_start, BASE + CODE);
	}
	put(code + layout.code_data, OBJECT(DATA));
	put(code + layout.code_data + 8, OBJECT(POSITIONS));
	put_number(code + layout.code_flags, 0x60 | (layout.baseline_kind + 2));
	put_number(code + layout.code_bytes, CODE_BYTES);
}

static void put_data(void)
{
	const uint32_t more = layout.is_data_protected ? 8 : 0;

	put(DATA + 8, SMALL(20));
	put(DATA + 16 + 8, SMALL(2));
	put(DATA + 16 + 16 + more, OBJECT(LITERALS));
	put(DATA + 16 + 48 + more, more ? OBJECT(WRAPPER) : OBJECT(function_at(2)));
	put(WRAPPER + 8, OBJECT(function_at(2)));
	put(DATA + 16 + 56 + more, OBJECT(INLININGS));
	/* Such references are weak. */
	put(LITERALS + 16, OBJECT(function_at(0)) | 2);
	put(LITERALS + 24, OBJECT(function_at(1)) | 2);
}

/* The code at the place is what the program has seen. */
static void check_place(void)
{
	__u64 code[2];

	memcpy(code, memory + place.pc - BASE - 7, 16);
	place.code = node_code_check(code);
}

/* Puts first into second and that into third, the function of the code, in the call at 0x4440. */
static void make(const struct node_layout *version)
{
	memset(memory, 0, sizeof(memory));
	nr_reads = changes_at = 0;
	changes_off = PC - BASE;
	inlinings = INLININGS;
	positions_end = 0;
	layout = *version;
	put_map(SCRIPT, SCRIPT_TYPE);
	put(SCRIPT + 8, OBJECT(SCRIPT + 0x200));
	put(SCRIPT + 16, OBJECT(SCRIPT + 0x300));
	put(SCRIPT + 64, SMALL(ID));
	put_string(SCRIPT + 0x200, "1\n2\n3\n4\n");
	put_string(SCRIPT + 0x300, "/srv/a.js");
	put_function(0, "first");
	put_function(1, "second");
	put_function(2, "third");
	put_code();
	put_data();
	put_inlining(1, 0, 1);
	put_inlining(2, 1, 0);
	put_position(1, 0);
	put_position(0x4440, 2);
	put_position(5, -2);
	memcpy(memory + CODE + PC_OFF - 7, "of the code here", 16);
	memory[CODE + PC_OFF - 4] = 0xe8;
	place = (struct node_place){.function = {BASE + SCRIPT, ID, 4}, .pc = PC};
	check_place();
}

static const struct node_layout versions[] = {
	{.code_header = 128, .code_data = 16, .code_flags = 48, .code_bytes = 40},
	{.code_header = 32,
	 .code_is_apart = 1,
	 .code_data = 8,
	 .code_start = 40,
	 .code_flags = 48,
	 .code_bytes = 52},
	{.code_header = 32,
	 .code_is_apart = 1,
	 .code_data = 8,
	 .code_start = 40,
	 .code_flags = 52,
	 .code_bytes = 56,
	 .is_data_protected = 1,
	 .has_position_flags = 1,
	 .scope_locals = 48},
};

static void make_version(size_t i)
{
	struct node_layout version = versions[i];

	version.array_type = ARRAY;
	version.code_type = CODE_TYPE;
	version.shared_type = SHARED;
	version.scope_type = SCOPE;
	version.script_type = SCRIPT_TYPE;
	version.shared_name = 16;
	version.shared_script = 32;
	version.shared_flags = 48;
	version.script_name = 16;
	version.baseline_kind = 10;
	if (!version.scope_locals)
		version.scope_locals = 32;
	make(&version);
}

static void begin(void)
{
	make_version(1);
}

static uint32_t nr_candidates;

static int find(void)
{
	uint64_t shared[NODE_MAX_INLINED];

	nr_candidates = 0;
	return node_inlined_find(&made_memory, &layout, &nr_candidates, &place, shared);
}

static struct machine_function taken[NODE_MAX_INLINED + 1];
static uint32_t nr_taken;

/* A machine_function_fn. */
static int take(void *ctx, const struct machine_function *function)
{
	(void)ctx;
	ck_assert_uint_lt(nr_taken, ARRAY_SIZE(taken));
	taken[nr_taken++] = *function;
	return 0;
}

static int name(void)
{
	static struct node_look look;
	const struct machine machine = {.node = {layout, &look}};
	const union machine_place at = {.node = place};

	look = (struct node_look){0};
	nr_taken = 0;
	return machine_kinds[MACHINE_NODE].name(&made_memory, &machine, &at, take, NULL);
}

/* The function has its line, and no others are in it. */
static void expect_none(void)
{
	ck_assert_int_eq(name(), 0);
	ck_assert_uint_eq(nr_taken, 1);
	ck_assert_uint_eq(taken[0].line, 3);
}

static void expect_text(const struct language_text *text, const char *expected)
{
	ck_assert_uint_eq(text->nr_bytes, strlen(expected));
	ck_assert_mem_eq(text->bytes, expected, strlen(expected));
}

START_TEST(functions_of_each_version)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		make_version(i);
		ck_assert_int_eq(name(), 0);
		ck_assert_uint_eq(nr_taken, 3);
		expect_text(&taken[0].name, "first");
		expect_text(&taken[0].file, "/srv/a.js");
		ck_assert_uint_eq(taken[0].line, 1);
		expect_text(&taken[1].name, "second");
		ck_assert_uint_eq(taken[1].line, 2);
		/* The program has read the name of the function itself. */
		expect_text(&taken[2].name, "");
		ck_assert_uint_eq(taken[2].line, 3);
	}
}
END_TEST

/* A call with @nr bytes of @code returns at the place, and its entry is @nr_before before that. */
static int find_call(const uint8_t *code, uint32_t nr, uint32_t nr_before)
{
	begin();
	positions_end = 0;
	put_position(1, 0);
	put_position(PC_OFF + 1 - nr_before, 2);
	put_position(nr_before, -2);
	memset(memory + CODE + PC_OFF + 1 - nr_before, 0x90, nr_before);
	memcpy(memory + CODE + PC_OFF + 1 - nr, code, nr);
	check_place();
	return find();
}

/* The call of an entry is the first one from there on. */
START_TEST(calls)
{
	static const struct {
		uint8_t code[10];
		uint32_t nr, nr_before;
		bool is_found;
	} cases[] = {
		{{0xe8}, 5, 5, true},
		{{0xff, 0xd0}, 2, 40, true},
		{{0xff, 0xd0}, 2, 128, true},
		{{0xff, 0xd0}, 2, 129, false},
		{{0x41, 0xff, 0xd2}, 3, 13, true},
		{{0xff, 0x15}, 6, 20, true},
		{{0xff, 0x14, 0x24}, 3, 20, true},
		{{0xff, 0x14, 0x25}, 7, 20, true},
		{{0xff, 0x55, 8}, 3, 20, true},
		{{0xff, 0x54, 0x24, 8}, 4, 20, true},
		{{0x41, 0xff, 0x95}, 7, 20, true},
		{{0xff, 0x94, 0x24}, 7, 20, true},
		{{0xff, 0x75, 0xe0}, 3, 20, false}, /* it pushes */
		{{0x90}, 1, 20, false},
		{{0xe8, 0, 0, 0, 0, 0xff, 0xd0}, 7, 20, false}, /* two calls */
		{{0xff, 0xd0, 0x90}, 3, 20, false},
		{{0x4d, 0x8b, 0x95, 0xe8, 1, 0, 0, 0xff, 0xd1}, 9, 20, true}, /* it loads */
		{{0x4d, 0x8b, 0xd0, 0xe8, 1, 0, 0, 0, 0xff, 0xd1}, 10, 20, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = find_call(cases[i].code, cases[i].nr, cases[i].nr_before);

		ck_assert_msg(ret == (cases[i].is_found ? 2 : -ENOENT), "call %zu: %d", i, ret);
	}
}
END_TEST

/* Only the place that the table says. */
START_TEST(places_around)
{
	for (int32_t i = -5; i <= 5; i++) {
		place.pc = PC + i;
		check_place();
		ck_assert_int_eq(find(), i ? -ENOENT : 2);
	}
	place.pc = BASE + CODE + CODE_BYTES;
	place.code = node_code_check((const __u64[2]){0});
	ck_assert_int_eq(find(), -EFAULT);
	/* A leaf, or a call in other code. */
	place.pc = 0;
	expect_none();
}
END_TEST

START_TEST(code_without_a_description)
{
	const uint32_t kind = DESCRIPTION + layout.code_flags;

	put_number(kind, 10);
	ck_assert_int_eq(find(), -ENOENT);
	put_number(kind, 11);
	ck_assert_int_eq(find(), 2);
	layout.code_header = 0;
	ck_assert_int_eq(find(), -ENOENT);
	begin();
	put(DESCRIPTION + layout.code_start, BASE + CODE + 64);
	ck_assert_int_eq(find(), -EFAULT);
	begin();
	put(CODE - 24, OBJECT(BYTES));
	/* It is searched up to the beginning of the memory. */
	nr_reads = 0;
	ck_assert_int_eq(find(), -EFAULT);
	ck_assert_uint_lt(nr_reads, 40);
	ck_assert_int_eq(name(), 0);
	ck_assert_uint_eq(nr_taken, 1);
	begin();
	put_map(DESCRIPTION, STRING);
	ck_assert_int_eq(find(), -EFAULT);
}
END_TEST

/* Others have come to the place since the sample. */
START_TEST(code_of_others)
{
	place.code ^= 2;
	ck_assert_int_eq(find(), -ESTALE);
	begin();
	place.function.position = 2;
	ck_assert_int_eq(find(), -ESTALE);
	begin();
	place.function.script += 8;
	ck_assert_int_eq(find(), -ESTALE);
	begin();
	put_map(function_at(2), STRING);
	ck_assert_int_eq(find(), -ESTALE);
	/* An inlined function has been moved: a chain without it would be wrong. */
	begin();
	put_map(function_at(1), STRING);
	expect_none();
}
END_TEST

/* The number of reads of @call. */
#define READS_OF(call)                                                                             \
	({                                                                                         \
		nr_reads = 0;                                                                      \
		(void)(call);                                                                      \
		nr_reads;                                                                          \
	})

/* What is found first if another function is put into the others at read @at. */
static const char *found_after_move(uint64_t at)
{
	begin();
	changes_at = at;
	/* A function further on is another one. */
	changes_off = LITERALS + 17;
	ck_assert_int_eq(name(), 0);
	return nr_taken == 1 ? "none" : taken[0].name.bytes[0] == 't' ? "third" : "first";
}

/* The collector moves functions: before they are found, while they are read, and later. */
START_TEST(functions_that_move)
{
	static const char *const order[] = {"third", "none", "first"};
	uint64_t nr = READS_OF(name()), nr_found[ARRAY_SIZE(order)] = {0};
	uint32_t state = 0;

	for (uint64_t i = 1; i <= nr; i++) {
		const char *found = found_after_move(i);

		if (strcmp(found, order[state]))
			state++;
		ck_assert_uint_lt(state, ARRAY_SIZE(order));
		ck_assert_str_eq(found, order[state]);
		nr_found[state]++;
	}
	ck_assert(nr_found[0] && nr_found[2]);
	/* Two functions have been read. */
	ck_assert_uint_gt(nr_found[1], 20);
}
END_TEST

START_TEST(code_that_changes)
{
	uint64_t nr, nr_own;

	nr = READS_OF(name());
	place.pc = 0;
	nr_own = READS_OF(name());
	for (uint64_t i = 1; i <= nr; i++) {
		int ret;

		begin();
		changes_at = i;
		ret = name();
		/* The line of the function itself is read at the end. */
		if (i > nr - nr_own)
			ck_assert(!ret && nr_taken == 3);
		else
			ck_assert(!ret && nr_taken == 1);
	}
	begin();
	nr = READS_OF(find());
	for (uint64_t i = 1; i <= nr; i++) {
		begin();
		changes_at = i;
		changes_off = DESCRIPTION + layout.code_data;
		/* The last reads are of the type, and of the code. */
		ck_assert_int_eq(find() == 2, i >= nr - 1);
	}
}
END_TEST

START_TEST(descriptions_that_contradict_themselves)
{
	static const struct {
		uint32_t at;
		uint64_t value;
		int error;
	} lies[] = {
		{DATA + 8, SMALL(8), -ENOENT},
		{DATA + 8, OBJECT(0), -ENOENT},
		{DATA + 24, SMALL(1), -EBADMSG}, /* one function is put into others */
		{DATA + 32, SMALL(1), -EBADMSG},
		{DATA + 32, OBJECT(BYTES), -EFAULT},
		{DATA + 64, SMALL(1), -ESTALE},
		{DATA + 72, SMALL(1), -EBADMSG},
		{DATA + 72, OBJECT(BYTES), -EBADMSG},
		{INLININGS + 8, SMALL(16), -EBADMSG},
		{INLININGS + 8, SMALL(UINT32_MAX), -EBADMSG},
		{INLININGS + 32, UINT64_C(2) << 31, -EBADMSG}, /* it is its own caller */
		{INLININGS + 32, UINT64_C(9) << 31, -EBADMSG},
		{INLININGS + 40, 2, -EBADMSG},
		{INLININGS + 40, 0xfffffffe, -EBADMSG},
		{DESCRIPTION + 16, SMALL(1), -ENOENT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		int ret;

		begin();
		put(lies[i].at, lies[i].value);
		ret = find();
		ck_assert_msg(ret == lies[i].error, "lie %zu: %d", i, ret);
	}
	/* A number without an end. */
	begin();
	memset(memory + POSITIONS + 16, 0xff, positions_end);
	ck_assert_int_eq(find(), -EBADMSG);
	/* The code goes on for longer than there is any. */
	begin();
	positions_end = 0;
	put_position(INT32_MAX, 2);
	put_varint(INT64_MIN);
	ck_assert_int_eq(find(), -ENOENT);
	positions_end = 0;
	put_varint(INT64_MIN);
	ck_assert_int_eq(find(), -EBADMSG);
	/* The function itself is put into others, too. */
	begin();
	put_inlining(2, 1, -1);
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].name, "third");
}
END_TEST

/* The call is of inlining @id. */
static void put_call(uint32_t id)
{
	positions_end = 0;
	put_position(PC_OFF - 3, id);
}

START_TEST(a_chain_without_an_end)
{
	inlinings = OBJECTS + 0x9000;
	put(DATA + 16 + 56, OBJECT(inlinings));
	for (uint32_t i = 1; i <= NODE_MAX_INLINED + 1; i++)
		put_inlining(i, i - 1, i % 2);
	put_call(NODE_MAX_INLINED);
	ck_assert_int_eq(find(), NODE_MAX_INLINED);
	put_call(NODE_MAX_INLINED + 1);
	ck_assert_int_eq(find(), -EBADMSG);
	put_call(40000);
	ck_assert_int_eq(find(), -EBADMSG);
	/* A caller has come after its function. */
	begin();
	put_inlining(3, 0, 1);
	put_inlining(2, 3, 0);
	put_inlining(4, 0, 1);
	ck_assert_int_eq(find(), -EBADMSG);
}
END_TEST

START_TEST(names)
{
	const uint64_t scope = function_at(0) + 0x100;

	/* One that V8 has inferred, which is two strings. */
	put(scope + 8, UINT64_C(1) << 14);
	put_map(function_at(0) + 0x300, 9);
	put(function_at(0) + 0x308, SMALL(9));
	put_string(function_at(0) + 0x340, ".part");
	put(function_at(0) + 0x310, OBJECT(function_at(0) + 0x200));
	put(function_at(0) + 0x318, OBJECT(function_at(0) + 0x340));
	put(scope + 48, OBJECT(function_at(0) + 0x300));
	put(scope + 56, SMALL(6));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].name, ".part");
	ck_assert_uint_eq(taken[0].line, 4);
	/* None. Its position is nowhere. */
	put(scope + 8, 0);
	put(scope + 48, OBJECT(scope));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].name, "(anonymous)");
	ck_assert_uint_eq(taken[0].line, 0);
	/* It is a string itself. */
	put(function_at(0) + 16, OBJECT(function_at(0) + 0x340));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].name, ".part");
	/* More local variables than memory. */
	put(function_at(0) + 16, OBJECT(scope));
	put(scope + 8, 3u << 12);
	put(scope + 24, SMALL(1u << 20));
	expect_none();
	put(scope + 24, SMALL(UINT32_MAX));
	expect_none();
}
END_TEST

/* A look sees so many candidates, and no more. */
START_TEST(candidates)
{
	uint64_t shared[NODE_MAX_INLINED];

	ck_assert_int_eq(find(), 2);
	ck_assert_uint_eq(nr_candidates, 1);
	nr_candidates = NODE_LOOK_CANDIDATES - 1;
	ck_assert_int_eq(node_inlined_find(&made_memory, &layout, &nr_candidates, &place, shared),
			 2);
	ck_assert_int_eq(node_inlined_find(&made_memory, &layout, &nr_candidates, &place, shared),
			 -E2BIG);
}
END_TEST

/* The name is a part of another string. */
START_TEST(names_that_are_slices)
{
	const uint64_t slice = function_at(0) + 0x340;

	put_map(slice, 11);
	put(slice + 8, SMALL(3));
	put(slice + 16, OBJECT(function_at(0) + 0x200));
	put(slice + 24, SMALL(1));
	put(function_at(0) + 0x100 + 48, OBJECT(slice));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].name, "irs");
}
END_TEST

START_TEST(long_texts)
{
	put(function_at(0) + 0x200 + 8, SMALL(300));
	put(SCRIPT + 0x300 + 8, SMALL(300));
	memory[SCRIPT + 0x300 + 16 + 299] = 'z';
	ck_assert_int_eq(name(), 0);
	ck_assert(taken[0].name.is_cut && taken[0].file.is_cut);
	ck_assert_uint_eq(taken[0].name.nr_bytes, NAME_BYTES);
	ck_assert_uint_eq(taken[0].name.bytes[0], 'f');
	ck_assert_uint_eq(taken[0].file.bytes[NAME_BYTES - 1], 'z');
	/* Text of a program, and none at all. */
	put(SCRIPT + 16, SMALL(0));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].file, "eval");
	put(function_at(0) + 32, SMALL(0));
	ck_assert_int_eq(name(), 0);
	expect_text(&taken[0].file, "");
	ck_assert_uint_eq(taken[0].line, 0);
}
END_TEST

SUITE_MAIN_WITH("node_inlined", begin, NULL, functions_of_each_version, calls, places_around,
		code_without_a_description, code_of_others, functions_that_move, code_that_changes,
		descriptions_that_contradict_themselves, a_chain_without_an_end, names,
		names_that_are_slices, candidates, long_texts)
