// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_intervals.h"

#include <errno.h>
#include <time.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "report/print/printers.h"

/*
 * A report prints at most this many intervals without samples, because times in a file can be
 * anything.
 */
#define EMPTY_MAX 10000000

struct intervals {
	struct source *source;
	struct source_search search;
	const struct interval_table *table; /* NULL: stacks */
	struct textbuf *out;
	struct rows_summary *summary;
	struct err *err;
	uint64_t length_ns; /* 0: each epoch is an interval */
	uint64_t next;      /* number of the first interval that was not printed */
	uint64_t nr_empty;  /* intervals that were printed without samples */
	uint64_t current;   /* number of the interval in the model */
	uint64_t begin_ns;  /* begin of the first epoch in the model */
	uint64_t end_ns;    /* end of the last epoch in the model */
	uint64_t before_ns; /* end of the last epoch in the interval before it */
	bool has_samples;   /* the model holds an interval */
	bool is_held_up;    /* its last epoch stands for several intervals */
	bool is_divided;    /* and has slices, of which the request selects some */
};

/*
 * Prints the time @end_ns as "%-8s", the way of bcc's stackcount -T, and before it an empty line
 * unless folded. @interval lacks it.
 */
static void print_time(struct intervals *v, uint64_t end_ns, struct printed_interval interval)
{
	const struct prof_meta *meta = v->source->rec.meta;
	uint64_t ns = meta->start_realtime_ns % NS_PER_S + end_ns % NS_PER_S;
	time_t seconds = meta->start_realtime_ns / NS_PER_S + end_ns / NS_PER_S + ns / NS_PER_S +
			 local_offset_s(meta);
	char text[16] = "-";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	interval.time = text;
	if (v->table)
		v->table->begin(v->table->ctx, v->out, &interval);
	else
		textbuf_printf(v->out, "%s%-8s\n", v->source->view.folded ? "" : "\n", text);
}

static int end_table(struct intervals *v)
{
	return v->table && v->table->end ? v->table->end(v->table->ctx) : 0;
}

/* Prints the rows of an event in the model. The headline tells several events apart. */
static int print_event(const struct printout *p, void *ctx)
{
	struct intervals *v = ctx;
	struct rows_summary seen = {0};
	int ret = 0;

	if (v->source->events.nr > 1 || v->table)
		ret = print_headline(p);
	if (!ret && v->table)
		ret = v->table->print(p, v->table->ctx, &seen);
	else if (!ret)
		ret = p->view->folded ? print_folded(p, &seen) : print_stacks(p, &seen);
	rows_summary_add(v->summary, &seen);
	return ret;
}

static uint64_t current_begin(const struct intervals *v)
{
	return v->current * v->length_ns;
}

static uint64_t current_end(const struct intervals *v)
{
	return current_begin(v) + v->length_ns;
}

/*
 * Returns how long the samples in the model were taken, up to @end_ns or the end of their last
 * epoch. A late epoch has taken the begin of the interval after it. Those without samples are not
 * in the recording, so their time is that of the interval.
 */
static uint64_t model_ns(const struct intervals *v, uint64_t end_ns)
{
	const struct selection *part = &v->source->rec.selection;
	uint64_t begin_ns = max_u64(min_u64(current_begin(v), v->begin_ns), v->before_ns);

	end_ns = max_u64(end_ns, v->end_ns);
	if (v->is_divided) {
		begin_ns = max_u64(begin_ns, part->from_ns);
		end_ns = min_u64(end_ns, part->to_ns);
	}
	return end_ns > begin_ns ? end_ns - begin_ns : v->length_ns;
}

/* The end of the last of the intervals that an epoch stands for. */
static uint64_t held_up_end(const struct intervals *v)
{
	uint64_t to_ns = v->source->rec.selection.to_ns;
	uint64_t end_ns = v->end_ns - v->end_ns % v->length_ns;

	return v->is_divided ? min_u64(end_ns, max_u64(to_ns, current_end(v))) : end_ns;
}

static void note_held_up(struct intervals *v, struct printed_interval *interval)
{
	if (interval->ns <= v->length_ns) /* the request leaves no more of it */
		return;
	interval->held_up_for = v->length_ns;
	v->summary->nr_held_up++;
	v->summary->held_up_ns = max_u64(v->summary->held_up_ns, interval->ns);
}

/*
 * Prints the interval in the model, which ends at @end_ns, and empties the model. One that was held
 * up ends with the last of the intervals that it stands for.
 */
static int print_model(struct intervals *v, uint64_t end_ns)
{
	struct printed_interval interval = {.ns = model_ns(v, end_ns)};
	int ret = recording_finish(&v->source->rec, v->err);

	if (ret)
		return ret;
	ret = source_find_names(v->source, &v->search, v->err);
	if (ret)
		return ret;
	if (v->is_held_up) {
		note_held_up(v, &interval);
		end_ns = held_up_end(v);
	}
	print_time(v, end_ns, interval);
	ret = source_print_events(v->source, v->out, print_event, v);
	if (!ret)
		ret = end_table(v);
	if (!ret)
		ret = source_renew(v->source);
	if (ret)
		return print_error_set(ret, v->source->rec.name, v->err);
	v->has_samples = false;
	v->next = v->current + 1;
	if (v->is_held_up)
		v->next = max_u64(v->next, v->end_ns / v->length_ns);
	v->before_ns = v->end_ns;
	return print_flush(v->out, v->err);
}

/* Prints the intervals without samples before interval @until. */
static int print_empty(struct intervals *v, uint64_t until)
{
	for (; v->next < until && v->nr_empty < EMPTY_MAX; v->nr_empty++, v->next++) {
		int ret;

		print_time(v, (v->next + 1) * v->length_ns,
			   (struct printed_interval){.ns = v->length_ns});
		ret = end_table(v);
		if (ret)
			return print_error_set(ret, v->source->rec.name, v->err);
	}
	if (v->next < until)
		return err_set(v->err, -EOVERFLOW,
			       "failed to report '%s': more than %d intervals have no samples",
			       v->source->rec.name, EMPTY_MAX);
	return print_flush(v->out, v->err);
}

/*
 * Takes an epoch of a recording with intervals. Prints the interval that the epoch shows to be
 * whole.
 */
static int take_epoch(struct intervals *v, const struct prof_epoch *epoch)
{
	uint64_t index = epoch->begin_ns / v->length_ns;
	int ret = 0;

	if (v->has_samples && index > v->current)
		ret = print_model(v, current_end(v));
	/* In a good recording time does not go back. If it does, the samples are still reported. */
	if (!v->has_samples) {
		v->current = index < v->next ? v->next : index;
		v->begin_ns = epoch->begin_ns;
		if (!ret)
			ret = print_empty(v, v->current);
	}
	if (!ret)
		ret = recording_add(&v->source->rec, epoch, v->err);
	v->has_samples = true;
	v->end_ns = epoch->end_ns;
	v->is_held_up = epoch_is_held_up(epoch, v->length_ns);
	v->is_divided = selection_divides(&v->source->rec.selection, epoch);
	if (!ret && epoch->end_ns >= current_end(v))
		ret = print_model(v, current_end(v));
	return ret;
}

static int take_single_epoch(struct intervals *v, const struct prof_epoch *epoch)
{
	int ret = recording_add(&v->source->rec, epoch, v->err);

	v->before_ns = epoch->begin_ns;
	v->end_ns = epoch->end_ns;
	return ret ? ret : print_model(v, epoch->end_ns);
}

/* Prints the last interval, if it is not whole, and the intervals without samples up to the end. */
static int print_rest(struct intervals *v)
{
	const struct recording *rec = &v->source->rec;
	uint64_t end_ns = rec->end ? rec->end->duration_ns : v->end_ns;
	int ret = 0;

	if (!v->length_ns)
		return 0;
	if (v->has_samples)
		ret = print_model(v, min_u64(current_end(v), end_ns));
	end_ns = min_u64(end_ns, rec->selection.to_ns);
	return ret ? ret : print_empty(v, end_ns / v->length_ns);
}

static int take_any_epoch(struct intervals *v, const struct prof_epoch *epoch)
{
	if (!epoch->nr_counts) /* it has names alone, and is no interval */
		return recording_add(&v->source->rec, epoch, v->err);
	return v->length_ns ? take_epoch(v, epoch) : take_single_epoch(v, epoch);
}

static int print_all(struct intervals *v)
{
	const struct prof_epoch *epoch;
	int ret;

	while ((ret = recording_next(&v->source->rec, &epoch, v->err)) == RECORDING_EPOCH) {
		ret = take_any_epoch(v, epoch);
		if (ret)
			return ret;
	}
	if (!ret)
		ret = selection_check(&v->source->rec.selection, v->source->rec.name, v->err);
	if (!ret)
		ret = print_rest(v);
	return ret ? ret : source_check_filter(v->source, v->err);
}

static int open_and_print(struct intervals *v, const char *file,
			  const struct source_request *request)
{
	const struct printout p = source_printout(v->source, v->out);
	const struct recording *rec = &v->source->rec;
	const struct timespan span = source_timespan(request);
	int ret = recording_open(&v->source->rec, file, &span, v->err);

	if (!ret)
		ret = recording_read_names(&v->source->rec, v->err);
	if (!ret && rec->nr_recordings > 1)
		ret = err_set(
			v->err, -EINVAL,
			"failed to report intervals of '%s': it is merged from several recordings",
			file);
	if (!ret)
		ret = source_choose(v->source, request, v->err);
	if (ret)
		return ret;
	v->length_ns = rec->meta->interval_ns;
	if (v->table)
		v->table->wait(v->table->ctx, v->length_ns);
	if (v->length_ns)
		v->next = rec->selection.from_ns / v->length_ns;
	if (!v->table && !v->source->view.folded && v->source->events.nr == 1)
		ret = print_error_set(print_headline(&p), file, v->err);
	if (!ret)
		ret = print_flush(v->out, v->err);
	return ret ? ret : print_all(v);
}

int print_intervals(struct source *source, const char *file, const struct source_request *request,
		    const struct interval_table *table, struct textbuf *out,
		    struct rows_summary *summary, struct err *err)
{
	struct intervals v = {
		.source = source,
		.table = table,
		.out = out,
		.summary = summary,
		.err = err,
	};
	int ret = source_search_open(&v.search, &request->search, err);

	v.search.pairs.keeps = true;
	if (!ret)
		ret = open_and_print(&v, file, request);
	source_search_close(&v.search);
	return ret;
}
