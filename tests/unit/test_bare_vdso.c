// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_sections.h"
#include "record/cfi/bare_vdso.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/elfwriter.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define RET 0xd65f03c0

/* A vdso of one segment, which is linked at 0, with two functions. */
static struct {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[3];
	char names[64];
	uint32_t code[8];
} file;

#define PLACE(member) offsetof(__typeof__(file), member)

static struct bare_function found[BARE_FUNCTIONS_MAX];
static size_t nr;

static uint32_t name(const char *text)
{
	static const char names[] = "\0clock\0__kernel_rt_sigreturn\0.dynsym\0.dynstr";

	memcpy(file.names, names, sizeof(names));
	return (char *)memmem(names, sizeof(names), text, strlen(text) + 1) - names;
}

static void begin(void)
{
	static const uint32_t code[] = {
		0xd503233f, 0xf9400020, 0xd50323bf, RET, /* paciasp; ldr x0, [x1]; autiasp; ret */
		0xd503201f, 0xd2801168, 0xd4000001, RET, /* nop; mov x8, #139; svc #0 */
	};

	memset(&file, 0, sizeof(file));
	file.header = elfw_header();
	file.header.e_machine = EM_AARCH64;
	file.header.e_phoff = PLACE(segment);
	file.header.e_phnum = 1;
	file.header.e_shoff = PLACE(sections);
	file.header.e_shnum = 3;
	file.header.e_shstrndx = 2;
	file.segment = (Elf64_Phdr){.p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_filesz = sizeof(file),
				    .p_memsz = sizeof(file)};
	file.sections[1] = (Elf64_Shdr){.sh_name = name(".dynsym"),
					.sh_type = SHT_DYNSYM,
					.sh_offset = PLACE(symbols),
					.sh_size = sizeof(file.symbols)};
	file.sections[2] = (Elf64_Shdr){.sh_name = name(".dynstr"),
					.sh_type = SHT_STRTAB,
					.sh_offset = PLACE(names),
					.sh_size = sizeof(file.names)};
	file.symbols[1] = (Elf64_Sym){.st_name = name("clock"),
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = 1,
				      .st_value = PLACE(code),
				      .st_size = 16};
	file.symbols[2] = (Elf64_Sym){.st_name = name("__kernel_rt_sigreturn"),
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
				      .st_shndx = 1,
				      .st_value = PLACE(code) + 20,
				      .st_size = 8};
	memcpy(file.code, code, sizeof(code));
}

static void end(void)
{
}

/* Looks into the file. Returns what bare_vdso_find returns. */
static int find(void)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC), ret;
	struct elf_image image;

	ck_assert_int_eq(write(fd, &file, sizeof(file)), sizeof(file));
	ret = elf_sections_open(fd, &image);
	if (!ret)
		ret = bare_vdso_find(&image, found, &nr);
	elf_image_close(&image);
	close(fd);
	return ret;
}

START_TEST(functions)
{
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(found[0].start, PLACE(code));
	ck_assert_uint_eq(found[0].end, PLACE(code) + 16);
	ck_assert_uint_eq(found[0].is_handler_return, 0);
	ck_assert_uint_eq(found[1].start, PLACE(code) + 19);
	ck_assert_uint_eq(found[1].end, PLACE(code) + 28);
	ck_assert_uint_eq(found[1].is_handler_return, 1);
}
END_TEST

/* Functions with frames, and instructions that are like theirs. */
START_TEST(frames)
{
	static const struct {
		uint32_t insn;
		bool is_bare;
	} cases[] = {
		{0xa9ba53f3, false}, /* stp x19, x20, [sp, #-96]! */
		{0xa9bf7bfd, false}, /* stp x29, x30, [sp, #-16]! */
		{0x6dbf27e8, false}, /* stp d8, d9, [sp, #-16]! */
		{0xf81f0ffe, false}, /* str x30, [sp, #-16]! */
		{0xd10083ff, false}, /* sub sp, sp, #32 */
		{0x97fffe60, false}, /* bl */
		{0xd63f0020, false}, /* blr x1 */
		{0xd63f083f, false}, /* blraaz x1 */
		{0xa9000026, true},  /* stp x6, x0, [x1] */
		{0xa9bf0066, true},  /* stp x6, x0, [x3, #-16]! */
		{0x8b2463e4, true},  /* add x4, sp, x4 */
		{0xd10083e0, true},  /* sub x0, sp, #32 */
		{0x17ffffab, true},  /* b */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		file.code[1] = cases[i].insn;
		ck_assert_int_eq(find(), 0);
		ck_assert_msg(nr == (cases[i].is_bare ? 2 : 1), "case %zu", i);
	}
}
END_TEST

/* Files that are no such vdso, and symbols that lie. */
START_TEST(others)
{
	file.header.e_machine = EM_X86_64;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(nr, 0);
	begin();
	file.names[file.symbols[2].st_name]++;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(nr, 0);
	begin();
	file.symbols[1].st_size = 1 << 20;
	file.symbols[2].st_value = UINT64_MAX - 2;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(nr, 0);
	begin();
	file.symbols[1].st_name = UINT32_MAX;
	file.symbols[2].st_shndx = SHN_UNDEF;
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(nr, 0);
	begin();
	file.sections[1].sh_size = sizeof(file);
	ck_assert_int_eq(find(), -ENOEXEC);
}
END_TEST

START_TEST(no_memory)
{
	oom_for_each_call(n)
	{
		int ret = find();

		ck_assert(ret == -ENOMEM || (ret == 0 && nr == 2));
	}
}
END_TEST

SUITE_MAIN_WITH("bare_vdso", begin, end, functions, frames, others, no_memory)
