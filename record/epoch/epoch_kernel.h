/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an epoch that belongs to the kernel: the image, modules and BPF programs as objects,
 * the symbols that cover frames, and stacks. A kernel address has one meaning in all processes, and
 * stacks repeat. So each address and each stack is translated once in an epoch.
 */
#ifndef RECORD_EPOCH_EPOCH_KERNEL_H
#define RECORD_EPOCH_EPOCH_KERNEL_H

#include <stdint.h>

#include "common/index.h"
#include "common/parse.h"
#include "record/epoch/epoch_tables.h"
#include "record/epoch/raw_stack.h"
#include "record/symbols/ksyms.h"

/*
 * The epoch's ids of translated frames, by address, and of translated stacks, by the program's id.
 */
struct translation {
	uint64_t key;
	uint32_t id;
};

struct translations {
	VEC(struct translation) all;
	struct index by_key;
};

/* All zero but the pointers: empty. */
struct epoch_kernel {
	struct ksyms *ksyms;
	struct epoch_tables *tables;
	struct translations frames, stacks;
	uint32_t nr_changes; /* of ksyms, when they were translated */
	u32_vec scratch;     /* frames of the stack at hand */
};

/*
 * Adds a stack of samples that were taken at @time_ns or later, with its objects and symbols.
 * Returns 0 or -ENOMEM.
 */
int epoch_kernel_add(struct epoch_kernel *kernel, const struct raw_stack *raw, uint64_t time_ns,
		     uint32_t *stack);

/* Forgets all translations. Call it when the tables are emptied. */
void epoch_kernel_reset(struct epoch_kernel *kernel);

void epoch_kernel_deinit(struct epoch_kernel *kernel);

#endif
