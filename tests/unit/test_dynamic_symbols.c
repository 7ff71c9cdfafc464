// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/dynamic_symbols.h"

#include <errno.h>

#include "tests/unit/dynamic_file.h"

static struct dynamic_file file;

static void begin(void)
{
	dynamic_file_init(&file);
	dynamic_file_add(&file, "first", 0, 8);
	dynamic_file_add(&file, "second", 8, 16);
	dynamic_file_add(&file, "third", 24, 4);
	strcpy((char *)file.data + 8, "contents");
}

/* The result of a search for @name in the file, or of the init that failed. */
static int find(const char *name, Elf64_Sym *symbol)
{
	_cleanup_close_ int fd = dynamic_file_open(&file);
	struct dynamic_symbols symbols;
	int ret = dynamic_symbols_init(&symbols, fd);

	if (!ret)
		ret = dynamic_symbols_find(&symbols, name, symbol);
	dynamic_symbols_deinit(&symbols);
	return ret;
}

START_TEST(symbols_are_found)
{
	Elf64_Sym symbol;

	ck_assert_int_eq(find("first", &symbol), 0);
	ck_assert_uint_eq(symbol.st_value, DYNAMIC_FILE_AT(data));
	ck_assert_int_eq(find("second", &symbol), 0);
	ck_assert_uint_eq(symbol.st_size, 16);
	ck_assert_int_eq(find("third", &symbol), 0);
	ck_assert_int_eq(find("fourth", &symbol), -ENOENT);
	ck_assert_int_eq(find("", &symbol), -ENOENT);
}
END_TEST

START_TEST(names_that_fit_the_filter_alone)
{
	Elf64_Sym symbol;

	file.hash.bloom = ~0ULL;
	ck_assert_int_eq(find("fourth", &symbol), -ENOENT);
	ck_assert_int_eq(find("third", &symbol), 0);
}
END_TEST

START_TEST(same_hash_and_another_name)
{
	Elf64_Sym symbol;

	strcpy(file.names + file.symbols[1].st_name, "fIRST");
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
}
END_TEST

START_TEST(symbols_of_other_files)
{
	Elf64_Sym symbol;

	file.symbols[2].st_shndx = SHN_UNDEF;
	ck_assert_int_eq(find("second", &symbol), -ENOENT);
	ck_assert_int_eq(find("third", &symbol), 0);
}
END_TEST

START_TEST(contents)
{
	_cleanup_close_ int fd = dynamic_file_open(&file);
	struct dynamic_symbols symbols;
	char text[9];

	ck_assert_int_eq(dynamic_symbols_init(&symbols, fd), 0);
	ck_assert_int_eq(
		dynamic_symbols_read(&symbols, DYNAMIC_FILE_AT(data) + 8, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "contents");
	ck_assert_int_eq(dynamic_symbols_read(&symbols, DYNAMIC_FILE_ADDR - 1, text, 2), -ENOENT);
	ck_assert_int_eq(
		dynamic_symbols_read(&symbols, DYNAMIC_FILE_ADDR + sizeof(file) - 1, text, 2),
		-ENOENT);
	ck_assert_int_eq(dynamic_symbols_read(&symbols, UINT64_MAX, text, 2), -ENOENT);
	ck_assert_uint_eq(dynamic_symbols_code(&symbols)->p_vaddr, DYNAMIC_FILE_ADDR);
	dynamic_symbols_deinit(&symbols);
}
END_TEST

START_TEST(files_of_other_kinds)
{
	Elf64_Sym symbol;

	file.header.e_machine = EM_AARCH64;
	ck_assert_int_eq(find("first", &symbol), -ENOEXEC);
	begin();
	file.header.e_ident[EI_CLASS] = ELFCLASS32;
	ck_assert_int_eq(find("first", &symbol), -ENOEXEC);
	begin();
	file.header.e_phnum = 0xffff;
	ck_assert_int_eq(find("first", &symbol), -ENOEXEC);
	begin();
	file.header.e_phoff = UINT64_MAX - 8;
	ck_assert_int_eq(find("first", &symbol), -ENOEXEC);
	begin();
	file.dynamic[3].d_tag = DT_HASH;
	ck_assert_int_eq(find("first", &symbol), -ENODATA);
	begin();
	file.hash.bloom_words = 0; /* a division by it would be fatal */
	ck_assert_int_eq(find("first", &symbol), -ENODATA);
	begin();
	file.hash.nr_buckets = 0;
	ck_assert_int_eq(find("first", &symbol), -ENODATA);
	begin();
	file.hash.bloom_shift = 32;
	ck_assert_int_eq(find("first", &symbol), -ENODATA);
}
END_TEST

START_TEST(tables_that_lie)
{
	Elf64_Sym symbol;

	file.hash.bucket = UINT32_MAX;
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
	file.hash.bucket = 0;
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
	begin();
	file.symbols[1].st_name = UINT32_MAX;
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
	begin();
	file.dynamic[0].d_un.d_ptr = UINT64_MAX - 4;
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
	begin();
	file.hash.nr_buckets = UINT32_MAX;
	file.hash.bloom_words = UINT32_MAX;
	ck_assert_int_eq(find("first", &symbol), -ENOENT);
}
END_TEST

/* A chain without an end is left after a while: the data says "not the last" for ever. */
START_TEST(endless_chain)
{
	Elf64_Sym symbol;

	file.hash.chain[2] &= ~1u;
	ck_assert_int_eq(find("third", &symbol), 0);
	file.hash.bloom = ~0ULL;
	ck_assert_int_eq(find("fourth", &symbol), -ENOENT);
}
END_TEST

SUITE_MAIN_WITH("dynamic_symbols", begin, NULL, symbols_are_found, names_that_fit_the_filter_alone,
		same_hash_and_another_name, symbols_of_other_files, contents, files_of_other_kinds,
		tables_that_lie, endless_chain)
