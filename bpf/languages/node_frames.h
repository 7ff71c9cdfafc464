/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions of JavaScript in frames of V8, the engine of Node.js. V8's code has no tables
 * and keeps frames along fp, whether it is interpreted, compiled or a part of the program
 * (src/execution/frame-constants.h):
 *
 *	fp - 8		the context; of frames that are no function's, a small number
 *	fp - 16		the function
 *
 * So a step along fp leads to the function of the frame that it leaves. The collector of garbage
 * moves objects, so the words and names are read at once. All memory belongs to the process, which
 * can write anything there: reads may fail, and each object has to be of the type that is expected.
 */
#ifndef BPF_LANGUAGES_NODE_FRAMES_H
#define BPF_LANGUAGES_NODE_FRAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/seen_functions.h"
#include "bpf/languages/send_names.h"
#include "bpf/walk/stack_window.h"

#define NODE_FRAME_FUNCTION 16 /* below fp; the context follows */

/*
 * Addresses of objects have the lowest bits 01. Small numbers have the lowest bit 0, and their
 * value in the upper half. The first word of an object is the address of its map.
 */
#define NODE_TAG_MASK     3
#define NODE_TAG          1
#define NODE_MAP_TYPE     12 /* 2 bytes */
#define NODE_SHORT_OBJECT 56
#define IS_OBJECT(w)      (((w)&NODE_TAG_MASK) == NODE_TAG)
#define SMALL_VALUE(w)    ((__u32)((w) >> 32))
#define IS_SMALL(w)       (!(__u32)(w))

/* Types of strings are below 128, and have these parts (src/objects/instance-type.h). */
#define NODE_STRING_TYPES    128
#define NODE_STRING_FORM     7
#define NODE_STRING_ONE_BYTE 8
enum node_string_form {
	NODE_SEQUENCE = 0, /* of characters */
	NODE_CONS = 1,     /* one string and another one, which may be empty */
	NODE_SLICED = 3,   /* a part of a string */
	NODE_THIN = 5,     /* stands for a string */
};

/* Of a string: the length in characters, after a hash. Then come the characters, or its string. */
#define NODE_STRING_HEAD 16
#define STRING_LENGTH(w) ((w)[1] >> 32)
#define NODE_STRING_HOPS 5 /* strings that refer to each other */

/*
 * A ScopeInfo has words (src/objects/scope-info.tq). After those of local variables come one for a
 * class, two for the name, and one for a name that V8 has inferred. Flags tell which there are. The
 * position in the text comes then, or before the local variables.
 */
#define SCOPE_FLAGS          1 /* numbers of words */
#define SCOPE_NR_LOCALS      3
#define SCOPE_POSITION       4 /* if local variables come later */
#define SCOPE_HAS_CLASS(f)   ((f) >> 10 & 1)
#define SCOPE_HAS_NAME(f)    ((f) >> 12 & 3)
#define SCOPE_IS_INFERRED(f) ((f) >> 14 & 1)
#define SCOPE_TABLE_LOCALS   75 /* the names of more variables take one word */
#define SCOPE_MAX_LOCALS     (1u << 20)

/* Of a Script (src/objects/script.tq). */
#define NODE_SCRIPT_ID 64

/* How the source defines a function: flags of a SharedFunctionInfo. */
#define SHARED_SYNTAX(flags) ((flags) >> 7 & 7)
#define SYNTAX_WRAPPED       4 /* it is all of a file, without a function around it */

#define NODE_NO_TYPE 0xffff

/* The type of objects whose first word is @map; NODE_NO_TYPE if it cannot be read. */
static __always_inline __u16 node_type(__u64 map)
{
	__u16 type;

	if (!IS_OBJECT(map) || read_user(&type, sizeof(type), map - NODE_TAG + NODE_MAP_TYPE))
		return NODE_NO_TYPE;
	return type;
}

/*
 * The type of the object at *@object, which becomes its address without the tag; NODE_NO_TYPE if it
 * cannot be read. An object that the collector has just moved says where it is now.
 */
static __always_inline __u16 find_node_object(__u64 *object)
{
	__u64 map;

	if (!IS_OBJECT(*object))
		return NODE_NO_TYPE;
	*object -= NODE_TAG;
	map = read_user_word(*object);
	if (map && !(map & NODE_TAG_MASK)) {
		*object = map;
		map = read_user_word(map);
	}
	return node_type(map);
}

/* An object may be shorter than what is read, and lie at the end of mapped memory. */
static __always_inline long copy_node_object(struct node_scratch *s, __u64 addr)
{
	return read_user(s->object, sizeof(s->object), addr) &&
	       read_user(s->object, NODE_SHORT_OBJECT, addr);
}

/* Reads the object at @object into the scratch, or where it has just been moved to. */
static __always_inline bool read_node_object(struct node_scratch *s, __u64 object)
{
	if (!IS_OBJECT(object) || copy_node_object(s, object - NODE_TAG))
		return false;
	return s->object[0] & NODE_TAG_MASK || !copy_node_object(s, s->object[0]);
}

/* The 8 bytes of the object at hand at offset @off. */
static __always_inline __u64 node_field(const struct node_scratch *s, __u32 off)
{
	off /= 8;
	return off < NODE_OBJECT_WORDS ? s->object[off] : 0;
}

/* If the string at hand ends in another one that is not empty, *@string is that. */
static __always_inline void find_node_tail(struct node_scratch *s, __u64 *string)
{
	__u64 tail = s->words[3];

	if (find_node_object(&tail) >= NODE_STRING_TYPES ||
	    read_user(s->words, NODE_STRING_HEAD, tail) || !STRING_LENGTH(s->words))
		return;
	*string = tail + NODE_TAG;
	s->length = STRING_LENGTH(s->words);
	s->is_tail = 1;
}

/* A pointer, as it cannot be in the map. */
struct node_search {
	struct node_scratch *scratch;
};

/*
 * Goes from the string at hand to that which has its characters. bpf_loop ends when this returns 1.
 */
static long follow_node_string(__u32 i, struct node_search *search)
{
	struct node_scratch *s = search->scratch;
	__u16 type = find_node_object(&s->string);

	if (type >= NODE_STRING_TYPES || read_user(s->words, NODE_STRING_HEAD, s->string))
		return 1;
	if (!i)
		s->length = STRING_LENGTH(s->words);
	if ((type & NODE_STRING_FORM) == NODE_SEQUENCE) {
		if (s->skip + s->length <= STRING_LENGTH(s->words))
			s->type = type;
		return 1;
	}
	if (!(type & 1) || read_user(s->words + 2, NODE_STRING_HEAD, s->string + NODE_STRING_HEAD))
		return 1;
	if ((type & NODE_STRING_FORM) == NODE_SLICED)
		s->skip += SMALL_VALUE(s->words[3]);
	s->string = s->words[2];
	if ((type & NODE_STRING_FORM) == NODE_CONS && !s->skip)
		find_node_tail(s, &s->string);
	return 0;
}

/*
 * Finds the string with the characters of the string at @string. Its address, where they begin, and
 * how many they are, is in the scratch. Returns its type, or NODE_NO_TYPE. Of two strings that are
 * one, the second counts: a long name that V8 has inferred, "Shop.fullPrice", can consist of "Shop"
 * and ".fullPrice".
 */
static __always_inline __u16 find_node_text(struct node_scratch *s, __u64 string)
{
	struct node_search search = {.scratch = s};

	s->string = string;
	s->type = NODE_NO_TYPE;
	s->skip = s->is_tail = 0;
	bpf_loop(NODE_STRING_HOPS, follow_node_string, &search, 0);
	return (__u16)s->type;
}

/* Reads the string at @string: of a long path the last characters, else the first ones. */
static __always_inline bool read_node_text(struct node_scratch *s, __u64 string, bool is_path,
					   struct language_text *text)
{
	__u16 type = find_node_text(s, string);
	__u32 nr, wide;

	if (type == NODE_NO_TYPE)
		return false;
	wide = !(type & NODE_STRING_ONE_BYTE);
	text->kind = 1 + wide;
	text->is_cut = s->length > NAME_BYTES >> wide;
	nr = (text->is_cut ? NAME_BYTES >> wide : s->length) << wide;
	if (text->is_cut && is_path)
		s->skip += s->length - (NAME_BYTES >> wide);
	text->is_cut |= is_path && s->is_tail;
	string = s->string + NODE_STRING_HEAD + (s->skip << wide);
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	return nr <= NAME_BYTES && (!nr || !bpf_probe_read_user(text->bytes, nr, (void *)string));
}

/*
 * Reads a name, which may be missing: then it is a small number or another object. Returns false if
 * it is there, and cannot be read.
 */
static __always_inline bool read_node_name(struct node_scratch *s, __u64 name, bool is_path,
					   struct language_text *text)
{
	__u64 object = name;
	__u16 type;

	text->kind = text->nr_bytes = text->is_cut = 0;
	if (!(name & 1))
		return true;
	type = find_node_object(&object);
	if (type >= NODE_STRING_TYPES)
		return type != NODE_NO_TYPE;
	return read_node_text(s, name, is_path, text);
}

/* Newer versions have the flags in the lower half, where a small number has nothing. */
static __always_inline __u32 scope_flags(__u64 word)
{
	return (__u32)word ? (__u32)word : SMALL_VALUE(word);
}

/* Reads the name in the ScopeInfo at @scope, and the position. Returns false without a name. */
static __always_inline bool read_scope_name(const struct node_layout *at, struct node_scratch *s,
					    __u64 scope, struct language_text *text)
{
	__u32 nr, flags;

	if (read_user(s->words, sizeof(s->words), scope))
		return false;
	flags = scope_flags(s->words[SCOPE_FLAGS]);
	nr = SMALL_VALUE(s->words[SCOPE_NR_LOCALS]);
	if (nr > SCOPE_MAX_LOCALS)
		return false;
	s->position = at->scope_locals > 8 * SCOPE_POSITION ? scope + 8 * SCOPE_POSITION : 0;
	nr += (nr > SCOPE_TABLE_LOCALS ? 1 : nr) + SCOPE_HAS_CLASS(flags);
	scope += at->scope_locals + 8ULL * nr;
	if (SCOPE_HAS_NAME(flags)) {
		if (read_user(s->object, 16, scope) ||
		    !read_node_name(s, s->object[0], false, text))
			return false;
		scope += 16;
	}
	if (SCOPE_IS_INFERRED(flags)) {
		if (!text->nr_bytes && (read_user(s->object, 8, scope) ||
					!read_node_name(s, s->object[0], false, text)))
			return false;
		scope += 8;
	}
	if (read_user(&s->position, sizeof(s->position), s->position ? s->position : scope))
		s->position = NODE_TAG;
	return true;
}

#define ANONYMOUS "(anonymous)"

/* Reads the name of the function at hand. All of a file has none. Returns false as above. */
static __always_inline bool read_function_name(const struct node_layout *at, struct node_scratch *s,
					       struct language_text *text)
{
	__u64 name = s->name;

	s->position = NODE_TAG;
	text->kind = text->nr_bytes = text->is_cut = 0;
	if (find_node_object(&name) == at->scope_type) {
		if (!read_scope_name(at, s, name, text))
			return false;
	} else if (!read_node_name(s, s->name, false, text)) {
		return false;
	}
	if (text->nr_bytes || SHARED_SYNTAX(s->flags) == SYNTAX_WRAPPED || !(s->flags >> 32))
		return true;
	text->kind = 0;
	text->nr_bytes = sizeof(ANONYMOUS) - 1;
	__builtin_memcpy(text->bytes, ANONYMOUS, sizeof(ANONYMOUS) - 1);
	return true;
}

#define EVALUATED "eval"

/*
 * Reads the file of the function at hand. Functions that V8 itself brings have none. The text that
 * a program gives to eval() is a script without a name.
 */
static __always_inline bool read_function_file(const struct node_layout *at, struct node_scratch *s,
					       struct language_text *text)
{
	__u16 type = read_node_object(s, s->script) ? node_type(s->object[0]) : NODE_NO_TYPE;

	text->kind = text->nr_bytes = text->is_cut = 0;
	if (type != at->script_type)
		return type != NODE_NO_TYPE;
	if (!read_node_name(s, node_field(s, at->script_name), true, text))
		return false;
	if (!text->nr_bytes) {
		text->kind = 0;
		text->nr_bytes = sizeof(EVALUATED) - 1;
		__builtin_memcpy(text->bytes, EVALUATED, sizeof(EVALUATED) - 1);
	}
	return true;
}

/*
 * Tells where the text of the function at hand is, which has the name and the file. Its Script
 * counts the lines (record/machines/node_lines.c). All of a file begins at 0.
 */
static __always_inline void tell_node_position(const struct node_layout *at, struct node_scratch *s,
					       struct function_name *name)
{
	__u64 script = s->script, id;

	if (!(s->flags >> 32))
		s->position = 0;
	if (!at->array_type || find_node_object(&script) != at->script_type ||
	    !IS_SMALL(s->position))
		return;
	id = read_user_word(script + NODE_SCRIPT_ID);
	name->block = script;
	name->compile_id = SMALL_VALUE(id);
	name->position = SMALL_VALUE(s->position);
	name->pc = s->pc;
	name->code = s->code;
}

/*
 * Hands over the name of the function at hand of @level, as send_python_function does. Returns 0 if
 * it cannot be read now.
 */
__verified_once int send_node_function(__u32 interpreter, __u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	const struct interpreter *in = interpreter_of(interpreter);
	struct function_name *name;
	struct node_scratch *s;
	bool is_read;

	if (!walk_languages || !memory || !in)
		return 0;
	s = &memory->node;
	name = begin_name(&s->function, memory->tgid, &memory->nr_name_failures, sizeof(*name));
	if (!name)
		return !!bpf_map_lookup_elem(&seen_functions, &s->function);
	name->line = 0;
	name->block = 0;
	name->interpreter = interpreter + 1;
	is_read = read_function_name(&in->node, s, &name->name);
	/* Looked up again, because a kept address takes stack, and the longest chain ends here. */
	in = interpreter_of(interpreter);
	is_read = is_read && in && read_function_file(&in->node, s, &name->file);
	if (is_read && in)
		tell_node_position(&in->node, s, name);
	end_name(name, is_read, &s->function, &memory->nr_name_failures);
	return is_read;
}

/*
 * The word of the function at hand, whose SharedFunctionInfo is at @shared. That object moves, and
 * its place becomes another's. So the word is a hash of all that tells functions apart. In code
 * that V8 has made, each place has a word, because other functions may be in the code there.
 */
static __always_inline __u64 node_word(const struct node_scratch *s, __u64 shared)
{
	__u64 h = shared * SPREAD_FACTOR;

	h = (h ^ h >> 32 ^ s->name) * SPREAD_FACTOR;
	h = (h ^ h >> 29 ^ s->script) * SPREAD_FACTOR;
	h = (h ^ h >> 32 ^ s->flags >> 32) * SPREAD_FACTOR;
	h = (h ^ h >> 29 ^ s->pc ^ s->code) * SPREAD_FACTOR;
	h ^= h >> 32;
	return LANGUAGE_WORD(LANGUAGE_NODE, h >> 48, h | NR_NOTES);
}

/*
 * Is the object at hand a function, or the description of one? Its map is that of the frame before,
 * nearly always.
 */
static __always_inline bool is_node_function(const struct node_layout *at, struct node_scratch *s)
{
	__u16 type;

	if (s->object[0] == s->function_map)
		return true;
	type = node_type(s->object[0]);
	if (type < at->function_type || type > at->last_function_type)
		return false;
	s->function_map = s->object[0];
	return true;
}

static __always_inline bool is_node_shared(const struct node_layout *at, struct node_scratch *s)
{
	if (s->object[0] == s->shared_map)
		return true;
	if (node_type(s->object[0]) != at->shared_type)
		return false;
	s->shared_map = s->object[0];
	return true;
}

/* Finds the function of the frame at @fp, in a process that has V8 as @at says. */
static __always_inline bool find_node_function(const struct node_layout *at, struct node_scratch *s,
					       __u64 fp)
{
	__u64 shared;

	if (read_user(s->slots, sizeof(s->slots), fp - NODE_FRAME_FUNCTION) ||
	    !IS_OBJECT(s->slots[1]) || !read_node_object(s, s->slots[0]) ||
	    !is_node_function(at, s))
		return false;
	shared = node_field(s, at->function_shared);
	if (!read_node_object(s, shared) || !is_node_shared(at, s))
		return false;
	s->name = node_field(s, at->shared_name);
	s->script = node_field(s, at->shared_script);
	s->flags = node_field(s, at->shared_flags);
	/* V8's own functions need have no name. The native one tells more then. */
	if (!IS_OBJECT(s->name))
		return false;
	s->code = 0;
	if (!at->code_header || !s->pc ||
	    read_user(s->words, NODE_CODE_BYTES, s->pc - NODE_CODE_BEFORE))
		s->pc = 0;
	else
		s->code = node_code_check(s->words);
	s->function.word = node_word(s, shared);
	return true;
}

enum found_node_word {
	NODE_NO_WORD,
	NODE_WORD_SEEN, /* the recorder has its name */
	NODE_WORD_NEW,  /* send_node_function is due */
};

/*
 * The walk of @level has gone along fp from a frame whose lowest address was @sp. Its place is in
 * the scratch if it is in code that V8 has made. Is that a frame of a function of JavaScript? Then
 * its word is in the scratch. A frame that has begun, and is not complete, has its function not
 * yet. Returns enum found_node_word.
 */
__verified_once int find_node_word(__u64 sp, __u64 space_id, __u32 interpreter, __u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	const struct interpreter *in = interpreter_of(interpreter);
	__u64 fp;

	if (!walk_languages || !memory || !in || in->language != LANGUAGE_NODE)
		return NODE_NO_WORD;
	fp = memory->walk.frame.fp_at;
	if (fp - NODE_FRAME_FUNCTION < sp || !find_node_function(&in->node, &memory->node, fp))
		return NODE_NO_WORD;
	memory->node.function.space_id = space_id;
	return is_function_seen(&memory->node.function) ? NODE_WORD_SEEN : NODE_WORD_NEW;
}

#endif
