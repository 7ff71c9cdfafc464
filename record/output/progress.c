// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/plural.h"
#include "common/text.h"
#include "format/headline.h"

/* Moves to the first column, and erases to the end of the line (ECMA-48 EL). */
#define CLEAR_LINE "\r\033[K"

void progress_init(struct progress *p, FILE *out, bool is_quiet)
{
	*p = (struct progress){
		.out = out,
		.is_quiet = is_quiet,
		.has_terminal = isatty(fileno(out)),
	};
}

void progress_clear(struct progress *p)
{
	if (p->has_line)
		fputs(CLEAR_LINE, p->out);
	p->has_line = false;
}

void progress_note(struct progress *p, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	if (p->is_quiet)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	progress_clear(p);
	/* One call is one write, into which other programs on the terminal cannot write theirs. */
	fprintf(p->out, "profrec: %s\n", text);
	free(text);
}

void progress_error(struct progress *p, const struct err *err)
{
	progress_clear(p);
	err_print(err, "profrec", p->out);
}

/* Prints the line that the reporter prints above the stacks of @event; NULL: of all samples. */
static void print_headline(struct progress *p, const struct prof_meta *meta,
			   const struct prof_event *event, uint64_t duration_ns)
{
	const struct headline_facts facts = {.duration_ns = duration_ns};
	_cleanup_free_ char *line = headline_format(meta, event, &facts);

	if (line)
		fprintf(p->out, "%s\n", line);
}

void progress_begin(struct progress *p, const struct prof_meta *meta, uint64_t duration_ns)
{
	if (p->is_quiet)
		return;
	for (uint32_t i = 0; i < meta->nr_events; i++)
		print_headline(p, meta, &meta->events[i], duration_ns);
	if (!meta->nr_events)
		print_headline(p, meta, NULL, duration_ns);
}

bool progress_has_status(const struct progress *p)
{
	return p->has_terminal && !p->is_quiet;
}

void progress_status(struct progress *p, uint64_t elapsed_ns, uint64_t taken, uint64_t nr_stacks)
{
	if (!progress_has_status(p))
		return;
	fprintf(p->out,
		CLEAR_LINE "%" PRIu64 " s: %" PRIu64 " sample%s, %" PRIu64 " stack%s drained",
		elapsed_ns / NS_PER_S, taken, plural_s(taken), nr_stacks, plural_s(nr_stacks));
	fflush(p->out);
	p->has_line = true;
}

/* Prints ", 12 <effect> (3 storage full, 9 refused by the kernel)", or nothing if all are 0. */
static void print_losses(FILE *out, const uint64_t losses[static PROF_NR_LOSSES],
			 const char *effect, uint8_t backend)
{
	const char *const words[PROF_NR_LOSSES] = {
		[PROF_LOSS_STORAGE_FULL] = "storage full",
		[PROF_LOSS_REFUSED] = loss_refused_text(backend),
		[PROF_LOSS_WALK_FAILED] = "stack walk failed",
	};
	const char *separator = "";
	uint64_t sum = 0;

	for (size_t i = 0; i < PROF_NR_LOSSES; i++)
		sum += losses[i];
	if (!sum)
		return;
	fprintf(out, ", %" PRIu64 " %s (", sum, effect);
	for (size_t i = 0; i < PROF_NR_LOSSES; i++) {
		if (!losses[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, losses[i], words[i]);
		separator = ", ";
	}
	fputc(')', out);
}

static void print_command_status(struct progress *p, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		progress_note(p, "the command exited with status %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		progress_note(p, "the command was killed by signal %d (%s)", WTERMSIG(status),
			      strsignal(WTERMSIG(status)));
}

/* Tells a user at a terminal how to look at the recording. */
static void print_next_command(struct progress *p, const char *output)
{
	fputs("profrec: next: profrep html ", p->out);
	text_print(p->out, output, TEXT_PLAIN);
	fputc('\n', p->out);
}

/* A recording without samples looks like a mistake. */
static void print_why_none(FILE *out, const struct progress_result *result)
{
	const struct prof_end *end = result->end;

	if (end->counted || end->taken)
		return;
	if (end->nr_events || result->is_of_event)
		fprintf(out,
			"profrec: hint: what was asked for did not happen (%" PRIu64
			" %s were left out by filters)\n",
			end->filtered, end->nr_events ? "hits" : "samples");
	else
		fprintf(out,
			"profrec: hint: nothing that was asked for ran on a CPU (%" PRIu64
			" samples were of others, %" PRIu64
			" of idle CPUs); --off-cpu records where threads wait\n",
			end->filtered, end->idle);
}

/* Runtimes are told if one of so many samples cannot be walked there. */
#define FEW_OF 20

/* The counts of hits may be sums of bytes or of time, and are in profrep info. */
static void print_runtimes(FILE *out, const struct progress_result *result)
{
	for (size_t i = 0; result->runtimes && !result->end->nr_events && i < result->runtimes->nr;
	     i++) {
		const struct runtime_stacks *of = &result->runtimes->of[i];
		const char *help = runtime_help(of->name);

		if (of->incomplete * FEW_OF < result->end->counted || !of->incomplete)
			continue;
		fprintf(out, "profrec: hint: %" PRIu64 " of %" PRIu64 " samples in ",
			of->incomplete, of->all);
		text_print(out, of->name, TEXT_PLAIN);
		fprintf(out, " end in code that cannot be walked%s%s\n", help ? "; " : "",
			help ? help : "");
	}
}

void progress_end(struct progress *p, const struct progress_result *result)
{
	const struct prof_end *end = result->end;
	bool to_file = strcmp(result->output, "-") != 0;

	if (p->is_quiet)
		return;
	progress_clear(p);
	print_command_status(p, result->command_status);
	fprintf(p->out, "profrec: %" PRIu64 " %s%s in %" PRIu64 " stack%s", end->counted,
		end->nr_events ? "hit" : "sample", plural_s(end->counted), result->nr_stacks,
		plural_s(result->nr_stacks));
	print_losses(p->out, end->lost, "lost", result->backend);
	print_losses(p->out, end->missed_user, "without their user stack", result->backend);
	print_losses(p->out, end->missed_kernel, "without their kernel stack", result->backend);
	if (end->lost_records)
		fprintf(p->out, ", %" PRIu64 " record%s of mappings lost", end->lost_records,
			plural_s(end->lost_records));
	if (end->unfollowed)
		fprintf(p->out, ", %" PRIu64 " children not followed", end->unfollowed);
	if (end->skipped)
		fprintf(p->out, ", %" PRIu64 " hit%s skipped by the kernel", end->skipped,
			plural_s(end->skipped));
	if (result->nr_beyond_labels)
		fprintf(p->out, ", %" PRIu64 " with labels beyond --max-labels",
			result->nr_beyond_labels);
	if (result->nr_beyond_traces)
		fprintf(p->out, ", %" PRIu64 " without their trace, beyond --max-labels",
			result->nr_beyond_traces);
	fprintf(p->out, ", %" PRIu64 " byte%s in ", result->bytes, plural_s(result->bytes));
	text_print(p->out, to_file ? result->output : "standard output", TEXT_PLAIN);
	fputc('\n', p->out);
	print_why_none(p->out, result);
	print_runtimes(p->out, result);
	if (p->has_terminal && to_file)
		print_next_command(p, result->output);
}
