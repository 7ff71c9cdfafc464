// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/dynamic_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "record/host/host_abi.h"

/* Files have up to a dozen, and some forty entries in the dynamic section. */
#define SEGMENTS_MAX 1024
#define DYNAMIC_MAX  1024

/* Symbols of one bucket that are looked at. Real buckets have less than twenty. */
#define CHAIN_MAX 256

/* The longest name that is looked for. */
#define NAME_MAX_BYTES 80

int dynamic_symbols_read(const struct dynamic_symbols *d, uint64_t vaddr, void *buf, size_t len)
{
	elf_image_for_each_segment(&d->elf, ph)
	{
		uint64_t in = vaddr - ph->p_vaddr;

		if (ph->p_type == PT_LOAD && vaddr >= ph->p_vaddr && in < ph->p_filesz &&
		    len <= ph->p_filesz - in)
			return elf_image_read(&d->elf, ph->p_offset + in, buf, len) ? -ENOENT : 0;
	}
	return -ENOENT;
}

static int read_dynamic(struct dynamic_symbols *d, const Elf64_Phdr *ph)
{
	for (size_t i = 0; i < DYNAMIC_MAX && i < ph->p_filesz / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn dyn;

		if (elf_image_read(&d->elf, ph->p_offset + i * sizeof(dyn), &dyn, sizeof(dyn)))
			return -ENODATA;
		switch (dyn.d_tag) {
		case DT_NULL:
			return 0;
		case DT_SYMTAB:
			d->symtab = dyn.d_un.d_ptr;
			break;
		case DT_STRTAB:
			d->strtab = dyn.d_un.d_ptr;
			break;
		case DT_STRSZ:
			d->strsz = dyn.d_un.d_val;
			break;
		case DT_GNU_HASH:
			d->hash = dyn.d_un.d_ptr;
			break;
		}
	}
	return 0;
}

int dynamic_symbols_init(struct dynamic_symbols *d, int fd)
{
	uint32_t head[4];
	int ret;

	*d = (struct dynamic_symbols){0};
	ret = elf_image_open_segments(fd, &d->elf);
	if (!ret &&
	    (d->elf.header.e_machine != HOST_MACHINE || d->elf.header.e_phnum > SEGMENTS_MAX))
		ret = -ENOEXEC;
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	elf_image_for_each_segment(&d->elf, ph) if (!ret && ph->p_type == PT_DYNAMIC) ret =
		read_dynamic(d, ph);
	if (ret)
		return ret;
	if (!d->symtab || !d->strtab || !d->hash ||
	    dynamic_symbols_read(d, d->hash, head, sizeof(head)))
		return -ENODATA;
	d->nr_buckets = head[0];
	d->first_symbol = head[1];
	d->bloom_words = head[2];
	d->bloom_shift = head[3];
	return d->nr_buckets && d->bloom_words && d->bloom_shift < 32 ? 0 : -ENODATA;
}

/* The hash of DT_GNU_HASH (glibc's dl-hash.h). */
static uint32_t hash_name(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static bool is_in_filter(const struct dynamic_symbols *d, uint32_t hash)
{
	uint64_t word, at = d->hash + 16 + 8ULL * (hash / 64 % d->bloom_words);

	return !dynamic_symbols_read(d, at, &word, sizeof(word)) && word >> (hash % 64) & 1 &&
	       word >> ((hash >> d->bloom_shift) % 64) & 1;
}

static bool has_name(const struct dynamic_symbols *d, const Elf64_Sym *symbol, const char *name)
{
	char text[NAME_MAX_BYTES];
	size_t len = strlen(name) + 1;

	return len <= sizeof(text) && symbol->st_name < d->strsz &&
	       !dynamic_symbols_read(d, d->strtab + symbol->st_name, text, len) &&
	       !memcmp(text, name, len);
}

int dynamic_symbols_find(const struct dynamic_symbols *d, const char *name, Elf64_Sym *found)
{
	uint64_t buckets = d->hash + 16 + 8ULL * d->bloom_words;
	uint64_t chains = buckets + 4ULL * d->nr_buckets;
	uint32_t hash = hash_name(name), at, have;

	if (!is_in_filter(d, hash) ||
	    dynamic_symbols_read(d, buckets + 4ULL * (hash % d->nr_buckets), &at, sizeof(at)) ||
	    at < d->first_symbol)
		return -ENOENT;
	for (int i = 0; i < CHAIN_MAX; i++, at++) {
		Elf64_Sym symbol;

		if (dynamic_symbols_read(d, chains + 4ULL * (at - d->first_symbol), &have,
					 sizeof(have)))
			return -ENOENT;
		if ((have | 1) == (hash | 1) &&
		    !dynamic_symbols_read(d, d->symtab + sizeof(symbol) * (uint64_t)at, &symbol,
					  sizeof(symbol)) &&
		    symbol.st_shndx != SHN_UNDEF && has_name(d, &symbol, name)) {
			*found = symbol;
			return 0;
		}
		if (have & 1)
			return -ENOENT; /* the last one of the bucket */
	}
	return -ENOENT;
}

const Elf64_Phdr *dynamic_symbols_code(const struct dynamic_symbols *d)
{
	elf_image_for_each_segment(&d->elf,
				   ph) if (ph->p_type == PT_LOAD && ph->p_flags & PF_X) return ph;
	return NULL;
}

void dynamic_symbols_deinit(struct dynamic_symbols *d)
{
	elf_image_close(&d->elf);
}
