/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of the sources of names: name_claim_beats is the only place that has it. Each source
 * claims what function is at an address. Its quality is that of the best symbol table that the
 * source read (enum elf_quality).
 */
#ifndef REPORT_SYMBOLS_NAME_CLAIM_H
#define REPORT_SYMBOLS_NAME_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elffile.h"

/* All zero: nothing is claimed. */
struct name_claim {
	bool has_name;
	bool has_bounds; /* there is no name, but the function's start is known */
	uint8_t quality; /* enum elf_quality */
	uint64_t off;    /* from the start of the function, if there is a name or bounds */
};

/*
 * Returns true if @claim says more than @have, which came first. A name says more than bounds, and
 * bounds more than nothing. Of two names the nearer start wins, since functions lie inside others.
 * Of one start, the better quality wins, and of equal quality @claim: the names of a start are
 * aliases, and a table that lacks some makes another choice.
 */
bool name_claim_beats(const struct name_claim *claim, const struct name_claim *have);

#endif
