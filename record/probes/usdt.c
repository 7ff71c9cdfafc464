// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Static probes are notes that sys/sdt.h of systemtap makes:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#include "record/probes/user_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/cursor.h"
#include "elf/elf_sections.h"

#define NOTE_NAME "stapsdt"
#define NOTE_TYPE 3

/* The description of a note: three addresses, then three strings that end with a NUL. */
struct stapsdt {
	uint64_t pc, base, semaphore;
	const char *provider, *name;
};

/* Notes are aligned to four bytes. */
static uint64_t padded(uint32_t len)
{
	return ((uint64_t)len + 3) & ~UINT64_C(3);
}

/* Takes a string with its NUL; NULL if there is none. */
static const char *take_string(struct cursor *c)
{
	const uint8_t *end = c->p < c->end ? memchr(c->p, 0, cursor_left(c)) : NULL;

	return end ? (const char *)cursor_bytes(c, end - c->p + 1) : NULL;
}

static bool read_description(struct cursor c, struct stapsdt *sdt)
{
	const uint8_t *words = cursor_bytes(&c, 3 * sizeof(uint64_t));

	if (!words)
		return false;
	memcpy(&sdt->pc, words, sizeof(uint64_t));
	memcpy(&sdt->base, words + 8, sizeof(uint64_t));
	memcpy(&sdt->semaphore, words + 16, sizeof(uint64_t));
	sdt->provider = take_string(&c);
	sdt->name = sdt->provider ? take_string(&c) : NULL;
	return sdt->name;
}

/*
 * Adds the probe of a note. prelink moves addresses of the file, but not those in notes. The
 * section .stapsdt.base tells by how much.
 */
static int add_probe(const struct elf_image *elf, const struct stapsdt *sdt, uint64_t base,
		     struct user_functions *found)
{
	uint64_t moved = base ? base - sdt->base : 0;
	struct user_place place = {0};

	if (!elf_image_find_offset(elf, sdt->pc + moved, PF_X, &place.off))
		return 0;
	if (sdt->semaphore &&
	    !elf_image_find_offset(elf, sdt->semaphore + moved, PF_W, &place.semaphore))
		return 0;
	return user_functions_add_place(elf, &place, found);
}

static int search_notes(const struct elf_image *elf, struct cursor notes, uint64_t base,
			const struct pattern *pattern, struct user_functions *found)
{
	int ret = 0;

	while (!ret && cursor_left(&notes)) {
		struct cursor name, description;
		struct stapsdt sdt;
		Elf64_Nhdr header;
		const uint8_t *bytes = cursor_bytes(&notes, sizeof(header));

		if (!bytes)
			break;
		memcpy(&header, bytes, sizeof(header));
		name = cursor_sub(&notes, padded(header.n_namesz));
		description = cursor_sub(&notes, padded(header.n_descsz));
		if (notes.bad)
			break;
		if (header.n_type != NOTE_TYPE || header.n_namesz != sizeof(NOTE_NAME) ||
		    memcmp(name.p, NOTE_NAME, sizeof(NOTE_NAME)) != 0 ||
		    !read_description(description, &sdt))
			continue;
		if (name_matches(&pattern->provider, sdt.provider) &&
		    name_matches(&pattern->name, sdt.name))
			ret = add_probe(elf, &sdt, base, found);
	}
	return ret;
}

static int search_section(const struct elf_image *elf, const struct pattern *pattern,
			  struct user_functions *found)
{
	const Elf64_Shdr *section = elf_image_find_section(elf, ".note.stapsdt");
	const Elf64_Shdr *base = elf_image_find_section(elf, ".stapsdt.base");
	_cleanup_free_ uint8_t *notes = NULL;
	int ret;

	if (!section)
		return 0;
	ret = elf_image_read_section(elf, section, &notes);
	return ret ? ret
		   : search_notes(elf, (struct cursor){notes, notes + section->sh_size, false},
				  base ? base->sh_addr : 0, pattern, found);
}

int usdt_find(int fd, const struct pattern *pattern, struct user_functions *found)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	int ret = elf_sections_open(fd, &elf);

	if (!ret)
		ret = search_section(&elf, pattern, found);
	return ret ? ret : user_places_settle(&elf, &found->places);
}
