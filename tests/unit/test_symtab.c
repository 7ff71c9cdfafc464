// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_entries.h"
#include "elf/symtab.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/suite.h"

#define TEXT      0x1000
#define TEXT_SIZE 0x1000

static int open_spec(struct elf_file *file, const struct elfw *spec)
{
	elfw_write(spec, "elf");
	return elf_file_open(file, open("elf", O_RDONLY | O_CLOEXEC), NULL);
}

struct found_name {
	char text[128];
};

/* The name of @addr in @file, "" when it has none. Closes the file. */
static struct found_name name_in_file(struct elf_file *file, uint64_t addr)
{
	struct range_hit hit = {.addr = addr};
	struct found_name name = {""};
	struct symtab symtab = {0};

	ck_assert_int_eq(symtab_add(&symtab, file, &hit, 1), 0);
	ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
	if (hit.range)
		snprintf(name.text, sizeof(name.text), "%.*s", (int)hit.range->len,
			 hit.range->name);
	symtab_deinit(&symtab);
	elf_file_close(file);
	return name;
}

/* The name of @addr in the file that @spec describes, whether it is read or mapped. */
static const char *name_in(const struct elfw *spec, uint64_t addr)
{
	static struct found_name name;
	struct found_name mapped;
	struct elf_file file;

	ck_assert_int_eq(open_spec(&file, spec), 0);
	name = name_in_file(&file, addr);
	ck_assert_int_eq(open_spec(&file, spec), 0);
	elf_file_map_sections(&file);
	mapped = name_in_file(&file, addr);
	ck_assert_str_eq(mapped.text, name.text);
	return name.text;
}

static struct elfw with_symbols(const struct elfw_symbol *symbols, size_t nr)
{
	return (struct elfw){
		.text_vaddr = TEXT, .text_size = TEXT_SIZE, .symbols = symbols, .nr_symbols = nr};
}

START_TEST(kinds_of_symbols)
{
	static const struct elfw_symbol symbols[] = {
		{"func", 0x1000, 16, STB_GLOBAL, STT_FUNC, 0},
		{"ifunc", 0x1010, 16, STB_GLOBAL, STT_GNU_IFUNC, 0},
		{"object", 0x1020, 16, STB_GLOBAL, STT_OBJECT, 0},
		{"memcpy@@GLIBC_2.14", 0x1030, 16, STB_GLOBAL, STT_FUNC, 0},
		{"", 0x1040, 16, STB_GLOBAL, STT_FUNC, 0},
		{"@odd", 0x1050, 16, STB_GLOBAL, STT_FUNC, 0},
	};
	const struct elfw spec = with_symbols(symbols, 6);

	ck_assert_str_eq(name_in(&spec, 0x1000), "func");
	ck_assert_str_eq(name_in(&spec, 0x100f), "func");
	ck_assert_str_eq(name_in(&spec, 0x1010), "ifunc");
	ck_assert_str_eq(name_in(&spec, 0x1020), "");
	ck_assert_str_eq(name_in(&spec, 0x1030), "memcpy");
	ck_assert_str_eq(name_in(&spec, 0x1040), "");
	ck_assert_str_eq(name_in(&spec, 0x1050), "@odd");
	ck_assert_str_eq(name_in(&spec, 0xfff), "");
}
END_TEST

START_TEST(zero_size)
{
	static const struct elfw_symbol symbols[] = {
		{"asm1", 0x1100, 0, STB_LOCAL, 0, 0},    {"sized", 0x1200, 0x10, STB_GLOBAL, 0, 0},
		{"asm2", 0x1300, 0, STB_GLOBAL, 0, 0},   {"outer", 0x1400, 0x100, STB_GLOBAL, 0, 0},
		{"label", 0x1480, 0, STB_GLOBAL, 0, 0},  {"last", 0x1e00, 0, STB_GLOBAL, 0, 0},
		{"better", 0x1e00, 0, STB_GLOBAL, 0, 0}, {"far", 0x3000, 0, STB_GLOBAL, 0, 0},
	};
	struct elfw spec = with_symbols(symbols, 7);

	ck_assert_str_eq(name_in(&spec, 0x1100), "asm1");
	ck_assert_str_eq(name_in(&spec, 0x11ff), "asm1");
	ck_assert_str_eq(name_in(&spec, 0x120f), "sized");
	ck_assert_str_eq(name_in(&spec, 0x1210), ""); /* asm1 ended at the next symbol */
	ck_assert_str_eq(name_in(&spec, 0x13ff), "asm2");
	ck_assert_str_eq(name_in(&spec, 0x1490),
			 "outer");                    /* a label inside of it does not end it */
	ck_assert_str_eq(name_in(&spec, 0x1500), ""); /* nor does it name what is behind */
	ck_assert_str_eq(name_in(&spec, 0x1fff), "last");
	ck_assert_str_eq(name_in(&spec, 0x2000), ""); /* after the section */
	spec.nr_symbols = 8;
	ck_assert_str_eq(name_in(&spec, 0x3000), ""); /* the symbol lies outside of its section */
}
END_TEST

START_TEST(labels)
{
	static const struct elfw_symbol symbols[] = {
		{"_start", 0x1000, 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{"sized", 0x1100, 0x10, STB_GLOBAL, 0, 0},
		{"unsized", 0x1200, 0, STB_GLOBAL, 0, 0},
		{"inside", 0x1210, 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{".annobin", 0x1300, 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{"sized", 0x1400, 0x10, STB_GLOBAL, 0, 0},
		{"after", 0x1420, 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{"short", 0x1500, 8, STB_LOCAL, ELFW_NOTYPE, 0},
		{"data", 0x1600, 0, STB_LOCAL, ELFW_NOTYPE, ELFW_NOTE},
	};
	const struct elfw spec = with_symbols(symbols, ARRAY_SIZE(symbols));
	const struct elfw dynamic = {.text_vaddr = TEXT,
				     .text_size = TEXT_SIZE,
				     .dynamic_symbols = symbols,
				     .nr_dynamic_symbols = 1};

	ck_assert_str_eq(name_in(&spec, 0x1008), "_start");
	ck_assert_str_eq(name_in(&spec, 0x1108), "sized");
	ck_assert_str_eq(name_in(&spec, 0x1110), "");        /* _start ended at the next function */
	ck_assert_str_eq(name_in(&spec, 0x1218), "unsized"); /* a label does not end it */
	ck_assert_str_eq(name_in(&spec, 0x1308), "unsized");
	ck_assert_str_eq(name_in(&spec, 0x1418), "");
	ck_assert_str_eq(name_in(&spec, 0x1428), "after");
	ck_assert_str_eq(name_in(&spec, 0x1507), "short");
	ck_assert_str_eq(name_in(&spec, 0x1508), "");
	ck_assert_str_eq(name_in(&spec, 0x1608), "");
	ck_assert_str_eq(name_in(&dynamic, 0x1008), "");
}
END_TEST

START_TEST(dynamic_symbols_only)
{
	static const struct elfw_symbol symbols[] = {{"exported", 0x1000, 16, STB_GLOBAL, 0, 0}};
	const struct elfw spec = {.text_vaddr = TEXT,
				  .text_size = TEXT_SIZE,
				  .dynamic_symbols = symbols,
				  .nr_dynamic_symbols = 1};

	ck_assert_str_eq(name_in(&spec, 0x1004), "exported");
}
END_TEST

START_TEST(stripped)
{
	const struct elfw spec = {.text_vaddr = TEXT, .text_size = TEXT_SIZE};

	ck_assert_str_eq(name_in(&spec, 0x1004), "");
}
END_TEST

/* A function of this name that makes the @change to the headers of a file. */
#define SPOIL(name, change)                                                                        \
	static void name(Elf64_Ehdr *eh, Elf64_Shdr *sh)                                           \
	{                                                                                          \
		(void)eh, (void)sh;                                                                \
		change;                                                                            \
	}

SPOIL(spoil_link, sh[ELFW_SYMTAB].sh_link = 0xffff);
SPOIL(spoil_link_type, sh[ELFW_SYMTAB].sh_link = ELFW_SYMTAB);
SPOIL(spoil_size, sh[ELFW_SYMTAB].sh_size = UINT64_MAX - 7);
SPOIL(spoil_odd_size, sh[ELFW_SYMTAB].sh_size -= 5);
SPOIL(spoil_entsize, sh[ELFW_SYMTAB].sh_entsize = 0);
SPOIL(spoil_strtab, sh[ELFW_STRTAB].sh_size = 3); /* within the name */
SPOIL(spoil_offset, sh[ELFW_STRTAB].sh_offset = UINT64_MAX - 1);
SPOIL(spoil_names, eh->e_shstrndx = 0xff00; sh[ELFW_NAMES].sh_type = SHT_NOBITS);
SPOIL(spoil_count, eh->e_shnum = 0xfeff);
SPOIL(spoil_count_zero, eh->e_shnum = 0; sh[0].sh_size = UINT64_MAX);
SPOIL(spoil_phdrs, eh->e_phnum = 0xffff; eh->e_phoff = UINT64_MAX - 10; eh->e_phentsize = 1);

START_TEST(budgets)
{
	struct file_budget budget = {.bytes_left = 10};

	ck_assert(file_budget_charge(&budget, 10));
	ck_assert(file_budget_charge(&budget, 0));
	ck_assert(!budget.is_spent);
	ck_assert(!file_budget_charge(&budget, 1));
	ck_assert(budget.is_spent);
	ck_assert(file_budget_charge(NULL, UINT64_MAX));
}
END_TEST

/* Damaged headers lead to no crash, and to no other name than the one in the file. */
START_TEST(hostile)
{
	static void (*const spoils[])(Elf64_Ehdr *, Elf64_Shdr *) = {
		spoil_link,    spoil_link_type,  spoil_size,   spoil_odd_size,
		spoil_entsize, spoil_strtab,     spoil_offset, spoil_names,
		spoil_count,   spoil_count_zero, spoil_phdrs};
	static const struct elfw_symbol symbols[] = {{"victim", 0x1000, 16, STB_GLOBAL, 0, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		struct elfw spec = with_symbols(symbols, 1);
		struct range_hit hit = {.addr = 0x1004};
		struct symtab symtab = {0};
		struct elf_file file;
		struct elf_debuglink link;

		spec.spoil = spoils[i];
		if (open_spec(&file, &spec))
			continue;
		ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
		ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
		if (hit.range)
			ck_assert_int_eq(memcmp(hit.range->name, "victim", hit.range->len), 0);
		ck_assert(!elf_file_debuglink(&file, &link));
		symtab_deinit(&symtab);
		elf_file_close(&file);
	}
}
END_TEST

/* An ELF file may be cut at any byte: nothing is read beyond its end. */
START_TEST(cut_anywhere)
{
	static const struct elfw_symbol symbols[] = {{"victim", 0x1000, 16, STB_GLOBAL, 0, 0}};
	const struct elfw_segment segment = {0, 0x1000, 0x1000, 0x1000, PF_R | PF_X};
	struct elfw spec = with_symbols(symbols, 1);
	off_t size;

	spec.segments = &segment;
	spec.nr_segments = 1;
	spec.build_id = "0123456789";
	spec.debuglink = "x.debug";
	for (size = 1; size < 1500; size += 3) {
		struct range_hit hit = {.addr = 0x1004};
		struct symtab symtab = {0};
		struct elf_file file;

		elfw_write(&spec, "elf");
		ck_assert_int_eq(truncate("elf", size), 0);
		if (elf_file_open(&file, open("elf", O_RDONLY | O_CLOEXEC), NULL))
			continue;
		ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
		ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
		symtab_deinit(&symtab);
		elf_file_close(&file);
	}
}
END_TEST

/* A mapped table of symbols whose file is cut has zeros in the place of the symbols. */
START_TEST(cut_while_mapped)
{
	static const struct elfw_symbol symbols[] = {
		{"victim", 0x1000, 16, STB_GLOBAL, STT_FUNC, 0}};
	const struct elfw spec = with_symbols(symbols, 1);
	struct elf_file file;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	elf_file_map_sections(&file);
	for (size_t i = 1; i < file.sections.nr; i++)
		elf_file_section_bytes(&file, i);
	ck_assert_int_eq(truncate("elf", 0), 0);
	ck_assert_str_eq(name_in_file(&file, 0x1000).text, "");
}
END_TEST

static void make_big_endian(Elf64_Ehdr *eh, Elf64_Shdr sections[ELFW_NR_SECTIONS])
{
	(void)sections;
	eh->e_ident[EI_DATA] = ELFDATA2MSB;
}

START_TEST(other_byte_order)
{
	struct elfw spec = with_symbols(NULL, 0);
	struct elf_file file;

	spec.spoil = make_big_endian;
	ck_assert_int_eq(open_spec(&file, &spec), -ENOEXEC);
}
END_TEST

START_TEST(symbols_of_32_bits)
{
	const Elf32_Sym symbols[] = {{0}, {.st_name = 7, .st_value = 0x8048000, .st_size = 5}};
	const struct elf_bytes table = {(const uint8_t *)symbols, sizeof(symbols) + 1};
	const struct elf_file file = {.is_64 = false};
	GElf_Sym symbol;

	ck_assert(elf_symbol_at(&file, table, 1, &symbol));
	ck_assert_uint_eq(symbol.st_name, 7);
	ck_assert_uint_eq(symbol.st_value, 0x8048000);
	ck_assert_uint_eq(symbol.st_size, 5);
	ck_assert(!elf_symbol_at(&file, table, 2, &symbol));
}
END_TEST

START_TEST(file_segments)
{
	/* As lld places them: each with a distance of its own, and two in one page of the file. */
	static const struct elfw_segment segments[] = {
		{0, 0x1800, 0, 0x1800, PF_R},
		{0x1800, 0x800, 0x2800, 0x800, PF_R | PF_X},
		{0x2000, 0x100, 0x4000, 0x1000, PF_R | PF_W},
	};
	const struct elfw spec = {.segments = segments, .nr_segments = 3};
	struct elf_file file;
	uint64_t vaddr = 7;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_vaddr(&file, 0x10, &vaddr));
	ck_assert_uint_eq(vaddr, 0x10);
	ck_assert(elf_file_vaddr(&file, 0x1800, &vaddr));
	ck_assert_uint_eq(vaddr, 0x2800);
	ck_assert(elf_file_vaddr(&file, 0x20ff, &vaddr));
	ck_assert_uint_eq(vaddr, 0x40ff);
	ck_assert(!elf_file_vaddr(&file, 0x2100, &vaddr));
	ck_assert_uint_eq(vaddr, 0x40ff);
	elf_file_close(&file);
}
END_TEST

START_TEST(file_of_many_segments)
{
	static struct elfw_segment segments[1025];
	const struct elfw spec = {.segments = segments, .nr_segments = 1025};
	struct elf_file file;
	uint64_t vaddr;

	for (uint64_t i = 0; i < 1025; i++)
		segments[i] =
			(struct elfw_segment){0x100 * i, 0x100, 0x1000 * i, 0x100, PF_R | PF_X};
	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_vaddr(&file, 1023 * 0x100, &vaddr));
	ck_assert_uint_eq(vaddr, 1023 * 0x1000);
	/* Nobody looks at so many for each address. */
	ck_assert(!elf_file_vaddr(&file, 1024 * 0x100, &vaddr));
	elf_file_close(&file);
}
END_TEST

START_TEST(debug_only_segments)
{
	/* Offsets and sizes in the file as objcopy --only-keep-debug leaves them. */
	static const struct elfw_segment segments[] = {
		{0, 0x200, 0, 0x1800, PF_R},
		{0x200, 0, 0x2800, 0x2900, PF_R | PF_X},
		{0x200, 0, 0x9000, 0x800, PF_R | PF_X},
	};
	const struct elfw spec = {.text_vaddr = 0x2800,
				  .text_size = 0x2900,
				  .text_is_nobits = true,
				  .segments = segments,
				  .nr_segments = 3};
	struct elf_file file;
	uint64_t vaddr;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_is_debug_only(&file));
	/* The binary has the first code segment at 0x1800: mapped are 4 pages from 0x1000 on. */
	ck_assert(elf_file_vaddr_mapped(&file, 0x1850, 0x1000, 0x4000, &vaddr));
	ck_assert_uint_eq(vaddr, 0x2850);
	/* A mapping of one page is the second code segment. A mapping of two pages is neither. */
	ck_assert(!elf_file_vaddr_mapped(&file, 0x7010, 0x7000, 0x2000, &vaddr));
	ck_assert(elf_file_vaddr_mapped(&file, 0x7010, 0x7000, 0x1000, &vaddr));
	ck_assert_uint_eq(vaddr, 0x9010);
	ck_assert(!elf_file_vaddr_mapped(&file, 0x800, 0x1000, 0x4000, &vaddr));
	ck_assert(!elf_file_vaddr_mapped(&file, 0x1000000, 0x1000, 0x4000, &vaddr));
	elf_file_close(&file);
}
END_TEST

START_TEST(debuglinks)
{
	static const char *const bad[] = {"../x.debug", "/etc/passwd", "a/b", "", ".", ".."};
	struct elfw spec = {.debuglink = "x.debug", .debuglink_crc = 0x12345678};
	struct elf_debuglink link;
	struct elf_file file;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_debuglink(&file, &link));
	ck_assert_str_eq(link.name, "x.debug");
	ck_assert_uint_eq(link.crc, 0x12345678);
	elf_file_close(&file);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		spec.debuglink = bad[i];
		ck_assert_int_eq(open_spec(&file, &spec), 0);
		ck_assert(!elf_file_debuglink(&file, &link));
		elf_file_close(&file);
	}
}
END_TEST

/* With one segment of code, a mapping that holds all of it is that segment; a part is not. */
START_TEST(debug_only_single_segment)
{
	static const struct elfw_segment segments[] = {
		{0x200, 0, 0x2800, 0x2900, PF_R | PF_X},
		{0x200, 0, 0x9000, 0x800, PF_R},
	};
	const struct elfw spec = {.text_vaddr = 0x2800,
				  .text_size = 0x2900,
				  .text_is_nobits = true,
				  .segments = segments,
				  .nr_segments = 2};
	struct elf_file file;
	uint64_t vaddr;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_vaddr_mapped(&file, 0x1850, 0x1000, 0x200000, &vaddr));
	ck_assert_uint_eq(vaddr, 0x2850);
	ck_assert(!elf_file_vaddr_mapped(&file, 0x2850, 0x2000, 0x3000, &vaddr));
	elf_file_close(&file);
}
END_TEST

SUITE_MAIN_WITH("symtab", begin_in_new_dir, NULL, kinds_of_symbols, zero_size, labels,
		dynamic_symbols_only, stripped, budgets, hostile, cut_anywhere, cut_while_mapped,
		other_byte_order, symbols_of_32_bits, file_segments, file_of_many_segments,
		debug_only_segments, debug_only_single_segment, debuglinks)
