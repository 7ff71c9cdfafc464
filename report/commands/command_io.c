// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/command_io.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "report/model/event_choice.h"
#include "report/print/info_numbers.h"
#include "report/print/printers.h"

/* bcc's warning comes first, in bcc's words. */
static void warn_of_missing(struct textbuf *warnings, const struct rows_summary *summary)
{
	if (!summary->missed_stacks)
		return;
	textbuf_printf(warnings, "WARNING: %" PRIu64 " stack traces could not be displayed.%s\n",
		       summary->missed_stacks,
		       summary->is_storage_full ? " Consider increasing --stack-storage-size."
						: "");
}

static void warn_of_cuts(struct textbuf *warnings, const struct rows_summary *summary)
{
	if (summary->cut_stacks)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu64
			" stack traces were cut at the depth limit: their outermost frames are missing. Consider increasing --max-stack-depth.\n",
			summary->cut_stacks);
}

/* Warns of intervals with the samples of several. */
static void warn_of_held_up(struct textbuf *warnings, const struct rows_summary *summary,
			    uint64_t interval_ns)
{
	const bool is_one = summary->nr_held_up == 1;

	if (!summary->nr_held_up)
		return;
	textbuf_printf(
		warnings,
		"WARNING: the recorder was held up in %" PRIu64
		" interval%s, which lasted %s%.2f s instead of %g s: the reader of its output was too slow, or the host too busy. Consider recording to a file, or a longer --interval.\n",
		summary->nr_held_up, is_one ? "" : "s", is_one ? "" : "up to ",
		summary->held_up_ns / 1e9, interval_ns / 1e9);
}

/* Warns of @nr things of an event; @words follow the event's name. Without any, prints nothing. */
static void warn_of_number(struct textbuf *warnings, const struct recording *rec, uint32_t event,
			   uint64_t nr, const char *things, const char *words)
{
	if (!nr)
		return;
	textbuf_printf(warnings, "WARNING: %" PRIu64 " %s of ", nr, things);
	print_event_name(rec->meta, event, warnings);
	textbuf_printf(warnings, " %s.\n", words);
}

/* Warns of the gaps in the counts of one event. */
static void warn_of_event(struct textbuf *warnings, const struct recording *rec, uint32_t event)
{
	const struct prof_event_end *end = &rec->end->events[event];
	uint64_t lost;

	if (event_lost(end, &lost))
		warn_of_number(warnings, rec, event, lost, "hits", "were lost");
	warn_of_number(warnings, rec, event, end->overflows, "hits",
		       "were left out: a sum would have exceeded 64 bits");
	warn_of_number(warnings, rec, event, end->unattached, "functions or probes",
		       "could not be attached: their hits are missing");
	if (end->shed_gap > 1) {
		textbuf_str(warnings, "WARNING: counts of ");
		print_event_name(rec->meta, event, warnings);
		textbuf_printf(warnings,
			       " are estimates: one of up to %" PRIu64
			       " hits was counted for all of them (--shed).\n",
			       end->shed_gap);
	}
	if (end->every_nth <= 1)
		return;
	textbuf_str(warnings, "WARNING: of ");
	print_event_name(rec->meta, event, warnings);
	textbuf_printf(warnings, " one of %" PRIu64 " hits was counted.\n", end->every_nth);
}

static void warn_of_events(struct textbuf *warnings, const struct source *source)
{
	const struct recording *rec = &source->rec;

	if (!rec->end || !rec->end->nr_events)
		return;
	for (uint32_t i = 0; i < source->events.nr; i++)
		warn_of_event(warnings, rec, source->events.first + i);
}

/* Programs begin all the time, so a few of their stacks are worth no warning. */
#define EARLY_SHARE 100

/* Warns of stacks that were taken before the recorder could walk those of their program. */
static void warn_of_early_of(struct textbuf *warnings, const struct source *source, uint32_t event)
{
	const struct end_numbers nr = end_numbers_count(&source->rec.model, event);
	const struct prof_meta *meta = source->rec.meta;
	const enum amount_unit unit = source->view.unit;
	const uint64_t early = nr.by_end[PROF_STACK_EARLY];
	const uint8_t of_event = event_unit_number(meta, event);
	char part[AMOUNT_SIZE], all[AMOUNT_SIZE];

	if (!early || early < nr.all / EARLY_SHARE)
		return;
	textbuf_printf(
		warnings,
		"WARNING: %s of %s%s%s came before the unwind tables of their programs: their stacks may lack callers.\n",
		amount_text(early, of_event, unit, part), amount_text(nr.all, of_event, unit, all),
		amount_has_unit(of_event, unit) ? "" : " ",
		amount_has_unit(of_event, unit) ? "" : event_unit(meta, event));
}

static void warn_of_early(struct textbuf *warnings, const struct source *source)
{
	for (uint32_t i = 0; i < source->events.nr && !source->view.kernel_only; i++)
		warn_of_early_of(warnings, source, source->events.first + i);
}

static void warn_of_losses(struct textbuf *warnings, const struct recording *rec)
{
	const char *hits = rec->meta->nr_events ? "hits" : "samples";
	const struct prof_end *end = rec->end;

	if (!end)
		return;
	if (end->lost[PROF_LOSS_STORAGE_FULL])
		textbuf_str(warnings, "WARNING: hash table full. Consider increasing "
				      "--hash-storage-size.\n");
	if (end->lost[PROF_LOSS_REFUSED])
		textbuf_printf(warnings, "WARNING: %" PRIu64 " %s were lost: %s.\n",
			       end->lost[PROF_LOSS_REFUSED], hits,
			       rec->meta->backend == PROF_BACKEND_BPF
				       ? "the kernel refused them"
				       : "they could not be taken in time");
	if (end->lost[PROF_LOSS_WALK_FAILED])
		textbuf_printf(warnings,
			       "WARNING: %" PRIu64
			       " %s were lost: their stacks could not be walked.\n",
			       end->lost[PROF_LOSS_WALK_FAILED], hits);
	if (end->lost_records)
		textbuf_printf(warnings,
			       "WARNING: %" PRIu64
			       " address space records were lost: frames may be [unknown].\n",
			       end->lost_records);
	if (end->unfollowed)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu64
			" children could not be followed: they and their descendants are missing.\n",
			end->unfollowed);
	if (end->skipped)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu64
			" hits are missing, of any process: the kernel skipped them, because another program ran on the CPU.\n",
			end->skipped);
	if (end->mappings_left_out)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu64
			" mappings did not fit into the recorder's memory: frames may be [unknown]. Consider increasing --max-memory.\n",
			end->mappings_left_out);
	if (prof_end_counted_percent(end) < 100)
		textbuf_printf(
			warnings,
			"WARNING: '%s' was counted for %" PRIu32
			" %% of the time, since others used the counters of the CPUs: samples are missing.\n",
			rec->meta->event, prof_end_counted_percent(end));
	if (end->nr_cpus_changed)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu32
			" CPUs went offline or came online: they were not sampled all the time.\n",
			end->nr_cpus_changed);
}

static void warn_of_mangled(struct textbuf *warnings, const struct demangler_account *account)
{
	uint64_t nr = demangler_account_nr_left(account);

	if (nr)
		textbuf_printf(warnings,
			       "WARNING: %" PRIu64
			       " names stay mangled: to demangle them takes too long.\n",
			       nr);
}

static void warn_of_fetches(struct textbuf *warnings, const struct fetcher *fetched)
{
	static const char *const reasons[] = {
		[FETCH_TIMED_OUT] =
			"a debuginfod server did not answer in time (DEBUGINFOD_TIMEOUT)",
		[FETCH_TOO_SLOW] =
			"a debuginfod server sent less than 10 KiB a second (DEBUGINFOD_TIMEOUT)",
		[FETCH_TOOK_ALL_TIME] =
			"fetching from debuginfod servers took too long (DEBUGINFOD_MAXTIME)",
		[FETCH_INTERRUPTED] = "fetching was interrupted",
		[FETCH_BROKEN] = "debuginfod-find failed",
	};

	if (fetched->stop != FETCH_GOES_ON)
		textbuf_printf(warnings, "WARNING: %s: %u files were not fetched.\n",
			       reasons[fetched->stop], fetched->nr_given_up);
	if (fetched->nr_too_large)
		textbuf_printf(warnings, "WARNING: %u files were too large to fetch.\n",
			       fetched->nr_too_large);
}

static void warn_of_symbols(struct textbuf *warnings, const struct symbols *symbols)
{
	const struct source_frames *lines = &symbols->lines;
	const struct string *missing;

	if (symbols->nr_unread)
		textbuf_printf(warnings,
			       "WARNING: the debug information of %" PRIu32
			       " files takes too much work: functions and lines are missing.\n",
			       symbols->nr_unread);
	if (symbols->nr_too_large)
		textbuf_printf(warnings,
			       "WARNING: the symbols of %" PRIu32
			       " files take too much work or reading: their names are missing.\n",
			       symbols->nr_too_large);
	if (!lines->nr_missing)
		return;
	missing = &lines->files.items.data[lines->missing];
	textbuf_printf(warnings,
		       "WARNING: %" PRIu32
		       " files of split or shared debug information are missing, such as '",
		       lines->nr_missing);
	textbuf_escaped(warnings, missing->s, missing->len, TEXT_PLAIN);
	textbuf_str(warnings, "': their inlined functions are not shown.\n");
}

static void warn_of_selection(struct textbuf *warnings, const struct recording *rec)
{
	const struct selection *s = &rec->selection;
	const char *name = rec->selection_name ? rec->selection_name : rec->name;

	if (!selection_is_exceeded(s))
		return;
	textbuf_str(warnings, "WARNING: of '");
	textbuf_escaped(warnings, name, strlen(name), TEXT_PLAIN);
	textbuf_printf(warnings, "' %.3f s to %.3f s is shown: shorter parts are not told apart.\n",
		       s->begin_ns / 1e9, s->end_ns / 1e9);
}

static void warn_of_defect(struct textbuf *warnings, const char *name, const char *defect,
			   const char *words)
{
	textbuf_str(warnings, "WARNING: the recording '");
	textbuf_escaped(warnings, name, strlen(name), TEXT_PLAIN);
	textbuf_printf(warnings, "' %s: ", words);
	textbuf_escaped(warnings, defect, strlen(defect), TEXT_PLAIN);
	textbuf_char(warnings, '\n');
}

void command_io_add_gaps(struct command_io *io, const struct recording *rec)
{
	vec_for_each(&rec->gaps, gap)
		warn_of_defect(&io->warnings, gap->name, gap->reason,
			       gap->is_left_out ? "is left out" : "is incomplete");
	io->is_incomplete |= rec->gaps.nr > 0;
}

void command_io_add_recording(struct command_io *io, const struct recording *rec)
{
	warn_of_selection(&io->warnings, rec);
	if (!rec->end)
		warn_of_defect(&io->warnings, rec->name, rec->defect, "is incomplete");
	io->is_incomplete |= !rec->end;
	command_io_add_gaps(io, rec);
}

int command_io_finish(struct command_io *io, const struct source *sources, size_t nr,
		      const struct rows_summary *summary, struct err *err)
{
	int ret = print_flush(&io->out, err);

	if (ret)
		return ret;
	if (summary) {
		warn_of_missing(&io->warnings, summary);
		warn_of_cuts(&io->warnings, summary);
		warn_of_held_up(&io->warnings, summary, sources[0].rec.meta->interval_ns);
	}
	for (size_t i = 0; i < nr; i++) {
		if (summary)
			warn_of_early(&io->warnings, &sources[i]);
		warn_of_losses(&io->warnings, &sources[i].rec);
		warn_of_events(&io->warnings, &sources[i]);
		warn_of_mangled(&io->warnings, &sources[i].demangling);
		warn_of_symbols(&io->warnings, &sources[i].symbols);
		command_io_add_recording(io, &sources[i].rec);
	}
	/* All sources asked one after the other, so the last knows all. */
	warn_of_fetches(&io->warnings, &sources[nr - 1].fetched);
	return 0;
}

int command_io_print_tables(struct command_io *io, struct source *source, print_table_fn print,
			    struct err *err)
{
	struct terminal terminal;
	int ret;

	terminal_look(&terminal, STDOUT_FILENO);
	ret = source_print_tables(source, &io->out, print, &terminal);
	if (ret)
		return print_error_set(ret, source->rec.name, err);
	return command_io_finish(io, source, 1, NULL, err);
}

int command_io_print_json(struct command_io *io, struct source *source, print_json_fn print,
			  struct err *err)
{
	int ret = source_print_json(source, &io->out, print, NULL);

	if (ret)
		return print_error_set(ret, source->rec.name, err);
	return command_io_finish(io, source, 1, NULL, err);
}
