// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a probe of a function may be, by the function's first instruction. */
#include <elf.h>
#include <errno.h>
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

/* The symbols of one file, and the pattern that they are compared with. */
struct named {
	const char *name;
	uint8_t type;
	uint16_t section;
	uint64_t value;
};

/* Appends a table of symbols with their names and the sections of these to the file. */
static void add_symbols(int fd, const struct named *all, size_t nr)
{
	Elf64_Shdr sections[3] = {{0}, {.sh_type = SHT_SYMTAB, .sh_link = 2}, {0}};
	Elf64_Sym symbols[16] = {0};
	char names[512] = "";
	size_t names_bytes = 1;
	Elf64_Ehdr eh;

	for (size_t i = 0; i < nr; i++) {
		symbols[i] = (Elf64_Sym){.st_name = names_bytes,
					 .st_info = all[i].type,
					 .st_shndx = all[i].section,
					 .st_value = all[i].value};
		strcpy(names + names_bytes, all[i].name);
		names_bytes += strlen(all[i].name) + 1;
	}
	/* One without a name that is in the table of names. */
	symbols[nr] = (Elf64_Sym){.st_name = names_bytes, .st_info = STT_FUNC, .st_shndx = 1};
	sections[1].sh_offset = lseek(fd, 0, SEEK_END);
	sections[1].sh_size = (nr + 1) * sizeof(*symbols);
	ck_assert_int_eq(write(fd, symbols, sections[1].sh_size), sections[1].sh_size);
	sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
				   .sh_offset = sections[1].sh_offset + sections[1].sh_size,
				   .sh_size = names_bytes};
	ck_assert_int_eq(write(fd, names, names_bytes), names_bytes);
	ck_assert_int_eq(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	eh.e_shoff = lseek(fd, 0, SEEK_END);
	eh.e_shentsize = sizeof(sections[0]);
	eh.e_shnum = ARRAY_SIZE(sections);
	ck_assert_int_eq(write(fd, sections, sizeof(sections)), sizeof(sections));
	ck_assert_int_eq(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
}

static const char plain_code[16] = "\x90\x90\x90\x90\x90\x90\x90\x90"
				   "\x90\x90\x90\x90\x90\x90\x90";

static const struct named all_named[] = {
	{"apple", STT_FUNC, 1, 1},        {"apricot", STT_GNU_IFUNC, 1, 2},
	{"apricot", STT_GNU_IFUNC, 1, 2}, /* another version of it */
	{"apricot", STT_GNU_IFUNC, 1, 3}, {"apart", STT_GNU_IFUNC, 1, 2},
	{"april", STT_OBJECT, 1, 4},      {"apollo", STT_FUNC, SHN_UNDEF, 5},
	{"apex", STT_FUNC, 1, 16},        {"banana", STT_FUNC, 1, 6},
	{"apple.cold", STT_FUNC, 1, 7},
};

/* Finds @name, or the code at offset @at of the code, in a file with these symbols. */
static struct user_functions find_named(const char *name, uint64_t at, int expected)
{
	const struct pattern pattern = {.name = {.text = (char *)(uintptr_t)name},
					.has_offset = !name,
					.offset = CODE_OFF + at};
	struct user_functions found = {0};
	int fd = make_program(plain_code, sizeof(plain_code), EM_X86_64);

	add_symbols(fd, all_named, ARRAY_SIZE(all_named));
	ck_assert_int_eq(user_functions_find(fd, &pattern, &found), expected);
	close(fd);
	return found;
}

/* Functions that the file has, and indirect ones once each. */
START_TEST(names_of_functions)
{
	struct user_functions found = find_named("ap*", 0, 0);

	ck_assert_uint_eq(found.places.nr, 2);
	ck_assert_uint_eq(found.places.data[0].off, CODE_OFF + 1);
	ck_assert(found.places.data[0].is_entry);
	ck_assert_uint_eq(found.places.data[1].off, CODE_OFF + 7);
	ck_assert(!found.places.data[1].is_entry);
	ck_assert_uint_eq(found.indirect.nr, 3);
	ck_assert_str_eq(found.indirect.data[0].name, "apricot");
	ck_assert_uint_eq(found.indirect.data[0].resolver, 2);
	ck_assert_uint_eq(found.indirect.data[1].resolver, 3);
	ck_assert_str_eq(found.indirect.data[2].name, "apart");
	ck_assert(!found.indirect.data[2].is_settled);
	user_functions_deinit(&found);
}
END_TEST

/* At an offset it is known whether a function begins there. */
START_TEST(offsets_of_functions)
{
	static const struct {
		uint64_t at;
		bool is_entry;
		int ret;
	} cases[] = {{0, false, 0}, {1, true, 0},   {2, true, 0},         {6, true, 0},
		     {7, false, 0}, {15, false, 0}, {16, false, -ERANGE}, {-1, false, -ERANGE}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct user_functions found = find_named(NULL, cases[i].at, cases[i].ret);

		ck_assert_uint_eq(found.places.nr, !cases[i].ret);
		ck_assert_uint_eq(found.indirect.nr, 0);
		if (!cases[i].ret) {
			ck_assert_uint_eq(found.places.data[0].off, CODE_OFF + cases[i].at);
			ck_assert_int_eq(found.places.data[0].is_entry, cases[i].is_entry);
		}
		user_functions_deinit(&found);
	}
}
END_TEST

/* Files that repeat long names are given up, and names that are too long are passed over. */
START_TEST(long_names)
{
	const struct pattern pattern = {.name = {.text = (char[]){"*"}}};
	struct user_functions found = {0};
	static char names[70000];
	Elf64_Sym symbols[64];
	Elf64_Shdr sections[3] = {{0}, {.sh_type = SHT_SYMTAB, .sh_link = 2}, {0}};
	Elf64_Ehdr eh;

	memset(names + 1, 'n', sizeof(names) - 2);
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		symbols[i] = (Elf64_Sym){
			.st_name = 1 + i, .st_info = STT_FUNC, .st_shndx = 1, .st_value = i % 16};
	for (size_t nr = 1; nr <= 64; nr += 63) {
		int fd = make_program(plain_code, sizeof(plain_code), EM_X86_64);

		sections[1].sh_offset = lseek(fd, 0, SEEK_END);
		sections[1].sh_size = nr * sizeof(*symbols);
		ck_assert_int_eq(write(fd, symbols, sections[1].sh_size), sections[1].sh_size);
		sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					   .sh_offset = lseek(fd, 0, SEEK_END),
					   .sh_size = sizeof(names)};
		ck_assert_int_eq(write(fd, names, sizeof(names)), sizeof(names));
		ck_assert_int_eq(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
		eh.e_shoff = lseek(fd, 0, SEEK_END);
		eh.e_shentsize = sizeof(sections[0]);
		eh.e_shnum = ARRAY_SIZE(sections);
		ck_assert_int_eq(write(fd, sections, sizeof(sections)), sizeof(sections));
		ck_assert_int_eq(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
		ck_assert_int_eq(user_functions_find(fd, &pattern, &found), nr == 1 ? 0 : -E2BIG);
		ck_assert_uint_eq(found.places.nr, 0);
		user_functions_deinit(&found);
		close(fd);
	}
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

SUITE_MAIN("user_functions", first_instructions, entries, names_of_functions, offsets_of_functions,
	   long_names, tables)
