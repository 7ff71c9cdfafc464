// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/index.h"
#include "format/stacks.h"
#include "format/tables.h"

/*
 * The frames that follow each frame. The children of parent p are child[first[p]] up to
 * child[first[p+1]], ascending. Parent 0 is the root, parent f + 1 is frame f.
 */
struct successors {
	uint32_t nr_parents;
	uint32_t *first; /* nr_parents + 1 */
	uint32_t *child;
};

/* A stack in the order of the file. */
struct path {
	const uint32_t *frames; /* from the root */
	uint32_t nr;
	uint8_t end;
};

static struct path path_at(const struct order *order, uint32_t stack)
{
	uint32_t old = order->stack_old[stack];

	return (struct path){
		.frames = order->root_frames + order->root_first[old],
		.nr = order->epoch->stacks[old].nr_frames,
		.end = order->epoch->stacks[old].end,
	};
}

static uint32_t nr_shared(const struct path *a, const struct path *b)
{
	uint32_t n = 0;

	while (n < a->nr && n < b->nr && a->frames[n] == b->frames[n])
		n++;
	return n;
}

static uint32_t parent_at(const struct path *path, uint32_t depth)
{
	return depth ? path->frames[depth - 1] + 1 : 0;
}

/*
 * Stable counting sort: writes the positions @in (NULL: 0, 1, 2, ...) to @out by ascending
 * @keys[position], all below @nr_keys. @slots has room for nr_keys + 1.
 */
static void sort_by_key(const uint32_t *keys, uint32_t nr_keys, const uint32_t *in, uint32_t *out,
			size_t nr, uint32_t *slots)
{
	memset(slots, 0, (nr_keys + (size_t)1) * sizeof(*slots));
	for (size_t i = 0; i < nr; i++)
		slots[keys[i] + 1]++;
	for (uint32_t k = 0; k < nr_keys; k++)
		slots[k + 1] += slots[k];
	for (size_t i = 0; i < nr; i++) {
		uint32_t position = in ? in[i] : i;

		out[slots[keys[position]]++] = position;
	}
}

/* Pairs of parent and child, each once. Many stacks have few pairs. */
struct pairs {
	VEC(uint32_t) parents, children;
	struct index by_pair;
};

static int pairs_add(struct pairs *pairs, uint32_t parent, uint32_t child)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | child);

	index_for_each(&pairs->by_pair, hash, i)
		if (pairs->parents.data[i] == parent && pairs->children.data[i] == child)
			return 0;
	if (index_insert(&pairs->by_pair, hash, pairs->parents.nr) ||
	    vec_push(&pairs->parents, parent) || vec_push(&pairs->children, child))
		return -ENOMEM;
	return 0;
}

static int pairs_collect(struct pairs *pairs, const struct order *order)
{
	struct path prev = {0};

	for (uint32_t i = 0; i < order->epoch->nr_stacks; i++) {
		struct path path = path_at(order, i);

		for (uint32_t d = nr_shared(&prev, &path); d < path.nr; d++)
			if (pairs_add(pairs, parent_at(&path, d), path.frames[d]))
				return -ENOMEM;
		prev = path;
	}
	return 0;
}

static void pairs_deinit(struct pairs *pairs)
{
	vec_free(&pairs->parents);
	vec_free(&pairs->children);
	index_deinit(&pairs->by_pair);
}

/* Fills @next from the pairs. @sorted are their positions by parent, then child. */
static void successors_fill(struct successors *next, const struct pairs *pairs,
			    const uint32_t *sorted)
{
	uint32_t nr = pairs->parents.nr, parent = 0;

	for (uint32_t i = 0; i < nr; i++) {
		while (parent <= pairs->parents.data[sorted[i]])
			next->first[parent++] = i;
		next->child[i] = pairs->children.data[sorted[i]];
	}
	while (parent <= next->nr_parents)
		next->first[parent++] = nr;
}

static int successors_init(struct successors *next, const struct order *order)
{
	_cleanup_free_ uint32_t *by_child = NULL, *by_parent = NULL;
	_cleanup_(pairs_deinit) struct pairs pairs = {0};
	size_t nr;

	*next = (struct successors){.nr_parents = order->epoch->nr_frames + 1};
	if (pairs_collect(&pairs, order))
		return -ENOMEM;
	nr = pairs.parents.nr;
	next->first = reallocarray(NULL, next->nr_parents + 1, sizeof(uint32_t));
	next->child = reallocarray(NULL, nr + 1, sizeof(uint32_t));
	by_child = reallocarray(NULL, nr + 1, sizeof(uint32_t));
	by_parent = reallocarray(NULL, nr + 1, sizeof(uint32_t));
	if (!next->first || !next->child || !by_child || !by_parent)
		return -ENOMEM;
	/* first serves as the sort's counters before it gets its own contents. */
	sort_by_key(pairs.children.data, next->nr_parents, NULL, by_child, nr, next->first);
	sort_by_key(pairs.parents.data, next->nr_parents, by_child, by_parent, nr, next->first);
	successors_fill(next, &pairs, by_parent);
	return 0;
}

static void successors_deinit(struct successors *next)
{
	free(next->first);
	free(next->child);
}

static uint32_t nr_children(const struct successors *next, uint32_t parent)
{
	return next->first[parent + 1] - next->first[parent];
}

/* Returns the number of @frame among the children of @parent; it is one of them. */
static uint32_t child_number(const struct successors *next, uint32_t parent, uint32_t frame)
{
	const uint32_t *child = next->child + next->first[parent];
	uint32_t low = 0, high = nr_children(next, parent);

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (child[middle] <= frame)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void encode_frames(const struct order *order, struct columns *cols)
{
	struct prof_frame prev = {0};

	for (uint32_t i = 0; i < order->epoch->nr_frames; i++) {
		const struct prof_frame *frame = &order->epoch->frames[order->frame_old[i]];

		bytes_varint(columns_col(cols, STACKS_FRAME_OBJECT), frame->object - prev.object);
		bytes_varint(columns_col(cols, STACKS_FRAME_OFFSET),
			     frame->offset - (frame->object == prev.object ? prev.offset : 0));
		prev = *frame;
	}
}

static void encode_successors(const struct successors *next, struct columns *cols)
{
	for (uint32_t p = 0; p < next->nr_parents; p++) {
		const uint32_t *child = next->child + next->first[p];
		uint32_t nr = nr_children(next, p);

		bytes_varint(columns_col(cols, STACKS_NR_CHILDREN), nr);
		for (uint32_t i = 0; i < nr; i++)
			bytes_varint(columns_col(cols, STACKS_CHILD),
				     i ? child[i] - child[i - 1] - 1
				       : zigzag_encode((uint64_t)child[0] - (p ? p - 1 : 0)));
	}
}

static void encode_paths(const struct order *order, const struct successors *next,
			 struct columns *cols)
{
	struct path prev = {0};

	for (uint32_t i = 1; i < order->epoch->nr_stacks; i++) {
		struct path path = path_at(order, i);
		uint32_t shared = nr_shared(&prev, &path), d = shared;

		bytes_varint(columns_col(cols, STACKS_SHARED), shared);
		bytes_varint(columns_col(cols, STACKS_LENGTH), path.nr);
		bytes_varint(columns_col(cols, STACKS_END), path.end);
		if (shared < prev.nr) {
			uint32_t parent = parent_at(&path, d);

			bytes_varint(columns_col(cols, STACKS_BRANCH),
				     child_number(next, parent, path.frames[d]) -
					     child_number(next, parent, prev.frames[d]) - 1);
			d++;
		}
		for (; d < path.nr; d++) {
			uint32_t parent = parent_at(&path, d);

			if (nr_children(next, parent) > 1)
				bytes_varint(columns_col(cols, STACKS_STEP),
					     child_number(next, parent, path.frames[d]));
		}
		prev = path;
	}
}

int stacks_encode(const struct order *order, struct columns *cols)
{
	_cleanup_(successors_deinit) struct successors next = {0};
	int ret = successors_init(&next, order);

	if (ret)
		return ret;
	bytes_varint(columns_head(cols), order->epoch->nr_frames);
	bytes_varint(columns_head(cols), order->epoch->nr_stacks - 1);
	encode_frames(order, cols);
	encode_successors(&next, cols);
	encode_paths(order, &next, cols);
	return 0;
}
