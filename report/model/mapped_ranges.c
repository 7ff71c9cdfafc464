// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/mapped_ranges.h"

#include <errno.h>

#include "common/search.h"

/* A mapping begins to cover its object at @off, or ends to. */
struct edge {
	uint32_t process, object;
	uint64_t off;
	uint32_t mapping;
	bool is_end;
};

typedef VEC(struct edge) edge_vec;

/* Orders two places in objects of processes, as compare functions of qsort do. */
static int compare_places(uint32_t process_a, uint32_t object_a, uint64_t off_a, uint32_t process_b,
			  uint32_t object_b, uint64_t off_b)
{
	if (process_a != process_b)
		return process_a < process_b ? -1 : 1;
	if (object_a != object_b)
		return object_a < object_b ? -1 : 1;
	return (off_a > off_b) - (off_a < off_b);
}

static int compare_edges(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	return compare_places(a->process, a->object, a->off, b->process, b->object, b->off);
}

static int add_edges(edge_vec *edges, const struct model_mapping *m, uint32_t mapping)
{
	struct edge edge = {
		.process = m->process, .object = m->object, .off = m->pgoff, .mapping = mapping};
	int ret = m->size ? vec_push(edges, edge) : 0;

	edge.is_end = true;
	/* A mapping up to the last offset of all has no end. */
	if (ret || !m->size || __builtin_add_overflow(m->pgoff, m->size, &edge.off))
		return ret;
	return vec_push(edges, edge);
}

/*
 * Goes along the edges. While one mapping covers the object, the exclusive or of the numbers of all
 * mappings that do is its number.
 */
static int add_ranges(struct mapped_ranges *ranges, const edge_vec *edges)
{
	uint32_t nr_covers = 0, covers = 0;

	for (size_t i = 0; i < edges->nr; i++) {
		const struct edge *edge = &edges->data[i];
		const struct edge *next = i + 1 < edges->nr ? edge + 1 : NULL;
		bool is_last =
			!next || next->process != edge->process || next->object != edge->object;
		struct mapped_range range = {
			.process = edge->process, .object = edge->object, .first = edge->off};

		nr_covers += edge->is_end ? -1u : 1u;
		covers ^= edge->mapping;
		range.last = is_last ? UINT64_MAX : next->off - 1;
		range.mapping = covers;
		if (nr_covers == 1 && (is_last || next->off != edge->off) &&
		    vec_push(&ranges->ranges, range))
			return -ENOMEM;
		if (is_last)
			nr_covers = covers = 0;
	}
	return 0;
}

int mapped_ranges_make(struct mapped_ranges *ranges, const struct model_mapping *mappings,
		       size_t nr)
{
	edge_vec edges = {0};
	int ret = 0;

	vec_clear(&ranges->ranges);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = add_edges(&edges, &mappings[i], i);
	if (!ret && edges.nr)
		qsort(edges.data, edges.nr, sizeof(*edges.data), compare_edges);
	if (!ret)
		ret = add_ranges(ranges, &edges);
	vec_free(&edges);
	return ret;
}

const struct mapped_range *mapped_ranges_find(const struct mapped_ranges *ranges, uint32_t process,
					      uint32_t object, uint64_t off)
{
	const struct mapped_range *r = ranges->ranges.data;
	size_t at = search_first(
		ranges->ranges.nr, i,
		compare_places(r[i].process, r[i].object, r[i].last, process, object, off) >= 0);

	if (at == ranges->ranges.nr || r[at].process != process || r[at].object != object ||
	    r[at].first > off)
		return NULL;
	return &r[at];
}

void mapped_ranges_deinit(struct mapped_ranges *ranges)
{
	vec_free(&ranges->ranges);
}
