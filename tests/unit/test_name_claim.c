// SPDX-License-Identifier: GPL-2.0-or-later
/* Each pair of sources of a name. */
#include "report/symbols/name_claim.h"
#include "tests/unit/suite.h"

static const enum elf_quality order[] = {ELF_DYNSYM, ELF_MINIDEBUG, ELF_RECORDED, ELF_SYMTAB,
					 ELF_LINES};

static struct name_claim name_at(uint64_t off, enum elf_quality quality)
{
	return (struct name_claim){.has_name = true, .quality = quality, .off = off};
}

static struct name_claim bounds_at(uint64_t off, enum elf_quality quality)
{
	return (struct name_claim){.has_bounds = true, .quality = quality, .off = off};
}

static void expect_winner(struct name_claim winner, struct name_claim loser)
{
	ck_assert(name_claim_beats(&winner, &loser));
	ck_assert(!name_claim_beats(&loser, &winner));
}

/* Of names that begin at one address, the better source has the name. */
START_TEST(aliases)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t j = 0; j < i; j++)
			expect_winner(name_at(8, order[i]), name_at(8, order[j]));
}
END_TEST

/* Of equal sources the later one has it. */
START_TEST(equal_sources)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		struct name_claim claim = name_at(8, order[i]);

		ck_assert(name_claim_beats(&claim, &claim));
	}
}
END_TEST

/* A function that begins nearer to the address lies inside the other, whatever the sources are. */
START_TEST(nearer_start)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t j = 0; j < ARRAY_SIZE(order); j++) {
			expect_winner(name_at(7, order[i]), name_at(8, order[j]));
			expect_winner(bounds_at(7, order[i]), bounds_at(8, order[j]));
		}
}
END_TEST

START_TEST(names_and_bounds)
{
	const struct name_claim nothing = {0};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		expect_winner(bounds_at(8, order[i]), nothing);
		expect_winner(name_at(8, order[i]), nothing);
		for (size_t j = 0; j < ARRAY_SIZE(order); j++)
			expect_winner(name_at(8, order[i]), bounds_at(7, order[j]));
	}
}
END_TEST

SUITE_MAIN("name_claim", aliases, equal_sources, nearer_start, names_and_bounds)
