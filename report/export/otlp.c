// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as profiles of OTLP. */
#include "report/export/exporters.h"
#include "report/export/otlp_json.h"
#include "report/export/otlp_request.h"
#include "report/export/timed_rows.h"

/* A request, and the printout whose rows it gets. */
struct adding {
	struct otlp_request *request;
	const struct printout *p;
};

static int add_row(void *ctx, const struct stack_row *row)
{
	const struct adding *adding = ctx;

	return otlp_request_add(adding->request, adding->p, row, row->count, 0);
}

/* The time of a part of a row is where its slice begins. */
static int add_timed_row(void *ctx, const struct timed_row *timed)
{
	const struct adding *adding = ctx;
	uint64_t start_ns = adding->p->rec->meta->start_realtime_ns;

	return otlp_request_add(adding->request, adding->p, &timed->row, timed->row.count,
				start_ns + timed->slot->begin_ns);
}

static int add_rows(struct otlp_request *x, const struct printout *p, struct rows_summary *summary)
{
	struct adding adding = {x, p};

	return x->has_times ? timed_rows_visit(p, add_timed_row, &adding, summary)
			    : rows_visit_all(&p->rec->model, p->view, add_row, &adding, summary);
}

/* JSON is made of the whole, since it has other bytes for all of it. */
static int print_json(struct otlp_request *x, const struct printout *p)
{
	struct textbuf packed = {.fd = -1};
	int ret = otlp_request_pack(x, p, &packed);

	if (!ret)
		ret = otlp_json_put(p->out, packed.data, packed.nr);
	textbuf_deinit(&packed);
	return ret;
}

int export_otlp(struct source *source, struct textbuf *out, const struct otlp_choice *choice,
		struct rows_summary *summary)
{
	const struct recording *rec = &source->rec;
	const struct printout p = source_printout(source, out);
	struct otlp_request x;
	int ret = otlp_request_init(&x);

	x.time_ns = rec->meta->start_realtime_ns;
	x.duration_ns = rec->end && rec->nr_recordings <= 1 ? rec->end->duration_ns
							    : rec->meta->duration_ns;
	x.has_times = choice->has_times;
	for (uint32_t i = 0; i < source->events.nr && !ret; i++) {
		source->view.event = source->events.first + i;
		ret = add_rows(&x, &p, summary);
	}
	/* The request has all stacks now, and its bytes take as much memory. */
	model_forget_rows(&source->rec.model);
	if (!ret)
		ret = choice->is_json ? print_json(&x, &p) : otlp_request_pack(&x, &p, out);
	otlp_request_deinit(&x);
	return ret;
}
