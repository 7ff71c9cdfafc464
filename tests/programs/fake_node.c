// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the numbers of V8 11.3 and objects as it has them, and functions of known names in code that
 * it makes. With an argument it lies in one way:
 *
 *	thin    a name is a string that stands for itself
 *	wild    frames have functions at addresses that are not mapped
 *	huge    names have a gigabyte
 *	escape  names have control characters
 *	types   functions are of other types
 *	moved   an object has been moved to where it is
 *	locals  a function has more local variables than memory
 *	text    the text of the program is a string that stands for itself
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"

#ifdef UNKNOWN_RELEASE
#define MAJOR 99
#else
#define MAJOR 11
#endif

/* V8's own names, by which the recorder knows it. */
#define NUMBER(name, value)       const int name = value
#define DEBUG_NUMBER(name, value) NUMBER(v8dbg_##name, value)

NUMBER(_ZN2v88internal7Version6major_E, MAJOR);
NUMBER(_ZN2v88internal7Version6minor_E, 3);
NUMBER(_ZN2v88internal7Version6build_E, 77);
DEBUG_NUMBER(HeapObjectTag, 1);
DEBUG_NUMBER(HeapObjectTagMask, 3);
DEBUG_NUMBER(SmiTagMask, 1);
DEBUG_NUMBER(SmiShiftSize, 31);
DEBUG_NUMBER(off_fp_context, -8);
DEBUG_NUMBER(off_fp_function, -16);
DEBUG_NUMBER(class_Map__instance_type__uint16_t, 12);
DEBUG_NUMBER(IsNotStringMask, ~127);
DEBUG_NUMBER(StringRepresentationMask, 7);
DEBUG_NUMBER(StringEncodingMask, 8);
DEBUG_NUMBER(OneByteStringTag, 8);
DEBUG_NUMBER(ConsStringTag, 1);
DEBUG_NUMBER(SlicedStringTag, 3);
DEBUG_NUMBER(ThinStringTag, 5);
DEBUG_NUMBER(class_String__length__int32_t, 12);
DEBUG_NUMBER(class_SeqOneByteString__chars__char, 16);
DEBUG_NUMBER(class_SeqTwoByteString__chars__char, 16);
DEBUG_NUMBER(class_ConsString__first__String, 16);
DEBUG_NUMBER(class_ConsString__second__String, 24);
DEBUG_NUMBER(class_SlicedString__parent__String, 16);
DEBUG_NUMBER(class_SlicedString__offset__SMI, 24);
DEBUG_NUMBER(class_ThinString__actual__String, 16);
DEBUG_NUMBER(scopeinfo_idx_nparams, 1);
DEBUG_NUMBER(scopeinfo_idx_ncontextlocals, 2);
DEBUG_NUMBER(scopeinfo_idx_first_vars, 3);
DEBUG_NUMBER(type_JSFunction__JS_FUNCTION_TYPE, 2066);
DEBUG_NUMBER(type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE, 262);
DEBUG_NUMBER(type_ScopeInfo__SCOPE_INFO_TYPE, 261);
DEBUG_NUMBER(type_Script__SCRIPT_TYPE, 167);
DEBUG_NUMBER(class_JSFunction__shared__SharedFunctionInfo, 24);
DEBUG_NUMBER(class_SharedFunctionInfo__name_or_scope_info__Object, 16);
DEBUG_NUMBER(class_SharedFunctionInfo__script_or_debug_info__HeapObject, 32);
DEBUG_NUMBER(class_SharedFunctionInfo__flags__int, 48);
DEBUG_NUMBER(class_Script__name__Object, 16);
DEBUG_NUMBER(class_Script__source__Object, 8);
DEBUG_NUMBER(class_Script__line_ends__Object, 56);
DEBUG_NUMBER(class_FixedArray__data__uintptr_t, 16);
DEBUG_NUMBER(class_ExternalString__resource__Object, 16);
DEBUG_NUMBER(ExternalStringTag, 2);
DEBUG_NUMBER(type_FixedArray__FIXED_ARRAY_TYPE, 175);

/* Types of objects. */
enum type {
	ONE_BYTE = 8,
	CONS_ONE_BYTE = 41,
	SLICED_ONE_BYTE = 43,
	THIN_ONE_BYTE = 45,
	TWO_BYTE = 32,
	SCRIPT = 167,
	SCOPE_INFO = 261,
	SHARED_INFO = 262,
	FUNCTION = 2066,
};

/* Flags of a ScopeInfo: it has a class, a name, an inferred name. */
#define HAS_CLASS   (1u << 10)
#define HAS_NAME    (3u << 12)
#define IS_INFERRED (1u << 14)

#define SMALL(n) ((uint64_t)(n) << 32)

static const char *lie = "";

static int is_lie(const char *name)
{
	return !strcmp(lie, name);
}

/* An object of @type with @nr words after the map. Its address has the tag. */
static uint64_t make_object(enum type type, const uint64_t *words, size_t nr)
{
	uint64_t *object = calloc(nr + 9, 8);
	uint16_t *map = calloc(1, 64);

	map[6] = is_lie("types") ? type + 1000 : type;
	object[0] = (uint64_t)map + 1;
	memcpy(object + 1, words, 8 * nr);
	return (uint64_t)object + 1;
}

static uint64_t make_string(const char *s)
{
	uint64_t words[64] = {SMALL(is_lie("huge") ? 1u << 30 : strlen(s))};

	strcpy((char *)(words + 1), s);
	return make_object(ONE_BYTE, words, 64);
}

static uint64_t make_wide_string(const char *s)
{
	uint64_t words[64] = {SMALL(strlen(s))};
	uint16_t *c = (uint16_t *)(words + 1);

	for (size_t i = 0; s[i]; i++)
		c[i] = s[i] == 'e' ? 0x20ac : s[i];
	return make_object(TWO_BYTE, words, 64);
}

/* A string of @type that refers to another one, which has more characters if it is sliced. */
static uint64_t make_reference(enum type type, uint64_t string, size_t length, uint64_t offset)
{
	const uint64_t words[] = {SMALL(length), string, offset};

	return make_object(type, words, 3);
}

/*
 * The name @name as a ScopeInfo has it, after so many local variables. The function begins at
 * @position.
 */
static uint64_t make_scope(uint64_t name, uint32_t nr_locals, uint32_t flags, uint32_t position)
{
	uint64_t words[256] = {SMALL(flags), 0, SMALL(is_lie("locals") ? 1u << 20 : nr_locals)};
	uint32_t at = 3 + (nr_locals > 75 ? 1 : nr_locals) + nr_locals + !!(flags & HAS_CLASS);

	if (flags & HAS_NAME && flags & IS_INFERRED)
		at += 2; /* the first name is none */
	words[at] = name;
	words[at + (flags & IS_INFERRED ? 1 : 2)] = SMALL(position);
	return make_object(SCOPE_INFO, words, 256);
}

static uint64_t make_function(uint64_t name, uint64_t script, uint32_t number)
{
	const uint64_t shared[] = {0, name, 0, script, 0, SMALL(number)};
	const uint64_t words[] = {0, 0, make_object(SHARED_INFO, shared, 6)};

	return make_object(FUNCTION, words, 3);
}

/* push rbp; mov rbp, rsp; push rdi; push rsi; call rdx; leave; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x57, 0x56, 0xff, 0xd2, 0xc9, 0xc3};

/* Calls @body in a frame of @function. */
static void (*call)(uint64_t context, uint64_t function, void (*body)(void));

enum {
	NR_FUNCTIONS = 7,
};

static uint64_t functions[NR_FUNCTIONS], context;
static int at;

__attribute__((noinline)) static void burn_inside(void)
{
	BURN_MS(20);
	__asm__ volatile("");
}

/* A frame of no function, whose context is a small number. */
__attribute__((noinline)) static void native_middle(void)
{
	call(4, functions[1], burn_inside);
	__asm__ volatile("");
}

__attribute__((noinline)) static void run_next(void)
{
	call(context, functions[at], native_middle);
	__asm__ volatile("");
}

static void make_functions(void)
{
	uint64_t path = make_string("/srv/fake.js");
	uint64_t file = make_reference(THIN_ONE_BYTE, path, 12, 0);
	uint64_t text = make_string("1\n2\n3\n4\n5\n6\n7\n8\n");
	uint64_t thin = make_reference(THIN_ONE_BYTE, text, 16, 0);
	const uint64_t words[] = {thin, file, 0, 0, 0, 0, 0, SMALL(11)};
	uint64_t script = make_object(SCRIPT, words, 8);
	uint64_t name = make_string(is_lie("escape") ? "plain\x1b[31m\n;\x07" : "plain");
	uint64_t empty = make_string("");

	if (is_lie("thin"))
		name = make_reference(THIN_ONE_BYTE, name, 5, 0);
	if (is_lie("thin"))
		((uint64_t *)(name - 1))[2] = name;
	if (is_lie("text"))
		((uint64_t *)(thin - 1))[2] = thin;
	if (is_lie("moved"))
		((uint64_t *)(name - 1))[0] = name - 1;
	functions[0] = make_function(name, script, 1);
	functions[1] =
		make_function(make_scope(make_wide_string("wide"), 3, HAS_NAME, 2), script, 2);
	functions[2] = make_function(
		make_scope(make_reference(SLICED_ONE_BYTE, make_string("not sliced"), 6, SMALL(4)),
			   90, HAS_NAME | HAS_CLASS, 5),
		script, 3);
	functions[3] = make_function(
		make_scope(make_reference(CONS_ONE_BYTE, make_string("K.inferred"), 10, empty), 0,
			   HAS_NAME | IS_INFERRED, 6),
		script, 4);
	functions[4] = make_function(empty, script, 5);
	functions[5] = make_function(empty, script, 0); /* the code of the file */
	functions[6] = make_function(make_string("builtin"), empty, -1);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof(code));
	call = memory;
	if (argc > 2)
		lie = argv[2];
	make_functions();
	context = functions[0];
	for (int i = 0; i < rounds; i++)
		for (at = 0; at < NR_FUNCTIONS; at++) {
			if (is_lie("wild"))
				functions[at] = 0x123456789001 + 8 * i;
			run_next();
		}
	return 0;
}
