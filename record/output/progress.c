// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/headline.h"
#include "common/text.h"

/* Back to the first column, and erase to the end of the line (ECMA-48 EL). */
#define CLEAR_LINE "\r\033[K"

static const char *const loss_words[PROF_NR_LOSSES] = {
	[PROF_LOSS_STORAGE_FULL] = "storage full",
	[PROF_LOSS_REFUSED] = "refused by the kernel",
	[PROF_LOSS_WALK_FAILED] = "stack walk failed",
};

void progress_begin(const struct prof_meta *meta)
{
	struct headline headline = {
		.freq_hz = meta->freq_hz,
		.period = meta->period,
		.pids = meta->pids,
		.nr_pids = meta->nr_pids,
		.tids = meta->tids,
		.nr_tids = meta->nr_tids,
		.command = meta->command,
		.sides = (enum headline_sides)meta->sides,
		.only_cpu = meta->only_cpu,
		.duration_s = meta->duration_ns / NS_PER_S,
	};
	_cleanup_free_ char *line = headline_format(&headline);

	if (line)
		fprintf(stderr, "%s\n", line);
}

bool progress_has_status(void)
{
	return isatty(STDERR_FILENO);
}

void progress_clear(void)
{
	if (progress_has_status())
		fputs(CLEAR_LINE, stderr);
}

void progress_status(uint64_t elapsed_ns, uint64_t taken, uint64_t nr_stacks)
{
	fprintf(stderr, CLEAR_LINE "%" PRIu64 " s: %" PRIu64 " samples, %" PRIu64 " stacks drained",
		elapsed_ns / NS_PER_S, taken, nr_stacks);
	fflush(stderr);
}

void progress_cpu(uint32_t cpu, bool is_online)
{
	progress_clear();
	if (is_online)
		fprintf(stderr,
			"profrec: CPU %" PRIu32
			" came online: it is not sampled, and mappings that are made on it may be unknown\n",
			cpu);
	else
		fprintf(stderr,
			"profrec: CPU %" PRIu32
			" went offline: it is not sampled from now on, also when it comes back\n",
			cpu);
}

/* Prints ", 12 <what> (3 storage full, 9 refused by the kernel)" unless there are none. */
static void print_losses(const uint64_t losses[static PROF_NR_LOSSES], const char *what)
{
	const char *separator = "";
	uint64_t sum = 0;

	for (size_t i = 0; i < PROF_NR_LOSSES; i++)
		sum += losses[i];
	if (!sum)
		return;
	fprintf(stderr, ", %" PRIu64 " %s (", sum, what);
	for (size_t i = 0; i < PROF_NR_LOSSES; i++) {
		if (!losses[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", separator, losses[i], loss_words[i]);
		separator = ", ";
	}
	fputc(')', stderr);
}

static void print_command_status(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stderr, "profrec: the command exited with status %d\n",
			WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		fprintf(stderr, "profrec: the command was killed by signal %d (%s)\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
}

void progress_end(const struct progress_result *result)
{
	const struct prof_end *end = result->end;

	progress_clear();
	print_command_status(result->command_status);
	fprintf(stderr, "profrec: %" PRIu64 " samples in %" PRIu64 " stacks", end->counted,
		result->nr_stacks);
	print_losses(end->lost, "lost");
	print_losses(end->missed_user, "without their user stack");
	print_losses(end->missed_kernel, "without their kernel stack");
	if (end->lost_records)
		fprintf(stderr, ", %" PRIu64 " records of mappings lost", end->lost_records);
	if (end->unfollowed)
		fprintf(stderr, ", %" PRIu64 " children not followed", end->unfollowed);
	fprintf(stderr, ", %" PRIu64 " bytes in ", result->bytes);
	text_print(stderr, result->output, TEXT_PLAIN);
	fputc('\n', stderr);
}
