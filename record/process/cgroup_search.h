/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a cgroup by what people call it: the name of its directory, or the container, pod or unit
 * that it is. The forms of these are those of common/cgroup_facts.h, and the names that engines
 * gave to containers those of container_names.h.
 */
#ifndef RECORD_PROCESS_CGROUP_SEARCH_H
#define RECORD_PROCESS_CGROUP_SEARCH_H

#include "common/cgroup_facts.h"
#include "common/err.h"

/* The most cgroups that are searched. Users may make any number of them. */
#define CGROUP_SEARCH_MAX 65536

/* What @word names: a part of the path, or the directory itself. */
struct cgroup_wanted {
	const char *word;
	enum cgroup_part part; /* NR_CGROUP_PARTS: a directory of the name @word */
};

/*
 * Searches the hierarchy of cgroup v2 of this host. *@path receives the directory, which the caller
 * frees. Returns 0 or a negative errno with @err set: -ENOENT if there is none, -EINVAL if there
 * are several, or no hierarchy.
 */
int cgroup_search(const struct cgroup_wanted *wanted, char **path, struct err *err);

/*
 * The same in the hierarchy below the directory @root. @has_v1 says whether hierarchies of cgroup
 * v1 are mounted beside it.
 */
int cgroup_search_below(const char *root, bool has_v1, const struct cgroup_wanted *wanted,
			char **path, struct err *err);

/*
 * Sets *@path to where @word, a path below the root of the hierarchy, is on this host. The caller
 * frees it. Returns 0, -ENOENT without a hierarchy, or -ENOMEM.
 */
int cgroup_place(const char *word, char **path);

#endif
