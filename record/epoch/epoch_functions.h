/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of an epoch that belongs to interpreted languages: functions, sources, interpreters. */
#ifndef RECORD_EPOCH_EPOCH_FUNCTIONS_H
#define RECORD_EPOCH_EPOCH_FUNCTIONS_H

#include <stdint.h>

#include "record/epoch/epoch_sources.h"
#include "record/epoch/epoch_tables.h"

/*
 * Appends to @frames the frames of the functions, or of the note, that @word stands for in the
 * address space @generation. Without a name the frame is one of an unknown function. Returns 0 or
 * -ENOMEM.
 */
int epoch_functions_frames(struct epoch_tables *tables, const struct function_names *names,
			   uint64_t generation, uint64_t word, u32_vec *frames);

/*
 * Appends to @frames the one that says that callers may be missing between the frame before it and
 * the one after it. Returns 0 or -ENOMEM.
 */
int epoch_functions_gap(struct epoch_tables *tables, u32_vec *frames);

/* Notes that @object, which is @file, is an interpreter, if it is one. Returns 0 or -ENOMEM. */
int epoch_functions_mark(struct epoch_tables *tables, const struct epoch_sources *sources,
			 const struct mapped_file *file, uint32_t object);

#endif
