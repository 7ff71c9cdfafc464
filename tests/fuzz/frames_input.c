// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of frames, which somebody made: packed as it is, and as text that is packed first. */
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/tables/table_frames.h"

static bool is_here(const void *ctx, const char *path, const struct build_id *build_id)
{
	(void)ctx;
	return strlen(path) == build_id->size;
}

/* What was read belongs together. */
static void check(const struct table_frames *frames)
{
	for (size_t i = 0; i < frames->frames.nr; i++) {
		const struct table_frame *frame = &frames->frames.data[i];

		if (i && frame[-1].id >= frame->id)
			abort();
		if (frame->object >= frames->objects.nr ||
		    frames->objects.data[frame->object].path >= frames->strings.items.nr ||
		    table_frames_find(frames, frame->id) != frame)
			abort();
	}
}

static void read_table(const void *data, size_t len, int verbose)
{
	_cleanup_close_ int fd = memfd_create("table", MFD_CLOEXEC);
	struct table_frames frames;
	struct table_lines lines;
	struct err err = {0};
	int ret;

	if (fd < 0 || pwrite(fd, data, len, 0) != (ssize_t)len || table_frames_init(&frames))
		abort();
	frames.is_here = is_here;
	if (table_lines_open(&lines, fd, "table", TABLE_FRAME_FIELDS, &err))
		abort();
	ret = table_frames_read(&frames, &lines, &err);
	if ((ret != 0) != (err.text[0] != 0))
		abort();
	if (!ret)
		check(&frames);
	if (verbose)
		printf("%zu frames: %s\n", frames.frames.nr, ret ? err.text : "whole");
	table_lines_close(&lines);
	table_frames_deinit(&frames);
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	static char packed[INPUT_MAX_BYTES * 2 + 1024];
	size_t nr;

	if (len > INPUT_MAX_BYTES)
		return;
	read_table(data, len, verbose);
	nr = ZSTD_compress(packed, sizeof(packed), data, len, 1);
	if (!ZSTD_isError(nr))
		read_table(packed, nr, verbose);
}
