// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/headline.h"
#include "tests/unit/suite.h"

static void expect(const struct prof_meta *meta, uint64_t duration_s, const char *want)
{
	char *text = headline_format(meta, duration_s);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(all_threads)
{
	expect(&(struct prof_meta){.freq_hz = 49}, 0,
	       "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.freq_hz = 49}, 30,
	       "Sampling at 49 Hertz of all threads by user + kernel stack for 30 secs.");
}
END_TEST

START_TEST(pid_list)
{
	static const uint32_t pids[] = {2040, 1316151};

	expect(&(struct prof_meta){.freq_hz = 99, .pids = pids, .nr_pids = 1}, 1,
	       "Sampling at 99 Hertz of PID [2040] by user + kernel stack for 1 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .pids = pids, .nr_pids = 2}, 0,
	       "Sampling at 49 Hertz of PID [2040, 1316151] by user + kernel stack... Hit Ctrl-C to end.");
}
END_TEST

START_TEST(tid_list)
{
	static const uint32_t tids[] = {185, 186};

	expect(&(struct prof_meta){.freq_hz = 49, .tids = tids, .nr_tids = 1}, 0,
	       "Sampling at 49 Hertz of TID [185] by user + kernel stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.period = 1, .tids = tids, .nr_tids = 2}, 3,
	       "Sampling at every 1 events of TID [185, 186] by user + kernel stack for 3 secs.");
}
END_TEST

START_TEST(period_sides_cpu)
{
	expect(&(struct prof_meta){.period = 1000000, .sides = PROF_SIDES_USER}, 0,
	       "Sampling at every 1000000 events of all threads by user stack... Hit Ctrl-C to end.");
	expect(&(struct prof_meta){.freq_hz = 49, .sides = PROF_SIDES_KERNEL, .only_cpu = 8}, 2,
	       "Sampling at 49 Hertz of all threads by kernel stack on CPU#7 for 2 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .only_cpu = 1}, 2,
	       "Sampling at 49 Hertz of all threads by user + kernel stack on CPU#0 for 2 secs.");
}
END_TEST

START_TEST(command_is_escaped)
{
	expect(&(struct prof_meta){.freq_hz = 49, .command = "gcc -c a.c"}, 2,
	       "Sampling at 49 Hertz of 'gcc -c a.c' (and its children) by user + kernel stack for 2 secs.");
	expect(&(struct prof_meta){.freq_hz = 49, .command = "a\033[1mb\n"}, 2,
	       "Sampling at 49 Hertz of 'a\\x1b[1mb\\x0a' (and its children) by user + kernel stack for 2 secs.");
}
END_TEST

SUITE_MAIN("headline", all_threads, pid_list, tid_list, period_sides_cpu, command_is_escaped)
