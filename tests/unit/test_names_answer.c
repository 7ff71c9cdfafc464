// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names that a recording carries are those that profrep finds with the file at hand, whatever
 * else the recording asked about.
 */
#include "record/symbols/names_answer.h"

#include <unistd.h>

#include "elf/symtab.h"
#include "record/symbols/known_names.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define TEXT      0x400
#define TEXT_SIZE 0x200
#define NR        (TEXT_SIZE + 0x40) /* some places are behind the section */

/* A part of the file before its text, so that offsets are no addresses. */
#define VADDR 0x10000

static const struct elfw_segment segment = {0, 0x1000, VADDR, 0x1000, PF_R | PF_X};

static struct known_names known;
static char names[NR][16];

/* What the file says of each place, and what is left of that in the recording. */
static struct range_hit own[NR], carried[NR];

static void make_file(const struct elfw_symbol *symbols, size_t nr)
{
	const struct elfw spec = {.text_vaddr = VADDR + TEXT,
				  .text_size = TEXT_SIZE,
				  .symbols = symbols,
				  .nr_symbols = nr,
				  .segments = &segment,
				  .nr_segments = 1};

	elfw_write(&spec, "elf");
	/* Its text is not written, so the file may end before the last place. */
	ck_assert_int_eq(truncate("elf", 0x4000), 0);
}

/* Asks about the places from @first on, each @step'th. */
static void ask(size_t first, size_t step)
{
	int fd = open("elf", O_RDONLY | O_CLOEXEC), memory;
	u64_vec offsets = {0};

	ck_assert_int_ge(fd, 0);
	for (size_t i = first; i < NR; i += step)
		ck_assert_int_eq(vec_push(&offsets, TEXT + i), 0);
	ck_assert_int_eq(names_answer_make(fd, offsets.data, offsets.nr, &memory), 0);
	ck_assert_int_eq(lseek(memory, 0, SEEK_SET), 0);
	ck_assert_int_eq(known_names_add(&known, memory, &offsets), 0);
	close(memory);
	close(fd);
	vec_free(&offsets);
}

/* Resolves all places by the symbols of the answers, as profrep does. */
static void resolve_carried(void)
{
	struct range *ranges = calloc(known.symbols.nr + 1, sizeof(*ranges));

	for (size_t i = 0; i < known.symbols.nr; i++)
		ranges[i] = (struct range){.start = known.symbols.data[i].off,
					   .size = known.symbols.data[i].size,
					   .name = known.bytes.data + known.symbols.data[i].name,
					   .len = known.symbols.data[i].len};
	for (size_t i = 0; i < NR; i++)
		carried[i] = (struct range_hit){.addr = TEXT + i};
	ck_assert_int_eq(ranges_resolve(ranges, known.symbols.nr, carried, NR), 0);
	for (size_t i = 0; i < NR; i++) {
		static struct range copies[NR];

		if (!carried[i].range)
			continue;
		copies[i] = *carried[i].range;
		carried[i].range = &copies[i];
	}
	free(ranges);
}

/* The places of parts that are asked about one after the other have the names that the file has. */
static void compare_names(void)
{
	struct symtab symtab = {0};
	struct elf_file file;

	ck_assert_int_eq(elf_file_open(&file, open("elf", O_RDONLY | O_CLOEXEC), NULL), 0);
	for (size_t i = 0; i < NR; i++)
		own[i] = (struct range_hit){.addr = VADDR + TEXT + i};
	ck_assert_int_eq(symtab_add(&symtab, &file, own, NR), 0);
	ck_assert_int_eq(symtab_resolve(&symtab, own, NR), 0);
	for (size_t step = 7, i = 0; i < step; i++) {
		ask(i, step);
		resolve_carried();
		for (size_t at = 0; at < NR; at++) {
			const struct range *a = own[at].range, *b = carried[at].range;

			/* Nobody asked about the places of the other parts: there may be no name,
			 * or that of what lies around. */
			if (at % step > i) {
				ck_assert_msg(a || !b, "0x%zx: nothing, '%s'", at,
					      b ? b->name : "");
				continue;
			}
			ck_assert_msg(!a == !b && (!a || (a->len == b->len &&
							  !memcmp(a->name, b->name, a->len) &&
							  a->start - VADDR == b->start)),
				      "0x%zx: '%.*s', '%s'", at, a ? (int)a->len : 0,
				      a ? a->name : "", b ? b->name : "");
		}
	}
	for (size_t i = 0; i < NR; i++)
		snprintf(names[i], sizeof(names[i]), "%s",
			 carried[i].range ? carried[i].range->name : "");
	known_names_deinit(&known);
	symtab_deinit(&symtab);
	elf_file_close(&file);
}

/* The name that the file and the recording have. */
static const char *name_at(size_t at)
{
	return names[at];
}

#define AT(off) (VADDR + TEXT + (off))

START_TEST(made_table)
{
	static const struct elfw_symbol symbols[] = {
		{"before", AT(0x00), 0, STB_LOCAL, 0, 0},
		{"outer", AT(0x10), 0x40, STB_GLOBAL, 0, 0},
		{"alias", AT(0x10), 0, STB_GLOBAL, 0, 0},
		{"inner", AT(0x20), 8, STB_LOCAL, 0, 0},
		{"place", AT(0x30), 0, STB_LOCAL, 0, 0},
		{"place", AT(0x38), 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{"overlapping", AT(0x48), 0x10, STB_LOCAL, 0, 0},
		{"frame_dummy", AT(0x60), 0, STB_LOCAL, 0, 0},
		{"variable", AT(0x68), 8, STB_GLOBAL, STT_TLS, 0},
		{"resolver", AT(0x70), 8, STB_GLOBAL, STT_GNU_IFUNC, 0},
		{"label", AT(0x80), 0, STB_LOCAL, ELFW_NOTYPE, 0},
		{"long_label", AT(0x88), 0x20, STB_LOCAL, ELFW_NOTYPE, 0},
		{"resolver2", AT(0x90), 0, STB_GLOBAL, STT_GNU_IFUNC, 0},
		{"far", AT(0xa0), 4, STB_GLOBAL, 0, 0},
		{"last", AT(TEXT_SIZE - 0x10), 0, STB_GLOBAL, 0, 0},
	};

	make_file(symbols, ARRAY_SIZE(symbols));
	compare_names();
	ck_assert_str_eq(name_at(0x0f), "before");
	ck_assert_str_eq(name_at(0x1f), "outer");
	ck_assert_str_eq(name_at(0x27), "inner");
	ck_assert_str_eq(name_at(0x28), "outer");
	ck_assert_str_eq(name_at(0x39), "outer");
	ck_assert_str_eq(name_at(0x4f), "overlapping");
	ck_assert_str_eq(name_at(0x57), "overlapping");
	ck_assert_str_eq(name_at(0x58), ""); /* "alias" and "place" have ended with "outer" */
	ck_assert_str_eq(name_at(0x6f), "frame_dummy");
	ck_assert_str_eq(name_at(0x77), "resolver");
	ck_assert_str_eq(name_at(0x78), ""); /* "frame_dummy" ended at the next function */
	ck_assert_str_eq(name_at(0x87), "label");
	ck_assert_str_eq(name_at(0x8f), "long_label");
	ck_assert_str_eq(name_at(0x9f), "resolver2");
	ck_assert_str_eq(name_at(0xa3), "far");
	ck_assert_str_eq(name_at(0xa4), "");
	ck_assert_str_eq(name_at(TEXT_SIZE - 1), "last");
	ck_assert_str_eq(name_at(TEXT_SIZE), ""); /* behind the section */
}
END_TEST

START_TEST(random_tables)
{
	static const uint8_t types[] = {STT_FUNC, STT_FUNC, STT_GNU_IFUNC, ELFW_NOTYPE, STT_TLS};
	static const uint8_t bindings[] = {STB_LOCAL, STB_GLOBAL, STB_WEAK};
	struct elfw_symbol symbols[16];
	struct random rng = {.state = 7};
	char texts[ARRAY_SIZE(symbols)][8];

	for (int round = 0; round < 200; round++) {
		size_t nr = random_below(&rng, ARRAY_SIZE(symbols));

		for (size_t i = 0; i < nr; i++) {
			snprintf(texts[i], sizeof(texts[i]), "f%zu", i);
			symbols[i] = (struct elfw_symbol){
				.name = texts[i],
				.value = AT(random_below(&rng, NR)),
				.size = random_below(&rng, 3) ? random_below(&rng, 0x60) : 0,
				.bind = bindings[random_below(&rng, ARRAY_SIZE(bindings))],
				.type = types[random_below(&rng, ARRAY_SIZE(types))],
			};
		}
		make_file(symbols, nr);
		compare_names();
	}
}
END_TEST

SUITE_MAIN_WITH("names_answer", begin_in_new_dir, NULL, made_table, random_tables)
