/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source is a recording with the names of its frames. Printers print from it. */
#ifndef REPORT_VIEW_SOURCE_H
#define REPORT_VIEW_SOURCE_H

#include "report/files/debugfiles.h"
#include "report/view/labels.h"
#include "report/model/event_choice.h"
#include "report/model/recording.h"
#include "report/symbols/symbolise.h"
#include "report/view/sample_filter.h"
#include "report/view/view.h"

/* source_deinit takes an all-zero source. */
struct source {
	struct recording rec;
	struct symbols symbols;
	struct labels labels;
	struct demangler_account demangling; /* of all intervals */
	struct event_choice events;          /* that the user wants to see */
	struct fetcher fetched;      /* what became of the files that were asked for, up to now */
	struct view view;            /* of the event that is being printed */
	struct sample_filter filter; /* the user's; its vectors are borrowed */
	struct timespan span;        /* that the user chose */
	struct filter_account filtered;
	bool chooses_frames;       /* the user has not */
	struct found_names *found; /* gets the symbols that files gave; NULL: nobody wants them */
};

/* The directory to look for files in, and the bytes of files that a report may still read. */
struct source_search {
	struct debug_roots roots;
	struct file_budget budget;
	struct fetcher fetcher;
	struct elf_pairs pairs; /* a report of many intervals keeps files open in it */
};

/* The user's choice of places to look for files. All zero: the usual ones. */
struct search_choice {
	const char *symfs; /* the directory to look for files in first; NULL: none */
	struct debug_dirs debug_dirs;
	bool debuginfod; /* ask servers for files, too */
};

/*
 * Opens the places of @choice. @search must not move afterwards. Returns 0 or a negative errno with
 * @err set. Call source_search_close in both cases.
 */
int source_search_open(struct source_search *search, const struct search_choice *choice,
		       struct err *err);

void source_search_close(struct source_search *search);

/*
 * The user's choice of the part to read, of samples, of the event, of the look of names, and of the
 * places with files.
 */
struct source_request {
	struct timespan span;
	struct sample_filter filter;
	struct view view;
	const char *event; /* NULL: all events */
	struct search_choice search;
};

/* Returns the part of a recording to read for @request, with the facts that its filters need. */
struct timespan source_timespan(const struct source_request *request);

/*
 * Chooses the events of @source, whose recording is open, and takes the view over. Folded output
 * must be of one event. Returns 0 or -EINVAL with @err set.
 */
int source_choose(struct source *source, const struct source_request *request, struct err *err);

/*
 * Reads the @nr recordings @files into one source, as recordings_load does, and finds the names.
 * The caller keeps @files until source_deinit. Returns 0 or a negative errno with @err set. Call
 * source_deinit in both cases.
 */
int source_load(struct source *source, const char *const *files, size_t nr,
		const struct source_request *request, struct err *err);

/*
 * Reads the @nr recordings @files into @sources, each into one, and finds their names. The caller
 * keeps @files until source_deinit. Returns 0 or a negative errno with @err set. Call source_deinit
 * in both cases.
 */
int sources_load(struct source *sources, const char *const *files, size_t nr,
		 const struct source_request *request, struct err *err);

/*
 * Takes the rows out of the recording's model that the user does not want by facts other than names
 * of functions. Returns 0 or a negative errno with @err set. source_find_names calls it.
 */
int source_filter(struct source *source, struct err *err);

/*
 * Returns 0 if @source has samples that the user wants, or never had any. Else returns -ENOENT with
 * @err set. Call it after source_filter or source_find_names.
 */
int source_check_filter(const struct source *source, struct err *err);

/* Recordings that are read as one. */
struct source_files {
	const char *const *names;
	size_t nr;
};

/* Like sources_load; each of @sources is of the recordings of one of @files. */
int sources_load_sums(struct source *sources, const struct source_files *files, size_t nr,
		      const struct source_request *request, struct err *err);

/*
 * Finds the names of the frames in the recording's model, and takes the rows out that the user does
 * not want. Returns 0 or a negative errno with @err set.
 */
int source_find_names(struct source *source, struct source_search *search, struct err *err);

/* Empties the model and forgets the names, for the next interval. Returns 0 or -ENOMEM. */
int source_renew(struct source *source);

void source_deinit(struct source *source);

#endif
