/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves the program that walks stacks by tables: tells it what processes map, and has the tables
 * made that it asks for. Design: doc/design.md, Unwinding.
 */
#ifndef RECORD_UNWIND_UNWINDER_H
#define RECORD_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "record/process/address_spaces.h"
#include "record/unwind/early_samples.h"
#include "record/unwind/table_maps.h"
#include "record/symbols/vdso.h"

struct unwinder;

/*
 * Starts the child that makes tables, so it is best called before there is much to inherit. Stacks
 * have @max_depth frames at most; tables are kept in the directory @cache (NULL: in none). Returns
 * 0 or a negative errno with @err set.
 */
int unwinder_create(uint32_t max_depth, const char *cache, struct unwinder **unwinder,
		    struct err *err);

/* As file_tables_may_keep. */
bool unwinder_may_keep(const struct unwinder *unwinder, int *reason);

/*
 * Begins to serve the maps with what is known already: the address spaces of the scan, and the
 * vdso. Tables of files that many of the processes map are made at once. @vdso is kept. Returns 0
 * or a negative errno with @err set.
 */
int unwinder_begin(struct unwinder *unwinder, const struct unwind_maps *maps,
		   struct address_spaces *spaces, const struct vdso *vdso, struct err *err);

/* What polls readable when there is work; @nr is their number. Valid after unwinder_begin. */
const int *unwinder_fds(const struct unwinder *unwinder, size_t *nr);

/* Does what there is to do, without waiting. Returns 0 or -ENOMEM. */
int unwinder_work(struct unwinder *unwinder);

/* The side-band: @pid has mapped @file at [start, end); its main thread has ended. Both return 0 or
 * -ENOMEM. */
int unwinder_mapped(struct unwinder *unwinder, uint32_t pid, const struct mapping *mapping,
		    const struct mapped_file *file);
int unwinder_exited(struct unwinder *unwinder, uint32_t pid);

/* After a loss of the side-band's records. Returns 0 or -ENOMEM. */
int unwinder_sweep(struct unwinder *unwinder);

/* After a swap: the early samples of @set, which is at rest, are taken with it. Returns 0 or
 * -ENOMEM. */
int unwinder_take_early(struct unwinder *unwinder, uint32_t set);

/*
 * With address spaces that are known up to the last swap: walks what is left of the early samples
 * that were taken. Returns 0 or -ENOMEM.
 */
int unwinder_walk_early(struct unwinder *unwinder, const struct address_spaces *spaces);

/* All of them; those that were taken are to be counted, and then forgotten. */
struct early_samples *unwinder_early(struct unwinder *unwinder);

/* Do so many samples wait that a drain is due? */
bool unwinder_wants_drain(const struct unwinder *unwinder);

/*
 * Right after a swap, before anything else is replaced: no program looks any more at what was
 * replaced until now, and its room is used again. Returns 0 or -ENOMEM.
 */
int unwinder_settle(struct unwinder *unwinder);

/* NULL is fine. */
void unwinder_destroy(struct unwinder *unwinder);

#endif
