/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a function by its source lines, or by its instructions. Functions of one name in
 * several files are kept apart.
 */
#ifndef REPORT_ANNOTATE_ANNOTATION_H
#define REPORT_ANNOTATE_ANNOTATION_H

#include "common/index.h"
#include "common/vec.h"
#include "report/annotate/source_text.h"
#include "report/text/string_set.h"
#include "report/view/printout.h"

struct place_count {
	uint64_t self, total;
	uint64_t last_row; /* that was counted, so that recursion counts once */
};

struct annotated_function {
	uint32_t object; /* in the model */
	uint32_t name;   /* in names */
	bool has_lines;  /* a line of it is known */
	struct place_count count;
};

struct annotated_place {
	uint32_t function; /* in functions */
	uint32_t file;     /* in symbols->lines.files; 0: unknown, or an instruction */
	uint64_t at;       /* line, 0: unknown; or the offset of a byte in the function's file */
	struct place_count count;
};

/* annotation_make makes it. */
struct annotation {
	const struct printout *from;
	const char *function; /* NULL: all */
	bool by_instruction;
	struct string_set names; /* of all functions in stacks; safe to print */
	VEC(struct annotated_function) functions;
	VEC(struct annotated_place) places; /* sorted by function, then file, then line or offset */
	struct index function_index, place_index;
	uint32_t *order;       /* functions, the largest total first */
	uint32_t *first_parts; /* [frame * NR_FRAME_PLACES + place]; 0: unknown */
	/*
	 * The number of places at a frame, whether the last is the innermost function, the places.
	 */
	VEC(uint32_t) parts;
	struct textbuf scratch;
	uint64_t sum, nr_rows; /* of all rows, also those that lack the function */
};

/*
 * Counts the rows of the event of @p in which @function is, or all functions if it is NULL.
 * Arguments of a C++ function may be left out of its name. Adds the stacks that rows lack to
 * @summary. Returns 0 or -ENOMEM. Call annotation_deinit in all cases.
 */
int annotation_make(struct annotation *a, const struct printout *p, const char *function,
		    bool by_instruction, struct rows_summary *summary);

void annotation_deinit(struct annotation *a);

/* Sets the range [*@begin, *@end) of the places of @function. */
void annotation_places(const struct annotation *a, uint32_t function, size_t *begin, size_t *end);

/* Returns the end of the places in [@begin, @end) that are of the same file as @begin. */
size_t annotation_file_end(const struct annotation *a, size_t begin, size_t end);

/* Takes line @number, 0 if it is unknown. @count is NULL for a line that was not sampled. */
typedef void (*annotated_line_fn)(void *ctx, uint64_t number, const struct place_count *count);

/*
 * Calls @visit for the lines with samples of the places [@begin, @end), which are of one file, and
 * for a few lines of @text around each.
 */
void annotation_visit_lines(const struct annotation *a, const struct source_text *text,
			    size_t begin, size_t end, annotated_line_fn visit, void *ctx);

/* Returns a name of @a that resembles the wanted one, without arguments; *@len 0: there is none. */
const char *annotation_suggest(const struct annotation *a, size_t *len);

#endif
