/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the path of a cgroup says about a process: its container, pod and unit. Engines and systemd
 * put ids and names into the directories that they make. Only this part knows the forms: profrec
 * finds cgroups by them, and profrep reads the paths that a recording has. Of nested ones the
 * innermost counts.
 */
#ifndef COMMON_CGROUP_FACTS_H
#define COMMON_CGROUP_FACTS_H

#include <stdbool.h>
#include <stddef.h>

enum cgroup_part {
	CGROUP_CONTAINER = 0, /* an id of 64 digits, or the name that LXC or machined gave */
	CGROUP_POD,           /* the uid in Kubernetes, or the id that Podman gave */
	CGROUP_UNIT,          /* a service of systemd, or a scope that is no container */
	NR_CGROUP_PARTS,
};

/* The names of the parts, as labels and columns have them. */
extern const char *const cgroup_part_words[NR_CGROUP_PARTS];

/* The most digits that tools show of a container's id. */
#define CGROUP_SHORT_ID 12

/* A stretch of a path: what a directory says of a part, as it is there. */
struct cgroup_name {
	const char *s;
	size_t len;
	enum cgroup_part part;
};

/*
 * Finds the @part of the process in the cgroup @path. Returns the bytes of @path to the end of the
 * directory that tells, so that of two parts the inner one has more; 0 if no directory tells.
 */
size_t cgroup_part_find(const char *path, enum cgroup_part part, struct cgroup_name *name);

/*
 * Takes the next byte of @name, without the escapes of systemd: web\x2d1 is web-1. Returns '\0'
 * after the last one. It is not safe to print: whoever may make cgroups chooses it.
 */
char cgroup_name_next(struct cgroup_name *name);

/*
 * Do people mean @name by @word? The beginning of an id or uid is enough, and of a service the name
 * without .service.
 */
bool cgroup_name_is_meant(struct cgroup_name name, const char *word);

/* Returns true if @text is the id of a container, of which a prefix is enough for people. */
bool is_container_id(const char *text, size_t len);

/*
 * Do people mean by @word what has the label PART/PART/...? The last part alone is enough. Parts
 * that are not known are "".
 */
bool cgroup_label_is_meant(const char *const *parts, size_t nr, const char *word);

/*
 * Is the cgroup @path the one that people mean by @word, or below it? A path begins at the root of
 * the hierarchy, or where that is usually mounted: /sys/fs/cgroup. The first slash may be missing.
 * A name without any slash means each cgroup of that name.
 */
bool cgroup_is_within(const char *path, const char *word);

#endif
