/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Epochs as sorted text in which ids do not show: two epochs that mean the same compare equal,
 * whatever the order of their tables.
 */
#ifndef TESTS_EPOCH_TEXT_H
#define TESTS_EPOCH_TEXT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"
#include "format/prof.h"

static inline void print_string(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	fputc('"', f);
	for (uint32_t i = 0; i < e->strings[id].len; i++)
		fprintf(f, "%02x", (uint8_t)e->strings[id].s[i]);
	fputc('"', f);
}

static inline void print_object(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	const struct prof_object *object = &e->objects[id];

	fprintf(f, "(%u %u %u ", object->kind, object->flags, object->instance);
	print_string(f, e, object->path);
	fputc(' ', f);
	for (int i = 0; i < object->build_id_size; i++)
		fprintf(f, "%02x", object->build_id[i]);
	fputc(')', f);
}

static inline void print_stack(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	const struct prof_stack *stack = &e->stacks[id];

	fprintf(f, " [%u", stack->end);
	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		const struct prof_frame *frame =
			&e->frames[e->stack_frames[stack->first_frame + i]];

		fputc(' ', f);
		print_object(f, e, frame->object);
		fprintf(f, "+%" PRIx64, frame->offset);
	}
	fputc(']', f);
}

static inline int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of @text; the result is the caller's. */
static inline char *sort_lines(char *text)
{
	VEC(char *) lines = {0};
	char *save = NULL, *sorted = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&sorted, &size);

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (vec_push(&lines, line))
			abort();
	if (lines.nr)
		qsort(lines.data, lines.nr, sizeof(*lines.data), compare_lines);
	vec_for_each(&lines, line)
		fprintf(f, "%s\n", *line);
	fclose(f);
	vec_free(&lines);
	free(text);
	return sorted;
}

static inline void print_process_rows(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_processes; i++) {
		const struct prof_process *process = &e->processes[i];

		fprintf(f, "process %u %" PRIu64 " %u\n", process->pid, process->generation,
			process->nr_mappings);
		for (uint32_t j = 0; j < process->nr_mappings; j++) {
			const struct prof_mapping *m = &e->mappings[process->first_mapping + j];

			fprintf(f, "mapping %u %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " ",
				process->pid, process->generation, m->start, m->size, m->pgoff);
			print_object(f, e, m->object);
			fputc('\n', f);
		}
	}
}

static inline void print_process_infos(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[i];
		const struct prof_process *process = &e->processes[info->process];

		fprintf(f, "info %u %" PRIu64 " %u %u ", process->pid, process->generation,
			info->ns_pid, info->uid);
		print_string(f, e, info->name);
		print_string(f, e, info->exe);
		print_string(f, e, info->cgroup);
		fputc('\n', f);
	}
}

static inline void print_labels(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	const struct prof_label_set *set = id ? &e->label_sets[id] : NULL;

	fprintf(f, " labels %d ", set != NULL);
	for (uint32_t i = 0; set && i < set->nr_labels; i++) {
		print_string(f, e, e->labels[set->first_label + i].key);
		print_string(f, e, e->labels[set->first_label + i].value);
	}
}

static inline void print_process_attributes(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_process_attributes; i++) {
		const struct prof_process_attribute *attribute = &e->process_attributes[i];
		const struct prof_process *process = &e->processes[attribute->process];

		fprintf(f, "attribute %u %" PRIu64 " ", process->pid, process->generation);
		print_string(f, e, attribute->key);
		print_string(f, e, attribute->value);
		fputc('\n', f);
	}
}

static inline void print_file_infos(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_file_infos; i++) {
		const struct prof_file_info *info = &e->file_infos[i];

		fprintf(f, "file ");
		print_object(f, e, info->object);
		fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", info->inode,
			info->size, info->mtime_ns, info->ctime_ns);
	}
}

static inline void print_languages(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_languages; i++) {
		const struct prof_language *language = &e->languages[i];

		fprintf(f, "language ");
		print_object(f, e, language->object);
		fprintf(f, " %u ", language->role);
		print_string(f, e, language->name);
		print_string(f, e, language->version);
		fputc('\n', f);
	}
}

static inline void print_lines(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_lines; i++) {
		const struct prof_line *line = &e->lines[i];

		fprintf(f, "line ");
		print_object(f, e, line->object);
		fprintf(f, "+%" PRIx64, line->offset);
		for (uint32_t j = 0; j < line->nr_frames; j++) {
			const struct prof_source_frame *frame =
				&e->source_frames[line->first_frame + j];

			fprintf(f, " %u %d ", frame->line, frame->is_inlined);
			print_string(f, e, frame->name);
			print_string(f, e, frame->file);
		}
		fputc('\n', f);
	}
}

static inline void print_name_sources(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_name_sources; i++) {
		const struct prof_name_source *source = &e->name_sources[i];

		fprintf(f, "source ");
		print_object(f, e, source->object);
		fprintf(f, " %u %u ", source->origin, source->parts);
		print_string(f, e, source->file);
		fputc('\n', f);
	}
}

static inline void print_exact_frames(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_exact_frames; i++) {
		const struct prof_frame *frame = &e->frames[e->exact_frames[i]];

		fprintf(f, "exact ");
		print_object(f, e, frame->object);
		fprintf(f, "+%" PRIx64 "\n", frame->offset);
	}
}

/* The slices of row @row. */
static inline void print_slices(FILE *f, const struct prof_epoch *e, uint32_t row)
{
	for (uint32_t i = 0; i < e->nr_slices; i++)
		if (e->slices[i].row == row)
			fprintf(f, " %" PRIu32 ":%" PRIu64, e->slices[i].slice, e->slices[i].count);
}

/* All of @e as text. The caller frees it. */
static inline char *epoch_text(const struct prof_epoch *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "time %" PRIu64 " %" PRIu64 "\n", e->begin_ns, e->end_ns);
	if (e->nr_slices)
		fprintf(f, "slices of %" PRIu64 " from %" PRIu64 "\n", e->slice_ns,
			e->slice_phase_ns);
	for (uint32_t i = 0; i < e->nr_strings; i++) {
		fprintf(f, "string ");
		print_string(f, e, i);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_objects; i++) {
		fprintf(f, "object ");
		print_object(f, e, i);
		fputc('\n', f);
	}
	print_process_rows(f, e);
	print_process_infos(f, e);
	print_process_attributes(f, e);
	print_file_infos(f, e);
	print_languages(f, e);
	print_lines(f, e);
	print_name_sources(f, e);
	print_exact_frames(f, e);
	for (uint32_t i = 0; i < e->nr_symbols; i++) {
		fprintf(f, "symbol ");
		print_object(f, e, e->symbols[i].object);
		fprintf(f, "+%" PRIx64 " %" PRIx64 " ", e->symbols[i].offset, e->symbols[i].size);
		print_string(f, e, e->symbols[i].name);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_stacks; i++) {
		fprintf(f, "stack");
		print_stack(f, e, i);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[i];

		fprintf(f, "count %" PRIu64 " %u %" PRIu64 " ", count->count,
			e->processes[count->process].pid, e->processes[count->process].generation);
		print_string(f, e, count->comm);
		fprintf(f, " tid %u", count->tid);
		print_stack(f, e, count->user_stack);
		print_stack(f, e, count->kernel_stack);
		fprintf(f, " event %u wakers", count->event);
		print_stack(f, e, count->waker_user_stack);
		print_stack(f, e, count->waker_kernel_stack);
		print_labels(f, e, count->label_set);
		print_slices(f, e, i);
		fputc('\n', f);
	}
	fclose(f);
	return sort_lines(text);
}

static inline bool means_same(const struct prof_epoch *a, const struct prof_epoch *b)
{
	char *of_a = epoch_text(a), *of_b = epoch_text(b);
	bool is_same = !strcmp(of_a, of_b);

	free(of_a);
	free(of_b);
	return is_same;
}

#endif
