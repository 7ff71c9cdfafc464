/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of what the path of a cgroup says about a process. */
#ifndef REPORT_MODEL_CGROUP_TEXT_H
#define REPORT_MODEL_CGROUP_TEXT_H

#include "common/cgroup_facts.h"
#include "report/text/textbuf.h"

/* Appends the @part of @path to @out, not escaped. Returns what cgroup_part_find returns. */
static inline size_t cgroup_part_put(const char *path, enum cgroup_part part, struct textbuf *out)
{
	struct cgroup_name name;
	size_t end = cgroup_part_find(path, part, &name);
	char c;

	while (end && (c = cgroup_name_next(&name)))
		textbuf_char(out, c);
	return end;
}

#endif
