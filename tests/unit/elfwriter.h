/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes ELF files for tests: 64 bit, in the byte order of this machine. A test describes them, and
 * may spoil their headers.
 */
#ifndef TESTS_ELFWRITER_H
#define TESTS_ELFWRITER_H

#include <check.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/vec.h"

#define ELFW_NOTYPE 0xff

struct elfw_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t bind, type; /* STB_*, STT_*; type 0 stands for STT_FUNC, ELFW_NOTYPE for 0 */
	uint16_t section;   /* 0: ELFW_TEXT */
};

struct elfw_segment {
	uint64_t off, file_size, vaddr, mem_size;
	uint32_t flags;
};

enum elfw_section {
	ELFW_NULL,
	ELFW_TEXT,
	ELFW_NOTE,
	ELFW_SYMTAB,
	ELFW_STRTAB,
	ELFW_DYNSYM,
	ELFW_LINK,
	ELFW_NAMES,
	ELFW_NR_SECTIONS,
};

struct elfw {
	uint64_t text_vaddr, text_size;    /* the .text section */
	bool text_is_nobits;               /* debug information only */
	const struct elfw_symbol *symbols; /* .symtab */
	size_t nr_symbols;
	const struct elfw_symbol *dynamic_symbols; /* .dynsym, names in .strtab, too */
	size_t nr_dynamic_symbols;
	const struct elfw_segment *segments; /* PT_LOAD */
	size_t nr_segments;
	const char *build_id;  /* its bytes are those of the text; NULL: none */
	const char *debuglink; /* NULL: none */
	uint32_t debuglink_crc;
	/* Spoils the headers before they are written. NULL: they stay good. */
	void (*spoil)(Elf64_Ehdr *eh, Elf64_Shdr sections[ELFW_NR_SECTIONS]);
};

typedef VEC(uint8_t) elfw_bytes;

static inline uint64_t elfw_put(elfw_bytes *out, const void *bytes, size_t len)
{
	static const uint8_t zeros[8];
	uint64_t at;

	ck_assert_int_eq(vec_append(out, zeros, -out->nr & 7), 0);
	at = out->nr;
	ck_assert_int_eq(vec_append(out, (const uint8_t *)bytes, len), 0);
	return at;
}

static inline uint32_t elfw_name(elfw_bytes *names, const char *name)
{
	uint32_t at = names->nr;

	ck_assert_int_eq(vec_append(names, (const uint8_t *)name, strlen(name) + 1), 0);
	return at;
}

static inline uint8_t elfw_type(const struct elfw_symbol *s)
{
	return s->type == ELFW_NOTYPE ? STT_NOTYPE : s->type ? s->type : STT_FUNC;
}

static inline void elfw_symtab(elfw_bytes *table, elfw_bytes *names,
			       const struct elfw_symbol *symbols, size_t nr)
{
	const Elf64_Sym none = {0};

	ck_assert_int_eq(vec_append(table, (const uint8_t *)&none, sizeof(none)), 0);
	for (size_t i = 0; i < nr; i++) {
		const struct elfw_symbol *s = &symbols[i];
		Elf64_Sym sym = {
			.st_name = elfw_name(names, s->name),
			.st_value = s->value,
			.st_size = s->size,
			.st_info = ELF64_ST_INFO(s->bind, elfw_type(s)),
			.st_shndx = s->section ? s->section : (uint16_t)ELFW_TEXT,
		};

		ck_assert_int_eq(vec_append(table, (const uint8_t *)&sym, sizeof(sym)), 0);
	}
}

static inline void elfw_note(elfw_bytes *note, const char *build_id)
{
	Elf64_Nhdr nhdr = {4, strlen(build_id), NT_GNU_BUILD_ID};

	ck_assert_int_eq(vec_append(note, (const uint8_t *)&nhdr, sizeof(nhdr)), 0);
	ck_assert_int_eq(vec_append(note, (const uint8_t *)"GNU", 4), 0);
	ck_assert_int_eq(vec_append(note, (const uint8_t *)build_id, strlen(build_id)), 0);
}

static inline void elfw_debuglink(elfw_bytes *link, const struct elfw *spec)
{
	static const uint8_t zeros[4];

	elfw_name(link, spec->debuglink);
	ck_assert_int_eq(vec_append(link, zeros, -link->nr & 3), 0);
	ck_assert_int_eq(vec_append(link, (const uint8_t *)&spec->debuglink_crc, 4), 0);
}

static inline void elfw_program_headers(elfw_bytes *out, const struct elfw *spec)
{
	for (size_t i = 0; i < spec->nr_segments; i++) {
		const struct elfw_segment *s = &spec->segments[i];
		Elf64_Phdr ph = {
			.p_type = PT_LOAD,
			.p_flags = s->flags,
			.p_offset = s->off,
			.p_vaddr = s->vaddr,
			.p_filesz = s->file_size,
			.p_memsz = s->mem_size,
		};

		ck_assert_int_eq(vec_append(out, (const uint8_t *)&ph, sizeof(ph)), 0);
	}
}

/* The header of a file for this byte order, with the sizes of its parts. */
static inline Elf64_Ehdr elfw_header(void)
{
	return (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
}

/* The headers of sections, without offsets and sizes. */
static inline void elfw_section_headers(const struct elfw *spec, Elf64_Shdr sh[ELFW_NR_SECTIONS])
{
	const Elf64_Shdr symbols = {
		.sh_type = SHT_SYMTAB, .sh_link = ELFW_STRTAB, .sh_entsize = sizeof(Elf64_Sym)};
	const Elf64_Shdr strings = {.sh_type = SHT_STRTAB};

	memset(sh, 0, ELFW_NR_SECTIONS * sizeof(*sh)); /* SHT_NULL */
	sh[ELFW_TEXT] = (Elf64_Shdr){.sh_type = spec->text_is_nobits ? SHT_NOBITS : SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				     .sh_addr = spec->text_vaddr,
				     .sh_size = spec->text_size};
	sh[ELFW_NOTE].sh_type = spec->build_id ? SHT_NOTE : SHT_NULL;
	sh[ELFW_LINK].sh_type = spec->debuglink ? SHT_PROGBITS : SHT_NULL;
	if (spec->nr_symbols)
		sh[ELFW_SYMTAB] = symbols;
	if (spec->nr_dynamic_symbols) {
		sh[ELFW_DYNSYM] = symbols;
		sh[ELFW_DYNSYM].sh_type = SHT_DYNSYM;
	}
	sh[ELFW_STRTAB] = strings;
	sh[ELFW_NAMES] = strings;
}

/* The contents of all sections but .text. The caller frees them. */
static inline void elfw_contents(const struct elfw *spec, elfw_bytes parts[ELFW_NR_SECTIONS])
{
	elfw_name(&parts[ELFW_STRTAB], "");
	elfw_symtab(&parts[ELFW_SYMTAB], &parts[ELFW_STRTAB], spec->symbols, spec->nr_symbols);
	elfw_symtab(&parts[ELFW_DYNSYM], &parts[ELFW_STRTAB], spec->dynamic_symbols,
		    spec->nr_dynamic_symbols);
	if (spec->build_id)
		elfw_note(&parts[ELFW_NOTE], spec->build_id);
	if (spec->debuglink)
		elfw_debuglink(&parts[ELFW_LINK], spec);
}

/* Writes the file that @spec describes to @path. */
static inline void elfw_write(const struct elfw *spec, const char *path)
{
	static const char *const section_names[ELFW_NR_SECTIONS] = {
		"",        ".text",   ".note.gnu.build-id", ".symtab",
		".strtab", ".dynsym", ".gnu_debuglink",     ".shstrtab"};
	elfw_bytes out = {0}, parts[ELFW_NR_SECTIONS] = {0};
	Elf64_Shdr sh[ELFW_NR_SECTIONS];
	Elf64_Ehdr eh = elfw_header();
	int fd;

	eh.e_phoff = spec->nr_segments ? sizeof(eh) : 0;
	eh.e_phnum = spec->nr_segments;
	eh.e_shnum = ELFW_NR_SECTIONS;
	eh.e_shstrndx = ELFW_NAMES;
	elfw_section_headers(spec, sh);
	elfw_contents(spec, parts);
	for (int i = 0; i < ELFW_NR_SECTIONS; i++)
		sh[i].sh_name = elfw_name(&parts[ELFW_NAMES], section_names[i]);
	elfw_put(&out, &eh, sizeof(eh));
	elfw_program_headers(&out, spec);
	for (int i = 0; i < ELFW_NR_SECTIONS; i++) {
		if (i == ELFW_TEXT || sh[i].sh_type == SHT_NULL)
			continue;
		sh[i].sh_offset = elfw_put(&out, parts[i].data, parts[i].nr);
		sh[i].sh_size = parts[i].nr;
		sh[i].sh_addralign = 1;
	}
	if (spec->spoil)
		spec->spoil(&eh, sh);
	eh.e_shoff = elfw_put(&out, sh, sizeof(sh));
	memcpy(out.data, &eh, sizeof(eh));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, out.data, out.nr), (ssize_t)out.nr);
	close(fd);
	for (int i = 0; i < ELFW_NR_SECTIONS; i++)
		vec_free(&parts[i]);
	vec_free(&out);
}

#endif
