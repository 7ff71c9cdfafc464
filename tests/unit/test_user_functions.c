// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a probe of a function may be, by the function's first instruction. */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/probes/user_functions.h"
#include "tests/unit/suite.h"

#define CODE_OFF 256

/* A program whose only code is @insn. */
static int make_program(const void *insn, size_t len, uint16_t machine)
{
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_machine = machine,
		.e_phoff = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE_OFF, .p_filesz = len};
	int fd = memfd_create("program", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	ck_assert_int_eq(pwrite(fd, &ph, sizeof(ph), sizeof(eh)), sizeof(ph));
	ck_assert_int_eq(pwrite(fd, insn, len, CODE_OFF), len);
	return fd;
}

/* Finds the place for a probe in this code. Returns false if there is none. */
static bool find_place(const void *insn, size_t len, uint16_t machine, struct user_place *place)
{
	const struct pattern pattern = {.has_offset = true, .offset = CODE_OFF};
	struct user_functions found = {0};
	int fd = make_program(insn, len, machine);
	bool is_found;

	ck_assert_int_eq(user_functions_find(fd, &pattern, &found), 0);
	ck_assert_uint_eq(found.places.nr + found.nr_refused, 1);
	is_found = found.places.nr;
	if (is_found)
		*place = found.places.data[0];
	user_functions_deinit(&found);
	close(fd);
	return is_found;
}

/* The place of a probe, from the beginning of the code on; -1 if there is none. */
static int place_in(const void *insn, size_t len, uint16_t machine)
{
	struct user_place place;

	return find_place(insn, len, machine, &place) ? (int)(place.off - CODE_OFF) : -1;
}

static const struct {
	const char *insn;
	size_t len;
	int place;
} insns[] = {
#define INSN(bytes, place)                                                                         \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, place                                                    \
	}
	INSN("\x55", 0),                                         /* push %rbp */
	INSN("\x66\x0f\xef\xc0", 0),                             /* pxor */
	INSN("\x8f\xc0", 0),                                     /* pop %rax */
	INSN("\xf3\x0f\x1e\xfa\x55", 4),                         /* endbr64; push %rbp */
	INSN("\xf3\x0f\x1e\xfa", 4),                             /* endbr64 at the end */
	INSN("\xc5\xf8\x57\xc0", -1),                            /* vxorps */
	INSN("\xc4\xe2\x79\x78\xc0", -1),                        /* vpbroadcastb, VEX */
	INSN("\x62\xe2\x7d\x48\x7a\xc6", -1),                    /* vpbroadcastb, EVEX */
	INSN("\x8f\xe9\x78\x81\xc0", -1),                        /* vfrczpd, XOP */
	INSN("\xd5\x10\x50", -1),                                /* push %r16 */
	INSN("\x65\xc5\xf8\x57\x00", -1),                        /* vxorps %gs:(%rax) */
	INSN("\xf3\x0f\x1e\xfa\x62\xe2\x7d\x48\x7a\xc6", 0),     /* endbr64; vpbroadcastb */
	INSN("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66", 0), /* prefixes alone */
#undef INSN
};

START_TEST(first_instructions)
{
	for (size_t i = 0; i < ARRAY_SIZE(insns); i++)
		ck_assert_msg(place_in(insns[i].insn, insns[i].len, EM_X86_64) == insns[i].place,
			      "instruction %zu", i);
	/* Other processors have other instructions. */
	ck_assert_int_eq(place_in("\xc5\xf8\x57\xc0", 4, EM_AARCH64), 0);
}
END_TEST

/* Is the return address on top of the stack at the place for a probe in this code? */
static bool is_entry(const void *insn, size_t len, uint16_t machine)
{
	struct user_place place;

	ck_assert(find_place(insn, len, machine, &place));
	return place.is_entry;
}

START_TEST(entries)
{
	/* No instruction tells: a function may push other registers first, and jump anywhere. */
	ck_assert(!is_entry("\x55", 1, EM_X86_64));                 /* push %rbp */
	ck_assert(!is_entry("\xf3\x0f\x1e\xfa\x90", 5, EM_X86_64)); /* endbr64; nop */
}
END_TEST

/* Appends a symbol of a function in the code, and the table that has it alone, to the file. */
static Elf64_Shdr add_table(int fd, uint32_t type, uint64_t value)
{
	const Elf64_Sym symbol = {
		.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = value, .st_size = 1};
	off_t at = lseek(fd, 0, SEEK_END);

	ck_assert_int_eq(write(fd, &symbol, sizeof(symbol)), sizeof(symbol));
	return (Elf64_Shdr){.sh_type = type,
			    .sh_offset = at,
			    .sh_size = sizeof(symbol),
			    .sh_entsize = sizeof(symbol),
			    .sh_link = 1};
}

/* More tables than a file may have are not read: a file of many would be searched for minutes. */
START_TEST(tables)
{
	static const char code[8] = "\x90\x90\x90\x90\x90\x90\x90\x90", strings[] = "\0many";
	struct pattern pattern = {.name = {.text = (char *)"many"}};
	struct user_functions found = {0};
	int fd = make_program(code, sizeof(code), EM_X86_64);
	Elf64_Shdr sections[6] = {[1] = {.sh_type = SHT_STRTAB, .sh_size = sizeof(strings)}};
	Elf64_Ehdr eh;

	sections[1].sh_offset = lseek(fd, 0, SEEK_END);
	ck_assert_int_eq(write(fd, strings, sizeof(strings)), sizeof(strings));
	sections[2] = add_table(fd, SHT_SYMTAB, 0);
	sections[3] = add_table(fd, SHT_SYMTAB, 1);
	sections[4] = add_table(fd, SHT_DYNSYM, 2);
	sections[5] = add_table(fd, SHT_DYNSYM, 3);
	ck_assert_int_eq(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	eh.e_shoff = lseek(fd, 0, SEEK_END);
	eh.e_shentsize = sizeof(sections[0]);
	eh.e_shnum = ARRAY_SIZE(sections);
	ck_assert_int_eq(write(fd, sections, sizeof(sections)), sizeof(sections));
	ck_assert_int_eq(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	ck_assert_int_eq(user_functions_find(fd, &pattern, &found), 0);
	ck_assert_uint_eq(found.places.nr, 2);
	ck_assert_uint_eq(found.places.data[0].off, CODE_OFF);
	ck_assert_uint_eq(found.places.data[1].off, CODE_OFF + 2);
	user_functions_deinit(&found);
	close(fd);
}
END_TEST

SUITE_MAIN("user_functions", first_instructions, entries, tables)
