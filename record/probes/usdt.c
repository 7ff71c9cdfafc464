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

/* What is taken of the notes: places, or names. */
struct search {
	const struct elf_image *elf;
	const struct pattern *pattern;
	uint64_t base; /* of .stapsdt.base; 0: none */
	struct user_functions *found;
	name_vec *names; /* not NULL: in place of @found */
};

static int add_name(const struct stapsdt *sdt, name_vec *names)
{
	_cleanup_free_ char *name = NULL;

	if (asprintf(&name, "%s:%s", sdt->provider, sdt->name) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return name_vec_add(names, name);
}

/*
 * Adds the probe of a note. prelink moves addresses of the file, but not those in notes. The
 * section .stapsdt.base tells by how much.
 */
static int add_probe(const struct search *s, const struct stapsdt *sdt)
{
	uint64_t moved = s->base ? s->base - sdt->base : 0;
	const struct elf_image *elf = s->elf;
	struct user_place place = {0};

	if (s->names)
		return add_name(sdt, s->names);
	if (!elf_image_find_offset(elf, sdt->pc + moved, PF_X, &place.off))
		return 0;
	if (sdt->semaphore &&
	    !elf_image_find_offset(elf, sdt->semaphore + moved, PF_W, &place.semaphore))
		return 0;
	return user_functions_add_place(elf, &place, s->found);
}

static int search_notes(const struct search *s, struct cursor notes)
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
		if (name_matches(&s->pattern->provider, sdt.provider) &&
		    name_matches(&s->pattern->name, sdt.name))
			ret = add_probe(s, &sdt);
	}
	return ret;
}

static int search_section(struct search *s)
{
	const Elf64_Shdr *section = elf_image_find_section(s->elf, ".note.stapsdt");
	const Elf64_Shdr *base = elf_image_find_section(s->elf, ".stapsdt.base");
	_cleanup_free_ uint8_t *notes = NULL;
	int ret;

	if (!section)
		return 0;
	s->base = base ? base->sh_addr : 0;
	ret = elf_image_read_section(s->elf, section, &notes);
	return ret ? ret : search_notes(s, (struct cursor){notes, notes + section->sh_size, false});
}

int usdt_find(int fd, const struct pattern *pattern, struct user_functions *found)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	struct search search = {.elf = &elf, .pattern = pattern, .found = found};
	int ret = elf_sections_open(fd, &elf);

	if (!ret)
		ret = search_section(&search);
	return ret ? ret : user_places_settle(&elf, &found->places);
}

int usdt_names(int fd, const struct pattern *pattern, name_vec *names)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	struct search search = {.elf = &elf, .pattern = pattern, .names = names};
	int ret = elf_sections_open(fd, &elf);

	return ret ? ret : search_section(&search);
}
