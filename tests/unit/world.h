/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of an epoch, to be filled row by row. Ends the program when memory runs out.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"
#include "format/prof.h"

/* Tables that can be appended to. */
struct world {
	VEC(struct prof_string) strings;
	VEC(struct prof_object) objects;
	VEC(struct prof_process) processes;
	VEC(struct prof_mapping) mappings;
	VEC(struct prof_frame) frames;
	VEC(struct prof_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(struct prof_count) counts;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_line) lines;
	VEC(struct prof_source_frame) source_frames;
	VEC(struct prof_process_info) process_infos;
	VEC(struct prof_process_attribute) process_attributes;
	VEC(struct prof_label) labels;
	VEC(struct prof_label_set) label_sets;
	VEC(struct prof_file_info) file_infos;
	VEC(struct prof_language) languages;
	VEC(struct prof_name_source) name_sources;
	VEC(uint32_t) exact_frames;
	VEC(struct prof_slice) slices; /* with a length in epoch.slice_ns */
	struct prof_epoch epoch;
};

#define WORLD_PUSH(w, table, ...)                                                                  \
	({                                                                                         \
		__typeof__(*(w)->table.data) _elem = __VA_ARGS__;                                  \
		if (vec_push(&(w)->table, _elem))                                                  \
			abort();                                                                   \
		(uint32_t)((w)->table.nr - 1);                                                     \
	})

/* Adds a row of event 0. */
#define WORLD_COUNT(w, process_id, comm_id, user, kernel, n)                                       \
	WORLD_PUSH(w, counts,                                                                      \
		   {.process = (process_id),                                                       \
		    .comm = (comm_id),                                                             \
		    .user_stack = (user),                                                          \
		    .kernel_stack = (kernel),                                                      \
		    .count = (n)})

static inline uint32_t world_bytes(struct world *w, const void *s, uint32_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		abort();
	memcpy(copy, s, len);
	copy[len] = 0;
	return WORLD_PUSH(w, strings, {copy, len});
}

static inline uint32_t world_string(struct world *w, const char *s)
{
	return world_bytes(w, s, strlen(s));
}

static inline void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	world_string(w, "");
	WORLD_PUSH(w, objects, {0});
	WORLD_PUSH(w, processes, {0});
	WORLD_PUSH(w, stacks, {0});
}

static inline const struct prof_epoch *world_epoch(struct world *w)
{
	w->epoch.strings = w->strings.data;
	w->epoch.objects = w->objects.data;
	w->epoch.processes = w->processes.data;
	w->epoch.mappings = w->mappings.data;
	w->epoch.frames = w->frames.data;
	w->epoch.stacks = w->stacks.data;
	w->epoch.stack_frames = w->stack_frames.data;
	w->epoch.counts = w->counts.data;
	w->epoch.symbols = w->symbols.data;
	w->epoch.process_infos = w->process_infos.data;
	w->epoch.nr_process_infos = w->process_infos.nr;
	w->epoch.process_attributes = w->process_attributes.data;
	w->epoch.nr_process_attributes = w->process_attributes.nr;
	w->epoch.labels = w->labels.data;
	w->epoch.nr_labels = w->labels.nr;
	w->epoch.label_sets = w->label_sets.data;
	w->epoch.nr_label_sets = w->label_sets.nr;
	w->epoch.file_infos = w->file_infos.data;
	w->epoch.nr_file_infos = w->file_infos.nr;
	w->epoch.languages = w->languages.data;
	w->epoch.nr_languages = w->languages.nr;
	w->epoch.name_sources = w->name_sources.data;
	w->epoch.nr_name_sources = w->name_sources.nr;
	w->epoch.exact_frames = w->exact_frames.data;
	w->epoch.nr_exact_frames = w->exact_frames.nr;
	w->epoch.slices = w->slices.data;
	w->epoch.nr_slices = w->slices.nr;
	w->epoch.nr_strings = w->strings.nr;
	w->epoch.nr_objects = w->objects.nr;
	w->epoch.nr_processes = w->processes.nr;
	w->epoch.nr_mappings = w->mappings.nr;
	w->epoch.nr_frames = w->frames.nr;
	w->epoch.nr_stacks = w->stacks.nr;
	w->epoch.nr_stack_frames = w->stack_frames.nr;
	w->epoch.nr_counts = w->counts.nr;
	w->epoch.nr_symbols = w->symbols.nr;
	w->epoch.lines = w->lines.data;
	w->epoch.nr_lines = w->lines.nr;
	w->epoch.source_frames = w->source_frames.data;
	w->epoch.nr_source_frames = w->source_frames.nr;
	return &w->epoch;
}

static inline void world_deinit(struct world *w)
{
	vec_for_each(&w->strings, s)
		free((char *)s->s);
	vec_free(&w->strings);
	vec_free(&w->objects);
	vec_free(&w->processes);
	vec_free(&w->mappings);
	vec_free(&w->frames);
	vec_free(&w->stacks);
	vec_free(&w->stack_frames);
	vec_free(&w->counts);
	vec_free(&w->symbols);
	vec_free(&w->lines);
	vec_free(&w->source_frames);
	vec_free(&w->process_infos);
	vec_free(&w->process_attributes);
	vec_free(&w->labels);
	vec_free(&w->label_sets);
	vec_free(&w->file_infos);
	vec_free(&w->languages);
	vec_free(&w->name_sources);
	vec_free(&w->exact_frames);
	vec_free(&w->slices);
}

/* Appends a stack, leaf first, and its frames' ids. */
static inline uint32_t world_stack(struct world *w, const uint32_t *frames, uint16_t nr,
				   uint8_t end)
{
	uint32_t first = w->stack_frames.nr;

	if (vec_append(&w->stack_frames, frames, nr))
		abort();
	return WORLD_PUSH(w, stacks, {first, nr, end});
}

#endif
