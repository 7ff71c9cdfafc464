/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is being read: its description, its end, and the epochs between them merged into
 * a model. The model holds all epochs, those of a part, or those of one interval after another.
 */
#ifndef REPORT_MODEL_RECORDING_H
#define REPORT_MODEL_RECORDING_H

#include "common/err.h"
#include "format/reader.h"
#include "report/model/model.h"
#include "report/model/seen_names.h"
#include "report/model/slice_cut.h"
#include "report/model/timespan.h"

/* A recording, one of several, that was not read to its end. */
struct recording_gap {
	char *name, *reason;
	bool is_left_out; /* nothing of it was read */
};

/* recording_load, recordings_load or recording_open makes it. It must not move afterwards. */
struct recording {
	const char *name; /* name of the file, borrowed */
	struct model model;
	const struct prof_meta *meta; /* owned by the reader */
	const struct prof_end *end;   /* owned by the reader; NULL: the recording is incomplete */
	char *defect;                 /* the reader's reason for an incomplete recording */
	uint64_t nr_bytes;
	/* Of several recordings: the part of the one called selection_name, which was exceeded. */
	struct selection selection;
	const char *selection_name; /* NULL: name */
	struct slice_cut cut;       /* of the epoch that was read */
	bool is_partial;            /* the model gets some epochs of the recording only */
	bool is_renewed;            /* the model is of one part after another */
	bool keeps_tids;            /* as the timespan says */
	bool keeps_labels;          /* as well */
	struct seen_names seen;     /* of all epochs that were read, if so */
	uint64_t names_bytes;       /* of the recording, whose names have been seen */
	struct prof_reader *reader;
	int fd, owned_fd;       /* fd is read; owned_fd is closed at the end, -1: nothing */
	uint32_t nr_recordings; /* a merged one counts for all that it is made of */
	/*
	 * Of several recordings: meta and end point to these facts about all of them. meta of a
	 * merged one points to its description with the duration of all.
	 */
	struct recording *first;      /* owned; its model is empty */
	struct prof_meta shared_meta; /* the first's, with the duration of all */
	struct prof_end sums;
	VEC(struct prof_event_end) event_sums;
	VEC(struct recording_gap) gaps;
	uint64_t length_ns; /* of all: in the model, each begins where the one before it ends */
};

/*
 * Reads the epochs that overlap @span from the file @name; "-" is standard input. If the recording
 * is cut short or damaged after its description, its good part is loaded, and end is NULL. Returns
 * 0 or a negative errno with @err set.
 */
int recording_load(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err);

/*
 * Reads @nr recordings, and reports them as one: @rec is named after the first. Recordings that
 * cannot be read are left out, and @rec's gaps name them. Counts of different events or rates do
 * not add up, so such recordings are an error. So is a @span that is not one stretch of time in all
 * of them. Returns 0 or a negative errno with @err set, also if no recording could be read. One
 * recording is read by recording_load.
 */
int recordings_load(struct recording *rec, const char *const *names, size_t nr,
		    const struct timespan *span, struct err *err);

/*
 * Like recordings_load, but reads one recording as it reads several, and leaves out all of them if
 * none can be read: @rec's first is NULL then.
 */
int recordings_join(struct recording *rec, const char *const *names, size_t nr,
		    const struct timespan *span, struct err *err);

/* Returns 0 if counts of @rec and @one add up, else -EINVAL with @err set. Both are open. */
int recording_check_events(const struct recording *rec, const struct recording *one,
			   struct err *err);

/* Notes in @meta, which stands for several recordings, whether those of @one have its filters. */
void recording_share_filters(struct prof_meta *meta, const struct prof_meta *one);

/* Adds the facts of @end to @sums and to the sums of its events. */
void recording_add_end(struct prof_end *sums, struct prof_event_end *events,
		       const struct prof_end *end);

/* The words for a recording that was left when recording_is_over_budget. */
#define RECORDING_OVER_BUDGET "it takes far more memory than a recording of its size should"

/* Returns true if @rec's model takes too much memory for what was read, @more bytes included. */
bool recording_is_over_budget(const struct recording *rec, uint64_t more);

/*
 * Reads the description only, and leaves the model empty. Returns 0 or a negative errno with @err
 * set: -EDOM if @span names a time of a clock, and the recording is a merged one.
 */
int recording_open(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err);

enum { RECORDING_END = 0, RECORDING_EPOCH = 1 };

/*
 * Reads the names of all epochs ahead, because an epoch may bring names for those before it. Call
 * it after recording_open, where epochs are reported before the next is read. Standard input and
 * pipes are not read ahead. Returns 0 or a negative errno with @err set.
 */
int recording_read_names(struct recording *rec, struct err *err);

/*
 * Reads the next epoch that overlaps the span; it is valid until the next call. RECORDING_END means
 * that no epoch follows, and sets end or defect. Reads no byte ahead of need, so that a stream is
 * followed.
 */
int recording_next(struct recording *rec, const struct prof_epoch **epoch, struct err *err);

/* Adds an epoch to the model. Call recording_finish after the last one. */
int recording_add(struct recording *rec, const struct prof_epoch *epoch, struct err *err);

/* Completes the model after the last epoch. Returns 0 or a negative errno with @err set. */
int recording_finish(struct recording *rec, struct err *err);

/* Empties the model for the next interval. Returns 0 or -ENOMEM. */
int recording_renew(struct recording *rec);

/* Releases the recording; an all-zero recording is fine. */
void recording_deinit(struct recording *rec);

#endif
