/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two sections that hold one record each: description and end record, as attribute lists. */
#ifndef FORMAT_RECORDS_H
#define FORMAT_RECORDS_H

#include "common/cursor.h"
#include "format/bytes.h"
#include "format/columns.h"
#include "format/fault.h"
#include "format/prof.h"

/*
 * Encodes a description. Returns 0, -E2BIG if a string or list exceeds its limit, -EINVAL, or
 * -ENOMEM.
 */
int meta_encode(const struct prof_meta *meta, struct bytes *b);

#define META_NR_LISTS 2

/* A decoded description and its memory. An all-zero one is empty. */
struct meta_record {
	struct prof_meta meta;
	char *text; /* the strings, NUL-terminated */
	uint32_t *lists[META_NR_LISTS];
	struct prof_event *events;
	char *event_text; /* their strings, NUL-terminated */
};

/*
 * Decodes a description. meta.nr_events says how many events the section after it has; they are
 * still missing. Returns 0, -EBADMSG or -ENOMEM. Call meta_deinit in every case.
 */
int meta_decode(struct meta_record *record, struct cursor *payload, struct fault *fault);
void meta_deinit(struct meta_record *record);

/*
 * The table of the events of a recording, as a section after the description. The encoder returns
 * 0, -E2BIG, -EINVAL or -ENOMEM, the decoder 0, -EBADMSG or -ENOMEM.
 */
int events_encode(const struct prof_meta *meta, struct columns *cols);
int events_decode(struct meta_record *record, struct cursor *payload, struct fault *fault);

/* The end record, and the facts about the container in it. */
struct end_record {
	struct prof_end end;
	uint64_t nr_sections;          /* before this one */
	uint64_t bytes;                /* before this section */
	uint64_t *cpu_taken;           /* decoded: memory of end.cpu_taken */
	struct prof_event_end *events; /* decoded: memory of end.events */
};

/* Encodes an end record. Returns 0, -E2BIG if a list exceeds its limit, -EINVAL, or -ENOMEM. */
int end_encode(const struct end_record *record, struct bytes *b);

/*
 * Decodes the end record of a recording with @nr_events events. Returns 0, -EBADMSG or -ENOMEM.
 * Call end_deinit in every case.
 */
int end_decode(struct end_record *record, uint32_t nr_events, struct cursor *payload,
	       struct fault *fault);
void end_deinit(struct end_record *record);

#endif
