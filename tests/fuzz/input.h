/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz target and the program that replays its corpus share. An input is either a
 * recording, or, so that mutations reach the tables' decoders instead of ending in zstd, a list of
 * sections that are put into the container here: u8 type, u24 little-endian length, payload.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Reads one input through the reader to its end. @verbose: prints what came of it. */
void input_run(const uint8_t *data, size_t len, int verbose);

/* Largest number of payload bytes of one input. */
#define INPUT_MAX_BYTES (1u << 20)

#endif
