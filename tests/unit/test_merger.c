// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merger.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

static const struct prof_event events[2] = {
	{.kind = PROF_EVENT_USER_CALLS, .name = "c:malloc", .weight = ""},
	{.kind = PROF_EVENT_USER_CALLS, .name = "c:free", .weight = ""},
};
static const struct prof_event_end event_ends[2];

/* Makes a recording without samples, of @nr events. @name is its name. Returns its descriptor. */
static int make_recording(uint32_t nr, char name[32])
{
	struct prof_meta meta = test_meta;
	const struct prof_end end = {.events = event_ends, .nr_events = nr};
	struct memory bytes = {0};
	struct prof_writer *writer;
	int fd = memfd_create("recording", MFD_CLOEXEC);

	meta.events = events;
	meta.nr_events = nr;
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(prof_writer_create(memory_write, &bytes, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &meta), 0);
	ck_assert_int_eq(prof_writer_end(writer, &end), 0);
	ck_assert_int_eq(write(fd, bytes.data, bytes.nr), bytes.nr);
	prof_writer_destroy(writer);
	vec_free(&bytes);
	snprintf(name, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Merges the file @now, when the file @before stood in its place as descriptions were read. */
static int merge_changed(const char *before, const char *now, struct err *err)
{
	const struct timespan everything = {0};
	struct textbuf out = {.fd = -1};
	struct recording batch = {0};
	struct merger merger;
	int ret = merger_begin(&merger, &before, 1, &out, err);

	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(recordings_join(&batch, &now, 1, &everything, err), 0);
	ret = merger_add(&merger, &batch, err);
	recording_deinit(&batch);
	merger_deinit(&merger);
	textbuf_deinit(&out);
	return ret;
}

START_TEST(changed_file)
{
	char one[32], two[32];
	int fds[] = {make_recording(1, one), make_recording(2, two)};
	struct err err = {0};

	ck_assert_int_eq(merge_changed(two, two, &err), 0);
	ck_assert_int_eq(merge_changed(one, two, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "their events or rates differ"));
	close(fds[0]);
	close(fds[1]);
}
END_TEST

SUITE_MAIN("merger", changed_file)
