// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/cfi_elf.h"

#include <elf.h>
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "elf/arch.h"
#include "elf/elf_sections.h"
#include "record/cfi/go_frames.h"
#include "record/host/host_abi.h"

/* Files have up to a dozen. */
#define SEGMENTS_MAX 1024

/* Browsers have 20 MB. */
#define SECTION_BYTES_MAX (128u << 20)

/* A section with an end mark and nothing else. */
#define SECTION_BYTES_EMPTY 4

/* From binutils 2.40. <elf.h> of glibc before 2.37 lacks it. */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static int read_segments(const struct elf_image *file, struct cfi_elf *elf)
{
	if (file->header.e_machine != HOST_MACHINE || file->header.e_phnum > SEGMENTS_MAX)
		return -ENOEXEC;
	elf_image_for_each_segment(file, ph)
	{
		const struct code_segment segment = {ph->p_vaddr, ph->p_offset, ph->p_filesz};

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || ph->p_offset > file->size ||
		    ph->p_filesz > file->size - ph->p_offset ||
		    ph->p_vaddr > UINT64_MAX - ph->p_filesz)
			continue;
		if (vec_push(&elf->segments, segment))
			return -ENOMEM;
	}
	return elf->segments.nr ? 0 : -ENODATA;
}

/* Unpacks @size bytes at @packed to exactly @dst_size. */
static bool unpack_bytes(uint32_t type, const uint8_t *packed, size_t size, uint8_t *dst,
			 size_t dst_size)
{
	uLongf n = dst_size;

	if (type == ELFCOMPRESS_ZLIB)
		return uncompress(dst, &n, packed, size) == Z_OK && n == dst_size;
	if (type == ELFCOMPRESS_ZSTD)
		return ZSTD_decompress(dst, dst_size, packed, size) == dst_size;
	return false;
}

static int decompress_section(struct eh_section *section, uint8_t **bytes)
{
	_cleanup_free_ uint8_t *packed = TAKE_PTR(*bytes);
	size_t size = section->size;
	Elf64_Chdr ch;

	if (size < sizeof(ch))
		return -ENOEXEC;
	memcpy(&ch, packed, sizeof(ch));
	if (ch.ch_size > SECTION_BYTES_MAX)
		return -EFBIG;
	*bytes = malloc(ch.ch_size + 1);
	if (!*bytes)
		return -ENOMEM;
	section->size = ch.ch_size;
	return unpack_bytes(ch.ch_type, packed + sizeof(ch), size - sizeof(ch), *bytes, ch.ch_size)
		       ? 0
		       : -ENOEXEC;
}

static int read_unwind_section(const struct elf_image *file, enum cfi_section i,
			       struct cfi_elf *elf)
{
	static const char *const names[] = {".eh_frame", ".debug_frame"};
	const Elf64_Shdr *sh = elf_image_find_section(file, names[i]);
	const Elf64_Shdr *got = elf_image_find_section(file, ".got");
	struct eh_section section = {.is_debug_frame = i == CFI_DEBUG_FRAME};
	int ret;

	if (!sh || sh->sh_size <= SECTION_BYTES_EMPTY)
		return 0;
	if (sh->sh_size > SECTION_BYTES_MAX)
		return -EFBIG;
	ret = elf_image_read_section(file, sh, &elf->bytes[i]);
	if (ret)
		return ret;
	section.vaddr = sh->sh_addr;
	section.data_base = got ? got->sh_addr : 0;
	section.size = sh->sh_size;
	if (sh->sh_flags & SHF_COMPRESSED)
		ret = decompress_section(&section, &elf->bytes[i]);
	section.bytes = elf->bytes[i];
	if (!ret)
		elf->sections[i] = section;
	return ret;
}

/* Finds the number that the dynamic linker writes to @addr. */
static int find_relocation(const struct elf_image *file, uint64_t addr, uint64_t *value)
{
	const Elf64_Shdr *sh = elf_image_find_section(file, ".rela.dyn");
	const struct elf_arch *arch = elf_arch_find(HOST_MACHINE);
	_cleanup_free_ uint8_t *bytes = NULL;
	int ret;

	if (!sh || sh->sh_type != SHT_RELA || !arch)
		return 0;
	if (sh->sh_size > SECTION_BYTES_MAX)
		return -EFBIG;
	ret = elf_image_read_section(file, sh, &bytes);
	for (size_t off = 0; !ret && sh->sh_size - off >= sizeof(Elf64_Rela);
	     off += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;

		memcpy(&rela, bytes + off, sizeof(rela));
		if (rela.r_offset != addr || ELF64_R_TYPE(rela.r_info) != arch->relative)
			continue;
		*value = rela.r_addend;
		break;
	}
	return ret;
}

/* Finds the number at @off of a section: what is there, or what the dynamic linker writes. */
static int find_number(const struct elf_image *file, const Elf64_Shdr *sh, uint64_t off,
		       uint64_t *number)
{
	int ret = elf_image_read(file, sh->sh_offset + off, number, sizeof(*number));

	return ret || *number ? ret : find_relocation(file, sh->sh_addr + off, number);
}

/* Finds the start of the code in .go.module, if the module is that of the table. */
static int find_module_start(const struct elf_image *file, struct go_table *table)
{
	const Elf64_Shdr *sh = elf_image_find_section(file, ".go.module");
	uint64_t start = 0, first = 0;
	int ret;

	if (!sh || sh->sh_size < GO_MODULE_TEXT_OFF + sizeof(start))
		return 0;
	ret = find_number(file, sh, GO_MODULE_TEXT_OFF, &start);
	if (!ret)
		ret = find_number(file, sh, GO_MODULE_FIRST_OFF, &first);
	if (!ret && start + go_table_address(table, 0) == first)
		table->text_start = start;
	return ret;
}

/*
 * Finds the start of the code of the table at @vaddr as elf/gopclntab.c does. It stays 0 if nothing
 * tells.
 */
static int find_text_start(const struct elf_image *file, struct go_table *table, uint64_t vaddr)
{
	const Elf64_Shdr *text = elf_image_find_section(file, ".text");
	uint64_t *start = &table->text_start;
	int ret = *start ? 0 : find_relocation(file, vaddr + GO_TEXT_START_OFF, start);

	if (!ret && !*start)
		ret = find_module_start(file, table);
	if (!ret && !*start && text && !elf_image_find_section(file, ".init"))
		*start = text->sh_addr;
	return ret;
}

/* Reads the instructions of function @i if they are needed. */
static int read_go_code(const struct elf_image *file, uint64_t i, struct cfi_elf *elf)
{
	struct go_function function;
	struct go_code *code;
	uint64_t off;

	if (!go_frames_function(&elf->go, i, &function) || function.kind < GO_CODE ||
	    !elf_image_find_offset(file, function.start, PF_X, &off))
		return 0;
	code = &elf->go_codes[function.kind - GO_CODE];
	code->start = function.start;
	code->size =
		min_u64(min_u64(function.end - function.start, file->size - off), GO_CODE_BYTES);
	return elf_image_read(file, off, code->bytes, code->size);
}

/* The section with the table of Go, which may hold other things before it (*@is_mixed). */
static const Elf64_Shdr *find_go_section(const struct elf_image *file, bool *is_mixed)
{
	const Elf64_Shdr *sh = elf_image_find_section(file, ".gopclntab");

	if (!sh)
		sh = elf_image_find_section(file, ".data.rel.ro.gopclntab");
	*is_mixed = !sh;
	if (!sh && elf_image_find_section(file, ".go.buildinfo"))
		sh = elf_image_find_section(file, ".data.rel.ro");
	return sh && !(sh->sh_flags & SHF_COMPRESSED) ? sh : NULL;
}

static int read_go_table(const struct elf_image *file, struct cfi_elf *elf)
{
	const struct elf_arch *arch = elf_arch_find(HOST_MACHINE);
	bool is_mixed;
	const Elf64_Shdr *sh = find_go_section(file, &is_mixed);
	struct go_table table;
	size_t off = 0;
	int ret;

	if (!sh || !arch)
		return 0;
	if (sh->sh_size > SECTION_BYTES_MAX)
		return -EFBIG;
	ret = elf_image_read_section(file, sh, &elf->go_bytes);
	if (!ret && is_mixed)
		off = go_table_find(elf->go_bytes, sh->sh_size, arch->go_quantum);
	if (ret || !go_table_read(elf->go_bytes + off, sh->sh_size - off, arch->go_quantum, &table))
		return ret;
	elf->is_go = true;
	if (table.has_start) {
		ret = find_text_start(file, &table, sh->sh_addr + off);
		if (ret || !table.text_start)
			return ret;
	}
	if (go_code_needs_flags() && !go_frames_have_flags(&table))
		return 0;
	elf->go = table;
	for (uint64_t i = 0; !ret && i < table.nr; i++)
		ret = read_go_code(file, i, elf);
	return ret;
}

int cfi_elf_read(int fd, struct cfi_elf *elf)
{
	_cleanup_(elf_image_close) struct elf_image file;
	int ret = elf_sections_open(fd, &file);

	if (ret == -EISDIR)
		ret = -ENOEXEC;
	*elf = (struct cfi_elf){.is_made = file.header.e_type == ET_REL,
				.entry = file.header.e_entry};
	if (!ret)
		ret = read_segments(&file, elf);
	for (int i = 0; !ret && i < CFI_NR_SECTIONS; i++)
		ret = read_unwind_section(&file, i, elf);
	if (!ret)
		ret = read_go_table(&file, elf);
	if (!ret)
		ret = coroutines_find(&file, elf->coroutines);
	if (!ret)
		ret = bare_vdso_find(&file, elf->bare, &elf->nr_bare);
	if (ret)
		cfi_elf_deinit(elf);
	return ret;
}

static void hash_numbers(struct sha256_ctx *sha, const uint64_t *numbers, size_t nr)
{
	sha256_update(sha, nr * sizeof(*numbers), (const uint8_t *)numbers);
}

static void hash_section(struct sha256_ctx *sha, const struct eh_section *section)
{
	const uint64_t numbers[] = {section->vaddr, section->data_base, section->size};

	hash_numbers(sha, numbers, sizeof(numbers) / sizeof(*numbers));
	sha256_update(sha, section->size, section->bytes);
}

void cfi_elf_hash(const struct cfi_elf *elf, uint8_t hash[static CFI_HASH_BYTES])
{
	const size_t go_size = elf->go.nr ? elf->go.size : 0;
	const uint64_t numbers[] = {elf->segments.nr, elf->entry, go_size, elf->go.text_start};
	struct sha256_ctx sha;

	sha256_init(&sha);
	hash_numbers(&sha, numbers, sizeof(numbers) / sizeof(*numbers));
	sha256_update(&sha, elf->segments.nr * sizeof(*elf->segments.data),
		      (const uint8_t *)elf->segments.data);
	for (int i = 0; i < CFI_NR_SECTIONS; i++)
		hash_section(&sha, &elf->sections[i]);
	sha256_update(&sha, go_size, elf->go.bytes);
	sha256_update(&sha, sizeof(elf->coroutines), (const uint8_t *)elf->coroutines);
	sha256_update(&sha, sizeof(elf->go_codes), (const uint8_t *)elf->go_codes);
	sha256_update(&sha, elf->nr_bare * sizeof(*elf->bare), (const uint8_t *)elf->bare);
	sha256_digest(&sha, CFI_HASH_BYTES, hash);
}

void cfi_elf_deinit(struct cfi_elf *elf)
{
	vec_free(&elf->segments);
	for (int i = 0; i < CFI_NR_SECTIONS; i++)
		free(elf->bytes[i]);
	free(elf->go_bytes);
	*elf = (struct cfi_elf){0};
}
