/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words and names of Java methods (bpf/languages/languages.h). A Method refers to a
 * ConstMethod, and that to the pool of constants of its class, which has the names. All memory
 * belongs to the process. So reads may fail, and names have a limit.
 */
#ifndef BPF_MADE_JAVA_NAMES_H
#define BPF_MADE_JAVA_NAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/made/java_frames.h"
#include "bpf/languages/seen_functions.h"
#include "bpf/languages/send_names.h"

/* The lowest bit of an element of the pool is a flag. */
#define POOL_TAG 1ULL

/* The 2 bytes at @off of the ConstMethod at hand. */
static __always_inline __u16 const_number(const struct java_scratch *s, __u8 off)
{
	return *(const __u16 *)((const char *)s->parts + (off & (JAVA_CONST_WORDS * 8 - 2)));
}

/* The 8 bytes at @off of the ConstMethod at hand. */
static __always_inline __u64 const_word(const struct java_scratch *s, __u8 off)
{
	return *(const __u64 *)((const char *)s->parts + (off & (JAVA_CONST_WORDS * 8 - 8)));
}

/* Reads the Symbol at @addr, as many bytes as there is room for. */
static __always_inline bool read_symbol(const struct java_machine *m, __u64 addr,
					struct language_text *text)
{
	__u16 length;
	__u32 nr;

	if (read_user(&length, sizeof(length), addr + m->symbol_length))
		return false;
	text->is_cut = length > NAME_BYTES;
	text->kind = 0;
	nr = text->is_cut ? NAME_BYTES : length;
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	if (!nr || nr > NAME_BYTES)
		return false;
	return !bpf_probe_read_user(text->bytes, nr, (void *)(addr + m->symbol_text));
}

static __always_inline bool read_method_names(const struct java_machine *m,
					      const struct java_scratch *s,
					      struct function_name *name)
{
	__u64 element = s->pool + m->pool_bytes + 8ULL * const_number(s, m->const_name);
	__u64 class = read_user_word(s->pool + m->pool_class);

	return read_symbol(m, read_user_word(element) & ~POOL_TAG, &name->name) &&
	       read_symbol(m, read_user_word(class + m->class_name), &name->file);
}

/* Reads the ConstMethod of the method at hand, and where its pool is. */
static __always_inline bool read_const_method(const struct java_machine *m, struct java_scratch *s)
{
	if (word_addr(s->method) != s->method || s->method < NR_NOTES ||
	    read_user(&s->const_at, sizeof(s->const_at), s->method + m->method_const) ||
	    read_user(s->parts, sizeof(s->parts), s->const_at))
		return false;
	s->pool = const_word(s, m->const_pool);
	return true;
}

/* Is the program to read the name of the method at hand, of process @tgid? */
static __always_inline bool is_name_wanted(const struct java_scratch *s, __u32 tgid)
{
	struct java_machine *m;

	if (!s->is_place)
		return true;
	m = bpf_map_lookup_elem(&java_machines, &tgid);
	return m && m->nr_places < JAVA_PLACES_NAMED &&
	       __sync_fetch_and_add(&m->nr_places, 1) < JAVA_PLACES_NAMED;
}

/* Hands over the name of the method at hand of @level, as send_python_function does. */
__verified_once int send_method(__u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	const struct java_machine *m;
	struct function_name *name;

	if (!walk_languages || !memory)
		return 0;
	m = &memory->java_machine;
	name = begin_name(&memory->java.function, memory->tgid, &memory->nr_name_failures,
			  sizeof(*name));
	if (!name)
		return 0;
	name->line = 0;
	name->block = memory->java.is_place ? memory->java.block : 0;
	name->compile_id = memory->java.compile_id;
	name->name.nr_bytes = name->name.is_cut = name->name.kind = 0;
	name->file.nr_bytes = name->file.is_cut = name->file.kind = 0;
	end_name(name,
		 !is_name_wanted(&memory->java, memory->tgid) ||
			 (read_const_method(m, &memory->java) &&
			  read_method_names(m, &memory->java, name)),
		 &memory->java.function, &memory->nr_name_failures);
	return 0;
}

/* The word of a method, by its address. Returns 0 if its parts cannot be read. */
static __always_inline __u64 method_word(const struct java_machine *m, struct java_scratch *s)
{
	if (!read_const_method(m, s))
		return 0;
	return LANGUAGE_WORD(
		LANGUAGE_JAVA,
		java_method_check(s->const_at, s->pool, const_number(s, m->const_name)), s->method);
}

/* The word of a place in compiled code, by its address. Returns 0 if it cannot be read. */
static __always_inline __u64 place_word(const struct java_machine *m, struct java_scratch *s)
{
	if (word_addr(s->pc) != s->pc ||
	    read_user(&s->compile_id, sizeof(s->compile_id), s->block + m->blob_compile_id))
		return 0;
	return LANGUAGE_WORD(LANGUAGE_JAVA, java_place_check(s->block, s->compile_id), s->pc);
}

/*
 * Finds the word of the method at hand of @level, and hands its names to the recorder at first
 * sight. Returns 1 with the word in the scratch, or 0 if it cannot be read.
 */
__verified_once int find_method_word(__u64 space_id, __u32 level)
{
	struct walk_memory *memory = walk_memory_of(level);
	const struct java_machine *m;
	struct java_scratch *s;

	if (!memory)
		return 0;
	m = &memory->java_machine;
	s = &memory->java;
	s->is_place = s->kind == JAVA_NMETHOD && m->blob_compile_id;
	s->function.space_id = space_id;
	s->function.word = s->is_place ? place_word(m, s) : method_word(m, s);
	if (!s->function.word)
		return 0;
	if (!is_function_seen(&s->function))
		send_method(level);
	return 1;
}

#endif
