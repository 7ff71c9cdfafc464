/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the frames of a model. Everything is looked up in one go, object by object, each
 * object's addresses sorted; nothing is printed here. What stays without a name keeps the reason.
 *
 * A leaf frame is where the program was: its address is looked up as it is. So is that of a frame
 * that a signal interrupted; the recording lists those. Other frames have return addresses. The
 * instruction there follows a call that may be the last of its function, so that it belongs to the
 * next one. They are looked up one byte before. So a frame may have two names, by its place in the
 * stack.
 */
#ifndef REPORT_SYMBOLS_SYMBOLISE_H
#define REPORT_SYMBOLS_SYMBOLISE_H

#include <stdint.h>

#include "report/symbols/debugfiles.h"
#include "report/model/model.h"
#include "report/text/string_set.h"

/* Why a frame has no name. */
enum unknown_reason {
	KNOWN = 0,
	UNKNOWN_UNMAPPED,     /* no mapping covers the address */
	UNKNOWN_ANONYMOUS,    /* memory without a file, and no symbols for it in the recording */
	UNKNOWN_NOT_RECORDED, /* kernel or vdso: their symbols come with the recording or not */
	UNKNOWN_NO_FILE,      /* the file was not found */
	UNKNOWN_OTHER_FILE,   /* a file with another build-id is there */
	UNKNOWN_CHANGED,      /* the file has changed since it was recorded */
	UNKNOWN_NOT_READABLE, /* the file cannot be opened or is no proper ELF file */
	UNKNOWN_NO_SYMBOLS,   /* the file has no function symbols */
	UNKNOWN_NO_SYMBOL,    /* no symbol covers the address */
	UNKNOWN_BUDGET,       /* the files of the report are too large together */
};

/* The reason in a few words. */
const char *unknown_reason_text(enum unknown_reason reason);

struct resolved {
	uint32_t name;  /* in symbols.names, demangled; 0: none */
	uint8_t reason; /* enum unknown_reason; KNOWN with a name, or when no stack has the frame */
	uint64_t off;   /* the frame's address (not one before) minus the symbol's start */
};

/* What was found for an object. */
struct object_source {
	bool is_recorded; /* symbols came with the recording */
	uint8_t reason; /* enum unknown_reason for the object as a whole, KNOWN if it has symbols */
	char *binary, *debug; /* files that were used, NULL: none */
};

enum frame_place {
	FRAME_LEAF = 0,
	FRAME_CALLER = 1,
	NR_FRAME_PLACES,
};

struct symbols {
	struct string_set names;
	struct resolved *frames;       /* [frame * NR_FRAME_PLACES + place] */
	struct object_source *sources; /* [object] */
	size_t nr_sources;
};

/*
 * Looks up all frames of the stacks of @model. Returns 0 or -ENOMEM; what cannot be found is not
 * an error. All zero is fine for symbols_deinit.
 */
int symbols_resolve(struct symbols *symbols, const struct model *model,
		    const struct debug_roots *roots);

void symbols_deinit(struct symbols *symbols);

static inline const struct resolved *symbols_frame(const struct symbols *symbols, uint32_t frame,
						   enum frame_place place)
{
	return &symbols->frames[(size_t)frame * NR_FRAME_PLACES + place];
}

#endif
