// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/tables.h"

const struct table_codec *const epoch_tables[NR_EPOCH_TABLES] = {
	&strings_codec,
	&objects_codec,
	&processes_codec,
	&process_info_codec,
	&process_attributes_codec,
	&file_info_codec,
	&languages_codec,
	&symbols_codec,
	&lines_codec,
	&name_sources_codec,
	&stacks_codec,
	&exact_frames_codec,
	&count_events_codec,
	&count_wakers_codec,
	&count_threads_codec,
	&label_sets_codec,
	&count_labels_codec,
	&slices_codec,
	&counts_codec,
};

int table_encode(const struct table_codec *codec, const struct order *order, struct columns *cols)
{
	int ret;

	columns_begin(cols, codec->nr_cols);
	ret = codec->encode(order, cols);
	return ret ? ret : columns_finish(cols);
}

int table_decode(const struct table_codec *codec, struct tables *tables, struct cursor *payload,
		 struct fault *fault)
{
	struct table_input in;
	int ret;

	for (unsigned int i = 0; i < codec->nr_head; i++)
		in.head[i] = cursor_varint(payload);
	ret = columns_split(payload, in.cols, codec->nr_cols, fault);
	for (unsigned int i = 0; !ret && i < TABLE_MAX_ROWS && codec->rows[i].name; i++) {
		const struct table_rows *rows = &codec->rows[i];

		ret = columns_check_rows(&in.cols[rows->col], in.head[i], rows->max, rows->name,
					 fault);
	}
	if (!ret)
		ret = codec->decode(tables, &in, fault);
	return ret ? ret : columns_check_done(in.cols, codec->nr_cols, fault);
}

void tables_epoch(const struct tables *tables, struct prof_epoch *epoch)
{
	*epoch = (struct prof_epoch){
		.begin_ns = tables->begin_ns,
		.end_ns = tables->end_ns,
		.strings = tables->strings.data,
		.objects = tables->objects.data,
		.processes = tables->processes.data,
		.mappings = tables->mappings.data,
		.frames = tables->frames.data,
		.stacks = tables->stacks.data,
		.stack_frames = tables->stack_frames.data,
		.counts = tables->counts.data,
		.languages = tables->languages.data,
		.symbols = tables->symbols.data,
		.lines = tables->lines.data,
		.source_frames = tables->source_frames.data,
		.name_sources = tables->name_sources.data,
		.process_infos = tables->process_infos.data,
		.process_attributes = tables->process_attributes.data,
		.labels = tables->labels.data,
		.label_sets = tables->label_sets.data,
		.file_infos = tables->file_infos.data,
		.exact_frames = tables->exact_frames.data,
		.slices = tables->slices.data,
		.slice_ns = tables->slice_ns,
		.slice_phase_ns = tables->slice_phase_ns,
		.nr_strings = tables->strings.nr,
		.nr_objects = tables->objects.nr,
		.nr_processes = tables->processes.nr,
		.nr_mappings = tables->mappings.nr,
		.nr_frames = tables->frames.nr,
		.nr_stacks = tables->stacks.nr,
		.nr_stack_frames = tables->stack_frames.nr,
		.nr_counts = tables->counts.nr,
		.nr_languages = tables->languages.nr,
		.nr_symbols = tables->symbols.nr,
		.nr_lines = tables->lines.nr,
		.nr_source_frames = tables->source_frames.nr,
		.nr_name_sources = tables->name_sources.nr,
		.nr_process_infos = tables->process_infos.nr,
		.nr_process_attributes = tables->process_attributes.nr,
		.nr_file_infos = tables->file_infos.nr,
		.nr_exact_frames = tables->exact_frames.nr,
		.nr_slices = tables->slices.nr,
		.nr_labels = tables->labels.nr,
		.nr_label_sets = tables->label_sets.nr,
	};
}

void tables_deinit(struct tables *tables)
{
	vec_free(&tables->strings);
	vec_free(&tables->text);
	vec_free(&tables->objects);
	vec_free(&tables->processes);
	vec_free(&tables->mappings);
	vec_free(&tables->process_infos);
	vec_free(&tables->process_attributes);
	vec_free(&tables->file_infos);
	vec_free(&tables->exact_frames);
	vec_free(&tables->languages);
	vec_free(&tables->symbols);
	vec_free(&tables->lines);
	vec_free(&tables->source_frames);
	vec_free(&tables->name_sources);
	vec_free(&tables->frames);
	vec_free(&tables->stacks);
	vec_free(&tables->stack_frames);
	vec_free(&tables->count_events);
	vec_free(&tables->count_wakers);
	vec_free(&tables->threads);
	vec_free(&tables->first_thread);
	vec_free(&tables->count_threads);
	vec_free(&tables->labels);
	vec_free(&tables->label_sets);
	vec_free(&tables->count_labels);
	vec_free(&tables->slices);
	vec_free(&tables->counts);
	vec_free(&tables->first_child);
	vec_free(&tables->children);
	vec_free(&tables->comms);
}
