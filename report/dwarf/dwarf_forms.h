/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the values of attributes by their forms. */
#ifndef REPORT_DWARF_DWARF_FORMS_H
#define REPORT_DWARF_DWARF_FORMS_H

#include "report/dwarf/dwarf_file.h"

/*
 * A value as it stands in the entry. Its meaning may need a table: an index of a string, of an
 * address.
 */
struct dwarf_value {
	uint64_t number;
	const char *text; /* of DW_FORM_string, with number bytes */
	uint16_t form;    /* 0: the entry lacks the attribute */
};

/* Returns the bytes of a field, -1 if that depends on its contents or nobody knows the form. */
int form_fixed_size(uint16_t form, struct dwarf_sizes sizes);

/* Reads a field of @form. An unknown form makes the cursor bad. */
struct dwarf_value form_read(struct cursor *c, uint16_t form, int64_t implicit,
			     struct dwarf_sizes sizes);

/* Passes a field of @form. An unknown form makes the cursor bad. */
void form_skip(struct cursor *c, uint16_t form, struct dwarf_sizes sizes);

/* Returns the NUL-terminated text at @off of @section; none without a proper end. */
struct dwarf_text dwarf_text_at(const struct dwarf_file *file, enum dwarf_section section,
				uint64_t off);

/* Passes the NUL-terminated text at the cursor, and returns it. */
struct dwarf_text dwarf_text_read(struct cursor *c);

#endif
