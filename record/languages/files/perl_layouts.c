// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows Perl's versions by their files, and where each keeps its contexts. A build with threads has
 * all data in one struct. Its size, which the file has, depends on the options of the build, and so
 * does the layout. Runs in the table child.
 *
 * The offsets are those of Perl's headers for x86-64: intrpvar.h, cop.h, cv.h, hv.h. Those of subs
 * and globs are the same in all versions here, and those of contexts from 5.32 on
 * (bpf/languages/perl_frames.h).
 */
#include "record/languages/files/language_files.h"

#include <stdio.h>

#include "common/cleanup.h"
#include "record/languages/files/host_code.h"

/*
 * The struct with all data of a build with threads, and what is where in it. The upstream names are
 * those of https://github.com/Perl/perl5 at the row's tag; intrpvar.h prefixes each with I.
 */
static const struct {
	uint8_t minor;         /* PERL_VERSION (patchlevel.h) */
	uint8_t is_short;      /* PERL_SI has no si_cxsubix, a context no old_cxsubix (cop.h) */
	uint8_t name_in_array; /* there is no struct xpvhv_with_aux (hv.h) */
	uint16_t first_op;     /* OP_NEXTSTATE (opnames.h) */
	uint16_t bytes;        /* PL_interp_size (perl.h), sizeof(struct interpreter) */
	uint16_t stackinfo;    /* PL_curstackinfo (intrpvar.h) */
	uint16_t main_sub;     /* PL_main_cv */
	uint16_t file;         /* PL_origfilename */
} layouts[] = {
	/* Ubuntu 20.04: v5.30.0 */
	{.minor = 30,
	 .is_short = 1,
	 .name_in_array = 1,
	 .first_op = 195,
	 .bytes = 0xcd0,
	 .stackinfo = 0xf0,
	 .main_sub = 0x718,
	 .file = 0x5d0},
	/* Debian 11: v5.32.0 */
	{.minor = 32,
	 .name_in_array = 1,
	 .first_op = 195,
	 .bytes = 0xed0,
	 .stackinfo = 0xf0,
	 .main_sub = 0x718,
	 .file = 0x5d0},
	/* Ubuntu 22.04: v5.34.0 */
	{.minor = 34,
	 .name_in_array = 1,
	 .first_op = 195,
	 .bytes = 0xeb0,
	 .stackinfo = 0xe0,
	 .main_sub = 0x708,
	 .file = 0x5c0},
	/* Debian 12: v5.36.0 */
	{.minor = 36,
	 .first_op = 195,
	 .bytes = 0xeb8,
	 .stackinfo = 0xe0,
	 .main_sub = 0x708,
	 .file = 0x5c0},
	/* Ubuntu 24.04: v5.38.0 */
	{.minor = 38,
	 .first_op = 198,
	 .bytes = 0xf38,
	 .stackinfo = 0xe0,
	 .main_sub = 0x630,
	 .file = 0x4d8},
	/* Debian 13: v5.40.0 */
	{.minor = 40,
	 .first_op = 198,
	 .bytes = 0xeb8,
	 .stackinfo = 0xe0,
	 .main_sub = 0x630,
	 .file = 0x4d8},
	/* Debian unstable: v5.42.0 */
	{.minor = 42,
	 .first_op = 202,
	 .bytes = 0xeb8,
	 .stackinfo = 0xe0,
	 .main_sub = 0x630,
	 .file = 0x4d8},
	/* Debian experimental: v5.44.0 */
	{.minor = 44,
	 .first_op = 202,
	 .bytes = 0xec0,
	 .stackinfo = 0xe0,
	 .main_sub = 0x630,
	 .file = 0x4d8},
};

/* The numbers of row @i that the architecture decides. Returns false if it has none. */
static bool find_host_numbers(size_t i, struct host_perl *host)
{
	*host = (struct host_perl){
		.bytes = layouts[i].bytes,
		.main_sub = layouts[i].main_sub,
		.file = layouts[i].file,
	};
	return host_perl_numbers(layouts[i].minor, host);
}

bool perl_version(size_t i, struct interpreter_version *version)
{
	struct host_perl host;

	for (size_t row = 0; row < ARRAY_SIZE(layouts); row++) {
		if (!find_host_numbers(row, &host) || i--)
			continue;
		*version = (struct interpreter_version){5, layouts[row].minor};
		return true;
	}
	return false;
}

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
	struct host_perl host;
	uint32_t key;
	uint16_t bytes = 0;

	in->perl.has_threads = !find_variable(file, "PL_thr_key", &key);
	if (in->perl.has_threads && read_constant(file, "PL_interp_size", &bytes, sizeof(bytes)))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].minor != minor || !find_host_numbers(i, &host) ||
		    (in->perl.has_threads && host.bytes != bytes))
			continue;
		in->perl.is_short = layouts[i].is_short;
		in->perl.name_in_array = layouts[i].name_in_array;
		in->perl.first_op = layouts[i].first_op;
		in->perl.stackinfo = layouts[i].stackinfo;
		in->perl.main_sub = host.main_sub;
		in->perl.file = host.file;
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
