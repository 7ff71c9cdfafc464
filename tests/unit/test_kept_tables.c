// SPDX-License-Identifier: GPL-2.0-or-later
/* Which tables of files are shared, taken from the cache, and forgotten. */
#include "tests/unit/played_tables.h"

/* Two files have one build-id and, as the child says, the same contents. */
START_TEST(files_that_share_a_table)
{
	uint32_t first = find_copy(1), second = find_copy(2);
	uint64_t bias;

	make(first, ALICE);
	ck_assert_int_eq(request(second, ALICE), TABLE_ASKED);
	ck_assert_uint_eq(child.request.is_known, 1);
	ck_assert_uint_eq(child.request.known[0], 1);
	ck_assert_int_eq(finish(second, -EALREADY), TABLE_READY);
	ck_assert_uint_eq(maps.nr_added, 1);
	ck_assert_uint_eq(table(second)->shared, first);
	ck_assert_uint_eq(table(first)->nr_users, 1);
	ck_assert_uint_eq(pages_of(second, &bias), UNWIND_PAGES(10, 1));
	ck_assert_uint_eq(bias, BASE + 0x1000);
	ck_assert(file_tables_are_same(&tables, first, second));
}
END_TEST

/* They have other contents. */
START_TEST(files_that_lie)
{
	uint32_t first = find_copy(1), second = find_copy(2), third = find_copy(3);
	const struct done done = {.nr = second, .made = made_table(2)};

	make(first, ALICE);
	ck_assert(file_tables_are_same(&tables, first, second));
	request(second, ALICE);
	ck_assert_int_eq(finish_with(&done), 0);
	ck_assert_int_eq(table(second)->state, TABLE_READY);
	ck_assert_uint_eq(table(second)->shared, 0);
	ck_assert(!file_tables_are_same(&tables, first, second));
	ck_assert(file_tables_are_same(&tables, first, third));
	ck_assert(!file_tables_are_same(&tables, first, find_inode(4)));
	ck_assert(!file_tables_are_same(&tables, find_inode(4), find_inode(5)));
	ck_assert(file_tables_are_same(&tables, find_inode(4), find_inode(4)));
}
END_TEST

START_TEST(a_build_id_alone)
{
	const struct mapped_file told = told_file();
	const struct done other = {.nr = NR_OWN_TABLES + 1, .made = made_table(2)};
	uint32_t first = find_copy(1), second = find_copy(2);

	ck_assert_uint_ne(find_of(&told, ALICE), NO_TABLE);
	make(first, ALICE);
	request(second, ALICE);
	ck_assert_uint_eq(find_of(&told, ALICE), first);
	ck_assert_int_eq(finish_with(&other), 0);
	/* Which of two files of users is it? */
	ck_assert_uint_eq(find_of(&told, ALICE), NO_TABLE);
	/* A file of root is believed. */
	tables.tables.data[second].owner = 0;
	ck_assert_uint_eq(find_of(&told, ALICE), second);
	tables.tables.data[first].owner = 0;
	ck_assert_uint_eq(find_of(&told, ALICE), NO_TABLE);
	tables.tables.data[second].owner = ALICE;
	ck_assert_uint_eq(find_of(&told, ALICE), first);
	ck_assert_uint_eq(find(&told), first);
}
END_TEST

/* A ready table comes before one that is not. */
START_TEST(a_build_id_and_a_ready_table)
{
	const struct mapped_file told = told_file();
	uint32_t first = find_copy(1), second = find_copy(2);

	tables.tables.data[first].owner = tables.tables.data[second].owner = ALICE;
	make(second, ALICE);
	ck_assert_uint_eq(find_of(&told, ALICE), second);
	tables.tables.data[second].state = TABLE_NONE;
	tables.tables.data[first].state = TABLE_READY;
	ck_assert_uint_eq(find_of(&told, ALICE), first);
}
END_TEST

START_TEST(a_table_of_the_cache)
{
	uint32_t nr = find_copy(1);

	begin_with_cache();
	cache.hash = 7;
	request(nr, ALICE);
	ck_assert_uint_eq(child.request.is_known, 1);
	ck_assert_uint_eq(child.request.known[0], 7);
	ck_assert_int_eq(finish(nr, -EALREADY), TABLE_READY);
	ck_assert_uint_eq(maps.nr_added, 1);
	ck_assert_uint_eq(table(nr)->hash[0], 7);
	ck_assert_uint_eq(cache.nr_put, 0);
}
END_TEST

/* Somebody has replaced or removed the table since its hash was read. */
START_TEST(a_cache_that_changes)
{
	static const struct {
		int error;
		uint8_t hash;
	} cases[] = {{0, 8}, {-ENOENT, 7}, {-EBADMSG, 7}};

	begin_with_cache();
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t nr = find_copy(i + 1);

		cache.error = 0;
		cache.hash = 7;
		request(nr, ALICE);
		cache.error = cases[i].error;
		cache.hash = cases[i].hash;
		ck_assert_int_eq(finish(nr, -EALREADY), TABLE_NONE);
		ck_assert_uint_eq(table(nr)->attempts, 1);
		cache.error = 0;
		request(nr, ALICE);
		ck_assert_uint_eq(child.request.is_known, 0);
		ck_assert_int_eq(finish(nr, -ENODATA), TABLE_IMPOSSIBLE);
	}
	ck_assert_uint_eq(maps.nr_added, 0);
	cache.error = -ENOENT;
	request(find_copy(10), ALICE);
	ck_assert_uint_eq(child.request.is_known, 0);
	finish(find_copy(10), 0);
	ck_assert_uint_eq(cache.nr_put, 1);
}
END_TEST

START_TEST(a_cache_without_memory)
{
	const struct done done = {.nr = find_copy(1), .status = -EALREADY};

	begin_with_cache();
	request(done.nr, ALICE);
	cache.error = -ENOMEM;
	ck_assert_int_eq(finish_with(&done), -ENOMEM);
}
END_TEST

/* The file whose rows it was to share has been forgotten, and there is no cache. */
START_TEST(a_table_that_has_gone)
{
	uint32_t nr = find_copy(1);

	request(nr, ALICE);
	ck_assert_int_eq(finish(nr, -EALREADY), TABLE_NONE);
	ck_assert_uint_eq(table(nr)->attempts, 1);
}
END_TEST

static int finish_large(uint32_t nr, uint32_t nr_rows, uint32_t nr_pages, uint32_t nr_rules)
{
	struct done done = {.nr = nr, .made = made_table(1)};

	done.made.nr_rows = nr_rows;
	done.made.nr_pages = nr_pages;
	done.made.nr_rules = nr_rules;
	return finish_with(&done);
}

static uint64_t held(uint32_t owner)
{
	return shares_held(&tables.rows, owner) + shares_held(&tables.pages, owner) +
	       shares_held(&tables.rules, owner);
}

/* Users other than root may have a quarter of the maps. */
START_TEST(room_of_a_user)
{
	static const struct {
		uint32_t nr_rows, nr_pages, nr_rules;
	} cases[] = {
		{ROWS_MAX_USER + 1, 1, 1},
		{1, UNWIND_MAX_PAGES / 4 + 1, 1},
		{1, 1, UNWIND_MAX_RULES / 4 + 1},
	};

	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t nr = find_inode(i + 1);

		request(nr, ALICE);
		ck_assert_int_eq(
			finish_large(nr, cases[i].nr_rows, cases[i].nr_pages, cases[i].nr_rules),
			0);
		ck_assert_int_eq(table(nr)->state, TABLE_IMPOSSIBLE);
		ck_assert(table(nr)->lacked_room);
		ck_assert_uint_eq(held(ALICE), 0);
		ck_assert_uint_eq(nr_unserved(ALICE), i + 1);
		request(find_inode(10 + i), 0);
		ck_assert_int_eq(finish_large(find_inode(10 + i), cases[i].nr_rows,
					      cases[i].nr_pages, cases[i].nr_rules),
				 0);
		ck_assert_int_eq(table(find_inode(10 + i))->state, TABLE_READY);
	}
	request(find_inode(20), ALICE);
	ck_assert_int_eq(finish_large(find_inode(20), ROWS_MAX_USER, UNWIND_MAX_PAGES / 4,
				      UNWIND_MAX_RULES / 4),
			 0);
	ck_assert_int_eq(table(find_inode(20))->state, TABLE_READY);
}
END_TEST

START_TEST(full_maps)
{
	uint32_t nr = find_inode(1);

	request(nr, ALICE);
	maps.error = -ENOSPC;
	ck_assert_int_eq(finish(nr, 0), TABLE_IMPOSSIBLE);
	ck_assert(table(nr)->lacked_room);
	ck_assert(tables.lacked_room);
	ck_assert_uint_eq(held(ALICE), 0);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	/* It is too large for any map. */
	nr = find_inode(2);
	request(nr, ALICE);
	maps.error = -EFBIG;
	ck_assert_int_eq(finish(nr, 0), TABLE_IMPOSSIBLE);
	ck_assert(!table(nr)->lacked_room);
	ck_assert_uint_eq(held(ALICE), 0);
	ck_assert_uint_eq(nr_unserved(ALICE), 1);
	nr = find_inode(3);
	request(nr, ALICE);
	maps.error = -ENOMEM;
	ck_assert_int_eq(finish_large(nr, 1, 1, 1), -ENOMEM);
}
END_TEST

static void settle(void)
{
	ck_assert_int_eq(file_tables_settle(&tables), 0);
}

/* When the maps are tight, tables that two settles find unused go, first from the programs. */
START_TEST(idle_tables_are_forgotten)
{
	uint32_t nr = find_inode(1), used = find_inode(2), asked = find_inode(3);
	uint32_t lacking = find_inode(4);

	maps.are_tight = true;
	make(used, ALICE);
	file_tables_use(&tables, used);
	make(nr, ALICE);
	request(lacking, ALICE);
	maps.error = -ENOSPC;
	finish(lacking, 0);
	file_tables_use(&tables, lacking);
	maps.error = 0;
	request(asked, ALICE);
	settle();
	ck_assert_uint_eq(maps.nr_untold, 0);
	settle();
	ck_assert_uint_eq(maps.nr_untold, 1);
	ck_assert_uint_eq(maps.key.ino, 100 + nr);
	ck_assert_uint_eq(maps.key.dev, file_identity_kernel_dev(DEVICE));
	ck_assert_uint_eq(maps.nr_removed, 0);
	ck_assert_int_eq(table(nr)->state, TABLE_READY);
	ck_assert(table(lacking)->lacked_room);
	settle();
	ck_assert_uint_eq(maps.nr_removed, 1);
	ck_assert_int_eq(table(nr)->state, TABLE_FORGOTTEN);
	ck_assert_int_eq(table(used)->state, TABLE_READY);
	ck_assert_int_eq(table(asked)->state, TABLE_ASKED);
	/* There is room now. */
	ck_assert_int_eq(table(lacking)->state, TABLE_NONE);
	ck_assert(!tables.lacked_room);
	ck_assert_uint_eq(find_inode(2), used);
	ck_assert_uint_eq(find_inode(9), nr);
	ck_assert_int_eq(table(nr)->state, TABLE_NONE);
	ck_assert_uint_eq(find_inode(1), 4 + NR_OWN_TABLES);
	file_tables_unuse(&tables, used);
	settle();
	settle();
	ck_assert_uint_eq(maps.nr_untold, 2);
	ck_assert_uint_eq(maps.key.ino, 100 + used);
}
END_TEST

START_TEST(a_shared_table_is_used)
{
	uint32_t first = find_copy(1), second = find_copy(2);

	maps.are_tight = true;
	make(first, ALICE);
	request(second, ALICE);
	finish(second, -EALREADY);
	for (int i = 0; i < 3; i++)
		settle();
	ck_assert_int_eq(table(first)->state, TABLE_READY);
	ck_assert_int_eq(table(second)->state, TABLE_FORGOTTEN);
	ck_assert_uint_eq(table(first)->nr_users, 0);
	/* Its rows are those of the first one. */
	ck_assert_uint_eq(maps.nr_removed, 0);
}
END_TEST

START_TEST(tables_are_remembered_while_there_is_room)
{
	for (uint32_t i = 0; i < IDLE_MAX; i++)
		find_inode(i + 1);
	for (int i = 0; i < 4; i++)
		settle();
	ck_assert_int_eq(table(NR_OWN_TABLES)->state, TABLE_NONE);
	file_tables_use(&tables, find_inode(IDLE_MAX + 1));
	settle();
	ck_assert_int_eq(table(NR_OWN_TABLES)->state, TABLE_NONE);
	find_inode(IDLE_MAX + 2);
	settle();
	ck_assert_int_eq(table(NR_OWN_TABLES)->state, TABLE_FORGOTTEN);
	ck_assert_int_eq(table(find_inode(IDLE_MAX + 1))->state, TABLE_NONE);
	ck_assert_int_eq(table(find_inode(IDLE_MAX + 2))->state, TABLE_NONE);
	ck_assert_uint_eq(table(find_inode(IDLE_MAX + 2))->nr_idle, 1);
}
END_TEST

START_TEST(regular_expressions)
{
	struct done done = {.nr = find_inode(1), .made = made_table(1), .has_regex = true};

	request(done.nr, 0);
	ck_assert_int_eq(finish_with(&done), 0);
	ck_assert(!table(done.nr)->has_regex);
	tables.interpreters.languages = 1;
	done.nr = find_inode(2);
	request(done.nr, 0);
	ck_assert_int_eq(finish_with(&done), 0);
	ck_assert(table(done.nr)->has_regex);
}
END_TEST

SUITE_MAIN_WITH("kept_tables", begin, end, files_that_share_a_table, files_that_lie,
		a_build_id_alone, a_build_id_and_a_ready_table, a_table_of_the_cache,
		a_cache_that_changes, a_cache_without_memory, a_table_that_has_gone, room_of_a_user,
		full_maps, idle_tables_are_forgotten, a_shared_table_is_used,
		tables_are_remembered_while_there_is_room, regular_expressions)
