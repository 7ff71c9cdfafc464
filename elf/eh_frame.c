// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/eh_frame.h"

/* "zPLRSB" has all letters that are known. */
#define AUGMENTATION_MAX 16

bool eh_number(struct cursor *b, uint8_t encoding, uint64_t *value)
{
	switch (encoding & DW_EH_PE_format) {
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

bool eh_pointer(const struct eh_section *section, struct cursor *b, uint8_t encoding,
		uint64_t *value)
{
	uint64_t at = section->vaddr + (b->p - section->bytes);

	if (encoding & DW_EH_PE_indirect || !eh_number(b, encoding, value) || !*value)
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

bool eh_entry_read(const struct eh_section *section, uint64_t off, struct eh_entry *entry)
{
	struct cursor all = {section->bytes + off, section->bytes + section->size, false};
	uint64_t length = dwarf_fixed(&all, 4), id, id_off, none;
	size_t id_size = 4;

	if (length == UINT32_MAX) {
		length = dwarf_fixed(&all, 8);
		id_size = 8;
	}
	entry->off = off;
	entry->b = cursor_sub(&all, length);
	entry->is_empty = !length;
	entry->is_cie = false;
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

static bool read_augmentation(struct eh_cie *cie, const char *letters, struct cursor *b)
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
			if (encoding != DW_EH_PE_omit && !eh_number(&data, encoding, &ignored))
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

static bool is_known_version(const struct eh_section *section, uint8_t version)
{
	return version == 1 || version == 3 || (version == 4 && section->is_debug_frame);
}

/* Reads the fields of @cie, without its program. */
static bool read_cie_header(const struct eh_section *section, struct eh_cie *cie, struct cursor *b)
{
	char letters[AUGMENTATION_MAX];
	uint8_t version = dwarf_u8(b);

	if (!is_known_version(section, version) || !read_letters(b, letters))
		return false;
	/* Sizes of an address and of a segment's selector. */
	if (version == 4 && (dwarf_u8(b) != 8 || dwarf_u8(b) != 0))
		return false;
	cie->code_align = dwarf_uleb(b);
	cie->data_align = dwarf_sleb(b);
	cie->return_column = version == 1 ? dwarf_u8(b) : dwarf_uleb(b);
	return !b->bad && read_augmentation(cie, letters, b) && !b->bad;
}

bool eh_cie_read(const struct eh_section *section, uint64_t off, struct eh_cie *cie,
		 struct cursor *program)
{
	struct eh_cie read = {.encoding = DW_EH_PE_absptr};
	struct eh_entry entry;

	if (off >= section->size || !eh_entry_read(section, off, &entry) || entry.is_empty ||
	    !entry.is_cie || !read_cie_header(section, &read, &entry.b))
		return false;
	*cie = read;
	*program = entry.b;
	return true;
}

bool eh_fde_read(const struct eh_section *section, const struct eh_cie *cie,
		 const struct eh_entry *entry, struct eh_fde *fde)
{
	struct cursor b = entry->b;
	uint64_t size;

	if (!eh_pointer(section, &b, cie->encoding, &fde->start) ||
	    !eh_number(&b, cie->encoding, &size))
		return false;
	fde->end = fde->start + size;
	if (fde->end <= fde->start)
		return false;
	if (cie->has_augmentation)
		cursor_sub(&b, dwarf_uleb(&b));
	fde->program = b;
	return !b.bad;
}
