// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/lacks.h"

#include <inttypes.h>

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
			textbuf_printf(out, "%s%s: ", i ? "; " : "",
				       prof_lack_words[lack->kind].things);
		else
			textbuf_printf(out, ", ");
		print_lack(out, lack);
	}
}
