/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run of the recorder sets up once, however many files it writes: the sampled CPUs, the
 * side-band and the address spaces made from it, the sampler, the kernel's symbols, the command.
 */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include <stdint.h>

#include "common/err.h"
#include "record/process/address_spaces.h"
#include "record/system/command.h"
#include "record/sampler/sampler.h"
#include "record/sampler/events.h"
#include "record/sampler/filters.h"
#include "record/symbols/jit.h"
#include "record/symbols/ksyms.h"
#include "record/process/new_processes.h"
#include "record/record_options.h"
#include "record/process/sideband.h"
#include "record/unwind/unwinder.h"
#include "record/symbols/vdso.h"

struct session {
	const struct record_options *options;
	struct err *err;
	u32_vec online, cpus; /* the sampled CPUs, ascending */
	u32_vec changed_cpus; /* that went offline or came online meanwhile */
	struct sideband *sideband;
	struct filters filters;
	uint32_t max_depth; /* frames of a stack */
	struct events events;
	struct sampler *sampler;
	struct unwinder *unwinder; /* NULL: stacks are walked along frame pointers */
	struct address_spaces spaces;
	struct new_processes new_processes;
	struct ksyms ksyms;
	struct vdso vdso;
	struct jit jit;
	struct command command;
};

/*
 * Checks what the options ask for: filters, stack depth, CPUs. Both pointers are
 * kept, and all errors of a session are worded into @err. Returns 0 or a negative errno;
 * session_deinit is due in any case.
 */
int session_init(struct session *session, const struct record_options *options, struct err *err);

/* Everything that needs no sampler yet: the side-band before the scan of /proc. */
int session_prepare(struct session *session);

/* Starts sampling, then what need not be there before: the command runs, kallsyms is read. */
int session_start(struct session *session);

/* Ends sampling: no sample is taken any more when it returns. */
void session_stop(struct session *session);

/* Takes over the side-band's records of up to @until_ns (CLOCK_MONOTONIC); as sideband_read. */
int session_apply_records(struct session *session, uint64_t until_ns);

/*
 * Looks which CPUs are online, and says of each that changes that it is not sampled. Returns 0 or
 * -ENOMEM with the error set.
 */
int session_watch_cpus(struct session *session);

/* Does what the unwinder has to do, if there is one. Returns 0 or a negative errno. */
int session_unwind(struct session *session);

/*
 * Forgets what ended before @time_ns and what was held for it; as address_spaces_forget. Returns 0
 * or -ENOMEM.
 */
int session_forget(struct session *session, uint64_t time_ns);

void session_deinit(struct session *session);

#endif
