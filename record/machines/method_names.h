/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks for the names of functions of Erlang, for the lines of functions of JavaScript, and for the
 * functions of JavaScript and the methods of Java that a compiler has put into the code at hand.
 * That takes more reads than the BPF program can do. The looker reads it from the process, many
 * functions at a time. Where a process has ended or its code has gone, the program's name remains.
 */
#ifndef RECORD_MACHINES_METHOD_NAMES_H
#define RECORD_MACHINES_METHOD_NAMES_H

#include "record/looks/look_budget.h"
#include "record/machines/java_scopes.h"
#include "record/symbols/function_names.h"
#include "record/machines/machines.h"
#include "record/machines/java_stretch.h"

/* A function that waits to be asked for. */
struct wanted_method {
	uint32_t pid, uid;
	uint32_t function; /* its number (function_names_add); NO_FUNCTION: it has no name yet */
	uint32_t kind;     /* of the machine; a place in compiled code has no word */
	struct node_layout node; /* of JavaScript */
	union machine_place place;
	uint64_t names;           /* hash of those that the program has read; or NO_NAMES */
	struct seen_function key; /* without a number: of the map of functions with names */
	uint64_t time_ns;         /* as well: CLOCK_MONOTONIC, of the sample */
};

struct method_names {
	VEC(struct wanted_method) wanted;
	struct look_budget looks; /* for functions of JavaScript, whose work the process chooses */
};

/* Nothing is wanted. @looker is borrowed. */
void method_names_init(struct method_names *names, struct looker *looker);

/*
 * Notes that more is wanted of @name, which has number @function, if the program cannot know all of
 * it. @in is the interpreter of JavaScript; NULL: it is not known. Returns 0 or -ENOMEM.
 */
int method_names_want(struct method_names *names, const struct function_name *name,
		      uint32_t function, const struct interpreter *in);

/*
 * Notes that the name of @frame is wanted, if it is a word and nobody has asked for it. The
 * recorder has found the frame in @sample. Returns 0 or -ENOMEM.
 */
int method_names_want_unnamed(struct method_names *names, const struct function_names *functions,
			      const struct early_sample *sample,
			      const struct java_stretch_frame *frame);

/*
 * Asks for all that is wanted, and tells @functions. Call it before these age. Functions of
 * JavaScript for which there is no time have neither lines nor others in them. Returns 0 or
 * -ENOMEM.
 */
int method_names_ask(struct method_names *names, const struct machines *machines,
		     struct function_names *functions);

void method_names_deinit(struct method_names *names);

#endif
