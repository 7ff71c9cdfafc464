// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_options.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "bpf/shared.h"
#include "common/cleanup.h"
#include "common/command_line.h"
#include "format/prof.h"
#include "record/output/outname.h"
#include "record/languages/language_names.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/kernel_way.h"
#include "record/probes/library.h"
#include "record/probes/tracepoints.h"
#include "record/sampler/filters.h"

#define DEFAULT_OUTPUT "profrec.prof"

/*
 * bcc has these defaults, too. At 49 Hertz the samples are out of step with work that the machine
 * does 50 or 100 times a second.
 */
#define DEFAULT_FREQ_HZ       49
#define DEFAULT_STACK_STORAGE 16384
#define DEFAULT_HASH_STORAGE  40960

#define STORAGE_MAX      (1u << 24)
#define FREQ_MAX_HZ      1000000
#define DURATION_MAX     99999999
#define KEEP_MAX         1000000
#define REPEAT_MAX       1000000
#define OVERHEAD_DEFAULT 5
#define OVERHEAD_MAX     100000                     /* of a thousand CPUs */
#define WAIT_MAX_US      UINT64_C(1000000000000000) /* 31 years */

#define MEMORY_DEFAULT (UINT64_C(256) << 20)
#define MEMORY_MIN_M   8
#define MEMORY_MAX_G   1024

#define PID_MAX  4194304
#define UID_MAX  4294967294 /* the highest number of 32 bits stands for no user */
#define COMM_MAX 15         /* bytes: TASK_COMM_LEN - 1 */

/* Groups of options that exclude each other. */
enum { SIDES = 1, IDS, RATE };

#define ROW(...) OPTION_ROW(struct record_options, __VA_ARGS__)

/* Notes a weight for the latest -e. */
static int note_weight(const char *text, void *target)
{
	struct event_options *events = target;
	const struct weight_text weight = {.event = events->texts.nr - 1, .text = text};

	return events->texts.nr ? vec_push(&events->weights, weight) : -EINVAL;
}

static const struct option_spec specs[] = {
	ROW(OPTION_STRING, output, "output", 'o', .metavar = "FILE",
	    .help = "write the recording to FILE; - is standard output; %Y, %H and other conversions of strftime(3) are replaced (default " DEFAULT_OUTPUT
		    ")"),
	ROW(OPTION_PIDS, pids, "pid", 'p', .metavar = "PID[,PID...]", .exclusive = IDS,
	    .help = "record these processes only"),
	ROW(OPTION_TIDS, tids, "tid", 'L', .metavar = "TID[,TID...]", .exclusive = IDS,
	    .help = "record these threads only"),
	ROW(OPTION_FLAG, follow, "follow", 0,
	    .help = "with -p, record the descendants of the processes, too"),
	ROW(OPTION_STRING, comm, "comm", 0, .metavar = "NAME",
	    .help = "record threads of this name only"),
	ROW(OPTION_U64, uid, "uid", 0, .metavar = "UID", .max = UID_MAX,
	    .help = "record this user's threads only (real user id)"),
	ROW(OPTION_STRING, cgroup, "cgroup", 0, .metavar = "PATH",
	    .help = "record this directory of cgroup v2 and those below it only"),
	ROW(OPTION_STRING, cgroup_map, "cgroupmap", 0, .metavar = "PATH",
	    .help = "record cgroups only whose ids are in this pinned BPF map"),
	ROW(OPTION_U64, mntns, "mntns", 0, .metavar = "PID", .min = 1, .max = PID_MAX,
	    .help = "record the mount namespace of this process only"),
	ROW(OPTION_STRING, mntns_map, "mntnsmap", 0, .metavar = "PATH",
	    .help = "record mount namespaces only that are in this pinned BPF map"),
	ROW(OPTION_STRINGS, events.texts, "event", 'e', .metavar = "EVENT",
	    .help = "sample this event: a name that perf list shows, rNNNN, both also with :u or :k (default cycles, else cpu-clock); or count the stacks of each hit: FUNC or p::FUNC of the kernel, LIB:FUNC or p:LIB:FUNC, CATEGORY:NAME or t:CATEGORY:NAME of tracepoints, u:LIB:[PROVIDER:]PROBE of static probes, with * for any text; may be given several times"),
	ROW(OPTION_FLAG, is_regex, "regexp", 'r',
	    .help = "names of -e are regular expressions, which must match a whole name"),
	ROW(OPTION_STRING, library, "library", 'l', .metavar = "LIB",
	    .help = "a FUNC of -e is a function of this library or executable"),
	ROW(OPTION_PARSED, events, "weight", 0, .metavar = "FIELD|argN[:TYPE]",
	    .parse = note_weight, .kind = "a weight: it must follow the -e that it belongs to",
	    .help = "sum up this field of the tracepoint of the -e before, or this argument of its function (u8 to u64, s8 to s64), in place of counting; :bytes or :ns after it names the unit"),
	ROW(OPTION_STRING, kernel_way_text, "kernel-probes", 0,
	    .metavar = "auto|multi|kprobe|fentry",
	    .help = "attach to functions of the kernel by kprobe.multi, by kprobes or by fentry (default auto: by the first that the kernel has)"),
	ROW(OPTION_FLAG, off_cpu, "off-cpu", 0,
	    .help = "sum up the time that threads spend off the CPU, by the stacks with which they left it"),
	ROW(OPTION_FLAG, on_cpu, "on-cpu", 0,
	    .help = "with --off-cpu, sample the time on the CPU, too, as an event of its own"),
	ROW(OPTION_U64, min_us, "min-us", 0, .metavar = "N", .min = 1, .max = WAIT_MAX_US,
	    .help = "with --off-cpu, leave out times of less than N microseconds"),
	ROW(OPTION_U64, max_us, "max-us", 0, .metavar = "N", .min = 1, .max = WAIT_MAX_US,
	    .help = "with --off-cpu, leave out times of more than N microseconds"),
	ROW(OPTION_FLAG, by_state, "state", 0,
	    .help = "with --off-cpu, an event for each state: S (sleeping), D (uninterruptible), R (preempted), other"),
	ROW(OPTION_FLAG, wakers, "wakers", 0,
	    .help = "with --off-cpu, take the stacks of the tasks that end the waits, too"),
	ROW(OPTION_U64, freq_hz, "frequency", 'F', .metavar = "HZ", .min = 1, .max = FREQ_MAX_HZ,
	    .exclusive = RATE, .help = "sample this often a second on each CPU (default 49)"),
	ROW(OPTION_U64, period, "count", 'c', .metavar = "COUNT", .min = 1, .max = INT64_MAX,
	    .exclusive = RATE,
	    .help = "sample every COUNT events on each CPU (nanoseconds of clocks); of hits, count every COUNTth"),
	ROW(OPTION_U64, overhead_limit, "overhead-limit", 0, .metavar = "PERCENT",
	    .max = OVERHEAD_MAX,
	    .help = "say so when counting hits or times off the CPU takes more than this share of a CPU (default 5; 0: never)"),
	ROW(OPTION_FLAG, shed, "shed", 0,
	    .help = "above that share, count a part of the hits, chosen at random; each stands for the others"),
	ROW(OPTION_CPUS, cpus, "cpu", 'C', .metavar = "CPU[,CPU|A-B...]",
	    .help = "record these CPUs only"),
	ROW(OPTION_FLAG, user_only, "user-stacks-only", 'U', .exclusive = SIDES,
	    .help = "take stacks of user space only"),
	ROW(OPTION_FLAG, kernel_only, "kernel-stacks-only", 'K', .exclusive = SIDES,
	    .help = "take stacks of the kernel only"),
	ROW(OPTION_FLAG, include_idle, "include-idle", 'I', .help = "include samples of idle CPUs"),
	ROW(OPTION_U64, stack_storage, "stack-storage-size", 0, .metavar = "N", .min = 2,
	    .max = STORAGE_MAX,
	    .help = "unique stacks that the kernel holds until they are drained (default 16384)"),
	ROW(OPTION_U64, hash_storage, "hash-storage-size", 0, .metavar = "N", .min = 2,
	    .max = STORAGE_MAX,
	    .help = "counts that the kernel holds until they are drained (default 40960)"),
	ROW(OPTION_U64, max_depth, "max-stack-depth", 0, .metavar = "N", .min = 1,
	    .max = PROF_MAX_STACK_FRAMES,
	    .help = "frames of a stack at most (default 127; more needs kernel.perf_event_max_stack)"),
	ROW(OPTION_STRING, unwind_text, "unwind", 0, .metavar = "auto|fp|dwarf",
	    .help = "walk stacks of user space along frame pointers, or by tables from .eh_frame (default auto: by tables where the kernel can)"),
	ROW(OPTION_STRING, unwind_cache, "unwind-cache", 0, .metavar = "DIR",
	    .help = "keep unwind tables in DIR, for the recordings to come"),
	ROW(OPTION_FLAG, no_names, "no-names", 0,
	    .help = "leave out the names of functions in programs and libraries: profrep then needs the files"),
	ROW(OPTION_PARSED, languages, "languages", 0, .metavar = "LIST|none",
	    .parse = language_names_parse, .kind = "a list of languages, or none",
	    .hint = "the languages are: py",
	    .help = "show the functions of these interpreted languages (default all: py, CPython 3.10 to 3.14)"),
	ROW(OPTION_STRING, max_memory_text, "max-memory", 0, .metavar = "SIZE",
	    .help = "memory of the recorder for what it knows of processes: mappings, paths, names; with K, M or G (default 256M)"),
	ROW(OPTION_U64, interval_s, "interval", 'i', .metavar = "SECONDS", .min = 1,
	    .max = DURATION_MAX,
	    .help = "keep each interval of this length apart; profrep -T prints them one by one"),
	ROW(OPTION_STRING, rotate, "rotate", 0, .metavar = "SECONDS|SIZE",
	    .help = "go on in another file after this time, or when the file is this large (with K, M or G); -o must be a pattern"),
	ROW(OPTION_U64, rotation.keep, "rotate-keep", 0, .metavar = "N", .min = 1, .max = KEEP_MAX,
	    .help = "keep the N latest finished files of this run and remove older ones"),
	ROW(OPTION_U64, repeat, "repeat", 0, .metavar = "N", .min = 1, .max = REPEAT_MAX,
	    .help = "make N recordings one after the other, each by itself, for profrep diff and profrep plan; -o must be a pattern"),
	ROW(OPTION_U64, pause_s, "pause", 0, .metavar = "SECONDS", .min = 1, .max = DURATION_MAX,
	    .help = "with --repeat, wait so long between recordings"),
	ROW(OPTION_FLAG, quiet, "quiet", 'q', .help = "print errors only"),
};

static const struct option_table table = {.options = specs, .nr = ARRAY_SIZE(specs)};

static const struct command_spec recording = {.parts = {{&table, 0}}, .takes_command = true};

static const struct command_spec *const commands[] = {&recording};

static const struct program_spec program = {
	.name = "profrec",
	.summary =
		"Record where CPU time is spent: stacks are counted in the kernel and written to a small file.",
	.usage = "[OPTIONS] [DURATION] [-- COMMAND [ARG...]]",
	.examples =
		"  profrec                         record all processes at 49 Hertz until Ctrl-C\n"
		"  profrec -o app.prof 30          record for 30 seconds into app.prof\n"
		"  profrec -F 99 -p 185            record process 185 at 99 Hertz\n"
		"  profrec -o - 5 | profrep -      record for 5 seconds and report at once\n"
		"  profrec -F 999 -- gcc -c x.c    record a command and its children\n"
		"  profrec -U 5                    take user stacks only\n"
		"  profrec -e page-faults -p 185   record where process 185 touches new memory\n"
		"  profrec -e sched:sched_switch -c 10\n"
		"                                  record every tenth switch of tasks\n"
		"  profrec -p 185 -e c:malloc      record who calls malloc in process 185\n"
		"  profrec --off-cpu -p 185 10     record where process 185 waits\n"
		"  profrec -e 't:block:*' 10       record who causes block I/O\n"
		"  profrec -o - -i 1 | profrep -T -f -\n"
		"                                  print what ran, each second\n"
		"  profrec -o %Y%m%d-%H%M%S.prof --rotate 3600 --rotate-keep 24\n"
		"                                  a file an hour, of the last day\n"
		"  profrec -o a-%H%M%S.prof --repeat 5 60\n"
		"                                  five recordings, to compare with later ones\n",
	.commands = commands,
	.nr_commands = ARRAY_SIZE(commands),
};

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

static int parse_operands(struct record_options *options, int nr, char **operands, struct err *err)
{
	int ret;

	if (!nr)
		return 0;
	ret = parse_u64(operands[0], 1, DURATION_MAX, &options->duration_s);
	if (ret == -ERANGE)
		return err_set(err, -EINVAL, "duration %s is out of range (1 to %u seconds)",
			       operands[0], DURATION_MAX);
	if (ret) {
		err_set(err, -EINVAL, "duration '%s' is not a number of seconds", operands[0]);
		return err_hint(err, -EINVAL, "to record a command, put -- before it");
	}
	if (nr > 1) {
		err_set(err, -EINVAL, "unexpected argument '%s'", operands[1]);
		return err_hint(err, -EINVAL, "to record a command, put -- before it");
	}
	if (options->duration_s == DURATION_MAX)
		options->duration_s = 0; /* bcc takes this number for no limit */
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
	ret = add_pattern(o, text, err);
	vec_for_each(&o->events.weights, weight)
		if (!ret && weight->event == position)
			ret = hit_weight_parse(weight->text, &o->weights.data[o->weights.nr - 1],
					       err);
	return ret;
}

static int refuse_frequency(const char *reason, struct err *err)
{
	err_set(err, -EINVAL, "option -F/--frequency: %s", reason);
	return err_hint(err, -EINVAL, "-c COUNT takes every COUNTth hit");
}

/* Chooses the events, and for the sampled one a frequency or a period. */
static int choose_events(struct record_options *o, struct err *err)
{
	for (size_t i = 0; i < o->events.texts.nr; i++) {
		int ret = add_event(o, i, err);

		if (ret)
			return ret;
	}
	if (o->off_cpu && o->period)
		return err_set(err, -EINVAL, "option -c/--count: not allowed with --off-cpu");
	if (o->event_text && o->event.type == PERF_TYPE_TRACEPOINT && o->freq_hz)
		return refuse_frequency("not allowed with a tracepoint", err);
	o->hit_period = o->period ? o->period : 1;
	if (o->patterns.nr || o->off_cpu) {
		o->period = 0;
		if (!o->event_text && !o->on_cpu)
			return o->freq_hz ? refuse_frequency("there is no event to sample", err)
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

static int choose_unwinding(struct record_options *o, struct err *err)
{
	static const char *const names[] = {
		[UNWIND_AUTO] = "auto", [UNWIND_FP] = "fp", [UNWIND_DWARF] = "dwarf"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (o->unwind_text && strcmp(o->unwind_text, names[i]))
			continue;
		o->unwind = i;
		return 0;
	}
	return err_set(err, -EINVAL, "option --unwind: '%s' is not auto, fp or dwarf",
		       o->unwind_text);
}

static int choose_kernel_way(struct record_options *o, struct err *err)
{
	const char *text = o->kernel_way_text;

	if (!text || !kernel_way_parse(text, &o->kernel_way))
		return 0;
	return err_set(err, -EINVAL,
		       "option --kernel-probes: '%s' is not auto, multi, kprobe or fentry", text);
}

static int choose_memory(struct record_options *o, struct err *err)
{
	const char *text = o->max_memory_text;
	int ret;

	if (!text)
		return 0;
	ret = parse_size(text, (uint64_t)MEMORY_MIN_M << 20, (uint64_t)MEMORY_MAX_G << 30,
			 &o->max_memory);
	if (ret == -ERANGE)
		return err_set(err, -EINVAL, "option --max-memory: %s is out of range (%dM to %dG)",
			       text, MEMORY_MIN_M, MEMORY_MAX_G);
	if (!ret)
		return 0;
	err_set(err, -EINVAL, "option --max-memory: '%s' is not a size", text);
	return err_hint(err, -EINVAL,
			"a number of bytes; K, M or G after it stand for powers of 1024");
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
		return o->pause_s ? err_set(err, -EINVAL, "option --pause: needs --repeat") : 0;
	if (!o->duration_s && !o->command)
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

int record_options_parse(struct record_options *options, int argc, char **argv, struct err *err)
{
	struct command_line line;
	int own_argc = argc, ret;

	*options = (struct record_options){
		.output = DEFAULT_OUTPUT,
		.uid = FILTERS_ANY_UID,
		.stack_storage = DEFAULT_STACK_STORAGE,
		.hash_storage = DEFAULT_HASH_STORAGE,
		.max_memory = MEMORY_DEFAULT,
		.languages = ALL_LANGUAGES,
		.overhead_limit = OVERHEAD_DEFAULT,
	};
	options->command_line = join_arguments(argc, argv);
	if (!options->command_line)
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
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
	ret = command_line_choose(&line, &program, own_argc, argv, err);
	if (!ret)
		ret = command_line_parse(&line, options, err);
	if (ret)
		return ret;
	ret = parse_operands(options, line.nr_operands, line.operands, err);
	if (!ret)
		ret = choose_events(options, err);
	if (!ret)
		ret = choose_unwinding(options, err);
	if (!ret)
		ret = choose_kernel_way(options, err);
	if (!ret)
		ret = choose_memory(options, err);
	if (!ret)
		ret = check_together(options, err);
	if (!ret)
		ret = check_repeat(options, err);
	if (!ret && options->rotate)
		ret = rotation_parse(options->rotate, &options->rotation, err);
	if (!ret)
		ret = rotation_check(&options->rotation, options->rotate, options->output, err);
	return ret ? ret : OPTIONS_RUN;
}

void record_options_deinit(struct record_options *options)
{
	vec_free(&options->pids);
	vec_free(&options->tids);
	vec_free(&options->cpus);
	vec_free(&options->events.texts);
	vec_for_each(&options->patterns, pattern)
		pattern_deinit(pattern);
	vec_free(&options->patterns);
	vec_for_each(&options->weights, weight)
		free(weight->name);
	vec_free(&options->weights);
	vec_free(&options->events.weights);
	free(options->command_line);
}
