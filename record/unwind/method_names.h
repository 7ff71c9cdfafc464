/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks for more than the BPF program knows of methods of Java: the methods that the compiler has
 * put into the code at hand, and lines. That takes more reads than the program can do. The looker
 * reads it from the process, many methods at a time. Where a process has ended or its code has
 * gone, the program's name remains.
 */
#ifndef RECORD_UNWIND_METHOD_NAMES_H
#define RECORD_UNWIND_METHOD_NAMES_H

#include "record/symbols/function_names.h"
#include "record/unwind/java_machines.h"

/* A function that waits to be asked for. */
struct wanted_method {
	uint32_t pid;
	uint32_t function; /* its number (function_names_add) */
	struct java_place place;
};

/* All zero: nothing is wanted. */
struct method_names {
	VEC(struct wanted_method) wanted;
};

/* Notes that more is wanted of @name, which has number @function. Returns 0 or -ENOMEM. */
int method_names_want(struct method_names *names, const struct function_name *name,
		      uint32_t function);

/*
 * Asks for all that is wanted, and tells @functions. Call it before these age. Returns 0 or
 * -ENOMEM.
 */
int method_names_ask(struct method_names *names, const struct java_machines *machines,
		     struct function_names *functions);

void method_names_deinit(struct method_names *names);

#endif
