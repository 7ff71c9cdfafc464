/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples are wanted, as the programs need it: what the options name is looked up once,
 * before anything is loaded, so that a mistake is said at once. All filters must pass.
 */
#ifndef RECORD_SAMPLER_FILTERS_H
#define RECORD_SAMPLER_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/record_options.h"

#define FILTERS_ANY_UID UINT64_MAX

struct filters {
	const u32_vec *ids; /* processes or threads asked for, the options'; empty: all */
	bool ids_are_threads;
	bool follow;         /* also what is followed, or nothing else when there are no ids */
	const char *comm;    /* the options'; NULL: any */
	uint64_t uid;        /* or FILTERS_ANY_UID */
	uint32_t mntns_inum; /* 0: any */
	int cgroup_fd;       /* directory of cgroup v2; -1: any */
	int cgroup_map_fd;   /* pinned map with the ids of cgroups; -1: any */
	int mntns_map_fd;    /* the same with the inums of mount namespaces */
	u32_vec scan;        /* processes whose mappings are wanted; empty: all */
};

/*
 * Looks up what @options ask for and checks that it is there. Returns 0 or a negative errno with
 * @err set; filters_close is due in any case.
 */
int filters_open(struct filters *filters, const struct record_options *options, struct err *err);

void filters_close(struct filters *filters);

/*
 * What is asked for beyond processes, threads, a command and CPUs, as text for people. Returns a
 * string that the caller frees, "" when it is nothing, or NULL when memory is out.
 */
char *filters_format(const struct filters *filters, const struct record_options *options);

#endif
