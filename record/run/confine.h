/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives up capabilities before the recorder reads data of other processes. By then it has opened
 * everything that takes capabilities. confine.c lists the few that it keeps, with the reasons.
 */
#ifndef RECORD_RUN_CONFINE_H
#define RECORD_RUN_CONFINE_H

#include "common/err.h"
#include "record/output/recordings.h"
#include "record/sampling/bpf/sampler.h"
#include "record/unwind/unwinder.h"

/*
 * Gives up every capability that the recorder does not need any more. Call it when sampling has
 * begun and kallsyms is open. The command, if there is one, was forked before and keeps its
 * capabilities. @unwinder may be NULL. Returns 0 or a negative errno with @err set.
 */
int confine_recorder(struct sampler *sampler, struct recordings *recordings,
		     const struct unwinder *unwinder, struct err *err);

#endif
