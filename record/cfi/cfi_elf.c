// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/cfi_elf.h"

#include <elf.h>
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/io.h"

/* Files have up to a dozen. */
#define SEGMENTS_MAX 1024

/* The names of some forty sections take far less. */
#define NAMES_BYTES_MAX (1u << 20)

/* Browsers have 20 MB. */
#define SECTION_BYTES_MAX (128u << 20)

/* A section with an end mark and nothing else. */
#define SECTION_BYTES_EMPTY 4

/* From binutils 2.40. <elf.h> of glibc before 2.37 lacks it. */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

struct file {
	int fd;
	uint64_t size;
	Elf64_Ehdr eh;
	Elf64_Shdr *sections;
	char *names; /* ends with a NUL */
	size_t names_size;
};

/* Reads @len bytes at @off, which must all be there. */
static int read_at(const struct file *file, uint64_t off, void *buf, size_t len)
{
	ssize_t n;

	if (off > file->size || len > file->size - off)
		return -ENOEXEC;
	n = io_pread(file->fd, buf, len, off);
	if (n < 0)
		return n;
	return (size_t)n == len ? 0 : -ENOEXEC; /* else cut short meanwhile */
}

/* Reads @len bytes at @off into new memory, which has room for one more byte. */
static int read_new(const struct file *file, uint64_t off, size_t len, void *buf)
{
	_cleanup_free_ void *p = NULL;
	int ret;

	if (off > file->size || len > file->size - off)
		return -ENOEXEC;
	p = malloc(len + 1);
	if (!p)
		return -ENOMEM;
	ret = read_at(file, off, p, len);
	if (!ret)
		*(void **)buf = TAKE_PTR(p);
	return ret;
}

static int read_header(struct file *file)
{
	const unsigned char *ident = file->eh.e_ident;
	struct stat st;

	if (fstat(file->fd, &st))
		return -errno;
	file->size = st.st_size;
	if (read_at(file, 0, &file->eh, sizeof(file->eh)) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
	    file->eh.e_machine != EM_X86_64)
		return -ENOEXEC;
	return 0;
}

static int read_segments(const struct file *file, struct cfi_elf *elf)
{
	if (file->eh.e_phentsize != sizeof(Elf64_Phdr) || file->eh.e_phnum > SEGMENTS_MAX)
		return -ENOEXEC;
	for (size_t i = 0; i < file->eh.e_phnum; i++) {
		struct code_segment segment;
		Elf64_Phdr ph;

		if (read_at(file, file->eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return -ENOEXEC;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset > file->size ||
		    ph.p_filesz > file->size - ph.p_offset || ph.p_vaddr > UINT64_MAX - ph.p_filesz)
			continue;
		segment = (struct code_segment){ph.p_vaddr, ph.p_offset, ph.p_filesz};
		if (vec_push(&elf->segments, segment))
			return -ENOMEM;
	}
	return elf->segments.nr ? 0 : -ENODATA;
}

static int read_sections(struct file *file)
{
	const Elf64_Ehdr *eh = &file->eh;
	const Elf64_Shdr *names;
	int ret;

	if (!eh->e_shnum || eh->e_shstrndx >= eh->e_shnum)
		return -ENODATA;
	if (eh->e_shentsize != sizeof(Elf64_Shdr))
		return -ENOEXEC;
	ret = read_new(file, eh->e_shoff, eh->e_shnum * sizeof(Elf64_Shdr), &file->sections);
	if (ret)
		return ret;
	names = &file->sections[eh->e_shstrndx];
	if (names->sh_size > NAMES_BYTES_MAX)
		return -EFBIG;
	ret = read_new(file, names->sh_offset, names->sh_size, &file->names);
	if (!ret) {
		file->names_size = names->sh_size;
		file->names[file->names_size] = '\0';
	}
	return ret;
}

static const Elf64_Shdr *find_section(const struct file *file, const char *name)
{
	for (size_t i = 0; i < file->eh.e_shnum; i++) {
		const Elf64_Shdr *sh = &file->sections[i];

		if (sh->sh_type != SHT_NOBITS && sh->sh_name < file->names_size &&
		    !strcmp(file->names + sh->sh_name, name))
			return sh;
	}
	return NULL;
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

static int read_unwind_section(const struct file *file, struct cfi_elf *elf)
{
	const Elf64_Shdr *sh = find_section(file, ".eh_frame"), *got = find_section(file, ".got");
	int ret;

	if (!sh || sh->sh_size <= SECTION_BYTES_EMPTY) {
		sh = find_section(file, ".debug_frame");
		elf->section.is_debug_frame = true;
	}
	if (!sh || sh->sh_size <= SECTION_BYTES_EMPTY)
		return -ENODATA;
	if (sh->sh_size > SECTION_BYTES_MAX)
		return -EFBIG;
	ret = read_new(file, sh->sh_offset, sh->sh_size, &elf->bytes);
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
	struct file file = {.fd = fd};
	int ret;

	*elf = (struct cfi_elf){0};
	ret = read_header(&file);
	if (!ret)
		ret = read_segments(&file, elf);
	elf->entry = file.eh.e_entry;
	if (!ret)
		ret = read_sections(&file);
	if (!ret)
		ret = read_unwind_section(&file, elf);
	free(file.sections);
	free(file.names);
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
