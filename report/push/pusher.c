// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/pusher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/pprof_profile.h"
#include "report/push/profile_parts.h"
#include "report/push/push.pb-c.h"
#include "report/push/push_target.h"
#include "report/tables/recording_tables.h"
#include "report/write/gzip.h"

/* The request that pushes a profile: Pyroscope's PushRequest as bytes. */

#define OWN_LABELS_MAX (4 + NR_CGROUP_PARTS + PROF_NR_ATTRIBUTES)
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

/*
 * Appends the request with @part, of a recording of @host, to @out. Labels of @target take the
 * place of those that profrep makes. Returns 0 or -ENOMEM.
 */
static int push_request_pack(const struct profile_part *part, const char *host,
			     const struct push_target *target, struct textbuf *out)
{
	struct request_labels labels = {.text.fd = -1};
	int ret;

	add_label(&labels, "__name__", strlen("__name__"), "process_cpu");
	add_own(&labels, target, "service_name", part->service);
	add_own(&labels, target, "cgroup", part->cgroup);
	for (enum cgroup_part i = 0; i < NR_CGROUP_PARTS; i++)
		add_own(&labels, target, cgroup_part_words[i], part->cgroup_parts[i]);
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

void pusher_deinit(struct pusher *pusher)
{
	textbuf_deinit(&pusher->body);
}

static int pack_part(struct pusher *pusher, const struct profile_part *part)
{
	pusher->body.nr = 0;
	if (pusher->target->is_otlp)
		return gzip_append(&pusher->body, part->packed->data, part->packed->nr);
	return push_request_pack(part, pusher->host, pusher->target, &pusher->body);
}

static int send_part(struct pusher *pusher, const struct profile_part *part)
{
	struct push_message message = {
		.nr_samples = part->nr_samples,
		.begin_ns = part->begin_ns,
	};
	int ret = pack_part(pusher, part);

	if (ret)
		return ret;
	message.body = pusher->body.data;
	message.len = pusher->body.nr;
	pusher->has_given_up = !sender_send(pusher->sender, &message, pusher->patience_ns);
	return 0;
}

/* What a stream has no room for on the disk is lost, because the stream does not wait. */
static int spool_part(struct pusher *pusher, const struct profile_part *part)
{
	int ret = pack_part(pusher, part);

	if (ret)
		return ret;
	ret = spool_add(pusher->spool, pusher->body.data, pusher->body.nr, part->nr_samples,
			part->begin_ns);
	if (!pusher->takes_parts || !spool_lacks_disk(ret))
		return ret;
	push_count_add(&pusher->spool->pending[PUSH_NO_DISK], part->nr_samples);
	return 0;
}

/* A spool counts a recording when it is taken whole. */
static struct push_count *fates_of(const struct pusher *pusher)
{
	return pusher->spool ? pusher->spool->pending : pusher->sender->account.fates;
}

static int take_part(void *ctx, const struct profile_part *part)
{
	struct pusher *pusher = ctx;
	struct push_count *fates = fates_of(pusher);

	if (sender_is_too_old(pusher->sender, part->begin_ns, 0))
		push_count_add(&fates[PUSH_TOO_OLD], part->nr_samples);
	else if (pusher->spool)
		return spool_part(pusher, part);
	else if (pusher->has_given_up)
		push_count_add(&fates[PUSH_UNSENT], part->nr_samples);
	else
		return send_part(pusher, part);
	return 0;
}

static int leave_out(void *ctx, uint64_t nr_samples)
{
	struct pusher *pusher = ctx;

	push_count_add(&fates_of(pusher)[PUSH_TOO_LARGE], nr_samples);
	return 0;
}

/* Chooses the one of the wanted events that is CPU time. The others are not for the receiver. */
static int choose_event(struct source *source, struct err *err)
{
	const struct recording *rec = &source->rec;
	const struct event_choice wanted = source->events;
	char list[sizeof(err->text) / 2] = "";
	size_t len = 0;

	for (uint32_t i = wanted.first; i < wanted.first + wanted.nr; i++) {
		if (event_sample_ns(rec->meta, i)) {
			source->events = (struct event_choice){i, 1};
			source->view.event = i;
			return 0;
		}
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s'%s' counts %s%s",
					len ? ", " : "", event_name(rec->meta, i),
					event_unit(rec->meta, i),
					event_is_off_cpu(rec->meta, i) ? " off the CPU" : "");
	}
	err_set(err, -EINVAL, "failed to push '%s': it has no CPU time: %s%s", rec->name, list,
		len < sizeof(list) ? "" : "...");
	return err_hint(err, -EINVAL, "'profrec --off-cpu --on-cpu' samples CPU time, too");
}

int pusher_choose(const struct pusher *pusher, struct source *source, struct err *err)
{
	const struct recording *rec = &source->rec;

	if (rec->meta->nr_recordings)
		return err_set(
			err, -EINVAL,
			"failed to push '%s': it was merged from several, so it has no host and no times",
			rec->name);
	return pusher->target->is_otlp ? 0 : choose_event(source, err);
}

static int check_spooled(const struct pusher *pusher, const struct recording *rec, struct err *err)
{
	/* Of a file that is still being copied, the rest may come. */
	if (!rec->end)
		return err_set(err, -ENODATA, "it is incomplete: %s",
			       rec->defect ? rec->defect : "it has no end");
	if (taken_has_recording(&pusher->spool->taken, recording_id(rec->meta, 0)))
		return err_set(err, -EEXIST, "it was pushed already, by this or another name");
	return 0;
}

int pusher_push(struct pusher *pusher, struct source *source, struct rows_summary *summary,
		struct err *err)
{
	const struct profile_taker taker = {
		.format = pusher->target->is_otlp ? PROFILE_OTLP : PROFILE_PPROF,
		.labels = &pusher->target->labels,
		.take = take_part,
		.leave_out = leave_out,
		.ctx = pusher,
	};
	int ret = pusher_choose(pusher, source, err);

	pusher->id = recording_id(source->rec.meta, 0);
	if (!ret && pusher->spool && !pusher->takes_parts)
		ret = check_spooled(pusher, &source->rec, err);
	if (ret)
		return ret;
	pusher->body.fd = -1;
	pusher->host = source->rec.meta->hostname;
	for (uint32_t i = 0; i < source->events.nr && !ret; i++) {
		source->view.event = source->events.first + i;
		ret = profile_parts_make(source, &taker, summary);
	}
	return ret ? err_set(err, ret, "failed to push '%s': %s", source->rec.name, strerror(-ret))
		   : 0;
}
