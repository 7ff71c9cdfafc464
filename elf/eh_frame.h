/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of .eh_frame and .debug_frame. A common information entry (CIE) is for many
 * functions. Each frame description entry (FDE) is for one function, or for a part of one. The
 * recorder runs their programs (record/cfi/). The reporter needs the bounds of functions alone. The
 * bytes come out of anybody's files, so they are read with care. Formats: DWARF 5, section 6.4, and
 * Linux Standard Base, section 10.6.
 */
#ifndef ELF_EH_FRAME_H
#define ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwarf_bytes.h"

/*
 * Pointers: the low four bits are the format, the next three the base. From Linux Standard Base,
 * tables 10-1 and 10-2. <dwarf.h> belongs to libdw, which is not needed otherwise.
 */
enum {
	DW_EH_PE_absptr = 0x00,
	DW_EH_PE_uleb128 = 0x01,
	DW_EH_PE_udata2 = 0x02,
	DW_EH_PE_udata4 = 0x03,
	DW_EH_PE_udata8 = 0x04,
	DW_EH_PE_signed = 0x08,
	DW_EH_PE_sleb128 = 0x09,
	DW_EH_PE_sdata2 = 0x0a,
	DW_EH_PE_sdata4 = 0x0b,
	DW_EH_PE_sdata8 = 0x0c,
	DW_EH_PE_format = 0x0f, /* mask */
	DW_EH_PE_pcrel = 0x10,
	DW_EH_PE_datarel = 0x30,
	DW_EH_PE_relative = 0x70, /* mask */
	DW_EH_PE_indirect = 0x80,
	DW_EH_PE_omit = 0xff,
};

struct eh_section {
	const uint8_t *bytes;
	size_t size;        /* below 4 GiB */
	uint64_t vaddr;     /* that .eh_frame is linked at */
	uint64_t data_base; /* base of DW_EH_PE_datarel; 0: unknown */
	bool is_debug_frame;
};

/* An entry without its length and id. */
struct eh_entry {
	uint64_t off;    /* in the section */
	struct cursor b; /* the rest of its bytes; they end where the next entry begins */
	bool is_empty;   /* of length 0, which ends an input file's entries */
	bool is_cie;
	uint64_t cie_off; /* of an FDE's CIE */
};

/* The fields of a CIE. */
struct eh_cie {
	bool has_augmentation;  /* FDEs have a length of their own data */
	bool is_signal;         /* frames are those of signal handlers */
	uint64_t return_column; /* of the return address */
	uint8_t encoding;       /* of pointers, DW_EH_PE_* */
	uint64_t code_align;
	int64_t data_align;
};

/* The fields of an FDE. */
struct eh_fde {
	uint64_t start, end;   /* as linked */
	struct cursor program; /* it may be empty */
};

/*
 * Reads a number in the format of @encoding (DW_EH_PE_*), without its base. Returns false when it
 * is malformed.
 */
bool eh_number(struct cursor *b, uint8_t encoding, uint64_t *value);

/*
 * Reads a pointer of @encoding from @b, which is within @section. Returns false when it is
 * malformed, null, or has to be read from memory.
 */
bool eh_pointer(const struct eh_section *section, struct cursor *b, uint8_t encoding,
		uint64_t *value);

/*
 * Reads the entry at @off, which is within the section, up to its id. Returns false when its length
 * is too long.
 */
bool eh_entry_read(const struct eh_section *section, uint64_t off, struct eh_entry *entry);

/*
 * Reads the CIE at @off, which may be any number. Sets *@program to the bytes of its program.
 * Returns false when the CIE is malformed or of an unknown kind.
 */
bool eh_cie_read(const struct eh_section *section, uint64_t off, struct eh_cie *cie,
		 struct cursor *program);

/* Reads the FDE @entry of @cie. Returns false when it is malformed or empty. */
bool eh_fde_read(const struct eh_section *section, const struct eh_cie *cie,
		 const struct eh_entry *entry, struct eh_fde *fde);

#endif
