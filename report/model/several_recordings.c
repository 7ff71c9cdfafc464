// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads several recordings into one model. Threads open the recordings and decode their first
 * epochs side by side. The recordings enter the model one after the other, in the order of the
 * command line, so that reports do not depend on chance.
 */
#include "report/model/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/minmax.h"

/* More threads would only wait for their turn to enter the model. */
#define THREADS_MAX 4

struct joint {
	struct recording *rec;
	const char *const *names;
	size_t nr;
	const struct timespan *span;
	struct err *err;
	int ret;
	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t turn_changed;
	size_t next;  /* recording that no thread has begun */
	size_t turn;  /* recording that may enter the model; its thread owns the members above */
	bool is_over; /* reading has failed; no thread begins a recording */
};

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void add_losses(uint64_t *sums, const uint64_t *losses)
{
	for (int i = 0; i < PROF_NR_LOSSES; i++)
		sums[i] = sum_of(sums[i], losses[i]);
}

static void add_event_end(struct prof_event_end *sum, const struct prof_event_end *end)
{
	sum->taken = sum_of(sum->taken, end->taken);
	sum->counted = sum_of(sum->counted, end->counted);
	sum->sum = sum_of(sum->sum, end->sum);
	sum->overflows = sum_of(sum->overflows, end->overflows);
	sum->every_nth = end->every_nth > sum->every_nth ? end->every_nth : sum->every_nth;
	sum->shed_gap = end->shed_gap > sum->shed_gap ? end->shed_gap : sum->shed_gap;
	sum->blocked = sum_of(sum->blocked, end->blocked);
	sum->unattached = sum_of(sum->unattached, end->unattached);
}

void recording_add_end(struct prof_end *sums, struct prof_event_end *events,
		       const struct prof_end *end)
{
	sums->duration_ns = sum_of(sums->duration_ns, end->duration_ns);
	sums->taken = sum_of(sums->taken, end->taken);
	sums->counted = sum_of(sums->counted, end->counted);
	add_losses(sums->lost, end->lost);
	add_losses(sums->missed_user, end->missed_user);
	add_losses(sums->missed_kernel, end->missed_kernel);
	sums->idle = sum_of(sums->idle, end->idle);
	sums->filtered = sum_of(sums->filtered, end->filtered);
	sums->lost_records = sum_of(sums->lost_records, end->lost_records);
	sums->unfollowed = sum_of(sums->unfollowed, end->unfollowed);
	sums->skipped = sum_of(sums->skipped, end->skipped);
	sums->wanted_ns = sum_of(sums->wanted_ns, end->wanted_ns);
	sums->running_ns = sum_of(sums->running_ns, end->running_ns);
	sums->maps_left_out = sum_of(sums->maps_left_out, end->maps_left_out);
	sums->mappings_left_out = sum_of(sums->mappings_left_out, end->mappings_left_out);
	sums->looks_left_out = sum_of(sums->looks_left_out, end->looks_left_out);
	sums->infos_left_out = sum_of(sums->infos_left_out, end->infos_left_out);
	sums->names_left_out = sum_of(sums->names_left_out, end->names_left_out);
	sums->copies_left_out = sum_of(sums->copies_left_out, end->copies_left_out);
	for (uint32_t i = 0; i < end->nr_lacks; i++)
		prof_end_add_lack(sums, &end->lacks[i]);
	sums->nr_cpus_changed += end->nr_cpus_changed;
	for (uint32_t i = 0; i < end->nr_events; i++)
		add_event_end(&events[i], &end->events[i]);
}

static bool has_equal_events(const struct prof_meta *a, const struct prof_meta *b)
{
	if (a->nr_events != b->nr_events)
		return false;
	for (uint32_t i = 0; i < a->nr_events; i++) {
		const struct prof_event *x = &a->events[i], *y = &b->events[i];

		if (x->kind != y->kind || x->unit != y->unit || x->period != y->period ||
		    strcmp(x->name, y->name) != 0 || strcmp(x->weight, y->weight) != 0)
			return false;
	}
	/* At equal frequencies, samples stand for equal times, whatever clock took them. */
	return a->freq_hz == b->freq_hz && a->period == b->period &&
	       (a->freq_hz || !strcmp(a->event, b->event));
}

/* Makes the first recording the one whose facts stand for all. Returns 0 or -ENOMEM. */
static int begin_with(struct recording *rec, struct recording *first)
{
	const struct prof_event_end none = {0};
	int ret = 0;

	rec->name = first->name;
	rec->shared_meta = *first->meta;
	rec->shared_meta.duration_ns = 0;
	rec->meta = &rec->shared_meta;
	rec->selection = first->selection;
	rec->selection.nr = 0;
	rec->selection.begin_ns = rec->selection.end_ns = first->selection.from_ns;
	for (uint32_t i = 0; i < first->meta->nr_events && !ret; i++)
		ret = vec_push(&rec->event_sums, none);
	rec->sums.events = rec->event_sums.data;
	rec->sums.nr_events = rec->event_sums.nr;
	rec->end = &rec->sums;
	rec->first = first;
	return ret;
}

int recording_check_events(const struct recording *rec, const struct recording *one,
			   struct err *err)
{
	if (has_equal_events(rec->meta, one->meta))
		return 0;
	err_set(err, -EINVAL,
		"failed to add '%s' to '%s': their events or rates differ, so their counts do not add up",
		one->name, rec->name);
	return err_hint(
		err, -EINVAL,
		"'profrep info' prints events and rates; report each alone, compare shares by 'profrep diff', or add up CPU seconds by 'profrep tables'");
}

void recording_share_filters(struct prof_meta *meta, const struct prof_meta *one)
{
	if (strcmp(meta->filters, one->filters) != 0)
		meta->filters = "different filters";
}

/* Notes that @name was not read to its end, or not at all. Returns 0 or -ENOMEM. */
static int add_gap(struct recording *rec, const char *name, const char *reason, bool is_left_out)
{
	struct recording_gap gap = {strdup(name), strdup(reason), is_left_out};

	if (gap.name && gap.reason && !vec_push(&rec->gaps, gap))
		return 0;
	free(gap.name);
	free(gap.reason);
	return -ENOMEM;
}

/* Adds @epoch of the recording that begins @start_ns after the first. */
static int add_moved(struct joint *j, const struct prof_epoch *epoch, uint64_t start_ns)
{
	struct prof_epoch moved = *epoch;

	moved.begin_ns = sum_of(start_ns, epoch->begin_ns);
	moved.end_ns = sum_of(start_ns, epoch->end_ns);
	j->rec->length_ns = max_u64(j->rec->length_ns, moved.end_ns);
	j->rec->selection.nr++;
	return recording_add(j->rec, &moved, j->err);
}

/* Notes @one, of which all is read, if it is the first one whose selection is exceeded. */
static void note_selection(struct recording *rec, const struct recording *one)
{
	uint64_t nr = rec->selection.nr;

	if (rec->selection_name || !selection_is_exceeded(&one->selection))
		return;
	rec->selection = one->selection;
	rec->selection.nr = nr;
	rec->selection_name = one->name;
}

/* Adds the epochs of @one; @ret and @epoch are the result of reading its first epoch. */
static int add_epochs(struct joint *j, struct recording *one, int ret,
		      const struct prof_epoch *epoch)
{
	struct recording *rec = j->rec;
	uint64_t start_ns = rec->length_ns;

	while (ret == RECORDING_EPOCH) {
		ret = add_moved(j, epoch, start_ns);
		if (ret)
			return ret;
		if (recording_is_over_budget(rec, one->nr_bytes))
			return add_gap(rec, one->name, RECORDING_OVER_BUDGET, false);
		ret = recording_next(one, &epoch, j->err);
	}
	rec->nr_bytes += one->nr_bytes;
	note_selection(rec, one);
	if (one->end)
		rec->length_ns = max_u64(rec->length_ns, sum_of(start_ns, one->end->duration_ns));
	if (!ret && one->is_partial)
		ret = seen_names_give(&one->seen, &rec->model);
	if (ret)
		return ret;
	if (!one->end)
		return add_gap(rec, one->name, one->defect, false);
	recording_add_end(&rec->sums, rec->event_sums.data, one->end);
	rec->shared_meta.duration_ns = rec->sums.duration_ns;
	return 0;
}

/* A time of --from or --to has to be one moment in all recordings. Returns 0 or -EINVAL. */
static int check_clocks(const struct joint *j, const struct recording *one)
{
	switch (timespan_compare_clocks(j->span, j->rec->meta, one->meta)) {
	case CLOCKS_AGREE:
		return 0;
	case ZONES_DIFFER:
		err_set(j->err, -EINVAL,
			"failed to select from '%s': its host has another time zone than that of '%s'",
			one->name, j->rec->name);
		return err_hint(j->err, -EINVAL, "give times of UTC: 2026-11-22T14:05:00Z");
	case DAYS_DIFFER:
		break;
	}
	err_set(j->err, -EINVAL, "failed to select from '%s': it began on another day than '%s'",
		one->name, j->rec->name);
	return err_hint(j->err, -EINVAL, "give the days, too: 2026-11-22T14:05:00");
}

/* Begins the recording that @from, a model of one, is made of. */
static int begin_recording(struct model *model, const struct model *from)
{
	struct model_origin origin = from->origins.data[1];
	const struct string *release = &from->strings.items.data[origin.release];
	int ret = string_set_add(&model->strings, release->s, release->len, &origin.release);

	return ret ? ret : model_begin_recording(model, &origin);
}

/* Lets @one enter the model. Sets *@is_kept if its facts stand for all recordings. */
static int enter_model(struct joint *j, struct recording *one, int ret,
		       const struct prof_epoch *epoch, bool *is_kept)
{
	struct recording *rec = j->rec;
	int failed = 0;

	if (!rec->first) {
		*is_kept = true;
		failed = begin_with(rec, one);
	}
	if (!failed)
		failed = recording_check_events(rec, one, j->err);
	if (!failed)
		failed = check_clocks(j, one);
	if (!failed)
		failed = begin_recording(&rec->model, &one->model);
	if (failed)
		return failed;
	recording_share_filters(&rec->shared_meta, one->meta);
	rec->nr_recordings += one->nr_recordings;
	return add_epochs(j, one, ret, epoch);
}

static void wait_for_turn(struct joint *j, size_t i)
{
	pthread_mutex_lock(&j->lock);
	while (j->turn != i)
		pthread_cond_wait(&j->turn_changed, &j->lock);
	pthread_mutex_unlock(&j->lock);
}

static void end_turn(struct joint *j)
{
	pthread_mutex_lock(&j->lock);
	j->turn++;
	j->is_over = j->ret;
	pthread_cond_broadcast(&j->turn_changed);
	pthread_mutex_unlock(&j->lock);
}

/* Notes that recording @name could not be read because of @ret and @err, or fails likewise. */
static int note_unread(struct joint *j, const char *name, int ret, const struct err *err)
{
	if (ret == -EDOM)
		*j->err = *err;
	return ret == -EDOM || ret == -ENOMEM ? ret : add_gap(j->rec, name, err->text, true);
}

/* Reads recording @i. Errors go to @j when its turn has come. */
static void join_recording(struct joint *j, size_t i)
{
	struct recording *one = calloc(1, sizeof(*one));
	const struct prof_epoch *epoch = NULL;
	struct err err = {0};
	bool is_kept = false;
	int ret = one ? recording_open(one, j->names[i], j->span, &err) : -ENOMEM;
	bool is_open = !ret;

	if (is_open)
		ret = recording_next(one, &epoch, &err);
	wait_for_turn(j, i);
	if (!j->ret && ret < 0)
		j->ret = note_unread(j, j->names[i], ret, &err);
	else if (!j->ret)
		j->ret = enter_model(j, one, ret, epoch, &is_kept);
	if (j->ret == -ENOMEM)
		err_set(j->err, -ENOMEM, "failed to read '%s': out of memory", j->names[i]);
	end_turn(j);
	if (is_kept)
		return;
	if (is_open)
		recording_deinit(one);
	free(one);
}

static void *join_recordings(void *joint)
{
	struct joint *j = joint;

	for (;;) {
		size_t i;
		bool is_over;

		pthread_mutex_lock(&j->lock);
		is_over = j->is_over || j->next == j->nr;
		i = is_over ? j->nr : j->next++;
		pthread_mutex_unlock(&j->lock);
		if (is_over)
			return NULL;
		join_recording(j, i);
	}
}

static void run_threads(struct joint *j)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[THREADS_MAX];
	long nr = 0;

	/* This thread works, too; alone, if no other can be made. */
	while (nr + 1 < nr_cpus && nr < THREADS_MAX &&
	       !pthread_create(&threads[nr], NULL, join_recordings, j))
		nr++;
	join_recordings(j);
	while (nr-- > 0)
		pthread_join(threads[nr], NULL);
}

static int finish_join(struct joint *j)
{
	struct recording *rec = j->rec;
	int ret = 0;

	if (!rec->first)
		return 0;
	ret = selection_check(&rec->selection, rec->name, j->err);
	if (!ret && model_finish(&rec->model))
		ret = err_set(j->err, -ENOMEM, "failed to read %zu recordings: out of memory",
			      j->nr);
	return ret;
}

int recordings_join(struct recording *rec, const char *const *names, size_t nr,
		    const struct timespan *span, struct err *err)
{
	struct joint j = {
		.rec = rec,
		.names = names,
		.nr = nr,
		.span = span,
		.err = err,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn_changed = PTHREAD_COND_INITIALIZER,
	};

	*rec = (struct recording){.name = names[0], .fd = -1, .owned_fd = -1};
	j.ret = model_init(&rec->model);
	if (j.ret)
		return err_set(err, j.ret, "failed to read %zu recordings: out of memory", nr);
	rec->model.has_several = true;
	rec->model.keeps_slots = span->keeps_slots;
	rec->model.keeps_tids = span->keeps_tids;
	rec->model.keeps_labels = span->keeps_labels;
	run_threads(&j);
	if (!j.ret)
		j.ret = finish_join(&j);
	if (j.ret)
		recording_deinit(rec);
	return j.ret;
}

/* Returns 0 if one of @nr recordings could be read, else -ENODATA with @err set. */
static int check_some(const struct recording *rec, size_t nr, struct err *err)
{
	if (rec->first)
		return 0;
	err_set(err, -ENODATA, "%s", rec->gaps.data[0].reason);
	return err_hint(err, -ENODATA, "none of the %zu recordings can be read", nr);
}

int recordings_load(struct recording *rec, const char *const *names, size_t nr,
		    const struct timespan *span, struct err *err)
{
	int ret;

	if (nr == 1)
		return recording_load(rec, names[0], span, err);
	ret = recordings_join(rec, names, nr, span, err);
	if (ret)
		return ret;
	ret = check_some(rec, nr, err);
	if (ret)
		recording_deinit(rec);
	return ret;
}
