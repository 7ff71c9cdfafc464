// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/vdso.h"

#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* The size of the mapping, as /proc says it. */
static uint64_t mapped_size(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end = 0;
	char line[512];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) && !strstr(line, "[vdso]"))
		;
	sscanf(line, "%lx-%lx", &start, &end);
	fclose(f);
	return end - start;
}

START_TEST(of_this_process)
{
	struct vdso vdso;
	bool found = false;

	ck_assert_int_eq(vdso_load(&vdso), 0);
	if (!getauxval(AT_SYSINFO_EHDR)) {
		ck_assert_uint_eq(vdso.size, 0);
		return;
	}
	ck_assert_uint_ge(vdso.build_id.size, 8);
	ck_assert_uint_eq(vdso.size, mapped_size());
	for (size_t i = 0; i < vdso.symbols.nr; i++) {
		const struct vdso_symbol *symbol = &vdso.symbols.data[i];

		found |= strstr(symbol->name, "clock_gettime") != NULL;
		ck_assert(i == 0 || symbol[-1].off < symbol->off);
		ck_assert_ptr_eq(vdso_lookup(&vdso, symbol->off), symbol);
		ck_assert_ptr_eq(vdso_lookup(&vdso, symbol->off + symbol->size - 1), symbol);
		ck_assert_ptr_ne(vdso_lookup(&vdso, symbol->off + symbol->size), symbol);
	}
	ck_assert(found);
	ck_assert_ptr_null(vdso_lookup(&vdso, 0));
	vdso_deinit(&vdso);
}
END_TEST

/* An image may be cut anywhere and have any bytes. A sanitizer sees reads beyond its end. */
START_TEST(damaged)
{
	const uint8_t *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct vdso vdso;
	uint8_t *copy;
	struct random rng = {.state = 42};
	size_t size;

	ck_assert_int_eq(vdso_load(&vdso), 0);
	size = vdso.size;
	vdso_deinit(&vdso);
	if (!size)
		return;
	for (int i = 0; i < 2000; i++) {
		size_t len = i < 200 ? (size_t)i : random_below(&rng, size);

		copy = malloc(len + 1);
		memcpy(copy, image, len);
		for (int n = 0; len && n < 3; n++) {
			/* One of the changes is in the header. */
			size_t end = n || len < 64 ? len : 64;

			copy[random_below(&rng, end)] ^= random_below(&rng, 256);
		}
		vdso_read(&vdso, copy, len);
		for (uint64_t off = 0; off < len; off += 97)
			vdso_lookup(&vdso, off);
		vdso_deinit(&vdso);
		free(copy);
	}
}
END_TEST

START_TEST(no_image)
{
	static const char text[] =
		"This is a text of some length, more than sixty-four bytes of it.";
	struct vdso vdso;

	ck_assert_int_eq(vdso_read(&vdso, text, 0), -ENOEXEC);
	vdso_deinit(&vdso);
	ck_assert_int_eq(vdso_read(&vdso, text, sizeof(text)), -ENOEXEC);
	ck_assert_uint_eq(vdso.symbols.nr, 0);
	ck_assert_ptr_null(vdso_lookup(&vdso, 0));
	vdso_deinit(&vdso);
}
END_TEST

#define SYMBOLS_MAX 8

/* An image with a note, symbols and their names, which end where other bytes begin. */
static struct made_image {
	Elf64_Ehdr eh;
	Elf64_Shdr sections[5];
	Elf64_Sym symbols[SYMBOLS_MAX];
	char names[32], other[32];
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[8];
	} notes[2];
} made;

enum made_section { MADE_NONE, MADE_NOTE, MADE_SYMBOLS, MADE_NAMES, MADE_LATE_NOTE };

/* Where names are in the image. */
#define NAMES     "\0one\0two\0three\0last"
#define NAME_ONE  1
#define NAME_TWO  5
#define NAME_LAST 15

static void place(enum made_section nr, uint32_t type, const void *bytes, uint64_t size)
{
	made.sections[nr] =
		(Elf64_Shdr){.sh_type = type,
			     .sh_offset = (uint64_t)((const char *)bytes - (const char *)&made),
			     .sh_size = size};
}

static void make_image(const Elf64_Sym *symbols, size_t nr)
{
	made = (struct made_image){.eh = {.e_ident = ELFMAG,
					  .e_shoff = offsetof(struct made_image, sections),
					  .e_shentsize = sizeof(Elf64_Shdr),
					  .e_shnum = ARRAY_SIZE(made.sections)},
				   .names = NAMES};
	made.eh.e_ident[EI_CLASS] = ELFCLASS64;
	made.eh.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	memset(made.names + sizeof(NAMES) - 1, 'x', sizeof(made.names) - sizeof(NAMES) + 1);
	memset(made.other, 'x', sizeof(made.other));
	memcpy(made.symbols, symbols, nr * sizeof(*symbols));
	for (uint8_t i = 0; i < ARRAY_SIZE(made.notes); i++) {
		made.notes[i].head = (Elf64_Nhdr){4, sizeof(made.notes[i].id), NT_GNU_BUILD_ID};
		memcpy(made.notes[i].name, "GNU", 4);
		memset(made.notes[i].id, i + 1, sizeof(made.notes[i].id));
	}
	place(MADE_NOTE, SHT_NOTE, &made.notes[0], sizeof(made.notes[0]));
	place(MADE_SYMBOLS, SHT_DYNSYM, made.symbols, nr * sizeof(*symbols));
	place(MADE_NAMES, SHT_STRTAB, made.names, sizeof(NAMES) - 1);
	place(MADE_LATE_NOTE, SHT_NOTE, &made.notes[1], sizeof(made.notes[1]));
	made.sections[MADE_SYMBOLS].sh_link = MADE_NAMES;
}

/* A function in section 1. */
static Elf64_Sym symbol(uint64_t value, uint64_t size, uint32_t name, uint8_t bind)
{
	return (Elf64_Sym){.st_name = name,
			   .st_info = ELF64_ST_INFO(bind, STT_FUNC),
			   .st_shndx = 1,
			   .st_value = value,
			   .st_size = size};
}

static size_t nr_read(void)
{
	struct vdso vdso;
	size_t nr;

	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	nr = vdso.symbols.nr;
	vdso_deinit(&vdso);
	return nr;
}

/* Only code of the image that has a name and bytes is a symbol. */
START_TEST(what_is_a_symbol)
{
	const Elf64_Sym good = symbol(0x100, 16, NAME_ONE, STB_GLOBAL);
	struct {
		Elf64_Sym symbol;
		bool is;
	} cases[] = {
		{good, true},
		{good, true},
		{good, false},
		{good, false},
		{symbol(0x100, 16, 0, STB_GLOBAL), false},
		{symbol(0x100, 16, sizeof(NAMES) - 1, STB_GLOBAL), false},
		{symbol(0x100, 16, sizeof(NAMES), STB_GLOBAL), false},
		{symbol(0x100, 0, NAME_ONE, STB_GLOBAL), false},
		{symbol(sizeof(made) - 1, 1, NAME_ONE, STB_GLOBAL), true},
		{symbol(sizeof(made) - 1, 2, NAME_ONE, STB_GLOBAL), false},
		{symbol(sizeof(made), 1, NAME_ONE, STB_GLOBAL), false},
		{symbol(sizeof(made) + 1, 1, NAME_ONE, STB_GLOBAL), false},
		{symbol(0, sizeof(made), NAME_ONE, STB_GLOBAL), true},
	};

	cases[1].symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	cases[2].symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	cases[3].symbol.st_shndx = SHN_UNDEF;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_image(&cases[i].symbol, 1);
		ck_assert_msg(nr_read() == (cases[i].is ? 1 : 0), "case %zu", i);
	}
}
END_TEST

/* A global name comes before a weak one, and then the alphabet decides. */
START_TEST(symbols_of_one_address)
{
	const Elf64_Sym symbols[] = {
		symbol(0x200, 32, NAME_TWO, STB_GLOBAL), symbol(0x200, 32, NAME_ONE, STB_GLOBAL),
		symbol(0x100, 32, NAME_ONE, STB_WEAK),   symbol(0x100, 32, NAME_TWO, STB_GLOBAL),
		symbol(0x108, 8, NAME_LAST, STB_WEAK),
	};
	struct vdso vdso;

	make_image(symbols, ARRAY_SIZE(symbols));
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_uint_eq(vdso.symbols.nr, 3);
	ck_assert_str_eq(vdso_lookup(&vdso, 0x200)->name, "one");
	ck_assert(!vdso_lookup(&vdso, 0x200)->is_weak);
	ck_assert_str_eq(vdso_lookup(&vdso, 0x107)->name, "two");
	/* Nothing but the size of the table ends its last name. */
	ck_assert_str_eq(vdso_lookup(&vdso, 0x108)->name, "last");
	ck_assert(vdso_lookup(&vdso, 0x108)->is_weak);
	ck_assert_str_eq(vdso_lookup(&vdso, 0x10f)->name, "last");
	ck_assert_str_eq(vdso_lookup(&vdso, 0x110)->name, "two");
	ck_assert_ptr_null(vdso_lookup(&vdso, 0x120));
	ck_assert_ptr_null(vdso_lookup(&vdso, 0xff));
	vdso_deinit(&vdso);
}
END_TEST

START_TEST(the_first_build_id)
{
	const Elf64_Sym one = symbol(0x100, 16, NAME_ONE, STB_GLOBAL);
	struct vdso vdso;

	make_image(&one, 1);
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_uint_eq(vdso.build_id.size, sizeof(made.notes[0].id));
	ck_assert_mem_eq(vdso.build_id.bytes, made.notes[0].id, sizeof(made.notes[0].id));
	vdso_deinit(&vdso);
	made.sections[MADE_NOTE].sh_type = SHT_PROGBITS;
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_mem_eq(vdso.build_id.bytes, made.notes[1].id, sizeof(made.notes[1].id));
	vdso_deinit(&vdso);
	/* The last section ends with the image; one that goes beyond it is none. */
	made.sections[MADE_LATE_NOTE].sh_size++;
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_uint_eq(vdso.build_id.size, 0);
	ck_assert_uint_eq(vdso.symbols.nr, 1);
	vdso_deinit(&vdso);
	make_image(&one, 1);
	made.sections[MADE_NOTE].sh_offset = sizeof(made) + 1;
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_mem_eq(vdso.build_id.bytes, made.notes[1].id, sizeof(made.notes[1].id));
	ck_assert_uint_eq(vdso.symbols.nr, 1);
	vdso_deinit(&vdso);
}
END_TEST

START_TEST(other_headers)
{
	const Elf64_Sym one = symbol(0x100, 16, NAME_ONE, STB_GLOBAL);
	struct vdso vdso;

	for (size_t i = 0; i <= EI_DATA; i++) {
		make_image(&one, 1);
		made.eh.e_ident[i] ^= 3;
		ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), -ENOEXEC);
		vdso_deinit(&vdso);
	}
	make_image(&one, 1);
	made.eh.e_shentsize++;
	ck_assert_uint_eq(nr_read(), 0);
	for (uint16_t nr = 0; nr <= ARRAY_SIZE(made.sections); nr++) {
		make_image(&one, 1);
		made.eh.e_shnum = nr;
		ck_assert_uint_eq(nr_read(), nr > MADE_NAMES ? 1 : 0);
	}
	make_image(&one, 1);
	made.sections[MADE_SYMBOLS].sh_type = SHT_SYMTAB;
	ck_assert_uint_eq(nr_read(), 0);
	make_image(&one, 1);
	made.sections[MADE_NAMES].sh_offset = sizeof(made) + 1;
	ck_assert_uint_eq(nr_read(), 0);
}
END_TEST

/* A second table of symbols does not take the place of the first one. */
START_TEST(the_first_symbols)
{
	const Elf64_Sym both[] = {symbol(0x100, 16, NAME_ONE, STB_GLOBAL),
				  symbol(0x200, 16, NAME_TWO, STB_GLOBAL)};
	struct vdso vdso;

	make_image(both, 2);
	made.sections[MADE_LATE_NOTE] = made.sections[MADE_SYMBOLS];
	made.sections[MADE_SYMBOLS].sh_size = sizeof(both[0]);
	made.sections[MADE_LATE_NOTE].sh_offset += sizeof(both[0]);
	made.sections[MADE_LATE_NOTE].sh_size = sizeof(both[0]);
	ck_assert_int_eq(vdso_read(&vdso, &made, sizeof(made)), 0);
	ck_assert_uint_eq(vdso.symbols.nr, 1);
	ck_assert_str_eq(vdso.symbols.data[0].name, "one");
	vdso_deinit(&vdso);
}
END_TEST

/* 32-bit processes have another vdso, and processes that migrated from another kernel. */
START_TEST(whose)
{
	struct vdso vdso = {.size = 0x2000}, none = {0};

	ck_assert(vdso_is_same(&vdso, 0x7ffc00000000, 0x7ffc00002000));
	ck_assert(!vdso_is_same(&vdso, 0x7ffc00000000, 0x7ffc00001000));
	ck_assert(!vdso_is_same(&vdso, 0xf7fc0000, 0xf7fc2000));
	ck_assert(!vdso_is_same(&vdso, 0xfffff000, 0x100001000));
	ck_assert(vdso_is_same(&vdso, 0x100000000, 0x100002000));
	ck_assert(!vdso_is_same(&none, 0x7ffc00000000, 0x7ffc00000000));
}
END_TEST

SUITE_MAIN("vdso", of_this_process, damaged, no_image, what_is_a_symbol, symbols_of_one_address,
	   the_first_build_id, other_headers, the_first_symbols, whose)
