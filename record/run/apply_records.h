/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies the side-band's records to everything in the recorder that follows processes: address
 * spaces, the unwinder, the names of JIT code. Symbols of BPF programs go to the kernel's symbols.
 */
#ifndef RECORD_RUN_APPLY_RECORDS_H
#define RECORD_RUN_APPLY_RECORDS_H

#include "record/process/address_spaces.h"
#include "record/looks/look_budget.h"
#include "record/process/new_processes.h"
#include "record/process/short_lives.h"
#include "record/process/sideband.h"
#include "record/symbols/file_names.h"
#include "record/symbols/jit.h"
#include "record/symbols/ksyms.h"
#include "record/unwind/unwinder.h"

/* The receivers of the records; all are borrowed. */
struct record_targets {
	struct address_spaces *spaces;
	struct new_processes *new_processes;
	struct jit *jit;
	struct unwinder *unwinder; /* NULL: stacks are walked along frame pointers */
	/* Gets the files of new mappings. NULL: nobody wants them, or the unwinder sees to it. */
	struct file_names *names;
	struct ksyms *ksyms;             /* NULL: no stacks of the kernel are taken */
	const struct short_lives *lives; /* processes that nobody will ask for; NULL: none */
	struct look_budget *looks;       /* looks are charged to it; NULL: to nobody */
};

/*
 * Applies one record to the struct record_targets at @ctx. A sideband_fn. The caller hands records
 * in the order of their times. Returns 0, -ENOMEM, or another negative errno.
 */
int apply_record(void *ctx, const struct sideband_record *record);

#endif
