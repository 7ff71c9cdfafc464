// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/lacks.h"

#include <inttypes.h>

static const char *const kinds[PROF_NR_LACK_KINDS] = {
	[PROF_LACK_PROCESSES] = "processes",
	[PROF_LACK_MAPPINGS] = "mappings of processes",
	[PROF_LACK_TABLES] = "unwind tables",
	[PROF_LACK_INTERPRETERS] = "interpreters",
	[PROF_LACK_MACHINES] = "machines of Java or Erlang",
	[PROF_LACK_JIT_MAPS] = "maps of JIT code",
	[PROF_LACK_NAMES] = "names of files",
};

static void print_lack(struct textbuf *out, const struct prof_lack *lack)
{
	if (lack->uid == PROF_UID_UNKNOWN)
		textbuf_printf(out, "%" PRIu64 " of other users", lack->nr);
	else
		textbuf_printf(out, "%" PRIu64 " of user %" PRIu32, lack->nr, lack->uid);
}

void lacks_print(struct textbuf *out, const struct prof_end *end)
{
	for (uint32_t i = 0; i < end->nr_lacks; i++) {
		const struct prof_lack *lack = &end->lacks[i];

		if (!i || lack->kind != lack[-1].kind)
			textbuf_printf(out, "%s%s: ", i ? "; " : "", kinds[lack->kind]);
		else
			textbuf_printf(out, ", ");
		print_lack(out, lack);
	}
}
