// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read of ELF files for their tables. */
#include "record/cfi/cfi_elf.h"

#include <errno.h>
#include <sys/stat.h>
#include <zstd.h>

#include "tests/unit/made_go_table.h"
#include "tests/unit/suite.h"

static struct cfi_elf elf;
static const uint8_t frames_bytes[] = {1, 2, 3, 4, 5};

static void end(void)
{
	cfi_elf_deinit(&elf);
}

/* Reads the file of @spec whose section has @bytes, in the place of the last one. */
static int read_made(const struct test_elf *spec, const void *bytes, size_t nr)
{
	int fd = make_elf(spec, bytes, nr), ret;

	cfi_elf_deinit(&elf);
	ret = cfi_elf_read(fd, &elf);
	close(fd);
	return ret;
}

/* The size of a file with a section of @nr bytes, and no other. */
static uint64_t size_of_file(const char *name, const void *bytes, size_t nr)
{
	int fd = make_elf(&(struct test_elf){.name = name}, bytes, nr);
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	return st.st_size;
}

/* The headers that the next file has. */
static Elf64_Phdr segment;
static uint16_t nr_segments;

static void put_headers(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)sections;
	*ph = segment;
	eh->e_phnum = nr_segments;
}

/* The code has to be in the file, and within the addresses that there are. */
START_TEST(segments_of_code)
{
	const uint64_t size = size_of_file(NULL, frames_bytes, sizeof(frames_bytes));
	const struct {
		uint32_t type, flags;
		uint64_t off, vaddr, bytes;
		uint16_t nr;
		int ret;
	} cases[] = {
		{PT_LOAD, PF_X, CODE_OFF, CODE_VADDR, CODE_SIZE, 1, 0},
		{PT_LOAD, PF_X | PF_R | PF_W, CODE_OFF, CODE_VADDR, CODE_SIZE, 1, 0},
		{PT_NOTE, PF_X, CODE_OFF, CODE_VADDR, CODE_SIZE, 1, -ENODATA},
		{PT_LOAD, PF_R, CODE_OFF, CODE_VADDR, CODE_SIZE, 1, -ENODATA},
		{PT_LOAD, PF_X, size, CODE_VADDR, 0, 1, 0},
		{PT_LOAD, PF_X, size + 1, CODE_VADDR, 0, 1, -ENODATA},
		{PT_LOAD, PF_X, CODE_OFF, CODE_VADDR, size - CODE_OFF, 1, 0},
		{PT_LOAD, PF_X, CODE_OFF, CODE_VADDR, size - CODE_OFF + 1, 1, -ENODATA},
		{PT_LOAD, PF_X, CODE_OFF, UINT64_MAX - CODE_SIZE, CODE_SIZE, 1, 0},
		{PT_LOAD, PF_X, CODE_OFF, UINT64_MAX - CODE_SIZE + 1, CODE_SIZE, 1, -ENODATA},
		{PT_LOAD, PF_X, CODE_OFF, CODE_VADDR, CODE_SIZE, 1024, 0},
		{PT_LOAD, PF_X, CODE_OFF, CODE_VADDR, CODE_SIZE, 1025, -ENOEXEC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		segment = (Elf64_Phdr){.p_type = cases[i].type,
				       .p_flags = cases[i].flags,
				       .p_offset = cases[i].off,
				       .p_vaddr = cases[i].vaddr,
				       .p_filesz = cases[i].bytes,
				       .p_memsz = cases[i].bytes};
		nr_segments = cases[i].nr;
		ck_assert_msg(read_made(&(struct test_elf){.spoil = put_headers}, frames_bytes,
					sizeof(frames_bytes)) == cases[i].ret,
			      "%zu", i);
		ck_assert_uint_eq(elf.segments.nr, !cases[i].ret);
		if (cases[i].ret)
			continue;
		ck_assert_uint_eq(elf.segments.data[0].off, cases[i].off);
		ck_assert_uint_eq(elf.segments.data[0].vaddr, cases[i].vaddr);
		ck_assert_uint_eq(elf.segments.data[0].size, cases[i].bytes);
	}
}
END_TEST

/* A section of four bytes has an end mark alone. */
START_TEST(sections_of_frames)
{
	static const char *const names[] = {".eh_frame", ".debug_frame"};
	const struct test_section got = {".got", SHT_PROGBITS, 0x700000, "", 1};

	for (int i = 0; i < CFI_NR_SECTIONS; i++) {
		const struct test_elf spec = {.name = names[i], .more = &got, .nr_more = i};
		const struct eh_section *section = &elf.sections[i];

		ck_assert_int_eq(read_made(&spec, frames_bytes, 4), 0);
		ck_assert_ptr_null(elf.bytes[i]);
		ck_assert_uint_eq(section->size, 0);
		ck_assert_int_eq(read_made(&spec, frames_bytes, 5), 0);
		ck_assert_uint_eq(section->size, 5);
		ck_assert_mem_eq(section->bytes, frames_bytes, 5);
		ck_assert_uint_eq(section->vaddr, FRAMES_VADDR);
		ck_assert_uint_eq(section->data_base, i ? got.vaddr : 0);
		ck_assert_int_eq(section->is_debug_frame, i == CFI_DEBUG_FRAME);
		ck_assert_ptr_null(elf.bytes[!i]);
	}
}
END_TEST

START_TEST(sections_packed_by_zstd)
{
	static const struct test_elf spec = {.name = ".debug_frame", .flags = SHF_COMPRESSED};
	struct {
		Elf64_Chdr header;
		uint8_t bytes[64];
	} packed = {.header.ch_type = 2};
	size_t nr = ZSTD_compress(packed.bytes, sizeof(packed.bytes), frames_bytes,
				  sizeof(frames_bytes), 1);

	ck_assert(!ZSTD_isError(nr));
	for (size_t size = 4; size <= 6; size++) {
		packed.header.ch_size = size;
		ck_assert_int_eq(read_made(&spec, &packed, sizeof(packed.header) + nr),
				 size == 5 ? 0 : -ENOEXEC);
		if (size != 5)
			continue;
		ck_assert_uint_eq(elf.sections[CFI_DEBUG_FRAME].size, 5);
		ck_assert_mem_eq(elf.sections[CFI_DEBUG_FRAME].bytes, frames_bytes, 5);
	}
	/* Nothing needs no bytes. A part of a header is none. */
	packed.header.ch_size = 0;
	ck_assert_int_eq(read_made(&spec, &packed, sizeof(packed.header)), 0);
	ck_assert_uint_eq(elf.sections[CFI_DEBUG_FRAME].size, 0);
	ck_assert_int_eq(read_made(&spec, &packed, sizeof(packed.header) - 1), -ENOEXEC);
}
END_TEST

#define LONG_CODE 0x200 /* more than is read of a function */

static const struct spec specs[] = {
	{0x10, "main.leaf", 0, LEAF},
	{0x50, "runtime.systemstack", GO_SETS_STACK, LEAF},
	{0x90, "runtime.morestack", GO_SETS_STACK, LEAF},
};

/* The table of these functions, whose code begins at @text; 0: nobody knows in the table. */
static frames make_functions(uint64_t text)
{
	frames f = make_table(NEWEST, specs, ARRAY_SIZE(specs), 0x90 + LONG_CODE);

	memcpy(f.data + GO_TEXT_START_OFF, &text, 8);
	return f;
}

/* Of functions that set the stack, the instructions are read. */
START_TEST(code_of_functions)
{
	static const uint8_t code[] = {0x11, 0x22, 0x33};
	frames f = make_functions(TEXT);
	int fd = make_elf(&(struct test_elf){.name = ".gopclntab"}, f.data, f.nr);

	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF + 0x50), sizeof(code));
	ck_assert_int_eq(cfi_elf_read(fd, &elf), 0);
	ck_assert_uint_eq(elf.go.nr, 3);
	ck_assert_uint_eq(elf.go_codes[GO_SYSTEMSTACK].start, TEXT + 0x50);
	ck_assert_uint_eq(elf.go_codes[GO_SYSTEMSTACK].size, 0x40);
	ck_assert_mem_eq(elf.go_codes[GO_SYSTEMSTACK].bytes, code, sizeof(code));
	ck_assert_uint_eq(elf.go_codes[GO_MORESTACK].size, GO_CODE_BYTES);
	ck_assert_uint_eq(elf.go_codes[GO_ASMCGOCALL].size, 0);
	close(fd);
	vec_free(&f);
}
END_TEST

/* Code at the end of the file is read as far as that goes. */
START_TEST(code_at_the_end_of_a_file)
{
	frames f = make_functions(TEXT);
	uint64_t size = size_of_file(".gopclntab", f.data, f.nr);

	segment = (Elf64_Phdr){.p_type = PT_LOAD,
			       .p_flags = PF_X,
			       .p_offset = CODE_OFF,
			       .p_vaddr = CODE_VADDR,
			       .p_filesz = size - CODE_OFF,
			       .p_memsz = size - CODE_OFF};
	nr_segments = 1;
	vec_free(&f);
	f = make_functions(CODE_VADDR + (size - CODE_OFF) - 0x90 - 16);
	ck_assert_int_eq(read_made(&(struct test_elf){.name = ".gopclntab", .spoil = put_headers},
				   f.data, f.nr),
			 0);
	ck_assert_uint_eq(elf.go_codes[GO_MORESTACK].size, 16);
	ck_assert_uint_eq(elf.go_codes[GO_SYSTEMSTACK].size, 0x40);
	vec_free(&f);
}
END_TEST

/* The table may be in a section of its own, or among other things. */
START_TEST(sections_of_go)
{
	static const struct {
		const char *name, *more;
		uint64_t flags;
		size_t before; /* bytes before the table */
		bool is_found;
	} cases[] = {
		{".gopclntab", ".other", 0, 0, true},
		{".gopclntab", ".other", SHF_COMPRESSED, 0, false},
		{".data.rel.ro.gopclntab", ".other", 0, 0, true},
		{".data.rel.ro", ".go.buildinfo", 0, 0, true},
		{".data.rel.ro", ".go.buildinfo", 0, 64, true},
		{".data.rel.ro", ".other", 0, 64, false},
		{".gopclntab", ".other", 0, 64, false},
	};
	frames f = make_functions(TEXT);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct test_section more = {cases[i].more, SHT_PROGBITS, 0, "", 1};
		const struct test_elf spec = {.name = cases[i].name,
					      .flags = cases[i].flags,
					      .more = &more,
					      .nr_more = 1};
		frames all = {0};

		for (size_t k = 0; k < cases[i].before; k++)
			put_u8(&all, 0);
		put(&all, f.data, f.nr);
		ck_assert_int_eq(read_made(&spec, all.data, all.nr), 0);
		ck_assert_msg(elf.go.nr == (cases[i].is_found ? 3 : 0), "%zu", i);
		vec_free(&all);
	}
	vec_free(&f);
}
END_TEST

#define RELATIVE ELF64_R_INFO(0, elf_arch_find(elfw_header().e_machine)->relative)
#define START_AT (FRAMES_VADDR + GO_TEXT_START_OFF)

/* Where the table has no start of the code, another place tells, or none. */
START_TEST(starts_of_code)
{
	const Elf64_Rela relocations[] = {{START_AT + 8, RELATIVE, 1},
					  {START_AT, RELATIVE + 1, 2},
					  {START_AT, RELATIVE, TEXT}};
	const struct test_section rela = {".rela.dyn", SHT_RELA, 0, relocations,
					  sizeof(relocations)};
	const struct test_section text = {".text", SHT_PROGBITS, TEXT + 0x100, "", 1};
	const struct test_section init = {".init", SHT_PROGBITS, 0, "", 1};
	/* The last relocation is not all there, or they are none. */
	const struct test_section cut = {".rela.dyn", SHT_RELA, 0, relocations,
					 sizeof(relocations) - 1};
	const struct test_section short_of_one = {".rela.dyn", SHT_RELA, 0, relocations,
						  2 * sizeof(relocations[0]) + 1};
	const struct test_section other = {".rela.dyn", SHT_PROGBITS, 0, relocations,
					   sizeof(relocations)};
	const struct {
		struct test_section more[2];
		size_t nr;
		uint64_t start; /* 0: there is no table */
	} cases[] = {
		{{rela}, 1, TEXT},         {{cut}, 1, 0},
		{{short_of_one}, 1, 0},    {{other}, 1, 0},
		{{text}, 1, TEXT + 0x100}, {{text, init}, 2, 0},
		{{text, rela}, 2, TEXT},   {{init}, 1, 0},
	};
	frames f = make_functions(0);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct test_elf spec = {
			.name = ".gopclntab", .more = cases[i].more, .nr_more = cases[i].nr};

		ck_assert_int_eq(read_made(&spec, f.data, f.nr), 0);
		ck_assert_msg(elf.go.nr == (cases[i].start ? 3 : 0), "%zu", i);
		if (cases[i].start)
			ck_assert_uint_eq(elf.go.text_start, cases[i].start);
	}
	vec_free(&f);
}
END_TEST

static void hash_of(uint8_t hash[static CFI_HASH_BYTES])
{
	cfi_elf_hash(&elf, hash);
}

/* Whatever a table is made from changes its hash. */
START_TEST(hashes)
{
	static uint8_t bytes[3][2], go[2];
	static struct code_segment segments[2];
	uint8_t plain[CFI_HASH_BYTES], other[CFI_HASH_BYTES];
	uint8_t *const changes[] = {(uint8_t *)&elf.entry,
				    (uint8_t *)&elf.segments.nr,
				    (uint8_t *)&segments[0].size,
				    (uint8_t *)&elf.sections[0].vaddr,
				    (uint8_t *)&elf.sections[1].data_base,
				    (uint8_t *)&elf.sections[1].size,
				    &bytes[0][0],
				    &bytes[1][0],
				    (uint8_t *)&elf.go.text_start,
				    (uint8_t *)&elf.go.size,
				    &go[0],
				    (uint8_t *)&elf.coroutines[NR_COROUTINE_KINDS - 1].leaf,
				    &elf.go_codes[GO_NR_CODES - 1].bytes[7],
				    (uint8_t *)&elf.bare[0].end};

	elf.segments.data = segments;
	elf.segments.nr = 1;
	elf.go = (struct go_table){.bytes = go, .nr = 1, .size = 1};
	elf.nr_bare = 1;
	for (int i = 0; i < CFI_NR_SECTIONS; i++)
		elf.sections[i] = (struct eh_section){.bytes = bytes[i], .size = 1};
	hash_of(plain);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		++*changes[i];
		hash_of(other);
		ck_assert_msg(memcmp(plain, other, sizeof(plain)), "%zu", i);
		--*changes[i];
	}
	hash_of(other);
	ck_assert_mem_eq(plain, other, sizeof(plain));
	/* A table of no functions is none. */
	elf.go.nr = 0;
	hash_of(plain);
	go[0]++;
	hash_of(other);
	ck_assert_mem_eq(plain, other, sizeof(plain));
	elf = (struct cfi_elf){0};
}
END_TEST

SUITE_MAIN_WITH("cfi_elf", NULL, end, segments_of_code, sections_of_frames, sections_packed_by_zstd,
		code_of_functions, code_at_the_end_of_a_file, sections_of_go, starts_of_code,
		hashes)
