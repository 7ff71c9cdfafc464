// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/printout.h"

#include <string.h>

bool printout_note_none(const struct printout *p)
{
	vec_for_each(&p->rec->model.rows, row)
		if (row->event == p->view->event && row->count)
			return false;
	textbuf_str(p->out, "\nNone.\n");
	return true;
}

int printout_visit(const struct printout *p, row_fn visit, void *ctx, struct rows_summary *summary)
{
	const struct model *model = &p->rec->model;
	struct view view = *p->view;

	if (!has_hits(p) && p->rec->nr_recordings <= 1)
		return rows_visit(model, p->view, visit, ctx, summary);
	view.per_process |= !has_hits(p);
	/* Nothing wakes a hit, but a hostile file may say so. */
	view.no_wakers = has_hits(p);
	return rows_visit_alike(model, p->symbols, &view, visit, ctx, summary);
}

int print_error_set(int ret, const char *name, struct err *err)
{
	return ret ? err_set(err, ret, "failed to report '%s': %s", name, strerror(-ret)) : 0;
}

int print_flush(struct textbuf *out, struct err *err)
{
	int ret = textbuf_flush(out);

	return ret ? err_set(err, ret, "failed to write the report: %s", strerror(-ret)) : 0;
}
