// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/symtab.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/suite.h"

#define TEXT      0x1000
#define TEXT_SIZE 0x1000

static const char *write_spec(const char *dir, const char *name, const struct elfw *spec)
{
	static char path[4][64];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", dir, name);
	elfw_write(spec, path[at]);
	return path[at];
}

static int open_spec(struct elf_file *file, const struct elfw *spec)
{
	char *dir = temp_create();
	int fd = open(write_spec(dir, "elf", spec), O_RDONLY | O_CLOEXEC);
	int ret = elf_file_open(file, fd, NULL);

	temp_remove(dir);
	return ret;
}

/* The name of @addr in what @spec describes, "" when it has none. */
static const char *name_in(const struct elfw *spec, uint64_t addr)
{
	struct range_hit hit = {.addr = addr};
	struct symtab symtab = {0};
	static char name[128];
	struct elf_file file;

	ck_assert_int_eq(open_spec(&file, spec), 0);
	ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
	ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
	name[0] = '\0';
	if (hit.range)
		snprintf(name, sizeof(name), "%.*s", (int)hit.range->len, hit.range->name);
	symtab_deinit(&symtab);
	elf_file_close(&file);
	return name;
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
	ck_assert_str_eq(name_in(&spec, 0x1210), ""); /* the next symbol ended asm1 */
	ck_assert_str_eq(name_in(&spec, 0x13ff), "asm2");
	ck_assert_str_eq(name_in(&spec, 0x1490), "outer"); /* covered: the label does not count */
	ck_assert_str_eq(name_in(&spec, 0x1500), "label");
	ck_assert_str_eq(name_in(&spec, 0x1fff), "last");
	ck_assert_str_eq(name_in(&spec, 0x2000), ""); /* the section ended */
	spec.nr_symbols = 8;
	ck_assert_str_eq(name_in(&spec, 0x3000), ""); /* not in its section */
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

static void spoil_link(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_SYMTAB].sh_link = 0xffff;
}

static void spoil_link_type(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_SYMTAB].sh_link = ELFW_SYMTAB;
}

static void spoil_size(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_SYMTAB].sh_size = UINT64_MAX - 7;
}

static void spoil_odd_size(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_SYMTAB].sh_size -= 5;
}

static void spoil_entsize(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_SYMTAB].sh_entsize = 0;
}

static void spoil_strtab(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_STRTAB].sh_size = 3; /* within the name, no NUL */
}

static void spoil_offset(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)eh;
	sh[ELFW_STRTAB].sh_offset = UINT64_MAX - 1;
}

static void spoil_names(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	eh->e_shstrndx = 0xff00;
	sh[ELFW_NAMES].sh_type = SHT_NOBITS;
}

static void spoil_count(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)sh;
	eh->e_shnum = 0xfeff;
}

static void spoil_count_zero(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	eh->e_shnum = 0;
	sh[0].sh_size = UINT64_MAX;
}

static void spoil_phdrs(Elf64_Ehdr *eh, Elf64_Shdr *sh)
{
	(void)sh;
	eh->e_phnum = 0xffff;
	eh->e_phoff = UINT64_MAX - 10;
	eh->e_phentsize = 1;
}

/* Whatever is wrong, it ends without a crash, and without a name that is not there. */
START_TEST(hostile)
{
	static void (*const spoils[])(Elf64_Ehdr *, Elf64_Shdr *) = {
		spoil_link,    spoil_link_type,  spoil_size,   spoil_odd_size,
		spoil_entsize, spoil_strtab,     spoil_offset, spoil_names,
		spoil_count,   spoil_count_zero, spoil_phdrs};
	static const struct elfw_symbol symbols[] = {{"victim", 0x1000, 16, STB_GLOBAL, 0, 0}};

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		struct elfw spec = with_symbols(symbols, 1);
		struct range_hit hit = {.addr = 0x1004};
		struct symtab symtab = {0};
		struct elf_file file;
		const char *link;
		uint32_t crc;

		spec.spoil = spoils[i];
		if (open_spec(&file, &spec))
			continue;
		ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
		ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
		if (hit.range)
			ck_assert_int_eq(memcmp(hit.range->name, "victim", hit.range->len), 0);
		ck_assert(!elf_file_debuglink(&file, &link, &crc));
		symtab_deinit(&symtab);
		elf_file_close(&file);
	}
}
END_TEST

/* An ELF file cut at any byte opens or does not, and never more than that. */
START_TEST(cut_anywhere)
{
	static const struct elfw_symbol symbols[] = {{"victim", 0x1000, 16, STB_GLOBAL, 0, 0}};
	const struct elfw_segment segment = {0, 0x1000, 0x1000, 0x1000, PF_R | PF_X};
	struct elfw spec = with_symbols(symbols, 1);
	char *dir = temp_create();
	const char *path;
	off_t size;

	spec.segments = &segment;
	spec.nr_segments = 1;
	spec.build_id = "0123456789";
	spec.debuglink = "x.debug";
	path = write_spec(dir, "elf", &spec);
	for (size = 1; size < 1500; size += 3) {
		struct range_hit hit = {.addr = 0x1004};
		struct symtab symtab = {0};
		struct elf_file file;

		elfw_write(&spec, path);
		ck_assert_int_eq(truncate(path, size), 0);
		if (elf_file_open(&file, open(path, O_RDONLY | O_CLOEXEC), NULL))
			continue;
		ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
		ck_assert_int_eq(symtab_resolve(&symtab, &hit, 1), 0);
		symtab_deinit(&symtab);
		elf_file_close(&file);
	}
	temp_remove(dir);
}
END_TEST

START_TEST(file_segments)
{
	/* As lld places them: each at a distance of its own; the second shares a page of the file.
	 */
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
	/* The binary has the first at 0x1800: mapped from the page of 0x1000 on, 4 pages. */
	ck_assert(elf_file_vaddr_mapped(&file, 0x1850, 0x1000, 0x4000, &vaddr));
	ck_assert_uint_eq(vaddr, 0x2850);
	/* A mapping of one page is the second; one of two pages is neither. */
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
	const char *name = NULL;
	struct elf_file file;
	uint32_t crc = 0;

	ck_assert_int_eq(open_spec(&file, &spec), 0);
	ck_assert(elf_file_debuglink(&file, &name, &crc));
	ck_assert_str_eq(name, "x.debug");
	ck_assert_uint_eq(crc, 0x12345678);
	elf_file_close(&file);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		spec.debuglink = bad[i];
		ck_assert_int_eq(open_spec(&file, &spec), 0);
		ck_assert(!elf_file_debuglink(&file, &name, &crc));
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

SUITE_MAIN("symtab", kinds_of_symbols, zero_size, dynamic_symbols_only, stripped, hostile,
	   cut_anywhere, file_segments, debug_only_segments, debug_only_single_segment, debuglinks)
