/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of an epoch that is made of rows of a model: each row brings the strings, stacks,
 * objects and mappings that it needs, once.
 */
#ifndef REPORT_WRITE_MERGED_TABLES_H
#define REPORT_WRITE_MERGED_TABLES_H

#include "report/model/model.h"

/* New generations of processes and new instances of objects, unique in a merged recording. */
struct new_numbers {
	uint32_t *generations; /* by process; its layouts have one */
	uint32_t *instances;   /* by object */
};

/* An object whose mappings in a process the epoch needs; both of the model. */
struct pair {
	uint32_t process, object;
};

/* merged_tables_init makes them. */
struct merged_tables {
	const struct model *model;
	struct new_numbers numbers;
	uint32_t *mappings; /* those of the model, by process and object */
	/* the epoch that is being made: ids in it, by id of the model */
	uint32_t *strings, *objects, *processes, *frames, *stacks, *label_sets;
	size_t string_bytes;
	VEC(struct prof_string) out_strings;
	VEC(struct prof_object) out_objects;
	VEC(struct prof_process) out_processes;
	VEC(struct prof_mapping) out_mappings;
	VEC(struct prof_frame) out_frames;
	VEC(struct prof_stack) out_stacks;
	VEC(uint32_t) out_stack_frames, out_exact;
	VEC(struct prof_label) out_labels;
	VEC(struct prof_label_set) out_label_sets;
	count_vec out_counts;
	VEC(struct prof_symbol) out_symbols;
	VEC(struct prof_process_info) out_infos;
	VEC(struct prof_process_attribute) out_attributes;
	VEC(struct prof_file_info) out_files;
	VEC(struct prof_language) out_languages;
	VEC(struct prof_name_source) out_name_sources;
	VEC(struct prof_line) out_lines;
	VEC(struct prof_source_frame) out_source_frames;
	VEC(uint32_t) model_objects, model_processes; /* ids of the model, by id in the epoch */
	VEC(struct pair) pairs;
	struct index pair_index;
};

/*
 * Makes the tables of an empty epoch of @model, which is borrowed. New numbers go on from *@last,
 * which becomes the last one. Returns 0, -ENOMEM, or -EOVERFLOW if the numbers run out. Call
 * merged_tables_deinit in all cases.
 */
int merged_tables_init(struct merged_tables *tables, const struct model *model, uint32_t *last);

void merged_tables_deinit(struct merged_tables *tables);

/* Empties the epoch. String, object, process and stack 0 are always there. Returns 0 or -ENOMEM. */
int merged_tables_begin(struct merged_tables *tables);

/* Adds @row of the model, with all that it needs. Returns 0 or -ENOMEM. */
int merged_tables_put(struct merged_tables *tables, const struct prof_count *row);

/*
 * Completes the tables after the last row, and sets *@epoch to them, without times. The epoch is
 * valid until the next call. Returns 0 or -ENOMEM.
 */
int merged_tables_finish(struct merged_tables *tables, struct prof_epoch *epoch);

#endif
