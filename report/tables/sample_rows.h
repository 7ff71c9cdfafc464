/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of samples as zstd packs them. Rows consist of texts that mostly were in a row before, and
 * whoever puts them knows that. So nobody searches for repeats, which takes most of the time of
 * zstd: it gets them as sequences, and codes them. The result is like that of packed_rows.
 */
#ifndef REPORT_TABLES_SAMPLE_ROWS_H
#define REPORT_TABLES_SAMPLE_ROWS_H

/* ZSTD_compressSequences is not part of the stable interface: sample_rows.c looks at the version.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "common/vec.h"
#include "format/bytes.h"
#include "report/text/textbuf.h"

/* The place where a text was last. All zero: nowhere. */
struct text_place {
	uint32_t chunk, at;
};

/* sample_rows_init makes them. */
struct sample_rows {
	struct textbuf text; /* the rows of a chunk */
	struct bytes packed;
	uint32_t chunk;       /* its number, which is never 0 */
	size_t repeat_offset; /* of the bytes at the end of the text; 0: they repeat none */
	size_t repeat_start;
	size_t new_start;   /* of the bytes before them that repeat none */
	size_t block_start; /* of the block of zstd */
	VEC(ZSTD_Sequence) sequences;
	bool takes_repeats;        /* the library does, else it searches by itself */
	struct text_place *places; /* of texts, each at the low part of its hash */
	ZSTD_CCtx *context;
};

/* Returns 0 or -ENOMEM. */
int sample_rows_init(struct sample_rows *rows);

/* All-zero rows are fine. */
void sample_rows_deinit(struct sample_rows *rows);

/*
 * Appends @len bytes to the row. @place is that of this text and is kept up to date; NULL if the
 * text is short. An error sticks to the text.
 */
void sample_rows_put(struct sample_rows *rows, const char *s, size_t len, struct text_place *place);

/* Returns true if @place is in the text. */
static inline bool sample_rows_has(const struct sample_rows *rows, const struct text_place *place)
{
	return place->chunk == rows->chunk;
}

/* Appends the @len bytes that are at @place, which the text has, and moves it there. */
void sample_rows_repeat(struct sample_rows *rows, size_t len, struct text_place *place);

/*
 * Ends a row with the digits of @nr, and packs the rows if there are enough of them. Returns 0 or
 * -ENOMEM.
 */
int sample_rows_end_row(struct sample_rows *rows, uint64_t nr);

/* Packs all rows. Returns 0 or -ENOMEM. */
int sample_rows_pack(struct sample_rows *rows);

#endif
