/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The things that a table counts, such as functions, known by their names: a function of one name
 * in two modules is two things. The functions of a row come from its root to its leaf.
 */
#ifndef REPORT_PRINT_NAMED_THINGS_H
#define REPORT_PRINT_NAMED_THINGS_H

#include "report/view/printout.h"
#include "report/text/terminal.h"
#include "report/text/string_set.h"

/* named_things_init makes them. Thing 0 is none. */
struct named_things {
	struct string_set names; /* a name, NUL, and the name of a module; safe to print */
	VEC(uint8_t) colours;    /* enum text_colour, by thing */
	struct textbuf scratch;
	const struct printout *from;
	uint32_t *first_parts; /* [(frame * NR_FRAME_PLACES + place) * 2 + is_kernel]; 0: unknown */
	VEC(uint32_t) parts; /* their number, then the functions of a frame, the outermost first */
	VEC(uint32_t) row;   /* the functions of the latest row, from the root to the leaf */
};

/* Makes an empty set of the things in @from, which is borrowed. Returns 0 or -ENOMEM. */
int named_things_init(struct named_things *things, const struct printout *from);

/* Releases the set; an all-zero set is fine. */
void named_things_deinit(struct named_things *things);

/* Finds or adds the thing whose name is in the scratch text, which it empties. */
int named_things_add(struct named_things *things, const char *module, enum text_colour colour,
		     uint32_t *id);

/* Returns the text of the DSO of @frame, as the recording has it: the name or the whole path. */
const char *named_things_dso(const struct named_things *things, uint32_t frame);

/*
 * Finds the functions of @row, without wakers, as @things->row. A stack that was missed is a
 * function, too, and so is "[no stack]" in a row without frames. Returns 0 or -ENOMEM.
 */
int named_things_of_row(struct named_things *things, const struct stack_row *row);

static inline const char *named_thing_name(const struct named_things *things, uint32_t id)
{
	return string_set_get(&things->names, id);
}

/* Returns the name of the module, "" if there is none. */
static inline const char *named_thing_module(const struct named_things *things, uint32_t id)
{
	const struct string *name = &things->names.items.data[id];

	return id ? name->s + strlen(name->s) + 1 : "";
}

/*
 * Returns the module to print beside the name: "" where the name of a function of a language begins
 * with it, as in "Shop.sell" of the class Shop.
 */
const char *named_thing_shown_module(const struct named_things *things, uint32_t id);

/* Compares two things by name, then module. */
int named_things_compare(const struct named_things *things, uint32_t a, uint32_t b);

#endif
