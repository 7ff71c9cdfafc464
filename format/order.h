/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which the writer writes an epoch's tables: neighbours that resemble each other
 * compress well. The tables stay as they are; an order is arrays of positions. "old" arrays give
 * the caller's id for a row of the file. "new" arrays give the file's id for a caller's id.
 */
#ifndef FORMAT_ORDER_H
#define FORMAT_ORDER_H

#include <stdint.h>

#include "format/prof.h"

struct order {
	const struct prof_epoch *epoch;
	uint32_t *string_old, *string_new;   /* as first used */
	uint32_t *process_old, *process_new; /* by pid and generation; 0 stays 0 */
	uint32_t *mapping_old;               /* by process and start */
	uint32_t nr_mappings;                /* of all processes */
	uint32_t *info_old;                  /* by process, as processes are written */
	uint32_t *attribute_old;             /* by process, and as they came */
	uint32_t *symbol_old;                /* by object and offset */
	uint32_t *frame_old, *frame_new;     /* by object and offset */
	uint32_t *exact_new;                 /* exact frames, ascending */
	uint32_t *stack_old, *stack_new;     /* by frames from the root; 0 stays 0 */
	uint32_t *root_first;  /* where a stack's (by its old id) frames begin in root_frames */
	uint32_t *root_frames; /* new ids of each stack's frames, the root first */
	uint32_t *count_old;   /* by kernel stack, user stack, process, thread, event */
};

/*
 * Orders @epoch, which epoch_check has found good. Returns 0 or -ENOMEM. Call order_deinit in both
 * cases.
 */
int order_init(struct order *order, const struct prof_epoch *epoch);
void order_deinit(struct order *order);

#endif
