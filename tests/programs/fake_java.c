// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of HotSpot 17, and machine code in a heap of code, whose methods call each
 * other in a known way: K.outer, K.middle, K.leaf. The code keeps no frame pointers. With an
 * argument it lies in one way:
 *
 *	map      the map of the heap leads to no block
 *	frame    a frame has gigabytes
 *	still    a frame has no bytes
 *	endless  the list of fields has no end
 *	heap     the heap is where nothing is mapped
 *	method   the method is where nothing is mapped
 *	huge     names have 65535 bytes
 *	escape   names have control characters
 *	version  the process says another version than the file
 *	served   the list of fields is a mapping of the file after this word
 *	late     this is no lie: the machine begins after a while
 *
 * RELEASE is the version of the file. With EIGHT the layout is that of HotSpot 8: one heap without
 * a list, code at offsets from its block, and an interpreter with room to spare. Link it with
 * -Wl,--export-dynamic.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"
#include "marks.h"

#ifndef RELEASE
#define RELEASE "17.0.99"
#endif
const char vm_info[] =
	"Fake VM (" RELEASE ") for linux-amd64 JRE (" RELEASE "+1-fake), built on no day";

struct symbol {
	uint32_t hash;
	uint16_t length;
	char body[250];
};

struct class
{
	char head[24];
	struct symbol *name;
};

struct pool {
	char head[24];
	struct class *class;
	char end[40];
	struct symbol *elements[4];
};

struct const_method {
	char head[8];
	struct pool *pool;
	char more[16];
	uint16_t code_size, name_index;
	char end[12];
};

struct method {
	char head[8];
	struct const_method *parts;
};

#ifdef EIGHT
struct blob {
	char head[8];
	const char *name;
	char more[16];
	int code_offset, complete, data_offset, frame_words;
	char end[16];
	struct method *method;
};
_Static_assert(offsetof(struct blob, frame_words) == 44, "as HotSpot 8 has it");
_Static_assert(offsetof(struct blob, method) == 64, "as HotSpot 8 has it");
#else
struct blob {
	char head[20];
	int complete, data, frame_words;
	char *code_begin, *code_end;
	char more[48];
	const char *name;
	char end[8];
	struct method *method;
};
_Static_assert(offsetof(struct blob, name) == 96, "as HotSpot 17 has it");
_Static_assert(offsetof(struct blob, method) == 112, "as HotSpot 17 has it");
#endif

struct space {
	char *low, *high;
};

struct heap {
	char head[8];
	struct space memory;
	struct space map;
	int shift;
};

struct list {
	int nr, max;
	struct heap **data;
};

static struct heap heap, *heaps[] = {&heap};
#ifdef EIGHT
static struct heap *code_heaps;
#define CODE_HEAPS heaps[0]
#else
static struct list list = {1, 1, heaps}, *code_heaps;
#define CODE_HEAPS &list
#endif
static void *call_stub;

struct queue {
	char head[8];
	char *begin;
	char more[4];
	int limit, first, end;
};

static struct queue queue, *interpreter;
static unsigned char version[8];

struct field {
	const char *type, *name, *type_text;
	int is_static;
	uint64_t offset;
	void *address;
};

struct type {
	const char *name, *super;
	int flags[3];
	uint64_t size;
};

#define FIELD(type, name, of, member)                                                              \
	{                                                                                          \
		type, name, "", 0, offsetof(struct of, member), NULL                               \
	}
#define STATIC(type, name, variable)                                                               \
	{                                                                                          \
		type, name, "", 1, 0, &(variable)                                                  \
	}

/* The list is too long for its reader if it goes on after the last field. */
static struct field fields[6000] = {
#ifdef EIGHT
	STATIC("CodeCache", "_heap", code_heaps),
	FIELD("CodeBlob", "_code_offset", blob, code_offset),
	FIELD("CodeBlob", "_data_offset", blob, data_offset),
	FIELD("nmethod", "_method", blob, method),
#else
	STATIC("CodeCache", "_heaps", code_heaps),
	FIELD("GrowableArrayBase", "_len", list, nr),
	FIELD("GrowableArray<int>", "_data", list, data),
	FIELD("CodeBlob", "_code_begin", blob, code_begin),
	FIELD("CodeBlob", "_code_end", blob, code_end),
	FIELD("CompiledMethod", "_method", blob, method),
#endif
	FIELD("CodeHeap", "_memory", heap, memory),
	FIELD("CodeHeap", "_segmap", heap, map),
	FIELD("CodeHeap", "_log2_segment_size", heap, shift),
	FIELD("VirtualSpace", "_low_boundary", space, low),
	FIELD("VirtualSpace", "_high_boundary", space, high),
	STATIC("AbstractInterpreter", "_code", interpreter),
	FIELD("StubQueue", "_stub_buffer", queue, begin),
	FIELD("StubQueue", "_buffer_limit", queue, limit),
	FIELD("StubQueue", "_queue_end", queue, end),
	STATIC("StubRoutines", "_call_stub_return_address", call_stub),
	STATIC("JDK_Version", "_current", version),
	FIELD("CodeBlob", "_name", blob, name),
	FIELD("CodeBlob", "_frame_size", blob, frame_words),
	FIELD("CodeBlob", "_frame_complete_offset", blob, complete),
	FIELD("Method", "_constMethod", method, parts),
	FIELD("ConstMethod", "_constants", const_method, pool),
	FIELD("ConstMethod", "_name_index", const_method, name_index),
	FIELD("ConstMethod", "_code_size", const_method, code_size),
	FIELD("ConstantPool", "_pool_holder", pool, class),
	FIELD("Klass", "_name", class, name),
	FIELD("Symbol", "_length", symbol, length),
	FIELD("Symbol", "_body", symbol, body),
};

#define BLOCK_HEADER 16
static struct type types[] = {
	{.name = "HeapBlock", .size = BLOCK_HEADER},
	{.name = "ConstMethod", .size = sizeof(struct const_method)},
	{.name = "ConstantPool", .size = offsetof(struct pool, elements)},
	{0},
};

/* HotSpot's own names. */
struct field *gHotSpotVMStructs = fields;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct field);
uint64_t gHotSpotVMStructEntryTypeNameOffset = offsetof(struct field, type);
uint64_t gHotSpotVMStructEntryFieldNameOffset = offsetof(struct field, name);
uint64_t gHotSpotVMStructEntryOffsetOffset = offsetof(struct field, offset);
uint64_t gHotSpotVMStructEntryAddressOffset = offsetof(struct field, address);
struct type *gHotSpotVMTypes = types;
uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
uint64_t gHotSpotVMTypeEntryTypeNameOffset = offsetof(struct type, name);
uint64_t gHotSpotVMTypeEntrySizeOffset = offsetof(struct type, size);

static const char *lie = "";

#define HEAP_BYTES 65536
#define SHIFT      7
#define CODE_AT    (BLOCK_HEADER + 144)
#define BLOCK      512 /* bytes of a block with its code */

#ifdef EIGHT
#define OWN_VERSION 8
#define ROOM        8192 /* of the interpreter, which does not give back any */
#else
#define OWN_VERSION atoi(RELEASE)
#define ROOM        BLOCK
#endif

static struct symbol *make_symbol(const char *text)
{
	struct symbol *s = calloc(1, sizeof(*s));

	s->length = snprintf(s->body, sizeof(s->body), "%s%s", text,
			     strcmp(lie, "escape") ? "" : "\x1b[31m\n;\x07");
	if (!strcmp(lie, "huge"))
		s->length = 65535;
	return s;
}

static struct method *make_method(struct pool *pool, int index, const char *name)
{
	struct method *m = calloc(1, sizeof(*m));

	if (!strcmp(lie, "method"))
		return (struct method *)0x123456789000;
	pool->elements[index] = make_symbol(name);
	m->parts = calloc(1, sizeof(*m->parts));
	m->parts->pool = pool;
	m->parts->name_index = index;
	return m;
}

/* Puts code into block @nr of the heap. */
static void put_block(int nr, const unsigned char *code, size_t bytes)
{
	memcpy(heap.memory.low + nr * BLOCK + CODE_AT, code, bytes);
	for (int i = 0; i < BLOCK >> SHIFT; i++)
		heap.map.low[(nr * BLOCK >> SHIFT) + i] = strcmp(lie, "map") ? i : 1;
}

/* Says in a block where its code is. */
static void put_code_range(struct blob *b, char *code, char *end)
{
#ifdef EIGHT
	b->code_offset = code - (char *)b;
	b->data_offset = end - (char *)b;
#else
	b->code_begin = code;
	b->code_end = end;
#endif
}

/*
 * Block @nr of the heap: a method that saves rbp, spoils it, and calls @body. Frames have
 * different sizes. Returns its code.
 */
static char *make_block(int nr, struct method *method, void *body)
{
	unsigned char code[] = {
		0x55,                            /* push rbp */
		0x48, 0x83, 0xec, 16 * (nr + 1), /* sub rsp */
		0xbd, 1,    0,    0,
		0, /* mov ebp, 1 */
		0x48, 0xb8, 0,    0,
		0,    0,    0,    0,
		0,    0,                         /* mov rax, body */
		0xff, 0xd0,                      /* call rax */
		0x48, 0x83, 0xc4, 16 * (nr + 1), /* add rsp */
		0x5d,                            /* pop rbp */
		0xc3,                            /* ret */
	};
	char *begin = heap.memory.low + nr * BLOCK;
	struct blob *b = (struct blob *)(begin + BLOCK_HEADER);

	memcpy(code + 12, &body, sizeof(body));
	put_block(nr, code, sizeof(code));
	*b = (struct blob){.complete = 5, .name = "nmethod", .method = method};
	b->frame_words = 2 + 2 * (nr + 1);
	if (!strcmp(lie, "frame"))
		b->frame_words = 0x7fffffff;
	if (!strcmp(lie, "still"))
		b->frame_words = 0;
	put_code_range(b, begin + CODE_AT, begin + BLOCK);
	return begin + CODE_AT;
}

/*
 * Block @nr: the stub by which C calls the method @body. It has a frame of rbp. Returns its code.
 */
static char *make_stub(int nr, void *body)
{
	unsigned char code[] = {
		0x55,                                  /* push rbp */
		0x48, 0x8b, 0xec,                      /* mov rbp, rsp */
		0x48, 0xb8, 0,    0, 0, 0, 0, 0, 0, 0, /* mov rax, body */
		0xff, 0xd0,                            /* call rax */
		0x5d,                                  /* pop rbp */
		0xc3,                                  /* ret */
	};
	char *begin = heap.memory.low + nr * BLOCK;
	struct blob *b = (struct blob *)(begin + BLOCK_HEADER);

	memcpy(code + 6, &body, sizeof(body));
	put_block(nr, code, sizeof(code));
	*b = (struct blob){.complete = -1, .name = "StubRoutines (1)"};
	put_code_range(b, begin + CODE_AT, begin + BLOCK);
	return begin + CODE_AT;
}

static int burn_inside(void)
{
	if (!marks_left)
		BURN_MS(20);
	mark();
	return 1;
}

static void make_heap(void)
{
	heap.memory.low = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (heap.memory.low == MAP_FAILED)
		exit(1);
	heap.memory.high = heap.memory.low + HEAP_BYTES;
	heap.map.low = malloc(HEAP_BYTES >> SHIFT);
	memset(heap.map.low, 0xff, HEAP_BYTES >> SHIFT);
	heap.map.high = heap.map.low + (HEAP_BYTES >> SHIFT);
	heap.shift = SHIFT;
}

/* The methods in the heap, and the stub that calls the outermost one. The stub is returned. */
static int (*make_methods(void))(void)
{
	static struct class class;
	static struct pool pool = {.class = &class};
	char *leaf, *middle, *outer;

	class.name = make_symbol("K");
	leaf = make_block(0, make_method(&pool, 0, "leaf"), (void *)burn_inside);
	middle = make_block(1, make_method(&pool, 1, "middle"), leaf);
	outer = make_block(2, make_method(&pool, 2, "outer"), middle);
	return (int (*)(void))make_stub(3, outer);
}

int main(int argc, char **argv)
{
	static struct heap nowhere = {.memory = {(char *)0x123456780000, (char *)0x123456790000},
				      .map = {(char *)0x123456780000, NULL}};
	int (*outer)(void), ret = 0;

	if (argc < 2 || !vm_info[0])
		return 1;
	lie = argc > 2 ? argv[2] : "";
	make_heap();
	outer = make_methods();
	if (!strcmp(lie, "endless"))
		for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
			if (!fields[i].type)
				fields[i] = fields[1];
	if (!strcmp(lie, "served") && argc > 3)
		gHotSpotVMStructs = mmap(NULL, sizeof(fields), PROT_READ, MAP_PRIVATE,
					 open(argv[3], O_RDONLY), 0);
	if (!strcmp(lie, "heap"))
		heaps[0] = &nowhere;
	version[0] = strcmp(lie, "version") ? OWN_VERSION : 11;
	queue = (struct queue){.begin = heap.memory.high - ROOM, .limit = ROOM, .end = BLOCK};
	/* A machine that begins late has no heap before. */
	if (!strcmp(lie, "late"))
		for (int i = atoi(argv[1]); i > 0; i--)
			ret += outer();
	code_heaps = CODE_HEAPS;
	interpreter = &queue;
	for (int i = atoi(argv[1]); i > 0; i--)
		ret += outer();
	return ret < 0;
}
