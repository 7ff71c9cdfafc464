/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which capabilities a recording keeps once it samples. Everything that takes them has been opened
 * by then; what is left is listed here, each with the reason.
 */
#ifndef RECORD_CONFINE_H
#define RECORD_CONFINE_H

#include <stdbool.h>

#include "common/err.h"
#include "record/sampler/sampler.h"
#include "record/output/recordings.h"
#include "record/unwind/unwinder.h"

/*
 * Gives up every capability that is not needed for what is to come. Call when sampling has begun
 * and kallsyms has been read. The command, if any, has its own and keeps them; @unwinder may be
 * NULL. Returns 0 or a negative errno with @err set.
 */
int confine_recorder(struct sampler *sampler, struct recordings *recordings, bool has_command,
		     const struct unwinder *unwinder, struct err *err);

#endif
