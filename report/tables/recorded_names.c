// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/recorded_names.h"

#include <errno.h>
#include <stdlib.h>

#include "common/compare.h"
#include "common/search.h"
#include "report/tables/table_ids.h"

void recorded_names_deinit(struct recorded_names *names)
{
	vec_for_each(&names->objects, object)
		free(*object);
	vec_free(&names->held);
	vec_free(&names->objects);
	vec_free(&names->waiting);
	index_deinit(&names->object_index);
	arena_deinit(&names->arena);
	vec_free(&names->ranges);
	vec_free(&names->hits);
	*names = (struct recorded_names){0};
}

size_t recorded_names_bytes(const struct recorded_names *names)
{
	return names->held.nr * sizeof(*names->held.data) + names->arena.total +
	       names->objects.nr * sizeof(**names->objects.data) +
	       names->waiting.nr * sizeof(*names->waiting.data);
}

static struct range range_of(const struct prof_epoch *epoch, const struct prof_symbol *symbol)
{
	return (struct range){
		.start = symbol->offset,
		.size = symbol->size,
		.name = epoch->strings[symbol->name].s,
		.len = epoch->strings[symbol->name].len,
	};
}

static int hold(struct recorded_names *names, uint64_t basis, struct range range)
{
	struct held_symbol held = {basis, range};

	held.range.name = arena_copy(&names->arena, range.name, range.len);
	return held.range.name ? vec_push(&names->held, held) : -ENOMEM;
}

int recorded_names_learn(struct recorded_names *names, const struct prof_epoch *epoch,
			 const struct object_identity *identities)
{
	int ret = 0;

	for (uint32_t i = 0; i < epoch->nr_symbols && !ret; i++) {
		const struct prof_symbol *symbol = &epoch->symbols[i];

		if (identities[symbol->object].holds)
			ret = hold(names, identities[symbol->object].basis,
				   range_of(epoch, symbol));
	}
	return ret;
}

static int add_object(struct recorded_names *names, const struct object_identity *identity,
		      uint32_t *id)
{
	struct held_object *object = calloc(1, sizeof(*object));
	int ret = object ? 0 : -ENOMEM;

	if (!ret) {
		object->identity = *identity;
		object->object = *identity->object;
		object->identity.object = &object->object;
		object->identity.file = NULL;
		object->identity.kind = NULL;
		object->identity.path =
			arena_copy(&names->arena, identity->path, strlen(identity->path));
		ret = object->identity.path ? 0 : -ENOMEM;
	}
	*id = names->objects.nr;
	if (!ret)
		ret = index_push(&names->object_index, &names->objects, identity->basis, object);
	if (ret)
		free(object);
	return ret;
}

static int find_object(struct recorded_names *names, const struct object_identity *identity,
		       uint32_t *id)
{
	index_for_each(&names->object_index, identity->basis, i) {
		if (names->objects.data[i]->identity.basis == identity->basis) {
			*id = i;
			return 0;
		}
	}
	return add_object(names, identity, id);
}

int recorded_names_wait(struct recorded_names *names, const struct object_identity *object,
			uint64_t offset)
{
	struct waiting_frame frame = {.offset = offset};
	int ret = find_object(names, object, &frame.object);

	return ret ? ret : vec_push(&names->waiting, frame);
}

static int compare_held(const void *a, const void *b)
{
	const struct held_symbol *x = a, *y = b;

	COMPARE(x->basis, y->basis);
	COMPARE(x->range.start, y->range.start);
	return 0;
}

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting_frame *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	return 0;
}

/*
 * Makes hits of the frames that wait in the object of frame @first, each once. Sets *@next to the
 * first frame of the next object.
 */
static int gather_hits(struct recorded_names *names, size_t first, size_t *next)
{
	const struct waiting_frame *frames = names->waiting.data;
	size_t i = first;
	int ret = 0;

	vec_clear(&names->hits);
	for (; i < names->waiting.nr && frames[i].object == frames[first].object && !ret; i++) {
		const struct range_hit hit = {.addr = frames[i].offset};

		if (i == first || frames[i].offset != frames[i - 1].offset)
			ret = vec_push(&names->hits, hit);
	}
	*next = i;
	return ret;
}

static int gather_ranges(struct recorded_names *names, uint64_t basis)
{
	size_t i = search_first(names->held.nr, n, names->held.data[n].basis >= basis);
	int ret = 0;

	vec_clear(&names->ranges);
	for (; i < names->held.nr && names->held.data[i].basis == basis && !ret; i++)
		ret = vec_push(&names->ranges, names->held.data[i].range);
	return ret;
}

static int resolve(struct recorded_names *names, struct range_hit *hits, size_t nr)
{
	return ranges_resolve(names->ranges.data, names->ranges.nr, hits, nr);
}

int recorded_names_finish(struct recorded_names *names,
			  int (*name)(void *ctx, const struct object_identity *object,
				      uint64_t offset, const struct range *range),
			  void *ctx)
{
	size_t next = 0, nr_unnamed = 0;
	int ret = 0;

	if (names->held.nr)
		qsort(names->held.data, names->held.nr, sizeof(*names->held.data), compare_held);
	if (names->waiting.nr)
		qsort(names->waiting.data, names->waiting.nr, sizeof(*names->waiting.data),
		      compare_waiting);
	while (next < names->waiting.nr && !ret) {
		uint32_t id = names->waiting.data[next].object;
		const struct held_object *object = names->objects.data[id];

		ret = gather_hits(names, next, &next);
		if (!ret)
			ret = gather_ranges(names, object->identity.basis);
		if (!ret)
			ret = resolve(names, names->hits.data, names->hits.nr);
		for (size_t i = 0; i < names->hits.nr && !ret; i++) {
			const struct range_hit *hit = &names->hits.data[i];

			ret = name(ctx, &object->identity, hit->addr, hit->range);
			if (!hit->range || !hit->range->len)
				names->waiting.data[nr_unnamed++] =
					(struct waiting_frame){id, hit->addr};
		}
	}
	names->waiting.nr = nr_unnamed;
	return ret;
}

static uint64_t symbol_id(const struct held_symbol *symbol)
{
	uint64_t id = table_id(symbol->range.name, symbol->range.len, symbol->basis);

	return table_id_u64(symbol->range.size, table_id_u64(symbol->range.start, id));
}

/* Gives the frame to @to, unless it has a name or waits there already. */
static int give_frame(const struct object_identity *object, uint64_t offset,
		      struct recorded_names *to, const struct id_set *named, struct id_set *seen)
{
	uint64_t id = frame_identity_make(object, offset, "").id;

	if (id_set_is_full(seen) || id_set_has(named, id) || !id_set_add(seen, id))
		return 0;
	return recorded_names_wait(to, object, offset);
}

int recorded_names_give(struct recorded_names *names, struct recorded_names *to,
			const struct id_set *named, struct id_set *seen)
{
	int ret = 0;

	vec_for_each(&names->held, symbol)
		if (!ret && !id_set_is_full(seen) && id_set_add(seen, symbol_id(symbol)))
			ret = hold(to, symbol->basis, symbol->range);
	vec_for_each(&names->waiting, frame)
		if (!ret)
			ret = give_frame(&names->objects.data[frame->object]->identity,
					 frame->offset, to, named, seen);
	vec_clear(&names->waiting);
	return ret;
}

int recorded_names_resolve(struct recorded_names *names, const struct prof_epoch *epoch,
			   uint32_t first, uint32_t end, struct range_hit *hits, size_t nr)
{
	int ret = 0;

	vec_clear(&names->ranges);
	for (uint32_t i = first; i < end && !ret; i++)
		ret = vec_push(&names->ranges, range_of(epoch, &epoch->symbols[i]));
	return ret ? ret : resolve(names, hits, nr);
}
