/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architecture of an ELF file decides. A file is of the recorded host's architecture and
 * not of this program's, so the file says which row applies. Each architecture has its row in a
 * file of its name, which is compiled for every host.
 */
#ifndef ELF_ARCH_H
#define ELF_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

/*
 * Kernels map segments in this unit at least. Those of arm64 may have larger pages, which neither a
 * file nor a recording tells.
 */
#define ELF_PAGE_BYTES UINT64_C(4096)

#define ELF_ENTRY_MARK_BYTES 4
#define ELF_INSN_BYTES_MAX   15 /* of any architecture */

/* Where a stub finds the address of its function. */
struct elf_stub {
	bool is_pushed; /* number @value of .rela.plt has the slot; else it is at @value */
	uint64_t value;
};

struct elf_arch {
	uint16_t machine; /* e_machine */
	/* The instruction at places to which code may jump by way of a pointer. */
	uint8_t entry_mark[ELF_ENTRY_MARK_BYTES];
	uint8_t go_quantum; /* of gopclntab: addresses of instructions are multiples of it */
	/*
	 * Reads the stub @b, which is linked at @addr. Returns false if nothing tells. NULL: no
	 * stub is known.
	 */
	bool (*read_stub)(struct cursor b, uint64_t addr, struct elf_stub *stub);
	/* Does the kernel run the instruction right if a uprobe is at it? NULL: any. */
	bool (*may_be_probed)(const uint8_t insn[static ELF_INSN_BYTES_MAX]);
	/*
	 * Does the function with this code leave the stack and the return address where they are?
	 * NULL: the vdso has call frame information, so nobody asks.
	 */
	bool (*is_bare)(const uint8_t *code, size_t size);
	/* Types of relocations that fill a slot with the address of a function or of data: */
	uint32_t jump_slot;   /* for a stub */
	uint32_t data_slot;   /* for a load */
	uint32_t chosen_slot; /* of a function that another one picks (STT_GNU_IFUNC) */
	uint32_t relative;    /* fills 8 bytes with the distance of the file and its addend */
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
 * if @arch is NULL.
 */
size_t elf_arch_relocation_width(const struct elf_arch *arch, uint32_t type);

#endif
