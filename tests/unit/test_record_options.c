// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/run/parse_options.h"
#include "tests/unit/option_names.h"
#include "tests/unit/suite.h"

#define ARGS_MAX 24

/* The options that TAKE has parsed last. */
static struct record_options o;

static void end(void)
{
	record_options_deinit(&o);
}

/* @args ends with NULL and is without the program's name. getopt reorders the copy in @argv. */
static int parse(struct record_options *options, const char *const *args, char **argv,
		 struct err *err)
{
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t) "profrec";
	for (; *args; args++)
		argv[argc++] = (char *)(uintptr_t)*args;
	argv[argc] = NULL;
	return record_options_parse(options, argc, argv, err);
}

#define PARSE(options, argv, err, ...)                                                             \
	parse((options), (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}, (argv), (err))

/* Parses arguments that must be accepted, into o. */
#define TAKE(...)                                                                                  \
	do {                                                                                       \
		static char *_argv[ARGS_MAX];                                                      \
		struct err _err = {0};                                                             \
		int _ret;                                                                          \
                                                                                                   \
		record_options_deinit(&o);                                                         \
		_ret = PARSE(&o, _argv, &_err, __VA_ARGS__);                                       \
		ck_assert_str_eq(_err.text, "");                                                   \
		ck_assert_int_eq(_ret, OPTIONS_RUN);                                               \
	} while (0)

/* Parses arguments that must be refused with this text and this hint. */
#define REFUSE(want_text, want_hint, ...)                                                          \
	({                                                                                         \
		char *_argv[ARGS_MAX];                                                             \
		struct record_options _options;                                                    \
		struct err _err = {0};                                                             \
		int _ret = PARSE(&_options, _argv, &_err, __VA_ARGS__);                            \
                                                                                                   \
		ck_assert_str_eq(_err.text, want_text);                                            \
		ck_assert_str_eq(_err.hint, want_hint);                                            \
		ck_assert_int_eq(_ret, -EINVAL);                                                   \
		record_options_deinit(&_options);                                                  \
	})

static const char list_hint[] = "'profrec --help' lists the options";
static const char pid_hint[] =
	"'-p \"$(pgrep -d , NAME)\"' finds them by name, --comm takes names of threads";
static const char usage_hint[] = "'profrec --help' shows the usage";
static const char command_hint[] = "to record a command, put -- before it: 'profrec -- sh'";

START_TEST(time_off_the_cpu)
{
	TAKE("--off-cpu", "--min-us", "5", "--max-us", "5", "--state");
	ck_assert(o.off_cpu && o.by_state && !o.on_cpu);
	ck_assert_uint_eq(o.min_us, 5);
	ck_assert_uint_eq(o.max_us, 5);
	ck_assert_uint_eq(o.freq_hz, 0);
	TAKE("--off-cpu", "--on-cpu");
	ck_assert_uint_eq(o.freq_hz, 49);
	TAKE("--off-cpu", "--on-cpu", "-e", "cpu-clock");
	TAKE("--off-cpu", "--on-cpu", "-e", "task-clock");
	TAKE("--off-cpu", "--on-cpu", "-e", "cycles");
	REFUSE("option --on-cpu: samples of 'page-faults' do not tell time (cpu-clock, task-clock "
	       "and cycles do)",
	       "", "--off-cpu", "--on-cpu", "-e", "page-faults");
	REFUSE("option --on-cpu: samples of 'instructions' do not tell time (cpu-clock, task-clock "
	       "and cycles do)",
	       "", "--off-cpu", "--on-cpu", "-e", "instructions");
}
END_TEST

/* Operands are patterns then. */
START_TEST(lists)
{
	TAKE("--list", "c:mall*", "-p", "1", "page");
	ck_assert(o.list);
	ck_assert_uint_eq(o.pids.nr, 1);
	ck_assert_str_eq(o.patterns_listed[0], "c:mall*");
	ck_assert_str_eq(o.patterns_listed[1], "page");
	ck_assert_ptr_null(o.patterns_listed[2]);
	TAKE("--list");
	ck_assert_ptr_null(o.patterns_listed[0]);
	REFUSE("option --list: not allowed with a command", "", "--list", "--", "true");
	REFUSE("option --list: not allowed with -r/--regexp", "", "--list", "-r", "x");
}
END_TEST

START_TEST(words_of_bpftrace)
{
	TAKE("-e", "uprobe:c:malloc", "-e", "tracepoint:sched:sched_switch", "--weight",
	     "prev_pid");
	ck_assert_uint_eq(o.patterns.nr, 2);
	ck_assert_str_eq(o.patterns.data[0].text, "p:c:malloc");
	ck_assert_int_eq(o.patterns.data[0].kind, PATTERN_USER);
	ck_assert_str_eq(o.patterns.data[1].text, "t:sched:sched_switch");
	ck_assert_str_eq(o.weights.data[1].name, "prev_pid");
	REFUSE("failed to find 'kretprobe:vfs_read': returns of functions are not counted",
	       "'kprobe:vfs_read' counts the calls", "-e", "kretprobe:vfs_read");
}
END_TEST

START_TEST(defaults)
{
	TAKE();
	ck_assert_str_eq(o.output, "profrec.prof");
	ck_assert_uint_eq(o.freq_hz, 49);
	ck_assert_uint_eq(o.stack_storage, 16384);
	ck_assert_uint_eq(o.hash_storage, 40960);
	ck_assert_uint_eq(o.duration_ns, 0);
	ck_assert_uint_eq(o.pids.nr, 0);
	ck_assert_uint_eq(o.cpus.nr, 0);
	ck_assert(!o.user_only && !o.kernel_only && !o.include_idle && !o.quiet);
	ck_assert_uint_eq(o.period, 0);
	ck_assert_uint_eq(o.max_depth, 0);
	ck_assert_int_eq(o.unwind, UNWIND_AUTO);
	ck_assert_ptr_null(o.unwind_cache);
	ck_assert_uint_eq(o.tids.nr, 0);
	ck_assert_uint_eq(o.uid, UINT64_MAX);
	ck_assert_uint_eq(o.mntns, 0);
	ck_assert(!o.follow && !o.comm && !o.cgroup && !o.cgroup_map && !o.mntns_map);
	ck_assert_ptr_null(o.event_text);
	ck_assert_ptr_null(o.command);
	ck_assert_str_eq(o.command_line, "profrec");
}
END_TEST

START_TEST(short_options)
{
	TAKE("-o", "a.prof", "-p", "1,4194304", "-F", "99", "-C", "0-2,5", "-UIq", "10");
	ck_assert_str_eq(o.output, "a.prof");
	ck_assert_uint_eq(o.pids.nr, 2);
	ck_assert_uint_eq(o.pids.data[0], 1);
	ck_assert_uint_eq(o.pids.data[1], 4194304);
	ck_assert_uint_eq(o.freq_hz, 99);
	ck_assert_uint_eq(o.cpus.nr, 4);
	ck_assert_uint_eq(o.cpus.data[2], 2);
	ck_assert_uint_eq(o.cpus.data[3], 5);
	ck_assert(o.user_only && o.include_idle && o.quiet && !o.kernel_only);
	ck_assert_uint_eq(o.duration_ns, 10 * NS_PER_S);
	ck_assert_str_eq(o.command_line, "profrec -o a.prof -p 1,4194304 -F 99 -C 0-2,5 -UIq 10");
}
END_TEST

START_TEST(long_options)
{
	TAKE("--output=-", "--pid=7", "--frequency", "1000000", "--cpu=8191",
	     "--kernel-stacks-only", "--include-idle", "--stack-storage-size=2",
	     "--hash-storage-size", "16777216", "--quiet");
	ck_assert_str_eq(o.output, "-");
	ck_assert_uint_eq(o.pids.data[0], 7);
	ck_assert_uint_eq(o.freq_hz, 1000000);
	ck_assert_uint_eq(o.cpus.data[0], 8191);
	ck_assert(o.kernel_only && o.include_idle && o.quiet && !o.user_only);
	ck_assert_uint_eq(o.stack_storage, 2);
	ck_assert_uint_eq(o.hash_storage, 16777216);
}
END_TEST

START_TEST(filters)
{
	TAKE("-L", "5,6", "--comm", "kworker/0:1", "--uid=0", "--cgroup", "/c", "--cgroupmap=/m",
	     "--mntns", "4194304", "--mntnsmap", "/n", "--unwind=dwarf", "--unwind-cache=/u");
	ck_assert_uint_eq(o.tids.nr, 2);
	ck_assert_uint_eq(o.tids.data[1], 6);
	ck_assert_str_eq(o.comm, "kworker/0:1");
	ck_assert_uint_eq(o.uid, 0);
	ck_assert_str_eq(o.cgroup, "/c");
	ck_assert_str_eq(o.cgroup_map, "/m");
	ck_assert_int_eq(o.unwind, UNWIND_DWARF);
	ck_assert_str_eq(o.unwind_cache, "/u");
	ck_assert_uint_eq(o.mntns, 4194304);
	ck_assert_str_eq(o.mntns_map, "/n");
	TAKE("--container", "3f8a");
	ck_assert_str_eq(o.container, "3f8a");
	TAKE("--pod", "shop/web-0");
	ck_assert_str_eq(o.pod, "shop/web-0");
	TAKE("--systemd-unit", "nginx");
	ck_assert_str_eq(o.unit, "nginx");
	REFUSE("option --pod: not allowed with option --cgroup", "", "--cgroup", "/c", "--pod=1");
	TAKE("-p", "1", "--follow", "--comm", "123456789012345");
	ck_assert(o.follow);
	REFUSE("option --pause: needs --repeat", "", "--pause", "3");
	REFUSE("option --repeat: needs a duration or a command", "", "--repeat=3", "-o%s");
	REFUSE("option --repeat: not allowed with option --rotate", "", "--repeat=3", "-o%s",
	       "--rotate=5", "9");
	REFUSE("option --repeat: not allowed with standard output", "", "--repeat=3", "-o-", "9");
	REFUSE("option --repeat: 'a' is the name of one file",
	       "give -o a pattern of strftime(3): -o a-%H%M%S.prof", "--repeat=3", "-oa", "9");
	REFUSE("option --follow: needs -p/--pid", "", "--follow");
	REFUSE("option --follow: needs -p/--pid", "", "--follow", "-L", "1");
	REFUSE("option --comm: '1234567890123456' is longer than a thread's name can be (15 bytes)",
	       "", "--comm", "1234567890123456");
	REFUSE("option --uid: 4294967295 is out of range (0 to 4294967294)", "", "--uid",
	       "4294967295");
	REFUSE("option --uid: 'root' is not a whole number",
	       "it takes the number of a user, which 'id -u NAME' prints", "--uid", "root");
	REFUSE("option --mntns: 0 is out of range (1 to 4194304)", "", "--mntns=0");
	REFUSE("option -L/--tid: not allowed with option -p/--pid", "", "-p1", "-L1");
	REFUSE("option -p/--pid: not allowed with option -L/--tid", "", "-L1", "-p1");
	REFUSE("option -L/--tid: '1-2' is not a list of thread ids (N[,N...])", "", "-L1-2");
	REFUSE("option -L/--tid: not allowed with a command", "", "-L", "1", "--", "true");
	REFUSE("option --unwind: unknown value 'lbr'; choose one of: auto, fp, dwarf", "",
	       "--unwind=lbr");
	REFUSE("option --max-stack-depth: 2049 is out of range (1 to 2048)", "",
	       "--max-stack-depth=2049");
}
END_TEST

/* The rate is a frequency or a period: the given one, or the default of the event. */
START_TEST(rates)
{
	static const struct {
		const char *event;
		uint64_t freq_hz, period;
	} defaults_of[] = {
		{"cpu-clock", 49, 0},       {"cycles", 49, 0},     {"r1c2", 49, 0},
		{"context-switches", 0, 1}, {"page-faults", 0, 1}, {"sched:sched_switch", 0, 1},
	};
	TAKE("-c", "9223372036854775807");

	ck_assert_uint_eq(o.freq_hz, 0);
	ck_assert_uint_eq(o.period, INT64_MAX);
	TAKE("-e", "page-faults", "-F", "99");
	ck_assert_uint_eq(o.freq_hz, 99);
	ck_assert_uint_eq(o.period, 0);
	TAKE("-e", "sched:sched_switch", "-c", "10");
	ck_assert_uint_eq(o.period, 10);
	for (size_t i = 0; i < ARRAY_SIZE(defaults_of); i++) {
		TAKE("-e", defaults_of[i].event);
		ck_assert_str_eq(o.event.name, defaults_of[i].event);
		ck_assert_uint_eq(o.freq_hz, defaults_of[i].freq_hz);
		ck_assert_uint_eq(o.period, defaults_of[i].period);
	}
	REFUSE("option -c/--count: not allowed with option -F/--frequency", "", "-F9", "-c9");
	REFUSE("option -c/--count: 0 is out of range (1 to 9223372036854775807)", "", "-c0");
	REFUSE("option -F/--frequency: not allowed with a tracepoint",
	       "-c COUNT takes every COUNTth hit", "-F9", "-e", "sched:sched_switch");
}
END_TEST

/* Events of perf's are sampled, all else is a pattern of probes. */
START_TEST(events_and_patterns)
{
	TAKE("-e", "frobs", "-e", "u:pthread:*", "-c", "10");
	ck_assert_ptr_null(o.event_text);
	ck_assert_uint_eq(o.patterns.nr, 2);
	ck_assert_int_eq(o.patterns.data[0].kind, PATTERN_KERNEL);
	ck_assert_int_eq(o.patterns.data[1].kind, PATTERN_USDT);
	ck_assert_uint_eq(o.hit_period, 10);
	TAKE("-e", "p:c:malloc", "-e", "cpu-clock", "-e", "sched:sched_switch", "-F", "99");
	ck_assert_str_eq(o.event_text, "cpu-clock");
	ck_assert_uint_eq(o.event_position, 1);
	ck_assert_uint_eq(o.patterns.nr, 2);
	ck_assert_uint_eq(o.freq_hz, 99);
	ck_assert_uint_eq(o.hit_period, 1);
	TAKE("-l", "c", "-e", "malloc");
	ck_assert_int_eq(o.patterns.data[0].kind, PATTERN_USER);
	ck_assert_str_eq(o.patterns.data[0].place.text, "c");
	REFUSE("option -e/--event: only one event can be sampled, not 'cpu-clock' and 'cs'",
	       "tracepoints and functions can be counted along with it", "-e", "cpu-clock", "-e",
	       "cs");
	REFUSE("option -F/--frequency: there is no event to sample",
	       "--on-cpu also samples what runs: 'profrec --off-cpu --on-cpu'", "-F9", "--off-cpu");
	REFUSE("option -l/--library: needs -e with a function of the library",
	       "'profrec -l c -e FUNCTION'", "-l", "c");
	REFUSE("option -F/--frequency: there is no event to sample",
	       "-c COUNT takes every COUNTth hit", "-F9", "-e", "c:malloc", "-e", "c:free");
	REFUSE("option -e/--event: the type of pattern 'x:c:malloc' is not p, t or u, but 'x'",
	       "patterns are FUNC, LIB:FUNC, p:[LIB]:FUNC, t:CATEGORY:EVENT, u:LIB:[PROVIDER:]PROBE; * stands for any text",
	       "-e", "x:c:malloc");
}
END_TEST

START_TEST(options_behind_the_duration)
{
	TAKE("30", "-F", "7", "-q");
	ck_assert_uint_eq(o.duration_ns, 30 * NS_PER_S);
	ck_assert_uint_eq(o.freq_hz, 7);
	ck_assert(o.quiet);
	/* In the order in which the user typed it: getopt reorders arguments. */
	ck_assert_str_eq(o.command_line, "profrec 30 -F 7 -q");
}
END_TEST

START_TEST(lists_of_several_options)
{
	TAKE("-p", "5,6", "-p", "6,7", "-C1", "-C", "0-1");
	ck_assert_uint_eq(o.pids.nr, 3);
	ck_assert_uint_eq(o.pids.data[2], 7);
	ck_assert_uint_eq(o.cpus.nr, 2);
	ck_assert_uint_eq(o.cpus.data[0], 1);
	ck_assert_uint_eq(o.cpus.data[1], 0);
}
END_TEST

START_TEST(intervals_and_rotation)
{
	TAKE("-i", "5", "-o", "%s.prof", "--rotate=60", "--rotate-keep=7");
	ck_assert_uint_eq(o.interval_ns, 5 * NS_PER_S);
	ck_assert_uint_eq(o.rotation.time_ns, 60 * NS_PER_S);
	ck_assert_uint_eq(o.rotation.bytes, 0);
	ck_assert_uint_eq(o.rotation.keep, 7);
	TAKE("--rotate", "2M", "-o%s.prof");
	ck_assert_uint_eq(o.interval_ns, 0);
	ck_assert_uint_eq(o.rotation.bytes, 2 << 20);
	REFUSE("option -i/--interval: 0 is out of range (100ms to 99999999s)", "", "-i0");
	REFUSE("option --rotate: 'profrec.prof' is the name of one file",
	       "give -o a pattern of strftime(3): -o %Y%m%d-%H%M%S.prof", "--rotate", "5");
	REFUSE("option --rotate: 'day' is not a time or a size",
	       "times are 3600, 60m, 1h; sizes are 64M, 1G (m is minutes, M is MiB)",
	       "--rotate=day", "-o%Y");
}
END_TEST

START_TEST(durations)
{
	TAKE("1");
	ck_assert_uint_eq(o.duration_ns, 1 * NS_PER_S);
	TAKE("99999998");
	ck_assert_uint_eq(o.duration_ns, 99999998 * NS_PER_S);
	/* Scripts may pass on the default of bcc, which means no limit. */
	TAKE("99999999");
	ck_assert_uint_eq(o.duration_ns, 0);
	TAKE("0.5");
	ck_assert_uint_eq(o.duration_ns, NS_PER_S / 2);
	TAKE("30s", "-i", "250ms", "--repeat=2", "--pause", "1.5", "-o%s");
	ck_assert_uint_eq(o.duration_ns, 30 * NS_PER_S);
	ck_assert_uint_eq(o.interval_ns, NS_PER_S / 4);
	ck_assert_uint_eq(o.pause_ns, 1500 * NS_PER_MS);
	TAKE("2m");
	ck_assert_uint_eq(o.duration_ns, 120 * NS_PER_S);
	REFUSE("duration 0 is out of range (1ms to 99999999s)", "", "0");
	REFUSE("duration 100000000 is out of range (1ms to 99999999s)", "", "100000000");
	REFUSE("duration 18446744073709551617 is out of range (1ms to 99999999s)", "",
	       "18446744073709551617");
	REFUSE("'1,5' is not a duration", OPTION_DURATION_HINT, "1,5");
	REFUSE("'10x' is not a duration", OPTION_DURATION_HINT, "10x");
	REFUSE("'' is not a duration", OPTION_DURATION_HINT, "");
	REFUSE("' 1' is not a duration", OPTION_DURATION_HINT, " 1");
	REFUSE("'+1' is not a duration", OPTION_DURATION_HINT, "+1");
	REFUSE("unexpected argument '20'", usage_hint, "10", "20");
}
END_TEST

START_TEST(a_command_without_dashes)
{
	REFUSE("'sh' is not a duration", command_hint, "sh", "x");
	REFUSE("'/bin/sh' is not a duration",
	       "to record a command, put -- before it: 'profrec -- /bin/sh'", "/bin/sh");
	REFUSE("unexpected argument 'sh'", command_hint, "10", "sh", "-q");
	REFUSE("unexpected argument 'no-such-program'", usage_hint, "10", "no-such-program");
	REFUSE("unexpected argument '/bin'", usage_hint, "10", "/bin");
}
END_TEST

START_TEST(commands)
{
	TAKE("-q", "--", "gcc", "-F", "-c", "--help", "--", "x.c");
	ck_assert_ptr_nonnull(o.command);
	ck_assert_str_eq(o.command[0], "gcc");
	ck_assert_str_eq(o.command[1], "-F");
	ck_assert_str_eq(o.command[3], "--help");
	ck_assert_str_eq(o.command[4], "--");
	ck_assert_str_eq(o.command[5], "x.c");
	ck_assert_ptr_null(o.command[6]);
	ck_assert(o.quiet);
	ck_assert_uint_eq(o.freq_hz, 49);
	ck_assert_uint_eq(o.duration_ns, 0);
	ck_assert_str_eq(o.command_line, "profrec -q -- gcc -F -c --help -- x.c");
	TAKE("30", "-F", "99", "--", "true");
	ck_assert_uint_eq(o.duration_ns, 30 * NS_PER_S);
	ck_assert_str_eq(o.command[0], "true");
	ck_assert_ptr_null(o.command[1]);
	TAKE("--", "");
	ck_assert_str_eq(o.command[0], "");
}
END_TEST

START_TEST(commands_that_are_refused)
{
	REFUSE("no command after --", "", "--");
	REFUSE("no command after --", "", "10", "--");
	REFUSE("option -p/--pid: not allowed with a command", "", "-p", "1", "--", "true");
	/* An argument after the dashes is no value of an option. */
	REFUSE("option -o: needs a value", list_hint, "-o", "--", "true");
	REFUSE("option --frequency: needs a value", list_hint, "--frequency", "--", "true");
}
END_TEST

START_TEST(conflicts)
{
	REFUSE("option -K/--kernel-stacks-only: not allowed with option -U/--user-stacks-only", "",
	       "-U", "-K");
	REFUSE("option -U/--user-stacks-only: not allowed with option -K/--kernel-stacks-only", "",
	       "-KU");
	REFUSE("option -K/--kernel-stacks-only: not allowed with option -U/--user-stacks-only", "",
	       "--user-stacks-only", "10", "--kernel-stacks-only");
	TAKE("-U", "-U");
	ck_assert(o.user_only);
}
END_TEST

START_TEST(ranges)
{
	REFUSE("option -F/--frequency: 0 is out of range (1 to 1000000)", "", "-F", "0");
	REFUSE("option -F/--frequency: 1000001 is out of range (1 to 1000000)", "", "-F1000001");
	REFUSE("option -F/--frequency: 99999999999999999999 is out of range (1 to 1000000)", "",
	       "--frequency=99999999999999999999");
	REFUSE("option --stack-storage-size: 1 is out of range (2 to 16777216)", "",
	       "--stack-storage-size", "1");
	REFUSE("option --hash-storage-size: 16777217 is out of range (2 to 16777216)", "",
	       "--hash-storage-size", "16777217");
}
END_TEST

START_TEST(what_is_no_number)
{
	REFUSE("option -F/--frequency: 'x' is not a whole number", "", "-F", "x");
	REFUSE("option -F/--frequency: '' is not a whole number", "", "-F", "");
	REFUSE("option -F/--frequency: '-5' is not a whole number", "", "-F", "-5");
	REFUSE("option -F/--frequency: '0x10' is not a whole number", "", "-F", "0x10");
	REFUSE("option -F/--frequency: '49 ' is not a whole number", "", "-F", "49 ");
	REFUSE("option --hash-storage-size: '1k' is not a whole number", "",
	       "--hash-storage-size=1k");
}
END_TEST

START_TEST(what_is_no_list)
{
	static const char *const pids[] = {"0",   "",  ",",       "1,",  ",1", "1,,2",
					   "1-3", "x", "4194305", "1 2", "-1"};
	static const char *const cpus[] = {"",     "-",      "1-", "-1", "3-1",
					   "8192", "0-8192", "a",  "1,", "0-1-2"};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		snprintf(text, sizeof(text),
			 "option -p/--pid: '%s' is not a list of process ids (N[,N...])", pids[i]);
		REFUSE(text, pid_hint, "-p", pids[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		snprintf(text, sizeof(text),
			 "option -C/--cpu: '%s' is not a list of CPUs (N[,N|A-B...])", cpus[i]);
		REFUSE(text, "", "-C", cpus[i]);
	}
}
END_TEST

START_TEST(unknown_options)
{
	REFUSE("unknown option '-x'", list_hint, "-x");
	REFUSE("unknown option '-x'", list_hint, "-qx");
	REFUSE("unknown option '--nothing'", list_hint, "--nothing");
	REFUSE("option --quiet: takes no value", list_hint, "--quiet=1");
	REFUSE("unknown option '-g'", "stacks are always recorded; --unwind chooses how", "-g");
	REFUSE("unknown option '--call-graph'", "stacks are always recorded; --unwind chooses how",
	       "--call-graph=dwarf");
	REFUSE("unknown option '--frequncy'; did you mean '--frequency'?", "", "--frequncy=99");
	REFUSE("unknown option '-d'",
	       "the duration is the last word: 'profrec -F 99 30' records for 30 seconds; "
	       "'profrep -d' prints delimiters",
	       "-d", "30");
	REFUSE("option --languages: unknown value 'pyt'; did you mean 'py'?",
	       "'profrec --languages help' lists the languages", "--languages=rb,pyt");
	REFUSE("option -e/--event: unknown event 'cpu-clok'; did you mean 'cpu-clock'?", "", "-e",
	       "cpu-clok");
	REFUSE("option -F: needs a value", list_hint, "-F");
	REFUSE("option --pid: needs a value", list_hint, "--pid");
}
END_TEST

/* Reads the text that @arg, such as --help, makes the parser print to stdout. */
static void information(const char *arg, char *text, size_t size)
{
	char path[] = "/tmp/profrec-test-XXXXXX", *argv[ARGS_MAX];
	int fd = mkstemp(path), before = dup(STDOUT_FILENO), ret;
	struct record_options options;
	struct err err = {0};
	ssize_t n;

	ck_assert_int_ge(fd, 0);
	unlink(path);
	fflush(stdout);
	ck_assert_int_ge(dup2(fd, STDOUT_FILENO), 0);
	ret = PARSE(&options, argv, &err, arg);
	fflush(stdout);
	ck_assert_int_ge(dup2(before, STDOUT_FILENO), 0);
	record_options_deinit(&options);
	ck_assert_int_eq(ret, OPTIONS_DONE);
	n = pread(fd, text, size - 1, 0);
	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	close(before);
	close(fd);
}

START_TEST(help_and_version)
{
	static char text[16384];

	information("--version", text, sizeof(text));
	/* The commit may follow. */
	ck_assert_ptr_eq(strstr(text, "profrec " PROFREC_VERSION), text);
	information("--help", text, sizeof(text));
	ck_assert_int_eq(
		strncmp(text, "usage: profrec [OPTIONS] [DURATION] [-- COMMAND [ARG...]]\n", 58),
		0);
	ck_assert_ptr_nonnull(strstr(text, "  -F, --frequency HZ "));
	ck_assert_ptr_nonnull(strstr(text, "      --stack-storage-size N"));
	information("-h", text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "usage: profrec "));
	information("--help-man", text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "\\fB\\-F\\fR, \\fB\\-\\-frequency\\fR \\fIHZ\\fR\n"));
	information("--help-completion", text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "\n_profrec()\n{\n"));
}
END_TEST

START_TEST(memory)
{
	static const char *const bad[] = {"",    "M",          "5x",   "64MB",
					  "64m", "0x10000000", "-64M", "6 4M"};

	TAKE("10");
	ck_assert_uint_eq(o.max_memory, 256 << 20);
	TAKE("--max-memory", "64M");
	ck_assert_uint_eq(o.max_memory, 64 << 20);
	TAKE("--max-memory", "64MiB");
	ck_assert_uint_eq(o.max_memory, 64 << 20);
	TAKE("--max-memory", "1.5G");
	ck_assert_uint_eq(o.max_memory, 1536 << 20);
	TAKE("--max-memory", "8388608");
	ck_assert_uint_eq(o.max_memory, 8 << 20);
	TAKE("--max-memory", "1024G");
	ck_assert_uint_eq(o.max_memory, UINT64_C(1) << 40);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[64];

		snprintf(text, sizeof(text), "option --max-memory: '%s' is not a size", bad[i]);
		REFUSE(text, OPTION_SIZE_HINT, "--max-memory", bad[i]);
	}
	REFUSE("option --max-memory: 8191K is out of range (8M to 1T)", "", "--max-memory",
	       "8191K");
	REFUSE("option --max-memory: 1025G is out of range (8M to 1T)", "", "--max-memory",
	       "1025G");
}
END_TEST

START_TEST(names_are_of_one_option)
{
	expect_own_names(&record_program);
}
END_TEST

SUITE_MAIN_WITH("record_options", NULL, end, lists, words_of_bpftrace, defaults, time_off_the_cpu,
		short_options, long_options, filters, rates, events_and_patterns,
		options_behind_the_duration, lists_of_several_options, intervals_and_rotation,
		durations, a_command_without_dashes, commands, commands_that_are_refused, conflicts,
		ranges, what_is_no_number, what_is_no_list, unknown_options, help_and_version,
		memory, names_are_of_one_option)
