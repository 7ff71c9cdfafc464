// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_slices.h"

#include <stdlib.h>

#include "common/compare.h"
#include "common/minmax.h"

void epoch_slices_begin_count(struct epoch_slices *s, const struct raw_count *count)
{
	s->count = count;
	s->nr_changes = 0;
	s->given = 0;
}

/* The slice of @time_ns. */
static uint32_t slice_of(const struct epoch_slices *s, uint64_t time_ns)
{
	return time_ns <= s->begin_ns ? 0
				      : min_u64((time_ns - s->begin_ns) / s->length_ns, UINT32_MAX);
}

/* How many hits of the count come before the next change? */
static uint64_t hits_before_change(const struct epoch_slices *s)
{
	return s->nr_changes < s->count->nr_changes ? s->count->changes[s->nr_changes].count
						    : UINT64_MAX;
}

int epoch_slices_add(struct epoch_slices *s, uint32_t row, uint64_t nr)
{
	while (s->length_ns && nr) {
		uint64_t end = hits_before_change(s);
		struct prof_slice part = {.row = row};

		if (end <= s->given) {
			s->nr_changes++;
			continue;
		}
		part.slice = s->nr_changes ? s->count->changes[s->nr_changes - 1].slice
					   : slice_of(s, s->count->value.first_ns);
		part.count = min_u64(nr, end - s->given);
		if (vec_push(&s->parts, part))
			return -ENOMEM;
		s->given += part.count;
		nr -= part.count;
	}
	return 0;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct prof_slice *a = pa, *b = pb;

	COMPARE(a->row, b->row);
	COMPARE(a->slice, b->slice);
	return 0;
}

/* Adds up the sorted parts of equal rows and slices. */
static void add_up_parts(struct epoch_slices *s)
{
	size_t nr = 0;

	vec_for_each(&s->parts, part) {
		struct prof_slice *last = nr ? &s->parts.data[nr - 1] : NULL;

		if (last && last->row == part->row && last->slice == part->slice)
			last->count += part->count;
		else
			s->parts.data[nr++] = *part;
	}
	s->parts.nr = nr;
}

/*
 * A sample that was taken while its set was swapped can be a little later than the epoch. A sample
 * that had to wait for its stack can be earlier. They are in the last and in the first slice.
 */
void epoch_slices_lay_out(struct epoch_slices *s, struct prof_epoch *epoch)
{
	uint32_t first, last;

	if (!s->length_ns)
		return;
	first = slice_of(s, epoch->begin_ns);
	last = slice_of(s, epoch->end_ns);
	last = min_u64(last, (uint64_t)first + PROF_MAX_SLICES - 1);
	vec_for_each(&s->parts, part)
		part->slice = min_u64(max_u64(part->slice, first), last) - first;
	if (s->parts.nr)
		qsort(s->parts.data, s->parts.nr, sizeof(*s->parts.data), compare_parts);
	add_up_parts(s);
	epoch->slices = s->parts.data;
	epoch->nr_slices = s->parts.nr;
	epoch->slice_ns = s->length_ns;
	epoch->slice_phase_ns = epoch->begin_ns - (s->begin_ns + first * s->length_ns);
}
