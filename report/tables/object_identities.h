/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identities of the objects of an epoch, and of the frames in them: facts that are equal on all
 * hosts that run equal code, however the kernel placed it. A frame of a file is known by the file's
 * build-id and the offset. Code that is in no file has no address that means anything elsewhere:
 * its frames are known by the names that the recording has for them.
 */
#ifndef REPORT_TABLES_OBJECT_IDENTITIES_H
#define REPORT_TABLES_OBJECT_IDENTITIES_H

#include "format/prof.h"
#include "report/text/textbuf.h"

/* The facts that tell a frame from others of its kind. */
enum identity_class {
	IDENTITY_BUILD_ID, /* build-id and offset */
	IDENTITY_RELEASE,  /* release and version of the kernel, path and offset */
	IDENTITY_FILE,     /* host, path, inode, size and times of the file, and offset */
	IDENTITY_NAME,     /* path of the source, name and line; without a name the path alone */
};

struct object_identity {
	uint64_t basis; /* of the ids of its frames */
	uint8_t class;  /* enum identity_class */
	bool holds;     /* its symbols hold for all epochs of the recording */
	const char *kind;
	const char *path;
	const struct prof_object *object;
	const struct prof_file_info *file; /* NULL: not known */
};

/*
 * Fills @identities, one for each object of @epoch. They borrow from @meta and @epoch. Returns
 * nothing: it cannot fail.
 */
void object_identities_make(struct object_identity *identities, const struct prof_meta *meta,
			    const struct prof_epoch *epoch);

/* A frame as the tables know it. */
struct frame_identity {
	uint64_t id;
	uint64_t offset;  /* of the address that is looked up; for IDENTITY_NAME line and hash */
	const char *name; /* for IDENTITY_NAME, else "" */
};

/*
 * Makes the identity of the frame whose address at @offset of the object is looked up. @name is the
 * name for that address, "" if there is none; only IDENTITY_NAME looks at it.
 */
struct frame_identity frame_identity_make(const struct object_identity *object, uint64_t offset,
					  const char *name);

/*
 * Appends a row of the table of frames: id, build-id, path, offset, kind and scope. The scope has
 * the facts of the identity that are in no other column.
 */
void frame_identity_put(struct textbuf *out, const struct frame_identity *frame,
			const struct object_identity *object, const struct prof_meta *meta);

/*
 * A text that stands for frames that the recording lacks. It is a frame of the kind "note", whose
 * name and scope are the text.
 */
struct frame_identity note_identity_make(const char *text);
void note_identity_put(struct textbuf *out, const struct frame_identity *note);

/* Appends @id in hex. */
void build_id_put(struct textbuf *out, const struct prof_object *object);

#endif
