/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches changes of memory that the kernel's side-band leaves out (bpf/count/memory_changes.h),
 * and adds them to the side-band's records. For moves of code, the program runs at the end of
 * mremap alone (fexit). Locked-down kernels refuse that. There the program is on the tracepoint of
 * mremap's exit, for which every system call of the host takes 10 ns more.
 */
#ifndef RECORD_SAMPLING_BPF_MEMORY_WATCH_H
#define RECORD_SAMPLING_BPF_MEMORY_WATCH_H

#include <stdbool.h>

#include "common/err.h"
#include "record/process/sideband.h"

struct bpf_link;
struct profrec_bpf;
struct ring_buffer;

/* All zero: watches nothing. */
struct memory_watch {
	struct profrec_bpf *bpf;
	struct sideband *sideband;
	struct ring_buffer *changes;
	struct bpf_link *links[3];
	size_t nr_links;
	bool sees_moves; /* does the kernel tell of mremap? */
};

/* Call it before the programs are loaded: chooses those that this kernel takes. */
void memory_watch_choose(struct profrec_bpf *bpf);

/*
 * Attaches the programs. @bpf and @sideband must outlive the watch. Not to see moves is no error.
 * Returns 0 or a negative errno with @err set. The end is due in any case.
 */
int memory_watch_begin(struct memory_watch *watch, struct profrec_bpf *bpf,
		       struct sideband *sideband, struct err *err);

/* Adds the changes so far to the side-band's records. Returns 0 or -ENOMEM. */
int memory_watch_read(struct memory_watch *watch);

void memory_watch_end(struct memory_watch *watch);

#endif
