/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of an epoch as sections. Each table's encoder and decoder stand next to each other in
 * a file named after it. Encoders take the epoch in the order that struct order gives, and may rely
 * on it being valid. Decoders trust nothing and fill their part of struct tables. They may rely on
 * the tables of the sections before theirs.
 */
#ifndef FORMAT_TABLES_H
#define FORMAT_TABLES_H

#include "common/vec.h"
#include "format/columns.h"
#include "format/order.h"
#include "format/prof.h"

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
	VEC(struct prof_file_info) file_infos;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_frame) frames;
	VEC(struct prof_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(uint32_t) exact_frames;
	VEC(uint32_t) count_events; /* none: all rows are of event 0 */
	VEC(struct count_wakers) count_wakers;
	bool has_count_wakers; /* the epoch has the section */
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

/* Encoders fill the columns. They return 0 or -ENOMEM; stacks_encode also returns -E2BIG. */
int strings_encode(const struct order *order, struct columns *cols);
int objects_encode(const struct order *order, struct columns *cols);
int processes_encode(const struct order *order, struct columns *cols);
int process_info_encode(const struct order *order, struct columns *cols);
int file_info_encode(const struct order *order, struct columns *cols);
int symbols_encode(const struct order *order, struct columns *cols);
int stacks_encode(const struct order *order, struct columns *cols);
int exact_frames_encode(const struct order *order, struct columns *cols);
int count_events_encode(const struct order *order, struct columns *cols);
int count_wakers_encode(const struct order *order, struct columns *cols);
int counts_encode(const struct order *order, struct columns *cols);

/* Decoders return 0, -EBADMSG or -ENOMEM. */
int strings_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int objects_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int processes_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int process_info_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int file_info_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int symbols_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int stacks_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int exact_frames_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int count_events_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int count_wakers_decode(struct tables *tables, struct cursor *payload, struct fault *fault);
int counts_decode(struct tables *tables, struct cursor *payload, struct fault *fault);

#endif
