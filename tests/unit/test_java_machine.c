// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How HotSpot describes itself to debuggers (java_machine.c), in memory that the
 * test makes as versions 8, 17 and 25 have it.
 */
#include "record/machines/java_machine.h"

#include <errno.h>
#include <stdbool.h>

#include "tests/unit/suite.h"

/*
 * Two areas of memory: one of variables and arrays, and one of texts. Their distance makes pages of
 * the one and of the other take each other's place where pages are kept.
 */
#define BASE     UINT64_C(0x7f0000100000)
#define DISTANCE 0x100000
#define NR_AREAS 2
#define NOWHERE  UINT64_C(0x10000000)

static const size_t area_bytes[NR_AREAS] = {0x4000, 0x4010};

/* Where things are in the first area. */
#define HEAPS_AT       0x100
#define INTERPRETER_AT 0x108
#define CALL_STUB_AT   0x110
#define VERSION_AT     0x118
#define LIST           0x200
#define LIST_DATA      0x240
#define QUEUE          0x300
#define HEAP(nr)       (0x400 + 0x100 * (nr))
#define SYMBOLS        0x900
#define FIELDS         0x1f90 /* an entry lies across the border of a page */
#define TYPES          0x3000
#define TEXTS          0x3200 /* in the second area */

/* The code: three heaps, of which the last one is the lowest. */
#define NR_HEAPS 3
#define CODE_MAP UINT64_C(0x600000)

static const uint64_t code_low[NR_HEAPS] = {0x2000000, 0x3000000, 0x1000000};
#define CODE_BYTES        0x800000
#define INTERPRETER_BEGIN (code_low[0] + 0x400)
#define INTERPRETER_BYTES 0x20000

enum { OF_8 = 1, OF_17 = 2, OF_25 = 4, OF_ALL = OF_8 | OF_17 | OF_25 };

enum need { WALK, VERSION, LINES, SCOPES, LEVEL_OF_CODE };

#define OF_LAYOUT 4096 /* the offsets of struct java_layout are below */

/* A field. @limit: offsets are below; 0: they have no limit. */
struct field {
	const char *type, *name;
	uint32_t versions, offset;
	enum need need;
	uint32_t limit;
	bool is_variable; /* the offset is from BASE */
	bool is_read;     /* when the machine is described */
};

static const struct field fields[] = {
	{"CodeCache", "_heap", OF_8, HEAPS_AT, .is_variable = true, .is_read = true},
	{"CodeCache", "_heaps", OF_17 | OF_25, HEAPS_AT, .is_variable = true, .is_read = true},
	{"GenericGrowableArray", "_len", OF_17, 4, .is_read = true},
	{"GrowableArrayBase", "_len", OF_25, 4, .is_read = true},
	{"GrowableArray<int>", "_data", OF_17 | OF_25, 8, .is_read = true},
	{"CodeHeap", "_memory", OF_ALL, 16, .is_read = true},
	{"CodeHeap", "_segmap", OF_ALL, 96, .is_read = true},
	{"CodeHeap", "_log2_segment_size", OF_ALL, 80, .is_read = true},
	{"VirtualSpace", "_low_boundary", OF_ALL, 8, .is_read = true},
	{"VirtualSpace", "_high_boundary", OF_ALL, 24, .is_read = true},
	{"AbstractInterpreter", "_code", OF_ALL, INTERPRETER_AT, .is_variable = true,
	 .is_read = true},
	{"StubQueue", "_stub_buffer", OF_ALL, 8, .is_read = true},
	{"StubQueue", "_buffer_limit", OF_ALL, 20, .is_read = true},
	{"StubQueue", "_queue_end", OF_ALL, 28, .is_read = true},
	{"StubRoutines", "_call_stub_return_address", OF_ALL, CALL_STUB_AT, .is_variable = true,
	 .is_read = true},
	{"Abstract_VM_Version", "_vm_major_version", OF_8 | OF_17, VERSION_AT, VERSION,
	 .is_variable = true, .is_read = true},
	{"JDK_Version", "_current", OF_25, VERSION_AT, VERSION, .is_variable = true,
	 .is_read = true},
	{"CodeBlob", "_name", OF_ALL, 8, .limit = JAVA_BLOB_BYTES - 7},
	{"CodeBlob", "_frame_size", OF_ALL, 24, .limit = JAVA_BLOB_BYTES - 3},
	{"CodeBlob", "_frame_complete_offset", OF_ALL, 28, .limit = JAVA_BLOB_BYTES - 3},
	{"CodeBlob", "_code_begin", OF_17, 32, .limit = JAVA_BLOB_BYTES - 7},
	{"CodeBlob", "_code_end", OF_17, 40, .limit = JAVA_BLOB_BYTES - 7},
	{"CodeBlob", "_code_offset", OF_8 | OF_25, 48, .limit = JAVA_BLOB_BYTES - 7},
	{"CodeBlob", "_data_offset", OF_8 | OF_25, 52, .limit = JAVA_BLOB_BYTES - 7},
	{"CompiledMethod", "_method", OF_17, 112, .limit = JAVA_BLOB_BYTES - 7},
	{"nmethod", "_method", OF_8 | OF_25, 64, .limit = JAVA_BLOB_BYTES - 7},
	{"Method", "_constMethod", OF_ALL, 8, .limit = 256},
	{"ConstMethod", "_constants", OF_ALL, 16, .limit = JAVA_CONST_WORDS * 8 - 7},
	{"ConstMethod", "_name_index", OF_ALL, 36, .limit = JAVA_CONST_WORDS * 8 - 1},
	{"ConstMethod", "_code_size", OF_ALL, 34, .limit = 256},
	{"ConstantPool", "_pool_holder", OF_ALL, 25, .limit = 256},
	{"Klass", "_name", OF_ALL, 26, .limit = 256},
	{"Symbol", "_length", OF_ALL, 4, .limit = 256},
	{"Symbol", "_body[0]", OF_8, 6, .limit = 256},
	{"Symbol", "_body", OF_17 | OF_25, 6, .limit = 256},
	{"ConstMethod", "_flags", OF_8 | OF_17, 38, LINES, .limit = OF_LAYOUT},
	{"ConstMethod", "_flags._flags", OF_25, 38, LINES, .limit = OF_LAYOUT},
	{"ConstMethod", "_constMethod_size", OF_ALL, 40, LINES, .limit = OF_LAYOUT},
	{"PcDesc", "_pc_offset", OF_ALL, 0, SCOPES, .limit = 1},
	{"PcDesc", "_scope_decode_offset", OF_ALL, 4, SCOPES, .limit = 5},
	{"nmethod", "_compile_id", OF_ALL, 304, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_comp_level", OF_ALL, 310, LEVEL_OF_CODE, .limit = OF_LAYOUT},
	{"nmethod", "_scopes_pcs_offset", OF_ALL, 268, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_dependencies_offset", OF_8 | OF_17, 272, SCOPES, .limit = OF_LAYOUT},
	{"CompiledMethod", "_scopes_data_begin", OF_17, 120, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_scopes_data_offset", OF_8 | OF_25, 276, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_metadata_offset", OF_8 | OF_17, 260, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_immutable_data", OF_25, 96, SCOPES, .limit = OF_LAYOUT},
	{"nmethod", "_immutable_data_size", OF_25, 160, SCOPES, .limit = OF_LAYOUT},
	{"CodeBlob", "_mutable_data", OF_25, 17, SCOPES, .limit = OF_LAYOUT},
	{"CodeBlob", "_mutable_data_size", OF_25, 49, SCOPES, .limit = OF_LAYOUT},
	{"CodeBlob", "_relocation_size", OF_25, 29, SCOPES, .limit = OF_LAYOUT},
	/* Nobody asks for these. */
	{"CodeHeap", "_name", OF_ALL, .offset = 4711},
	{"Other", "_memory", OF_ALL, .offset = 4711},
	{"CodeHeap", "", OF_ALL, .offset = 4711},
};

#define NR_ASKED (ARRAY_SIZE(fields) - 3)

static const struct type {
	const char *name;
	uint64_t bytes, limit;
} types[] = {{"HeapBlock", 16, 64},
	     {"ConstMethod", 56, 256},
	     {"ConstantPool", 72, 256},
	     {"PcDesc", 16, 0},
	     {"Other", 99, 0}};

static const uint64_t usual_symbols[NR_JAVA_SYMBOLS] = {
	[JAVA_FIELDS] = BASE + FIELDS, [JAVA_FIELD_STRIDE] = 48, [JAVA_FIELD_TYPE_NAME] = 0,
	[JAVA_FIELD_NAME] = 8,         [JAVA_FIELD_OFFSET] = 32, [JAVA_FIELD_ADDRESS] = 40,
	[JAVA_TYPES] = BASE + TYPES,   [JAVA_TYPE_STRIDE] = 40,  [JAVA_TYPE_NAME] = 8,
	[JAVA_TYPE_SIZE] = 24,
};

static uint64_t symbols[NR_JAVA_SYMBOLS];

/* A field that the next memory has otherwise; NULL: none. */
static const struct field *changed;
static uint64_t changed_offset;
static bool is_dropped;

static uint8_t memory[NR_AREAS][0x4010];
static uint64_t text_at, nr_reads;
static uint32_t missing_symbol = NR_JAVA_SYMBOLS; /* it cannot be read */
static struct java_machine machine;
static struct java_layout layout;

static long read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t area = (addr - BASE) / DISTANCE, off = (addr - BASE) % DISTANCE;

	(void)ctx;
	nr_reads++;
	if (area >= NR_AREAS || off >= area_bytes[area])
		return -EFAULT;
	if (len > area_bytes[area] - off)
		len = area_bytes[area] - off;
	memcpy(buf, memory[area] + off, len);
	return (long)len;
}

static const struct machine_memory made_memory = {.read = read_memory};

static void put(uint64_t at, uint64_t value, size_t nr)
{
	memcpy(memory[0] + at, &value, nr);
}

/* Puts the text into an area. Returns its address. */
static uint64_t put_text_at(size_t area, uint64_t at, const char *text)
{
	ck_assert_uint_le(at + strlen(text) + 1, area_bytes[area]);
	memcpy(memory[area] + at, text, strlen(text) + 1);
	return BASE + area * DISTANCE + at;
}

static uint64_t put_text(const char *text)
{
	uint64_t at = text_at;

	text_at += strlen(text) + 1;
	return put_text_at(1, at, text);
}

static void put_fields(uint32_t versions)
{
	uint64_t at = FIELDS;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];
		uint64_t offset = f == changed ? changed_offset : f->offset;

		if (!(f->versions & versions) || (f == changed && is_dropped))
			continue;
		put(at + symbols[JAVA_FIELD_TYPE_NAME], put_text(f->type), 8);
		put(at + symbols[JAVA_FIELD_NAME], put_text(f->name), 8);
		/* Variables may have any offset, and it means nothing. */
		put(at + symbols[JAVA_FIELD_OFFSET], f->is_variable ? 99 : offset, 8);
		put(at + symbols[JAVA_FIELD_ADDRESS], f->is_variable ? BASE + offset : 0, 8);
		at += symbols[JAVA_FIELD_STRIDE];
	}
	ck_assert_uint_lt(at, TYPES - 64);
}

/* The place of the name of type @nr, or of its size. */
static uint64_t type_at(size_t nr, enum java_symbol what)
{
	return TYPES + nr * symbols[JAVA_TYPE_STRIDE] + symbols[what];
}

/* Texts may end where memory does, at a page's border or within a page. */
static void put_types(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const char *name = types[i].name;
		uint64_t text = !strcmp(name, "HeapBlock") ? put_text_at(0, 0x3ff6, name)
				: !strcmp(name, "PcDesc")  ? put_text_at(1, 0x3ffc, name)
				: !strcmp(name, "Other")   ? put_text_at(1, 0x400a, name)
							   : put_text(name);

		put(type_at(i, JAVA_TYPE_NAME), text, 8);
		put(type_at(i, JAVA_TYPE_SIZE), types[i].bytes, 8);
	}
}

static void put_heaps(uint32_t versions)
{
	put(HEAPS_AT, BASE + (versions == OF_8 ? HEAP(0) : LIST), 8);
	put(LIST + 4, NR_HEAPS, 4);
	put(LIST + 8, BASE + LIST_DATA, 8);
	for (uint32_t i = 0; i < NR_HEAPS; i++) {
		put(LIST_DATA + 8 * i, BASE + HEAP(i), 8);
		put(HEAP(i) + 16 + 8, code_low[i], 8);
		put(HEAP(i) + 16 + 24, code_low[i] + CODE_BYTES, 8);
		put(HEAP(i) + 96 + 8, CODE_MAP + i, 8);
		put(HEAP(i) + 80, 7 + i, 4);
	}
}

/* Makes the memory of @version. */
static void make(uint32_t versions, uint32_t version)
{
	memset(memory, 0, sizeof(memory));
	text_at = TEXTS;
	put_fields(versions);
	put_types();
	for (size_t i = 0; i < NR_JAVA_SYMBOLS; i++)
		put(SYMBOLS + 8 * i, symbols[i], 8);
	put_heaps(versions);
	put(INTERPRETER_AT, BASE + QUEUE, 8);
	put(QUEUE + 8, INTERPRETER_BEGIN, 8);
	put(QUEUE + 20, INTERPRETER_BYTES, 4);
	put(QUEUE + 28, INTERPRETER_BYTES - 8, 4);
	put(CALL_STUB_AT, code_low[0] + 0x77, 8);
	/* From 21 on, other numbers are in the bytes above. */
	put(VERSION_AT, versions == OF_25 ? version | 0x30200 : version, 4);
}

static int read_it(uint32_t version)
{
	struct interpreter in = {.version = version};

	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++)
		in.java[i] = i == missing_symbol ? NOWHERE : SYMBOLS + 8 * i;
	machine.version = 0;
	return java_machine_read(&made_memory, &in, BASE, &machine, &layout);
}

static int read_made(uint32_t versions, uint32_t version)
{
	make(versions, version);
	return read_it(version);
}

/* As 17, with a field that is otherwise, or has none. */
static int read_changed(uint32_t versions, const struct field *field, uint64_t offset, bool drop)
{
	int ret;

	changed = field;
	changed_offset = offset;
	is_dropped = drop;
	ret = read_made(versions, versions == OF_8 ? 8 : versions == OF_17 ? 17 : 25);
	changed = NULL;
	return ret;
}

static struct java_machine machine_of(uint32_t version)
{
	struct java_machine m = {
		.low = code_low[2],
		.high = code_low[1] + CODE_BYTES,
		.interpreter_begin = INTERPRETER_BEGIN,
		.interpreter_size = INTERPRETER_BYTES,
		.call_stub_return = code_low[0] + 0x77,
		.version = version,
		.block_header = 16,
		.blob_name = 8,
		.blob_frame_size = 24,
		.blob_complete = 28,
		.complete_bytes = version == 25 ? 2 : 4,
		.code_is_offset = version != 17,
		.blob_code_begin = version == 17 ? 32 : 48,
		.blob_code_end = version == 17 ? 40 : 52,
		.blob_method = version == 17 ? 112 : 64,
		.method_const = 8,
		.const_pool = 16,
		.const_name = 36,
		.const_code_size = 34,
		.const_bytes = 56,
		.pool_bytes = 72,
		.pool_class = 25,
		.class_name = 26,
		.symbol_length = 4,
		.symbol_text = 6,
		.blob_compile_id = 304,
	};

	for (uint32_t i = 0; i < (version == 8 ? 1 : NR_HEAPS); i++)
		m.heaps[i] = (struct java_heap){.low = code_low[i],
						.high = code_low[i] + CODE_BYTES,
						.map = CODE_MAP + i,
						.shift = 7 + i};
	if (version == 8) {
		m.low = code_low[0];
		m.high = code_low[0] + CODE_BYTES;
	}
	return m;
}

static struct java_layout layout_of(uint32_t version)
{
	struct java_layout l = {.has_lines = 1,
				.has_scopes = 1,
				.const_flags = 38,
				.const_words = 40,
				.compile_id = 304,
				.level = 310,
				.pcs = 268};

	if (version == 25) {
		l.pcs_end = l.scopes = 276;
		l.immutable = 96;
		l.scopes_end = 160;
		l.mutable = 17;
		l.mutable_bytes = 49;
		l.relocation_bytes = 29;
		return l;
	}
	l.pcs_end = 272;
	l.scopes = version == 8 ? 276 : 120;
	l.scopes_is_offset = version == 8;
	l.metadata = 260;
	return l;
}

static const struct {
	uint32_t versions, version;
} made[] = {{OF_8, 8}, {OF_17, 17}, {OF_25, 25}};

START_TEST(machines_of_versions)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		const struct java_machine want = machine_of(made[i].version);
		const struct java_layout want_layout = layout_of(made[i].version);

		nr_reads = 0;
		ck_assert_int_eq(read_made(made[i].versions, made[i].version), 0);
		ck_assert_mem_eq(&machine, &want, sizeof(want));
		ck_assert_mem_eq(&layout, &want_layout, sizeof(want_layout));
		/* Pages are read once, unless another one takes their place. */
		ck_assert_uint_lt(nr_reads, 90);
	}
}
END_TEST

/* The number of bytes of an offset changed with version 23. */
START_TEST(offsets_of_two_bytes)
{
	for (uint32_t version = 22; version <= 23; version++) {
		ck_assert_int_eq(read_made(OF_25, version), 0);
		ck_assert_uint_eq(machine.complete_bytes, version == 22 ? 4 : 2);
	}
}
END_TEST

/* What a walk needs has to be there. Lines and scopes are another matter. */
START_TEST(fields_that_are_missing)
{
	for (size_t i = 0; i < NR_ASKED * ARRAY_SIZE(made); i++) {
		const struct field *f = &fields[i % NR_ASKED];
		uint32_t versions = made[i / NR_ASKED].versions;
		int want = f->need == WALK ? -ENOTSUP : f->need == VERSION ? -EFAULT : 0;

		if (!(f->versions & versions))
			continue;
		/* Without a pointer to it, the layout is taken for an older one. */
		ck_assert_msg(read_changed(versions, f, 0, true) == want, "%s.%s", f->type,
			      f->name);
		if (want)
			continue;
		ck_assert_msg(layout.has_lines == (f->need != LINES), "%s", f->name);
		ck_assert_msg(layout.has_scopes == (f->need != SCOPES), "%s", f->name);
		ck_assert_uint_eq(machine.blob_compile_id, f->need == SCOPES ? 0 : 304);
		if (f->need == LEVEL_OF_CODE)
			ck_assert_uint_eq(layout.level, 0);
	}
}
END_TEST

START_TEST(offsets_have_limits)
{
	for (size_t i = 0; i < NR_ASKED * ARRAY_SIZE(made); i++) {
		const struct field *f = &fields[i % NR_ASKED];
		uint32_t versions = made[i / NR_ASKED].versions;
		int want = f->need == WALK ? -ENOTSUP : 0;

		if (!(f->versions & versions) || !f->limit)
			continue;
		ck_assert_msg(read_changed(versions, f, f->limit - 1, false) == 0, "%s", f->name);
		ck_assert(layout.has_lines && layout.has_scopes);
		ck_assert_msg(read_changed(versions, f, f->limit, false) == want, "%s", f->name);
		if (want)
			continue;
		ck_assert_msg(layout.has_lines == (f->need != LINES), "%s", f->name);
		ck_assert_msg(layout.has_scopes == (f->need != SCOPES), "%s", f->name);
		if (f->need == LEVEL_OF_CODE)
			ck_assert_uint_eq(layout.level, 0);
	}
}
END_TEST

/* Of all that the description of a machine is read from, each may be out of reach. */
START_TEST(places_that_cannot_be_read)
{
	for (size_t i = 0; i < NR_ASKED * ARRAY_SIZE(made); i++) {
		const struct field *f = &fields[i % NR_ASKED];
		uint32_t versions = made[i / NR_ASKED].versions;

		if ((f->versions & versions) && f->is_read)
			ck_assert_msg(read_changed(versions, f, NOWHERE, false) == -EFAULT, "%s",
				      f->name);
	}
	/* Debug information is in the same place as the code's, or not known. */
	for (size_t i = 0; i < NR_ASKED; i++)
		if (!strcmp(fields[i].name, "_immutable_data")) {
			ck_assert_int_eq(read_changed(OF_25, &fields[i], 0, false), 0);
			ck_assert_uint_eq(layout.has_scopes, 0);
		}
}
END_TEST

START_TEST(sizes_have_limits)
{
	for (size_t i = 0; i < 3; i++) {
		const struct {
			uint64_t bytes;
			int want;
		} cases[] = {{types[i].limit - 1, 0}, {types[i].limit, -ENOTSUP}, {0, -ENOTSUP}};

		for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
			make(OF_17, 17);
			put(type_at(i, JAVA_TYPE_SIZE), cases[k].bytes, 8);
			ck_assert_int_eq(read_it(17), cases[k].want);
		}
	}
	for (uint64_t bytes = 15; bytes <= 17; bytes++) {
		make(OF_17, 17);
		put(type_at(3, JAVA_TYPE_SIZE), bytes, 8);
		ck_assert_int_eq(read_it(17), 0);
		ck_assert_uint_eq(layout.has_scopes, bytes == 16);
	}
}
END_TEST

/* Numbers in the memory of a machine that has not begun yet, or is none. */
START_TEST(machines_that_are_not_ready)
{
	const uint64_t low = code_low[0], high = code_low[1] + CODE_BYTES;
	const struct {
		uint32_t versions;
		uint64_t at, value;
		size_t nr;
		int want;
	} cases[] = {
		{OF_17, VERSION_AT, 0, 4, -EAGAIN},
		{OF_17, VERSION_AT, 18, 4, -ENOTSUP},
		{OF_17, VERSION_AT, 17 | 0x100, 4, -ENOTSUP},
		{OF_25, VERSION_AT, 0x100, 4, -EAGAIN},
		{OF_17, HEAPS_AT, 0, 8, -EAGAIN},
		{OF_8, HEAPS_AT, 0, 8, -EAGAIN},
		{OF_17, HEAPS_AT, NOWHERE, 8, -EFAULT},
		{OF_17, LIST + 4, 0, 4, -EAGAIN},
		{OF_17, LIST + 4, MAX_JAVA_HEAPS + 1, 4, -ENOTSUP},
		{OF_17, LIST + 8, NOWHERE, 8, -EFAULT},
		{OF_17, LIST_DATA + 8, NOWHERE, 8, -EFAULT},
		{OF_17, HEAP(1) + 24, 0, 8, -EAGAIN},
		{OF_17, HEAP(1) + 104, 0, 8, -EAGAIN},
		{OF_8, HEAP(0) + 40, low, 8, -ENOTSUP},
		{OF_8, HEAP(0) + 40, low - 1, 8, -ENOTSUP},
		{OF_8, HEAP(0) + 40, low + (UINT64_C(4) << 30), 8, 0},
		{OF_8, HEAP(0) + 40, low + (UINT64_C(4) << 30) + 1, 8, -ENOTSUP},
		{OF_8, HEAP(0) + 80, 16, 4, 0},
		{OF_8, HEAP(0) + 80, 17, 4, -ENOTSUP},
		{OF_17, INTERPRETER_AT, 0, 8, -EAGAIN},
		{OF_8, QUEUE + 8, low, 8, 0},
		{OF_8, QUEUE + 8, low - 1, 8, -ENOTSUP},
		{OF_17, QUEUE + 8, high, 8, -ENOTSUP},
		{OF_17, QUEUE + 8, high - INTERPRETER_BYTES, 8, 0},
		{OF_17, QUEUE + 8, high - INTERPRETER_BYTES + 1, 8, -ENOTSUP},
		{OF_17, QUEUE + 28, INTERPRETER_BYTES - 4096, 4, 0},
		{OF_17, QUEUE + 28, INTERPRETER_BYTES - 4097, 4, -EAGAIN},
		{OF_17, QUEUE + 28, INTERPRETER_BYTES + 8, 4, 0},
		{OF_8, QUEUE + 28, INTERPRETER_BYTES - 4097, 4, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t version = cases[i].versions == OF_8    ? 8
				   : cases[i].versions == OF_17 ? 17
								: 25;

		make(cases[i].versions, version);
		put(cases[i].at, cases[i].value, cases[i].nr);
		ck_assert_msg(read_it(version) == cases[i].want, "%zu", i);
		/* Without success nothing is told. */
		ck_assert_uint_eq(machine.version, cases[i].want ? 0 : version);
	}
}
END_TEST

/* Version 9 is the first that makes the interpreter's room smaller. */
START_TEST(the_interpreter_of_version_9)
{
	for (uint32_t version = 8; version <= 9; version++) {
		make(OF_17, version);
		put(QUEUE + 28, 0, 4);
		ck_assert_int_eq(read_it(version), version == 8 ? 0 : -EAGAIN);
	}
}
END_TEST

/* The arrays have entries of 64 bytes at most, and may not be there yet. */
START_TEST(symbols_that_lie)
{
	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++) {
		bool is_array = i == JAVA_FIELDS || i == JAVA_TYPES;
		bool is_stride = i == JAVA_FIELD_STRIDE || i == JAVA_TYPE_STRIDE;

		make(OF_17, 17);
		put(SYMBOLS + 8 * i, is_array ? 0 : is_stride ? 65 : 57, 8);
		ck_assert_int_eq(read_it(17), is_array ? -EAGAIN : -ENOTSUP);
		if (is_array) {
			put(SYMBOLS + 8 * i, NOWHERE, 8);
			ck_assert_int_eq(read_it(17), -EFAULT);
		}
		missing_symbol = i;
		ck_assert_int_eq(read_it(17), -EFAULT);
		missing_symbol = NR_JAVA_SYMBOLS;
	}
}
END_TEST

START_TEST(entries_of_64_bytes)
{
	symbols[JAVA_FIELD_STRIDE] = symbols[JAVA_TYPE_STRIDE] = 64;
	symbols[JAVA_FIELD_ADDRESS] = symbols[JAVA_TYPE_SIZE] = 56;
	ck_assert_int_eq(read_made(OF_17, 17), 0);
	ck_assert_uint_eq(machine.pool_bytes, 72);
	ck_assert_uint_eq(machine.call_stub_return, code_low[0] + 0x77);
}
END_TEST

/* Texts that are nowhere, where the array of fields or of types refers to them. */
START_TEST(texts_that_cannot_be_read)
{
	static const struct {
		uint64_t at, value;
		int want;
	} cases[] = {
		{FIELDS, NOWHERE, -EFAULT},
		{FIELDS + 8, NOWHERE, -EFAULT},
		{FIELDS + 8, 0, -EFAULT},
		{TYPES + 8 /* its name */, NOWHERE, -EFAULT},
		{FIELDS, 0, -ENOTSUP /* it is the end */},
		{TYPES + 8, 0, -ENOTSUP},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make(OF_17, 17);
		put(cases[i].at, cases[i].value, 8);
		ck_assert_int_eq(read_it(17), cases[i].want);
	}
}
END_TEST

/* An array that goes on up to the end of the memory. */
START_TEST(an_array_without_an_end)
{
	make(OF_17, 17);
	for (size_t i = 0; type_at(i + 1, JAVA_TYPE_NAME) < area_bytes[0]; i++)
		put(type_at(i, JAVA_TYPE_NAME), BASE + DISTANCE + TEXTS, 8);
	ck_assert_int_eq(read_it(17), -EFAULT);
}
END_TEST

static void begin(void)
{
	memcpy(symbols, usual_symbols, sizeof(symbols));
}

static void end(void)
{
}

SUITE_MAIN_WITH("java_machine", begin, end, machines_of_versions, offsets_of_two_bytes,
		fields_that_are_missing, offsets_have_limits, places_that_cannot_be_read,
		sizes_have_limits, machines_that_are_not_ready, the_interpreter_of_version_9,
		symbols_that_lie, entries_of_64_bytes, texts_that_cannot_be_read,
		an_array_without_an_end)
