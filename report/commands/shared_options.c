// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/shared_options.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/annotate/source_text.h"
#include "report/model/timespan.h"
#include "report/view/source.h"
#include "report/view/view.h"

/* Groups of options that exclude each other. */
enum { GROUP_SIDES = 1, GROUP_LEADS };

#define VIEW_ROW(...) OPTION_FLAG_ROW(struct view, __VA_ARGS__)

static const struct option_spec frame_rows[] = {
	VIEW_ROW(delimited, "delimited", 'd',
		 .help = "put a delimiter between kernel and user frames"),
	VIEW_ROW(
		annotations, "annotations", 'a',
		.help = "mark frames: _[k] kernel, _[i] inlined, _[j] JIT, and functions of languages by their short names, as in _[py]"),
	VIEW_ROW(
		offsets, "offsets", 's',
		.help = "add the offset in the function, +0xOFF, to names, or :LINE in interpreted languages"),
	VIEW_ROW(modules, "modules", 'm', .help = "add the file or kernel module, [DSO], to names"),
	VIEW_ROW(per_process, "perpid", 'P',
		 .help = "count the hits of each process separately, as samples are"),
};

const struct option_table frame_options = {frame_rows, ARRAY_SIZE(frame_rows), "frames and names",
					   NULL};

static const struct option_spec debug_rows[] = {
	VIEW_ROW(inlines, "inlines", 'i',
		 .help = "show inlined functions as frames (needs debug information)"),
	VIEW_ROW(lines, "lines", 0, .help = "add FILE:LINE to names (needs debug information)"),
	VIEW_ROW(
		full_paths, "full-paths", 0,
		.help = "show whole paths: of FILE instead of its last two parts, of the DSO in tables instead of its name"),
};

const struct option_table debug_options = {debug_rows, ARRAY_SIZE(debug_rows), "frames and names",
					   NULL};

static const struct option_spec name_rows[] = {
	{
		.name = "unnamed",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct view, unnamed),
		.metavar = "KIND",
		.help = "show frames without a name as function, module or unknown (default auto: function in folded output, else unknown)",
		.words = OPTION_NAMES([UNNAMED_BY_LAYOUT] = "auto", [UNNAMED_FUNCTION] = "function",
				      [UNNAMED_MODULE] = "module", [UNNAMED_UNKNOWN] = "unknown"),
	},
	{
		.name = "demangle",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct view, demangle),
		.metavar = "STYLE",
		.help = "show names full, short, or as recorded (none; default auto: short in pages, else full)",
		.words = OPTION_NAMES([DEMANGLE_BY_LAYOUT] = "auto", [DEMANGLE_FULL] = "full",
				      [DEMANGLE_SHORT] = "short", [DEMANGLE_NONE] = "none"),
	},
	{
		.name = "frames",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct view, frames),
		.metavar = "KIND",
		.help = "show all frames (mixed), only machine code (native), or the functions of a language without its interpreter (language); default auto: language in top and tree if most samples have such functions, else mixed",
		.words.names = shown_frames_words,
	},
};

const struct option_table name_options = {name_rows, ARRAY_SIZE(name_rows), "frames and names",
					  NULL};

static const struct option_spec unit_rows[] = {
	{
		.name = "unit",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct view, unit),
		.metavar = "UNIT",
		.help = "print times and bytes with a unit (auto), times in s or ms, or all digits (raw) (default auto)",
		.words = OPTION_NAMES([AMOUNT_AUTO] = "auto", [AMOUNT_RAW] = "raw",
				      [AMOUNT_S] = "s", [AMOUNT_MS] = "ms"),
	},
};

const struct option_table unit_options = {unit_rows, ARRAY_SIZE(unit_rows), "output", NULL};

#define BY_LABEL_ROW(text)                                                                         \
	{                                                                                          \
		.name = "by-label", .type = OPTION_STRING,                                         \
		.offset = offsetof(struct view, by_label), .metavar = "KEY", .help = text,         \
		.exclusive = GROUP_LEADS,                                                          \
	}

static const struct option_spec label_rows[] = {
	BY_LABEL_ROW("count by the values that this label of requests has, as http.route"),
};

const struct option_table label_options = {label_rows, ARRAY_SIZE(label_rows), "output", NULL};

static const struct word_alias owner_aliases[] = {{"pid", OWNER_PROCESS}, {NULL, 0}};

static const struct option_spec lead_rows[] = {
	{
		.name = "by",
		.type = OPTION_CHOICE,
		.offset = offsetof(struct view, by),
		.metavar = "OWNER",
		.help = "begin stacks with the container, pod, unit of systemd, cgroup, service or process in place of the thread's name (default comm, the name)",
		.words = {.names = owner_words, .aliases = owner_aliases},
		.exclusive = GROUP_LEADS,
	},
	BY_LABEL_ROW(
		"begin stacks with the value that this label of the request has, as http.route, in place of the thread's name"),
};

const struct option_table lead_options = {lead_rows, ARRAY_SIZE(lead_rows), "frames and names",
					  NULL};

static const struct option_spec side_rows[] = {
	VIEW_ROW(user_only, "user-stacks-only", 'U', .exclusive = GROUP_SIDES,
		 .help = "show user frames only"),
	VIEW_ROW(kernel_only, "kernel-stacks-only", 'K', .exclusive = GROUP_SIDES,
		 .help = "show kernel frames only"),
};

const struct option_table side_options = {side_rows, ARRAY_SIZE(side_rows), "frames and names",
					  NULL};

static const struct option_spec event_rows[] = {
	{
		.name = "event",
		.type = OPTION_STRING,
		.metavar = "EVENT",
		.help = "report only this event: its name, or its number in 'profrep info'",
	},
};

const struct option_table event_options = {event_rows, ARRAY_SIZE(event_rows), "samples", NULL};

static const struct option_spec json_rows[] = {
	{.name = "json", .type = OPTION_FLAG, .help = "print JSON"},
};

const struct option_table json_options = {json_rows, ARRAY_SIZE(json_rows), "output", NULL};

static int parse_time(const char *text, void *target)
{
	return time_point_parse(text, target);
}

static const char time_hint[] =
	"times are 12.5 or 2m (since the start), 14:05:00, 2026-11-22T14:05:00, and with Z in UTC";

#define TIME_ROW(field, text)                                                                      \
	{                                                                                          \
		.name = #field, .type = OPTION_PARSED, .offset = offsetof(struct timespan, field), \
		.metavar = "TIME", .help = text, .parse = parse_time, .kind = "a time",            \
		.hint = time_hint,                                                                 \
	}

static const struct option_spec timespan_rows[] = {
	TIME_ROW(
		from,
		"report samples from TIME on: 12.5 or 2m since the start, or [YYYY-MM-DDT]HH:MM:SS"),
	TIME_ROW(to, "report samples up to TIME"),
};

static int check_timespan(const void *target, struct err *err)
{
	const struct timespan *span = target;

	if (span->to.kind != TIME_NONE && span->from.kind == span->to.kind &&
	    span->from.ns >= span->to.ns)
		return err_set(err, -EINVAL, "option --to: not later than --from");
	return 0;
}

const struct option_table timespan_options = {timespan_rows, ARRAY_SIZE(timespan_rows), "samples",
					      check_timespan};

static const struct option_spec thread_rows[] = {
	OPTION_FLAG_ROW(struct timespan, keeps_tids, "threads", 0,
			.help = "tell threads of one name apart by their ids, as NAME/TID"),
};

const struct option_table thread_options = {thread_rows, ARRAY_SIZE(thread_rows),
					    "frames and names", NULL};

const struct option_table owner_options = {filter_options, FILTER_DSO, "samples", NULL};

static int check_filter(const void *target, struct err *err)
{
	return sample_filter_check(target, err);
}

const struct option_table stack_options = {filter_options + FILTER_DSO,
					   NR_FILTER_STEPS - FILTER_DSO, "samples", check_filter};

static int parse_debug_dir(const char *text, void *target)
{
	struct debug_dirs *dirs = target;

	if (dirs->nr == DEBUG_DIRS_MAX)
		return -E2BIG;
	dirs->names[dirs->nr++] = text;
	return 0;
}

static const struct option_spec search_rows[] = {
	{
		.name = "symfs",
		.type = OPTION_STRING,
		.offset = offsetof(struct search_choice, symfs),
		.metavar = "DIR",
		.help = "look for binaries and debug files under DIR first",
	},
	{
		.name = "debug-dir",
		.type = OPTION_PARSED,
		.offset = offsetof(struct search_choice, debug_dirs),
		.metavar = "DIR",
		.help = "look for debug files in DIR as well; may be given up to 16 times",
		.parse = parse_debug_dir,
		.kind = "one of at most 16 directories",
	},
	{
		.name = "debuginfod",
		.type = OPTION_FLAG,
		.offset = offsetof(struct search_choice, debuginfod),
		.help = "fetch missing debug files from the servers in DEBUGINFOD_URLS",
	},
};

const struct option_table search_options = {search_rows, ARRAY_SIZE(search_rows), "symbols", NULL};

static int parse_source_dir(const char *text, void *target)
{
	struct source_dirs *dirs = target;

	if (dirs->nr == SOURCE_DIRS_MAX)
		return -E2BIG;
	dirs->names[dirs->nr++] = text;
	return 0;
}

static const struct option_spec source_rows[] = {
	{
		.name = "source",
		.type = OPTION_PARSED,
		.metavar = "DIR",
		.help = "look for source files below DIR, and nowhere else; may be given up to 16 times",
		.parse = parse_source_dir,
		.kind = "one of at most 16 directories",
	},
};

const struct option_table source_options = {source_rows, ARRAY_SIZE(source_rows), "output", NULL};
