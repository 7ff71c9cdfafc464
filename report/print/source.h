/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording with the names of its frames: what is printed from. */
#ifndef REPORT_PRINT_SOURCE_H
#define REPORT_PRINT_SOURCE_H

#include "report/symbols/debugfiles.h"
#include "report/view/labels.h"
#include "report/model/recording.h"
#include "report/symbols/symbolise.h"
#include "report/view/view.h"

/* All zero is fine for source_deinit. */
struct source {
	struct recording rec;
	struct symbols symbols;
	struct labels labels;
};

/* Where to look for files, and how much of them may be read for a report, all together. */
struct source_search {
	struct debug_roots roots;
	struct file_budget budget;
};

/*
 * Opens @symfs, NULL for none; @search must not move then. Returns 0 or a negative errno with @err
 * set; source_search_close is fine in both cases.
 */
int source_search_open(struct source_search *search, const char *symfs, struct err *err);

void source_search_close(struct source_search *search);

/* The part of recordings that is to be read, and how its names are to be found and printed. */
struct source_request {
	struct timespan span;
	struct view view;
	const char *symfs; /* the directory to look for files in first, NULL: none */
};

/*
 * Reads the @nr recordings @files, which stay the caller's, into @sources, and finds their names.
 * Returns 0 or a negative errno with @err set; all @sources are good for source_deinit then, too.
 */
int sources_load(struct source *sources, const char *const *files, size_t nr,
		 const struct source_request *request, struct err *err);

/* Looks up the names of what the recording's model holds. Returns 0 or -errno with @err set. */
int source_find_names(struct source *source, const struct source_search *search,
		      const struct view *view, struct err *err);

/* Empties the model and forgets the names, for the next interval. Returns 0 or -ENOMEM. */
int source_renew(struct source *source);

void source_deinit(struct source *source);

#endif
