// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/push_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/push/push.pb-c.h"

#define OWN_LABELS_MAX (4 + NR_WORKLOAD_PARTS + PROF_NR_ATTRIBUTES)
#define LABELS_MAX     (OWN_LABELS_MAX + USER_LABELS_MAX)

/* Text of labels is in the buffer, whose place changes as it grows. */
struct label_text {
	size_t name, value;
};

struct request_labels {
	struct textbuf text;
	struct label_text items[LABELS_MAX];
	size_t nr;
	Push__LabelPair pairs[LABELS_MAX], *pointers[LABELS_MAX];
};

/* A label without a value is none. */
static void add_label(struct request_labels *labels, const char *name, size_t name_len,
		      const char *value)
{
	struct textbuf *text = &labels->text;
	struct label_text *label = &labels->items[labels->nr];

	if (!value[0])
		return;
	label->name = text->nr;
	textbuf_bytes(text, name, name_len);
	textbuf_char(text, '\0');
	label->value = text->nr;
	textbuf_escaped(text, value, strlen(value), TEXT_DATA);
	label_value_cut(text, label->value);
	textbuf_char(text, '\0');
	labels->nr++;
}

static void add_own(struct request_labels *labels, const struct push_target *target,
		    const char *name, const char *value)
{
	if (!push_target_label(target, name))
		add_label(labels, name, strlen(name), value);
}

/* The names of labels have no dots. */
static void add_attribute(struct request_labels *labels, const struct push_target *target,
			  const char *key, const char *value)
{
	char name[64];
	size_t len = strlen(key);

	for (size_t i = 0; i <= len && len < sizeof(name); i++)
		name[i] = key[i] == '.' ? '_' : key[i];
	add_own(labels, target, name, value);
}

static int compare_pairs(const void *a, const void *b)
{
	const Push__LabelPair *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The text does not change from now on. Pyroscope wants labels in order of their names. */
static void finish_labels(struct request_labels *labels)
{
	for (size_t i = 0; i < labels->nr; i++) {
		push__label_pair__init(&labels->pairs[i]);
		labels->pairs[i].name = labels->text.data + labels->items[i].name;
		labels->pairs[i].value = labels->text.data + labels->items[i].value;
		labels->pointers[i] = &labels->pairs[i];
	}
	qsort(labels->pointers, labels->nr, sizeof(labels->pointers[0]), compare_pairs);
}

static int pack(const struct profile_part *part, struct request_labels *labels, struct textbuf *out)
{
	Push__RawSample sample = PUSH__RAW_SAMPLE__INIT, *samples = &sample;
	Push__RawProfileSeries series = PUSH__RAW_PROFILE_SERIES__INIT, *all = &series;
	Push__PushRequest request = PUSH__PUSH_REQUEST__INIT;
	size_t size;

	sample.raw_profile.data = (uint8_t *)part->packed->data;
	sample.raw_profile.len = part->packed->nr;
	sample.id = (char *)part->id;
	series.labels = labels->pointers;
	series.n_labels = labels->nr;
	series.samples = &samples;
	series.n_samples = 1;
	request.series = &all;
	request.n_series = 1;
	size = push__push_request__get_packed_size(&request);
	if (!textbuf_reserve(out, size))
		return -ENOMEM;
	out->nr += push__push_request__pack(&request, (uint8_t *)out->data + out->nr);
	return 0;
}

int push_request_pack(const struct profile_part *part, const char *host,
		      const struct push_target *target, struct textbuf *out)
{
	struct request_labels labels = {.text.fd = -1};
	int ret;

	add_label(&labels, "__name__", strlen("__name__"), "process_cpu");
	add_own(&labels, target, "service_name", part->service);
	add_own(&labels, target, "cgroup", part->cgroup);
	for (enum workload_part i = 0; i < NR_WORKLOAD_PARTS; i++)
		add_own(&labels, target, workload_words[i], part->workload[i]);
	for (enum prof_attribute i = PROF_ATTRIBUTE_SERVICE + 1; i < PROF_NR_ATTRIBUTES; i++)
		add_attribute(&labels, target, prof_attribute_keys[i], part->attributes[i]);
	add_own(&labels, target, "host", host);
	vec_for_each(&target->labels, label) {
		const char *value = strchr(*label, '=') + 1;

		add_label(&labels, *label, value - 1 - *label, value);
	}
	ret = labels.text.error;
	if (!ret) {
		finish_labels(&labels);
		ret = pack(part, &labels, out);
	}
	textbuf_deinit(&labels.text);
	return ret;
}
