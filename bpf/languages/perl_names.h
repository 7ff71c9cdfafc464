/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the names of Perl's subs for the recorder, when it meets a sub for the first time in a
 * process. Closures and subs in strings are freed, so nobody could read their names later.
 */
#ifndef BPF_LANGUAGES_PERL_NAMES_H
#define BPF_LANGUAGES_PERL_NAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/send_names.h"

/* Of a value, struct sv: its type, and those of a sub and a format. */
#define PERL_VALUE_TYPE(flags) ((flags) >> 32 & 0xff)
#define PERL_VALUE_SUB         13
#define PERL_VALUE_FORMAT      14

/* Of the body of a sub, struct xpvcv, the numbers of words. */
enum perl_sub_word {
	PERL_SUB_PACKAGE = 4,
	PERL_SUB_START = 5, /* the first instruction */
	PERL_SUB_ROOT = 6,
	PERL_SUB_NAME = 7,
	PERL_SUB_FILE = 8,
	PERL_SUB_FLAGS = 11, /* in the upper half */
	PERL_SUB_DEPTH = 12, /* the number of calls that run */
};

/* Flags of a sub. */
#define PERL_SUB_IS_C       0x8     /* CVf_ISXSUB */
#define PERL_SUB_IS_NAMED   0x8000  /* CVf_NAMED: it has a name, and no glob that has one */
#define PERL_SUB_IS_LEXICAL 0x10000 /* CVf_LEXICAL: it is in no package */

/* Of a glob, a package and a string of names (struct xpvgv, gp, xpvhv, xpvhv_aux, hek). */
#define PERL_VALUE_DATA        0x10 /* of any value, after its body */
#define PERL_GLOB_EFFECTIVE    0x38 /* the glob by which it was defined */
#define PERL_GLOB_NAME         0x20
#define PERL_GLOB_PACKAGE      0x28
#define PERL_PACKAGE_LAST      0x18 /* the number of its last element */
#define PERL_PACKAGE_NAMES     0x20 /* after its body */
#define PERL_PACKAGE_NR_NAMES  0x1c /* from its names on; 0: one name, and no list */
#define PERL_NAME_LENGTH       4
#define PERL_NAME_TEXT         8
#define PERL_NAME_IS_UTF8(end) ((end) >> 8 & 1) /* after the NUL at the end */

/* Of an instruction, struct op and cop. */
#define PERL_OP_WORDS        5
#define PERL_OP_NUMBER       4 /* of a word */
#define PERL_OP_IS(word, nr) (((word)&0x1ff) == (nr))
#define PERL_OP_LINE(word)   ((word) >> 32)
#define PERL_FIRST_OPS       3 /* instructions that are looked at for a line */

/* Reads the name at @addr, struct hek: its first bytes. Its text is Latin-1 or UTF-8. */
static __always_inline bool read_perl_name(__u64 addr, struct language_text *text)
{
	__u32 length = 0, nr;
	__u16 end = 0;

	if (!addr || read_user(&length, sizeof(length), addr + PERL_NAME_LENGTH))
		return false;
	text->is_cut = length > NAME_BYTES;
	nr = text->is_cut ? NAME_BYTES : length;
	if (!text->is_cut && read_user(&end, sizeof(end), addr + PERL_NAME_TEXT + length))
		return false;
	text->kind = text->is_cut || PERL_NAME_IS_UTF8(end) ? 0 : 1;
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	if (nr > NAME_BYTES)
		return false;
	return !nr || !bpf_probe_read_user(text->bytes, nr, (void *)(addr + PERL_NAME_TEXT));
}

/* Reads the name of the package at @addr. */
static __always_inline bool read_perl_package(const struct perl_layout *at, __u64 addr,
					      struct language_text *text)
{
	__u64 body, names, name;
	__u32 nr = 0;

	text->nr_bytes = text->is_cut = 0;
	if (!addr)
		return true;
	body = read_user_word(addr);
	names = body + PERL_PACKAGE_NAMES;
	if (at->name_in_array)
		names = read_user_word(addr + PERL_VALUE_DATA) +
			8 * (read_user_word(body + PERL_PACKAGE_LAST) + 1);
	name = read_user_word(names);
	if (read_user(&nr, sizeof(nr), names + PERL_PACKAGE_NR_NAMES))
		return false;
	return !name || read_perl_name(nr ? read_user_word(name) : name, text);
}

/* Reads the string at @addr, which ends with NUL: the first bytes. */
static __always_inline bool read_perl_file(__u64 addr, struct language_text *text)
{
	long nr;

	text->kind = 0;
	text->nr_bytes = text->is_cut = 0;
	if (!addr)
		return true;
	nr = bpf_probe_read_user_str(text->bytes, NAME_BYTES, (void *)addr);
	if (nr <= 0)
		return false;
	text->nr_bytes = nr - 1;
	text->is_cut = nr == NAME_BYTES;
	return true;
}

/* The line of the first statement of the sub at hand; 0: not known. */
static __always_inline __u32 read_perl_line(const struct perl_layout *at, struct perl_walk *p)
{
	__u64 *op = p->part, addr = p->sub[PERL_SUB_START];

	for (int i = 0; i < PERL_FIRST_OPS; i++) {
		if (read_user(op, PERL_OP_WORDS * sizeof(*op), addr))
			return 0;
		/* With a debugger, the number after it. */
		if (PERL_OP_IS(op[PERL_OP_NUMBER], at->first_op) ||
		    PERL_OP_IS(op[PERL_OP_NUMBER], at->first_op + 1))
			return PERL_OP_LINE(op[PERL_OP_NUMBER]);
		addr = op[0];
	}
	return 0;
}

static __always_inline __u32 perl_sub_flags(const struct perl_walk *p)
{
	return p->sub[PERL_SUB_FLAGS] >> 32;
}

/* Reads names of the sub at hand. */
static __always_inline bool read_perl_names(const struct perl_layout *at, struct perl_walk *p,
					    struct scoped_function_name *name)
{
	__u64 package = p->sub[PERL_SUB_PACKAGE], text = p->sub[PERL_SUB_NAME], glob, effective;
	__u32 flags = perl_sub_flags(p);

	if (!(flags & PERL_SUB_IS_NAMED)) {
		glob = read_user_word(text);
		effective = read_user_word(read_user_word(text + PERL_VALUE_DATA) +
					   PERL_GLOB_EFFECTIVE);
		if (effective)
			glob = read_user_word(effective);
		package = read_user_word(glob + PERL_GLOB_PACKAGE);
		text = read_user_word(glob + PERL_GLOB_NAME);
	} else if (flags & PERL_SUB_IS_LEXICAL) {
		package = 0;
	}
	name->function.line = flags & PERL_SUB_IS_C ? 0 : read_perl_line(at, p);
	return read_perl_name(text, &name->function.name) &&
	       read_perl_package(at, package, &name->scope) &&
	       read_perl_file(p->sub[PERL_SUB_FILE], &name->function.file);
}

/* Reads the name of the main program, which is that of its file. */
static __always_inline bool read_perl_main(const struct perl_layout *at, const struct perl_walk *p,
					   struct scoped_function_name *name)
{
	name->function.line = 1;
	name->function.name.nr_bytes = name->function.name.is_cut = 0;
	name->scope.nr_bytes = name->scope.is_cut = 0;
	return read_perl_file(read_user_word(p->interpreter_at + at->file), &name->function.file) &&
	       name->function.file.nr_bytes;
}

/* Hands over the name of the function at hand of @level, as send_python_function does. */
__verified_once int send_perl_function(__u32 level, __u32 is_main)
{
	struct language_stack *s = language_stack_of(level);
	const struct interpreter *in;
	struct scoped_function_name *name;

	if (!walk_languages || !s)
		return 0;
	in = interpreter_of(s->perl.interpreter);
	if (!in)
		return 0;
	name = begin_name(&s->perl.function, s->perl.tgid, &s->nr_failures, sizeof(*name));
	if (name)
		end_name(name,
			 is_main ? read_perl_main(&in->perl, &s->perl, name)
				 : read_perl_names(&in->perl, &s->perl, name),
			 &s->perl.function, &s->nr_failures);
	return 0;
}

#endif
