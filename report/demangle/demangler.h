/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles all names of a report, in a child process. A file can hold a name of thirty bytes that
 * keeps libiberty busy for years: it walks a tree that doubles with each byte, or counts to 62^8,
 * and calls nobody meanwhile. The child can be ended at any place. It has a copy of the names, so
 * none has to be sent to it. The demangled names come back through a pipe. Parts of other names
 * that change from run to run go, too (lasting_name.h), unless names are to stay as they are.
 *
 * The limits are of CPU time, not of time: a busy machine demangles the same names.
 */
#ifndef REPORT_DEMANGLE_DEMANGLER_H
#define REPORT_DEMANGLE_DEMANGLER_H

#include <stdint.h>

#include "common/vec.h"
#include "report/demangle/demangle.h"
#include "report/text/string_set.h"

/* The unit of CPU time. */
#define DEMANGLER_TICK_MS 10

/* The most ticks that a name may take. Names of real programs take microseconds. */
#define DEMANGLER_NAME_TICKS 5

/*
 * The names of a report may take DEMANGLER_TICKS, and one more for each DEMANGLER_BYTES_PER_TICK of
 * mangled names. Names of real programs take a twentieth of that, and the bytes alone bound the
 * time of a report.
 */
#define DEMANGLER_TICKS          200
#define DEMANGLER_BYTES_PER_TICK 10000

/* What the names of a report have taken so far. All zero at the start, but for the style. */
struct demangler_account {
	enum demangle_style style;
	uint64_t bytes, ticks;
	VEC(uint64_t) hashes; /* of names that took too long: they are not tried again */
	uint64_t nr_untried;  /* names that were left as they are after all time was taken */
};

void demangler_account_deinit(struct demangler_account *account);

/* The number of names that stayed mangled because time ran out. */
uint64_t demangler_account_nr_left(const struct demangler_account *account);

/*
 * Demangles the strings of @names in the style of @account, and adds to it what they stand for.
 * @new_ids has an element for each string that is there at the call: it gets the id of the
 * demangled name, or the string's own id. Returns 0 or -ENOMEM. A name that stays mangled is no
 * error.
 */
int demangler_run(struct string_set *names, uint32_t *new_ids, struct demangler_account *account);

#endif
