/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that began and ended while their records waited, and had no sample. On a host that
 * starts a thousand programs a second hardly one in ten is sampled, and nobody will ever ask for
 * the mappings of the others. So their records need not be applied.
 *
 * A process is passed over if the records of its begin and its end are both there, if it has gone
 * from the host, so that no sample can follow, and if the same goes for all of its children, which
 * begin with what it has mapped. One that had the memory of its parent must not have mapped code
 * there.
 */
#ifndef RECORD_PROCESS_SHORT_LIVES_H
#define RECORD_PROCESS_SHORT_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/process/sideband.h"

struct short_life {
	uint32_t pid, parent_pid;
	uint64_t begin_ns, end_ns; /* end_ns: UINT64_MAX while the record of its end is missing */
	bool shares, has_exec;     /* it began with the memory of its parent; and has its own now */
	bool is_needed;            /* it had a sample, or mapped code in its parent's memory */
	bool has_child;            /* that is not passed over */
	bool is_passed;            /* over */
};

/* All zero: none. */
struct short_lives {
	VEC(struct short_life) lives; /* in the order of their begin */
	struct index by_pid;          /* of the lives */
};

/* Notes a record, each once, in the order of their times. A sideband_fn for struct short_lives. */
int short_lives_note(void *lives, const struct sideband_record *record);

/* Process @pid had a sample. */
void short_lives_need(struct short_lives *lives, uint32_t pid);

/*
 * All records up to @known_ns have been noted: decides which lives are passed over. @is_gone says
 * whether a process has gone from the host.
 */
void short_lives_judge(struct short_lives *lives, uint64_t known_ns, bool (*is_gone)(uint32_t pid));

/* Is the process of @record passed over? */
bool short_lives_pass(const struct short_lives *lives, const struct sideband_record *record);

/* The records up to @until_ns are applied. Forgets what began until then. Returns 0 or -ENOMEM. */
int short_lives_forget(struct short_lives *lives, uint64_t until_ns);

void short_lives_deinit(struct short_lives *lives);

#endif
