/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of the machine in a recording: processor, memory, load. */
#ifndef RECORD_SYSTEM_HOST_H
#define RECORD_SYSTEM_HOST_H

#include "format/prof.h"

/* Longest name of a processor: three registers' worth of cpuid, thrice, and a NUL. */
#define HOST_CPU_MODEL_SIZE  49
#define HOST_HYPERVISOR_SIZE 13
#define HOST_BOOT_ID_SIZE    40

/* The strings behind a struct prof_host. */
struct host_names {
	char boot_id[HOST_BOOT_ID_SIZE];
	char cpu_model[HOST_CPU_MODEL_SIZE];
	char hypervisor[HOST_HYPERVISOR_SIZE];
};

/* Fills @host, whose strings are in @names; what cannot be had stays 0 or "". */
void host_describe(struct host_names *names, struct prof_host *host);

/* The load averages of now, 0 when they cannot be had. */
void host_loads(uint64_t loads[PROF_NR_LOADS]);

#endif
