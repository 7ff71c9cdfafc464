/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the path of a cgroup says about a process: its container, pod and unit. Engines and systemd
 * put ids and names into the directories that they make. The recording has the path as it is, and
 * only this part knows the forms. Of nested ones the innermost counts.
 */
#ifndef REPORT_MODEL_WORKLOAD_H
#define REPORT_MODEL_WORKLOAD_H

#include "report/text/textbuf.h"

enum workload_part {
	WORKLOAD_CONTAINER = 0, /* an id of 64 digits, or the name that LXC or machined gave */
	WORKLOAD_POD,           /* the uid in Kubernetes, or the id that Podman gave */
	WORKLOAD_UNIT,          /* a service of systemd, or a scope that is no container */
	NR_WORKLOAD_PARTS,
};

/* The names of the parts, as labels and columns have them. */
extern const char *const workload_words[NR_WORKLOAD_PARTS];

/* The most digits that tools show of a container's id. */
#define WORKLOAD_SHORT_ID 12

/*
 * Appends the @part of the process in the cgroup @path to @out, not escaped: whoever may make
 * cgroups chooses it. Returns the bytes of @path to the end of the directory that tells, so that of
 * two parts the inner one has more; 0 if no directory tells.
 */
size_t workload_put(const char *path, enum workload_part part, struct textbuf *out);

/* Returns true if @text is the id of a container, of which a prefix is enough for people. */
bool workload_is_id(const char *text, size_t len);

#endif
