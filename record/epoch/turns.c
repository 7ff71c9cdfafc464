// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/turns.h"

#include "common/hash.h"

/* A stack of more meanings is divided among the first of them. */
#define TURNS_MAX 64

/* A number for frame @nr in @mapping. Equal mappings of a file at other times have the same. */
static uint64_t meaning_of(size_t nr, const struct mapping *mapping)
{
	const uint64_t what[] = {nr, mapping->file, mapping->start - mapping->pgoff};

	return hash_bytes(what, sizeof(what), 0);
}

/* Frame @nr is in @mapping: notes when that begins and ends to hold among the samples. */
static int note_frame(struct turns *t, size_t nr, const struct mapping *mapping,
		      const struct count_value *value)
{
	struct turn_change begin = {
		.time_ns = mapping->begin_ns, .meaning = meaning_of(nr, mapping), .nr_mapped = 1};
	struct turn_change end = {
		.time_ns = mapping->end_ns, .meaning = -begin.meaning, .nr_mapped = -1};
	int ret;

	if (begin.time_ns < value->first_ns)
		begin.time_ns = value->first_ns;
	if (begin.time_ns > value->last_ns || begin.time_ns >= end.time_ns)
		return 0;
	ret = vec_push(&t->changes, begin);
	return ret || end.time_ns > value->last_ns ? ret : vec_push(&t->changes, end);
}

static int compare_changes(const void *a, const void *b)
{
	const struct turn_change *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int note_changes(struct turns *t, const struct address_space *space,
			const struct raw_stack *stack, const struct count_value *value)
{
	int ret;

	vec_clear(&t->changes);
	ret = vec_push(&t->changes, (struct turn_change){.time_ns = value->first_ns});
	for (size_t i = 0; !ret && i < stack->nr_frames; i++) {
		uint64_t addr = stack_frame_addr(stack->frames[i]);
		const struct mapping *live = mappings_find(&space->memory->live, addr);

		if (live)
			ret = note_frame(t, i, live, value);
		vec_for_each(&space->memory->ended, m)
			if (!ret && m->start <= addr && addr < m->end)
				ret = note_frame(t, i, m, value);
	}
	if (!ret)
		qsort(t->changes.data, t->changes.nr, sizeof(*t->changes.data), compare_changes);
	return ret;
}

/* Adds a stretch of time to the turn of its meaning, which is *@turn then. */
static int note_stretch(struct turns *t, const struct turn *stretch, size_t *turn)
{
	for (size_t i = 0; i < t->turns.nr; i++) {
		struct turn *have = &t->turns.data[i];

		if (have->meaning == stretch->meaning && have->nr_mapped == stretch->nr_mapped) {
			have->length_ns += stretch->length_ns;
			*turn = i;
			return 0;
		}
	}
	*turn = t->turns.nr;
	return vec_push(&t->turns, *stretch);
}

/* Makes the turns. *@last is the turn of the latest sample. */
static int note_turns(struct turns *t, uint64_t last_ns, size_t *last)
{
	struct turn now = {0};
	int ret = 0;

	vec_clear(&t->turns);
	for (size_t i = 0; !ret && i < t->changes.nr; i++) {
		const struct turn_change *change = &t->changes.data[i];
		bool is_last = i + 1 == t->changes.nr;
		uint64_t until_ns = is_last ? last_ns : change[1].time_ns;

		now.time_ns = change->time_ns;
		now.length_ns = until_ns - now.time_ns;
		now.meaning += change->meaning;
		now.nr_mapped += change->nr_mapped;
		if (is_last || (now.length_ns && t->turns.nr < TURNS_MAX))
			ret = note_stretch(t, &now, last);
	}
	return ret;
}

/* Turns in which some address is not mapped cannot have made the stack. */
static uint64_t drop_unmapped(struct turns *t)
{
	uint64_t total_ns = 0;
	int64_t most = 0;

	vec_for_each(&t->turns, turn)
		if (turn->nr_mapped > most)
			most = turn->nr_mapped;
	vec_for_each(&t->turns, turn) {
		if (turn->nr_mapped < most)
			turn->length_ns = 0;
		total_ns += turn->length_ns;
	}
	return total_ns;
}

/*
 * Gives each turn its share of @nr samples. Many small counts of one stretch of time must not all
 * be rounded to one side, so @round, from 0 to less than 1, says where to round up.
 */
static void share_samples(struct turns *t, uint64_t nr, uint64_t total_ns, double round)
{
	uint64_t until_ns = 0, given = 0;

	vec_for_each(&t->turns, turn) {
		uint64_t upto;

		until_ns += turn->length_ns;
		upto = (double)nr * ((double)until_ns / (double)total_ns) + round;
		turn->nr_samples = upto - given;
		given = upto;
	}
}

int turns_divide(struct turns *t, const struct address_space *space, const struct raw_stack *stack,
		 const struct count_value *value)
{
	uint64_t total_ns, nr = value->count - 2;
	size_t last = 0;
	int ret = note_changes(t, space, stack, value);

	if (!ret)
		ret = note_turns(t, value->last_ns, &last);
	if (ret)
		return ret;
	total_ns = drop_unmapped(t);
	if (total_ns)
		share_samples(t, nr, total_ns, (double)(value->first_ns % 1024) / 1024);
	else
		t->turns.data[last].nr_samples = nr;
	t->turns.data[0].nr_samples++;
	t->turns.data[last].nr_samples++;
	return 0;
}

void turns_deinit(struct turns *t)
{
	vec_free(&t->changes);
	vec_free(&t->turns);
}
