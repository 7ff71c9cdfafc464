// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/parse_options.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "bpf/shared.h"
#include "common/cleanup.h"
#include "common/command_line.h"
#include "common/search_path.h"
#include "format/prof.h"
#include "record/languages/language_table.h"
#include "record/output/outname.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/library.h"
#include "record/probes/tracepoints.h"

#define COMM_MAX 15 /* bytes: TASK_COMM_LEN - 1 */

static char *join_arguments(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (int i = 0; i < argc; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Adds the hint to an error about @word, which may be the command to record. */
static int hint_at_command(const char *word, struct err *err)
{
	const char *hint = program_foreign_hint(&record_program, word);

	if (hint)
		return err_hint(err, -EINVAL, "%s", hint);
	if (!search_path_has(word))
		return err_hint(err, -EINVAL, "'profrec --help' shows the usage");
	return err_hint(err, -EINVAL, "to record a command, put -- before it: 'profrec -- %s'",
			word);
}

static int parse_operands(struct record_options *options, int nr, char **operands, struct err *err)
{
	const char *text = operands[0];
	int ret;

	if (!nr)
		return 0;
	ret = parse_duration(text, NS_PER_MS, DURATION_MAX_NS, &options->duration_ns);
	if (ret == -ERANGE)
		return err_set(err, -EINVAL, "duration %s is out of range (1ms to %llus)", text,
			       (unsigned long long)(DURATION_MAX_NS / NS_PER_S));
	if (ret) {
		err_set(err, -EINVAL, "'%s' is not a duration", text);
		return search_path_has(text) || program_foreign_hint(&record_program, text)
			       ? hint_at_command(text, err)
			       : err_hint(err, -EINVAL, OPTION_DURATION_HINT);
	}
	if (nr > 1) {
		err_set(err, -EINVAL, "unexpected argument '%s'", operands[1]);
		return hint_at_command(operands[1], err);
	}
	if (options->duration_ns == DURATION_MAX_NS)
		options->duration_ns = 0; /* bcc takes this number for no limit */
	return 0;
}

static int refuse_modifiers(const char *text, struct err *err)
{
	err_set(err, -EINVAL, "option -e/--event: '%s' has modifiers that are not supported", text);
	return err_hint(
		err, -EINVAL,
		"u (user space) and k (kernel) are, but for tracepoints; -U and -K choose whose stacks are taken");
}

/* A function of the kernel may have the name of an event of perf's. */
static int check_ambiguity(const char *text, struct err *err)
{
	/* No function has such a name, and looking for one takes time. */
	if (strpbrk(text, "-:") || !kernel_functions_have(text))
		return 0;
	err_set(err, -EINVAL,
		"option -e/--event: '%s' is an event of perf's and a function of the kernel", text);
	return err_hint(err, -EINVAL, "p::%s is the function", text);
}

static int set_sampled(struct record_options *o, const struct event_name *event, size_t position,
		       struct err *err)
{
	if (o->event_text) {
		err_set(err, -EINVAL,
			"option -e/--event: only one event can be sampled, not '%s' and '%s'",
			o->event_text, event->name);
		return err_hint(err, -EINVAL,
				"tracepoints and functions can be counted along with it");
	}
	o->event_text = event->name;
	o->event = *event;
	o->event_position = position;
	return 0;
}

/*
 * Is the only event CATEGORY:NAME, without wildcards? Then its hits are samples of one perf event,
 * and the recording needs no table of events. LIB:FUNC looks like it.
 */
static bool is_sampled_tracepoint(const struct record_options *o, const struct event_name *event)
{
	_cleanup_free_ char *place = strndup(event->name, strcspn(event->name, ":"));
	const struct name_match category = {.text = place};

	if (o->events.texts.nr > 1 || o->events.weights.nr || o->is_regex || o->library ||
	    o->shed || !place)
		return false;
	return tracepoints_have_category(&category, tracefs_roots) ||
	       !library_exists(place, &o->pids);
}

static int add_pattern(struct record_options *o, const char *text, struct err *err)
{
	const struct pattern_rules rules = {.is_regex = o->is_regex, .library = o->library};
	int ret;

	if (vec_reserve(&o->patterns, 1) || vec_reserve(&o->weights, 1))
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	ret = pattern_parse(text, &rules, &o->patterns.data[o->patterns.nr], err);
	o->patterns.nr++;
	o->weights.data[o->weights.nr++] = (struct hit_weight){0};
	return ret;
}

static bool is_weighted(const struct record_options *o, size_t position)
{
	vec_for_each(&o->events.weights, weight)
		if (weight->event == position)
			return true;
	return false;
}

/* Names of events have no wildcards, and are not those of functions. */
static bool is_misspelt_event(const struct record_options *o, const char *text)
{
	return !o->library && !o->is_regex && !strpbrk(text, ":*?[") &&
	       word_list_suggest(&event_names, text) && !kernel_functions_have(text);
}

static int add_event(struct record_options *o, size_t position, struct err *err)
{
	const char *text = o->events.texts.data[position];
	struct event_name event;
	int ret = o->library ? -EINVAL : event_name_parse(text, &event);

	if (ret == -EOPNOTSUPP)
		return refuse_modifiers(text, err);
	if (!ret && event.type != PERF_TYPE_TRACEPOINT && is_weighted(o, position))
		return err_set(err, -EINVAL, "option --weight: '%s' is sampled, and has no weight",
			       text);
	if (!ret && event.type != PERF_TYPE_TRACEPOINT) {
		ret = check_ambiguity(text, err);
		return ret ? ret : set_sampled(o, &event, position, err);
	}
	if (!ret && is_sampled_tracepoint(o, &event))
		return set_sampled(o, &event, position, err);
	if (is_misspelt_event(o, text))
		return word_list_refuse(&event_names, "option -e/--event: unknown event", text,
					err);
	ret = add_pattern(o, text, err);
	vec_for_each(&o->events.weights, weight)
		if (!ret && weight->event == position)
			ret = hit_weight_parse(weight->text, &o->weights.data[o->weights.nr - 1],
					       err);
	return ret;
}

static int refuse_frequency(const struct record_options *o, const char *reason, struct err *err)
{
	err_set(err, -EINVAL, "option -F/--frequency: %s", reason);
	if (o->off_cpu)
		return err_hint(err, -EINVAL,
				"--on-cpu also samples what runs: 'profrec --off-cpu --on-cpu'");
	return err_hint(err, -EINVAL, "-c COUNT takes every COUNTth hit");
}

/* Chooses the events, and for the sampled one a frequency or a period. */
static int choose_events(struct record_options *o, struct err *err)
{
	if (o->events.texts.nr)
		tracefs_open();
	for (size_t i = 0; i < o->events.texts.nr; i++) {
		int ret = add_event(o, i, err);

		if (ret)
			return ret;
	}
	if (o->off_cpu && o->period)
		return err_set(err, -EINVAL, "option -c/--count: not allowed with --off-cpu");
	if (o->event_text && o->event.type == PERF_TYPE_TRACEPOINT && o->freq_hz)
		return refuse_frequency(o, "not allowed with a tracepoint", err);
	o->hit_period = o->period ? o->period : 1;
	if (o->patterns.nr || o->off_cpu) {
		o->period = 0;
		if (!o->event_text && !o->on_cpu)
			return o->freq_hz ? refuse_frequency(o, "there is no event to sample", err)
					  : 0;
	}
	if (o->freq_hz || o->period)
		return 0;
	if (o->event_text && o->event.every)
		o->period = 1;
	else
		o->freq_hz = DEFAULT_FREQ_HZ;
	return 0;
}

/* Stands a sample of @event for a stretch of time? */
static bool is_time(const struct event_name *event)
{
	if (event->type == PERF_TYPE_SOFTWARE)
		return event->config == PERF_COUNT_SW_CPU_CLOCK ||
		       event->config == PERF_COUNT_SW_TASK_CLOCK;
	return event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Recordings that follow each other need an end each, and names. */
static int check_repeat(const struct record_options *o, struct err *err)
{
	if (!o->repeat)
		return o->pause_ns ? err_set(err, -EINVAL, "option --pause: needs --repeat") : 0;
	if (!o->duration_ns && !o->command)
		return err_set(err, -EINVAL, "option --repeat: needs a duration or a command");
	if (o->rotate || o->rotation.keep)
		return err_set(err, -EINVAL, "option --repeat: not allowed with option --rotate%s",
			       o->rotate ? "" : "-keep");
	if (!strcmp(o->output, "-"))
		return err_set(err, -EINVAL, "option --repeat: not allowed with standard output");
	if (outname_is_pattern(o->output))
		return 0;
	err_set(err, -EINVAL, "option --repeat: '%s' is the name of one file", o->output);
	return err_hint(err, -EINVAL, "give -o a pattern of strftime(3): -o a-%%H%%M%%S.prof");
}

/* Checks options that depend on others. */
static int check_together(const struct record_options *o, struct err *err)
{
	if (o->command && (o->pids.nr || o->tids.nr))
		return err_set(err, -EINVAL, "option %s: not allowed with a command",
			       o->pids.nr ? "-p/--pid" : "-L/--tid");
	if (o->library && !o->events.texts.nr) {
		err_set(err, -EINVAL,
			"option -l/--library: needs -e with a function of the library");
		return err_hint(err, -EINVAL, "'profrec -l %s -e FUNCTION'", o->library);
	}
	if (!o->off_cpu && (o->on_cpu || o->min_us || o->max_us || o->by_state || o->wakers))
		return err_set(err, -EINVAL, "option --%s: needs --off-cpu",
			       o->on_cpu     ? "on-cpu"
			       : o->min_us   ? "min-us"
			       : o->max_us   ? "max-us"
			       : o->by_state ? "state"
					     : "wakers");
	if (o->wakers && o->max_depth && o->max_depth < WAKE_WORDS)
		return err_set(err, -EINVAL,
			       "option --wakers: needs a --max-stack-depth of %zu or more",
			       WAKE_WORDS);
	if (o->max_us && o->min_us > o->max_us)
		return err_set(err, -EINVAL, "option --min-us: more than --max-us");
	if (o->on_cpu && o->event_text && !is_time(&o->event))
		return err_set(
			err, -EINVAL,
			"option --on-cpu: samples of '%s' do not tell time (cpu-clock, task-clock and cycles do)",
			o->event_text);
	if (o->shed && !o->overhead_limit)
		return err_set(err, -EINVAL, "option --shed: needs an --overhead-limit above 0");
	if (o->shed && !o->patterns.nr && !o->off_cpu) {
		err_set(err, -EINVAL, "option --shed: there are no hits to count");
		return err_hint(err, -EINVAL,
				"-e and --off-cpu count hits; -F says how many samples there are");
	}
	if (o->follow && !o->pids.nr)
		return err_set(err, -EINVAL, "option --follow: needs -p/--pid");
	if (o->comm && strlen(o->comm) > COMM_MAX)
		return err_set(
			err, -EINVAL,
			"option --comm: '%s' is longer than a thread's name can be (%d bytes)",
			o->comm, COMM_MAX);
	return 0;
}

/* Checks what the user asks for of requests. */
static int check_labels(struct record_options *o, struct err *err)
{
	const bool is_asked = o->labels.are_chosen && o->labels.nr;
	const char *name = o->traces ? "--traces" : "--labels";

	if ((is_asked || o->traces) && (o->unwind == UNWIND_FP || o->kernel_only))
		return err_set(err, -EINVAL, "option %s: not allowed with %s", name,
			       o->kernel_only ? "-K/--kernel-stacks-only" : "--unwind fp");
	if (o->traces && o->labels.nr == LABEL_KEYS_MAX)
		return err_set(err, -EINVAL, "option --traces: not with more than %d --labels",
			       LABEL_KEYS_MAX - 1);
	for (uint32_t i = 0; o->traces && i < o->labels.nr; i++)
		if (!strcmp(o->labels.names[i], PROF_LABEL_TRACE_ID) ||
		    !strcmp(o->labels.names[i], PROF_LABEL_SPAN_ID))
			return err_set(
				err, -EINVAL,
				"option --traces: '%s' is its own label, and not of --labels",
				o->labels.names[i]);
	o->labels.has_traces = o->traces;
	return 0;
}

static int print_languages(uint32_t asked)
{
	if (asked & LANGUAGES_HELP_MAN)
		languages_print_man(stdout);
	else
		languages_print(stdout);
	return OPTIONS_DONE;
}

/* Puts words of stackcount in place of bpftrace's. */
static int translate_events(struct record_options *o, struct err *err)
{
	vec_for_each(&o->events.texts, text) {
		char *translated;
		int ret = pattern_translate(*text, &translated, err);

		if (ret)
			return ret;
		if (!translated)
			continue;
		*text = translated;
		if (vec_push(&o->translated, translated)) {
			free(translated);
			return err_set(err, -ENOMEM, "failed to read the options: out of memory");
		}
	}
	return 0;
}

/* With --list, the operands are patterns, and nothing else is looked at. */
static int take_list(struct record_options *options, const struct command_line *line,
		     struct err *err)
{
	if (options->command)
		return err_set(err, -EINVAL, "option --list: not allowed with a command");
	if (options->is_regex)
		return err_set(err, -EINVAL, "option --list: not allowed with -r/--regexp");
	options->patterns_listed = line->operands;
	return OPTIONS_RUN;
}

int record_options_parse(struct record_options *options, int argc, char **argv, struct err *err)
{
	struct command_line line;
	int own_argc = argc, ret;

	*options = (struct record_options){
		.output = DEFAULT_OUTPUT,
		.uid = FILTERS_ANY_UID,
		.stack_storage = DEFAULT_STACK_STORAGE,
		.hash_storage = DEFAULT_HASH_STORAGE,
		.labels = label_keys_default,
		.label_sets = DEFAULT_LABEL_SETS,
		.max_memory = (uint64_t)DEFAULT_MEMORY_M << 20,
		.languages = ALL_LANGUAGES,
		.overhead_limit = DEFAULT_OVERHEAD,
		.names_wait_ns = DEFAULT_NAMES_WAIT * NS_PER_S,
		.slice_ns = NS_PER_S,
	};
	/* All arguments after the first -- are the command's. */
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		own_argc = i;
		if (i + 1 == argc)
			return err_set(err, -EINVAL, "no command after --");
		options->command = argv + i + 1;
		break;
	}
	options->command_line = join_arguments(argc, argv);
	if (!options->command_line)
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	ret = command_line_choose(&line, &record_program, own_argc, argv, err);
	if (!ret)
		ret = command_line_parse(&line, options, err);
	if (ret)
		return ret;
	if (options->languages & (LANGUAGES_HELP | LANGUAGES_HELP_MAN))
		return print_languages(options->languages);
	if (options->list)
		return take_list(options, &line, err);
	ret = parse_operands(options, line.nr_operands, line.operands, err);
	if (!ret)
		ret = translate_events(options, err);
	if (!ret)
		ret = choose_events(options, err);
	if (!ret)
		ret = check_together(options, err);
	if (!ret)
		ret = check_labels(options, err);
	if (!ret)
		ret = check_repeat(options, err);
	if (!ret && options->rotate)
		ret = rotation_parse(options->rotate, &options->rotation, err);
	if (!ret)
		ret = rotation_check(&options->rotation, options->rotate, options->output, err);
	return ret ? ret : OPTIONS_RUN;
}
