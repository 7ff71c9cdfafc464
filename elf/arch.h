/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architecture of an ELF file decides. A file is of the recorded host's architecture and
 * not of this program's, so the file says which row applies. Each architecture has its row in
 * arch_NAME.c.
 */
#ifndef ELF_ARCH_H
#define ELF_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_arch {
	uint16_t machine; /* e_machine */
	/* Types of relocations that fill a slot with the address of a function or of data: */
	uint32_t jump_slot;   /* for a stub */
	uint32_t data_slot;   /* for a load */
	uint32_t chosen_slot; /* of a function that another one picks (STT_GNU_IFUNC) */
	/* Those that fill 8 or 4 bytes with a symbol's value; the second may stand for two. */
	uint32_t absolute_8, absolute_4, absolute_4_signed;
};

extern const struct elf_arch elf_arch_x86_64;
extern const struct elf_arch elf_arch_aarch64;

/* The row of @machine, or NULL. */
const struct elf_arch *elf_arch_find(uint16_t machine);

/* Does a relocation of @type fill a slot? @arch may be NULL: then none does. */
bool elf_arch_is_slot(const struct elf_arch *arch, uint32_t type);

/*
 * The bytes that a relocation of @type fills with an address or an offset; 0 for other types, and
 * if
 * @arch is NULL.
 */
size_t elf_arch_relocation_width(const struct elf_arch *arch, uint32_t type);

#endif
