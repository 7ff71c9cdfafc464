/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of interpreted languages as their source calls them. The texts come from the memory of
 * a process, which may hold anything there.
 */
#ifndef RECORD_LANGUAGES_SOURCE_FUNCTION_H
#define RECORD_LANGUAGES_SOURCE_FUNCTION_H

#include <stdint.h>

#include "bpf/languages/languages.h"
#include "common/arena.h"

/* A function in its source. The strings are UTF-8 as far as the process wrote proper text. */
struct source_function {
	const char *name, *file;
	uint32_t line; /* of its definition; 0: not known */
};

/* A function of HotSpot or of Erlang's emulator, as it was found in the memory of a process. */
struct machine_function {
	struct language_text class, name; /* "java/util/List" and "add", "lists" and "map/2" */
	struct language_text file;        /* of the line; empty: that of the class */
	uint32_t line;                    /* of its definition; 0: not known */
};

/*
 * Decodes @name, as the program sent it, into @f. It is a struct scoped_function_name if
 * function_name_size says so. The strings are kept in @texts. @f's line stays as it is. Returns 0
 * or -ENOMEM.
 */
int source_function_decode(struct arena *texts, const struct function_name *name,
			   struct source_function *f);

/*
 * Decodes a function that is a method of a class in Java, or a function of a module in Erlang.
 * "java/util/List" and "add" become "java.util.List.add", in the source "java.util.List". "lists"
 * and "map/2" of Erlang become "lists:map/2", in "lists". @file is the source if it has bytes; it
 * may be NULL. Otherwise as source_function_decode.
 */
int source_function_decode_method(struct arena *texts, enum language language,
				  const struct language_text *class,
				  const struct language_text *name,
				  const struct language_text *file, struct source_function *f);

#endif
