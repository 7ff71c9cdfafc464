// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as profiles of OTLP. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/export/exporters.h"
#include "report/export/otlp_json.h"
#include "report/export/otlp_request.h"

/* The slots of rows, as chains of slot_counts. */
struct row_slots {
	uint32_t *first, *next; /* + 1; 0: none */
};

static void row_slots_deinit(struct row_slots *slots)
{
	free(slots->first);
	free(slots->next);
}

static int row_slots_make(struct row_slots *slots, const struct model *model)
{
	slots->first = calloc(model->rows.nr + 1, sizeof(*slots->first));
	slots->next = calloc(model->slot_counts.nr + 1, sizeof(*slots->next));
	if (!slots->first || !slots->next)
		return -ENOMEM;
	for (size_t i = model->slot_counts.nr; i-- > 0;) {
		uint32_t row = model->slot_counts.data[i].row;

		slots->next[i] = slots->first[row];
		slots->first[row] = i + 1;
	}
	return 0;
}

/* Adds the count of each slot of row @i, with the time at which the slot begins. */
static int add_slots(struct otlp_request *x, const struct printout *p, const struct stack_row *row,
		     const struct row_slots *slots, size_t i)
{
	const struct model *model = &p->rec->model;
	int ret = 0;

	for (uint32_t at = slots->first[i]; at && !ret; at = slots->next[at - 1]) {
		const struct model_slot_count *part = &model->slot_counts.data[at - 1];

		ret = otlp_request_add(x, p, row, part->count,
				       p->rec->meta->start_realtime_ns +
					       model->slots.data[part->slot].begin_ns);
	}
	return ret;
}

static int add_rows(struct otlp_request *x, const struct printout *p, const struct row_slots *slots,
		    struct rows_summary *summary)
{
	const struct model *model = &p->rec->model;
	int ret = 0;

	for (size_t i = 0; i < model->rows.nr && !ret; i++) {
		struct stack_row row;

		if (model->rows.data[i].event != p->view->event)
			continue;
		row = stack_row_show(model, p->view, &model->rows.data[i], summary);
		ret = slots->first ? add_slots(x, p, &row, slots, i)
				   : otlp_request_add(x, p, &row, row.count, 0);
	}
	return ret;
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
	_cleanup_(row_slots_deinit) struct row_slots slots = {0};
	struct otlp_request x;
	int ret = otlp_request_init(&x);

	x.time_ns = rec->meta->start_realtime_ns;
	x.duration_ns = rec->end && rec->nr_recordings <= 1 ? rec->end->duration_ns
							    : rec->meta->duration_ns;
	x.has_times = choice->has_times;
	if (!ret && x.has_times)
		ret = row_slots_make(&slots, &rec->model);
	for (uint32_t i = 0; i < source->events.nr && !ret; i++) {
		source->view.event = source->events.first + i;
		ret = add_rows(&x, &p, &slots, summary);
	}
	if (!ret)
		ret = choice->is_json ? print_json(&x, &p) : otlp_request_pack(&x, &p, out);
	otlp_request_deinit(&x);
	return ret;
}
