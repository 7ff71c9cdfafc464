/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of functions of interpreted languages. The BPF program sends a name when it first sees
 * the function in a process (bpf/languages/send_names.h). A name belongs to a word of a stack and
 * to an address space, so that no later process with the same id gets it.
 *
 * There is room for two generations of names. When the younger one is full, the elder one is
 * forgotten, and the program sends all names again. Stacks that wait for their drain then find
 * their names in the generation that has become the elder one. Users share the room of a
 * generation, so that endless new functions of one do not take that of others (bpf/owner_room.h).
 */
#ifndef RECORD_SYMBOLS_FUNCTION_NAMES_H
#define RECORD_SYMBOLS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/languages/languages.h"
#include "bpf/owner_room.h"
#include "common/arena.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/languages/source_function.h"
#include "record/process/address_spaces.h"
#include "record/shares/shares.h"

/* The function of a word. A compiler may have put others into it, which call each other there. */
struct named_function {
	uint64_t generation; /* of the address space */
	uint64_t word;
	struct source_function own;
	size_t first_inlined; /* in the generation's list, the innermost first */
	uint32_t nr_inlined;
	uint32_t uid; /* of the process */
};

/* The process of a function, until its address space is known. */
struct waiting_function {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t tgid;
};

struct name_generation {
	VEC(struct named_function) functions;
	VEC(struct source_function) inlined;
	struct index by_word;
	struct arena texts;
	uint64_t text_bytes[OWNER_ROOMS]; /* by users */
};

/* All zero but the descriptor and what is the program's: there are no names. */
struct function_names {
	struct name_generation young, old;
	VEC(struct waiting_function) waiting; /* the last functions of the young generation */
	struct shares lacks;                  /* names without room, by users */
	/* Of the program (bpf/languages/seen_functions.h, bpf/languages/send_names.h): */
	int seen_map;          /* functions that it does not send again */
	uint64_t *seen_period; /* it looks into the map again */
	struct named_functions *named;
	struct owner_room *rooms; /* OWNER_ROOMS; of names on their way */
};

/*
 * Keeps @name, as the program sent it: of PHP, a struct scoped_function_name. *@nr is its number
 * until the next age; NO_FUNCTION when there is no room. Returns 0 or -ENOMEM.
 */
#define NO_FUNCTION UINT32_MAX
int function_names_add(struct function_names *names, const struct function_name *name,
		       uint32_t *nr);

/*
 * The function with number @nr is the method @methods[0] of Java or Erlang, or has @methods in it,
 * the innermost first and its own last. Returns 0 or -ENOMEM.
 */
int function_names_set_methods(struct function_names *names, uint32_t nr,
			       const struct machine_function *methods, uint32_t nr_methods);

/*
 * The function with number @nr is of JavaScript, begins in @line, and has @functions in it, the
 * innermost first. Returns 0 or -ENOMEM.
 */
int function_names_set_inlined(struct function_names *names, uint32_t nr, uint32_t line,
			       const struct machine_function *functions, uint32_t nr_functions);

/*
 * Finds the address spaces of the names that came. @spaces must be known up to the time of the last
 * name. Call it before names are looked up, once in a drain. NULL is fine. Returns 0 or -ENOMEM.
 */
int function_names_settle(struct function_names *names, struct address_spaces *spaces);

/* The program sends the name of @function again, which has been among the seen ones. */
void function_names_forget(const struct function_names *names,
			   const struct seen_function *function);

/* Is the younger generation full? Then there is soon no room for more names before the next age. */
bool function_names_are_full(const struct function_names *names);

/*
 * Forgets the elder generation if the younger one is full. Call it after the counts of a drain have
 * found their names. NULL is fine.
 */
void function_names_age(struct function_names *names);

/*
 * The function with @word in the address space @generation, or NULL. *@inlined are those in it.
 * Valid until the next age.
 */
const struct named_function *function_names_find(const struct function_names *names,
						 uint64_t generation, uint64_t word,
						 const struct source_function **inlined);

void function_names_deinit(struct function_names *names);

#endif
