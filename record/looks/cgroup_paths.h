/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of cgroups that the program has told of by their ids. A cgroup may be removed with its
 * last process, so each is looked up as soon as it is told of. Processes may make any number of
 * cgroups: when there are too many, the older half of them is forgotten. The paths are those of
 * /proc/PID/cgroup, of the unified hierarchy (cgroup v2).
 */
#ifndef RECORD_LOOKS_CGROUP_PATHS_H
#define RECORD_LOOKS_CGROUP_PATHS_H

#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/looks/looker.h"
#include "record/shares/memory_budget.h"

struct cgroup_path {
	uint64_t id;
	char *path; /* NULL: not known */
};

/* All zero but the pointers: empty. */
struct cgroup_paths {
	struct looker *looker;        /* NULL: this process looks itself */
	struct memory_budget *memory; /* NULL: nobody counts */
	VEC(struct cgroup_path) known;
	struct index by_id;
};

/* Is there a unified hierarchy? Without it, the ids that the program tells lead to no path. */
bool cgroup_paths_have_ids(void);

/* Looks the cgroup @id up, unless it is known. Returns 0, also if it has gone, or -ENOMEM. */
int cgroup_paths_look(struct cgroup_paths *paths, uint64_t id);

/* The path of the cgroup @id, or NULL. Valid until the next look. */
const char *cgroup_paths_find(const struct cgroup_paths *paths, uint64_t id);

/*
 * A process that was told of in the cgroup @id has @path in /proc. This is of use where the kernel
 * lets nobody open a cgroup by its id. Returns 0 or -ENOMEM.
 */
int cgroup_paths_learn(struct cgroup_paths *paths, uint64_t id, const char *path);

/*
 * *@id receives an id for the cgroup that /proc tells of @pid, with its path; 0 if it tells of
 * none. It is not the kernel's id. Returns 0 or -ENOMEM.
 */
int cgroup_paths_of_process(struct cgroup_paths *paths, uint32_t pid, uint64_t *id);

/*
 * Finds the mount of cgroup v2 in the text of /proc/self/mountinfo. @root receives the directory of
 * the hierarchy that is mounted, and @point the place, each of PATH_MAX bytes. Returns false if
 * there is none.
 */
bool cgroup_mount_parse(const char *mountinfo, char *root, char *point);

void cgroup_paths_deinit(struct cgroup_paths *paths);

#endif
