/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of an epoch as sections. Each table has a codec in a file named after the table: its
 * columns, its encoder and its decoder. Encoders take the epoch in the order that struct order
 * gives, and may rely on it being valid. Decoders trust nothing and fill their part of struct
 * tables. They may rely on the tables of the sections before theirs.
 */
#ifndef FORMAT_TABLES_H
#define FORMAT_TABLES_H

#include "common/vec.h"
#include "format/columns.h"
#include "format/order.h"
#include "format/prof.h"
#include "format/section.h"

/* The stacks of the task that ended the time off the CPU of a row. */
struct count_wakers {
	uint32_t user_stack, kernel_stack;
};

/* A decoded epoch. An all-zero one is empty. The next epoch uses the memory again. */
struct tables {
	VEC(struct prof_string) strings;
	VEC(char) text; /* of the strings, NUL-terminated */
	VEC(struct prof_object) objects;
	VEC(struct prof_process) processes;
	VEC(struct prof_mapping) mappings;
	VEC(struct prof_process_info) process_infos;
	VEC(struct prof_process_attribute) process_attributes;
	VEC(struct prof_file_info) file_infos;
	VEC(struct prof_language) languages;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_line) lines;
	VEC(struct prof_source_frame) source_frames;
	VEC(struct prof_name_source) name_sources;
	VEC(struct prof_frame) frames;
	VEC(struct prof_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(uint32_t) exact_frames;
	VEC(uint32_t) count_events; /* none: all rows are of event 0 */
	VEC(struct count_wakers) count_wakers;
	bool has_count_wakers;       /* the epoch has the section */
	VEC(uint32_t) threads;       /* ids, process by process */
	VEC(uint32_t) first_thread;  /* in threads, by process, and their number last */
	VEC(uint32_t) count_threads; /* the number among the threads of the row's process */
	bool has_count_threads;      /* the epoch has the section */
	VEC(struct prof_label) labels;
	VEC(struct prof_label_set) label_sets;
	VEC(uint32_t) count_labels;    /* none: no row has labels */
	VEC(struct prof_slice) slices; /* the last count of each row is set by counts_decode */
	uint64_t slice_ns, slice_phase_ns;
	uint32_t nr_sliced_rows;
	VEC(struct prof_count) counts;
	/* Scratch of the decoders of stacks and counts. */
	VEC(uint32_t) first_child, children, comms;
	uint64_t begin_ns, end_ns;
	uint32_t nr_events;               /* of the recording; 0: it has no table of them */
	uint64_t totals[PROF_MAX_EVENTS]; /* of the counts of each event in all epochs so far */
};

/* Points @epoch at the tables. */
void tables_epoch(const struct tables *tables, struct prof_epoch *epoch);
void tables_deinit(struct tables *tables);

/* Makes @nr elements of a table in struct tables, with undefined contents. Returns 0 or -ENOMEM. */
#define table_resize(v, n, fault)                                                                  \
	({                                                                                         \
		size_t _nr = (n);                                                                  \
		vec_clear(v);                                                                      \
		int _err = vec_reserve(v, _nr + 1);                                                \
		if (_err)                                                                          \
			fault_set(fault, _err, "out of memory");                                   \
		else                                                                               \
			(v)->nr = _nr;                                                             \
		_err;                                                                              \
	})

/* A head has no more numbers than this, and two of them at most are numbers of rows. */
#define TABLE_MAX_HEAD 4
#define TABLE_MAX_ROWS 2

/* The rows that a number in the head counts. */
struct table_rows {
	const char *name; /* for messages */
	uint32_t max;
	unsigned int col; /* a column that holds at least one byte for each row */
};

/* A payload that is being decoded. */
struct table_input {
	uint64_t head[TABLE_MAX_HEAD];
	struct cursor cols[COLUMNS_MAX];
};

/* A table as a section. */
struct table_codec {
	enum section_type type;
	unsigned int nr_head; /* numbers in the head */
	unsigned int nr_cols;
	struct table_rows rows[TABLE_MAX_ROWS]; /* of the first numbers in the head */
	/* Fills head and columns. Returns 0, -ENOMEM or -E2BIG. */
	int (*encode)(const struct order *order, struct columns *cols);
	/* Fills tables. May rely on the numbers of rows. Returns 0, -EBADMSG or -ENOMEM. */
	int (*decode)(struct tables *tables, struct table_input *in, struct fault *fault);
};

/* Defines TABLE_codec, of the functions TABLE_encode and TABLE_decode and the other members. */
#define TABLE_CODEC(table, ...)                                                                    \
	const struct table_codec table##_codec = {                                                 \
		.encode = table##_encode, .decode = table##_decode, __VA_ARGS__}

#define NR_EPOCH_TABLES 19

/* The sections of an epoch, in their order. */
extern const struct table_codec *const epoch_tables[NR_EPOCH_TABLES];

extern const struct table_codec strings_codec, objects_codec, processes_codec, process_info_codec,
	process_attributes_codec, file_info_codec, languages_codec, symbols_codec, lines_codec,
	name_sources_codec, stacks_codec, exact_frames_codec, count_events_codec,
	count_wakers_codec, count_threads_codec, label_sets_codec, count_labels_codec, slices_codec,
	counts_codec;

/*
 * Completes the decoded slices by the decoded counts: the last part of each row is the rest of its
 * count. Returns 0 or -EBADMSG.
 */
int slices_complete(struct tables *tables, struct fault *fault);

/* Makes the payload of a table. Returns 0, -ENOMEM or -E2BIG. */
int table_encode(const struct table_codec *codec, const struct order *order, struct columns *cols);

/* Decodes the payload of a table. Returns 0, -EBADMSG or -ENOMEM. */
int table_decode(const struct table_codec *codec, struct tables *tables, struct cursor *payload,
		 struct fault *fault);

#endif
