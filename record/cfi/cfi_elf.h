/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an ELF file that tables are made from: the places of its code, and the sections that
 * say how to unwind it. They are read into memory, because a mapped file that somebody truncates
 * would raise SIGBUS.
 */
#ifndef RECORD_CFI_CFI_ELF_H
#define RECORD_CFI_CFI_ELF_H

#include <stdint.h>

#include "common/vec.h"
#include "elf/go_table.h"
#include "record/cfi/bare_vdso.h"
#include "record/cfi/cfi.h"
#include "record/cfi/coroutines.h"
#include "record/cfi/go_code.h"

/* An executable PT_LOAD entry, as far as it is in the file. */
struct code_segment {
	uint64_t vaddr, off, size;
};

#define CFI_HASH_BYTES 32

/* A file may have both, for different code. */
enum cfi_section { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_NR_SECTIONS };

struct cfi_elf {
	VEC(struct code_segment) segments;
	bool is_made;   /* by record/machines/registered_code.h: it has no code */
	uint64_t entry; /* address where a process begins; 0: nowhere */
	struct eh_section sections[CFI_NR_SECTIONS]; /* size 0: the file has no such section */
	bool is_go;                                  /* it has a table of Go, perhaps none in @go */
	struct go_table go;                          /* nr 0: it has none that can be read */
	struct coroutine_begin coroutines[NR_COROUTINE_KINDS];
	struct go_code go_codes[GO_NR_CODES];
	struct bare_function bare[BARE_FUNCTIONS_MAX];
	size_t nr_bare;
	uint8_t *bytes[CFI_NR_SECTIONS], *go_bytes; /* of the sections */
};

/*
 * Reads the file at @fd. Returns 0, -ENOEXEC (damaged, or no 64-bit ELF file of this architecture),
 * -ENODATA (no code), -EFBIG (beyond a limit), -ENOMEM, or a
 * failing read's errno.
 */
int cfi_elf_read(int fd, struct cfi_elf *elf);

/*
 * The SHA-256 of everything in @elf. Two files with one hash have one table.
 */
void cfi_elf_hash(const struct cfi_elf *elf, uint8_t hash[static CFI_HASH_BYTES]);

void cfi_elf_deinit(struct cfi_elf *elf);

#endif
