// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/record_options.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/option_spec.h"
#include "format/prof.h"
#include "record/languages/language_table.h"
#include "record/probes/kernel_way.h"
#include "record/host/stack_depth.h"

#define STORAGE_MAX     (1u << 24)
#define LABEL_SETS_MAX  (1u << 16)
#define FREQ_MAX_HZ     1000000
#define KEEP_MAX        1000000
#define REPEAT_MAX      1000000
#define INTERVAL_MIN_NS (100 * NS_PER_MS)          /* each has an epoch */
#define OVERHEAD_MAX    100000                     /* of a thousand CPUs */
#define WAIT_MAX_US     UINT64_C(1000000000000000) /* 31 years */

#define PID_MAX 4194304
#define UID_MAX 4294967294 /* the highest number of 32 bits stands for no user */

/* Groups of options that exclude each other. */
enum { SIDES = 1, IDS, RATE, SLICES, CGROUPS };

#define ROW(...) OPTION_ROW(struct record_options, __VA_ARGS__)

/* Notes a weight for the latest -e. */
static int note_weight(const char *text, void *target)
{
	struct event_options *events = target;
	const struct weight_text weight = {.event = events->texts.nr - 1, .text = text};

	return events->texts.nr ? vec_push(&events->weights, weight) : -EINVAL;
}

static const struct option_spec target_rows[] = {
	ROW(OPTION_PIDS, pids, "pid", 'p', .metavar = "PID[,PID...]", .exclusive = IDS,
	    .offer = OFFER_PIDS, .help = "record only these processes",
	    .hint = "'-p \"$(pgrep -d , NAME)\"' finds them by name, --comm takes names of threads"),
	ROW(OPTION_TIDS, tids, "tid", 'L', .metavar = "TID[,TID...]", .exclusive = IDS,
	    .help = "record only these threads"),
	ROW(OPTION_FLAG, threads, "threads", 0,
	    .help = "tell threads of one name apart by their ids, as with -p, -L or a command"),
	ROW(OPTION_FLAG, follow, "follow", 0,
	    .help = "with -p, also record the descendants of the processes"),
	ROW(OPTION_STRING, comm, "comm", 0, .metavar = "NAME",
	    .help = "record only threads of this name"),
	ROW(OPTION_U64, uid, "uid", 0, .metavar = "UID", .max = UID_MAX,
	    .hint = "it takes the number of a user, which 'id -u NAME' prints",
	    .help = "record only threads of this user (real user id)"),
	ROW(OPTION_STRING, cgroup, "cgroup", 0, .metavar = "PATH|NAME", .exclusive = CGROUPS,
	    .help = "record only this cgroup (v2) and those below it: a directory, a path below the root, or a name as nginx.service"),
	ROW(OPTION_STRING, container, "container", 0, .metavar = "ID", .exclusive = CGROUPS,
	    .help = "record only the container whose id begins so, or of this name"),
	ROW(OPTION_STRING, pod, "pod", 0, .metavar = "UID", .exclusive = CGROUPS,
	    .help = "record only the pod whose uid begins so, or of this name"),
	ROW(OPTION_STRING, unit, "systemd-unit", 0, .metavar = "NAME", .exclusive = CGROUPS,
	    .help = "record only this service or scope of systemd"),
	ROW(OPTION_STRING, cgroup_map, "cgroupmap", 0, .metavar = "PATH",
	    .help = "record only cgroups whose ids are keys of this pinned BPF map"),
	ROW(OPTION_U64, mntns, "mntns", 0, .metavar = "PID", .min = 1, .max = PID_MAX,
	    .help = "record only the mount namespace of this process"),
	ROW(OPTION_STRING, mntns_map, "mntnsmap", 0, .metavar = "PATH",
	    .help = "record only mount namespaces that are keys of this pinned BPF map"),
	ROW(OPTION_CPUS, cpus, "cpu", 'C', .metavar = "CPU[,CPU|A-B...]",
	    .help = "record only these CPUs"),
	ROW(OPTION_FLAG, include_idle, "include-idle", 'I', .help = "include samples of idle CPUs"),
};

static const struct option_spec event_rows[] = {
	ROW(OPTION_STRINGS, events.texts, "event", 'e', .metavar = "EVENT", .offer = OFFER_EVENTS,
	    .help = "sample EVENT, a name that --list or perf list shows (default cycles, else cpu-clock), or count the stacks of every hit of a function, tracepoint or static probe, as c:malloc or t:block:*; may be given several times"),
	ROW(OPTION_FLAG, list, "list", 0,
	    .help = "record nothing, but list what -e can take: events, tracepoints, functions and static probes that match the patterns given as operands"),
	ROW(OPTION_FLAG, is_regex, "regexp", 'r',
	    .help = "take names in -e as regular expressions, which must match a whole name"),
	ROW(OPTION_STRING, library, "library", 'l', .metavar = "LIB",
	    .help = "look for the functions of -e in this library or executable"),
	ROW(OPTION_PARSED, events, "weight", 0, .metavar = "FIELD|argN[:TYPE]",
	    .parse = note_weight, .kind = "a weight: it must follow the -e that it belongs to",
	    .help = "instead of counting the hits of the preceding -e, sum up this field of its tracepoint or this argument of its function; :bytes or :ns at the end names the unit"),
	ROW(OPTION_CHOICE, kernel_way, "kernel-probes", 0, .metavar = "auto|multi|kprobe|fentry",
	    .words = OPTION_NAMES([KERNEL_BY_ANY] = "auto", [KERNEL_BY_MULTI] = "multi",
				  [KERNEL_BY_KPROBE] = "kprobe", [KERNEL_BY_FENTRY] = "fentry"),
	    .help = "attach to kernel functions by kprobe.multi, kprobes or fentry (default auto: the first that the kernel has)"),
};

static const struct option_spec off_cpu_rows[] = {
	ROW(OPTION_FLAG, off_cpu, "off-cpu", 0,
	    .help = "sum up the time that threads spend off the CPU, by the stacks with which they left it"),
	ROW(OPTION_FLAG, on_cpu, "on-cpu", 0,
	    .help = "with --off-cpu, also sample the time on the CPU, as an event of its own"),
	ROW(OPTION_U64, min_us, "min-us", 0, .metavar = "N", .min = 1, .max = WAIT_MAX_US,
	    .help = "with --off-cpu, leave out times of less than N microseconds"),
	ROW(OPTION_U64, max_us, "max-us", 0, .metavar = "N", .min = 1, .max = WAIT_MAX_US,
	    .help = "with --off-cpu, leave out times of more than N microseconds"),
	ROW(OPTION_FLAG, by_state, "state", 0,
	    .help = "with --off-cpu, make an event of each state: S (sleeping), D (uninterruptible), R (preempted) and other"),
	ROW(OPTION_FLAG, wakers, "wakers", 0,
	    .help = "with --off-cpu, also take the stacks of the tasks that end the waits"),
};

static const struct option_spec sampling_rows[] = {
	ROW(OPTION_U64, freq_hz, "frequency", 'F', .metavar = "HZ", .min = 1, .max = FREQ_MAX_HZ,
	    .exclusive = RATE,
	    .help = "take HZ samples a second on each CPU (default " OPTION_TEXT(
		    DEFAULT_FREQ_HZ) ")"),
	ROW(OPTION_U64, period, "count", 'c', .metavar = "COUNT", .min = 1, .max = INT64_MAX,
	    .exclusive = RATE,
	    .help = "take one sample per COUNT events on each CPU (nanoseconds for clock events); for hits, count one in COUNT"),
	ROW(OPTION_U64, overhead_limit, "overhead-limit", 0, .metavar = "PERCENT",
	    .max = OVERHEAD_MAX,
	    .help = "warn when counting hits or off-CPU time uses more than PERCENT of a CPU (default " OPTION_TEXT(
		    DEFAULT_OVERHEAD) "; 0: never)"),
	ROW(OPTION_FLAG, shed, "shed", 0,
	    .help = "above that limit, count only a random part of the hits, each of which stands for the others"),
	ROW(OPTION_CHOICE, backend, "backend", 0, .metavar = "auto|bpf|perf|ptrace",
	    .words = OPTION_NAMES([BACKEND_AUTO] = "auto", [BACKEND_BPF] = "bpf",
				  [BACKEND_PERF] = "perf", [BACKEND_PTRACE] = "ptrace"),
	    .help = "take samples by BPF programs, perf events or ptrace; the last two need no privileges for one's own processes (default auto: the first that the kernel allows)"),
};

static const struct option_spec stack_rows[] = {
	ROW(OPTION_FLAG, user_only, "user-stacks-only", 'U', .exclusive = SIDES,
	    .help = "take only user stacks"),
	ROW(OPTION_FLAG, kernel_only, "kernel-stacks-only", 'K', .exclusive = SIDES,
	    .help = "take only kernel stacks"),
	ROW(OPTION_CHOICE, unwind, "unwind", 0, .metavar = "auto|fp|dwarf",
	    .words = OPTION_NAMES([UNWIND_AUTO] = "auto", [UNWIND_FP] = "fp",
				  [UNWIND_DWARF] = "dwarf"),
	    .help = "walk user stacks along frame pointers, or by tables from .eh_frame (default auto: by tables where the kernel can)"),
	ROW(OPTION_STRING, unwind_cache, "unwind-cache", 0, .metavar = "DIR",
	    .help = "keep unwind tables in DIR for later recordings"),
	ROW(OPTION_U64, max_depth, "max-stack-depth", 0, .metavar = "N", .min = 1,
	    .max = PROF_MAX_STACK_FRAMES,
	    .help = "record at most N frames of a stack (default " OPTION_TEXT(STACK_DEPTH_BY_TABLES) " by tables, else " OPTION_TEXT(
		    STACK_DEPTH_DEFAULT) ", and more needs kernel.perf_event_max_stack)"),
	ROW(OPTION_PARSED, languages, "languages", 0, .metavar = "LIST|none|help",
	    .parse = languages_parse, .kind = "a list of languages, or none",
	    .hint = "'profrec --languages help' lists the languages",
	    .help = "walk these interpreted languages; help prints a table of them",
	    .help_more = languages_print_short, .words.word = languages_word),
	ROW(OPTION_PARSED, labels, "labels", 0, .metavar = "KEY[,KEY...]|none",
	    .parse = label_keys_parse,
	    .kind = "a list of up to " OPTION_TEXT(LABEL_KEYS_MAX) " different keys, or none",
	    .help = "tell requests apart by these attributes, where processes publish those of their threads as OpenTelemetry does (default http.route,rpc.method)"),
	ROW(OPTION_FLAG, traces, "traces", 0,
	    .help = "keep the ids of trace and span of such requests, too, as far as --max-labels allows"),
};

static const struct option_spec output_rows[] = {
	ROW(OPTION_STRING, output, "output", 'o', .metavar = "FILE",
	    .help = "write the recording to FILE, or to standard output if it is -; %Y, %H and other conversions of strftime(3) are replaced (default " DEFAULT_OUTPUT
		    ")"),
	ROW(OPTION_DURATION, interval_ns, "interval", 'i', .metavar = "TIME",
	    .min = INTERVAL_MIN_NS, .max = DURATION_MAX_NS,
	    .help = "keep intervals of this length apart, which profrep -T prints one by one"),
	ROW(OPTION_STRING, rotate, "rotate", 0, .metavar = "TIME|SIZE",
	    .help = "start a new file after this time (3600, 60m, 1h), or at this size (64M, 1G); -o must be a pattern"),
	ROW(OPTION_U64, rotation.keep, "rotate-keep", 0, .metavar = "N", .min = 1, .max = KEEP_MAX,
	    .help = "keep the latest N finished files of this run and remove older ones"),
	ROW(OPTION_U64, repeat, "repeat", 0, .metavar = "N", .min = 1, .max = REPEAT_MAX,
	    .help = "make N separate recordings one after the other, for profrep diff and profrep plan; -o must be a pattern"),
	ROW(OPTION_DURATION, pause_ns, "pause", 0, .metavar = "TIME", .min = NS_PER_MS,
	    .max = DURATION_MAX_NS, .help = "with --repeat, wait this long between recordings"),
	ROW(OPTION_FLAG, no_names, "no-names", 0,
	    .help = "leave out the names of functions in programs and libraries, for which profrep then needs the files"),
	ROW(OPTION_DURATION, names_wait_ns, "names-wait", 0, .metavar = "TIME", .min = 0,
	    .max = DURATION_MAX_NS,
	    .help = "when sampling has ended, wait this long for such names where the host is busy (default " OPTION_TEXT(
		    DEFAULT_NAMES_WAIT) "s); Ctrl-C ends the wait"),
	ROW(OPTION_FLAG, service_env, "service-env", 0,
	    .help = "read which service a process is from its environment (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES), unless it publishes that"),
	ROW(OPTION_DURATION, slice_ns, "slices", 0, .metavar = "TIME", .exclusive = SLICES,
	    .min = NS_PER_MS, .max = PROF_MAX_SLICE_NS,
	    .help = "keep counts by slices of time of this length (default 1s)"),
	ROW(OPTION_FLAG, no_slices, "no-slices", 0, .exclusive = SLICES,
	    .help = "do not keep counts by slices, so that profrep knows only the times of epochs"),
	ROW(OPTION_FLAG, quiet, "quiet", 'q', .help = "print only errors"),
};

static const struct option_spec limit_rows[] = {
	ROW(OPTION_SIZE, max_memory, "max-memory", 0, .metavar = "SIZE", .min = UINT64_C(8) << 20,
	    .max = UINT64_C(1) << 40,
	    .help = "limit the memory for what the recorder knows of processes: mappings, paths, names (default " OPTION_TEXT(
		    DEFAULT_MEMORY_M) "M)"),
	ROW(OPTION_U64, stack_storage, "stack-storage-size", 0, .metavar = "N", .min = 2,
	    .max = STORAGE_MAX,
	    .help = "hold up to N unique stacks in the kernel between drains (default " OPTION_TEXT(
		    DEFAULT_STACK_STORAGE) ")"),
	ROW(OPTION_U64, label_sets, "max-labels", 0, .metavar = "N", .min = 1,
	    .max = LABEL_SETS_MAX,
	    .help = "tell up to N values of the labels of requests apart between drains, and count the others together (default " OPTION_TEXT(
		    DEFAULT_LABEL_SETS) ")"),
	ROW(OPTION_U64, hash_storage, "hash-storage-size", 0, .metavar = "N", .min = 2,
	    .max = STORAGE_MAX,
	    .help = "hold up to N counts in the kernel between drains (default " OPTION_TEXT(
		    DEFAULT_HASH_STORAGE) ")"),
};

/* The tables, in the order of --help. */
static const struct option_table tables[] = {
	{target_rows, ARRAY_SIZE(target_rows), "what to record", NULL},
	{event_rows, ARRAY_SIZE(event_rows), "events", NULL},
	{off_cpu_rows, ARRAY_SIZE(off_cpu_rows), "time off the CPU", NULL},
	{sampling_rows, ARRAY_SIZE(sampling_rows), "sampling", NULL},
	{stack_rows, ARRAY_SIZE(stack_rows), "stacks", NULL},
	{output_rows, ARRAY_SIZE(output_rows), "output", NULL},
	{limit_rows, ARRAY_SIZE(limit_rows), "limits", NULL},
};

static const struct command_spec recording = {
	.parts = {{&tables[0], 0},
		  {&tables[1], 0},
		  {&tables[2], 0},
		  {&tables[3], 0},
		  {&tables[4], 0},
		  {&tables[5], 0},
		  {&tables[6], 0}},
	.takes_command = true,
};

static const struct command_spec *const commands[] = {&recording};

#define DURATION_HINT "the duration is the last word: 'profrec -F 99 30' records for 30 seconds"

/* Words of perf, bcc and bpftrace. */
static const struct foreign_word foreign_words[] = {
	{"-a",
	 "all processes are recorded unless -p or a filter is given; to mark kernel frames: 'profrep -a'"},
	{"--all-cpus", "all CPUs are recorded unless -C is given"},
	{"-g", "stacks are always recorded; --unwind chooses how"},
	{"--call-graph", "stacks are always recorded; --unwind chooses how"},
	{"-f", "profrec writes a file; 'profrep -f' prints it folded"},
	{"--folded", "profrec writes a file; 'profrep -f' prints it folded"},
	{"-d", DURATION_HINT "; 'profrep -d' prints delimiters"},
	{"-t", DURATION_HINT},
	{"--duration", DURATION_HINT},
	{"--timeout", DURATION_HINT},
	{"--freq", "-F sets how often samples are taken"},
	{"record", "profrec has no commands: 'profrec 30', or 'profrec -- COMMAND' to record one"},
	{"help", "'profrec --help' shows the usage"},
	{NULL, NULL},
};

static void print_parts(void)
{
	printf("format %d.%d, libbpf %u.%u, zstd %s\n", PROF_VERSION_MAJOR, PROF_VERSION_MINOR,
	       libbpf_major_version(), libbpf_minor_version(), ZSTD_versionString());
}

const struct program_spec record_program = {
	.name = "profrec",
	.print_parts = print_parts,
	.summary =
		"Record where CPU time is spent: count stacks in the kernel, write a small file.",
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
		"  profrec --list 'c:mall*'        list functions of the C library for -e\n"
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
	vec_for_each(&options->translated, text)
		free(*text);
	vec_free(&options->translated);
	vec_for_each(&options->patterns, pattern)
		pattern_deinit(pattern);
	vec_free(&options->patterns);
	vec_for_each(&options->weights, weight)
		free(weight->name);
	vec_free(&options->weights);
	vec_free(&options->events.weights);
	free(options->command_line);
}
