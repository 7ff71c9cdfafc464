// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/code_gaps.h"

#include <errno.h>

#include "elf/elf_image.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static struct code_frames frames_of_file;

static void begin(void)
{
	frames_of_file = (struct code_frames){0};
}

static void end(void)
{
	code_frames_deinit(&frames_of_file);
}

static void begin_again(void)
{
	end();
	begin();
}

static void add_gap(uint64_t start, uint64_t size)
{
	ck_assert_int_eq(code_gaps_add(&frames_of_file, start, start + size), 0);
}

static void expect_gaps(size_t nr, const struct code_gap *gaps)
{
	ck_assert_uint_eq(frames_of_file.gaps.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_uint_eq(frames_of_file.gaps.data[i].start, gaps[i].start);
		ck_assert_uint_eq(frames_of_file.gaps.data[i].size, gaps[i].size);
	}
}

#define GAPS(...)                                                                                  \
	sizeof((struct code_gap[]){__VA_ARGS__}) / sizeof(struct code_gap), (struct code_gap[])    \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Neither padding, nor more than is read, nor what the last gap has already. */
START_TEST(what_is_a_gap)
{
	add_gap(0x1000, CODE_GAP_BYTES - 1);
	add_gap(0x1000, 0);
	add_gap(0x1000, (uint64_t)-1);
	add_gap(0x1000, CODE_BYTES_MAX + 1);
	expect_gaps(0, NULL);
	add_gap(0x1000, CODE_GAP_BYTES);
	add_gap(0x1000, CODE_GAP_BYTES);
	add_gap(0x100f, CODE_GAP_BYTES);
	expect_gaps(GAPS({0x1000, CODE_GAP_BYTES, 0}));
	add_gap(0x1010, 0x20);
	add_gap(0x2000, CODE_BYTES_MAX);
	expect_gaps(
		GAPS({0x1000, CODE_GAP_BYTES, 0}, {0x1010, 0x20, 0}, {0x2000, CODE_BYTES_MAX, 0}));
}
END_TEST

/* Symbols before, in and behind the gaps [0x10, 0x30) and [0x40, 0x60) of the code. */
static const Elf64_Sym symbols[] = {
	{0},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x0f},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x10},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x2f},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x30},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x40},
	{.st_info = STT_FUNC, .st_shndx = SHN_UNDEF, .st_value = CODE_VADDR + 0x44},
	{.st_info = STT_OBJECT, .st_shndx = 1, .st_value = CODE_VADDR + 0x48},
	{.st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_VADDR + 0x60},
};
static const Elf64_Sym dynamic_symbols[] = {
	{.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	 .st_shndx = 1,
	 .st_value = CODE_VADDR + 0x50},
};

static void add_gaps_of_code(void)
{
	add_gap(CODE_VADDR + 0x10, 0x20);
	add_gap(CODE_VADDR + 0x40, 0x20);
}

/* A file with these two sections; each byte of its code is the place where it is. */
static int make_file(const struct test_section *more, size_t nr)
{
	const struct test_elf spec = {.more = more, .nr_more = nr};
	uint8_t code[256];
	int fd = make_elf(&spec, NO_BYTES);

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)i;
	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF), sizeof(code));
	return fd;
}

static int read_file_with(const struct test_section *more, size_t nr)
{
	int fd = make_file(more, nr), ret = code_gaps_read(&frames_of_file, fd);

	close(fd);
	return ret;
}

static const struct test_section both_tables[] = {
	{".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols)},
	{".dynsym", SHT_DYNSYM, 0, dynamic_symbols, sizeof(dynamic_symbols)},
};

START_TEST(code_and_functions_of_gaps)
{
	static const uint64_t starts[] = {0x10, 0x2f, 0x40, 0x50};

	add_gaps_of_code();
	ck_assert_int_eq(read_file_with(both_tables, 2), 0);
	ck_assert_uint_eq(frames_of_file.bytes.nr, 0x40);
	for (size_t i = 0; i < 0x40; i++)
		ck_assert_uint_eq(frames_of_file.bytes.data[i], 0x10 + i + (i < 0x20 ? 0 : 0x10));
	ck_assert_uint_eq(frames_of_file.gaps.data[0].first, 0);
	ck_assert_uint_eq(frames_of_file.gaps.data[1].first, 0x20);
	ck_assert_uint_eq(frames_of_file.starts.nr, ARRAY_SIZE(starts));
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		ck_assert_uint_eq(frames_of_file.starts.data[i], CODE_VADDR + starts[i]);
	/* What else tells that a function begins, as the entry does. */
	ck_assert_int_eq(code_gaps_add_start(&frames_of_file, CODE_VADDR + 0x5f), 0);
	ck_assert_int_eq(code_gaps_add_start(&frames_of_file, CODE_VADDR + 0x3f), 0);
	ck_assert_int_eq(code_gaps_add_start(&frames_of_file, 0), 0);
	ck_assert_uint_eq(frames_of_file.starts.nr, ARRAY_SIZE(starts) + 1);
}
END_TEST

/* Without gaps nobody reads the file. */
START_TEST(no_gaps)
{
	ck_assert_int_eq(code_gaps_read(&frames_of_file, -1), 0);
	ck_assert_int_eq(code_gaps_add_start(&frames_of_file, 0), 0);
	ck_assert_uint_eq(frames_of_file.starts.nr, 0);
}
END_TEST

/* All or nothing: where code of one gap is not there, none is read. */
START_TEST(gaps_that_are_not_read)
{
	add_gap(CODE_VADDR + 0x10, 0x20);
	add_gap(CODE_VADDR + CODE_SIZE, 0x20);
	ck_assert_int_eq(read_file_with(both_tables, 2), 0);
	ck_assert_uint_eq(frames_of_file.gaps.nr, 0);
	ck_assert_uint_eq(frames_of_file.bytes.nr, 0);
	begin_again();
	add_gap(CODE_VADDR, 0x20);
	ck_assert_int_eq(code_gaps_read(&frames_of_file, -1), 0);
	ck_assert_uint_eq(frames_of_file.gaps.nr, 0);
}
END_TEST

static void enlarge_code(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sections)
{
	(void)eh, (void)sections;
	ph->p_filesz = ph->p_memsz = 2 * CODE_BYTES_MAX;
}

/* Nor is any where together they are too large. */
START_TEST(gaps_of_a_large_file)
{
	const struct test_elf spec = {.spoil = enlarge_code};
	const uint64_t half = CODE_BYTES_MAX / 2;
	int fd = make_elf(&spec, NO_BYTES);

	ck_assert_int_eq(ftruncate(fd, CODE_OFF + 2 * CODE_BYTES_MAX), 0);
	for (uint64_t more = 0; more < 2; more++) {
		begin_again();
		add_gap(CODE_VADDR, half + more);
		add_gap(CODE_VADDR + half + more, half);
		ck_assert_int_eq(code_gaps_read(&frames_of_file, fd), 0);
		ck_assert_uint_eq(frames_of_file.gaps.nr, more ? 0 : 2);
		ck_assert_uint_eq(frames_of_file.bytes.nr, more ? 0 : CODE_BYTES_MAX);
	}
	close(fd);
}
END_TEST

/* The builtins of V8 keep frame pointers. */
START_TEST(files_with_builtins)
{
	static const char with[] = "\0_ZN2v88internal7Isolate18embedded_blob_codeEv";
	static const char without[] = "\0_ZN2v88internal7Isolate18embedded_blob_cod";
	const struct test_section v8 = {".dynstr", SHT_STRTAB, 0, with, sizeof(with)};
	const struct test_section other = {".dynstr", SHT_STRTAB, 0, without, sizeof(without)};

	add_gaps_of_code();
	ck_assert_int_eq(read_file_with(&v8, 1), 0);
	ck_assert_uint_eq(frames_of_file.gaps.nr, 0);
	ck_assert_uint_eq(frames_of_file.bytes.nr, 0);
	add_gaps_of_code();
	ck_assert_int_eq(read_file_with(&other, 1), 0);
	ck_assert_uint_eq(frames_of_file.gaps.nr, 2);
	ck_assert_uint_eq(frames_of_file.bytes.nr, 0x40);
}
END_TEST

static void hash_file(uint8_t hash[static CFI_HASH_BYTES])
{
	memset(hash, 1, CFI_HASH_BYTES);
	code_gaps_hash(&frames_of_file, hash);
}

/* Each part of what was read makes the hash another one, and so does the hash of all else. */
START_TEST(hashes)
{
	uint8_t before[CFI_HASH_BYTES], hash[CFI_HASH_BYTES], ones[CFI_HASH_BYTES];

	memset(ones, 1, sizeof(ones));
	hash_file(hash);
	ck_assert_mem_eq(hash, ones, sizeof(hash));
	add_gaps_of_code();
	ck_assert_int_eq(read_file_with(both_tables, 2), 0);
	hash_file(before);
	ck_assert_mem_ne(before, ones, sizeof(before));
	hash_file(hash);
	ck_assert_mem_eq(hash, before, sizeof(hash));
	hash[0]++;
	code_gaps_hash(&frames_of_file, hash);
	ck_assert_mem_ne(hash, before, sizeof(hash));
	frames_of_file.gaps.data[1].start++;
	hash_file(hash);
	ck_assert_mem_ne(hash, before, sizeof(hash));
	frames_of_file.gaps.data[1].start--;
	frames_of_file.bytes.data[0x3f]++;
	hash_file(hash);
	ck_assert_mem_ne(hash, before, sizeof(hash));
	frames_of_file.bytes.data[0x3f]--;
	frames_of_file.starts.data[3]++;
	hash_file(hash);
	ck_assert_mem_ne(hash, before, sizeof(hash));
	frames_of_file.starts.data[3]--;
	hash_file(hash);
	ck_assert_mem_eq(hash, before, sizeof(hash));
}
END_TEST

START_TEST(memory_runs_out)
{
	const int fd = make_file(both_tables, 2);

	oom_for_each_call(n)
	{
		int ret = code_gaps_add(&frames_of_file, CODE_VADDR + 0x10, CODE_VADDR + 0x30);

		if (!ret)
			ret = code_gaps_read(&frames_of_file, fd);
		if (!ret)
			ret = code_gaps_add_start(&frames_of_file, CODE_VADDR + 0x10);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		begin_again();
	}
	close(fd);
}
END_TEST

SUITE_MAIN_WITH("code_gaps", begin, end, what_is_a_gap, code_and_functions_of_gaps, no_gaps,
		gaps_that_are_not_read, gaps_of_a_large_file, files_with_builtins, hashes,
		memory_runs_out)
