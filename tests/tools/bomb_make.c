// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes small files that are meant to use up the memory or the time of profrep: bomb_make KIND >
 * FILE. The kinds of recordings are
 *
 *	symbols    40 epochs, each with a million equal symbols
 *	frames     16 epochs, each with a million new frames
 *	module     40,000 frames in a module whose name has 64 KB
 *	intervals  two samples, 10^18 intervals of a nanosecond apart
 *	strings    400,000 strings that a hash without a seed takes for equal
 *
 * The kinds of ELF files are
 *
 *	tables     500 tables of symbols over the same 16 MB
 *	sections   60,000 sections, whose names have no end
 *	link       a debug link to app.debug
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/writer.h"
#include "tests/unit/world.h"

#define NR_ELEMENTS (1u << 20)
#define NR_EQUAL    400000
#define NR_MODULE   40000
#define MIB         (1u << 20)

static void check(int ret)
{
	if (ret) {
		fprintf(stderr, "bomb_make: %s\n", strerror(-ret));
		exit(EXIT_FAILURE);
	}
}

static int write_stdout(void *ctx, const void *buf, size_t len)
{
	(void)ctx;
	return fwrite(buf, 1, len, stdout) == len ? 0 : -EIO;
}

static void add_sample(struct world *w, uint32_t object, uint64_t off)
{
	uint32_t process = w->processes.nr > 1 ? 1 : WORLD_PUSH(w, processes, {1, 1, 0, 0});
	uint32_t frame = WORLD_PUSH(w, frames, {object, off});

	WORLD_COUNT(w, process, 0, world_stack(w, &frame, 1, PROF_STACK_COMPLETE), 0, 1);
}

static uint32_t add_object(struct world *w, const char *path, uint32_t len)
{
	return WORLD_PUSH(w, objects,
			  {.kind = PROF_OBJECT_FILE, .path = world_bytes(w, path, len)});
}

static void make_symbols(struct world *w, unsigned int epoch)
{
	uint32_t object = add_object(w, "/f", 2), name = world_string(w, "name");

	(void)epoch;
	for (uint32_t i = 0; i < NR_ELEMENTS; i++)
		WORLD_PUSH(w, symbols, {object, name, i, 1});
	add_sample(w, object, 0);
}

static void make_frames(struct world *w, unsigned int epoch)
{
	uint32_t object = add_object(w, "/f", 2);

	for (uint32_t i = 0; i < NR_ELEMENTS - 2; i++)
		WORLD_PUSH(w, frames, {object, (uint64_t)epoch * NR_ELEMENTS + i});
	add_sample(w, object, epoch);
}

static void make_module(struct world *w, unsigned int epoch)
{
	static char path[PROF_MAX_STRING_BYTES];
	uint32_t object;

	(void)epoch;
	memset(path, 'm', sizeof(path));
	object = add_object(w, path, sizeof(path));
	for (uint32_t i = 0; i < NR_MODULE; i++)
		add_sample(w, object, i);
}

static void make_intervals(struct world *w, unsigned int epoch)
{
	add_sample(w, add_object(w, "/f", 2), 0);
	w->epoch.begin_ns = epoch * UINT64_C(1000000000000000000);
	w->epoch.end_ns = w->epoch.begin_ns + 1;
}

/* XXH3 without a seed multiplies the first half by 0. */
static void make_strings(struct world *w, unsigned int epoch)
{
	char s[40];

	(void)epoch;
	for (uint32_t i = 0; i < NR_EQUAL; i++) {
		snprintf(s, sizeof(s), "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe%08x0123456789abcdef", i);
		world_string(w, s);
	}
	add_sample(w, add_object(w, "/f", 2), 0);
}

static const struct recording_bomb {
	const char *kind;
	unsigned int nr_epochs;
	void (*make)(struct world *w, unsigned int epoch);
	uint64_t interval_ns;
} recordings[] = {
	{"symbols", 40, make_symbols, 0}, {"frames", 16, make_frames, 0},
	{"module", 1, make_module, 0},    {"intervals", 2, make_intervals, 1},
	{"strings", 1, make_strings, 0},
};

static void write_recording(const struct recording_bomb *bomb)
{
	const struct prof_meta meta = {.interval_ns = bomb->interval_ns};
	const struct prof_end end = {.duration_ns = 1};
	struct prof_writer *writer;

	check(prof_writer_create(write_stdout, NULL, &writer));
	check(prof_writer_meta(writer, &meta));
	for (unsigned int i = 0; i < bomb->nr_epochs; i++) {
		struct world w;

		world_init(&w);
		w.epoch.end_ns = 1;
		bomb->make(&w, i);
		check(prof_writer_epoch(writer, world_epoch(&w)));
		world_deinit(&w);
	}
	check(prof_writer_end(writer, &end));
	prof_writer_destroy(writer);
}

/* Writes an ELF file: @nr headers like @section, then the @bytes of all of them. */
static void write_elf(unsigned int nr, Elf64_Shdr section, const Elf64_Shdr *names,
		      const void *bytes, size_t len)
{
	const Elf64_Shdr none = {0};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_phoff = sizeof(header),
		.e_phnum = 1,
		.e_shstrndx = 1,
		.e_shnum = nr + 2,
	};
	const Elf64_Phdr code = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = MIB};
	Elf64_Shdr strings = *names;
	size_t at = sizeof(header) + sizeof(code);

	header.e_shoff = at + len;
	strings.sh_offset += at;
	section.sh_offset += at;
	fwrite(&header, sizeof(header), 1, stdout);
	fwrite(&code, sizeof(code), 1, stdout);
	fwrite(bytes, 1, len, stdout);
	fwrite(&none, sizeof(none), 1, stdout);
	fwrite(&strings, sizeof(strings), 1, stdout);
	for (unsigned int i = 0; i < nr; i++)
		fwrite(&section, sizeof(section), 1, stdout);
}

static void write_tables(void)
{
	const Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_size = 16 * MIB};
	const Elf64_Shdr table = {.sh_type = SHT_SYMTAB,
				  .sh_size = 16 * MIB,
				  .sh_link = 1,
				  .sh_entsize = sizeof(Elf64_Sym)};
	_cleanup_free_ char *bytes = calloc(16, MIB);

	write_elf(500, table, &names, bytes, 16 * (size_t)MIB);
}

/* Functions that all cover the sample in /app, and whose names are the ends of long ones. */
static void write_names(void)
{
	const size_t size = 8 * (size_t)MIB, nr = size / sizeof(Elf64_Sym);
	const Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_offset = size, .sh_size = 8 * MIB};
	const Elf64_Shdr table = {.sh_type = SHT_SYMTAB,
				  .sh_size = nr * sizeof(Elf64_Sym),
				  .sh_link = 1,
				  .sh_entsize = sizeof(Elf64_Sym)};
	_cleanup_free_ char *bytes = malloc(2 * size);
	Elf64_Sym *symbols = (Elf64_Sym *)bytes;

	memset(bytes + size, 'x', size);
	for (size_t i = 65000; i <= size; i += 65000)
		bytes[size + i - 1] = 0;
	for (size_t i = 0; i < nr; i++)
		symbols[i] = (Elf64_Sym){.st_name = i % 128 * 65000 + i / 128 % 1000,
					 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					 .st_shndx = 1,
					 .st_size = MIB};
	write_elf(1, table, &names, bytes, 2 * size);
}

static void write_sections(void)
{
	const Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_size = 16 * MIB};
	const Elf64_Shdr section = {.sh_type = SHT_PROGBITS, .sh_size = 16};
	_cleanup_free_ char *bytes = malloc(16 * (size_t)MIB);

	memset(bytes, 'x', 16 * (size_t)MIB);
	write_elf(60000, section, &names, bytes, 16 * (size_t)MIB);
}

static void write_link(void)
{
	static const char bytes[40] = "\0.gnu_debuglink\0app.debug\0\0\0\1\0\0\0";
	const Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_size = 16};
	const Elf64_Shdr link = {
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = 16, .sh_size = 16};

	write_elf(1, link, &names, bytes, sizeof(bytes));
}

int main(int argc, char **argv)
{
	const char *kind = argc == 2 ? argv[1] : "";

	if (!strcmp(kind, "tables"))
		write_tables();
	else if (!strcmp(kind, "names"))
		write_names();
	else if (!strcmp(kind, "sections"))
		write_sections();
	else if (!strcmp(kind, "link"))
		write_link();
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++)
		if (!strcmp(kind, recordings[i].kind))
			write_recording(&recordings[i]);
	return ftell(stdout) > 0 || fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
