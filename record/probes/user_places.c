// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/user_places.h"

#include <errno.h>
#include <stdlib.h>

#include "record/cfi/cfi.h"
#include "record/cfi/cfi_elf.h"

static int compare_places(const void *a, const void *b)
{
	const struct user_place *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->semaphore < y->semaphore ? -1 : x->semaphore > y->semaphore;
}

static void sort_places(user_place_vec *places)
{
	size_t nr = 0;

	if (places->nr)
		qsort(places->data, places->nr, sizeof(*places->data), compare_places);
	for (size_t i = 0; i < places->nr; i++)
		if (!nr || compare_places(&places->data[nr - 1], &places->data[i]))
			places->data[nr++] = places->data[i];
	places->nr = nr;
}

/* An FDE whose program is run. */
struct marking {
	user_place_vec *places;
	size_t at;          /* the first place that the rows have not reached */
	uint64_t start_off; /* of the FDE in the file */
	uint64_t start;     /* as linked */
	bool is_bare;       /* by the latest row */
	bool is_known;
};

static uint64_t place_of_row(const struct marking *m, uint64_t addr)
{
	return m->start_off + (addr - m->start);
}

/* The latest row holds for all places below @off. */
static void mark_below(struct marking *m, uint64_t off)
{
	for (; m->at < m->places->nr && m->places->data[m->at].off < off; m->at++)
		if (m->is_known)
			m->places->data[m->at].is_entry = m->is_bare;
}

static int take_row(void *ctx, uint64_t addr, const struct unwind_rule *rule)
{
	struct marking *m = ctx;

	mark_below(m, place_of_row(m, addr));
	m->is_known = rule->cfa != UNWIND_CFA_NONE && rule->cfa != UNWIND_CFA_UNSUPPORTED;
	m->is_bare = rule->cfa == UNWIND_CFA_REG && rule->cfa_reg == UNWIND_REG_SP &&
		     rule->cfa_off == RETURN_BYTES && rule->ra == RETURN_AT_ENTRY &&
		     (rule->ra != UNWIND_RA_KEPT || rule->kept == UNWIND_SAVED_SAME);
	return 0;
}

/* The first of the sorted places at @off or behind it. */
static size_t first_from(const user_place_vec *places, uint64_t off)
{
	size_t low = 0, high = places->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->data[middle].off < off)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Few FDEs have a place, and no other program is run. */
static int mark_function(const struct elf_image *elf, const struct cfi *cfi,
			 const struct cfi_fde *fde, user_place_vec *places)
{
	struct marking m = {.places = places, .start = fde->start};
	uint64_t end_off;
	int ret;

	if (!elf_image_find_offset(elf, fde->start, PF_X, &m.start_off))
		return 0;
	end_off = place_of_row(&m, fde->end);
	m.at = first_from(places, m.start_off);
	if (m.at == places->nr || places->data[m.at].off >= end_off)
		return 0;
	ret = cfi_run(cfi, fde, take_row, &m);
	mark_below(&m, end_off);
	return ret;
}

static int mark_functions(const struct elf_image *elf, const struct eh_section *section,
			  user_place_vec *places)
{
	struct cfi_fde fde;
	struct cfi cfi;
	int ret;

	cfi_init(&cfi, section);
	while ((ret = cfi_next(&cfi, &fde)) > 0) {
		ret = mark_function(elf, &cfi, &fde, places);
		if (ret)
			break;
	}
	cfi_deinit(&cfi);
	return ret;
}

int user_places_settle(const struct elf_image *elf, user_place_vec *places)
{
	struct cfi_elf tables;
	int ret;

	sort_places(places);
	if (!places->nr)
		return 0;
	ret = cfi_elf_read(elf->fd, &tables);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (int i = 0; !ret && i < CFI_NR_SECTIONS; i++)
		ret = mark_functions(elf, &tables.sections[i], places);
	cfi_elf_deinit(&tables);
	return ret == -ENOMEM ? ret : 0;
}
