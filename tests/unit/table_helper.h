/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An unwind table of real code, and the comparison of two tables. */
#ifndef TESTS_TABLE_HELPER_H
#define TESTS_TABLE_HELPER_H

#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/cfi/unwind_table.h"

static inline void build_table(const char *path, struct unwind_table *table)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(unwind_table_build(fd, table), 0);
	close(fd);
}

/* The table of the program that runs. */
static inline void build_own_table(struct unwind_table *table)
{
	build_table("/proc/self/exe", table);
}

static inline void expect_same_table(const struct unwind_table *a, const struct unwind_table *b)
{
	ck_assert_mem_eq(a->hash, b->hash, sizeof(a->hash));
	ck_assert_uint_eq(a->first_off, b->first_off);
	ck_assert_uint_eq(a->nr_pages, b->nr_pages);
	ck_assert_uint_eq(a->nr_rows, b->nr_rows);
	ck_assert_uint_eq(a->nr_rules, b->nr_rules);
	ck_assert_mem_eq(a->pages, b->pages, b->nr_pages * sizeof(*b->pages));
	ck_assert_mem_eq(a->rows, b->rows, b->nr_rows * sizeof(*b->rows));
	ck_assert_mem_eq(a->rules, b->rules, b->nr_rules * sizeof(*b->rules));
}

#endif
