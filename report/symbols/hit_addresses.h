/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns offsets in an object into addresses of its files. The program headers of a binary tell the
 * addresses. A debug file alone, and the files of the kernel, need other facts.
 */
#ifndef REPORT_SYMBOLS_HIT_ADDRESSES_H
#define REPORT_SYMBOLS_HIT_ADDRESSES_H

#include "elf/ranges.h"
#include "report/model/model.h"
#include "report/symbols/elf_pairs.h"
#include "report/symbols/questions.h"

typedef VEC(struct range_hit) range_hit_vec;

/*
 * Replaces the addresses of @hits, which are offsets in @object, by addresses in the files of @elf,
 * and sorts the hits. Takes out hits without a certain address. The tag of a hit is its place in
 * @questions; all are about @object. @hits are sorted by slot. The work is charged to @budget,
 * which may be NULL. Returns 0 or -ENOMEM.
 */
int hits_to_addresses(const struct model *model, uint32_t object, const struct question *questions,
		      struct elf_pair *elf, struct file_budget *budget, range_hit_vec *hits);

#endif
