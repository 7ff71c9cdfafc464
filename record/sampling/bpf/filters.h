/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters choose samples by process, thread, user, cgroup or mount namespace. filters_open
 * looks up every name before any program is loaded, so that the user hears of a mistake at once.
 * The BPF programs take a sample only if it passes all filters.
 */
#ifndef RECORD_SAMPLING_BPF_FILTERS_H
#define RECORD_SAMPLING_BPF_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"

#define FILTERS_ANY_UID UINT64_MAX

/* The filters that the user asks for. All pointers are borrowed. */
struct filter_options {
	/* Processes or threads; one list is empty, and if both are, all threads pass. */
	const u32_vec *pids, *tids;
	bool follow_pids;   /* the descendants of pids, too */
	bool has_command;   /* only a command and its descendants */
	const char *comm;   /* name of threads; NULL: any */
	uint64_t uid;       /* real user id, or FILTERS_ANY_UID */
	const char *cgroup; /* path or name of a directory of cgroup v2; NULL: any */
	/* Other words for one, of which at most one is given: what it is. */
	const char *container, *pod, *unit;
	const char *cgroup_map; /* path of a pinned map, keyed by ids of cgroups; NULL: any */
	uint64_t mntns;         /* id of a process in the mount namespace; 0: any namespace */
	const char *mntns_map;  /* path of a pinned map, keyed by inode numbers; NULL: any */
	/* Shorter and longer times off the CPU are left out; 0: none. Events see to it. */
	uint64_t min_wait_us, max_wait_us;
};

struct filters {
	struct filter_options options;
	const u32_vec *ids; /* the pids or tids of the options; NULL: filters_open was not called */
	bool ids_are_threads;
	bool follow;         /* marked processes pass, also if there are no ids */
	uint32_t mntns_inum; /* inode number of the mount namespace; 0: any */
	int cgroup_fd;       /* directory of cgroup v2; -1: any */
	char *cgroup_path;   /* its path, as the user gave or the search found it; NULL: any */
	uint64_t cgroup_id;  /* the kernel's id of that directory */
	int cgroup_map_fd;   /* -1: any cgroup */
	int mntns_map_fd;    /* -1: any mount namespace */
	u32_vec scan;        /* processes whose mappings are wanted; empty: all */
};

/*
 * Looks up the objects that @options name, and checks that they exist. Copies @options, but none of
 * the strings and vectors. Returns 0 or a negative errno with @err set. The caller calls
 * filters_close in either case.
 */
int filters_open(struct filters *filters, const struct filter_options *options, struct err *err);

/* Adds the ids of the processes of the cgroup that is open at @fd. Returns 0 or -ENOMEM. */
int cgroup_members(int fd, u32_vec *pids);

void filters_close(struct filters *filters);

/*
 * Describes to people which filters there are beside processes, threads, a command and CPUs.
 * Returns a string that the caller frees, "" when there are no such filters, or NULL when memory is
 * out.
 */
char *filters_format(const struct filters *filters);

#endif
