// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_collect.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"
#include "common/parse.h"
#include "report/export/otlp.pb-c.h"
#include "report/model/event_choice.h"

/* Its number in ProfilesDictionary. */
#define DICTIONARY_LINKS  4
#define DICTIONARY_STACKS 7

#define TRACE_ID_BYTES 16
#define SPAN_ID_BYTES  8

/* The zero value of a link, packed, has ids of their full length. */
static const uint8_t no_link[4 + TRACE_ID_BYTES + SPAN_ID_BYTES] = {
	[0] = 1 << 3 | 2,
	[1] = TRACE_ID_BYTES,
	[2 + TRACE_ID_BYTES] = 2 << 3 | 2,
	[3 + TRACE_ID_BYTES] = SPAN_ID_BYTES};

int otlp_collected_init(struct otlp_collected *x)
{
	int ret;

	*x = (struct otlp_collected){.scratch.fd = -1};
	ret = pprof_tables_init(&x->frames);
	if (!ret)
		ret = series_set_init(&x->series);
	if (!ret)
		ret = otlp_table_init(&x->attribute_sets, 1, "", 0);
	if (!ret)
		ret = otlp_table_init(&x->stacks, DICTIONARY_STACKS, "", 0);
	if (!ret)
		ret = otlp_table_init(&x->links, DICTIONARY_LINKS, no_link, sizeof(no_link));
	return ret ? ret : otlp_attributes_init(&x->attributes);
}

void otlp_collected_deinit(struct otlp_collected *x)
{
	pprof_tables_deinit(&x->frames);
	otlp_attributes_deinit(&x->attributes);
	otlp_table_deinit(&x->stacks);
	otlp_table_deinit(&x->links);
	otlp_table_deinit(&x->attribute_sets);
	series_set_deinit(&x->series);
	vec_free(&x->series_counts);
	vec_free(&x->threads);
	vec_free(&x->profiles);
	vec_free(&x->samples);
	vec_free(&x->values);
	index_deinit(&x->thread_index);
	index_deinit(&x->profile_index);
	index_deinit(&x->sample_index);
	vec_free(&x->places);
	vec_free(&x->locations);
	textbuf_deinit(&x->scratch);
}

/* Packs the numbers that were collected as the attributes of a sample, and its link. */
static int add_attribute_set(struct otlp_collected *x, uint32_t link, uint32_t *id)
{
	Otlp__Sample set = OTLP__SAMPLE__INIT;

	set.link_index = (int32_t)link;
	otlp_take_attributes(&x->attributes, &set.attribute_indices, &set.n_attribute_indices);
	return otlp_table_add_message(&x->attribute_sets, &set.base, &x->scratch, id);
}

/* Sets @id to the bytes of the label @key, if it has so many as hexadecimal digits. */
static bool find_id(const struct model *model, const struct model_label_set *set, const char *key,
		    uint8_t *id, size_t nr)
{
	const char *text = model_label_value(model, set, key);

	if (!text || strlen(text) != 2 * nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id[i] = high << 4 | low;
	}
	return true;
}

/* Finds the link of the samples with these labels; 0: they have none. */
static int find_link(struct otlp_collected *x, const struct model *model,
		     const struct model_label_set *set, uint32_t *link)
{
	uint8_t trace[TRACE_ID_BYTES], span[SPAN_ID_BYTES];
	Otlp__Link message = OTLP__LINK__INIT;

	*link = 0;
	if (!find_id(model, set, PROF_LABEL_TRACE_ID, trace, sizeof(trace)) ||
	    !find_id(model, set, PROF_LABEL_SPAN_ID, span, sizeof(span)))
		return 0;
	message.trace_id = (ProtobufCBinaryData){sizeof(trace), trace};
	message.span_id = (ProtobufCBinaryData){sizeof(span), span};
	return otlp_table_add_message(&x->links, &message.base, &x->scratch, link);
}

/* Adds the labels of the request, and sets *@link to the number of the ids among them. */
static int add_request_labels(struct otlp_collected *x, const struct model *model, uint32_t id,
			      uint32_t *link)
{
	const struct model_label_set *set = &model->label_sets.data[id];
	int ret = find_link(x, model, set, link);

	for (uint32_t i = 0; i < set->nr_labels && !ret; i++) {
		const struct prof_label *label = &model->labels.data[set->first_label + i];
		const char *key = string_set_get(&model->strings, label->key);

		if (!*link || (strcmp(key, PROF_LABEL_TRACE_ID) && strcmp(key, PROF_LABEL_SPAN_ID)))
			ret = otlp_add_text(&x->attributes, key,
					    string_set_get(&model->strings, label->value));
	}
	return ret;
}

/* Makes the attributes of the samples of @thread of the process of @row. */
static int describe_thread(struct otlp_collected *x, const struct printout *p,
			   const struct stack_row *row, struct otlp_thread *thread)
{
	const struct model *model = &p->rec->model;
	const struct prof_process_info *info = &model->processes.data[row->process].info;
	uint32_t link = 0;
	int ret = 0;

	if (row->pid)
		ret = otlp_add_number(&x->attributes, "process.pid", row->pid);
	if (!ret && info->exe)
		ret = otlp_add_text(&x->attributes, "process.executable.path",
				    string_set_get(&model->strings, info->exe));
	if (!ret && row->comm && !p->view->by && !p->view->by_label)
		ret = otlp_add_text(&x->attributes, "thread.name",
				    string_set_get(&model->strings, row->comm));
	if (!ret && row->tid)
		ret = otlp_add_number(&x->attributes, "thread.id", row->tid);
	if (!ret)
		ret = add_request_labels(x, model, row->label_set, &link);
	return ret ? ret : add_attribute_set(x, link, &thread->attributes);
}

static int find_series(struct otlp_collected *x, const struct model *model,
		       const struct stack_row *row, uint32_t *series)
{
	int ret = series_set_add(&x->series, model, row->process, series);

	while (!ret && x->series_counts.nr < x->series.items.nr)
		ret = vec_push(&x->series_counts, 0);
	return ret;
}

static int find_thread(struct otlp_collected *x, const struct printout *p,
		       const struct stack_row *row, struct otlp_thread *thread)
{
	const uint32_t key[] = {row->process, row->comm, row->tid, row->label_set};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(&x->thread_index, hash, i) {
		const struct otlp_thread *have = &x->threads.data[i];

		if (have->process == row->process && have->comm == row->comm &&
		    have->tid == row->tid && have->label_set == row->label_set) {
			*thread = *have;
			return 0;
		}
	}
	*thread = (struct otlp_thread){.process = row->process,
				       .comm = row->comm,
				       .tid = row->tid,
				       .label_set = row->label_set};
	ret = find_series(x, &p->rec->model, row, &thread->series);
	if (!ret)
		ret = describe_thread(x, p, row, thread);
	return ret ? ret : index_push(&x->thread_index, &x->threads, hash, *thread);
}

static int find_profile(struct otlp_collected *x, uint32_t series, uint32_t event, uint32_t *id)
{
	const struct otlp_profile profile = {series, event, OTLP_NONE, OTLP_NONE};
	uint64_t hash = hash_u64((uint64_t)series << 32 | event);

	index_for_each(&x->profile_index, hash, i) {
		const struct otlp_profile *have = &x->profiles.data[i];

		if (have->series == series && have->event == event) {
			*id = i;
			return 0;
		}
	}
	*id = x->profiles.nr;
	return index_push(&x->profile_index, &x->profiles, hash, profile);
}

/* Finds or adds the stack of the row whose places were made, the leaf first. */
static int add_stack(struct otlp_collected *x, const struct printout *p,
		     const struct stack_row *row, uint32_t *id)
{
	Otlp__Stack stack = OTLP__STACK__INIT;
	int ret = 0;

	vec_clear(&x->locations);
	for (size_t i = x->places.nr; i-- > 0 && !ret;) {
		uint64_t location;

		ret = pprof_add_place(&x->frames, p, row->process, &x->places.data[i], &location);
		if (!ret)
			ret = vec_push(&x->locations, (int32_t)location);
	}
	if (ret)
		return ret;
	stack.location_indices = x->locations.data;
	stack.n_location_indices = x->locations.nr;
	return otlp_table_add_message(&x->stacks, &stack.base, &x->scratch, id);
}

static int find_sample(struct otlp_collected *x, const struct otlp_sample *wanted, uint32_t *id)
{
	const uint32_t key[] = {wanted->profile, wanted->stack, wanted->attributes};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	struct otlp_profile *profile = &x->profiles.data[wanted->profile];
	int ret;

	index_for_each(&x->sample_index, hash, i) {
		const struct otlp_sample *have = &x->samples.data[i];

		if (have->profile == wanted->profile && have->stack == wanted->stack &&
		    have->attributes == wanted->attributes) {
			*id = i;
			return 0;
		}
	}
	*id = x->samples.nr;
	ret = index_push(&x->sample_index, &x->samples, hash, *wanted);
	if (ret)
		return ret;
	if (profile->last_sample == OTLP_NONE)
		profile->first_sample = *id;
	else
		x->samples.data[profile->last_sample].next = *id;
	profile->last_sample = *id;
	return 0;
}

static int add_value(struct otlp_collected *x, uint32_t id, uint64_t count, uint64_t time_ns)
{
	struct otlp_sample *sample = &x->samples.data[id];
	const struct otlp_value value = {
		.time_ns = time_ns,
		.value = count > INT64_MAX ? INT64_MAX : (int64_t)count,
		.next = OTLP_NONE,
	};

	if (sample->last_value != OTLP_NONE) {
		struct otlp_value *last = &x->values.data[sample->last_value];

		if (last->time_ns == time_ns) {
			if (__builtin_add_overflow(last->value, value.value, &last->value))
				last->value = INT64_MAX;
			return 0;
		}
		last->next = x->values.nr;
	} else {
		sample->first_value = x->values.nr;
	}
	sample->last_value = x->values.nr;
	return vec_push(&x->values, value);
}

int otlp_collect(struct otlp_collected *x, const struct printout *p, const struct stack_row *row,
		 uint64_t count, uint64_t time_ns)
{
	struct otlp_sample sample = {
		.first_value = OTLP_NONE, .last_value = OTLP_NONE, .next = OTLP_NONE};
	struct otlp_thread thread;
	uint32_t id;
	int ret = find_thread(x, p, row, &thread);

	if (!ret)
		ret = stack_places_make(row, &x->places);
	if (!ret)
		ret = add_stack(x, p, row, &sample.stack);
	if (!ret)
		ret = find_profile(x, thread.series, p->view->event, &sample.profile);
	sample.attributes = thread.attributes;
	if (!ret)
		ret = find_sample(x, &sample, &id);
	if (ret)
		return ret;
	if (x->profiles.data[sample.profile].event == x->profiles.data[0].event)
		x->series_counts.data[thread.series] += count;
	return add_value(x, id, event_samples(p->rec->meta, p->view->event, count), time_ns);
}
