/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads recordings in batches and hands them to a merger. Two threads read batches side by side,
 * because most of the work on a batch is to enter it into a model, which one thread does at a time.
 * The merger gets the batches in order, so that a merged recording never depends on chance.
 */
#ifndef REPORT_WRITE_BATCHES_H
#define REPORT_WRITE_BATCHES_H

#include "report/write/merger.h"

/*
 * Merges the @nr recordings @names. Calls @done for each batch after it is written, one at a time
 * and in order. Returns 0 or a negative errno with @err set.
 */
int batches_merge(struct merger *merger, const char *const *names, size_t nr,
		  void (*done)(void *ctx, const struct recording *batch), void *ctx,
		  struct err *err);

#endif
