// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/pusher.h"

#include <errno.h>
#include <string.h>

#include "report/export/pprof_profile.h"
#include "report/push/push_request.h"
#include "report/text/gzip.h"
#include "report/tables/recording_tables.h"

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
