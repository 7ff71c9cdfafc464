// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ZSTD_compressSequences is not part of the stable interface of the library, so it is used with
 * versions alone that are known to have it as it is here. Others search for the repeats.
 */
#include "report/tables/sample_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"
#include "common/hash.h"

#define FIRST_VERSION 10504 /* 1.5.4 */
#define END_VERSION   10600

/* ZSTD_c_searchForExternalRepcodes, which came in 1.5.5. Without it no version needs it. */
#define SEARCH_FOR_REPCODES ZSTD_c_experimentalParam19

#define PACKING_LEVEL 1

/* A frame of zstd. Repeats do not reach beyond it. */
#define CHUNK_BYTES (1u << 20)
#define WINDOW_LOG  21

/* Blocks of zstd have 128 KiB at most. A row fits between these sizes, unless somebody made it. */
#define BLOCK_BYTES (96u << 10)

/* A sequence costs about as much as two or three bytes that repeat none. */
#define SHORTEST_REPEAT 8

/* Texts that are equal, but of another process or epoch. */
#define PLACE_BITS 12

/* Returns true if the library takes repeats of ours, block by block. */
static bool set_parameters(ZSTD_CCtx *context)
{
	unsigned version = ZSTD_versionNumber();

	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, PACKING_LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 7);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, WINDOW_LOG);
#if ZSTD_VERSION_NUMBER >= 10505
	if (version >= 10505)
		ZSTD_CCtx_setParameter(context, SEARCH_FOR_REPCODES, ZSTD_ps_enable);
#endif
	return version >= FIRST_VERSION && version < END_VERSION &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_blockDelimiters,
						    ZSTD_sf_explicitBlockDelimiters));
}

int sample_rows_init(struct sample_rows *rows)
{
	*rows = (struct sample_rows){.text.fd = -1, .chunk = 1, .context = ZSTD_createCCtx()};
	rows->places = calloc((size_t)1 << PLACE_BITS, sizeof(*rows->places));
	if (!rows->context || !rows->places)
		return -ENOMEM;
	rows->takes_repeats = set_parameters(rows->context);
	return 0;
}

void sample_rows_deinit(struct sample_rows *rows)
{
	ZSTD_freeCCtx(rows->context);
	textbuf_deinit(&rows->text);
	vec_free(&rows->packed);
	vec_free(&rows->sequences);
	free(rows->places);
	*rows = (struct sample_rows){.text.fd = -1};
}

static void push(struct sample_rows *rows, size_t offset, size_t nr_new, size_t nr_repeated)
{
	const ZSTD_Sequence sequence = {
		.offset = offset,
		.litLength = nr_new,
		.matchLength = nr_repeated,
	};

	if (vec_push(&rows->sequences, sequence))
		textbuf_fail(&rows->text, -ENOMEM);
}

/* Ends the repeat that goes up to @at, if there is one. */
static void end_repeat(struct sample_rows *rows, size_t at)
{
	if (!rows->repeat_offset)
		return;
	push(rows, rows->repeat_offset, rows->repeat_start - rows->new_start,
	     at - rows->repeat_start);
	rows->repeat_offset = 0;
	rows->new_start = at;
}

static void begin_repeat(struct sample_rows *rows, size_t at, size_t from)
{
	end_repeat(rows, at);
	rows->repeat_offset = at - from;
	rows->repeat_start = at;
}

/* Returns true if the repeat goes on with the text of @len bytes at @at. */
static bool goes_on(const struct sample_rows *rows, size_t at, size_t len,
		    const struct text_place *place)
{
	size_t from = at - rows->repeat_offset;

	if (!rows->repeat_offset)
		return false;
	if (place && sample_rows_has(rows, place) && place->at == from)
		return true;
	return !memcmp(rows->text.data + from, rows->text.data + at, len);
}

static bool is_repeat(const struct sample_rows *rows, const struct text_place *place, size_t at,
		      size_t len)
{
	return sample_rows_has(rows, place) && len <= at - place->at &&
	       !memcmp(rows->text.data + place->at, rows->text.data + at, len);
}

/* Begins a repeat of the text at @at, or ends that before it. */
static void find_repeat(struct sample_rows *rows, size_t at, size_t len,
			const struct text_place *place)
{
	struct text_place *other;

	if (is_repeat(rows, place, at, len)) {
		begin_repeat(rows, at, place->at);
		return;
	}
	other = &rows->places[hash_bytes(rows->text.data + at, len, 0) & ((1u << PLACE_BITS) - 1)];
	if (is_repeat(rows, other, at, len))
		begin_repeat(rows, at, other->at);
	else
		end_repeat(rows, at);
	*other = (struct text_place){rows->chunk, at};
}

void sample_rows_put(struct sample_rows *rows, const char *s, size_t len, struct text_place *place)
{
	size_t at = rows->text.nr;

	textbuf_bytes(&rows->text, s, len);
	if (rows->text.error)
		return;
	if (!goes_on(rows, at, len, place)) {
		if (place && len >= SHORTEST_REPEAT)
			find_repeat(rows, at, len, place);
		else
			end_repeat(rows, at);
	}
	if (place)
		*place = (struct text_place){rows->chunk, at};
}

void sample_rows_repeat(struct sample_rows *rows, size_t len, struct text_place *place)
{
	size_t at = rows->text.nr;

	if (!textbuf_reserve(&rows->text, len))
		return;
	memcpy(rows->text.data + at, rows->text.data + place->at, len);
	rows->text.nr += len;
	if (!goes_on(rows, at, len, place)) {
		if (len >= SHORTEST_REPEAT)
			begin_repeat(rows, at, place->at);
		else
			end_repeat(rows, at);
	}
	place->at = at;
}

static void end_block(struct sample_rows *rows)
{
	size_t at = rows->text.nr;

	end_repeat(rows, at);
	push(rows, 0, at - rows->new_start, 0);
	rows->block_start = rows->new_start = at;
}

int sample_rows_end_row(struct sample_rows *rows, uint64_t nr)
{
	char digits[DECIMAL_DIGITS + 1];
	size_t len = 1;

	digits[0] = '0' + nr;
	if (nr > 9)
		len = decimal_put(digits, nr);
	digits[len++] = '\n';
	sample_rows_put(rows, digits, len, NULL);
	if (rows->text.nr - rows->block_start >= BLOCK_BYTES)
		end_block(rows);
	if (rows->text.nr >= CHUNK_BYTES)
		return sample_rows_pack(rows);
	return rows->text.error;
}

static size_t pack(struct sample_rows *rows, void *to, size_t size)
{
	if (rows->takes_repeats) {
		size_t ret =
			ZSTD_compressSequences(rows->context, to, size, rows->sequences.data,
					       rows->sequences.nr, rows->text.data, rows->text.nr);
		if (!ZSTD_isError(ret))
			return ret;
		ZSTD_CCtx_reset(rows->context, ZSTD_reset_session_only);
	}
	return ZSTD_compress2(rows->context, to, size, rows->text.data, rows->text.nr);
}

int sample_rows_pack(struct sample_rows *rows)
{
	size_t bound = ZSTD_compressBound(rows->text.nr), nr;

	if (rows->text.nr > rows->block_start)
		end_block(rows);
	if (rows->text.error || !rows->text.nr)
		return rows->text.error;
	if (vec_reserve(&rows->packed, bound))
		return -ENOMEM;
	nr = pack(rows, rows->packed.data + rows->packed.nr, bound);
	if (ZSTD_isError(nr))
		return -ENOMEM;
	rows->packed.nr += nr;
	rows->text.nr = rows->block_start = rows->new_start = 0;
	vec_clear(&rows->sequences);
	rows->chunk += rows->chunk < UINT32_MAX ? 1 : 2;
	return 0;
}
