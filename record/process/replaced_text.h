/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory without a file that takes the place of a file's text. It may be a copy of that text
 * (record/looks/copied_text.h), so the looker compares it when the side-band tells of it. The
 * process may not have written all of it yet. So the mapping remembers the file, and records of
 * later changes at the place, as of its protection, lead to another look.
 */
#ifndef RECORD_PROCESS_REPLACED_TEXT_H
#define RECORD_PROCESS_REPLACED_TEXT_H

#include <stdint.h>

#include "record/process/address_spaces.h"
#include "record/looks/look_budget.h"

/*
 * The file, and 1, whose text is or was in a part of [@start, @end) of @space, which may be NULL;
 * 0: there is none.
 */
uint32_t replaced_text_find(const struct address_spaces *spaces, const struct address_space *space,
			    uint64_t start, uint64_t end);

/*
 * @mapping of @space is of made code, and takes the place of @text, which replaced_text_find has
 * returned. Makes it one of the file if it is a copy. The look is charged to @looks (or NULL), and
 * is not made while the process has to wait for it. May add files. Returns 0 or -ENOMEM.
 */
int replaced_text_look(struct address_spaces *spaces, struct look_budget *looks,
		       struct address_space *space, uint32_t text, struct mapping *mapping);

#endif
