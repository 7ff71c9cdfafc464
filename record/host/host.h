/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the host for a recording: processor, memory, load. */
#ifndef RECORD_HOST_HOST_H
#define RECORD_HOST_HOST_H

#include "format/prof.h"
#include "record/host/processor.h"

#define HOST_BOOT_ID_SIZE 40

/* Buffers for the strings of a struct prof_host. */
struct host_names {
	char boot_id[HOST_BOOT_ID_SIZE];
	char cpu_model[PROCESSOR_MODEL_SIZE];
	char hypervisor[PROCESSOR_HYPERVISOR_SIZE];
};

/* Fills @host; its strings point into @names. Facts that are not known stay 0 or "". */
void host_describe(struct host_names *names, struct prof_host *host);

/* Reads the load averages, in the unit of prof_meta.loads. All are 0 if they are not known. */
void host_loads(uint64_t loads[PROF_NR_LOADS]);

#endif
