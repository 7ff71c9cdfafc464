// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_request.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"
#include "report/export/otlp.pb-c.h"
#include "report/model/event_choice.h"

/* Its number in ProfilesDictionary. */
#define DICTIONARY_STACKS 7

int otlp_request_init(struct otlp_request *request)
{
	int ret;

	*request = (struct otlp_request){.scratch.fd = -1};
	ret = pprof_tables_init(&request->frames);
	if (!ret)
		ret = series_set_init(&request->series);
	if (!ret)
		ret = otlp_table_init(&request->attribute_sets, 1, "", 0);
	if (!ret)
		ret = otlp_table_init(&request->stacks, DICTIONARY_STACKS, "", 0);
	return ret ? ret : otlp_attributes_init(&request->attributes);
}

void otlp_request_deinit(struct otlp_request *request)
{
	pprof_tables_deinit(&request->frames);
	otlp_attributes_deinit(&request->attributes);
	otlp_table_deinit(&request->stacks);
	otlp_table_deinit(&request->attribute_sets);
	series_set_deinit(&request->series);
	vec_free(&request->series_counts);
	vec_free(&request->threads);
	vec_free(&request->profiles);
	vec_free(&request->samples);
	vec_free(&request->values);
	index_deinit(&request->thread_index);
	index_deinit(&request->profile_index);
	index_deinit(&request->sample_index);
	vec_free(&request->places);
	vec_free(&request->locations);
	textbuf_deinit(&request->scratch);
}

/* Packs the numbers that were collected as the attributes of a sample. */
static int add_attribute_set(struct otlp_request *x, uint32_t *id)
{
	Otlp__Sample set = OTLP__SAMPLE__INIT;

	otlp_take_attributes(&x->attributes, &set.attribute_indices, &set.n_attribute_indices);
	return otlp_table_add_message(&x->attribute_sets, &set.base, &x->scratch, id);
}

/* Makes the attributes of the samples of @thread of the process of @row. */
static int describe_thread(struct otlp_request *x, const struct printout *p,
			   const struct stack_row *row, struct otlp_thread *thread)
{
	const struct model *model = &p->rec->model;
	const struct prof_process_info *info = &model->processes.data[row->process].info;
	int ret = 0;

	if (row->pid)
		ret = otlp_add_number(&x->attributes, "process.pid", row->pid);
	if (!ret && info->exe)
		ret = otlp_add_text(&x->attributes, "process.executable.path",
				    string_set_get(&model->strings, info->exe));
	if (!ret && row->comm && !p->view->by)
		ret = otlp_add_text(&x->attributes, "thread.name",
				    string_set_get(&model->strings, row->comm));
	if (!ret && row->tid)
		ret = otlp_add_number(&x->attributes, "thread.id", row->tid);
	return ret ? ret : add_attribute_set(x, &thread->attributes);
}

static int find_series(struct otlp_request *x, const struct model *model,
		       const struct stack_row *row, uint32_t *series)
{
	int ret = series_set_add(&x->series, model, row->process, series);

	while (!ret && x->series_counts.nr < x->series.items.nr)
		ret = vec_push(&x->series_counts, 0);
	return ret;
}

static int find_thread(struct otlp_request *x, const struct printout *p,
		       const struct stack_row *row, struct otlp_thread *thread)
{
	const uint32_t key[] = {row->process, row->comm, row->tid};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	int ret;

	index_for_each(&x->thread_index, hash, i) {
		const struct otlp_thread *have = &x->threads.data[i];

		if (have->process == row->process && have->comm == row->comm &&
		    have->tid == row->tid) {
			*thread = *have;
			return 0;
		}
	}
	*thread = (struct otlp_thread){row->process, row->comm, row->tid, 0, 0};
	ret = find_series(x, &p->rec->model, row, &thread->series);
	if (!ret)
		ret = describe_thread(x, p, row, thread);
	return ret ? ret : index_push(&x->thread_index, &x->threads, hash, *thread);
}

static int find_profile(struct otlp_request *x, uint32_t series, uint32_t event, uint32_t *id)
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
static int add_stack(struct otlp_request *x, const struct printout *p, const struct stack_row *row,
		     uint32_t *id)
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

static int find_sample(struct otlp_request *x, const struct otlp_sample *wanted, uint32_t *id)
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

static int add_value(struct otlp_request *x, uint32_t id, uint64_t count, uint64_t time_ns)
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

int otlp_request_add(struct otlp_request *x, const struct printout *p, const struct stack_row *row,
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
