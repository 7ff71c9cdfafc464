// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/shares/owner_ids.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/minmax.h"
#include "common/vec.h"

/* The highest id that a user has, and 1. The two above stand for no user (shares.h). */
#define ID_MAX (UINT32_MAX - 1)

typedef VEC(struct owner_range) owner_range_vec;

struct owner_range owner_ranges_read[OWNER_RANGES_MAX];

/*
 * Does @line, NAME:FIRST:NUMBER, have ids? Those of a host's own services and people are below
 * OWNER_IDS. Images of containers give these away where they have a user namespace, and each is a
 * user elsewhere.
 */
static bool parse_row(const char *line, struct owner_range *range)
{
	uint64_t first, nr;

	if (sscanf(line, "%*[^:]:%" SCNu64 ":%" SCNu64, &first, &nr) != 2 || first < OWNER_IDS ||
	    !nr || first >= ID_MAX || nr > ID_MAX - first)
		return false;
	*range = (struct owner_range){first, nr};
	return true;
}

static int by_first(const void *a, const void *b)
{
	const struct owner_range *x = a, *y = b;

	COMPARE(x->first, y->first);
	COMPARE(y->nr, x->nr);
	return 0;
}

/*
 * Makes one range of rows that follow one another, unless that would move the ids of an owner. A
 * row may be there twice, by the user's name and by the user's id, and rows may overlap: an id is
 * of one range.
 */
static void merge(owner_range_vec *rows)
{
	size_t nr = 0;

	vec_for_each(rows, row) {
		struct owner_range *last = nr ? &rows->data[nr - 1] : NULL;
		const uint32_t last_end = last ? last->first + last->nr : 0,
			       end = row->first + row->nr;

		if (end <= last_end)
			continue;
		row->first = max_u64(row->first, last_end);
		row->nr = end - row->first;
		if (last && last_end == row->first && last->nr % OWNER_IDS == 0)
			last->nr += row->nr;
		else
			rows->data[nr++] = *row;
	}
	rows->nr = nr;
}

int owner_ids_read(const char *path)
{
	_cleanup_free_ char *line = NULL;
	owner_range_vec rows = {0};
	struct owner_range row;
	size_t size = 0;
	FILE *f = fopen(path, "re");
	int ret = 0;

	memset(owner_ranges_read, 0, sizeof(owner_ranges_read));
	while (f && !ret && getline(&line, &size, f) >= 0)
		if (parse_row(line, &row))
			ret = vec_push(&rows, row);
	if (f)
		fclose(f);
	if (!ret && rows.nr) {
		qsort(rows.data, rows.nr, sizeof(*rows.data), by_first);
		merge(&rows);
		memcpy(owner_ranges_read, rows.data,
		       min_u64(rows.nr, OWNER_RANGES_MAX) * sizeof(*rows.data));
	}
	vec_free(&rows);
	return ret;
}

uint32_t owner_id(uint32_t uid)
{
	return owner_id_in(owner_ranges_read, uid);
}
