/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds the work on the debug information of one file. Hostile tables can make a reader pass the
 * same bytes again and again: units that share an abbreviation table, entries that share a list of
 * ranges. Each pass is charged before it begins. So the work grows with the size of the file and
 * the number of addresses, whatever the file says.
 */
#ifndef REPORT_DWARF_DWARF_WORK_H
#define REPORT_DWARF_DWARF_WORK_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What all threads together may still do. A unit is about a byte or a step. */
struct dwarf_meter {
	_Atomic uint64_t left;
};

/* The part of one thread. An error sticks: -ENOMEM, or -E2BIG when the work is too much. */
struct dwarf_work {
	struct dwarf_meter *meter;
	uint64_t left;
	int error;
};

/* How much a thread takes from the meter at once. */
#define DWARF_WORK_SLICE (UINT64_C(1) << 16)

/* Charges @amount. Returns false if it must not be done; @work then has an error. */
static inline bool dwarf_work_charge(struct dwarf_work *work, uint64_t amount)
{
	uint64_t want, have;

	if (work->error)
		return false;
	if (amount <= work->left) {
		work->left -= amount;
		return true;
	}
	want = amount + DWARF_WORK_SLICE;
	have = atomic_load(&work->meter->left);
	do {
		if (want < amount || have < want) {
			work->error = -E2BIG;
			return false;
		}
	} while (!atomic_compare_exchange_weak(&work->meter->left, &have, have - want));
	work->left += want - amount;
	return true;
}

/* Notes that memory ran out. Returns false. */
static inline bool dwarf_work_no_memory(struct dwarf_work *work)
{
	work->error = -ENOMEM;
	return false;
}

#endif
