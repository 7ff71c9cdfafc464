// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

#include "record/output/recordings.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"
#include "tests/unit/temp_files.h"

#define START UINT64_C(5000000000) /* CLOCK_MONOTONIC */

static const struct rotation no_rotation;

/* The recordings of a test, which runs in a directory of its own, and their errors. */
static struct recordings r;
static struct err err;

static void begin(void)
{
	enter_new_dir();
	err = (struct err){0};
}

static void begin_at(uint64_t start_ns)
{
	struct prof_meta meta = test_meta;

	meta.start_monotonic_ns = start_ns;
	ck_assert_int_eq(recordings_begin(&r, &meta), 0);
}

/*
 * Writes an epoch of a second and of @nr rows. Row 0 has 1 sample, row 1 has 2, and so on. All are
 * of a runtime whose code cannot be walked.
 */
static int write_rows(uint64_t begin_ns, uint32_t nr)
{
	const uint32_t frame = 0;
	struct prof_epoch epoch;
	uint32_t process, stack;
	struct world w;
	int ret;

	world_init(&w);
	process = WORLD_PUSH(&w, processes, {.pid = 1, .generation = 1});
	WORLD_PUSH(&w, process_infos, {.process = process, .exe = world_string(&w, "racket")});
	WORLD_PUSH(&w, frames, {.offset = 1});
	stack = world_stack(&w, &frame, 1, PROF_STACK_NO_TABLE);
	for (uint32_t i = 0; i < nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "thread-%u", i);
		WORLD_COUNT(&w, process, world_string(&w, name), stack, 0, i + 1);
	}
	epoch = *world_epoch(&w);
	epoch.begin_ns = begin_ns;
	epoch.end_ns = begin_ns + 1000000000;
	ret = recordings_write_epoch(&r, &epoch);
	world_deinit(&w);
	return ret;
}

static int end_at(uint64_t end_ns)
{
	struct prof_end end = {
		.duration_ns = end_ns - r.start_ns, .taken = r.sums[0], .counted = r.sums[0]};

	return recordings_end(&r, &end);
}

/* Ends the recording, which has one row, and returns the warning of removing an old one. */
static struct err end_small(void)
{
	struct err warning;

	ck_assert_int_eq(write_rows(r.start_ns, 1), 0);
	ck_assert_int_eq(end_at(r.start_ns + 1000000000), 0);
	ck_assert_int_eq(recordings_remove_old(&r, &warning), 0);
	return warning;
}

static ssize_t read_stream(void *ctx, void *buf, size_t len)
{
	return fread(buf, 1, len, ctx);
}

/* A line for each epoch of the recording at @path, and one for its end record if there is one. */
static char *read_recording(const char *path)
{
	const struct prof_epoch *epoch = NULL;
	struct prof_reader *reader = NULL;
	const struct prof_end *end;
	char *text = NULL;
	size_t size;
	FILE *file = fopen(path, "re"), *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(prof_reader_create(read_stream, file, &reader), 0);
	while (prof_reader_next(reader, &epoch) == PROF_READ_EPOCH)
		fprintf(out, "%u rows from %" PRIu64 " to %" PRIu64 "\n", epoch->nr_counts,
			epoch->begin_ns, epoch->end_ns);
	end = prof_reader_end(reader);
	if (end)
		fprintf(out, "%" PRIu64 " counted\n", end->counted);
	prof_reader_destroy(reader);
	fclose(file);
	fclose(out);
	return text;
}

static void expect_recording(const char *path, const char *want)
{
	char *text = read_recording(path);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(epochs_become_relative_and_are_summed)
{
	ck_assert_int_eq(recordings_open(&r, "a.prof", &no_rotation, &err), 0);
	begin_at(START);
	ck_assert_int_eq(write_rows(START, 3), 0);
	ck_assert_int_eq(write_rows(START + 1000000000, 2), 0);
	ck_assert_uint_eq(r.nr_stacks, 5);
	ck_assert(!file_exists("a.prof"));
	ck_assert_int_eq(end_at(START + 2000000000), 0);
	ck_assert_str_eq(recordings_name(&r), "a.prof");
	expect_recording("a.prof", "3 rows from 0 to 1000000000\n"
				   "2 rows from 1000000000 to 2000000000\n"
				   "9 counted\n");
	recordings_close(&r, true);
	ck_assert(!file_exists(part_name("a.prof")));
	ck_assert_str_eq(err.text, "");
}
END_TEST

/* Without a limit all are kept, and nobody notes which there are. */
START_TEST(nothing_is_removed_without_a_limit)
{
	struct err warning = {.text = "none"};

	ck_assert_int_eq(recordings_open(&r, "a.prof", &no_rotation, &err), 0);
	begin_at(START);
	ck_assert_int_eq(recordings_remove_old(&r, &warning), 0);
	ck_assert_str_eq(warning.text, "");
	ck_assert_uint_eq(r.finished.nr, 0);
	recordings_close(&r, false);
}
END_TEST

START_TEST(an_epoch_that_cannot_be_written)
{
	struct prof_epoch epoch;
	struct world w;

	ck_assert_int_eq(recordings_open(&r, "a.prof", &no_rotation, &err), 0);
	begin_at(START);
	world_init(&w);
	epoch = *world_epoch(&w);
	epoch.begin_ns = START + 1;
	epoch.end_ns = START;
	ck_assert_int_eq(recordings_write_epoch(&r, &epoch), -EINVAL);
	ck_assert_str_eq(err.text, "failed to write an epoch: Invalid argument");
	world_deinit(&w);
	recordings_close(&r, false);
}
END_TEST

START_TEST(each_recording_begins_anew)
{
	ck_assert_int_eq(recordings_open(&r, "a%%.prof", &no_rotation, &err), 0);
	ck_assert(r.is_pattern);
	begin_at(START);
	ck_assert_int_eq(write_rows(START, 3), 0);
	ck_assert_uint_eq(r.runtimes.of[0].incomplete, 6);
	ck_assert_int_eq(end_at(START + 1000000000), 0);
	ck_assert_str_eq(recordings_name(&r), "a%.prof");
	ck_assert_int_eq(recordings_open_next(&r), 0);
	begin_at(START + 1000000000);
	ck_assert_uint_eq(r.nr_stacks, 0);
	ck_assert_int_eq(write_rows(START + 1000000000, 2), 0);
	ck_assert_uint_eq(r.runtimes.of[0].incomplete, 3);
	ck_assert_int_eq(end_at(START + 2000000000), 0);
	ck_assert_str_eq(recordings_name(&r), "a%_1.prof");
	recordings_close(&r, false);
	expect_recording("a%.prof", "3 rows from 0 to 1000000000\n6 counted\n");
	expect_recording("a%_1.prof", "2 rows from 0 to 1000000000\n3 counted\n");
}
END_TEST

/* The next recording takes the place of one that has no end, of which nothing stays. */
START_TEST(an_unfinished_recording_is_removed)
{
	int fd;

	ck_assert_int_eq(recordings_open(&r, "a%%.prof", &no_rotation, &err), 0);
	begin_at(START);
	ck_assert_int_eq(write_rows(START, 3), 0);
	fd = r.out.fd;
	ck_assert_int_eq(recordings_open_next(&r), 0);
	ck_assert_str_eq(err.hint, "");
	ck_assert_int_eq(r.out.fd, fd);
	ck_assert_ptr_null(r.writer);
	expect_contents(part_name("a%.prof"), "");
	begin_at(START);
	ck_assert_uint_eq(r.sums[0], 0);
	recordings_close(&r, false);
	ck_assert_ptr_null(r.writer);
	ck_assert(!file_exists(part_name("a%.prof")));
}
END_TEST

/* Compares the sorted names in the working directory. */
static void expect_names(const char *want)
{
	char names[256] = "";
	FILE *f = popen("ls | tr '\n' ' '", "re");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_lt(fread(names, 1, sizeof(names) - 1, f), sizeof(names) - 1);
	ck_assert_int_eq(pclose(f), 0);
	ck_assert_str_eq(names, want);
}

START_TEST(keeps_the_latest)
{
	const struct rotation rotation = {.keep = 2};

	write_file("of_others.prof", "");
	ck_assert_int_eq(recordings_open(&r, "%%.prof", &rotation, &err), 0);
	for (int i = 0; i < 4; i++) {
		begin_at(START + i);
		ck_assert_str_eq(end_small().text, "");
		if (i < 3)
			ck_assert_int_eq(recordings_open_next(&r), 0);
		/* The user has removed the recording already: that is no error. */
		if (i == 2)
			ck_assert_int_eq(unlink("%_1.prof"), 0);
	}
	recordings_close(&r, false);
	/* The third recording made the first name free, which the fourth took. */
	expect_names("%.prof %_2.prof of_others.prof ");
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(an_old_recording_cannot_be_removed)
{
	const struct rotation rotation = {.keep = 1};

	ck_assert_int_eq(recordings_open(&r, "%%.prof", &rotation, &err), 0);
	begin_at(START);
	ck_assert_str_eq(end_small().text, "");
	ck_assert_int_eq(recordings_open_next(&r), 0);
	/* unlink fails on a directory, also for root. */
	ck_assert_int_eq(rename("%.prof", "moved.prof"), 0);
	ck_assert_int_eq(mkdir("%.prof", 0700), 0);
	begin_at(START + 1);
	ck_assert_str_eq(end_small().text, "failed to remove '%.prof': Is a directory");
	ck_assert_str_eq(recordings_name(&r), "%_1.prof");
	/* The run goes on and does not try again. */
	ck_assert_int_eq(recordings_open_next(&r), 0);
	begin_at(START + 2);
	ck_assert_str_eq(end_small().text, "");
	recordings_close(&r, false);
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(a_file_is_full)
{
	const struct rotation rotation = {.bytes = 2000};

	ck_assert_int_eq(recordings_open(&r, "%%.prof", &rotation, &err), 0);
	begin_at(START);
	ck_assert(!recordings_is_full(&r));
	ck_assert_int_eq(write_rows(START, 2000), 0);
	ck_assert_uint_ge(recordings_bytes(&r), 2000);
	ck_assert(recordings_is_full(&r));
	r.rotation.bytes = recordings_bytes(&r);
	ck_assert(recordings_is_full(&r));
	r.rotation.bytes++;
	ck_assert(!recordings_is_full(&r));
	r.rotation.bytes = 2000;
	ck_assert_int_eq(end_at(START + 1000000000), 0);
	ck_assert_int_eq(recordings_open_next(&r), 0);
	begin_at(START);
	ck_assert(!recordings_is_full(&r));
	r.rotation.bytes = 0;
	ck_assert_int_eq(write_rows(START, 2000), 0);
	ck_assert(!recordings_is_full(&r));
	recordings_close(&r, false);
}
END_TEST

/* Somebody removes the unfinished file. The recorder must not report success. */
START_TEST(the_file_is_lost)
{
	char text[512];

	ck_assert_int_eq(recordings_open(&r, "a.prof", &no_rotation, &err), 0);
	begin_at(START);
	ck_assert_int_eq(write_rows(START, 1), 0);
	ck_assert_int_eq(unlink(part_name("a.prof")), 0);
	ck_assert_int_eq(end_at(START + 1000000000), -ENOENT);
	snprintf(text, sizeof(text), "failed to rename '%s' to 'a.prof': No such file or directory",
		 part_name("a.prof"));
	ck_assert_str_eq(err.text, text);
	recordings_close(&r, false);
}
END_TEST

/* The limit on file sizes stands for a full disk. */
START_TEST(the_disk_is_full)
{
	struct rlimit limit = {.rlim_cur = 3000, .rlim_max = RLIM_INFINITY}, before;
	char text[512];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	ck_assert_int_eq(recordings_open(&r, "a.prof", &no_rotation, &err), 0);
	begin_at(START);
	ck_assert_int_eq(write_rows(START, 5), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(write_rows(START + 1000000000, 5000), -EFBIG);
	/* The first error sticks, so that the writer adds nothing to a damaged file. */
	ck_assert_int_eq(end_at(START + 2000000000), -EFBIG);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	snprintf(text, sizeof(text), "failed to write '%s': File too large", part_name("a.prof"));
	ck_assert_str_eq(err.text, text);
	recordings_close(&r, true);
	ck_assert(!file_exists("a.prof"));
	expect_recording(part_name("a.prof"), "5 rows from 0 to 1000000000\n");
	ck_assert_ptr_nonnull(strstr(err.hint, part_name("a.prof")));
}
END_TEST

START_TEST(names_that_cannot_be_opened)
{
	char pattern[5000];

	ck_assert_int_eq(recordings_open(&r, "none/a.prof", &no_rotation, &err), -ENOENT);
	recordings_close(&r, false);
	memset(pattern, 'n', sizeof(pattern));
	memcpy(pattern, "%Y", 2);
	pattern[sizeof(pattern) - 1] = '\0';
	ck_assert_int_eq(recordings_open(&r, pattern, &no_rotation, &err), -ENAMETOOLONG);
	recordings_close(&r, false);
	ck_assert_int_eq(strncmp(err.text, "failed to write '%Ynn", 21), 0);
	expect_names("");
}
END_TEST

/* Nobody knows who will own a directory whose name comes from a pattern. */
START_TEST(which_may_be_created)
{
	static const struct {
		const char *output;
		bool may_create;
	} cases[] = {{"a.prof", true}, {"%Y.prof", true}, {"%%/a.prof", false}, {"d/%Y", true}};

	ck_assert_int_eq(mkdir("%", 0700), 0);
	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(recordings_open(&r, cases[i].output, &no_rotation, &err), 0);
		ck_assert_int_eq(recordings_may_create(&r), cases[i].may_create);
		recordings_close(&r, false);
	}
}
END_TEST

SUITE_MAIN_WITH("recordings", begin, NULL, epochs_become_relative_and_are_summed,
		nothing_is_removed_without_a_limit, an_epoch_that_cannot_be_written,
		each_recording_begins_anew, an_unfinished_recording_is_removed, keeps_the_latest,
		an_old_recording_cannot_be_removed, a_file_is_full, the_file_is_lost,
		the_disk_is_full, names_that_cannot_be_opened, which_may_be_created)
