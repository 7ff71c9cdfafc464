/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that a recording has for addresses, epoch by epoch. It has a symbol of a file once, in
 * the first epoch that needs it; other symbols belong to their epoch.
 */
#ifndef REPORT_TABLES_RECORDED_NAMES_H
#define REPORT_TABLES_RECORDED_NAMES_H

#include "common/arena.h"
#include "common/index.h"
#include "common/vec.h"
#include "elf/ranges.h"
#include "report/tables/id_set.h"
#include "report/tables/object_identities.h"

/* A symbol that holds for all epochs. */
struct held_symbol {
	uint64_t basis; /* of the object's identity */
	struct range range;
};

/* An object whose symbols hold for all epochs. */
struct held_object {
	struct object_identity identity; /* without kind and file */
	struct prof_object object;       /* the identity points to it */
};

/* A frame that waits for the end of the recording, since its symbol may come in any epoch. */
struct waiting_frame {
	uint32_t object; /* in objects */
	uint64_t offset;
};

/* All zero: no names. */
struct recorded_names {
	VEC(struct held_symbol) held;
	VEC(struct held_object *) objects;
	VEC(struct waiting_frame) waiting;
	struct index object_index; /* by basis */
	struct arena arena;        /* names and paths */
	VEC(struct range) ranges;  /* of one object */
	VEC(struct range_hit) hits;
};

void recorded_names_deinit(struct recorded_names *names);

/* Returns the bytes of memory that symbols and frames take. */
size_t recorded_names_bytes(const struct recorded_names *names);

/* Takes the symbols of @epoch that hold for all epochs. Returns 0 or -ENOMEM. */
int recorded_names_learn(struct recorded_names *names, const struct prof_epoch *epoch,
			 const struct object_identity *identities);

/* Lets the frame at @offset of @object, whose symbols hold, wait. Returns 0 or -ENOMEM. */
int recorded_names_wait(struct recorded_names *names, const struct object_identity *object,
			uint64_t offset);

/*
 * Calls @name for each frame that waits, with its symbol, or NULL if there is none. Then those wait
 * that have no name. Returns 0, -ENOMEM, or the error of @name.
 */
int recorded_names_finish(struct recorded_names *names,
			  int (*name)(void *ctx, const struct object_identity *object,
				      uint64_t offset, const struct range *range),
			  void *ctx);

/*
 * Gives @to the symbols and the waiting frames that it lacks: the names of another recording may
 * do. Frames with an id in @named need no name. @seen has the ids of the symbols and frames of @to;
 * nothing is given when it is full. Afterwards no frame waits in @names. Returns 0 or -ENOMEM.
 */
int recorded_names_give(struct recorded_names *names, struct recorded_names *to,
			const struct id_set *named, struct id_set *seen);

/*
 * Finds the symbols of the @nr @hits, whose addresses are offsets, sorted. The symbols are those of
 * one object, from @first to before @end of @epoch. The ranges of @hits are valid until the next
 * call. Returns 0 or -ENOMEM.
 */
int recorded_names_resolve(struct recorded_names *names, const struct prof_epoch *epoch,
			   uint32_t first, uint32_t end, struct range_hit *hits, size_t nr);

#endif
