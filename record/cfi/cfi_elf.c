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
#include "elf/elf_image.h"
#include "record/system/host_abi.h"

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

static int decompress_section(struct cfi_elf *elf)
{
	_cleanup_free_ uint8_t *packed = TAKE_PTR(elf->bytes);
	size_t size = elf->section.size;
	Elf64_Chdr ch;

	if (size < sizeof(ch))
		return -ENOEXEC;
	memcpy(&ch, packed, sizeof(ch));
	if (ch.ch_size > SECTION_BYTES_MAX)
		return -EFBIG;
	elf->bytes = malloc(ch.ch_size + 1);
	if (!elf->bytes)
		return -ENOMEM;
	elf->section.size = ch.ch_size;
	return unpack_bytes(ch.ch_type, packed + sizeof(ch), size - sizeof(ch), elf->bytes,
			    ch.ch_size)
		       ? 0
		       : -ENOEXEC;
}

static int read_unwind_section(const struct elf_image *file, struct cfi_elf *elf)
{
	const Elf64_Shdr *sh = elf_image_find_section(file, ".eh_frame");
	const Elf64_Shdr *got = elf_image_find_section(file, ".got");
	int ret;

	if (!sh || sh->sh_size <= SECTION_BYTES_EMPTY) {
		sh = elf_image_find_section(file, ".debug_frame");
		elf->section.is_debug_frame = true;
	}
	if (!sh || sh->sh_size <= SECTION_BYTES_EMPTY)
		return -ENODATA;
	if (sh->sh_size > SECTION_BYTES_MAX)
		return -EFBIG;
	ret = elf_image_read_section(file, sh, &elf->bytes);
	if (ret)
		return ret;
	elf->section.vaddr = sh->sh_addr;
	elf->section.data_base = got ? got->sh_addr : 0;
	elf->section.size = sh->sh_size;
	if (sh->sh_flags & SHF_COMPRESSED)
		ret = decompress_section(elf);
	elf->section.bytes = elf->bytes;
	return ret;
}

int cfi_elf_read(int fd, struct cfi_elf *elf)
{
	_cleanup_(elf_image_close) struct elf_image file;
	int ret = elf_image_open(fd, &file);

	if (ret == -EISDIR)
		ret = -ENOEXEC;
	*elf = (struct cfi_elf){.entry = file.header.e_entry};
	if (!ret)
		ret = read_segments(&file, elf);
	if (!ret)
		ret = read_unwind_section(&file, elf);
	if (ret)
		cfi_elf_deinit(elf);
	return ret;
}

void cfi_elf_hash(const struct cfi_elf *elf, uint8_t hash[static CFI_HASH_BYTES])
{
	const uint64_t numbers[] = {
		elf->segments.nr,
		elf->entry,
		elf->section.is_debug_frame,
		elf->section.vaddr,
		elf->section.data_base,
		elf->section.size,
	};
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, sizeof(numbers), (const uint8_t *)numbers);
	sha256_update(&sha, elf->segments.nr * sizeof(*elf->segments.data),
		      (const uint8_t *)elf->segments.data);
	sha256_update(&sha, elf->section.size, elf->section.bytes);
	sha256_digest(&sha, CFI_HASH_BYTES, hash);
}

void cfi_elf_deinit(struct cfi_elf *elf)
{
	vec_free(&elf->segments);
	free(elf->bytes);
	*elf = (struct cfi_elf){0};
}
