// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/machines/beam_machine.h"
#include "tests/fuzz/endless_memory.h"

static const struct machine_memory memory = {.read = read_image};

/*
 * Reads the functions at some places. Returns how many there are, of them *@nr_lines with a line.
 */
static size_t read_functions(const struct beam_tables *tables, size_t *nr_lines)
{
	size_t nr = 0;

	for (uint64_t pc = 64; pc < 512; pc += 16) {
		struct machine_function function;
		__u64 code[2];

		read_image(NULL, pc, code, sizeof(code));
		if (beam_function_read(&memory, tables, beam_word_of(pc, code), &function))
			continue;
		if (function.class.nr_bytes > NAME_BYTES || function.name.nr_bytes > NAME_BYTES ||
		    !function.name.nr_bytes)
			abort();
		if (function.file.nr_bytes > NAME_BYTES || function.line >> 24 ||
		    (function.file.nr_bytes && !function.line))
			abort();
		*nr_lines += function.line > 0;
		nr++;
	}
	return nr;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct interpreter in = {
		.language = LANGUAGE_BEAM,
		.beam = {.frame_layout = 8, .key = 12, .ranges = 24, .active_code = 20, .atoms = 0},
	};
	struct beam_machine machine;
	struct beam_tables tables;
	size_t nr, nr_lines = 0;
	int ret;

	if (len < 64 || len > INPUT_MAX_BYTES)
		return;
	in.version = data[17] & 8 ? 29 : data[16] & 1 ? 27 : 25;
	image = (struct image){data, len};
	ret = beam_machine_read(&memory, &in, 0, &machine, &tables);
	if (!ret && (machine.main >= machine.main_end || machine.shared_end <= machine.normal_exit))
		abort();
	nr = read_functions(&tables, &nr_lines);
	if (verbose)
		printf("%d, %zu functions, %zu lines\n", ret, nr, nr_lines);
}
