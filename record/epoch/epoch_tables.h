/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of an epoch while they grow. Every string, object, frame, stack, symbol and row is
 * held once, and known by its position. It is found again by its contents.
 */
#ifndef RECORD_EPOCH_EPOCH_TABLES_H
#define RECORD_EPOCH_EPOCH_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/parse.h"
#include "common/vec.h"
#include "format/count_rows.h"
#include "format/prof.h"
#include "record/looks/file_identity.h"

typedef VEC(struct prof_mapping) prof_mapping_vec;

/* A process of the epoch with those of its mappings that samples hit. */
struct epoch_process {
	struct prof_process entry;
	uint32_t owner; /* effective user id and 1; 0: not known */
	prof_mapping_vec mappings;
};

struct string_ref {
	size_t off; /* in string_bytes */
	uint32_t len;
};

struct epoch_tables {
	char_vec string_bytes;
	VEC(struct string_ref) strings;
	VEC(struct prof_object) objects;
	VEC(struct file_identity) files;     /* of objects[i]; all zero if its build-id suffices */
	VEC(struct prof_language) languages; /* of objects[i]; name 0: of none */
	VEC(uint8_t) name_parts; /* of objects[i]: where its symbols are from, enum name_part */
	u32_vec named;           /* of objects[i]: its number in file_names and 1; 0: none */
	VEC(struct epoch_process) processes;
	size_t nr_mappings; /* of all processes */
	VEC(struct prof_frame) frames;
	VEC(bool) frame_is_exact; /* of frames[i] */
	VEC(struct prof_stack) stacks;
	u32_vec stack_frames;
	count_vec counts;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_process_info) process_infos;
	VEC(struct prof_process_attribute) process_attributes;
	VEC(struct prof_label) labels;
	VEC(struct prof_label_set) label_sets; /* none, or set 0 and others */
	struct index by_string, by_object, by_process, by_frame, by_stack, by_count, by_symbol;

	/* The results of epoch_tables_lay_out. */
	VEC(struct prof_string) out_strings;
	VEC(struct prof_process) out_processes;
	prof_mapping_vec out_mappings;
	u32_vec out_exact_frames;
	VEC(struct prof_file_info) out_file_infos;
	VEC(struct prof_language) out_languages;
	VEC(struct prof_name_source) out_name_sources;
};

/* All of these find or add an element and give its position in *@id. They return 0 or -ENOMEM. */

/* A string that is too long for the format is cut. */
int epoch_tables_string(struct epoch_tables *t, const char *s, size_t len, uint32_t *id);
int epoch_tables_object(struct epoch_tables *t, const struct prof_object *object, uint32_t *id);
int epoch_tables_frame(struct epoch_tables *t, uint32_t object, uint64_t offset, bool is_exact,
		       uint32_t *id);
int epoch_tables_stack(struct epoch_tables *t, const uint32_t *frames, size_t nr,
		       enum prof_stack_end end, uint32_t *id);

/* Finds an object; false when there is none. */
bool epoch_tables_find_object(const struct epoch_tables *t, const struct prof_object *object,
			      uint32_t *id);

/* Object @id is the file @identity. All zero: its build-id suffices. */
void epoch_tables_set_file(struct epoch_tables *t, uint32_t id,
			   const struct file_identity *identity);

/* Object @id has @language, whose member object does not count. */
void epoch_tables_set_language(struct epoch_tables *t, uint32_t id,
			       const struct prof_language *language);

static inline void epoch_object_set_build_id(struct prof_object *object, const struct build_id *id)
{
	object->build_id_size = id->size;
	memcpy(object->build_id, id->bytes, id->size);
}

/* Adds the symbol if there is none of that name at that place, or lets it grow to @size. */
int epoch_tables_symbol(struct epoch_tables *t, uint32_t object, uint64_t offset, uint64_t size,
			const char *name);

/* Adds a process, which must not be there yet. */
int epoch_tables_process(struct epoch_tables *t, const struct prof_process *entry, uint32_t *id);

/* Finds a process by its generation; false when there is none. */
bool epoch_tables_find_process(const struct epoch_tables *t, uint64_t generation, uint32_t *id);

/* Adds a mapping to process @process. Returns 0 or -ENOMEM. */
int epoch_tables_mapping(struct epoch_tables *t, uint32_t process,
			 const struct prof_mapping *mapping);

/* Adds a row, or its count to an equal one. *@id is the number of the row. */
int epoch_tables_count(struct epoch_tables *t, const struct prof_count *row, uint32_t *id);

/* The tables in the format's form, valid until the next change; times are left 0. 0 or -ENOMEM. */
int epoch_tables_lay_out(struct epoch_tables *t, struct prof_epoch *epoch);

/* Empties all tables but for the elements 0 that every epoch has. Returns 0 or -ENOMEM. */
int epoch_tables_reset(struct epoch_tables *t);

void epoch_tables_deinit(struct epoch_tables *t);

#endif
