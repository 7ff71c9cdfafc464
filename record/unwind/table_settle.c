// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_settle.h"

/* So many tables without users are remembered, as long as there is room. */
#define IDLE_MAX 4096

/* Counts for how many settles each table had no users. Returns how many tables have none. */
static size_t age_tables(struct file_tables *u)
{
	size_t nr_idle = 0;

	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_FORGOTTEN)
			continue;
		if (t->nr_users || t->state == TABLE_ASKED)
			t->nr_idle = 0;
		else
			t->nr_idle++;
		nr_idle += t->nr_idle != 0;
	}
	return nr_idle;
}

/* Forgets the tables that had no users at the last two settles. */
static void forget_idle(struct file_tables *u)
{
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_FORGOTTEN || t->nr_idle < 2)
			continue;
		if (!t->shared)
			table_maps_remove(&u->store, &t->place);
		file_tables_forget(u, i);
	}
}

/* Files whose tables did not fit may be asked for again. */
static void retry_tables(struct file_tables *u)
{
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr; i++) {
		struct file_table *t = &u->tables.data[i];

		if (t->state == TABLE_IMPOSSIBLE && t->lacked_room) {
			t->lacked_room = false;
			file_tables_set_state(u, i, TABLE_NONE);
		}
	}
}

static int index_tables(struct file_tables *u)
{
	int ret = 0;

	index_clear(&u->by_file);
	for (size_t i = NR_OWN_TABLES; i < u->tables.nr && !ret; i++)
		if (u->tables.data[i].state != TABLE_FORGOTTEN)
			ret = index_insert(&u->by_file, file_table_hash(&u->tables.data[i]), i);
	return ret;
}

int table_settle(struct file_tables *u)
{
	size_t nr_idle = age_tables(u), nr_forgotten = u->free_tables.nr;

	if (nr_idle <= IDLE_MAX && !u->lacked_room && !table_maps_are_tight(&u->store))
		return 0;
	forget_idle(u);
	if (u->free_tables.nr == nr_forgotten)
		return 0;
	u->lacked_room = false;
	retry_tables(u);
	return index_tables(u);
}
