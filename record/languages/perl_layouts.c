// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The offsets are those of Perl's headers for x86-64: intrpvar.h, cop.h, cv.h, hv.h. Those of subs
 * and globs are the same in all versions here, and those of contexts from 5.32 on
 * (bpf/perl_frames.h).
 */
#include "record/languages/perl_layouts.h"

#include <stdio.h>

#include "common/cleanup.h"

/* The struct with all data of a build with threads (PL_interp_size), and what is where in it. */
static const struct {
	uint8_t minor;
	uint8_t is_short, name_in_array;
	uint16_t first_op;
	uint16_t bytes;
	uint16_t stackinfo, main_sub, file;
} layouts[] = {
	{30, 1, 1, 195, 0xcd0, 0xf0, 0x718, 0x5d0}, /* Ubuntu 20.04 */
	{32, 0, 1, 195, 0xed0, 0xf0, 0x718, 0x5d0}, /* Debian 11 */
	{34, 0, 1, 195, 0xeb0, 0xe0, 0x708, 0x5c0}, /* Ubuntu 22.04 */
	{36, 0, 0, 195, 0xeb8, 0xe0, 0x708, 0x5c0}, /* Debian 12 */
	{38, 0, 0, 198, 0xf38, 0xe0, 0x630, 0x4d8}, /* Ubuntu 24.04 */
	{40, 0, 0, 198, 0xeb8, 0xe0, 0x630, 0x4d8}, /* Debian 13 */
	{42, 0, 0, 202, 0xeb8, 0xe0, 0x630, 0x4d8}, /* Debian unstable */
	{44, 0, 0, 202, 0xec0, 0xe0, 0x630, 0x4d8}, /* Debian experimental */
};

/* A file, and the difference between addresses as linked and those in struct interpreter. */
struct perl_file {
	const struct dynamic_symbols *symbols;
	uint64_t bias;
};

static int find_function(const struct perl_file *file, const char *name, uint32_t *begin,
			 uint32_t *bytes)
{
	Elf64_Sym symbol;

	if (dynamic_symbols_find(file->symbols, name, &symbol))
		return -1;
	*begin = symbol.st_value - file->bias;
	*bytes = symbol.st_size;
	return 0;
}

static int find_perl_functions(const struct perl_file *file, struct perl_functions *f)
{
	return find_function(file, "Perl_runops_standard", &f->loop, &f->loop_bytes) ||
			       find_function(file, "Perl_call_sv", &f->call, &f->call_bytes) ||
			       find_function(file, "Perl_amagic_call", &f->overload,
					     &f->overload_bytes) ||
			       find_function(file, "perl_run", &f->main, &f->main_bytes)
		       ? -1
		       : 0;
}

/* Finds the place of a global variable. */
static int find_variable(const struct perl_file *file, const char *name, uint32_t *place)
{
	uint32_t bytes;

	return find_function(file, name, place, &bytes);
}

/* Reads a constant of @len bytes. */
static int read_constant(const struct perl_file *file, const char *name, void *value, size_t len)
{
	Elf64_Sym symbol;

	if (dynamic_symbols_find(file->symbols, name, &symbol))
		return -1;
	return dynamic_symbols_read(file->symbols, symbol.st_value, value, len);
}

/* Finds the data of a build with threads, or the variables of one without. */
static int find_data(const struct perl_file *file, uint8_t minor, struct interpreter *in)
{
	uint32_t key;
	uint16_t bytes = 0;

	in->perl.has_threads = !find_variable(file, "PL_thr_key", &key);
	if (in->perl.has_threads && read_constant(file, "PL_interp_size", &bytes, sizeof(bytes)))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].minor != minor ||
		    (in->perl.has_threads && layouts[i].bytes != bytes))
			continue;
		in->perl.is_short = layouts[i].is_short;
		in->perl.name_in_array = layouts[i].name_in_array;
		in->perl.first_op = layouts[i].first_op;
		in->perl.stackinfo = layouts[i].stackinfo;
		in->perl.main_sub = layouts[i].main_sub;
		in->perl.file = layouts[i].file;
		if (in->perl.has_threads) {
			in->runtime = key;
			return 0;
		}
		return find_variable(file, "PL_curstackinfo", &in->perl.stackinfo) ||
				       find_variable(file, "PL_main_cv", &in->perl.main_sub) ||
				       find_variable(file, "PL_origfilename", &in->perl.file)
			       ? -1
			       : 0;
	}
	return -1;
}

void perl_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_PERL};
	struct perl_file file = {.symbols = symbols};
	uint8_t minor, patch;

	if (!code || read_constant(&file, "PL_version", &minor, sizeof(minor)) ||
	    read_constant(&file, "PL_subversion", &patch, sizeof(patch)))
		return;
	file.bias = code->p_vaddr - code->p_offset;
	in.code_off = code->p_offset;
	if (find_perl_functions(&file, &in.perl.functions))
		return;
	found->language = LANGUAGE_PERL;
	snprintf(found->name, sizeof(found->name), "Perl 5.%u.%u", minor, patch);
	if (!find_data(&file, minor, &in))
		found->interpreter = in;
}
