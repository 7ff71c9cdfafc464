// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "elf/elf_names.h"
#include "tests/fuzz/known_hits.h"
#include "tests/fuzz/made_elf.h"

/* All code, and the addresses that are looked up in it. */
#define CODE_VADDR 0x1000
#define CODE_SIZE  0x1000
#define NR_HITS    256
#define STEP       16

/* Bytes that an input may make profrep read. */
#define BUDGET_BYTES (64u << 20)

/* The sections of an input, by their numbers. */
static const struct made_section kinds[] = {
	{.name = ".symtab", .type = SHT_SYMTAB, .entry_bytes = sizeof(Elf64_Sym), .link = 2},
	{.name = ".strtab", .type = SHT_STRTAB},
	{.name = ".dynsym", .type = SHT_DYNSYM, .entry_bytes = sizeof(Elf64_Sym), .link = 4},
	{.name = ".dynstr", .type = SHT_STRTAB},
	{.name = ".eh_frame", .type = SHT_PROGBITS, .vaddr = 0x3000},
	{.name = ".eh_frame_hdr", .type = SHT_PROGBITS, .vaddr = 0x2f00},
	{.name = ".gopclntab", .type = SHT_PROGBITS, .vaddr = 0x5000},
	{.name = ".gnu_debugdata", .type = SHT_PROGBITS},
	{.name = ".plt", .type = SHT_PROGBITS, .vaddr = CODE_VADDR, .entry_bytes = 16},
	{.name = ".rela.plt", .type = SHT_RELA, .entry_bytes = sizeof(Elf64_Rela), .link = 3},
	{.name = ".text", .type = SHT_PROGBITS, .vaddr = CODE_VADDR},
	{.name = ".rela.dyn", .type = SHT_RELA, .entry_bytes = sizeof(Elf64_Rela), .link = 3},
};

#define NR_KINDS    ARRAY_SIZE(kinds)
#define DEBUGDATA   7
#define IS_UNPACKED 0x80 /* of the number of .gnu_debugdata: its contents are packed here */

static const Elf64_Phdr code = {
	.p_type = PT_LOAD,
	.p_flags = PF_R | PF_X,
	.p_vaddr = CODE_VADDR,
	.p_filesz = CODE_SIZE,
	.p_memsz = CODE_SIZE,
};

/* Packs MiniDebugInfo, so that mutations reach the ELF file in it. */
static void pack_section(struct made_section *section, uint8_t **packed)
{
	size_t room = lzma_stream_buffer_bound(section->size), len = 0;

	*packed = malloc(room);
	if (!*packed || lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, section->bytes,
						section->size, *packed, &len, room) != LZMA_OK)
		abort();
	section->bytes = *packed;
	section->size = len;
}

/* Makes a file of the list of sections. */
static int make_input(const uint8_t *data, size_t len)
{
	struct made_section sections[NR_KINDS];
	_cleanup_free_ uint8_t *packed = NULL;
	bool is_unpacked = false;

	memcpy(sections, kinds, sizeof(sections));
	while (len >= 4) {
		size_t size = data[1] | data[2] << 8 | data[3] << 16;
		unsigned int kind = (data[0] & ~IS_UNPACKED) % NR_KINDS;

		if (kind == DEBUGDATA)
			is_unpacked = data[0] & IS_UNPACKED;
		data += 4;
		len -= 4;
		size = size < len ? size : len;
		sections[kind].bytes = data;
		sections[kind].size = size;
		data += size;
		len -= size;
	}
	if (is_unpacked)
		pack_section(&sections[DEBUGDATA], &packed);
	return made_elf(&code, sections, NR_KINDS);
}

/* Looks addresses up in @file. Returns how many have a name or bounds. */
static size_t look_up(struct elf_file *file)
{
	struct range_hit hits[NR_HITS];
	struct elf_names names = {0};
	size_t nr_known;

	for (uint32_t i = 0; i < NR_HITS; i++)
		hits[i] = (struct range_hit){.addr = CODE_VADDR + (uint64_t)i * STEP, .tag = i};
	if (elf_names_resolve(&names, file, NULL, hits, NR_HITS))
		abort();
	nr_known = known_hits(hits, NR_HITS);
	elf_names_deinit(&names);
	return nr_known;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct file_budget budget = {.bytes_left = BUDGET_BYTES};
	struct elf_file file;
	size_t nr;

	if (len > INPUT_MAX_BYTES)
		return;
	if (elf_file_open(&file, make_input(data, len), &budget))
		abort();
	nr = look_up(&file);
	if (verbose)
		printf("%zu addresses are known\n", nr);
	elf_file_close(&file);
}
