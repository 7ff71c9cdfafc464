/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a pprof profile: strings, mappings, functions, locations. Each element is there
 * once, by its content, so that two recordings in one profile share it. Ids begin at 1.
 */
#ifndef REPORT_EXPORT_PPROF_TABLES_H
#define REPORT_EXPORT_PPROF_TABLES_H

#include "report/export/pprof.pb-c.h"
#include "report/export/stack_places.h"
#include "report/view/printout.h"

/* A frame that has been added, and its location. */
struct pprof_frame {
	const struct model *model;
	uint64_t bias; /* of its mapping */
	uint32_t frame;
	enum frame_place place;
	uint64_t location;
};

/* All-zero tables are empty; call pprof_tables_init first. */
struct pprof_tables {
	struct string_set strings;
	VEC(Pprof__Mapping) mappings;
	VEC(uint64_t) biases;  /* of each mapping: address = bias + offset */
	VEC(uint32_t) objects; /* of each mapping, in the model that brought it; 0: none */
	VEC(Pprof__Function) functions;
	VEC(Pprof__Location) locations; /* their lines are set by pprof_tables_finish */
	VEC(Pprof__Line) lines;
	VEC(size_t) first_lines; /* of each location */
	VEC(struct pprof_frame) frames;
	struct index mapping_index, function_index, location_index, frame_index;
	struct recent_frame *recent; /* by hash: frames that take each other's slots */
	struct textbuf scratch;
	bool names_all; /* frames of which nothing is known, and stacks without frames, have a
			   function */
};

/* Returns 0 or -ENOMEM. */
int pprof_tables_init(struct pprof_tables *t);

void pprof_tables_deinit(struct pprof_tables *t);

/* Finds or adds a string, which must be printable. Returns 0 or -ENOMEM. */
int pprof_add_string(struct pprof_tables *t, const char *s, size_t len, int64_t *id);

/* Finds or adds @path, escaped. Returns 0 or -ENOMEM. */
int pprof_add_path(struct pprof_tables *t, const char *path, int64_t *id);

/* Finds or adds the location of @place in a stack of @process. Returns 0 or -ENOMEM. */
int pprof_add_place(struct pprof_tables *t, const struct printout *p, uint32_t process,
		    const struct stack_place *place, uint64_t *id);

/*
 * Finds or adds a location for @text, which stands for frames that are missing. Returns 0 or
 * -ENOMEM.
 */
int pprof_add_text(struct pprof_tables *t, const char *text, uint64_t *id);

/*
 * Puts a mapping of the file @path, a string, before all others, because pprof takes the first one
 * for the program. Adds one if there is none. Returns 0 or -ENOMEM.
 */
int pprof_put_first(struct pprof_tables *t, int64_t path);

/* Sets the lines of the locations; nothing can be added from then on. Returns 0 or -ENOMEM. */
int pprof_tables_finish(struct pprof_tables *t, Pprof__Line ***line_pointers);

#endif
