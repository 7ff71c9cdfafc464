/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows that a recording brings to the tables. Rows of samples are packed as they come. Stacks,
 * frames and names wait, those that no earlier recording has brought, until the recording's turn:
 * then whoever writes the tables takes them. So recordings are read side by side, and the rows do
 * not depend on chance.
 */
#ifndef REPORT_TABLES_RECORDING_TABLES_H
#define REPORT_TABLES_RECORDING_TABLES_H

#include "format/prof.h"
#include "report/tables/id_set.h"
#include "report/tables/packed_rows.h"
#include "report/tables/recorded_names.h"
#include "report/tables/packed_rows.h"
#include "report/text/string_set.h"

/* The ids that are in the tables already. */
struct known_ids {
	struct id_set stacks, frames, names;
};

/* The names of tables have sources: how well they are known. The last one is the best. */
enum table_name_source {
	NAMED_BY_BOUNDS,    /* there is no name, but the bounds of the function */
	NAMED_BY_RECORDING, /* the recording has the name */
	NAMED_BY_LINE,      /* it has the inlined functions and their lines, too */
	NR_TABLE_NAME_SOURCES,
};

/* A thing that waits: what it needs goes from the end of the one before it to @end. */
struct new_thing {
	uint64_t id;
	size_t end;
};

struct new_name {
	struct new_thing row; /* the text before the name and after it */
	size_t name_at;       /* where the name stands */
	uint64_t better;      /* an id like that of the row: with its row, this one says nothing */
	uint32_t name;        /* in names, mangled */
};

/* A function of a frame that has lines. */
struct table_line {
	uint32_t depth; /* 0: the function of the code itself, 1: what is inlined into it, ... */
	struct prof_string name; /* mangled */
	const char *file;
	uint32_t line;
};

/*
 * A frame of the recording that was looked at. Most frames are in one epoch after another, and the
 * tables of ids are too large for the caches of a CPU.
 */
struct seen_frame {
	uint64_t basis, offset, id; /* id 0: none */
};

/* recording_tables_init makes them, for one recording after another. */
struct recording_tables {
	const struct known_ids *known;
	const struct prof_meta *meta;
	uint64_t slice_ns;              /* rows have slices of at least this length */
	uint64_t sums[PROF_MAX_EVENTS]; /* of the counts */
	uint64_t end_ns;                /* of the last epoch */
	struct packed_rows samples;
	/* Ids of stacks, one for each low part of an id, the latest; 0: none. Most come again. */
	uint64_t *seen_stacks;
	struct seen_frame *seen;                  /* one for each low part of a hash, the latest */
	struct id_set stacks, frames, names_seen; /* of this recording */
	VEC(struct new_thing) new_stacks;         /* in stack_frames */
	VEC(uint64_t) stack_frames;               /* ids, the root first */
	VEC(struct new_thing) new_frames;         /* in frame_rows */
	struct textbuf frame_rows;
	VEC(struct new_name) new_names; /* in name_rows */
	struct textbuf name_rows;
	struct string_set names;
	struct recorded_names recorded;
};

/* Makes them. @known is borrowed, and may grow meanwhile. Returns 0 or -ENOMEM. */
int recording_tables_init(struct recording_tables *tables, const struct known_ids *known);

void recording_tables_deinit(struct recording_tables *tables);

/* Begins a recording. @meta is borrowed until the next one. Returns 0 or -ENOMEM. */
int recording_tables_begin(struct recording_tables *tables, const struct prof_meta *meta,
			   uint64_t slice_ns);

/* Returns the id of @event of the recording that @meta describes. */
uint64_t recording_id(const struct prof_meta *meta, uint32_t event);

/* Adds the rows of @epoch. Returns 0 or -ENOMEM. */
int recording_tables_add(struct recording_tables *tables, const struct prof_epoch *epoch);

/* Names the frames whose symbols could have come in any epoch. Call it after the last one. */
int recording_tables_finish(struct recording_tables *tables);

/* Returns true if what waits should be taken before the next epoch because it is large. */
bool recording_tables_is_large(const struct recording_tables *tables);

/* Forgets all that waited; the recording goes on. Returns 0 or -ENOMEM. */
int recording_tables_clear(struct recording_tables *tables);

/*
 * Returns true if stack @id is not known. Then the caller appends its frames to stack_frames, and
 * ends the stack, which returns 0 or -ENOMEM.
 */
bool recording_tables_begin_stack(struct recording_tables *tables, uint64_t id);
int recording_tables_end_stack(struct recording_tables *tables, uint64_t id);

/* Steps of adding an epoch. They keep a thing unless it is known. All return 0 or -ENOMEM. */
int recording_tables_add_frame(struct recording_tables *tables, const struct frame_identity *frame,
			       const struct object_identity *object);
int recording_tables_add_note(struct recording_tables *tables, const struct frame_identity *note);
int recording_tables_add_name(struct recording_tables *tables, const struct frame_identity *frame,
			      const struct object_identity *object, const struct range *range);
int recording_tables_add_line(struct recording_tables *tables, const struct frame_identity *frame,
			      const struct object_identity *object, const struct table_line *line);

/* Returns true if the frame @id has a name. */
bool recording_tables_has_name(const struct recording_tables *tables, uint64_t id);

/* Returns the place of a frame in @tables->seen, which another one may have. */
struct seen_frame *recording_tables_seen(const struct recording_tables *tables, uint64_t basis,
					 uint64_t offset);

/* Returns the place of a stack in @tables->seen_stacks, which another one may have. */
uint64_t *recording_tables_seen_stack(const struct recording_tables *tables, uint64_t id);

#endif
