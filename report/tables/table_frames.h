/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a table whose names files can tell: those in files, and those in a kernel with a
 * build-id. The offset of a frame is that of the address that is looked up.
 */
#ifndef REPORT_TABLES_TABLE_FRAMES_H
#define REPORT_TABLES_TABLE_FRAMES_H

#include "common/buildid.h"
#include "common/index.h"
#include "format/prof.h"
#include "report/tables/table_lines.h"
#include "report/text/string_set.h"

/* The most frames of a table. A thousand recordings of a fleet have a tenth of them. */
#define TABLE_FRAMES_MAX (1u << 22)

/* An object: with a build-id it is one, whatever its paths are. */
struct table_object {
	uint8_t kind; /* PROF_OBJECT_FILE or PROF_OBJECT_KERNEL */
	struct build_id build_id;
	uint32_t path;              /* in strings */
	struct prof_file_info file; /* of a file without a build-id */
	bool is_here;               /* the path is that of the file on this machine */
	uint32_t refused_path;      /* it is not */
};

struct table_frame {
	uint64_t id, offset;
	uint32_t object; /* in objects */
};

/* table_frames_init makes them. */
struct table_frames {
	struct string_set strings;
	VEC(struct table_object) objects;
	struct index object_index;
	VEC(struct table_frame) frames; /* after table_frames_read sorted by id, each once */
	uint64_t nr_others;             /* frames that no file can name */
	/* Tells whether the file at @path of this machine has @build_id. NULL: nobody asks. */
	bool (*is_here)(const void *ctx, const char *path, const struct build_id *build_id);
	const void *ctx;
};

/* Returns 0 or -ENOMEM. Call table_frames_deinit in both cases. */
int table_frames_init(struct table_frames *frames);

void table_frames_deinit(struct table_frames *frames);

/* The fields of a line of the table. */
#define TABLE_FRAME_FIELDS 6

/* Reads the table. Returns 0 or a negative errno with @err set. */
int table_frames_read(struct table_frames *frames, struct table_lines *lines, struct err *err);

/* Returns the frame @id, NULL if there is none. */
const struct table_frame *table_frames_find(const struct table_frames *frames, uint64_t id);

#endif
