// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/print/print_intervals.h"
#include "report/print/printers.h"
#include "report/print/source.h"

/* So many bytes of binaries and debug files are read for a report, all together. */
#define FILES_BYTES_MAX (UINT64_C(64) << 30)

/* Reads a recording, with the names if it is to be printed with them. */
static int load(struct source *source, const struct report_options *opts, const char *file,
		const struct debug_roots *roots, struct err *err)
{
	int ret = recording_load(&source->rec, file, &opts->span, err);

	if (ret || opts->info || opts->processes)
		return ret;
	return source_find_names(source, roots, &opts->view, err);
}

/* bcc's warnings first, in its words. */
static void warn_of_missing(struct textbuf *warnings, const struct walk_summary *summary)
{
	if (!summary->missed_stacks)
		return;
	textbuf_printf(warnings, "WARNING: %" PRIu64 " stack traces could not be displayed.%s\n",
		       summary->missed_stacks,
		       summary->is_storage_full ? " Consider increasing --stack-storage-size."
						: "");
}

static void warn_of_cuts(struct textbuf *warnings, const struct walk_summary *summary)
{
	if (summary->cut_stacks)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu64
			" stack traces were cut at the depth limit: their outermost frames are missing. Consider increasing --max-stack-depth.\n",
			summary->cut_stacks);
}

static void warn_of_losses(struct textbuf *warnings, const struct recording *rec)
{
	const struct prof_end *end = rec->end;

	if (!end)
		return;
	if (end->lost[PROF_LOSS_STORAGE_FULL])
		textbuf_str(warnings, "WARNING: hash table full. Consider increasing "
				      "--hash-storage-size.\n");
	if (end->lost[PROF_LOSS_REFUSED])
		textbuf_printf(warnings,
			       "WARNING: %" PRIu64 " samples were lost: the kernel refused them.\n",
			       end->lost[PROF_LOSS_REFUSED]);
	if (end->lost[PROF_LOSS_WALK_FAILED])
		textbuf_printf(warnings,
			       "WARNING: %" PRIu64
			       " samples were lost: their stacks could not be walked.\n",
			       end->lost[PROF_LOSS_WALK_FAILED]);
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
	if (end->nr_cpus_changed)
		textbuf_printf(
			warnings,
			"WARNING: %" PRIu32
			" CPUs went offline or came online: they were not sampled all the time.\n",
			end->nr_cpus_changed);
}

static void warn_of_selection(struct textbuf *warnings, const struct recording *rec)
{
	const struct selection *s = &rec->selection;

	if (!selection_is_exceeded(s))
		return;
	textbuf_str(warnings, "WARNING: of '");
	textbuf_escaped(warnings, rec->name, strlen(rec->name), TEXT_PLAIN);
	textbuf_printf(warnings, "' %.3f s to %.3f s is shown: shorter parts are not told apart.\n",
		       s->begin_ns / 1e9, s->end_ns / 1e9);
}

static void warn_of_defect(struct textbuf *warnings, const struct recording *rec)
{
	if (rec->end)
		return;
	textbuf_str(warnings, "WARNING: the recording '");
	textbuf_escaped(warnings, rec->name, strlen(rec->name), TEXT_PLAIN);
	textbuf_str(warnings, "' is incomplete: ");
	textbuf_escaped(warnings, rec->defect, strlen(rec->defect), TEXT_PLAIN);
	textbuf_char(warnings, '\n');
}

static int print_error(const struct report_options *opts, int ret, struct err *err)
{
	if (ret == -EDOM) {
		err_set(err, ret, "failed to normalize '%s': it holds no samples", opts->files[0]);
		return err_hint(err, ret, "without -n the counts are compared as they are");
	}
	if (ret == -EOVERFLOW)
		return err_set(err, ret,
			       "failed to report '%s': its frames add up to more than 64 bits",
			       opts->files[0]);
	return err_set(err, ret, "failed to report '%s': %s", opts->files[0], strerror(-ret));
}

/* Prints @nr sources: two for a diff. */
static int print(const struct report_options *opts, struct source *sources, struct textbuf *out,
		 struct walk_summary *summary)
{
	struct printout p[2];
	int ret;

	for (int i = 0; i < 2; i++)
		p[i] = (struct printout){
			.rec = &sources[i].rec,
			.symbols = &sources[i].symbols,
			.labels = &sources[i].labels,
			.view = &opts->view,
			.out = out,
		};
	if (opts->info)
		return print_info(&sources[0].rec, out);
	if (opts->processes)
		return print_processes(&sources[0].rec, out);
	if (opts->dsos)
		return print_dsos(&p[0]);
	if (opts->diff)
		return print_diff(&p[0], &p[1], opts->normalize, summary);
	if (opts->view.folded)
		return print_folded(&p[0], summary);
	ret = print_headline(&p[0]);
	textbuf_char(out, '\n');
	return ret ? ret : print_stacks(&p[0], summary);
}

/* Reads and prints everything. */
static int report(const struct report_options *opts, const struct debug_roots *roots,
		  struct source sources[2], struct textbuf *out, struct walk_summary *summary,
		  struct err *err)
{
	int ret;

	if (opts->timestamp)
		return print_intervals(opts, &sources[0], roots, out, summary, err);
	for (int i = 0; i < 2 && opts->files[i]; i++) {
		ret = load(&sources[i], opts, opts->files[i], roots, err);
		if (ret)
			return ret;
	}
	ret = print(opts, sources, out, summary);
	return ret ? print_error(opts, ret, err) : 0;
}

static int run(const struct report_options *opts, const struct debug_roots *roots,
	       struct source sources[2], struct textbuf *out, struct textbuf *warnings,
	       struct err *err)
{
	int nr = opts->diff ? 2 : 1;
	struct walk_summary summary = {0};
	int ret;

	ret = report(opts, roots, sources, out, &summary, err);
	if (ret)
		return ret;
	ret = textbuf_flush(out);
	if (ret)
		return err_set(err, ret, "failed to write the report: %s", strerror(-ret));
	warn_of_missing(warnings, &summary);
	warn_of_cuts(warnings, &summary);
	for (int i = 0; i < nr; i++) {
		if (!opts->info)
			warn_of_losses(warnings, &sources[i].rec);
		warn_of_selection(warnings, &sources[i].rec);
		warn_of_defect(warnings, &sources[i].rec);
	}
	return 0;
}

int report_run(const struct report_options *opts, struct textbuf *out, struct textbuf *warnings,
	       bool *is_incomplete, struct err *err)
{
	struct file_budget budget = {.bytes_left = FILES_BYTES_MAX};
	struct debug_roots roots = {.symfs_fd = -1, .budget = &budget};
	struct source sources[2] = {0};
	int ret = 0;

	if (opts->symfs)
		ret = debug_roots_open(&roots, opts->symfs, err);
	if (!ret)
		ret = run(opts, &roots, sources, out, warnings, err);
	if (!ret)
		*is_incomplete = !sources[0].rec.end || (opts->diff && !sources[1].rec.end);
	for (int i = 0; i < 2; i++)
		source_deinit(&sources[i]);
	debug_roots_close(&roots);
	return ret;
}
