/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds names for the frames of a model. All frames are looked up at once, object by object, by
 * sorted addresses. Nothing is printed here. A frame that stays without a name keeps the reason.
 *
 * A leaf frame is the place where the program was: its address is looked up as it is. So is the
 * address of a frame that a signal interrupted; the recording lists those. All other frames have
 * return addresses. The call before a return address may be the last instruction of its function,
 * so the address may belong to the next function. Such a frame is looked up one byte before. So a
 * frame may have two names, by its place in the stack.
 */
#ifndef REPORT_SYMBOLS_SYMBOLISE_H
#define REPORT_SYMBOLS_SYMBOLISE_H

#include <stdint.h>

#include "report/dwarf/source_frames.h"
#include "report/symbols/frame_place.h"
#include "report/demangle/demangler.h"
#include "report/symbols/elf_pairs.h"
#include "report/symbols/found_names.h"
#include "report/symbols/name_progress.h"
#include "report/files/candidate.h"
#include "report/model/model.h"
#include "report/text/string_set.h"

/* The reason for which a frame has no name. */
enum unknown_reason {
	KNOWN = 0,
	UNKNOWN_UNMAPPED,  /* no mapping covers the address */
	UNKNOWN_ANONYMOUS, /* memory without a file, and the recording has no symbols for it */
	/* kernel or vdso, whose symbols come with the recording or not at all */
	UNKNOWN_NOT_RECORDED,
	UNKNOWN_NO_FILE,      /* the file was not found */
	UNKNOWN_OTHER_FILE,   /* a file with another build-id is there */
	UNKNOWN_CHANGED,      /* the file has changed since the recording */
	UNKNOWN_NOT_READABLE, /* the file cannot be opened or is no proper ELF file */
	UNKNOWN_NO_SYMBOLS,   /* the file has no function symbols */
	UNKNOWN_NO_SYMBOL,    /* no symbol covers the address */
	UNKNOWN_BUDGET,       /* the files of the report are too large together */
};

/* Returns the reason in a few words. */
const char *unknown_reason_text(enum unknown_reason reason);

/* Returns the reason for which an object without files has no names. */
enum unknown_reason unknown_reason_of_miss(enum debug_miss miss);

struct resolved {
	uint32_t name;   /* in symbols.names, demangled; 0: none */
	uint8_t reason;  /* enum unknown_reason; KNOWN with a name, or if no stack has the frame */
	uint8_t quality; /* enum elf_quality of the name's or the bounds' source */
	bool is_bounded; /* there is no name, but off counts from the start of the function */
	uint64_t off;    /* the frame's own address minus the start of the symbol or function */
	/* The frames at the address as the source has them, in symbols.lines; 0: unknown. */
	uint32_t first_line, nr_lines;
};

/* The symbols that an object has, and their source. */
struct object_source {
	bool is_recorded; /* symbols came with the recording */
	bool has_symtab;  /* a file has all its symbols: no better one is to be found */
	uint8_t reason;   /* enum unknown_reason for the whole object; KNOWN if it has symbols */
	bool is_fetched;  /* a server of debuginfod had one of the files */
	char *binary, *debug;                  /* the files that were used; NULL: none */
	uint8_t binary_quality, debug_quality; /* enum elf_quality of each; 0: no names */
};

struct symbols {
	struct string_set names;
	struct resolved *frames;       /* [frame * NR_FRAME_PLACES + place] */
	struct object_source *sources; /* [object] */
	struct source_frames lines;    /* its names are in names, not in names of its own */
	uint32_t nr_unread;            /* objects whose debug information takes too much work */
	uint32_t nr_too_large;         /* objects whose symbols take too much work or reading */
	size_t nr_sources;
};

/* The places of files, and the files that stay open. */
struct symbol_files {
	const struct debug_roots *roots;
	struct elf_pairs *pairs;
	bool needs_lines;          /* find inlined functions and lines, too */
	struct found_names *found; /* gets the symbols that files gave; NULL: nobody wants them */
	struct name_progress *progress; /* NULL: nobody looks */
};

/*
 * Looks up the frames in the stacks of @model's rows. @account is that of the report, and bounds
 * the time for demangling. Returns 0 or -ENOMEM; a frame without a name is no error. symbols_deinit
 * takes all-zero symbols, and also those of a failed lookup.
 */
int symbols_resolve(struct symbols *symbols, const struct model *model,
		    const struct symbol_files *files, struct demangler_account *account);

void symbols_deinit(struct symbols *symbols);

static inline const struct resolved *symbols_frame(const struct symbols *symbols, uint32_t frame,
						   enum frame_place place)
{
	return &symbols->frames[(size_t)frame * NR_FRAME_PLACES + place];
}

/*
 * Returns the function at a frame as the source has it: number @outer, counted from the function of
 * the code itself (0) inwards to the functions that were inlined there. NULL: the debug information
 * has none. Its name is an id in symbols->names.
 */
static inline const struct source_frame *
symbols_line(const struct symbols *symbols, const struct resolved *resolved, uint32_t outer)
{
	if (outer >= resolved->nr_lines)
		return NULL;
	return &symbols->lines.frames.data[resolved->first_line + resolved->nr_lines - 1 - outer];
}

/*
 * Returns the name of the function that @line, which may be NULL, describes at the frame. The
 * symbol tables name the function of the code itself, with or without debug information: so a frame
 * has one name in all reports.
 */
static inline uint32_t resolved_name(const struct resolved *resolved,
				     const struct source_frame *line)
{
	return line && (line->is_inlined || !resolved->name) ? line->name : resolved->name;
}

#endif
