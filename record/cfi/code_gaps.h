/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what record/cfi/code_frames.h needs of a file: the code between the functions that
 * something else tells of, and symbols of functions and sections of stubs there. Runs in the table
 * child.
 */
#ifndef RECORD_CFI_CODE_GAPS_H
#define RECORD_CFI_CODE_GAPS_H

#include <stdint.h>

#include "record/cfi/cfi_elf.h"
#include "record/cfi/code_frames.h"

/*
 * Adds the gap [@start, @end), as linked, unless it is none or mere padding. The last gap is below.
 * Returns 0 or -ENOMEM.
 */
int code_gaps_add(struct code_frames *frames, uint64_t start, uint64_t end);

/*
 * Reads the code of the gaps and the symbols from the ELF file at @fd. If they have more than
 * CODE_BYTES_MAX, or one of them cannot be read, there are no gaps. Returns 0, -ENOMEM, -ENOEXEC,
 * or a failing read's errno.
 */
int code_gaps_read(struct code_frames *frames, int fd);

/*
 * Keeps the addresses in gaps that code of the @nr @segments between gaps calls or takes, where
 * instructions can be found in it. A call may be data that looks like one, so each is a guess.
 * Reads the segments from @fd, if all have no more than CODE_BYTES_MAX. Returns 0 or -ENOMEM.
 */
int code_gaps_read_calls(struct code_frames *frames, int fd, const struct code_segment *segments,
			 size_t nr);

/* Keeps the function at @addr, as linked, if it begins in a gap. Returns 0 or -ENOMEM. */
int code_gaps_add_start(struct code_frames *frames, uint64_t addr);

/* Makes @hash, of all else in the file, one of what was read, too. */
void code_gaps_hash(const struct code_frames *frames, uint8_t hash[static CFI_HASH_BYTES]);

#endif
