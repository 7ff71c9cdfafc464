// SPDX-License-Identifier: GPL-2.0-or-later
/* Static probes of a file, whose notes may be damaged. */
#include "record/probes/user_functions.h"

#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

#define PC        (CODE_VADDR + 0x10)
#define SEMAPHORE (CODE_VADDR + 0x40)

#define BASE 0x7000

/* Where .stapsdt.base is; 0: there is none. */
static uint64_t base;

/* Adds a note of @type and @name. The three addresses are @pc, BASE and @semaphore. */
static void put_note(frames *f, uint32_t type, const char *name, uint64_t pc, uint64_t semaphore,
		     const char *texts, size_t nr)
{
	const Elf64_Nhdr header = {strlen(name) + 1, 3 * 8 + nr, type};
	static const uint8_t zeros[4];

	put(f, &header, sizeof(header));
	put(f, name, strlen(name) + 1);
	put(f, zeros, -f->nr & 3);
	put_number(f, pc, 8);
	put_number(f, BASE, 8);
	put_number(f, semaphore, 8);
	put(f, texts, nr);
	put(f, zeros, -f->nr & 3);
}

#define PUT_PROBE(f, pc, semaphore, texts)                                                         \
	put_note(f, 3, "stapsdt", pc, semaphore, texts, sizeof(texts))

static const char names[] = "\0.note.stapsdt\0.stapsdt.base";

/* The names of the sections follow the notes. */
static void set_sections(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)eh;
	ph->p_flags |= PF_W;
	sections[1].sh_size -= sizeof(names);
	sections[2].sh_offset = sections[1].sh_offset + sections[1].sh_size;
	sections[2].sh_size = sizeof(names);
	if (base)
		sections[0] = (Elf64_Shdr){.sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = base};
}

/* Finds probes in the first @nr bytes of the notes. Returns their number. */
static size_t find(const frames *f, size_t nr, const char *provider, const char *name,
		   struct user_place *first)
{
	const struct test_elf spec = {.spoil = set_sections};
	const struct pattern pattern = {.provider = {.text = (char *)(uintptr_t)provider},
					.name = {.text = (char *)(uintptr_t)name}};
	struct user_functions found = {0};
	frames file = {0};
	size_t nr_found;
	int fd;

	put(&file, f->data, nr);
	put(&file, names, sizeof(names));
	fd = make_elf(&spec, file.data, file.nr);
	vec_free(&file);
	ck_assert_int_eq(usdt_find(fd, &pattern, &found), 0);
	nr_found = found.places.nr;
	if (nr_found)
		*first = found.places.data[0];
	user_functions_deinit(&found);
	close(fd);
	return nr_found;
}

START_TEST(probes_of_notes)
{
	struct user_place place;
	frames f = {0};

	put_note(&f, 4, "stapsdt", PC, 0, "p\0a\0", 5);
	put_note(&f, 3, "stapsdu", PC, 0, "p\0a\0", 5);
	put_note(&f, 3, "stap", PC, 0, "p\0a\0", 5);
	PUT_PROBE(&f, PC, 0, "p\0b\0-4@%eax");
	PUT_PROBE(&f, PC + 1, SEMAPHORE, "other\0b\0");
	PUT_PROBE(&f, PC + 2, 0, "p\0c\0");
	PUT_PROBE(&f, CODE_VADDR - 1, 0, "p\0d\0"); /* not in code */
	PUT_PROBE(&f, PC, CODE_VADDR - 1, "p\0e\0");
	ck_assert_uint_eq(find(&f, f.nr, NULL, "a", &place), 0);
	ck_assert_uint_eq(find(&f, f.nr, NULL, "b", &place), 2);
	ck_assert_uint_eq(place.off, CODE_OFF + 0x10);
	ck_assert_uint_eq(place.semaphore, 0);
	ck_assert_uint_eq(find(&f, f.nr, "other", "b", &place), 1);
	ck_assert_uint_eq(place.off, CODE_OFF + 0x11);
	ck_assert_uint_eq(place.semaphore, CODE_OFF + 0x40);
	ck_assert_uint_eq(find(&f, f.nr, "p", "*", &place), 2);
	ck_assert_uint_eq(find(&f, f.nr, NULL, "*", &place), 3);
	/* prelink has moved the file, but not the notes. */
	base = BASE + 8;
	ck_assert_uint_eq(find(&f, f.nr, "other", "b", &place), 1);
	ck_assert_uint_eq(place.off, CODE_OFF + 0x19);
	ck_assert_uint_eq(place.semaphore, CODE_OFF + 0x48);
	vec_free(&f);
}
END_TEST

/* Notes that are cut off, and texts that do not end, are no probes. */
START_TEST(damaged_notes)
{
	struct user_place place;
	frames f = {0};
	size_t whole;

	PUT_PROBE(&f, PC, 0, "p\0a");
	whole = f.nr;
	PUT_PROBE(&f, PC + 1, 0, "p\0b");
	for (size_t nr = whole; nr <= f.nr; nr++)
		ck_assert_uint_eq(find(&f, nr, NULL, "*", &place), nr == f.nr ? 2 : 1);
	put_note(&f, 3, "stapsdt", PC + 2, 0, "p\0cd", 4);
	put_note(&f, 3, "stapsdt", PC + 2, 0, "pcde", 4);
	put_note(&f, 3, "stapsdt", PC + 2, 0, "", 0);
	/* The description has no room for addresses. */
	put(&f, &(Elf64_Nhdr){sizeof("stapsdt"), 4, 3}, sizeof(Elf64_Nhdr));
	put(&f, "stapsdt\0abc", 12);
	ck_assert_uint_eq(find(&f, f.nr, NULL, "*", &place), 2);
	vec_free(&f);
}
END_TEST

SUITE_MAIN("usdt", probes_of_notes, damaged_notes)
