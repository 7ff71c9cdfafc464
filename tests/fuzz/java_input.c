// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/machines/java_methods.h"
#include "tests/fuzz/endless_memory.h"

static const struct machine_memory memory = {.read = read_image};

/* The offsets of OpenJDK 17.0.15, 25.0.3 and 8u504. */
static const struct java_machine machines[] = {
	{.version = 17,
	 .blob_code_begin = 32,
	 .blob_method = 112,
	 .method_const = 8,
	 .const_pool = 8,
	 .const_name = 34,
	 .const_code_size = 32,
	 .const_bytes = 48,
	 .pool_bytes = 72,
	 .pool_class = 24,
	 .class_name = 24,
	 .symbol_length = 4,
	 .symbol_text = 6},
	{.version = 25,
	 .code_is_offset = 1,
	 .blob_code_begin = 36,
	 .blob_method = 80,
	 .method_const = 8,
	 .const_pool = 8,
	 .const_name = 36,
	 .const_code_size = 34,
	 .const_bytes = 56,
	 .pool_bytes = 72,
	 .pool_class = 24,
	 .class_name = 24,
	 .symbol_length = 4,
	 .symbol_text = 6},
	{.version = 8,
	 .code_is_offset = 1,
	 .blob_code_begin = 32,
	 .blob_method = 64,
	 .method_const = 8,
	 .const_pool = 8,
	 .const_name = 34,
	 .const_code_size = 32,
	 .const_bytes = 48,
	 .pool_bytes = 80,
	 .pool_class = 24,
	 .class_name = 16,
	 .symbol_length = 0,
	 .symbol_text = 8},
};

static const struct java_layout layouts[] = {
	{.has_lines = 1,
	 .has_scopes = 1,
	 .const_flags = 28,
	 .const_words = 24,
	 .compile_id = 304,
	 .pcs = 268,
	 .pcs_end = 272,
	 .scopes = 120,
	 .metadata = 260},
	{.has_lines = 1,
	 .has_scopes = 1,
	 .const_flags = 28,
	 .const_words = 24,
	 .compile_id = 212,
	 .pcs = 196,
	 .pcs_end = 200,
	 .scopes = 200,
	 .immutable = 96,
	 .scopes_end = 160,
	 .mutable = 16,
	 .mutable_bytes = 48,
	 .relocation_bytes = 28},
	{.has_lines = 1,
	 .has_scopes = 1,
	 .const_flags = 28,
	 .const_words = 24,
	 .compile_id = 204,
	 .pcs = 180,
	 .pcs_end = 184,
	 .scopes = 176,
	 .scopes_is_offset = 1,
	 .metadata = 172},
};

static void check_text(const struct language_text *text)
{
	if (!text->nr_bytes || text->nr_bytes > NAME_BYTES || text->is_cut > 1)
		abort();
}

/* Reads the methods at all places of the code of the block at 0. Returns how many there are. */
static size_t read_methods(unsigned int kind)
{
	const struct java_code code = {&memory, &machines[kind], &layouts[kind]};
	struct java_scope scopes[JAVA_MAX_SCOPES];
	struct java_place place = {.block = 0};
	size_t nr_methods = 0;
	uint64_t begin = 0;

	read_image(NULL, layouts[kind].compile_id, &place.compile_id, sizeof(place.compile_id));
	read_image(NULL, machines[kind].blob_code_begin, &begin, kind ? 4 : 8);
	for (place.pc = begin; place.pc - begin < 64; place.pc += 4) {
		int nr = java_scopes_find(&code, &place, scopes);

		if (nr > JAVA_MAX_SCOPES || !nr)
			abort();
		for (int i = 0; i < nr; i++) {
			struct machine_function method;

			if (java_method_read(&code, scopes[i].method, &method))
				continue;
			check_text(&method.class);
			check_text(&method.name);
			nr_methods++;
		}
	}
	return nr_methods;
}

/* Reads a machine of @version. Returns the number of its heaps. */
static size_t read_machine(uint32_t version)
{
	struct interpreter in = {.language = LANGUAGE_JAVA, .version = version};
	struct java_machine m = {.version = 0};
	struct java_layout layout;
	size_t nr = 0;

	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++)
		in.java[i] = 8 * i;
	if (java_machine_read(&memory, &in, 0, &m, &layout))
		return 0;
	for (; nr < MAX_JAVA_HEAPS && m.heaps[nr].low; nr++)
		if (m.heaps[nr].low >= m.heaps[nr].high || m.heaps[nr].low < m.low ||
		    m.heaps[nr].high > m.high || m.heaps[nr].shift > 16)
			abort();
	if (!nr || m.blob_name > JAVA_BLOB_BYTES - 8 || m.blob_method > JAVA_BLOB_BYTES - 8 ||
	    m.const_pool > JAVA_CONST_WORDS * 8 - 8 ||
	    (m.interpreter_size && m.interpreter_begin + m.interpreter_size > m.high))
		abort();
	return nr;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	bool is_8;
	size_t nr;

	if (len < 2 || len > INPUT_MAX_BYTES)
		return;
	image = (struct image){data + 1, len - 1};
	is_8 = data[0] & 4;
	nr = data[0] & 2 ? read_machine(is_8 ? 8 : 17) : read_methods(is_8 ? 2 : data[0] & 1);
	if (verbose)
		printf("%zu %s\n", nr, data[0] & 2 ? "heaps" : "methods");
}
