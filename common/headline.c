// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/headline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"

/* Prints a Python list, also for one id. bcc does so since its -p takes several. */
static void print_ids(FILE *out, const char *what, const uint32_t *ids, size_t nr)
{
	fprintf(out, "%s [", what);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", ids[i]);
	fputc(']', out);
}

static void print_threads(FILE *out, const struct headline *h)
{
	if (h->command && h->command[0]) {
		fputc('\'', out);
		text_print(out, h->command, TEXT_PLAIN);
		fputs("' (and its children)", out);
		return;
	}
	if (h->nr_pids)
		print_ids(out, "PID", h->pids, h->nr_pids);
	else if (h->nr_tids)
		print_ids(out, "TID", h->tids, h->nr_tids);
	else
		fputs("all threads", out);
}

char *headline_format(const struct headline *h)
{
	static const char *const sides[] = {
		[HEADLINE_USER_KERNEL] = "user + kernel",
		[HEADLINE_USER] = "user",
		[HEADLINE_KERNEL] = "kernel",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (h->freq_hz)
		fprintf(out, "Sampling at %" PRIu64 " Hertz of ", h->freq_hz);
	else
		fprintf(out, "Sampling at every %" PRIu64 " events of ", h->period);
	print_threads(out, h);
	fprintf(out, " by %s stack", sides[h->sides]);
	if (h->only_cpu)
		fprintf(out, " on CPU#%" PRIu32, h->only_cpu - 1);
	if (h->duration_s)
		fprintf(out, " for %" PRIu64 " secs.", h->duration_s);
	else
		fputs("... Hit Ctrl-C to end.", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
