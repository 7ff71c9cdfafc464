/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of a page: of the functions with the largest counts, each with its samples and its
 * text. They are of all samples of the recording that the page has, whatever its reader chooses.
 */
#ifndef REPORT_HTML_PAGE_SOURCES_H
#define REPORT_HTML_PAGE_SOURCES_H

#include "report/annotate/annotation.h"
#include "report/text/json_writer.h"

/* Most functions with lines, and most bytes of their JSON, of a picture. */
#define PAGE_SOURCES_MAX       100
#define PAGE_SOURCES_BYTES_MAX (512u << 10)

/* page_sources_make makes it. All zero: the page has no lines. */
struct page_sources {
	const struct source_dirs *dirs; /* borrowed; NULL: lines are not wanted */
	struct printout from;
	struct annotation lines;
};

/*
 * Counts the lines of all functions in the event of the view of @source, whose rows are still
 * there, if lines are wanted. @source is borrowed until page_sources_deinit. Returns 0 or -ENOMEM.
 */
int page_sources_make(struct page_sources *sources, struct source *source);

/* Releases the lines; all-zero ones are fine. */
void page_sources_deinit(struct page_sources *sources);

/* Appends the member "sources" to @json, if lines are wanted. Errors are noted in its text. */
void page_sources_put(struct json *json, const struct page_sources *sources);

#endif
