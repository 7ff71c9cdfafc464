// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/elf_pairs.h"

#include "tests/unit/elfwriter.h"
#include "tests/unit/suite.h"

static struct file_budget budget;
static struct debug_roots roots;
static struct elf_pairs pairs;

static void begin(void)
{
	budget = (struct file_budget){.bytes_left = UINT32_MAX};
	roots = (struct debug_roots){
		.symfs_fd = -1, .debug_dir = "/nonexistent", .budget = &budget};
	pairs = (struct elf_pairs){.keeps = true};
	ck_assert_int_eq(debug_roots_open(&roots, enter_new_dir(), NULL), 0);
}

static void end(void)
{
	elf_pairs_deinit(&pairs);
	debug_roots_close(&roots);
}

static void write_elf(const char *path, const char *build_id)
{
	static const struct elfw_symbol symbols[] = {{"f", 0x1000, 16, STB_GLOBAL, STT_FUNC, 0}};

	elfw_write(&(struct elfw){.text_vaddr = 0x1000,
				  .text_size = 0x1000,
				  .symbols = symbols,
				  .nr_symbols = 1,
				  .build_id = build_id},
		   path);
}

/* Uses the symbols of the file at @path. Returns the bytes that this takes from the budget. */
static uint64_t use(const char *path)
{
	const struct debug_wanted wanted = {.path = path};
	uint64_t before = budget.bytes_left;
	struct elf_pair *pair = NULL;
	enum debug_miss miss;

	ck_assert_int_eq(elf_pairs_get(&pairs, &roots, &wanted, &pair, &miss), 0);
	ck_assert_ptr_nonnull(pair);
	ck_assert(pair->has_binary && !pair->has_debug);
	for (size_t i = 1; i < pair->binary.sections.nr; i++)
		elf_file_section_bytes(&pair->binary, i);
	elf_pairs_put(&pairs, pair);
	return before - budget.bytes_left;
}

START_TEST(a_file_is_read_once)
{
	write_elf("a", NULL);
	write_elf("b", NULL);
	ck_assert_uint_gt(use("/a"), 0);
	ck_assert_uint_gt(use("/b"), 0);
	ck_assert_uint_eq(use("/a"), 0);
	ck_assert_uint_eq(use("/b"), 0);
	ck_assert_uint_eq(pairs.kept.nr, 2);
	ck_assert_uint_gt(pairs.bytes, 0);
}
END_TEST

START_TEST(without_keeping)
{
	pairs.keeps = false;
	write_elf("a", NULL);
	ck_assert_uint_gt(use("/a"), 0);
	ck_assert_uint_gt(use("/a"), 0);
	ck_assert_uint_eq(pairs.kept.nr, 0);
}
END_TEST

/* Files of one path, of which one is recorded with a build-id. */
START_TEST(files_are_told_apart)
{
	struct debug_wanted wanted = {.path = "/a", .build_id = {.size = 4, .bytes = "1234"}};
	struct elf_pair *pair = NULL;
	enum debug_miss miss = DEBUG_FOUND;

	write_elf("a", NULL);
	use("/a");
	ck_assert_int_eq(elf_pairs_get(&pairs, &roots, &wanted, &pair, &miss), 0);
	ck_assert_ptr_null(pair);
	ck_assert_int_eq(miss, DEBUG_OTHER_FILE);
	ck_assert_int_eq(unlink("a"), 0);
	write_elf("a", "1234");
	ck_assert_int_eq(elf_pairs_get(&pairs, &roots, &wanted, &pair, &miss), 0);
	ck_assert_ptr_nonnull(pair);
	elf_pairs_put(&pairs, pair);
	ck_assert_uint_eq(pairs.kept.nr, 2);
}
END_TEST

START_TEST(the_last_ones_are_kept)
{
	char path[16];

	for (int i = 0; i <= ELF_PAIRS_KEPT; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		write_elf(path + 1, NULL);
		ck_assert_uint_gt(use(path), 0);
	}
	ck_assert_uint_eq(pairs.kept.nr, ELF_PAIRS_KEPT);
	ck_assert_uint_eq(use("/1"), 0);
	ck_assert_uint_gt(use("/0"), 0);
}
END_TEST

SUITE_MAIN_WITH("elf_pairs", begin, end, a_file_is_read_once, without_keeping, files_are_told_apart,
		the_last_ones_are_kept)
