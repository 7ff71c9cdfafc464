// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

bool stack_end_is_missed(uint8_t end)
{
	return end == PROF_STACK_MISSED_FULL || end == PROF_STACK_MISSED_ERROR;
}

bool range_is_valid(uint64_t offset, uint64_t size)
{
	return !size || offset + (size - 1) >= offset;
}

static int check_sizes(const struct prof_epoch *e)
{
	if (e->nr_strings > PROF_MAX_TABLE || e->nr_objects > PROF_MAX_TABLE ||
	    e->nr_processes > PROF_MAX_TABLE || e->nr_mappings > PROF_MAX_TABLE ||
	    e->nr_frames > PROF_MAX_TABLE || e->nr_stacks > PROF_MAX_TABLE ||
	    e->nr_counts > PROF_MAX_TABLE || e->nr_symbols > PROF_MAX_TABLE ||
	    e->nr_process_infos > PROF_MAX_TABLE || e->nr_file_infos > PROF_MAX_TABLE ||
	    e->nr_exact_frames > PROF_MAX_TABLE || e->nr_languages > PROF_MAX_TABLE ||
	    e->nr_lines > PROF_MAX_TABLE || e->nr_source_frames > PROF_MAX_EPOCH_FRAMES ||
	    e->nr_slices > PROF_MAX_TABLE || e->nr_name_sources > PROF_MAX_TABLE ||
	    e->nr_process_attributes > PROF_MAX_TABLE || e->nr_labels > PROF_MAX_TABLE ||
	    e->nr_label_sets > PROF_MAX_TABLE || e->slice_ns > PROF_MAX_SLICE_NS)
		return -E2BIG;
	if (!e->nr_strings || !e->nr_objects || !e->nr_processes || !e->nr_stacks)
		return -EINVAL;
	return e->end_ns < e->begin_ns ? -EINVAL : 0;
}

static int check_first_elements(const struct prof_epoch *e)
{
	const struct prof_object *object = &e->objects[0];

	if (e->strings[0].len || object->kind != PROF_OBJECT_NONE || object->flags ||
	    object->build_id_size || object->path || object->instance || e->processes[0].pid ||
	    e->processes[0].generation || e->stacks[0].nr_frames || e->stacks[0].end)
		return -EINVAL;
	return 0;
}

static int check_names(const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_strings; i++) {
		if (e->strings[i].len > PROF_MAX_STRING_BYTES)
			return -E2BIG;
		if (e->strings[i].len && memchr(e->strings[i].s, 0, e->strings[i].len))
			return -EINVAL;
	}
	for (uint32_t i = 0; i < e->nr_objects; i++) {
		const struct prof_object *object = &e->objects[i];

		if (object->build_id_size > PROF_MAX_BUILD_ID)
			return -E2BIG;
		if (object->kind >= PROF_NR_OBJECT_KINDS || object->flags & ~PROF_OBJECT_DELETED ||
		    object->path >= e->nr_strings)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < e->nr_symbols; i++) {
		const struct prof_symbol *symbol = &e->symbols[i];

		if (symbol->object >= e->nr_objects || symbol->name >= e->nr_strings ||
		    !range_is_valid(symbol->offset, symbol->size))
			return -EINVAL;
	}
	return 0;
}

static int check_processes(const struct prof_epoch *e)
{
	uint64_t nr_mappings = 0;

	for (uint32_t i = 0; i < e->nr_processes; i++) {
		const struct prof_process *process = &e->processes[i];

		if (process->first_mapping > e->nr_mappings ||
		    process->nr_mappings > e->nr_mappings - process->first_mapping)
			return -EINVAL;
		nr_mappings += process->nr_mappings;
	}
	for (uint32_t i = 0; i < e->nr_mappings; i++)
		if (e->mappings[i].object >= e->nr_objects ||
		    !range_is_valid(e->mappings[i].start, e->mappings[i].size))
			return -EINVAL;
	return nr_mappings > PROF_MAX_TABLE ? -E2BIG : 0;
}

/* Checks that each process but 0 has at most one row, and that its strings exist. */
static int check_process_infos(const struct prof_epoch *e)
{
	_cleanup_free_ bool *seen = NULL;

	if (!e->nr_process_infos)
		return 0;
	seen = calloc(e->nr_processes, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[i];

		if (!info->process || info->process >= e->nr_processes || seen[info->process] ||
		    info->name >= e->nr_strings || info->exe >= e->nr_strings ||
		    info->cgroup >= e->nr_strings)
			return -EINVAL;
		seen[info->process] = true;
	}
	return 0;
}

/* Checks that processes but 0 have the rows, and that their strings exist. */
static int check_process_attributes(const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_process_attributes; i++) {
		const struct prof_process_attribute *attribute = &e->process_attributes[i];

		if (!attribute->process || attribute->process >= e->nr_processes ||
		    attribute->key >= e->nr_strings || attribute->value >= e->nr_strings)
			return -EINVAL;
	}
	return 0;
}

/* Checks that the labels of the sets follow each other, and that their strings exist. */
static int check_labels(const struct prof_epoch *e)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < e->nr_label_sets; i++) {
		const struct prof_label_set *set = &e->label_sets[i];

		if (set->first_label != nr || set->nr_labels > PROF_MAX_LABELS ||
		    (!i && set->nr_labels))
			return -EINVAL;
		nr += set->nr_labels;
	}
	for (uint32_t i = 0; i < e->nr_labels; i++)
		if (e->labels[i].key >= e->nr_strings || e->labels[i].value >= e->nr_strings)
			return -EINVAL;
	return nr == e->nr_labels ? 0 : -EINVAL;
}

/* Checks that rows ascend by object, and that none is of object 0. */
static int check_file_infos(const struct prof_epoch *e)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < e->nr_file_infos; i++) {
		uint32_t object = e->file_infos[i].object;

		if (object <= before || object >= e->nr_objects)
			return -EINVAL;
		before = object;
	}
	return 0;
}

/* Checks that rows ascend by object, that none is of object 0, and that their strings exist. */
static int check_languages(const struct prof_epoch *e)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < e->nr_languages; i++) {
		const struct prof_language *language = &e->languages[i];

		if (language->object <= before || language->object >= e->nr_objects ||
		    language->role >= PROF_NR_LANGUAGE_ROLES || language->name >= e->nr_strings ||
		    language->version >= e->nr_strings)
			return -EINVAL;
		before = language->object;
	}
	return 0;
}

/* Checks that lines ascend, and that they have their frames one after the other. */
static int check_lines(const struct prof_epoch *e)
{
	const struct prof_line *before = NULL;
	uint64_t nr_frames = 0;

	for (uint32_t i = 0; i < e->nr_lines; i++) {
		const struct prof_line *line = &e->lines[i];

		if (line->object >= e->nr_objects || !line->nr_frames ||
		    line->first_frame != nr_frames ||
		    (before && (line->object < before->object || (line->object == before->object &&
								  line->offset <= before->offset))))
			return -EINVAL;
		nr_frames += line->nr_frames;
		before = line;
	}
	for (uint32_t i = 0; i < e->nr_source_frames; i++)
		if (e->source_frames[i].name >= e->nr_strings ||
		    e->source_frames[i].file >= e->nr_strings)
			return -EINVAL;
	return nr_frames == e->nr_source_frames ? 0 : -EINVAL;
}

/* Checks that rows ascend by object, that none is of object 0, and that they say something. */
static int check_name_sources(const struct prof_epoch *e)
{
	uint32_t before = 1;

	for (uint32_t i = 0; i < e->nr_name_sources; i++) {
		const struct prof_name_source *source = &e->name_sources[i];

		if (source->object < before || source->object >= e->nr_objects ||
		    source->origin >= PROF_NR_NAME_ORIGINS || !source->parts ||
		    source->parts > NAME_PARTS_ALL || source->file >= e->nr_strings)
			return -EINVAL;
		before = source->object;
	}
	return 0;
}

static int check_exact_frames(const struct prof_epoch *e)
{
	_cleanup_free_ bool *seen = NULL;

	if (!e->nr_exact_frames)
		return 0;
	seen = calloc((size_t)e->nr_frames + 1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nr_exact_frames; i++) {
		uint32_t frame = e->exact_frames[i];

		if (frame >= e->nr_frames || seen[frame])
			return -EINVAL;
		seen[frame] = true;
	}
	return 0;
}

static int check_stacks(const struct prof_epoch *e)
{
	uint64_t nr_frames = 0;

	for (uint32_t i = 0; i < e->nr_frames; i++)
		if (e->frames[i].object >= e->nr_objects)
			return -EINVAL;
	for (uint32_t i = 0; i < e->nr_stack_frames; i++)
		if (e->stack_frames[i] >= e->nr_frames)
			return -EINVAL;
	for (uint32_t i = 0; i < e->nr_stacks; i++) {
		const struct prof_stack *stack = &e->stacks[i];

		if (stack->nr_frames > PROF_MAX_STACK_FRAMES)
			return -E2BIG;
		if (stack->first_frame > e->nr_stack_frames ||
		    stack->nr_frames > e->nr_stack_frames - stack->first_frame ||
		    stack->end >= PROF_NR_STACK_ENDS ||
		    (stack->nr_frames && stack_end_is_missed(stack->end)))
			return -EINVAL;
		nr_frames += stack->nr_frames;
	}
	return nr_frames > PROF_MAX_EPOCH_FRAMES ? -E2BIG : 0;
}

/* Checks the parts of row @row, from *@at on, and advances *@at past them. */
static int check_row_slices(const struct prof_epoch *e, uint32_t row, uint32_t *at)
{
	uint64_t rest = e->counts[row].count, before = 0;

	for (; *at < e->nr_slices && e->slices[*at].row == row; ++*at) {
		const struct prof_slice *part = &e->slices[*at];

		if (part->slice < before || part->slice >= PROF_MAX_SLICES || !part->count ||
		    part->count > rest ||
		    part->slice * e->slice_ns > e->slice_phase_ns + (e->end_ns - e->begin_ns))
			return -EINVAL;
		before = (uint64_t)part->slice + 1;
		rest -= part->count;
	}
	return rest ? -EINVAL : 0;
}

static int check_slices(const struct prof_epoch *e)
{
	uint32_t at = 0;
	int ret = 0;

	if (!e->slice_ns)
		return e->nr_slices ? -EINVAL : 0;
	if (e->slice_phase_ns >= e->slice_ns)
		return -EINVAL;
	for (uint32_t row = 0; row < e->nr_counts && !ret; row++)
		ret = check_row_slices(e, row, &at);
	return ret || at == e->nr_slices ? ret : -EINVAL;
}

static int check_counts(const struct prof_epoch *e, uint32_t nr_events, uint64_t *totals)
{
	if (!nr_events)
		nr_events = 1;
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[i];

		if (count->process >= e->nr_processes || count->comm >= e->nr_strings ||
		    count->user_stack >= e->nr_stacks || count->kernel_stack >= e->nr_stacks ||
		    count->waker_user_stack >= e->nr_stacks ||
		    count->waker_kernel_stack >= e->nr_stacks || count->event >= nr_events ||
		    (count->label_set && count->label_set >= e->nr_label_sets) || !count->count ||
		    __builtin_add_overflow(totals[count->event], count->count,
					   &totals[count->event]))
			return -EINVAL;
	}
	return 0;
}

int epoch_check(const struct prof_epoch *epoch, uint32_t nr_events, uint64_t *totals)
{
	/* check_sizes comes first: the others rely on it. */
	static int (*const checks[])(const struct prof_epoch *e) = {
		check_sizes,        check_first_elements, check_names,
		check_processes,    check_process_infos,  check_process_attributes,
		check_file_infos,   check_languages,      check_lines,
		check_name_sources, check_exact_frames,   check_stacks,
		check_slices,       check_labels,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(checks); i++)
		ret = checks[i](epoch);
	return ret ? ret : check_counts(epoch, nr_events, totals);
}
