/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording with the names of its frames: what is printed from. */
#ifndef REPORT_PRINT_SOURCE_H
#define REPORT_PRINT_SOURCE_H

#include "report/symbols/debugfiles.h"
#include "report/view/labels.h"
#include "report/model/recording.h"
#include "report/symbols/symbolise.h"

/* All zero is fine for source_deinit. */
struct source {
	struct recording rec;
	struct symbols symbols;
	struct labels labels;
};

/* Looks up the names of what the recording's model holds. Returns 0 or -errno with @err set. */
int source_find_names(struct source *source, const struct debug_roots *roots,
		      const struct view *view, struct err *err);

/* Empties the model and forgets the names, for the next interval. Returns 0 or -ENOMEM. */
int source_renew(struct source *source);

void source_deinit(struct source *source);

#endif
