// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/check.h"
#include "format/stacks.h"
#include "format/tables.h"

/* The stack that is being decoded. It begins as the previous stack. */
struct path {
	uint32_t nr;
	uint32_t frames[PROF_MAX_STACK_FRAMES]; /* from the root */
	/* number of each frame among its parent's children */
	uint32_t numbers[PROF_MAX_STACK_FRAMES];
};

static int decode_frames(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	uint64_t object = 0, offset = 0;

	for (size_t i = 0; i < tables->frames.nr; i++) {
		uint64_t object_diff = cursor_varint(&cols[STACKS_FRAME_OBJECT]);
		uint64_t offset_diff = cursor_varint(&cols[STACKS_FRAME_OFFSET]);

		if (object_diff >= tables->objects.nr - object)
			return fault_corrupt(fault, "frame %zu: object is out of range", i);
		if (object_diff)
			offset = 0;
		object += object_diff;
		if (__builtin_add_overflow(offset, offset_diff, &offset))
			return fault_corrupt(fault, "frame %zu: offset is out of range", i);
		tables->frames.data[i] = (struct prof_frame){object, offset};
	}
	return 0;
}

/* Decodes the children of @parent: 0 is the root, f + 1 is frame f. */
static int decode_children(struct tables *tables, struct cursor *col, uint64_t parent, uint64_t nr,
			   struct fault *fault)
{
	uint32_t *child = tables->children.data + tables->children.nr;
	uint64_t frame = parent ? parent - 1 : 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t v = cursor_varint(col);

		/* Refuses a difference that no frame can have, because it would wrap. */
		if (i && v >= tables->frames.nr)
			frame = tables->frames.nr;
		else
			frame += i ? v + 1 : zigzag_decode(v);
		if (frame >= tables->frames.nr)
			return fault_corrupt(
				fault, "child %" PRIu64 " of parent %" PRIu64 " is out of range", i,
				parent);
		child[i] = frame;
	}
	tables->children.nr += nr;
	return 0;
}

static int decode_successors(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	size_t nr_parents = tables->frames.nr + 1;
	/* Every child takes a byte or more: the column bounds their number. */
	size_t max = cursor_left(&cols[STACKS_CHILD]);
	int ret;

	ret = table_resize(&tables->children, max, fault);
	if (!ret)
		ret = table_resize(&tables->first_child, nr_parents + 1, fault);
	if (ret)
		return ret;
	tables->children.nr = 0;
	for (size_t p = 0; p < nr_parents; p++) {
		uint64_t nr = cursor_varint(&cols[STACKS_NR_CHILDREN]);

		tables->first_child.data[p] = tables->children.nr;
		if (nr > max - tables->children.nr)
			return fault_corrupt(
				fault, "parent %zu: %" PRIu64 " children are more than there are",
				p, nr);
		ret = decode_children(tables, &cols[STACKS_CHILD], p, nr, fault);
		if (ret)
			return ret;
	}
	tables->first_child.data[nr_parents] = tables->children.nr;
	return 0;
}

/* Puts child @number of the frame at @depth - 1 on the path at @depth. */
static int path_step(struct path *path, uint32_t depth, uint64_t number,
		     const struct tables *tables, struct fault *fault)
{
	uint32_t parent = depth ? path->frames[depth - 1] + 1 : 0;
	uint32_t first = tables->first_child.data[parent];

	if (number >= tables->first_child.data[parent + 1] - first)
		return fault_corrupt(fault,
				     "frame %u from the root: child %" PRIu64
				     " of parent %u is out of range",
				     depth, number, parent);
	path->frames[depth] = tables->children.data[first + number];
	path->numbers[depth] = number;
	return 0;
}

static uint64_t next_number(const struct path *path, uint32_t depth, const struct tables *tables,
			    struct cursor *cols)
{
	uint32_t parent = depth ? path->frames[depth - 1] + 1 : 0;
	const uint32_t *first = &tables->first_child.data[parent];

	return first[1] - first[0] == 1 ? 0 : cursor_varint(&cols[STACKS_STEP]);
}

static int decode_path(struct path *path, const struct tables *tables, struct cursor *cols,
		       struct fault *fault)
{
	uint64_t shared = cursor_varint(&cols[STACKS_SHARED]);
	uint64_t length = cursor_varint(&cols[STACKS_LENGTH]);
	uint32_t depth = shared;
	int ret;

	if (length > PROF_MAX_STACK_FRAMES)
		return fault_corrupt(fault, "%" PRIu64 " frames exceed the limit of %u", length,
				     PROF_MAX_STACK_FRAMES);
	if (shared > path->nr || shared > length || (shared < path->nr && shared == length))
		return fault_corrupt(fault,
				     "shares %" PRIu64 " of %" PRIu64 " frames with a stack of %u",
				     shared, length, path->nr);
	if (shared < path->nr) {
		uint64_t number = cursor_varint(&cols[STACKS_BRANCH]);

		if (number < PROF_MAX_TABLE)
			number += path->numbers[depth] + 1;
		ret = path_step(path, depth, number, tables, fault);
		if (ret)
			return ret;
		depth++;
	}
	for (; depth < length; depth++) {
		ret = path_step(path, depth, next_number(path, depth, tables, cols), tables, fault);
		if (ret)
			return ret;
	}
	path->nr = length;
	return 0;
}

static int add_stack(struct tables *tables, const struct path *path, uint64_t end,
		     struct prof_stack *stack, struct fault *fault)
{
	uint32_t *frame;

	if (end >= PROF_NR_STACK_ENDS)
		return fault_corrupt(fault, "end %" PRIu64 " is not known", end);
	if (path->nr && stack_end_is_missed(end))
		return fault_corrupt(fault, "is missing but has %u frames", path->nr);
	if (path->nr > PROF_MAX_EPOCH_FRAMES - tables->stack_frames.nr)
		return fault_corrupt(fault, "all frames exceed the limit of %u",
				     PROF_MAX_EPOCH_FRAMES);
	if (vec_reserve(&tables->stack_frames, path->nr + 1))
		return fault_set(fault, -ENOMEM, "out of memory");
	frame = tables->stack_frames.data + tables->stack_frames.nr;
	for (uint32_t i = path->nr; i-- > 0;)
		*frame++ = path->frames[i];
	*stack = (struct prof_stack){tables->stack_frames.nr, path->nr, end};
	tables->stack_frames.nr += path->nr;
	return 0;
}

static int decode_stacks(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	struct path path;

	path.nr = 0;
	vec_clear(&tables->stack_frames);
	if (vec_reserve(&tables->stack_frames, 1))
		return fault_set(fault, -ENOMEM, "out of memory");
	tables->stacks.data[0] = (struct prof_stack){0};
	for (size_t i = 1; i < tables->stacks.nr; i++) {
		int ret = decode_path(&path, tables, cols, fault);

		if (!ret)
			ret = add_stack(tables, &path, cursor_varint(&cols[STACKS_END]),
					&tables->stacks.data[i], fault);
		if (ret)
			return fault_in_row(fault, ret, "stack", i);
	}
	return 0;
}

static int stacks_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	int ret = table_resize(&tables->frames, in->head[0], fault);

	if (!ret)
		ret = table_resize(&tables->stacks, in->head[1] + 1, fault);
	if (!ret)
		ret = decode_frames(tables, in->cols, fault);
	if (!ret)
		ret = decode_successors(tables, in->cols, fault);
	return ret ? ret : decode_stacks(tables, in->cols, fault);
}

TABLE_CODEC(stacks, .type = SECTION_STACKS, .nr_head = 2, .nr_cols = STACKS_NR_COLS,
	    .rows = {{"frames", PROF_MAX_TABLE, STACKS_FRAME_OBJECT},
		     {"stacks", PROF_MAX_TABLE - 1, STACKS_SHARED}});
