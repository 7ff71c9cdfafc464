// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the entries of a section. record/cfi/cfi_program.c runs their programs. */
#include "record/cfi/cfi.h"

#include "common/hash.h"
#include "record/cfi/dwarf_ops.h"

/* "zPLRSB" has all letters that are known. */
#define AUGMENTATION_MAX 16

/*
 * Bytes of a CIE's program. In a hostile file each FDE may have its own CIE, and the CIEs may
 * overlap.
 */
#define INITIAL_PROGRAM_MAX 1024

/* Linkers leave a handful. Each object file has one. */
#define CIES_MAX (1u << 18)

/* An entry without its length and id. */
struct entry {
	uint64_t off;
	struct cursor b;
	bool is_cie;
	uint64_t cie_off;
};

void cfi_init(struct cfi *cfi, const struct cfi_section *section)
{
	*cfi = (struct cfi){.section = *section};
}

void cfi_deinit(struct cfi *cfi)
{
	vec_free(&cfi->cies);
	index_deinit(&cfi->by_off);
}

static bool read_format(struct cursor *b, uint8_t format, uint64_t *value)
{
	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*value = dwarf_fixed(b, 8);
		break;
	case DW_EH_PE_uleb128:
		*value = dwarf_uleb(b);
		break;
	case DW_EH_PE_sleb128:
		*value = dwarf_sleb(b);
		break;
	case DW_EH_PE_udata2:
		*value = dwarf_fixed(b, 2);
		break;
	case DW_EH_PE_sdata2:
		*value = (int16_t)dwarf_fixed(b, 2);
		break;
	case DW_EH_PE_udata4:
		*value = dwarf_fixed(b, 4);
		break;
	case DW_EH_PE_sdata4:
		*value = (int32_t)dwarf_fixed(b, 4);
		break;
	default:
		return false;
	}
	return !b->bad;
}

bool cfi_pointer(const struct cfi_section *section, struct cursor *b, uint8_t encoding,
		 uint64_t *value)
{
	uint64_t at = section->vaddr + (b->p - section->bytes);

	if (encoding & DW_EH_PE_indirect || !read_format(b, encoding & DW_EH_PE_format, value) ||
	    !*value)
		return false;
	switch (encoding & DW_EH_PE_relative) {
	case DW_EH_PE_absptr:
		return true;
	case DW_EH_PE_pcrel:
		*value += at;
		return true;
	case DW_EH_PE_datarel:
		*value += section->data_base;
		return section->data_base;
	default:
		return false;
	}
}

/*
 * Reads the entry at @off up to its id. An entry of length 0, which ends an input file's entries,
 * has no id.
 */
static bool read_entry(const struct cfi *cfi, uint64_t off, struct entry *entry, bool *is_empty)
{
	const struct cfi_section *section = &cfi->section;
	struct cursor all = {section->bytes + off, section->bytes + section->size, false};
	uint64_t length = dwarf_fixed(&all, 4), id, id_off, none;
	size_t id_size = 4;

	if (length == UINT32_MAX) {
		length = dwarf_fixed(&all, 8);
		id_size = 8;
	}
	entry->off = off;
	entry->b = cursor_sub(&all, length);
	*is_empty = !length;
	if (all.bad || !length)
		return !all.bad;
	id_off = entry->b.p - section->bytes;
	id = dwarf_fixed(&entry->b, id_size);
	none = !section->is_debug_frame ? 0 : id_size == 8 ? UINT64_MAX : UINT32_MAX;
	entry->is_cie = id == none;
	/* In .eh_frame it is the distance back from itself. */
	entry->cie_off = section->is_debug_frame ? id : id_off - id;
	return true;
}

static bool read_augmentation(struct cfi_cie *cie, const char *letters, struct cursor *b)
{
	struct cursor data;
	uint64_t ignored;
	uint8_t encoding;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->has_augmentation = true;
	data = cursor_sub(b, dwarf_uleb(b));
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = dwarf_u8(&data);
			break;
		case 'P':
			encoding = dwarf_u8(&data);
			if (encoding != DW_EH_PE_omit &&
			    !read_format(&data, encoding & DW_EH_PE_format, &ignored))
				return false;
			break;
		case 'L':
			dwarf_u8(&data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

static bool read_letters(struct cursor *b, char letters[static AUGMENTATION_MAX])
{
	for (size_t i = 0; i < AUGMENTATION_MAX; i++) {
		letters[i] = dwarf_u8(b);
		if (!letters[i])
			return !b->bad;
	}
	return false;
}

static bool is_known_version(const struct cfi *cfi, uint8_t version)
{
	return version == 1 || version == 3 || (version == 4 && cfi->section.is_debug_frame);
}

/* Reads the fields of @cie, without its program. */
static bool read_cie_header(const struct cfi *cfi, struct cfi_cie *cie, struct cursor *b)
{
	char letters[AUGMENTATION_MAX];
	uint8_t version = dwarf_u8(b);

	if (!is_known_version(cfi, version) || !read_letters(b, letters))
		return false;
	/* Sizes of an address and of a segment's selector. */
	if (version == 4 && (dwarf_u8(b) != 8 || dwarf_u8(b) != 0))
		return false;
	cie->code_align = dwarf_uleb(b);
	cie->data_align = dwarf_sleb(b);
	cie->has_other_return = (version == 1 ? dwarf_u8(b) : dwarf_uleb(b)) != UNWIND_RIP;
	return !b->bad && read_augmentation(cie, letters, b) && !b->bad;
}

static struct cfi_cie read_cie(const struct cfi *cfi, uint64_t off)
{
	struct cfi_cie cie = {.off = off, .encoding = DW_EH_PE_absptr};
	struct entry entry;
	bool is_empty;

	if (off < cfi->section.size && read_entry(cfi, off, &entry, &is_empty) && !is_empty &&
	    entry.is_cie && read_cie_header(cfi, &cie, &entry.b) &&
	    cursor_left(&entry.b) <= INITIAL_PROGRAM_MAX)
		cie.is_usable = cfi_run_initial(&cie, entry.b);
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

static bool read_fde(const struct cfi *cfi, const struct cfi_cie *cie, struct cursor b,
		     struct cfi_fde *fde)
{
	uint64_t size;

	if (!cie->is_usable || !cfi_pointer(&cfi->section, &b, cie->encoding, &fde->start) ||
	    !read_format(&b, cie->encoding & DW_EH_PE_format, &size))
		return false;
	fde->end = fde->start + size;
	if (fde->end <= fde->start)
		return false;
	if (cie->has_augmentation)
		cursor_sub(&b, dwarf_uleb(&b));
	fde->program = b.p - cfi->section.bytes;
	fde->program_end = b.end - cfi->section.bytes;
	return !b.bad;
}

int cfi_next(struct cfi *cfi, struct cfi_fde *fde)
{
	while (cfi->off < cfi->section.size) {
		struct entry entry;
		bool is_empty;
		int ret;

		if (!read_entry(cfi, cfi->off, &entry, &is_empty))
			break;
		cfi->off = entry.b.end - cfi->section.bytes;
		if (is_empty || entry.is_cie)
			continue;
		ret = find_cie(cfi, entry.cie_off, &fde->cie);
		if (ret)
			return ret;
		if (read_fde(cfi, &cfi->cies.data[fde->cie], entry.b, fde))
			return 1;
	}
	cfi->off = cfi->section.size;
	return 0;
}
