/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that looks up names in anybody's files. It holds the files that it was sent, since
 * the processes that mapped them end. It can only read these files, and send memory back.
 */
#ifndef RECORD_SYMBOLS_NAMES_WORKER_H
#define RECORD_SYMBOLS_NAMES_WORKER_H

#include <stdint.h>

#include "common/buildid.h"
#include "record/looks/file_identity.h"
#include "record/children/worker_line.h"

/* Files that the process holds. */
#define NAMES_FILES_MAX 512

/*
 * The slot of a file that has just come. The recorder decides then whether it is kept, and where.
 */
#define NAMES_INBOX NAMES_FILES_MAX

enum names_order {
	NAMES_HOLD, /* comes with a file, which goes into the inbox. There is no reply */
	NAMES_KEEP, /* holds the file of the inbox under @slot. There is no reply */
	NAMES_DROP, /* closes the file of @slot. There is no reply */
	NAMES_ASK,  /* comes with memory: looks up its @nr sorted file offsets */
};

struct names_request {
	uint32_t order; /* enum names_order */
	uint32_t slot;  /* below NAMES_FILES_MAX, or the inbox; the tag of the reply */
	uint64_t nr;
	uint64_t cpu_max_ns; /* the CPU time after which the process ends */
	uint64_t urgent_ns;  /* CLOCK_MONOTONIC: from then on the recorder waits for the reply */
	/* NAMES_ASK: the file as it was mapped. Its identity counts if it has no build-id. */
	struct build_id build_id;
	struct file_identity identity;
};

/*
 * The reply to NAMES_ASK comes with memory (record/symbols/names_answer.h). Status -EBADF: no such
 * file is held. Status -ESTALE: somebody has written to the file since it was mapped, so its
 * symbols are others.
 */

/*
 * Call it in a new process. Answers requests from @sock until the other end is closed. No return.
 */
void names_worker_run(int sock);

#endif
