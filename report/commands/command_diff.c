// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profrep diff: what changed between recordings. The table has a verdict on each function; folded
 * stacks with both counts leave the verdict to the reader.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/compare_options.h"
#include "report/commands/page_output.h"
#include "report/commands/shared_options.h"
#include "report/compare/compared_sources.h"
#include "report/print/print_changes.h"
#include "report/model/event_choice.h"
#include "report/print/printers.h"

struct diff_options {
	struct source_request request;
	struct compare_request compare;
	bool normalize, json, markdown, all;
	const char *html; /* the file for a page; NULL: none */
	struct change_limits limits;
	string_vec files; /* those before, then those after */
	string_vec after; /* until the operands are taken */
	size_t nr_before;
};

/* A row of folded output is a stack, and names hold no ';'. */
static bool is_folded(const struct diff_options *o)
{
	return o->request.view.folded;
}

static int check_sides(const struct diff_options *o, struct err *err)
{
	size_t nr_input = 0;

	if (!o->nr_before || o->nr_before == o->files.nr)
		return err_set(
			err, -EINVAL,
			"command diff: needs two recordings, BEFORE and AFTER, or --before and --after");
	vec_for_each(&o->files, file)
		nr_input += !strcmp(*file, "-");
	if (nr_input > 1)
		return err_set(err, -EINVAL, "command diff: only one recording can be '-'");
	if (o->normalize && !is_folded(o) && !o->html)
		return err_set(err, -EINVAL, "option -n/--normalize: needs -f/--folded or --html");
	if (o->html && o->compare.by != TALLY_FUNCTIONS)
		return err_set(err, -EINVAL, "option --by: a page compares functions");
	if (o->limits.budgets.nr &&
	    (o->compare.by != TALLY_FUNCTIONS || o->compare.per != PER_SAMPLES))
		return err_set(err, -EINVAL, "option --budget: needs shares of functions");
	if (change_limits_check(&o->limits, err))
		return -EINVAL;
	return compare_request_check(&o->compare, o->nr_before, o->files.nr - o->nr_before, err);
}

static int take_diff_operands(void *options, int nr, char **operands, struct err *err)
{
	struct diff_options *o = options;
	bool has_sides = o->files.nr || o->after.nr;

	if ((nr && has_sides) || nr > 2) {
		err_set(err, -EINVAL, "unexpected operand '%s'", operands[has_sides ? 0 : 2]);
		return err_hint(err, -EINVAL,
				"'--before FILE... --after FILE...' compares several recordings");
	}
	for (int i = 0; i < nr; i++)
		if (vec_push(i ? &o->after : &o->files, operands[i]))
			return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	o->nr_before = o->files.nr;
	if (vec_append(&o->files, o->after.data, o->after.nr))
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	return check_sides(o, err);
}

/* One of the recordings may be of another function, or of another argument. */
static void warn_of_events(const struct source *sources, size_t nr, struct textbuf *warnings)
{
	const struct prof_meta *first = sources[0].rec.meta;

	for (size_t i = 1; i < nr; i++) {
		const struct prof_meta *other = sources[i].rec.meta;
		uint32_t event = sources[i].view.event;

		/* Recordings of samples alone name the event in the headline only. */
		if (!first->nr_events || !other->nr_events ||
		    (!strcmp(event_name(first, sources[0].view.event), event_name(other, event)) &&
		     !strcmp(event_weight(first, sources[0].view.event),
			     event_weight(other, event))))
			continue;
		textbuf_str(warnings, "WARNING: the events differ: ");
		print_event_name(first, sources[0].view.event, warnings);
		textbuf_str(warnings, " and ");
		print_event_name(other, event, warnings);
		textbuf_str(warnings, ".\n");
		return;
	}
}

/*
 * Checks that counts of a side add up, and that those of both sides compare unless they are scaled.
 */
static int check_rates(const struct diff_options *o, const struct source *sources, bool is_scaled,
		       struct err *err)
{
	size_t nr = o->files.nr, nr_before = o->nr_before;
	int ret;

	if (!is_scaled)
		return compared_sources_check_rates(sources, nr, err);
	ret = compared_sources_check_rates(sources, nr_before, err);
	return ret ? ret : compared_sources_check_rates(sources + nr_before, nr - nr_before, err);
}

static int print_both(const struct diff_options *o, struct source *sources, struct textbuf *out,
		      struct rows_summary *summary, struct err *err)
{
	_cleanup_free_ struct printout *printouts = calloc(o->files.nr, sizeof(*printouts));
	const struct printout_sides sides = {printouts, o->nr_before, o->files.nr};
	int ret = compared_sources_check(sources, o->files.nr, err);

	if (!ret)
		ret = check_rates(o, sources, o->normalize, err);
	if (ret)
		return ret;
	if (!printouts)
		return print_error_set(-ENOMEM, o->files.data[0], err);
	for (size_t i = 0; i < o->files.nr; i++)
		printouts[i] = source_printout(&sources[i], out);
	ret = print_diff(&sides, o->normalize, summary);
	if (ret != -EDOM)
		return print_error_set(ret, o->files.data[0], err);
	err_set(err, ret, "failed to normalize '%s': it holds no %s", o->files.data[0],
		event_unit(sources[0].rec.meta, sources[0].view.event));
	return err_hint(err, ret, "without -n the counts are compared as they are");
}

static struct source_files inputs_of(const struct diff_options *o)
{
	return (struct source_files){(const char *const *)o->files.data, o->files.nr};
}

/* Returns 0, or a negative errno with @err set if the page would replace a recording. */
static int check_page(const struct diff_options *o, struct err *err)
{
	const struct source_files inputs = inputs_of(o);
	const struct output_request request = {o->html, &inputs, 1};

	return o->html ? page_output_check(&request, o->files.data[0], err) : 0;
}

/*
 * The recordings are parts of one picture. Several on a side are compared by their shares, so the
 * picture has these, too.
 */
static int print_page(const struct diff_options *o, struct source *sources,
		      const struct changes_printout *changes, struct command_io *io,
		      struct err *err)
{
	_cleanup_(page_profile_deinit) struct page_profile profile = {0};
	const struct source_files inputs = inputs_of(o);
	const struct output_request request = {o->html, &inputs, 1};
	const bool is_scaled = o->normalize || (o->files.nr > 2 && o->compare.per == PER_SAMPLES);

	if (check_rates(o, sources, is_scaled, err))
		return -EINVAL;
	if (page_profile_init(&profile, o->files.nr))
		return print_error_set(-ENOMEM, o->files.data[0], err);
	for (size_t i = 0; i < o->files.nr; i++) {
		profile.parts[i].source = &sources[i];
		profile.parts[i].event = sources[i].view.event;
	}
	profile.nr_before = o->nr_before;
	profile.is_normalized = is_scaled;
	profile.changes = changes;
	return page_output_print(io, &request, o->files.data[0], &profile, 1, err);
}

static int print_verdicts(const struct diff_options *o, struct source *sources,
			  struct command_io *io, struct rows_summary *summary, struct err *err)
{
	struct compared_sources compared = {0};
	struct changes_printout p = {
		.comparison = &compared.comparison,
		.tally = &compared.tally,
		.per = o->compare.per,
		.work = o->compare.work_name,
		.all = o->all,
		.unit = o->request.view.unit,
		.filter = &o->request.filter,
		.span = &o->request.span,
	};
	int ret = compared_sources_make(&compared, sources, o->nr_before, o->files.nr, &o->compare,
					summary, err);

	if (!ret && o->request.filter.function && compared.tally.by == TALLY_FUNCTIONS &&
	    compared_sources_choose(&compared, o->request.filter.function))
		ret = err_set(err, -ENOMEM, "failed to compare: out of memory");
	terminal_look(&p.terminal, STDOUT_FILENO);
	p.is_off_cpu = event_is_off_cpu(sources[0].rec.meta, sources[0].view.event);
	if (!ret && o->html)
		ret = print_page(o, sources, &p, io, err);
	else if (!ret && o->json)
		print_changes_json(&p, &io->out);
	else if (!ret && o->markdown)
		print_changes_markdown(&p, &io->out);
	else if (!ret)
		print_changes(&p, &io->out);
	if (!ret)
		io->limits = change_limits_find(&o->limits, &compared.comparison, &compared.tally,
						&io->warnings);
	compared_sources_deinit(&compared);
	return ret;
}

static int run_diff(const void *options, struct command_io *io, struct err *err)
{
	const struct diff_options *o = options;
	_cleanup_free_ struct source *sources = calloc(o->files.nr, sizeof(*sources));
	struct source_request request = o->request;
	struct rows_summary summary = {0};
	int ret;

	if (!sources)
		return err_set(err, -ENOMEM, "failed to compare: out of memory");
	if (o->html)
		page_choose_names(&request.view);
	else if (!is_folded(o))
		compare_request_view(&o->compare, &request.view);
	/* Pages show time. With one recording a side, only the noise within is known. */
	request.span.keeps_slots = o->html || (!is_folded(o) && o->files.nr == 2);
	ret = check_page(o, err);
	if (!ret)
		ret = sources_load(sources, o->files.data, o->files.nr, &request, err);
	if (!ret && is_folded(o))
		ret = print_both(o, sources, &io->out, &summary, err);
	else if (!ret)
		ret = print_verdicts(o, sources, io, &summary, err);
	if (!ret)
		ret = command_io_finish(io, sources, o->files.nr, &summary, err);
	if (!ret)
		warn_of_events(sources, o->files.nr, &io->warnings);
	for (size_t i = 0; i < o->files.nr; i++)
		source_deinit(&sources[i]);
	return ret;
}

static void release_diff(void *options)
{
	struct diff_options *o = options;

	vec_free(&o->compare.work);
}

static int parse_limit(const char *text, void *target)
{
	return parse_percent(text, 0.001, 1e6, target);
}

#define FLAG_ROW(...)       OPTION_FLAG_ROW(struct diff_options, __VA_ARGS__)
#define DIFF_ROW(type, ...) OPTION_ROW(struct diff_options, type, __VA_ARGS__)

enum { GROUP_LAYOUTS = 2 };

static const struct option_spec side_rows[] = {
	DIFF_ROW(OPTION_WORDS, files, "before", 0, .metavar = "FILE...",
		 .help = "the recordings before; a verdict needs at least three"),
	DIFF_ROW(OPTION_WORDS, after, "after", 0, .metavar = "FILE...",
		 .help = "the recordings after"),
	FLAG_ROW(compare.is_paired, "pairs", 0,
		 .help = "recordings were interleaved: compare each with its neighbour"),
};

static const struct option_spec output_rows[] = {
	FLAG_ROW(all, "all", 'A', .help = "also print what has not changed"),
	FLAG_ROW(json, "json", 0, .exclusive = GROUP_LAYOUTS, .help = "print the table as JSON"),
	FLAG_ROW(request.view.folded, "folded", 'f', .exclusive = GROUP_LAYOUTS,
		 .help = "print folded stacks with both counts, for flame graphs"),
	DIFF_ROW(OPTION_STRING, html, "html", 0, .exclusive = GROUP_LAYOUTS, .metavar = "FILE",
		 .help = "write a page with a flame graph of the changes to FILE"),
	FLAG_ROW(normalize, "normalize", 'n',
		 .help = "with -f or --html, scale the counts before to the sum of those after"),
	FLAG_ROW(markdown, "markdown", 0, .exclusive = GROUP_LAYOUTS,
		 .help = "print a summary for a pull request"),
};

static const struct option_spec limit_rows[] = {
	DIFF_ROW(
		OPTION_PARSED, limits.change_percent, "fail-on-change", 0, .metavar = "PERCENT",
		.help = "exit with status 4 if something changed by this much or more, for better or worse",
		.parse = parse_limit, .kind = "a percentage above 0"),
	DIFF_ROW(OPTION_PARSED, limits.slower_percent, "fail-on-slower", 0, .metavar = "PERCENT",
		 .help = "exit with status 5 if something takes more by this much or more",
		 .parse = parse_limit, .kind = "a percentage above 0"),
	DIFF_ROW(
		OPTION_STRINGS, limits.budgets, "budget", 0, .metavar = "FUNCTION=PERCENT",
		.help = "exit with status 6 if FUNCTION, with all that it calls, takes more than PERCENT of all samples after; may be given several times"),
};

static const struct option_table own_options[] = {
	{side_rows, ARRAY_SIZE(side_rows), "recordings", NULL},
	{output_rows, ARRAY_SIZE(output_rows), "output", NULL},
	{limit_rows, ARRAY_SIZE(limit_rows), "limits", NULL},
};

const struct profrep_command diff_command = {
	COMMAND_TEXTS(
		"diff", "tell which functions changed between recordings",
		"  profrep diff --before a1.prof a2.prof a3.prof --after b1.prof b2.prof b3.prof\n"
		"  profrep diff --budget parse=20 --before a*.prof --after b*.prof\n"
		"  profrep diff --by stack --per cpu --before a*.prof --after b*.prof\n"
		"  profrep diff --per run=1 --fail-on-slower 10 --before a*.prof --after b*.prof\n"
		"                # by the CPU time of one run, for a test that does the same work\n"
		"  profrep diff -f old.prof new.prof | flamegraph.pl > diff.svg\n"
		"  profrep diff -f -n old.prof new.prof  # of different lengths\n"),
	.spec.usage = "[OPTIONS] --before FILE... --after FILE...\n"
		      "       profrep diff [OPTIONS] BEFORE AFTER",
	.spec.parts =
		{
			{&own_options[0], 0},
			{&own_options[1], 0},
			{&unit_options, offsetof(struct diff_options, request.view)},
			{&own_options[2], 0},
			{&compare_options, offsetof(struct diff_options, compare)},
			{&frame_options, offsetof(struct diff_options, request.view)},
			STACK_OPTION_PARTS(struct diff_options),
		},
	.options_size = sizeof(struct diff_options),
	.take_operands = take_diff_operands,
	.release = release_diff,
	.run = run_diff,
};
