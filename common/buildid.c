// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/buildid.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"

/*
 * Limits for the program headers of a file and the bytes of one note segment. No linker makes as
 * many.
 */
#define PHDRS_MAX 256
#define NOTES_MAX 65536

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

char *build_id_hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < id->size; i++) {
		hex[2 * i] = digits[id->bytes[i] >> 4];
		hex[2 * i + 1] = digits[id->bytes[i] & 0xf];
	}
	hex[2 * id->size] = '\0';
	return hex;
}

static size_t round_up_to_4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

int build_id_from_notes(const void *notes, size_t len, struct build_id *id)
{
	const uint8_t *p = notes;

	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr nhdr; /* both ELF classes have it at one offset */
		size_t name, desc;

		memcpy(&nhdr, p, sizeof(nhdr));
		name = sizeof(nhdr);
		desc = name + round_up_to_4(nhdr.n_namesz);
		if (desc > len || nhdr.n_descsz > len - desc)
			break;
		if (nhdr.n_type == NT_GNU_BUILD_ID && nhdr.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(p + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && nhdr.n_descsz &&
		    nhdr.n_descsz <= BUILD_ID_MAX) {
			*id = (struct build_id){.size = nhdr.n_descsz};
			memcpy(id->bytes, p + desc, nhdr.n_descsz);
			return 0;
		}
		if (round_up_to_4(nhdr.n_descsz) > len - desc)
			break;
		p += desc + round_up_to_4(nhdr.n_descsz);
		len -= desc + round_up_to_4(nhdr.n_descsz);
	}
	return -ENOENT;
}

static int from_note_range(int fd, uint64_t off, uint64_t len, struct build_id *id)
{
	_cleanup_free_ void *notes = NULL;
	ssize_t n;

	if (len > NOTES_MAX)
		len = NOTES_MAX;
	notes = malloc(len + 1);
	if (!notes)
		return -ENOMEM;
	n = io_pread(fd, notes, len, off);
	return n < 0 ? n : build_id_from_notes(notes, n, id);
}

/*
 * Walks @nr headers of @size bytes at @off and reads the notes of each header of type @note_type.
 * The ELF class decides where a header has its three fields.
 */
struct header_layout {
	size_t type_off, off_off, len_off;
	bool is64;
	uint32_t note_type;
};

static uint64_t get_word(const uint8_t *p, bool is64)
{
	uint64_t v64;
	uint32_t v32;

	if (is64) {
		memcpy(&v64, p, sizeof(v64));
		return v64;
	}
	memcpy(&v32, p, sizeof(v32));
	return v32;
}

static int from_headers(int fd, uint64_t off, size_t nr, size_t size,
			const struct header_layout *layout, struct build_id *id)
{
	_cleanup_free_ uint8_t *headers = NULL;
	ssize_t n;
	int ret;

	if (nr > PHDRS_MAX)
		nr = PHDRS_MAX;
	if (!nr || size < layout->len_off + sizeof(uint64_t))
		return -ENOENT;
	headers = calloc(nr, size);
	if (!headers)
		return -ENOMEM;
	n = io_pread(fd, headers, nr * size, off);
	if (n < 0)
		return n;
	if ((size_t)n < nr * size)
		return -ENOEXEC;
	for (size_t i = 0; i < nr; i++) {
		const uint8_t *h = headers + i * size;

		if (get_word(h + layout->type_off, false) != layout->note_type)
			continue;
		ret = from_note_range(fd, get_word(h + layout->off_off, layout->is64),
				      get_word(h + layout->len_off, layout->is64), id);
		if (ret != -ENOENT)
			return ret;
	}
	return -ENOENT;
}

static int from_elf64(int fd, const Elf64_Ehdr *eh, struct build_id *id)
{
	static const struct header_layout phdr = {offsetof(Elf64_Phdr, p_type),
						  offsetof(Elf64_Phdr, p_offset),
						  offsetof(Elf64_Phdr, p_filesz), true, PT_NOTE};
	static const struct header_layout shdr = {offsetof(Elf64_Shdr, sh_type),
						  offsetof(Elf64_Shdr, sh_offset),
						  offsetof(Elf64_Shdr, sh_size), true, SHT_NOTE};
	int ret = from_headers(fd, eh->e_phoff, eh->e_phnum, eh->e_phentsize, &phdr, id);

	return ret != -ENOENT
		       ? ret
		       : from_headers(fd, eh->e_shoff, eh->e_shnum, eh->e_shentsize, &shdr, id);
}

static int from_elf32(int fd, const Elf32_Ehdr *eh, struct build_id *id)
{
	static const struct header_layout phdr = {offsetof(Elf32_Phdr, p_type),
						  offsetof(Elf32_Phdr, p_offset),
						  offsetof(Elf32_Phdr, p_filesz), false, PT_NOTE};
	static const struct header_layout shdr = {offsetof(Elf32_Shdr, sh_type),
						  offsetof(Elf32_Shdr, sh_offset),
						  offsetof(Elf32_Shdr, sh_size), false, SHT_NOTE};
	int ret = from_headers(fd, eh->e_phoff, eh->e_phnum, eh->e_phentsize, &phdr, id);

	return ret != -ENOENT
		       ? ret
		       : from_headers(fd, eh->e_shoff, eh->e_shnum, eh->e_shentsize, &shdr, id);
}

int build_id_from_fd(int fd, struct build_id *id)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} eh = {0};
	ssize_t n = io_pread(fd, &eh, sizeof(eh), 0);

	if (n < 0)
		return n;
	if (n < (ssize_t)sizeof(eh.e32) || memcmp(eh.ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (eh.ident[EI_DATA] !=
	    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
		return -ENOEXEC;
	if (eh.ident[EI_CLASS] == ELFCLASS64 && n == (ssize_t)sizeof(eh.e64))
		return from_elf64(fd, &eh.e64, id);
	if (eh.ident[EI_CLASS] == ELFCLASS32)
		return from_elf32(fd, &eh.e32, id);
	return -ENOEXEC;
}
