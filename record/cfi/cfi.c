// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the functions of a section. record/cfi/cfi_program.c runs their programs. */
#include "record/cfi/cfi.h"

#include "common/hash.h"

/*
 * Bytes of a CIE's program. In a hostile file each FDE may have its own CIE, and the CIEs may
 * overlap.
 */
#define INITIAL_PROGRAM_MAX 1024

/* Linkers leave a handful. Each object file has one. */
#define CIES_MAX (1u << 18)

void cfi_init(struct cfi *cfi, const struct eh_section *section)
{
	*cfi = (struct cfi){.section = *section};
}

void cfi_deinit(struct cfi *cfi)
{
	vec_free(&cfi->cies);
	index_deinit(&cfi->by_off);
}

static struct cfi_cie read_cie(const struct cfi *cfi, uint64_t off)
{
	struct cfi_cie cie = {.off = off, .is_instead = cfi->is_instead};
	struct cursor program;

	if (eh_cie_read(&cfi->section, off, &cie.fields, &program) &&
	    cursor_left(&program) <= INITIAL_PROGRAM_MAX)
		cie.is_usable = cfi_run_initial(&cie, program);
	return cie;
}

/* The number of the CIE at @off, which may be unusable. */
static int find_cie(struct cfi *cfi, uint64_t off, uint32_t *number)
{
	int ret;

	index_for_each(&cfi->by_off, hash_u64(off), i) {
		if (cfi->cies.data[i].off == off) {
			*number = i;
			return 0;
		}
	}
	if (cfi->cies.nr == CIES_MAX)
		return -EFBIG;
	ret = vec_push(&cfi->cies, read_cie(cfi, off));
	if (!ret)
		ret = index_insert(&cfi->by_off, hash_u64(off), cfi->cies.nr - 1);
	*number = cfi->cies.nr - 1;
	return ret;
}

int cfi_next(struct cfi *cfi, struct cfi_fde *fde)
{
	const struct eh_section *section = &cfi->section;

	while (cfi->off < section->size) {
		const struct cfi_cie *cie;
		struct eh_entry entry;
		struct eh_fde read;
		int ret;

		if (!eh_entry_read(section, cfi->off, &entry))
			break;
		cfi->off = entry.b.end - section->bytes;
		if (entry.is_empty || entry.is_cie)
			continue;
		ret = find_cie(cfi, entry.cie_off, &fde->cie);
		if (ret)
			return ret;
		cie = &cfi->cies.data[fde->cie];
		if (!cie->is_usable || !eh_fde_read(section, &cie->fields, &entry, &read))
			continue;
		fde->start = read.start;
		fde->end = read.end;
		fde->program = read.program.p - section->bytes;
		fde->program_end = read.program.end - section->bytes;
		return 1;
	}
	cfi->off = section->size;
	return 0;
}
