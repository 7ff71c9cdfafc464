// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as a pprof profile. Numbers of values, units and labels: see describe_values. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/export/exporters.h"
#include "report/export/pprof_profile.h"
#include "report/model/cgroup_text.h"

struct pprof {
	struct pprof_profile profile;
	int64_t thread, tid, pid, cgroup, is_base; /* strings: keys of labels */
	int64_t cgroup_parts[NR_CGROUP_PARTS];
	/* the recording whose rows are being added */
	const struct printout *p;
	bool subtracts;
};

/* Samples that are no CPU time. */
static void describe_samples(struct pprof *x, const struct prof_meta *meta,
			     const struct prof_event *event)
{
	uint64_t period = event ? event->period : meta->period;

	pprof_profile_add_type(&x->profile, "samples", "count", 1);
	if (period)
		pprof_profile_add_type(&x->profile, meta->event, "count", period);
}

/*
 * The values of a sample: the count, and the time or the events that it stands for. Sums have one
 * value. pprof shows the last one first.
 */
static void describe_values(struct pprof *x)
{
	static const struct {
		const char *type, *unit;
	} sums[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_EVENTS] = {"hits", "count"},
		[PROF_UNIT_NS] = {"cpu", "nanoseconds"},
		[PROF_UNIT_BYTES] = {"bytes", "bytes"},
		[PROF_UNIT_NUMBER] = {"sum", "count"},
	};
	const struct prof_meta *meta = x->p->rec->meta;
	const struct prof_event *event = printed_event(x->p);

	if (event_sample_ns(meta, x->p->view->event))
		pprof_profile_add_cpu(&x->profile, meta, x->p->view->event);
	else if (!event || (event->kind == PROF_EVENT_SAMPLES && event->unit == PROF_UNIT_EVENTS))
		describe_samples(x, meta, event);
	else if (event->kind == PROF_EVENT_OFF_CPU)
		pprof_profile_add_type(&x->profile, "offcpu", "nanoseconds", 1);
	else
		pprof_profile_add_type(&x->profile, sums[event->unit].type, sums[event->unit].unit,
				       1);
}

/* Adds what the path of the cgroup says. Ids are whole, so that other tools know them. */
static int add_cgroup_parts(struct pprof *x, const char *cgroup)
{
	struct pprof_tables *t = &x->profile.tables;
	struct textbuf name = {.fd = -1};
	int ret = 0;

	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS && !ret; part++) {
		int64_t string;

		name.nr = 0;
		if (!cgroup_part_put(cgroup, part, &name))
			continue;
		textbuf_escaped(&t->scratch, name.data, name.nr, TEXT_DATA);
		ret = name.error ? name.error : t->scratch.error;
		if (!ret)
			ret = pprof_add_string(t, t->scratch.data, t->scratch.nr, &string);
		t->scratch.nr = 0;
		if (!ret)
			ret = pprof_profile_add_label(&x->profile, x->cgroup_parts[part], string,
						      0);
	}
	textbuf_deinit(&name);
	return ret;
}

static int add_labels(struct pprof *x, const struct stack_row *row)
{
	const char *cgroup;
	const struct model_process *process = &x->p->rec->model.processes.data[row->process];
	bool has_thread = row->comm && !x->p->view->by && !x->p->view->by_label;
	int ret = has_thread ? pprof_profile_add_text(&x->profile, x->p, x->thread, row->comm) : 0;

	if (!ret && row->tid)
		ret = pprof_profile_add_label(&x->profile, x->tid, 0, row->tid);
	if (!ret && row->pid)
		ret = pprof_profile_add_label(&x->profile, x->pid, 0, row->pid);
	if (!ret && process->info.cgroup)
		ret = pprof_profile_add_text(&x->profile, x->p, x->cgroup, process->info.cgroup);
	cgroup = string_set_get(&x->p->rec->model.strings, process->info.cgroup);
	if (!ret)
		ret = add_cgroup_parts(x, cgroup);
	if (!ret)
		ret = pprof_profile_add_request(&x->profile, x->p, row->label_set, false);
	if (!ret && x->subtracts)
		ret = pprof_profile_add_label(&x->profile, x->is_base,
					      pprof_profile_string(&x->profile, "true"), 0);
	return ret;
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct pprof *x = ctx;
	int ret = add_labels(x, row);

	return ret ? ret : pprof_profile_add(&x->profile, x->p, row, row->count, x->subtracts);
}

static void add_comment(struct pprof *x, const char *words, const char *text)
{
	struct textbuf *scratch = &x->profile.tables.scratch;
	int64_t id = 0;
	int ret;

	textbuf_str(scratch, words);
	textbuf_escaped(scratch, text, strlen(text), TEXT_DATA);
	ret = scratch->error
		      ? scratch->error
		      : pprof_add_string(&x->profile.tables, scratch->data, scratch->nr, &id);
	scratch->nr = 0;
	if (!ret)
		ret = vec_push(&x->profile.comments, id);
	if (ret)
		textbuf_fail(scratch, ret);
}

static void add_number(struct pprof *x, const char *words, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	if (number)
		add_comment(x, words, text);
}

/* Comments tell the origin, and whatever is missing. */
static void add_comments(struct pprof *x, const struct recording *rec)
{
	const struct prof_end *end = rec->end;
	uint64_t lost = 0;

	add_comment(x, "host: ", rec->meta->hostname);
	add_comment(x, "kernel: ", rec->meta->kernel_release);
	add_comment(x, "recorder: ", rec->meta->recorder);
	add_comment(x, "command line: ", rec->meta->command_line);
	if (!end) {
		add_comment(x, "incomplete recording: ", rec->defect ? rec->defect : "");
		return;
	}
	for (int i = 0; i < PROF_NR_LOSSES; i++)
		lost += end->lost[i];
	add_number(x, "samples taken: ", end->taken);
	add_number(x, "samples counted: ", end->counted);
	add_number(x, "samples lost: ", lost);
	add_number(x, "address space records lost: ", end->lost_records);
	add_number(x, "recordings that are incomplete or left out: ", rec->gaps.nr);
}

static int write_all(struct pprof *x, const struct recording *rec, struct textbuf *out)
{
	const struct prof_meta *meta = rec->meta;

	x->profile.time_ns = meta->start_realtime_ns;
	x->profile.duration_ns =
		rec->end && rec->nr_recordings <= 1 ? rec->end->duration_ns : meta->duration_ns;
	return pprof_profile_pack(&x->profile, SIZE_MAX, out);
}

static int add_rows(struct pprof *x, const struct printout *p, bool subtracts,
		    struct rows_summary *summary)
{
	x->p = p;
	x->subtracts = subtracts;
	return printout_visit(p, add_row, x, summary);
}

int export_pprof(const struct printout *p, const struct printout *base,
		 struct rows_summary *summary)
{
	struct pprof x = {.p = p};
	struct rows_summary seen = {0};
	int ret = pprof_profile_init(&x.profile);

	if (ret)
		return ret;
	describe_values(&x);
	x.thread = pprof_profile_string(&x.profile, "thread");
	x.tid = pprof_profile_string(&x.profile, "thread_id");
	x.pid = pprof_profile_string(&x.profile, "pid");
	x.cgroup = pprof_profile_string(&x.profile, "cgroup");
	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS; part++)
		x.cgroup_parts[part] = pprof_profile_string(&x.profile, cgroup_part_words[part]);
	x.is_base = pprof_profile_string(&x.profile, "pprof::base");
	add_comments(&x, p->rec);
	ret = x.profile.tables.scratch.error;
	if (!ret)
		ret = add_rows(&x, p, false, summary);
	if (!ret && base)
		ret = add_rows(&x, base, true, &seen);
	rows_summary_add(summary, &seen);
	if (!ret)
		ret = write_all(&x, p->rec, p->out);
	pprof_profile_deinit(&x.profile);
	return ret;
}
