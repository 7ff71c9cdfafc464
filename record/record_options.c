// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/option_spec.h"
#include "record/languages/language_names.h"
#include "record/probes/kernel_way.h"

#define STORAGE_MAX  (1u << 24)
#define FREQ_MAX_HZ  1000000
#define KEEP_MAX     1000000
#define REPEAT_MAX   1000000
#define OVERHEAD_MAX 100000                     /* of a thousand CPUs */
#define WAIT_MAX_US  UINT64_C(1000000000000000) /* 31 years */

#define PID_MAX 4194304
#define UID_MAX 4294967294 /* the highest number of 32 bits stands for no user */

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
	ROW(OPTION_FLAG, no_slices, "no-slices", 0,
	    .help = "do not keep counts by seconds: profrep then knows times of epochs only"),
	ROW(OPTION_PARSED, languages, "languages", 0, .metavar = "LIST|none",
	    .parse = language_names_parse, .kind = "a list of languages, or none",
	    .hint = "the languages are: py, java, php, beam, js, rb, pl",
	    .help = "walk these interpreted languages (default all: py, CPython 3.9 to 3.15; java, HotSpot 8, 11, 17, 21, 25; php, 7.4, 8.1 to 8.5; beam, Erlang 25, 27, 29; js, Node.js 18, 20, 22, 24; rb, Ruby 2.7, 3.0 to 3.4; pl, Perl 5.30, 5.32, 5.34, 5.36, 5.38, 5.40, 5.42, 5.44)"),
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

/* Words of perf, bcc and bpftrace. */
static const struct foreign_word foreign_words[] = {
	{"-a",
	 "all processes are recorded unless -p or a filter is given; to mark kernel frames: 'profrep -a'"},
	{"--all-cpus", "all CPUs are recorded unless -C is given"},
	{"-g", "stacks are always recorded; --unwind chooses how"},
	{"--call-graph", "stacks are always recorded; --unwind chooses how"},
	{"-f", "profrec writes a file; 'profrep -f' prints it folded"},
	{"--folded", "profrec writes a file; 'profrep -f' prints it folded"},
	{"-d", "profrec writes a file; 'profrep -d' prints it with delimiters"},
	{"--freq", "-F sets how often samples are taken"},
	{NULL, NULL},
};

const struct program_spec record_program = {
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
	.foreign_words = foreign_words,
	.nr_commands = ARRAY_SIZE(commands),
};

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
