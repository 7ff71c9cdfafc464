// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of a package of split units: honest, cut and absurd. */
#include "report/dwarf/split_package.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"

#define FIRST_ID  UINT64_C(0x1000000020000001)
#define SECOND_ID UINT64_C(0x1000000020000003) /* wants the slot of the first */

/* Two units in the columns .debug_info and .debug_abbrev, and a column that nobody needs. */
struct index {
	uint32_t version, nr_columns, nr_rows, nr_slots;
	uint64_t signatures[2];
	uint32_t slots[2], columns[3], offsets[2][3], sizes[2][3];
};

static const struct index honest = {
	.version = 5,
	.nr_columns = 3,
	.nr_rows = 2,
	.nr_slots = 2,
	.signatures = {SECOND_ID, FIRST_ID},
	.slots = {2, 1},
	.columns = {1, 3, 7},
	.offsets = {{0, 0, 0}, {8, 4, 9999}},
	.sizes = {{8, 4, 0}, {16, 4, 9999}},
};

static uint8_t info[24], abbrev[8];

static struct dwarf_file package_of(const void *index, size_t size)
{
	struct dwarf_file package = {0};

	package.sections[DWARF_INFO] = (struct dwarf_bytes){info, sizeof(info)};
	package.sections[DWARF_ABBREV] = (struct dwarf_bytes){abbrev, sizeof(abbrev)};
	package.sections[DWARF_CU_INDEX] = (struct dwarf_bytes){index, size};
	return package;
}

/* Returns true if the unit with @id is in the package of @index, with its parts in *@unit. */
static bool find_in(const struct index *index, uint64_t id, struct dwarf_file *unit)
{
	struct dwarf_file package = package_of(index, sizeof(*index));

	*unit = (struct dwarf_file){0};
	return split_package_find(&package, id, unit);
}

START_TEST(parts_of_units)
{
	struct dwarf_file unit;

	ck_assert(find_in(&honest, FIRST_ID, &unit));
	ck_assert_ptr_eq(unit.sections[DWARF_INFO].data, info);
	ck_assert_uint_eq(unit.sections[DWARF_INFO].size, 8);
	ck_assert(find_in(&honest, SECOND_ID, &unit));
	ck_assert_ptr_eq(unit.sections[DWARF_INFO].data, info + 8);
	ck_assert_uint_eq(unit.sections[DWARF_INFO].size, 16);
	ck_assert_ptr_eq(unit.sections[DWARF_ABBREV].data, abbrev + 4);
	/* All slots are taken, and none is of this unit. */
	ck_assert(!find_in(&honest, FIRST_ID + 4, &unit));
}
END_TEST

START_TEST(absurd_numbers)
{
	struct index index = honest;
	struct dwarf_file unit;

	index.sizes[1][0] = UINT32_MAX;
	ck_assert(!find_in(&index, SECOND_ID, &unit));
	index = honest;
	index.offsets[1][0] = UINT32_MAX;
	ck_assert(!find_in(&index, SECOND_ID, &unit));
	index = honest;
	index.slots[1] = 3;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
	index = honest;
	index.nr_slots = 3;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
	index.nr_slots = 0;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
	index.nr_slots = UINT32_C(1) << 31;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
	index = honest;
	index.nr_rows = index.nr_columns = UINT32_MAX;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
	index = honest;
	index.version = 3;
	ck_assert(!find_in(&index, FIRST_ID, &unit));
}
END_TEST

START_TEST(cut_anywhere)
{
	/* The compiler's padding follows. */
	size_t whole = offsetof(struct index, sizes) + sizeof(honest.sizes);

	for (size_t size = 0; size < whole; size++) {
		uint8_t *copy = malloc(size + !size);
		struct dwarf_file package = package_of(copy, size), unit = {0};

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, &honest, size);
		ck_assert(!split_package_find(&package, FIRST_ID, &unit));
		free(copy);
	}
}
END_TEST

SUITE_MAIN("split_package", parts_of_units, absurd_numbers, cut_anywhere)
