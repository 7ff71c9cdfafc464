// SPDX-License-Identifier: GPL-2.0-or-later
/* The names that ELF files give. This program is one of the files: it has stubs and functions. */
#include "elf/elf_names.h"

#include <link.h>
#include <sys/stat.h>

#include "common/io.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/go_elf.h"
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

static void make_arm64(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)ph, (void)sections;
	eh->e_machine = EM_AARCH64;
}

static void make_riscv(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)ph, (void)sections;
	eh->e_machine = EM_RISCV;
}

/* A report reads files of each architecture that has a row, whatever host it is made on. */
START_TEST(another_machine)
{
	const struct test_elf arm64 = {.spoil = make_arm64}, riscv = {.spoil = make_riscv};
	frames f = {0};

	put_fde(&f, put_usual_cie(&f), CODE_VADDR, 0x20, NO_BYTES);
	ck_assert_uint_eq(start_of(make_elf(&arm64, f.data, f.nr), CODE_VADDR), CODE_VADDR);
	ck_assert_uint_eq(start_of(make_elf(&riscv, f.data, f.nr), CODE_VADDR), 0);
	vec_free(&f);
}
END_TEST

/* A table of Go with the functions "main.a" at 0x1000 and "main.b" at 0x1100, to 0x1180. */
struct go_spec {
	uint32_t magic;
	uint64_t text_start;
	uint32_t name_of_b; /* its place among the names; 0: that of "main.b" */
	uint64_t nr;        /* the number of functions that the header claims; 0: 2 */
};

static void put_go_functions(frames *f, bool is_old)
{
	static const uint64_t addrs[] = {0x1000, 0x1100, 0x1180};
	size_t size = is_old ? 8 : 4, record = 5 * size;

	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		put_number(f, addrs[i], size);
		if (i < 2)
			put_number(f, record + i * (size + 4), size);
	}
}

static frames go_table(const struct go_spec *spec)
{
	static const char names[] = "\0main.a\0main.b";
	bool is_old = spec->magic == 0xfffffffa;
	uint64_t header = is_old ? 64 : 72, functions = header + sizeof(names);
	size_t size = is_old ? 8 : 4;
	frames f = {0};

	put_number(&f, spec->magic, 4);
	put(&f, (const uint8_t[]){0, 0, 1, 8}, 4);
	put_number(&f, spec->nr ? spec->nr : 2, 8);
	put_number(&f, 0, 8);
	if (!is_old)
		put_number(&f, spec->text_start, 8);
	put_number(&f, header, 8); /* names */
	put_number(&f, 0, 8);
	put_number(&f, 0, 8);
	put_number(&f, 0, 8);
	put_number(&f, functions, 8);
	put(&f, names, sizeof(names));
	put_go_functions(&f, is_old);
	put_number(&f, 0x1000, size);
	put_number(&f, 1, 4);
	put_number(&f, 0x1100, size);
	put_number(&f, spec->name_of_b ? spec->name_of_b : 8, 4);
	return f;
}

/* Returns the name at @addr in the file at @fd, which it closes, "" without one. */
static const char *go_name_of(int fd, uint64_t addr)
{
	struct range_hit hit = {.addr = addr};
	struct gopclntab go = {0};
	static char name[64];
	struct elf_file file;

	ck_assert_int_eq(elf_file_open(&file, fd, NULL), 0);
	ck_assert_int_eq(gopclntab_resolve(&go, &file, &hit, 1), 0);
	name[0] = '\0';
	if (hit.range)
		snprintf(name, sizeof(name), "%.*s", (int)hit.range->len, hit.range->name);
	gopclntab_deinit(&go);
	elf_file_close(&file);
	return name;
}

/* As go_name_of, of a file with the first @len bytes of @table. */
static const char *go_name(const frames *table, size_t len, uint64_t addr)
{
	return go_name_of(make_elf(&(struct test_elf){.name = ".gopclntab"}, table->data, len),
			  addr);
}

static void check_go_functions(uint32_t magic)
{
	const uint64_t start = magic == 0xfffffffa ? 0 : 0x400000;
	frames f = go_table(&(struct go_spec){.magic = magic, .text_start = start});

	ck_assert_str_eq(go_name(&f, f.nr, start + 0xfff), "");
	ck_assert_str_eq(go_name(&f, f.nr, start + 0x1000), "main.a");
	ck_assert_str_eq(go_name(&f, f.nr, start + 0x10ff), "main.a");
	ck_assert_str_eq(go_name(&f, f.nr, start + 0x1100), "main.b");
	ck_assert_str_eq(go_name(&f, f.nr, start + 0x117f), "main.b");
	ck_assert_str_eq(go_name(&f, f.nr, start + 0x1180), "");
	ck_assert_str_eq(go_name(&f, f.nr, UINT64_MAX), "");
	for (size_t len = 0; len < f.nr; len++) {
		const char *name = go_name(&f, len, start + 0x1100);

		ck_assert(!name[0] || !strcmp(name, "main.b"));
	}
	vec_free(&f);
}

START_TEST(go_functions)
{
	static const uint32_t magics[] = {0xfffffffa, 0xfffffff0, 0xfffffff1};

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		check_go_functions(magics[i]);
}
END_TEST

START_TEST(go_tables_that_lie)
{
	static const struct go_spec specs[] = {
		{.magic = 0xfffffffb, .text_start = 1}, /* Go 1.2 */
		{.magic = 0xfffffff1, .text_start = 0}, /* nothing tells the start of the code */
		{.magic = 0xfffffff1, .text_start = 1, .name_of_b = 0xfffffff0},
		{.magic = 0xfffffff1, .text_start = 1, .name_of_b = 1000},
		{.magic = 0xfffffff1, .text_start = 1, .nr = UINT64_MAX},
		{.magic = 0xfffffff1, .text_start = 1, .nr = 1000},
		{.magic = 0xfffffffa, .nr = UINT64_MAX / 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		frames f = go_table(&specs[i]);

		ck_assert_str_eq(go_name(&f, f.nr, 0x1101), "");
		vec_free(&f);
	}
}
END_TEST

/* From Go 1.26 on, the module tells the start of the code, if it is that of the table. */
START_TEST(go_modules)
{
	static const struct {
		struct go_module module;
		const char *name;
	} cases[] = {
		{{.first = 0x401000, .text = 0x400000}, "main.b"},
		{{.first = 0x401000, .text = 0x400000, .size = MODULE_1_27_BYTES}, "main.b"},
		{{.first = 0x401000, .text = 0x400000, .is_relocated = true}, "main.b"},
		{{.first = 0x401000, .text = 0x400000, .size = GO_MODULE_TEXT_OFF + 8}, "main.b"},
		{{.first = 0x401000, .text = 0x400000, .size = GO_MODULE_TEXT_OFF + 7}, ""},
		{{.first = 0x401008, .text = 0x400000}, ""},
		{{.first = 0x400ff8, .text = 0x400000, .is_relocated = true}, ""},
		{{.first = 0x401000, .text = 0}, ""},
		{{.first = 0, .text = 0x400000}, ""},
	};
	frames f = go_table(&(struct go_spec){.magic = 0xfffffff1});

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_str_eq(go_name_of(make_go_elf(f.data, f.nr, &cases[i].module), 0x401100),
				 cases[i].name);
	vec_free(&f);
}
END_TEST

/* Names of Go alone are names, be they in the binary, in the debug file, or in both. */
START_TEST(go_names_alone)
{
	const struct test_elf go_spec = {.name = ".gopclntab"}, other_spec = {.name = ".other"};
	frames f = go_table(&(struct go_spec){.magic = 0xfffffff1, .text_start = 0x400000});

	for (int has_go = 0; has_go < 4; has_go++) {
		struct range_hit hit = {.addr = 0x401000};
		struct elf_names names = {0};
		struct elf_file files[2];

		for (int i = 0; i < 2; i++) {
			const struct test_elf *spec = has_go >> i & 1 ? &go_spec : &other_spec;

			ck_assert_int_eq(
				elf_file_open(&files[i], make_elf(spec, f.data, f.nr), NULL), 0);
		}
		ck_assert_int_eq(elf_names_resolve(&names, &files[0], &files[1], &hit, 1), 0);
		ck_assert_int_eq(elf_names_has_any(&names), has_go != 0);
		ck_assert_int_eq(names.parts[0], has_go & 1 ? NAME_PART_GO : 0);
		ck_assert_int_eq(names.parts[1], has_go == 2 ? NAME_PART_GO : 0);
		elf_names_deinit(&names);
		elf_file_close(&files[0]);
		elf_file_close(&files[1]);
	}
	vec_free(&f);
}
END_TEST

/* A file whose MiniDebugInfo cannot be unpacked, or with a symbol of [0x1000, 0x1010). */
static void open_quality(struct elf_file *file, enum elf_quality quality)
{
	static const struct elfw_symbol symbol = {"f", 0x1000, 0x10, STB_GLOBAL, 0, 0};
	const struct test_elf mini = {.name = ".gnu_debugdata"};
	struct elfw spec = {
		.text_vaddr = 0x1000,
		.text_size = 0x1000,
		.symbols = &symbol,
		.nr_symbols = quality == ELF_SYMTAB,
		.dynamic_symbols = &symbol,
		.nr_dynamic_symbols = quality == ELF_DYNSYM,
	};
	int fd;

	elfw_write(&spec, "elf");
	fd = quality == ELF_MINIDEBUG ? make_elf(&mini, (const uint8_t *)"no xz", 5)
				      : open("elf", O_RDONLY);
	ck_assert_int_eq(unlink("elf"), 0);
	ck_assert_int_eq(elf_file_open(file, fd, NULL), 0);
}

#define SYMTAB NAME_PART_SYMTAB
#define DYNSYM NAME_PART_DYNSYM

/* The best tables of two files stand for the others, if they have a name for the address. */
START_TEST(parts_of_files)
{
	static const struct {
		enum elf_quality quality[2], best;
		uint8_t parts[2];
	} cases[] = {
		{{ELF_NO_NAMES, ELF_NO_NAMES}, ELF_NO_NAMES, {0, 0}},
		{{ELF_NO_NAMES, ELF_DYNSYM}, ELF_DYNSYM, {0, DYNSYM}},
		{{ELF_NO_NAMES, ELF_SYMTAB}, ELF_SYMTAB, {0, SYMTAB}},
		{{ELF_DYNSYM, ELF_DYNSYM}, ELF_DYNSYM, {DYNSYM, DYNSYM}},
		{{ELF_DYNSYM, ELF_SYMTAB}, ELF_SYMTAB, {0, SYMTAB}},
		{{ELF_MINIDEBUG, ELF_NO_NAMES}, ELF_MINIDEBUG, {0, 0}},
		{{ELF_MINIDEBUG, ELF_SYMTAB}, ELF_SYMTAB, {0, SYMTAB}},
		{{ELF_SYMTAB, ELF_NO_NAMES}, ELF_SYMTAB, {SYMTAB, 0}},
		{{ELF_SYMTAB, ELF_SYMTAB}, ELF_SYMTAB, {SYMTAB, SYMTAB}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (uint64_t addr = 0x1000; addr <= 0x1010; addr += 0x10) {
			struct range_hit hit = {.addr = addr};
			struct elf_names names = {0};
			struct elf_file files[2];

			open_quality(&files[0], cases[i].quality[0]);
			open_quality(&files[1], cases[i].quality[1]);
			ck_assert_int_eq(elf_names_resolve(&names, &files[0], &files[1], &hit, 1),
					 0);
			ck_assert_int_eq(names.quality, cases[i].best);
			ck_assert_int_eq(names.parts[0], addr == 0x1000 ? cases[i].parts[0] : 0);
			ck_assert_int_eq(names.parts[1], addr == 0x1000 ? cases[i].parts[1] : 0);
			elf_names_deinit(&names);
			elf_file_close(&files[0]);
			elf_file_close(&files[1]);
		}
	}
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

SUITE_MAIN_LOOP_WITH("elf_names", begin_in_new_dir, NULL, damaged, 20, own_function,
		     without_a_table, overlapping_functions, another_machine, go_functions,
		     go_tables_that_lie, go_modules, go_names_alone, parts_of_files)
