/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording merged: one set of strings, objects, processes, frames, stacks and counts instead of
 * one per epoch. Everything is merged by content, so that epochs add up where they mean the same
 * and stay apart where they do not; what the epochs call it does not matter.
 *
 * Kernel objects are placed by process 0's mappings. Their place is a part of their identity here:
 * a module that was loaded again at another address is another object. The objects of a process
 * are placed by (process, object); when a later epoch has the same object of the same process
 * elsewhere (a library closed and opened again), that epoch's counts get a process of their own
 * with the same pid and generation. So every address can be told again, bit for bit.
 */
#ifndef REPORT_MODEL_MODEL_H
#define REPORT_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/vec.h"
#include "format/prof.h"
#include "report/text/string_set.h"

/* What makes objects the same. Compared as bytes: padding is zero. */
struct object_key {
	uint64_t bias; /* kernel objects: address = bias + offset; else 0 */
	uint32_t path; /* string */
	uint32_t instance;
	uint8_t kind;      /* enum prof_object_kind */
	uint8_t is_placed; /* kernel objects: bias is known */
	uint8_t has_file;  /* file is known */
	struct build_id build_id;
	struct prof_file_info file; /* of a file without a build-id; object is not used */
};

struct model_object {
	struct object_key key;
	bool is_deleted;                   /* in some epoch */
	uint32_t first_symbol, nr_symbols; /* in symbols, once model_finish has sorted them */
};

struct model_process {
	uint32_t pid;
	uint32_t layout; /* 0, or more for what is said above about one placed twice */
	uint64_t generation;
	bool has_layouts;              /* of layout 0: there are others */
	struct prof_process_info info; /* strings are the model's; process is not used */
};

/* Where a process has an object: address = bias + offset, modulo 2^64. */
struct model_place {
	uint32_t process, object;
	uint64_t bias;
};

/* A process has mapped [pgoff, pgoff + size) of an object. */
struct model_mapping {
	uint32_t process, object;
	uint64_t pgoff, size;
};

struct model_frame {
	uint32_t object;
	bool is_exact; /* the address is no return address, whatever the place in the stack */
	uint64_t offset;
};

struct model_stack {
	size_t first_frame; /* in stack_frames, leaf first */
	uint32_t nr_frames;
	uint8_t end; /* enum prof_stack_end */
};

struct model_row {
	uint32_t process;
	uint32_t comm; /* string */
	uint32_t user_stack;
	uint32_t kernel_stack;
	uint64_t count;
};

/* Object 0 is PROF_OBJECT_NONE, process 0 the kernel, stack 0 empty, as in an epoch. */
struct model {
	struct string_set strings;
	VEC(struct model_object) objects;
	VEC(struct model_process) processes;
	VEC(struct model_place) places;
	VEC(struct model_mapping) mappings;
	VEC(struct model_frame) frames;
	VEC(struct model_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(struct model_row) rows;      /* in the order of the recording */
	VEC(struct prof_symbol) symbols; /* object and name are the model's */
	struct index object_index, process_index, place_index, frame_index, stack_index, row_index;
	struct index symbol_index, mapping_index;
	uint64_t total; /* sum of all counts: no partial sum can overflow */
	uint64_t nr_epochs;
	/* Files that changed later than this are not those that were recorded; 0: not known. */
	uint64_t recorded_realtime_ns;
	bool is_of_this_boot; /* recorded on this machine, since it was started */
};

/* Makes the empty model. Returns 0 or -ENOMEM. */
int model_init(struct model *model);

/* Releases the model; all zero is fine. */
void model_deinit(struct model *model);

/*
 * Adds what @epoch holds. Returns 0, -ENOMEM, or -EOVERFLOW when the counts add up to more than
 * 64 bits or the tables to more than 32; the model is then only good for model_deinit.
 */
int model_add_epoch(struct model *model, const struct prof_epoch *epoch);

/*
 * The steps of adding an epoch: find or add one element; ids are the model's. All return 0, -ENOMEM
 * or -EOVERFLOW. Places that are known are left as they are. A stack's @nr frames are the last of
 * stack_frames, and taken off again when the stack is known. A row adds its count to an equal one.
 */
int model_add_object(struct model *model, const struct object_key *key, uint32_t *id);
int model_add_process(struct model *model, uint32_t pid, uint64_t generation, uint32_t layout,
		      uint32_t *id);
int model_add_place(struct model *model, const struct model_place *place);
int model_add_mapping(struct model *model, const struct model_mapping *mapping);
int model_add_frame(struct model *model, struct model_frame frame, uint32_t *id);
int model_add_stack(struct model *model, uint32_t nr, uint8_t end, uint32_t *id);
int model_add_row(struct model *model, const struct model_row *row);
int model_add_symbol(struct model *model, const struct prof_symbol *symbol);

/* Takes over what @info knows of a process; what it does not know stays. */
void model_process_learn(struct model_process *process, const struct prof_process_info *info);

/* Where @process has @object, NULL when no mapping tells. */
const struct model_place *model_find_place(const struct model *model, uint32_t process,
					   uint32_t object);

/* Bytes of memory that the model takes. */
uint64_t model_bytes(const struct model *model);

/*
 * The mapping by which @process has offset @off of @object. NULL when none covers it, or when
 * several do that begin at different offsets.
 */
const struct model_mapping *model_find_mapping(const struct model *model, uint32_t process,
					       uint32_t object, uint64_t off);

/* Sorts the symbols by object. Call it after the last epoch. */
void model_finish(struct model *model);

/*
 * The address of @frame in @process. Returns false when no mapping tells, which the format rules
 * out but a file may hold.
 */
bool model_address(const struct model *model, uint32_t process, uint32_t frame, uint64_t *addr);

static inline bool object_kind_is_kernel(uint8_t kind)
{
	return kind == PROF_OBJECT_KERNEL || kind == PROF_OBJECT_MODULE || kind == PROF_OBJECT_BPF;
}

static inline bool stack_end_is_missed(uint8_t end)
{
	return end == PROF_STACK_MISSED_FULL || end == PROF_STACK_MISSED_ERROR;
}

#endif
