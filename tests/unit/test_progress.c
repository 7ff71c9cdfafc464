// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "record/output/progress.h"
#include "tests/unit/suite.h"

#define CLEAR "\r\033[K"

/* Progress prints into memory here. */
struct screen {
	struct progress progress;
	FILE *out;
	char *text;
	size_t size;
};

static void screen_open(struct screen *s, bool is_quiet, bool has_terminal)
{
	*s = (struct screen){0};
	s->out = open_memstream(&s->text, &s->size);
	ck_assert_ptr_nonnull(s->out);
	progress_init(&s->progress, s->out, is_quiet);
	ck_assert(!s->progress.has_terminal);
	s->progress.has_terminal = has_terminal;
}

static void screen_expect(struct screen *s, const char *want)
{
	fclose(s->out);
	ck_assert_str_eq(s->text, want);
	free(s->text);
}

static void print_all(struct screen *s)
{
	const struct prof_meta meta = {.freq_hz = 49, .command = ""};
	const struct prof_end end = {.counted = 5};
	const struct progress_result result = {
		.end = &end, .nr_stacks = 2, .bytes = 300, .output = "a.prof"};

	progress_note(&s->progress, "%d of %s", 1, "two");
	progress_begin(&s->progress, &meta, 7);
	progress_status(&s->progress, 3 * NS_PER_S, 5, 2);
	progress_note(&s->progress, "three");
	progress_end(&s->progress, &result);
}

#define HEADLINE "Sampling at 49 Hertz of all threads by user + kernel stack for 7 secs.\n"
#define CLOSING  "profrec: 5 samples in 2 stacks, 300 bytes in a.prof\n"

START_TEST(into_a_file)
{
	struct screen s;

	screen_open(&s, false, false);
	print_all(&s);
	ck_assert(!progress_has_status(&s.progress));
	screen_expect(&s, "profrec: 1 of two\n" HEADLINE "profrec: three\n" CLOSING);
}
END_TEST

START_TEST(on_a_terminal)
{
	struct screen s;

	screen_open(&s, false, true);
	print_all(&s);
	ck_assert(progress_has_status(&s.progress));
	progress_clear(&s.progress);
	screen_expect(&s, "profrec: 1 of two\n" HEADLINE CLEAR
			  "3 s: 5 samples, 2 stacks drained" CLEAR "profrec: three\n" CLOSING);
}
END_TEST

START_TEST(quiet_but_for_errors)
{
	const struct err err = {.text = "failed to remove 'a\033.prof'", .hint = "look there"};
	struct screen s;

	screen_open(&s, true, true);
	print_all(&s);
	ck_assert(!progress_has_status(&s.progress));
	progress_error(&s.progress, &err);
	screen_expect(&s, "profrec: failed to remove 'a\\x1b.prof'\n"
			  "profrec: hint: look there\n");
}
END_TEST

START_TEST(an_error_above_the_status)
{
	const struct err err = {.text = "failed"};
	struct screen s;

	screen_open(&s, false, true);
	progress_status(&s.progress, NS_PER_S, 1, 1);
	progress_error(&s.progress, &err);
	progress_clear(&s.progress);
	screen_expect(&s, CLEAR "1 s: 1 samples, 1 stacks drained" CLEAR "profrec: failed\n");
}
END_TEST

static void expect_closing(const struct prof_end *end, int status, const char *want)
{
	const struct progress_result result = {
		.end = end, .bytes = 1, .output = "-", .command_status = status};
	struct screen s;

	screen_open(&s, false, false);
	progress_end(&s.progress, &result);
	screen_expect(&s, want);
}

START_TEST(what_is_missing)
{
	const struct prof_end end = {
		.lost = {[PROF_LOSS_STORAGE_FULL] = 3, [PROF_LOSS_REFUSED] = 9},
		.missed_user = {[PROF_LOSS_WALK_FAILED] = 4},
		.missed_kernel = {[PROF_LOSS_STORAGE_FULL] = 1},
		.lost_records = 6,
		.unfollowed = 8,
	};

	expect_closing(&end, 0,
		       "profrec: 0 samples in 0 stacks"
		       ", 12 lost (3 storage full, 9 refused by the kernel)"
		       ", 4 without their user stack (4 stack walk failed)"
		       ", 1 without their kernel stack (1 storage full)"
		       ", 6 records of mappings lost, 8 children not followed, 1 bytes in -\n");
}
END_TEST

START_TEST(how_the_command_ended)
{
	const struct prof_end end = {0};
	const char closing[] = "profrec: 0 samples in 0 stacks, 1 bytes in -\n";
	char want[256];

	expect_closing(&end, 0, closing);
	snprintf(want, sizeof(want), "profrec: the command exited with status 3\n%s", closing);
	expect_closing(&end, 3 << 8, want);
	snprintf(want, sizeof(want), "profrec: the command was killed by signal 9 (Killed)\n%s",
		 closing);
	expect_closing(&end, 9, want);
}
END_TEST

SUITE_MAIN("progress", into_a_file, on_a_terminal, quiet_but_for_errors, an_error_above_the_status,
	   what_is_missing, how_the_command_ended)
