/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ids of tables: XXH3 of 64 bits (xxHash), without a secret seed, of the facts that make a
 * thing what it is. So every host, every run and every version gives a thing one id. Somebody can
 * make two things of one id on purpose: whoever loads the tables compares the facts.
 */
#ifndef REPORT_TABLES_TABLE_IDS_H
#define REPORT_TABLES_TABLE_IDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The id of @len bytes, with 0 or with the id of other facts in @basis, which makes one id of both.
 * Never 0.
 */
uint64_t table_id(const void *data, size_t len, uint64_t basis);

/* The id of a number, with @basis like table_id. */
uint64_t table_id_u64(uint64_t value, uint64_t basis);

/* The id of a string with its end, so that "a", "bc" is not "ab", "c". */
uint64_t table_id_str(const char *s, uint64_t basis);

#endif
