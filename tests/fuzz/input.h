/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fuzz target and the program that replays its corpus share.
 *
 * For the reader (input.c), an input is either a recording, or, so that mutations reach the tables'
 * decoders instead of ending in zstd, a list of sections that are put into the container here: u8
 * type, u24 little-endian length, payload.
 *
 * For unwind tables (table_input.c), it is an ELF file, or the bytes of a table, whose checksum is
 * put right; anything else is one byte, of which bit 0 says .debug_frame, and the contents of that
 * section or of .eh_frame, around which an ELF file is made.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Reads one input to its end. @verbose: prints what came of it. */
void input_run(const uint8_t *data, size_t len, int verbose);

/* Largest number of payload bytes of one input. */
#define INPUT_MAX_BYTES (1u << 20)

#endif
