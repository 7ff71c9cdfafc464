/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model is a merged recording: one set of strings, objects, processes, frames, stacks and counts
 * for all epochs. Elements are merged by content, whatever ids the epochs give them. So epochs add
 * up where they mean equal things and stay apart where they do not.
 *
 * The mappings of process 0 place kernel objects. A place is a part of a kernel object's identity
 * here: a module that was loaded again at another address is another object.
 *
 * The objects of a process are placed by (process, object). A process can have an object elsewhere
 * in a later epoch: it closed a library and opened it again. The counts of that epoch then get a
 * process of their own, another layout, with equal pid and generation. So every address can be
 * computed again, bit for bit.
 *
 * A model can hold several recordings. Processes, and objects without a build-id, then belong to
 * their recording. A kernel object with a build-id is one object wherever it was loaded, so that
 * the stacks of several hosts add up; its addresses are not known then.
 */
#ifndef REPORT_MODEL_MODEL_H
#define REPORT_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/index.h"
#include "common/vec.h"
#include "format/count_rows.h"
#include "format/prof.h"
#include "report/model/layout_search.h"
#include "report/model/mapped_ranges.h"
#include "report/text/string_set.h"

/* The identity of an object. Keys are compared as bytes: padding is zero. */
struct object_key {
	uint64_t bias; /* kernel objects: address = bias + offset; else 0 */
	uint32_t path; /* string */
	uint32_t instance;
	uint32_t recording; /* in origins; object 0, or with a build-id: 0 */
	uint8_t kind;       /* enum prof_object_kind */
	uint8_t is_placed;  /* kernel objects: bias is known */
	uint8_t has_file;   /* file is known */
	struct build_id build_id;
	/* facts about a file without a build-id; its member object is not used */
	struct prof_file_info file;
};

struct model_object {
	struct object_key key;
	uint32_t shown_path;   /* string: key.path without what changes from run to run */
	bool is_deleted;       /* in some epoch */
	uint8_t language_role; /* enum prof_language_role */
	uint32_t language;     /* string: its short name; 0: the object is of no language */
	uint32_t version;      /* string: of an interpreter */
	/* the object's part of symbols, after model_finish has sorted them */
	uint32_t first_symbol, nr_symbols;
};

struct model_process {
	uint32_t pid;
	uint32_t recording; /* in origins */
	uint32_t layout;    /* 0, or the number of a later layout of the process */
	uint64_t generation;
	/* with strings of the model; its member process is not used */
	struct prof_process_info info;
	uint32_t attributes[PROF_NR_ATTRIBUTES]; /* what it says of itself: strings of the model */
};

/* The place of an object in a process: address = bias + offset, modulo 2^64. */
struct model_place {
	uint32_t process, object;
	uint64_t bias;
};

struct model_frame {
	uint32_t object;
	bool is_exact; /* the address is not a return address, wherever in the stack it stands */
	uint64_t offset;
};

struct model_stack {
	size_t first_frame; /* in stack_frames, leaf first */
	uint32_t nr_frames;
	uint8_t end; /* enum prof_stack_end */
};

/* The functions of the source at an address of an object, from the recording. */
struct model_line {
	uint32_t object, nr_frames;
	uint64_t offset;
	size_t first_frame; /* in source_frames, innermost function first */
};

/* The origin of a recording. */
struct model_origin {
	/* A file that changed later is not the file that was recorded. 0: unknown. */
	uint64_t recorded_realtime_ns;
	bool is_of_this_boot; /* recorded on this host after its latest start */
	uint32_t release;     /* string: of the kernel; 0: unknown */
};

/* A stretch of time that the recording tells apart: [begin_ns, end_ns) since its start. */
struct model_slot {
	uint64_t begin_ns, end_ns;
};

/* The part of a row's count that belongs to a slot. */
struct model_slot_count {
	uint32_t row, slot;
	uint64_t count;
};

/* The labels of a request; in set 0, and in one that found no room in the recorder, are none. */
struct model_label_set {
	size_t first_label; /* in labels */
	uint32_t nr_labels;
};

/* Counts of an event in a slot that filters of stacks have taken out. */
struct model_left_out {
	uint32_t event, slot;
	uint64_t count;
};

/* Object 0 is PROF_OBJECT_NONE, process 0 the kernel, stack 0 empty, as in an epoch. */
struct model {
	struct string_set strings;
	VEC(struct model_object) objects;
	VEC(struct model_process) processes;
	VEC(struct model_place) places;
	VEC(struct model_mapping) mappings;
	struct mapped_ranges ranges; /* of the mappings, after model_finish */
	VEC(struct model_frame) frames;
	VEC(struct model_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(struct prof_label) labels; /* with strings of the model */
	VEC(struct model_label_set) label_sets;
	count_vec rows;                  /* with ids of the model, in the order of the recording */
	VEC(struct prof_symbol) symbols; /* with the model's ids of objects and names */
	VEC(struct model_line) lines;    /* after model_finish sorted by object and offset */
	VEC(struct prof_source_frame) source_frames; /* with strings of the model */
	/* The sources of symbols and lines; after model_finish sorted by object. */
	VEC(struct prof_name_source) name_sources;
	struct layout_search layouts;
	struct index object_index, process_index, place_index, frame_index, stack_index, row_index;
	struct index symbol_index, mapping_index, line_index, source_index, label_index;
	/*
	 * Sums of the counts of each event. They fit, so no partial sum of one event can overflow.
	 */
	uint64_t totals[PROF_MAX_EVENTS];
	/*
	 * The sums of those with labels, and of those whose labels found no room in the recorder.
	 */
	uint64_t labelled[PROF_MAX_EVENTS], beyond_labels[PROF_MAX_EVENTS];
	uint64_t traced[PROF_MAX_EVENTS]; /* of those with PROF_LABEL_TRACE_ID */
	/* Sums of the counts that filters of stacks have taken out, and of their slots. */
	uint64_t left_out[PROF_MAX_EVENTS];
	VEC(struct model_left_out) slots_left_out;
	uint64_t nr_epochs;
	uint64_t nr_counts;               /* of all epochs, before equal ones became one row */
	uint64_t nr_sliced_epochs;        /* of these, that have slices of time */
	uint64_t nr_whole_epochs;         /* that have none; the others have names alone */
	uint64_t slice_ns;                /* length of the longest slices */
	bool has_languages;               /* some object is of an interpreted language */
	bool has_several;                 /* recordings; known before the first epoch */
	VEC(struct model_origin) origins; /* of the recordings; the first is not known */
	/* Set these before the first epoch. Then the model also keeps the counts of each slot. */
	bool keeps_slots;
	bool keeps_tids;   /* rows are of threads by their ids, too; else their tid is 0 */
	bool keeps_labels; /* rows are of requests, too; else their label set is 0 */
	VEC(struct model_slot) slots;
	VEC(struct model_slot_count) slot_counts;
};

/* Makes an empty model. Returns 0 or -ENOMEM. */
int model_init(struct model *model);

/* Releases the model; an all-zero model is fine. */
void model_deinit(struct model *model);

/*
 * Begins a recording: epochs that are added from now on belong to it. Call it before the first
 * epoch. Returns 0 or -ENOMEM.
 */
int model_begin_recording(struct model *model, const struct model_origin *origin);

/*
 * Adds the contents of @epoch. Returns 0 or -ENOMEM. Returns -EOVERFLOW if the counts of an
 * event add up to more than 64 bits or a table to more than 32 bits. After an error the model is
 * only good for model_deinit.
 */
int model_add_epoch(struct model *model, const struct prof_epoch *epoch);

/*
 * The steps of adding an epoch: each finds or adds one element. Ids are those of the model. All
 * return 0, -ENOMEM or -EOVERFLOW. model_add_place leaves a known place as it is. model_add_mapping
 * lets a known mapping grow, since a mapping that was cut later is there with both lengths. The @nr
 * frames of model_add_stack are the last of stack_frames; it takes them off if it knows the stack.
 * So are the labels of model_add_label_set.
 * The frames of model_add_line are the last of source_frames; a known line stays as it is.
 * model_add_name_source adds the parts of @source to those of a known one.
 * model_add_row adds the count of @row to an equal row. model_add_slot_count adds to a slot, and
 * keeps a part of a row in it.
 */
int model_add_object(struct model *model, const struct object_key *key, uint32_t *id);
int model_add_process(struct model *model, uint32_t pid, uint64_t generation, uint32_t layout,
		      uint32_t *id);
int model_add_place(struct model *model, const struct model_place *place);
int model_add_mapping(struct model *model, const struct model_mapping *mapping);
int model_add_frame(struct model *model, struct model_frame frame, uint32_t *id);
int model_add_stack(struct model *model, uint32_t nr, uint8_t end, uint32_t *id);
int model_add_label_set(struct model *model, uint32_t nr, uint32_t *id);

/* Call it before model_finish. Returns true with *@id set if the model has the object. */
bool model_find_object(const struct model *model, const struct object_key *key, uint32_t *id);

/* The value of the label @key in @set; NULL: there is none. */
const char *model_label_value(const struct model *model, const struct model_label_set *set,
			      const char *key);
int model_add_row(struct model *model, const struct prof_count *row, uint32_t *id);
int model_add_slot_count(struct model *model, uint32_t row, uint32_t slot, uint64_t count);
int model_add_symbol(struct model *model, const struct prof_symbol *symbol);
int model_add_name_source(struct model *model, const struct prof_name_source *source);
int model_add_line(struct model *model, uint32_t object, uint64_t offset, uint32_t nr);

/* Takes over the facts that @info has about a process. Facts that it lacks stay. */
void model_process_learn(struct model_process *process, const struct prof_process_info *info);

/* Takes over the @attributes that are not 0, by enum prof_attribute. */
void model_process_learn_attributes(struct model_process *process,
				    const uint32_t attributes[PROF_NR_ATTRIBUTES]);

/* The @attribute of @process, "" if it says none. */
const char *model_process_attribute(const struct model *model, const struct model_process *process,
				    enum prof_attribute attribute);

/* Returns the place of @object in @process, NULL if no mapping tells. */
const struct model_place *model_find_place(const struct model *model, uint32_t process,
					   uint32_t object);

/* Returns the origin of @object; that of an object with a build-id is not known. */
static inline const struct model_origin *model_object_origin(const struct model *model,
							     uint32_t object)
{
	return &model->origins.data[model->objects.data[object].key.recording];
}

/* Returns the counts of @event before filters of stacks, of which shares are parts. */
static inline uint64_t model_whole(const struct model *model, uint32_t event)
{
	return model->totals[event] + model->left_out[event];
}

/* Returns the number of the recording whose epochs are being added. */
static inline uint32_t model_recording(const struct model *model)
{
	return model->origins.nr - 1;
}

/* Releases rows and stacks, for whoever has made something else of them. All else stays. */
void model_forget_rows(struct model *model);

/* Returns the bytes of memory that the model takes. */
uint64_t model_bytes(const struct model *model);

/*
 * Call it after model_finish. Returns the mapping by which @process has offset @off of @object.
 * Returns NULL if no mapping covers the offset, or if several do that begin at different offsets.
 */
const struct model_mapping *model_find_mapping(const struct model *model, uint32_t process,
					       uint32_t object, uint64_t off);

/* Call it after model_finish. Returns the line at @off of @object, NULL if there is none. */
const struct model_line *model_find_line(const struct model *model, uint32_t object, uint64_t off);

/*
 * Call it after model_finish. Returns the first source of names of @object, and their number in
 * *@nr.
 */
const struct prof_name_source *model_name_sources(const struct model *model, uint32_t object,
						  size_t *nr);

/*
 * Returns the path of @object for people, and its last component. Of a class that a runtime made,
 * it lacks what changes from run to run (report/demangle/lasting_name.h). They live as long as the
 * model.
 */
const struct string *model_object_path(const struct model *model, uint32_t object);
const char *model_object_base(const struct model *model, uint32_t object);

/*
 * Sorts the symbols by object, and the mappings by offset. Call model_finish after the last epoch:
 * nothing can be added from then on. Returns 0 or -ENOMEM.
 */
int model_finish(struct model *model);

/*
 * Computes the address of @frame in @process. Returns false if no mapping tells. The format forbids
 * such a frame, but a file may hold it.
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
