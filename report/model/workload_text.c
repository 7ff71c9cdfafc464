// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/workload_text.h"

size_t workload_put(const char *path, enum workload_part part, struct textbuf *out)
{
	struct workload_name name;
	size_t end = workload_find(path, part, &name);
	char c;

	while (end && (c = workload_next(&name)))
		textbuf_char(out, c);
	return end;
}
