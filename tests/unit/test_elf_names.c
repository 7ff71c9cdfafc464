// SPDX-License-Identifier: GPL-2.0-or-later
/* The names that ELF files give. This program is one of the files: it has stubs and functions. */
#include "report/symbols/elf_names.h"

#include <link.h>
#include <sys/stat.h>

#include "common/io.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

__attribute__((noinline)) static uint64_t probe(uint64_t x)
{
	__asm__ volatile("nop; nop; nop; nop" ::: "memory");
	return x * 3;
}

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

/* The address of probe() in the file. */
static uint64_t probe_vaddr(void)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return (uint64_t)probe - base;
}

static int open_self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* A descriptor of a file with these bytes. */
static int file_of(const void *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, len, 0), (ssize_t)len);
	return fd;
}

/* Returns the start of the function at @addr by its bounds alone, 0 if the file does not tell. */
static uint64_t start_of(int fd, uint64_t addr)
{
	struct range_hit hit = {.addr = addr};
	struct bounds bounds = {0};
	struct elf_file file;
	uint64_t start;

	ck_assert_int_eq(elf_file_open(&file, fd, NULL), 0);
	ck_assert_int_eq(bounds_resolve(&bounds, &file, &hit, 1), 0);
	start = hit.range ? hit.range->start : 0;
	ck_assert(!hit.range || !hit.range->len);
	bounds_deinit(&bounds);
	elf_file_close(&file);
	return start;
}

START_TEST(own_function)
{
	uint64_t addr = probe_vaddr();

	ck_assert_uint_eq(probe(2), 6);
	ck_assert_uint_eq(start_of(open_self(), addr), addr);
	ck_assert_uint_eq(start_of(open_self(), addr + 3), addr);
	ck_assert_uint_ne(start_of(open_self(), addr - 1), addr);
	ck_assert_uint_eq(start_of(open_self(), 1), 0);
	ck_assert_uint_eq(start_of(open_self(), UINT64_MAX), 0);
}
END_TEST

START_TEST(without_a_table)
{
	const struct test_elf spec = {0};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	put_fde(&f, cie, CODE_VADDR + 0x100, 0x20, NO_BYTES);
	put_fde(&f, cie + 1, CODE_VADDR + 0x200, 0x20, NO_BYTES); /* no CIE there */
	put_fde(&f, cie, CODE_VADDR, 0x20, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x300, 0, NO_BYTES);
	put_number(&f, 0x1000, 4); /* an entry that does not fit ends the section */
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x100),
			  CODE_VADDR + 0x100);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x11f),
			  CODE_VADDR + 0x100);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x120), 0);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x200), 0);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x1f), CODE_VADDR);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x300), 0);
	vec_free(&f);
}
END_TEST

/* Many functions claim one address: one of them answers, and memory stays bounded. */
START_TEST(overlapping_functions)
{
	const struct test_elf spec = {0};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	for (uint32_t i = 0; i < 10000; i++)
		put_fde(&f, cie, CODE_VADDR + 0x100 + i % 7, 0x1000, NO_BYTES);
	ck_assert_uint_ne(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR + 0x200), 0);
	vec_free(&f);
}
END_TEST

static void spoil_machine(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)ph, (void)sections;
	eh->e_machine = EM_AARCH64;
}

START_TEST(another_machine)
{
	const struct test_elf spec = {.spoil = spoil_machine};
	frames f = {0};

	put_fde(&f, put_usual_cie(&f), CODE_VADDR, 0x20, NO_BYTES);
	ck_assert_uint_eq(start_of(make_elf(&spec, f.data, f.nr), CODE_VADDR), 0);
	vec_free(&f);
}
END_TEST

#define NR_HITS 2000

/* Hits all over the sections with code, sorted. */
static void make_hits(struct range_hit *hits, const struct elf_file *file)
{
	uint64_t size = 0;

	vec_for_each(&file->segments, s)
		if (s->is_exec && s->vaddr + s->mem_size > size && s->mem_size < 1u << 30)
			size = s->vaddr + s->mem_size;
	for (size_t i = 0; i < NR_HITS; i++)
		hits[i] = (struct range_hit){.addr = size * i / NR_HITS, .tag = i};
}

/* Looks all addresses up. Each answer covers its address. Returns the number of answers. */
static size_t look_up_all(int fd)
{
	struct range_hit hits[NR_HITS];
	struct elf_names names = {0};
	struct elf_file file;
	size_t nr = 0;

	if (elf_file_open(&file, fd, NULL))
		return 0;
	make_hits(hits, &file);
	ck_assert_int_eq(elf_names_resolve(&names, &file, NULL, hits, NR_HITS), 0);
	for (size_t i = 0; i < NR_HITS; i++) {
		const struct range *range = hits[i].range;

		nr += range != NULL;
		if (range && hits[i].addr - range->start >= range->size)
			ck_abort_msg("an answer does not cover its address");
	}
	elf_names_deinit(&names);
	elf_file_close(&file);
	return nr;
}

/* A copy of this program with damage at random places still gives sane answers. */
START_TEST(damaged)
{
	struct random rng = {.state = 4711 + _i};
	int fd = open_self();
	struct stat st;
	uint8_t *bytes;

	ck_assert_int_eq(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(io_pread(fd, bytes, st.st_size, 0), st.st_size);
	if (!_i)
		ck_assert_uint_ge(look_up_all(file_of(bytes, st.st_size)), NR_HITS / 4);
	for (uint32_t i = 0; i < 2000; i++)
		bytes[random_below(&rng, st.st_size)] ^= 1u << random_below(&rng, 8);
	look_up_all(file_of(bytes, st.st_size));
	look_up_all(file_of(bytes, random_below(&rng, st.st_size)));
	free(bytes);
	close(fd);
}
END_TEST

SUITE_MAIN_LOOP_WITH("elf_names", NULL, NULL, damaged, 20, own_function, without_a_table,
		     overlapping_functions, another_machine)
