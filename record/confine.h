/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which capabilities the recorder keeps while it samples. It has opened everything that takes
 * capabilities by then; confine.c lists the few it still needs, and gives the reasons.
 */
#ifndef RECORD_CONFINE_H
#define RECORD_CONFINE_H

#include <stdbool.h>

#include "common/err.h"
#include "record/output/recordings.h"
#include "record/sampler/sampler.h"
#include "record/unwind/unwinder.h"

/*
 * Gives up every capability that the recorder does not need any more. Call it when sampling has
 * begun and kallsyms is open. The command, if there is one, was forked before and keeps its
 * capabilities. @unwinder may be NULL. Returns 0 or a negative errno with @err set.
 */
int confine_recorder(struct sampler *sampler, struct recordings *recordings, bool has_command,
		     const struct unwinder *unwinder, struct err *err);

#endif
