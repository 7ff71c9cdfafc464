// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "record/output/progress.h"
#include "tests/unit/suite.h"

#define CLEAR "\r\033[K"

/* Progress prints into memory here. */
static struct screen {
	struct progress progress;
	FILE *out;
	char *text;
	size_t size;
} screen;

static void screen_open(bool is_quiet, bool has_terminal)
{
	screen = (struct screen){0};
	screen.out = open_memstream(&screen.text, &screen.size);
	ck_assert_ptr_nonnull(screen.out);
	progress_init(&screen.progress, screen.out, is_quiet);
	ck_assert(!screen.progress.has_terminal);
	screen.progress.has_terminal = has_terminal;
}

static void screen_expect(const char *want)
{
	fclose(screen.out);
	ck_assert_str_eq(screen.text, want);
	free(screen.text);
}

static void print_all(void)
{
	const struct prof_meta meta = {.freq_hz = 49, .command = ""};
	const struct prof_end end = {.counted = 5};
	const struct progress_result result = {
		.end = &end, .nr_stacks = 2, .bytes = 300, .output = "a.prof"};

	progress_note(&screen.progress, "%d of %s", 1, "two");
	progress_begin(&screen.progress, &meta, 7 * NS_PER_S);
	progress_status(&screen.progress, 3 * NS_PER_S, 5, 2);
	progress_note(&screen.progress, "three");
	progress_end(&screen.progress, &result);
}

#define HEADLINE "Sampling at 49 Hertz of all threads by user + kernel stack for 7 secs.\n"
#define CLOSING  "profrec: 5 samples in 2 stacks, 300 bytes in a.prof\n"

START_TEST(into_a_file)
{
	screen_open(false, false);
	print_all();
	ck_assert(!progress_has_status(&screen.progress));
	screen_expect("profrec: 1 of two\n" HEADLINE "profrec: three\n" CLOSING);
}
END_TEST

START_TEST(on_a_terminal)
{
	screen_open(false, true);
	print_all();
	ck_assert(progress_has_status(&screen.progress));
	progress_clear(&screen.progress);
	screen_expect("profrec: 1 of two\n" HEADLINE CLEAR "3 s: 5 samples, 2 stacks drained" CLEAR
		      "profrec: three\n" CLOSING "profrec: next: profrep html a.prof\n");
}
END_TEST

START_TEST(quiet_but_for_errors)
{
	const struct err err = {.text = "failed to remove 'a\033.prof'", .hint = "look there"};

	screen_open(true, true);
	print_all();
	ck_assert(!progress_has_status(&screen.progress));
	progress_error(&screen.progress, &err);
	screen_expect("profrec: failed to remove 'a\\x1b.prof'\n"
		      "profrec: hint: look there\n");
}
END_TEST

START_TEST(an_error_above_the_status)
{
	const struct err err = {.text = "failed"};

	screen_open(false, true);
	progress_status(&screen.progress, NS_PER_S, 1, 1);
	progress_error(&screen.progress, &err);
	progress_clear(&screen.progress);
	screen_expect(CLEAR "1 s: 1 sample, 1 stack drained" CLEAR "profrec: failed\n");
}
END_TEST

static bool is_of_event;
static uint8_t backend;

static void expect_closing(const struct prof_end *end, int status, const char *want)
{
	const struct progress_result result = {.end = end,
					       .backend = backend,
					       .bytes = 1,
					       .output = "-",
					       .command_status = status,
					       .is_of_event = is_of_event};

	screen_open(false, false);
	progress_end(&screen.progress, &result);
	screen_expect(want);
}

START_TEST(what_is_missing)
{
	const struct prof_end end = {
		.taken = 12,
		.lost = {[PROF_LOSS_STORAGE_FULL] = 3, [PROF_LOSS_REFUSED] = 9},
		.missed_user = {[PROF_LOSS_WALK_FAILED] = 4},
		.missed_kernel = {[PROF_LOSS_STORAGE_FULL] = 1},
		.lost_records = 6,
		.unfollowed = 8,
		.skipped = 5,
	};

	expect_closing(&end, 0,
		       "profrec: 0 samples in 0 stacks"
		       ", 12 lost (3 storage full, 9 refused by the kernel)"
		       ", 4 without their user stack (4 stack walk failed)"
		       ", 1 without their kernel stack (1 storage full)"
		       ", 6 records of mappings lost, 8 children not followed"
		       ", 5 hits skipped by the kernel, 1 byte in standard output\n");
}
END_TEST

/* Without BPF, a thread may end before its sample can be taken. */
START_TEST(what_is_missing_without_bpf)
{
	const struct prof_end end = {.taken = 2, .counted = 1, .lost = {[PROF_LOSS_REFUSED] = 1}};

	backend = PROF_BACKEND_PTRACE;
	expect_closing(
		&end, 0,
		"profrec: 1 sample in 0 stacks, 1 lost (1 not taken in time), 1 byte in standard output\n");
	backend = PROF_BACKEND_BPF;
}
END_TEST

START_TEST(why_there_is_nothing)
{
	struct prof_event_end event = {0};
	struct prof_end end = {.filtered = 7, .idle = 8};

	expect_closing(&end, 0,
		       "profrec: 0 samples in 0 stacks, 1 byte in standard output\n"
		       "profrec: hint: nothing that was asked for ran on a CPU (7 samples were of "
		       "others, 8 of idle CPUs); --off-cpu records where threads wait\n");
	is_of_event = true;
	expect_closing(&end, 0,
		       "profrec: 0 samples in 0 stacks, 1 byte in standard output\n"
		       "profrec: hint: what was asked for did not happen (7 samples were left out "
		       "by filters)\n");
	is_of_event = false;
	end.events = &event;
	end.nr_events = 1;
	expect_closing(&end, 0,
		       "profrec: 0 hits in 0 stacks, 1 byte in standard output\n"
		       "profrec: hint: what was asked for did not happen (7 hits were left out by "
		       "filters)\n");
}
END_TEST

START_TEST(how_the_command_ended)
{
	const struct prof_end end = {.taken = 1};
	const char closing[] = "profrec: 0 samples in 0 stacks, 1 byte in standard output\n";
	char want[256];

	expect_closing(&end, 0, closing);
	snprintf(want, sizeof(want), "profrec: the command exited with status 3\n%s", closing);
	expect_closing(&end, 3 << 8, want);
	snprintf(want, sizeof(want), "profrec: the command was killed by signal 9 (Killed)\n%s",
		 closing);
	expect_closing(&end, 9, want);
}
END_TEST

/* Of runtimes that one of 20 samples ends in. */
START_TEST(runtimes_that_end_stacks)
{
	const struct runtimes_stacks runtimes = {.of = {{"Guile", 228, 166},
							{"SB\033CL", 12, 12},
							{"Mono", 1000, 11},
							{"GHC", 9, 0}},
						 .nr = 4};
	struct prof_event_end event = {0};
	struct prof_end end = {.counted = 240};
	const struct progress_result result = {.end = &end, .runtimes = &runtimes, .output = "-"};

	screen_open(false, false);
	progress_end(&screen.progress, &result);
	screen_expect("profrec: 240 samples in 0 stacks, 0 bytes in standard output\n"
		      "profrec: hint: 166 of 228 samples in Guile end in code that cannot be "
		      "walked; GUILE_JIT_THRESHOLD=-1 in its environment makes them complete\n"
		      "profrec: hint: 12 of 12 samples in SB\\x1bCL end in code that cannot be "
		      "walked\n");
	end.events = &event;
	end.nr_events = 1;
	screen_open(false, false);
	progress_end(&screen.progress, &result);
	screen_expect("profrec: 240 hits in 0 stacks, 0 bytes in standard output\n");
}
END_TEST

SUITE_MAIN("progress", into_a_file, on_a_terminal, quiet_but_for_errors, an_error_above_the_status,
	   what_is_missing, what_is_missing_without_bpf, why_there_is_nothing,
	   how_the_command_ended, runtimes_that_end_stacks)
