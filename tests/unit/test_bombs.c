// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small recordings and files that somebody made to use up all memory or all time of their reader.
 * Each is read within a budget. Steps that would take minutes exceed the time-out of the suite.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "report/model/recording.h"
#include "report/files/debugfiles.h"
#include "elf/symtab.h"
#include "report/view/labels.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

#define NR_ELEMENTS (1u << 20)
#define MIB         (1u << 20)

/* Writes a recording to the file "prof". @make fills its @nr epochs. Returns its size. */
static uint64_t write_recording(unsigned int nr, void (*make)(struct world *, unsigned int))
{
	struct memory m = {0};
	struct prof_writer *writer = begin_recording(&m);
	FILE *f = fopen("prof", "w");

	ck_assert_ptr_nonnull(f);
	for (unsigned int i = 0; i < nr; i++) {
		struct world w;

		world_init(&w);
		make(&w, i);
		write_epoch(writer, &w);
		world_deinit(&w);
	}
	end_recording(writer);
	ck_assert_uint_eq(fwrite(m.data, 1, m.nr, f), m.nr);
	ck_assert_int_eq(fclose(f), 0);
	nr = m.nr;
	free(m.data);
	return nr;
}

static void load(struct recording *rec)
{
	const struct timespan all = {0};

	ck_assert_int_eq(recording_load(rec, "prof", &all, NULL), 0);
}

static void make_equal_symbols(struct world *w, unsigned int epoch)
{
	uint32_t name = world_string(w, "name");
	uint32_t object = WORLD_PUSH(w, objects, {.kind = PROF_OBJECT_FILE, .path = name});

	(void)epoch;
	for (uint32_t i = 0; i < NR_ELEMENTS; i++)
		WORLD_PUSH(w, symbols, {object, name, i, 1});
}

START_TEST(symbols_that_repeat)
{
	struct recording rec;

	write_recording(3, make_equal_symbols);
	load(&rec);
	ck_assert_uint_eq(rec.model.symbols.nr, NR_ELEMENTS);
	ck_assert_ptr_nonnull(rec.end);
	recording_deinit(&rec);
}
END_TEST

static void make_new_frames(struct world *w, unsigned int epoch)
{
	uint32_t object =
		WORLD_PUSH(w, objects, {.kind = PROF_OBJECT_FILE, .path = world_string(w, "f")});

	for (uint32_t i = 0; i < NR_ELEMENTS - 1; i++)
		WORLD_PUSH(w, frames, {object, (uint64_t)epoch * NR_ELEMENTS + i});
}

START_TEST(frames_without_end)
{
	struct recording rec;

	ck_assert_uint_lt(write_recording(16, make_new_frames), MIB);
	load(&rec);
	ck_assert_ptr_null(rec.end);
	ck_assert_str_eq(rec.defect,
			 "it takes far more memory than a recording of its size should");
	ck_assert_uint_gt(rec.model.frames.nr, 0);
	ck_assert_uint_lt(model_bytes(&rec.model), 256 * MIB);
	recording_deinit(&rec);
}
END_TEST

/* Many frames in an object with a long name. */
static void make_long_module(struct world *w, unsigned int epoch)
{
	static char path[PROF_MAX_STRING_BYTES];
	uint32_t object;

	(void)epoch;
	memset(path, 'm', sizeof(path));
	object = WORLD_PUSH(w, objects,
			    {.kind = PROF_OBJECT_FILE, .path = world_bytes(w, path, sizeof(path))});
	for (uint32_t i = 0; i < 4000; i++)
		WORLD_PUSH(w, frames, {object, i});
}

START_TEST(module_of_many_frames)
{
	const struct debug_roots roots = {.symfs_fd = -1};
	struct elf_pairs pairs = {0};
	const struct symbol_files files = {.roots = &roots, .pairs = &pairs};
	const struct view view = {.modules = true, .offsets = true};
	struct textbuf out = {.fd = -1};
	struct demangler_account account = {0};
	struct recording rec;
	struct symbols symbols;
	struct labels labels;

	write_recording(1, make_long_module);
	load(&rec);
	ck_assert_int_eq(symbols_resolve(&symbols, &rec.model, &files, &account), 0);
	ck_assert_int_eq(labels_init(&labels, &rec.model, &symbols, &view), 0);
	for (uint32_t i = 0; i < rec.model.frames.nr; i++) {
		out.nr = 0;
		labels_part(&labels, &out, i, FRAME_LEAF, 0);
		ck_assert_uint_eq(out.nr, strlen("[unknown] []") + PROF_MAX_STRING_BYTES);
	}
	ck_assert_uint_lt(labels.arena.total, MIB);
	labels_deinit(&labels);
	symbols_deinit(&symbols);
	recording_deinit(&rec);
	textbuf_deinit(&out);
}
END_TEST

#define NR_COLLISIONS 400000

/* Strings that XXH3 without a seed hashes alike: the first half is multiplied by 0. */
static void make_equal_hashes(struct world *w, unsigned int epoch)
{
	(void)epoch;
	for (uint32_t i = 0; i < NR_COLLISIONS; i++) {
		char s[40];

		snprintf(s, sizeof(s), "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe%08x0123456789abcdef", i);
		world_string(w, s);
	}
}

START_TEST(strings_that_collide)
{
	struct recording rec;

	write_recording(1, make_equal_hashes);
	hash_seed_set(1);
	load(&rec);
	ck_assert_uint_ge(rec.model.strings.items.nr, NR_COLLISIONS);
	recording_deinit(&rec);
}
END_TEST

#define NR_TABLES   500
#define TABLE_BYTES (64u << 10)

/*
 * The ELF file "elf". It has @nr sections like @section, over the zeros that follow the header of
 * the file. One more section, for all names, holds @names_bytes of the letter x.
 */
static void write_sections(unsigned int nr, Elf64_Shdr section, size_t names_bytes)
{
	Elf64_Ehdr header = elfw_header();
	const Elf64_Shdr none = {0}, names = {.sh_type = SHT_STRTAB,
					      .sh_offset = sizeof(header) + TABLE_BYTES,
					      .sh_size = names_bytes};
	_cleanup_free_ char *bytes = calloc(1, TABLE_BYTES + names_bytes);
	FILE *f = fopen("elf", "w");

	ck_assert_ptr_nonnull(f);
	header.e_shoff = sizeof(header) + TABLE_BYTES + names_bytes;
	header.e_shnum = nr + 2;
	header.e_shstrndx = 1;
	memset(bytes + TABLE_BYTES, 'x', names_bytes);
	section.sh_offset = sizeof(header);
	fwrite(&header, sizeof(header), 1, f);
	fwrite(bytes, 1, TABLE_BYTES + names_bytes, f);
	fwrite(&none, sizeof(none), 1, f);
	fwrite(&names, sizeof(names), 1, f);
	for (unsigned int i = 0; i < nr; i++)
		fwrite(&section, sizeof(section), 1, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* The bytes that reading the symbols of the file takes from a budget. */
static uint64_t bytes_of_symbols(void)
{
	struct file_budget budget = {.bytes_left = UINT32_MAX};
	struct range_hit hit = {.addr = 1};
	struct symtab symtab = {0};
	struct elf_file file;

	ck_assert_int_eq(elf_file_open(&file, open("elf", O_RDONLY | O_CLOEXEC), &budget), 0);
	ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
	ck_assert(!budget.is_spent);
	symtab_deinit(&symtab);
	elf_file_close(&file);
	return UINT32_MAX - budget.bytes_left;
}

START_TEST(tables_over_the_same_bytes)
{
	const Elf64_Shdr section = {
		.sh_type = SHT_SYMTAB, .sh_size = TABLE_BYTES, .sh_link = 1, .sh_entsize = 24};
	struct stat st;

	write_sections(NR_TABLES, section, 64);
	ck_assert_int_eq(stat("elf", &st), 0);
	ck_assert_uint_le(bytes_of_symbols(), st.st_size);
	ck_assert_uint_ge(bytes_of_symbols(), TABLE_BYTES);
}
END_TEST

START_TEST(names_without_an_end)
{
	const Elf64_Shdr section = {.sh_type = SHT_PROGBITS, .sh_size = 16};
	struct elf_debuglink link;
	struct elf_file file;

	write_sections(60000, section, 64 * MIB);
	ck_assert_int_eq(elf_file_open(&file, open("elf", O_RDONLY | O_CLOEXEC), NULL), 0);
	ck_assert(!elf_file_debuglink(&file, &link));
	elf_file_close(&file);
}
END_TEST

/* A file without a build-id, whose debug link leads to a file of a terabyte that is all hole. */
START_TEST(debug_link_to_a_hole)
{
	const struct debug_wanted wanted = {.path = "/app"};
	struct file_budget budget = {.bytes_left = UINT64_MAX};
	struct debug_roots roots = {.symfs_fd = -1, .debug_dir = "/nonexistent", .budget = &budget};
	struct debug_files files;
	enum debug_miss miss;

	elfw_write(&(struct elfw){.debuglink = "app.debug", .debuglink_crc = 1}, "app");
	elfw_write(&(struct elfw){0}, "app.debug");
	ck_assert_int_eq(truncate("app.debug", (off_t)1 << 40), 0);
	ck_assert_int_eq(debug_roots_open(&roots, ".", NULL), 0);
	ck_assert_int_eq(debug_files_find(&roots, &wanted, &files, &miss), 0);
	ck_assert_int_ge(files.binary_fd, 0);
	ck_assert_int_lt(files.debug_fd, 0);
	debug_files_close(&files);
	debug_roots_close(&roots);
}
END_TEST

START_TEST(budget_of_all_files)
{
	struct file_budget budget = {.bytes_left = TABLE_BYTES / 2};
	const Elf64_Shdr section = {
		.sh_type = SHT_SYMTAB, .sh_size = TABLE_BYTES, .sh_link = 1, .sh_entsize = 24};
	struct range_hit hit = {.addr = 1};
	struct symtab symtab = {0};
	struct elf_file file;

	write_sections(1, section, 64);
	ck_assert_int_eq(elf_file_open(&file, open("elf", O_RDONLY | O_CLOEXEC), &budget), 0);
	ck_assert_int_eq(symtab_add(&symtab, &file, &hit, 1), 0);
	ck_assert(budget.is_spent);
	ck_assert_uint_eq(symtab.nr_symbols, 0);
	symtab_deinit(&symtab);
	elf_file_close(&file);
}
END_TEST

SUITE_MAIN_WITH("bombs", begin_in_new_dir, NULL, symbols_that_repeat, frames_without_end,
		module_of_many_frames, tables_over_the_same_bytes, names_without_an_end,
		debug_link_to_a_hole, budget_of_all_files, strings_that_collide)
