// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/buildid.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/io.h"
#include "common/minmax.h"

/*
 * Limits for the headers of a file and the bytes of one note segment. No linker makes as many.
 */
#define HEADERS_MAX 256
#define NOTES_MAX   65536

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

char *build_id_hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE])
{
	*hex_put(hex, id->bytes, id->size) = '\0';
	return hex;
}

char *build_id_debug_path(const struct build_id *id, const char *dir)
{
	char hex[BUILD_ID_HEX_SIZE], *path;

	build_id_hex(id, hex);
	return asprintf(&path, "%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2) < 0 ? NULL : path;
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
 * A table of program or section headers: its place, and the place of the three fields that matter.
 * They differ between the ELF classes.
 */
struct header_table {
	uint64_t off;
	size_t nr, size; /* headers, and bytes of each */
	size_t type_off, off_off, len_off;
	uint32_t note_type; /* of headers of notes */
	bool is64;
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

static int from_headers(int fd, const struct header_table *table, struct build_id *id)
{
	_cleanup_free_ uint8_t *headers = NULL;
	size_t nr = min_u64(table->nr, HEADERS_MAX);
	ssize_t n;
	int ret;

	if (!nr || table->size < table->len_off + sizeof(uint64_t))
		return -ENOENT;
	headers = calloc(nr, table->size);
	if (!headers)
		return -ENOMEM;
	n = io_pread(fd, headers, nr * table->size, table->off);
	if (n < 0)
		return n;
	if ((size_t)n < nr * table->size)
		return -ENOEXEC;
	for (size_t i = 0; i < nr; i++) {
		const uint8_t *h = headers + i * table->size;

		if (get_word(h + table->type_off, false) != table->note_type)
			continue;
		ret = from_note_range(fd, get_word(h + table->off_off, table->is64),
				      get_word(h + table->len_off, table->is64), id);
		if (ret != -ENOENT)
			return ret;
	}
	return -ENOENT;
}

/* A table of the ELF header @eh: the members of @eh, those of a header, and the type of notes. */
#define HEADER_TABLE(eh, table, header, field, len, note)                                          \
	{                                                                                          \
		.off = (eh)->e_##table##off, .nr = (eh)->e_##table##num,                           \
		.size = (eh)->e_##table##entsize, .type_off = offsetof(header, field##_type),      \
		.off_off = offsetof(header, field##_offset), .len_off = offsetof(header, len),     \
		.note_type = note, .is64 = sizeof(*(eh)) == sizeof(Elf64_Ehdr),                    \
	}

/* The tables of program headers and of section headers of the ELF class of @bits. */
#define HEADER_TABLES(bits, eh)                                                                    \
	{                                                                                          \
		HEADER_TABLE(eh, ph, Elf##bits##_Phdr, p, p_filesz, PT_NOTE),                      \
			HEADER_TABLE(eh, sh, Elf##bits##_Shdr, sh, sh_size, SHT_NOTE),             \
	}

static int from_tables(int fd, const struct header_table tables[static 2], struct build_id *id)
{
	int ret = from_headers(fd, &tables[0], id);

	return ret != -ENOENT ? ret : from_headers(fd, &tables[1], id);
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
		return from_tables(fd, (struct header_table[])HEADER_TABLES(64, &eh.e64), id);
	if (eh.ident[EI_CLASS] == ELFCLASS32)
		return from_tables(fd, (struct header_table[])HEADER_TABLES(32, &eh.e32), id);
	return -ENOEXEC;
}
