// SPDX-License-Identifier: GPL-2.0-or-later
/* Where coroutines begin, by symbols. The test says what the code of make_fcontext is (--wrap). */
#include "record/cfi/coroutines.h"

#include "elf/elf_sections.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

#define START (CODE_VADDR + 0x100)

static const char names[] = "\0_ZN8greenlet12UserGreenlet15inner_bootstrapEPS_\0"
			    "make_fcontext\0make_fcontexts\0"
			    "_ZN8greenlet12UserGreenlet15inner_bootstrap";

#define GREENLET  1
#define FCONTEXT  49
#define FCONTEXTS 63
#define OTHER     78

static struct {
	uint64_t begin;
	bool is_leaf, is_unknown;
	uint64_t size; /* of the code that was looked at */
} fcontext;

static struct coroutine_begin begins[NR_COROUTINE_KINDS];

bool __wrap_fcontext_find_begin(const uint8_t *code, uint64_t size, uint64_t *begin, bool *is_leaf);

bool __wrap_fcontext_find_begin(const uint8_t *code, uint64_t size, uint64_t *begin, bool *is_leaf)
{
	ck_assert_uint_eq(code[0], 0x90);
	fcontext.size = size;
	*begin = fcontext.begin;
	*is_leaf = fcontext.is_leaf;
	return !fcontext.is_unknown;
}

static Elf64_Sym symbol(uint32_t name, uint64_t start, uint64_t size)
{
	return (Elf64_Sym){.st_name = name,
			   .st_info = STT_FUNC,
			   .st_shndx = 1,
			   .st_value = start,
			   .st_size = size};
}

static int find_in(const struct test_section *sections, size_t nr)
{
	const struct test_elf spec = {.more = sections, .nr_more = nr};
	const uint8_t code = 0x90;
	struct elf_image file;
	int fd = make_elf(&spec, NO_BYTES), ret;

	memset(begins, 0, sizeof(begins));
	fcontext.size = 0;
	ck_assert_int_eq(pwrite(fd, &code, 1, CODE_OFF + START - CODE_VADDR), 1);
	ck_assert_int_eq(elf_sections_open(fd, &file), 0);
	ret = coroutines_find(&file, begins);
	elf_image_close(&file);
	close(fd);
	return ret;
}

static void find(const Elf64_Sym *symbols, size_t nr)
{
	const struct test_section sections[] = {
		{".dynsym", SHT_DYNSYM, 0, symbols, nr * sizeof(*symbols)},
		{".dynstr", SHT_STRTAB, 0, names, sizeof(names)},
	};

	ck_assert_int_eq(find_in(sections, ARRAY_SIZE(sections)), 0);
}

static void expect(enum coroutine_kind kind, uint64_t start, uint64_t end, uint64_t leaf)
{
	ck_assert_uint_eq(begins[kind].start, start);
	ck_assert_uint_eq(begins[kind].end, end);
	ck_assert_uint_eq(begins[kind].leaf, leaf);
}

START_TEST(greenlets)
{
	const Elf64_Sym both[] = {symbol(OTHER, START + 0x20, 4), symbol(GREENLET, START, 4)};

	find(both, 2);
	expect(COROUTINE_GREENLET, START, START + 4, START);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
	find(both, 1);
	expect(COROUTINE_GREENLET, 0, 0, 0);
}
END_TEST

/* The name of make_fcontext is not longer. Before its last part the code may have no frame. */
START_TEST(contexts_of_boost)
{
	const Elf64_Sym one = symbol(FCONTEXT, START, 0x40), other = symbol(FCONTEXTS, START, 0x40);

	fcontext.begin = 0x30;
	fcontext.is_leaf = true;
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, START + 0x30, START + 0x40, START);
	expect(COROUTINE_GREENLET, 0, 0, 0);
	ck_assert_uint_eq(fcontext.size, 0x40);
	fcontext.is_leaf = false;
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, START + 0x30, START + 0x40, START + 0x30);
	find(&other, 1);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
}
END_TEST

START_TEST(code_that_is_not_known)
{
	Elf64_Sym one = symbol(FCONTEXT, START, 256);

	fcontext.is_unknown = true;
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
	ck_assert_uint_eq(fcontext.size, 256);
	fcontext.is_unknown = false;
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, START, START + 256, START);
	/* Too long, and not in the file's code, or not all of it. */
	one.st_size++;
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
	one = symbol(FCONTEXT, CODE_VADDR + CODE_SIZE, 4);
	find(&one, 1);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
	ck_assert_uint_eq(fcontext.size, 0);
}
END_TEST

/* Symbols of other files, of no bytes, and with names that are not there. */
START_TEST(symbols_that_are_none)
{
	Elf64_Sym none[] = {symbol(GREENLET, START, 4), symbol(GREENLET, START, 0),
			    symbol(GREENLET, START, UINT64_MAX), symbol(sizeof(names), START, 4),
			    symbol(UINT32_MAX, START, 4)};

	none[0].st_shndx = SHN_UNDEF;
	find(none, ARRAY_SIZE(none));
	expect(COROUTINE_GREENLET, 0, 0, 0);
	none[0].st_shndx = 1;
	find(none, ARRAY_SIZE(none));
	expect(COROUTINE_GREENLET, START, START + 4, START);
}
END_TEST

START_TEST(files_without_symbols)
{
	const Elf64_Sym one = symbol(GREENLET, START, 4);
	const struct test_section sections[] = {
		{".dynsym", SHT_DYNSYM, 0, &one, sizeof(one)},
		{".dynstr", SHT_STRTAB, 0, names, sizeof(names)},
		{".dynstr", SHT_STRTAB, 0, names, GREENLET},
	};
	const struct test_section other_names[] = {sections[0], sections[2]};

	ck_assert_int_eq(find_in(sections, 1), 0);
	expect(COROUTINE_GREENLET, 0, 0, 0);
	ck_assert_int_eq(find_in(sections + 1, 1), 0);
	expect(COROUTINE_GREENLET, 0, 0, 0);
	ck_assert_int_eq(find_in(other_names, 2), 0);
	expect(COROUTINE_GREENLET, 0, 0, 0);
	ck_assert_int_eq(find_in(sections, 2), 0);
	expect(COROUTINE_GREENLET, START, START + 4, START);
}
END_TEST

/* A file has one of the names, and hardly any has both. */
START_TEST(files_with_one_kind)
{
	static const char greenlet_name[] = "\0_ZN8greenlet12UserGreenlet15inner_bootstrapEPS_";
	static const char fcontext_name[] = "\0make_fcontext";
	const Elf64_Sym one = symbol(1, START, 4);
	const struct test_section of_greenlet[] = {
		{".dynsym", SHT_DYNSYM, 0, &one, sizeof(one)},
		{".dynstr", SHT_STRTAB, 0, greenlet_name, sizeof(greenlet_name)},
	};
	const struct test_section of_fcontext[] = {
		of_greenlet[0],
		{".dynstr", SHT_STRTAB, 0, fcontext_name, sizeof(fcontext_name)},
	};

	ck_assert_int_eq(find_in(of_greenlet, 2), 0);
	expect(COROUTINE_GREENLET, START, START + 4, START);
	expect(COROUTINE_FCONTEXT, 0, 0, 0);
	ck_assert_int_eq(find_in(of_fcontext, 2), 0);
	expect(COROUTINE_GREENLET, 0, 0, 0);
	expect(COROUTINE_FCONTEXT, START, START + 4, START);
}
END_TEST

SUITE_MAIN("coroutines", greenlets, contexts_of_boost, code_that_is_not_known,
	   symbols_that_are_none, files_without_symbols, files_with_one_kind)
