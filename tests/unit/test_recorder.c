// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs of the recorder: what it does when, and after which errors. */
#include "tests/unit/played_recorder.h"

static void begin(void)
{
	fail_at = NO_STEP;
	options = (struct record_options){.duration_ns = NS_PER_S};
	parts.has_names = false;
}

static void end(void)
{
}

static int status;

/* Runs once. Signals and the like are those of the script. */
static int run(void)
{
	int ret;

	now_ns = BEGIN_NS;
	nr_steps = 0;
	script.next = 0;
	script.most_ns = 0;
	memset(&seen, 0, sizeof(seen));
	said_notes[0] = '\0';
	ret = recorder_run(&options, &status, &err);
	now_ns = 0;
	return ret;
}

static void play(const struct wait *waits, size_t nr)
{
	ck_assert_uint_le(nr, ARRAY_SIZE(script.waits));
	memcpy(script.waits, waits, nr * sizeof(*waits));
	script.nr = nr;
}

#define PLAY_WAITS(...)                                                                            \
	play((struct wait[]){__VA_ARGS__}, ARRAY_SIZE(((struct wait[]){__VA_ARGS__})))

#define PREPARED                                                                                   \
	"session_init recordings_open session_prepare wakeups_init wakeups_watch_watermark "       \
	"wakeups_watch wakeups_watch wakeups_watch "
#define BEGUN                                                                                      \
	"pipeline_init description_begin epoch_begin_recording session_attach "                    \
	"session_start recordings_begin confine_recorder "
#define RECORDING_ENDED                                                                            \
	"epoch_end_recording description_end recordings_end progress_end recordings_remove_old "
#define FINISHED                                                                                   \
	"session_stop pipeline_take_set pipeline_take_waiting pipeline_fill_epoch "                \
	"pipeline_end_epoch " RECORDING_ENDED "session_note_omissions"

/* The steps after the beginning of sampling, but for those of each turn of the loop. */
static void expect_work(const char *want)
{
	char have[8192] = "";
	size_t i = 0;

	while (i < nr_steps && strcmp(steps[i], "confine_recorder") != 0)
		i++;
	for (i++; i < nr_steps && strcmp(steps[i], "session_stop") != 0; i++) {
		if (!strcmp(steps[i], "session_watch_overhead") ||
		    !strcmp(steps[i], "session_watch_cpus") ||
		    !strcmp(steps[i], "session_collect_records") ||
		    !strcmp(steps[i], "ksyms_load_slice"))
			continue;
		strcat(have, have[0] ? " " : "");
		strcat(have, steps[i]);
	}
	ck_assert_str_eq(have, want);
}

static size_t count_steps(const char *name)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_steps; i++)
		nr += !strcmp(steps[i], name);
	return nr;
}

START_TEST(a_run_that_is_due)
{
	options.duration_ns = 100 * NS_PER_MS;
	ck_assert_int_eq(run(), 0);
	expect_steps(PREPARED BEGUN "session_watch_overhead session_watch_cpus " FINISHED);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + options.duration_ns);
	ck_assert_uint_eq(seen.waiting_ns, seen.ended_ns);
	ck_assert_uint_eq(seen.sampled_until_ns, seen.ended_ns);
	ck_assert_uint_eq(seen.reason, PROF_END_DURATION);
	ck_assert_int_eq(status, 0);
	ck_assert(!seen.keeps_part);
	ck_assert_uint_eq(seen.nr_taken, 1);
	ck_assert_uint_eq(seen.nr_unwound, 1);
	ck_assert_uint_eq(seen.nr_applied, 1);
}
END_TEST

/* The samples that were drained before an error are written, once sampling has begun. */
START_TEST(an_error_at_each_step)
{
	const char *all[STEPS_MAX];
	size_t nr, nr_begun = 0;

	options.duration_ns = 100 * NS_PER_MS;
	parts.refused = 127;
	ck_assert_int_eq(run(), 0);
	nr = nr_steps;
	memcpy(all, steps, sizeof(all));
	while (strcmp(all[nr_begun], "confine_recorder") != 0)
		nr_begun++;
	for (fail_at = 0; fail_at < nr; fail_at++) {
		const char *name = all[fail_at];

		if (!strcmp(name, "epoch_begin_recording") ||
		    !strcmp(name, "epoch_end_recording") || !strcmp(name, "session_stop") ||
		    !strcmp(name, "progress_end") || !strcmp(name, "session_note_omissions"))
			continue;
		ck_assert_msg(run() < 0, "%s", name);
		ck_assert_uint_eq(nr_steps, fail_at + (fail_at > nr_begun ? 3 : 1));
		if (fail_at > nr_begun)
			ck_assert_str_eq(steps[fail_at + 1], "pipeline_end_epoch");
		ck_assert_int_eq(seen.keeps_part, fail_at > nr_begun);
		ck_assert_int_eq(status, 127);
	}
}
END_TEST

/* Also one in which the names of an epoch are awaited. */
START_TEST(a_wait_that_fails)
{
	options.duration_ns = 100 * NS_PER_MS;
	PLAY_WAITS({5, -EIO});
	ck_assert_int_eq(run(), -EIO);
	parts.has_names = true;
	parts.nr_names_waits = 4;
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, 0}, {5, -EIO});
	ck_assert_int_eq(run(), -EIO);
	ck_assert_uint_eq(script.next, 3);
}
END_TEST

START_TEST(a_signal_ends_the_run)
{
	PLAY_WAITS({5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.reason, PROF_END_SIGNAL);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 5);
	expect_work("");
}
END_TEST

START_TEST(a_command_that_ends)
{
	PLAY_WAITS({5, WAKEUP_CHILD});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.reason, PROF_END_DURATION);
	ck_assert_int_eq(status, 0);
	parts.has_command_ended = true;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.reason, PROF_END_COMMAND);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 5);
	ck_assert_int_eq(status, 5);
	/* A signal that came first is the reason. */
	PLAY_WAITS({5, WAKEUP_CHILD | WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.reason, PROF_END_SIGNAL);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(processes_that_end)
{
	static char *command[] = {NULL};
	uint32_t pids[] = {7, 8};

	options.pids = (u32_vec){.data = pids, .nr = 1, .cap = 2};
	parts.are_over = true;
	ck_assert_int_eq(run(), 0);
	ck_assert(has_step("exits_init"));
	ck_assert_uint_eq(seen.reason, PROF_END_COMMAND);
	ck_assert_str_eq(said_notes, "process 7 has ended\n");
	options.pids.nr = 2;
	ck_assert_int_eq(run(), 0);
	ck_assert_str_eq(said_notes, "all 2 processes have ended\n");
	parts.are_over = false;
	options.follow = true;
	ck_assert_int_eq(run(), 0);
	ck_assert(!has_step("exits_init"));
	options.follow = false;
	options.command = command;
	ck_assert_int_eq(run(), 0);
	ck_assert(!has_step("exits_init"));
}
END_TEST

START_TEST(what_wakes_the_recorder)
{
	PLAY_WAITS({5, WAKEUP_WATERMARK});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch");
	PLAY_WAITS({5, WAKEUP_FLUSH});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch");
	/* Without a pattern there is one file. */
	PLAY_WAITS({5, WAKEUP_ROTATE});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch");
	parts.is_pattern = true;
	parts.nr_other_labels = 3;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.nr_beyond_labels, 3);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch " RECORDING_ENDED
		    "recordings_open_next description_begin epoch_begin_recording "
		    "recordings_begin");
	PLAY_WAITS({5, 0});
	ck_assert_int_eq(run(), 0);
	expect_work("");
	parts.wants_drain = true;
	options.duration_ns = 100;
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch");
}
END_TEST

/* A file that is full ends after the epoch. */
START_TEST(a_full_file)
{
	parts.is_full = true;
	options.duration_ns = 100;
	PLAY_WAITS({5, WAKEUP_WATERMARK});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch " RECORDING_ENDED
		    "recordings_open_next description_begin epoch_begin_recording "
		    "recordings_begin");
}
END_TEST

/* Errors of a rotation end the run. */
START_TEST(errors_of_a_rotation)
{
	size_t first = 0, last = 0;

	parts.is_pattern = true;
	options.duration_ns = 100;
	PLAY_WAITS({5, WAKEUP_ROTATE});
	ck_assert_int_eq(run(), 0);
	for (size_t i = 0; i < nr_steps; i++) {
		if (!first && !strcmp(steps[i], "pipeline_take_set"))
			first = i;
		if (!strcmp(steps[i], "recordings_begin"))
			last = i;
	}
	for (fail_at = first; fail_at <= last; fail_at++) {
		if (run())
			continue;
		/* These return nothing. */
		ck_assert(!strcmp(steps[fail_at], "epoch_end_recording") ||
			  !strcmp(steps[fail_at], "epoch_begin_recording") ||
			  !strcmp(steps[fail_at], "progress_end"));
	}
}
END_TEST

/* Until the kernel's symbols are read, samples are taken, and no epoch is filled. */
START_TEST(kernel_symbols_that_are_being_read)
{
	parts.slices_left = 2;
	PLAY_WAITS({5, WAKEUP_WATERMARK}, {5, 0}, {5, WAKEUP_WATERMARK});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_take_set pipeline_fill_epoch");
	/* Meanwhile the recorder does not wait. */
	parts.slices_left = 3;
	script.nr = 0;
	options.duration_ns = 100;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(count_steps("ksyms_load_slice"), 3);
	parts.slices_left = 3;
	PLAY_WAITS({5, WAKEUP_FLUSH});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch");
}
END_TEST

START_TEST(status_lines)
{
	options.duration_ns = 3 * NS_PER_S + 1;
	ck_assert_int_eq(run(), 0);
	expect_work("");
	ck_assert_uint_eq(script.most_ns, INTERVAL_NS);
	parts.has_status = true;
	ck_assert_int_eq(run(), 0);
	expect_work("sampler_taken progress_status sampler_taken progress_status sampler_taken "
		    "progress_status");
}
END_TEST

/* Records are sorted at most each 20 ms, and less often while there are many. */
START_TEST(pauses_of_the_side_band)
{
	options.duration_ns = 200 * NS_PER_MS;
	PLAY_WAITS({1, 0}, {SIDEBAND_PAUSE_NS - 1, 0}, {1, 0}, {SIDEBAND_PAUSE_NS, 0}, {ASKED, 0});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.nr_applied, 4);
	ck_assert_uint_eq(count_steps("session_collect_records"), 1);
	parts.has_many_records = true;
	options.duration_ns = MANY_PAUSE_NS + 1;
	PLAY_WAITS({1, 0}, {MANY_PAUSE_NS - 1, 0}, {1, 0});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.nr_applied, 2);
	ck_assert_uint_eq(count_steps("session_collect_records"), 1);
	ck_assert_uint_eq(count_steps("session_watch_cpus"), 2);
}
END_TEST

/* An epoch waits for its names while sampling goes on. */
START_TEST(names_of_an_epoch)
{
	parts.has_names = true;
	options.duration_ns = 10 * NS_PER_MS;
	parts.nr_names_waits = 4;
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, 0}, {5, 0}, {5, 0});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_ask_names pipeline_end_epoch");
	ck_assert_uint_eq(seen.urgent_ns, NAMES_URGENT_NS);
	ck_assert_uint_eq(script.next, 4);
	/* A set that is half full is drained first. */
	parts.nr_names_waits = 9;
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, WAKEUP_WATERMARK});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_ask_names pipeline_end_epoch "
		    "pipeline_take_set pipeline_fill_epoch");
	parts.nr_names_waits = 9;
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 10);
	/* The wait ends with the run. */
	parts.nr_names_waits = 99;
	PLAY_WAITS({5, WAKEUP_FLUSH});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + options.duration_ns);
	/* And after two seconds. */
	parts.nr_names_waits = 99;
	options.duration_ns = 2 * NAMES_WAIT_NS;
	PLAY_WAITS({5, WAKEUP_FLUSH});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.epoch_ns, BEGIN_NS + 5 + NAMES_WAIT_NS);
}
END_TEST

/* The first question about names comes after a second, and each later one after as long again. */
START_TEST(questions_about_names)
{
	parts.has_names = true;
	options.duration_ns = 4 * NS_PER_S;
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_ask_names pipeline_take_set "
		    "pipeline_fill_epoch pipeline_ask_names");
	ck_assert_uint_eq(seen.urgent_ns, NAMES_URGENT_NS);
}
END_TEST

static int wait_for_names(void)
{
	return seen.pipeline->wait_for_names(seen.pipeline->wait_ctx);
}

START_TEST(the_last_names)
{
	parts.has_names = true;
	parts.in_epoch = wait_for_names;
	options.duration_ns = 10;
	options.names_wait_ns = 3 * NS_PER_S;
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, 0);
	ck_assert_uint_eq(count_steps("file_names_work"), 0);
	ck_assert_str_eq(said_notes, "");
	/* One wait of the loop is before those for the names. */
	parts.nr_names_waits = 3;
	PLAY_WAITS({ASKED, 0}, {5, WAKEUP_READY}, {5, WAKEUP_READY});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, 0);
	ck_assert_uint_eq(count_steps("file_names_work"), 2);
	ck_assert_str_eq(said_notes, "");
	parts.nr_names_waits = 99;
	PLAY_WAITS({ASKED, 0});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, 1);
	ck_assert_uint_eq(script.most_ns, 2 * NS_PER_S);
	ck_assert_uint_eq(count_steps("file_names_work"), 2);
	ck_assert_str_eq(said_notes,
			 "waiting for the names of functions, 3 s at most (--names-wait): Ctrl-C "
			 "leaves out those that lack\n");
	parts.nr_names_waits = 99;
	PLAY_WAITS({ASKED, 0}, {5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, 1);
	ck_assert_uint_eq(count_steps("file_names_work"), 0);
	ck_assert_uint_eq(seen.reason, PROF_END_DURATION);
}
END_TEST

static int wait_for_reader(void)
{
	return seen.recordings->out.wait(seen.recordings->out.wait_ctx, 1);
}

/* Nobody reads standard output, and sampling has ended. */
START_TEST(the_reader_of_the_last_part)
{
	parts.in_epoch = wait_for_reader;
	options.duration_ns = 10;
	PLAY_WAITS({ASKED, 0}, {5, WAKEUP_FLUSH}, {5, WAKEUP_READY});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, 0);
	ck_assert_uint_eq(script.next, 3);
	PLAY_WAITS({ASKED, 0}, {5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(names_result, -EINTR);
	ck_assert_str_eq(err.text, "failed to write 'standard output': a signal came while nobody "
				   "read it");
}
END_TEST

/* Sampling ends when it is due, though the reader does not read. What was asked for comes later. */
START_TEST(the_reader_of_an_epoch)
{
	parts.in_epoch = wait_for_reader;
	parts.is_early = true;
	options.duration_ns = 1000;
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, WAKEUP_FLUSH}, {5, WAKEUP_READY}, {5, 0},
		   {5, WAKEUP_READY}, {ASKED, 0}, {5, WAKEUP_READY});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch pipeline_end_epoch pipeline_take_set "
		    "pipeline_fill_epoch pipeline_end_epoch");
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 1000);
	PLAY_WAITS({5, WAKEUP_FLUSH}, {ASKED, 0}, {7, WAKEUP_READY}, {0, 0}, {0, WAKEUP_READY});
	ck_assert_int_eq(run(), 0);
	expect_work("pipeline_take_set pipeline_fill_epoch");
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 1000);
	PLAY_WAITS({5, WAKEUP_FLUSH}, {5, WAKEUP_STOP}, {7, WAKEUP_READY}, {7, WAKEUP_READY});
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(seen.ended_ns, BEGIN_NS + 10);
	ck_assert_uint_eq(seen.reason, PROF_END_SIGNAL);
}
END_TEST

/* Ctrl-C ends the reader, too. */
START_TEST(an_interrupted_reader)
{
	options.duration_ns = 100 * NS_PER_MS;
	ck_assert_int_eq(run(), 0);
	fail_at = 0;
	while (strcmp(steps[++fail_at], "pipeline_end_epoch") != 0)
		;
	ck_assert_int_lt(run(), 0);
	parts.is_unread = true;
	ck_assert_int_lt(run(), 0);
	PLAY_WAITS({ASKED, 0}, {5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(status, 128 + SIGINT);
	parts.is_unread = false;
	ck_assert_int_lt(run(), 0);
	ck_assert_int_eq(status, 0);
	parts.is_unread = true;
	PLAY_WAITS({5, WAKEUP_STOP});
	ck_assert_int_eq(run(), 0);
	ck_assert_int_eq(status, 128 + SIGINT);
	parts.has_command_ended = true;
	PLAY_WAITS({5, WAKEUP_CHILD});
	ck_assert_int_lt(run(), 0);
}
END_TEST

SUITE_MAIN_WITH("recorder", begin, end, a_run_that_is_due, an_error_at_each_step, a_wait_that_fails,
		a_signal_ends_the_run, a_command_that_ends, processes_that_end,
		what_wakes_the_recorder, a_full_file, errors_of_a_rotation,
		kernel_symbols_that_are_being_read, status_lines, pauses_of_the_side_band,
		names_of_an_epoch, questions_about_names, the_last_names,
		the_reader_of_the_last_part, the_reader_of_an_epoch, an_interrupted_reader)
