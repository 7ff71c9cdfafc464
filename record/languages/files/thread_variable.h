/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the variable that holds the state of the current thread, where no symbol names it: in
 * CPython from 3.15 on, and in Ruby. But a function of the interpreter begins with a load of this
 * variable, so the instructions of the function tell where it is. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_THREAD_VARIABLE_H
#define RECORD_LANGUAGES_FILES_THREAD_VARIABLE_H

#include <stdbool.h>

#include "record/languages/files/dynamic_symbols.h"

struct thread_variable {
	bool is_in_block; /* of a library; else it is at a distance from the thread pointer */
	int32_t key;      /* the place of the block's number, from the interpreter's data on */
	int32_t variable; /* from the block or from the thread pointer on */
};

/* The most bytes of the function that are looked at. */
#define THREAD_VARIABLE_BYTES 48

/*
 * Finds the variable that @function loads. The interpreter's data is linked at @runtime. Returns 0
 * or -ENOENT if there is no such function, or it has another form.
 */
int thread_variable_find(const struct dynamic_symbols *symbols, const char *function,
			 uint64_t runtime, struct thread_variable *found);

/* The same by the instructions in @code, linked at @addr. */
int thread_variable_parse(const uint8_t code[THREAD_VARIABLE_BYTES], uint64_t addr,
			  uint64_t runtime, struct thread_variable *found);

#endif
