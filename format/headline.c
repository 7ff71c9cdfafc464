// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/headline.h"

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

static void print_threads(FILE *out, const struct prof_meta *meta)
{
	if (meta->command && meta->command[0]) {
		fputc('\'', out);
		text_print(out, meta->command, TEXT_PLAIN);
		fputs("' (and its children)", out);
		return;
	}
	if (meta->nr_pids)
		print_ids(out, "PID", meta->pids, meta->nr_pids);
	else if (meta->nr_tids)
		print_ids(out, "TID", meta->tids, meta->nr_tids);
	else
		fputs("all threads", out);
}

char *headline_format(const struct prof_meta *meta, uint64_t duration_s)
{
	static const char *const sides[] = {
		[PROF_SIDES_BOTH] = "user + kernel",
		[PROF_SIDES_USER] = "user",
		[PROF_SIDES_KERNEL] = "kernel",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (meta->freq_hz)
		fprintf(out, "Sampling at %" PRIu64 " Hertz of ", meta->freq_hz);
	else
		fprintf(out, "Sampling at every %" PRIu64 " events of ", meta->period);
	print_threads(out, meta);
	fprintf(out, " by %s stack", sides[meta->sides]);
	if (meta->only_cpu)
		fprintf(out, " on CPU#%" PRIu32, meta->only_cpu - 1);
	if (duration_s)
		fprintf(out, " for %" PRIu64 " secs.", duration_s);
	else
		fputs("... Hit Ctrl-C to end.", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
