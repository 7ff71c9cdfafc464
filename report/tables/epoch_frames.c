// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/epoch_frames.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/search.h"
#include "report/symbols/frame_place.h"

/* Rows of symbols for the inlined functions and the lines that a recording carries. */

struct lines {
	struct recording_tables *tables;
	const struct prof_epoch *epoch;
	const struct object_identity *objects;
	VEC(struct range_hit) hits; /* of the lines of one object; tags are their indexes */
};

/* Returns the mangled name of the function at @hit, which is the last one of @line. */
static struct prof_string own_name(const struct prof_epoch *epoch, const struct prof_line *line,
				   const struct range_hit *hit)
{
	uint32_t last = line->first_frame + line->nr_frames - 1;

	if (hit->range && hit->range->len)
		return (struct prof_string){hit->range->name, hit->range->len};
	return epoch->strings[epoch->source_frames[last].name];
}

static int add_line(const struct lines *l, const struct range_hit *hit)
{
	const struct prof_epoch *epoch = l->epoch;
	const struct prof_line *line = &epoch->lines[hit->tag];
	const struct object_identity *object = &l->objects[line->object];
	const struct frame_identity frame = frame_identity_make(object, line->offset, "");
	struct prof_string name = own_name(epoch, line, hit);
	int ret = 0;

	/* Without a name, the row would take the place of one that has it. */
	if (!name.len)
		return 0;
	for (uint32_t depth = 0; depth < line->nr_frames && !ret; depth++) {
		const struct prof_source_frame *from =
			&epoch->source_frames[line->first_frame + line->nr_frames - 1 - depth];
		const struct table_line to = {
			.depth = depth,
			.name = depth ? epoch->strings[from->name] : name,
			.file = epoch->strings[from->file].s,
			.line = from->line,
		};

		ret = recording_tables_add_line(l->tables, &frame, object, &to);
	}
	return ret;
}

/* Adds the lines of the object of line @first. Sets *@next to the first line of the next one. */
static int add_object(struct lines *l, uint32_t first, uint32_t *next)
{
	const struct prof_epoch *epoch = l->epoch;
	uint32_t object = epoch->lines[first].object;
	uint32_t symbol = search_first(epoch->nr_symbols, i, epoch->symbols[i].object >= object);
	uint32_t end = search_first(epoch->nr_symbols, i, epoch->symbols[i].object > object);
	int ret = 0;

	vec_clear(&l->hits);
	for (*next = first; *next < epoch->nr_lines && !ret; ++*next) {
		const struct range_hit hit = {.addr = epoch->lines[*next].offset, .tag = *next};

		if (epoch->lines[*next].object != object)
			break;
		ret = vec_push(&l->hits, hit);
	}
	/* A name is what makes the identity of such a frame, and it has no line. */
	if (ret || l->objects[object].class == IDENTITY_NAME)
		return ret;
	ret = recorded_names_resolve(&l->tables->recorded, epoch, symbol, end, l->hits.data,
				     l->hits.nr);
	for (size_t i = 0; i < l->hits.nr && !ret; i++)
		ret = add_line(l, &l->hits.data[i]);
	return ret;
}

/*
 * Adds the lines of @epoch to @tables; @objects are those of the epoch. The function of the code
 * itself keeps the name that its symbol in the epoch has. Returns 0 or -ENOMEM.
 */
static int epoch_lines_add(struct recording_tables *tables, const struct prof_epoch *epoch,
			   const struct object_identity *objects)
{
	struct lines l = {.tables = tables, .epoch = epoch, .objects = objects};
	uint32_t next = 0;
	int ret = 0;

	while (next < epoch->nr_lines && !ret)
		ret = add_object(&l, next, &next);
	vec_free(&l.hits);
	return ret;
}

/* The mark of a frame and place that a count uses, before it has an id. */
#define IS_USED 1

/* Frames of one object that need names, and the way back to them. */
struct asked {
	struct recording_tables *tables;
	struct epoch_frames *frames;
	uint32_t *first_symbols; /* by object, and the end of the last one's */
	VEC(struct range_hit) hits;
};

size_t epoch_frames_slot(const struct epoch_frames *frames, const struct prof_stack *stack,
			 uint32_t depth)
{
	uint32_t frame = frames->epoch->stack_frames[stack->first_frame + depth];
	enum frame_place place = depth && !frames->is_exact[frame] ? FRAME_CALLER : FRAME_LEAF;

	return (size_t)frame * NR_FRAME_PLACES + place;
}

uint32_t epoch_frames_nr_same(const struct prof_epoch *epoch, const struct prof_stack *a,
			      const struct prof_stack *b)
{
	const uint32_t *last_a = epoch->stack_frames + a->first_frame + a->nr_frames;
	const uint32_t *last_b = epoch->stack_frames + b->first_frame + b->nr_frames;
	uint32_t nr = a->nr_frames < b->nr_frames ? a->nr_frames : b->nr_frames;
	uint32_t i = 0;

	while (i + 1 < nr && *--last_a == *--last_b)
		i++;
	return i;
}

/* Marks the frames of a stack. Its callers may be those of the stack before it, @before. */
static void mark_stack(struct epoch_frames *f, uint32_t id, uint32_t before)
{
	const struct prof_stack *stack = &f->epoch->stacks[id];
	uint32_t nr =
		stack->nr_frames - epoch_frames_nr_same(f->epoch, stack, &f->epoch->stacks[before]);

	for (uint32_t i = 0; i < nr; i++)
		f->ids[epoch_frames_slot(f, stack, i)] = IS_USED;
}

static void mark_used(struct epoch_frames *f)
{
	const struct prof_epoch *epoch = f->epoch;
	uint32_t before = 0;

	for (uint32_t i = 0; i < epoch->nr_exact_frames; i++)
		f->is_exact[epoch->exact_frames[i]] = true;
	for (uint32_t i = 0; i < epoch->nr_counts; i++) {
		const struct prof_count *count = &epoch->counts[i];

		f->has_stack[count->user_stack] = true;
		f->has_stack[count->kernel_stack] = true;
		f->has_stack[count->waker_user_stack] = true;
		f->has_stack[count->waker_kernel_stack] = true;
	}
	for (uint32_t i = 0; i < epoch->nr_stacks; i++) {
		if (!f->has_stack[i])
			continue;
		mark_stack(f, i, before);
		before = i;
	}
}

static uint64_t looked_up(const struct epoch_frames *f, size_t slot)
{
	return f->epoch->frames[slot / NR_FRAME_PLACES].offset -
	       (slot % NR_FRAME_PLACES == FRAME_CALLER);
}

/* Gives the frame of @slot its id. @range is its symbol, NULL if there is none. */
static int identify(struct asked *a, const struct object_identity *object, size_t slot,
		    const struct range *range)
{
	const struct frame_identity frame = frame_identity_make(
		object, looked_up(a->frames, slot), range && range->len ? range->name : "");
	int ret = recording_tables_add_frame(a->tables, &frame, object);

	a->frames->ids[slot] = frame.id;
	return ret ? ret : recording_tables_add_name(a->tables, &frame, object, range);
}

/*
 * Gives the frame of @slot the id that it had in an epoch before. Returns false if none is known.
 */
static bool take_seen(struct asked *a, const struct object_identity *object, size_t slot)
{
	uint64_t offset = looked_up(a->frames, slot);
	const struct seen_frame *seen = recording_tables_seen(a->tables, object->basis, offset);

	if (!seen->id || seen->basis != object->basis || seen->offset != offset)
		return false;
	a->frames->ids[slot] = seen->id;
	return true;
}

/* Identifies a frame that needs no name of this epoch, nor of a later one. */
static int identify_once(struct asked *a, const struct object_identity *object, size_t slot)
{
	uint64_t offset = looked_up(a->frames, slot);
	int ret = identify(a, object, slot, NULL);

	*recording_tables_seen(a->tables, object->basis, offset) =
		(struct seen_frame){object->basis, offset, a->frames->ids[slot]};
	return ret;
}

/* Gives a frame its id whose symbol may come in a later epoch. */
static int identify_early(struct asked *a, const struct object_identity *object, size_t slot)
{
	int ret = identify_once(a, object, slot);

	if (!ret && !recording_tables_has_name(a->tables, a->frames->ids[slot]))
		ret = recorded_names_wait(&a->tables->recorded, object, looked_up(a->frames, slot));
	return ret;
}

/* A frame with a name needs no other. */
static bool needs_name(const struct asked *a, const struct object_identity *object, size_t slot)
{
	const struct frame_identity frame =
		frame_identity_make(object, looked_up(a->frames, slot), "");

	return !recording_tables_has_name(a->tables, frame.id);
}

/* Identifies the frames that were asked for, of object @id. */
static int answer(struct asked *a, uint32_t id)
{
	const struct object_identity *object = &a->frames->objects[id];
	int ret;

	range_hits_sort(a->hits.data, a->hits.nr);
	ret = recorded_names_resolve(&a->tables->recorded, a->frames->epoch, a->first_symbols[id],
				     a->first_symbols[id + 1], a->hits.data, a->hits.nr);
	for (size_t i = 0; i < a->hits.nr && !ret; i++)
		ret = identify(a, object, a->hits.data[i].tag, a->hits.data[i].range);
	vec_clear(&a->hits);
	return ret;
}

static int ask(struct asked *a, size_t slot)
{
	const struct prof_frame *frame = &a->frames->epoch->frames[slot / NR_FRAME_PLACES];
	const struct object_identity *object = &a->frames->objects[frame->object];
	const struct range_hit hit = {.addr = looked_up(a->frames, slot), .tag = slot};

	if (a->frames->ids[slot] != IS_USED)
		return 0;
	/* The name may be the identity. */
	if (object->class == IDENTITY_NAME)
		return vec_push(&a->hits, hit);
	if (take_seen(a, object, slot))
		return 0;
	if (object->holds)
		return identify_early(a, object, slot);
	return needs_name(a, object, slot) ? vec_push(&a->hits, hit)
					   : identify_once(a, object, slot);
}

/* The frames of a recording ascend by object. */
static int ask_all(struct asked *a)
{
	const struct prof_epoch *epoch = a->frames->epoch;
	int ret = 0;

	for (uint32_t i = 0; i < epoch->nr_frames && !ret; i++) {
		uint32_t object = epoch->frames[i].object;

		for (int place = 0; place < NR_FRAME_PLACES && !ret; place++)
			ret = ask(a, (size_t)i * NR_FRAME_PLACES + place);
		if (!ret && (i + 1 == epoch->nr_frames || epoch->frames[i + 1].object != object))
			ret = answer(a, object);
	}
	return ret;
}

/* The symbols of a recording ascend by object. */
static uint32_t *find_symbols(const struct prof_epoch *epoch)
{
	uint32_t *first = calloc((size_t)epoch->nr_objects + 1, sizeof(*first));
	uint32_t next = 0;

	for (uint32_t i = 0; first && i <= epoch->nr_objects; i++) {
		while (next < epoch->nr_symbols && epoch->symbols[next].object < i)
			next++;
		first[i] = next;
	}
	return first;
}

int epoch_frames_make(struct epoch_frames *frames, struct recording_tables *tables,
		      const struct prof_epoch *epoch)
{
	_cleanup_free_ uint32_t *first_symbols = find_symbols(epoch);
	struct asked asked = {
		.tables = tables,
		.frames = frames,
		.first_symbols = first_symbols,
	};
	int ret;

	*frames = (struct epoch_frames){
		.epoch = epoch,
		.objects = calloc(epoch->nr_objects, sizeof(*frames->objects)),
		.ids = calloc((size_t)epoch->nr_frames * NR_FRAME_PLACES + 1, sizeof(*frames->ids)),
		.is_exact = calloc((size_t)epoch->nr_frames + 1, sizeof(*frames->is_exact)),
		.has_stack = calloc(epoch->nr_stacks, sizeof(*frames->has_stack)),
	};
	if (!first_symbols || !frames->objects || !frames->ids || !frames->is_exact ||
	    !frames->has_stack)
		return -ENOMEM;
	object_identities_make(frames->objects, tables->meta, epoch);
	ret = recorded_names_learn(&tables->recorded, epoch, frames->objects);
	if (!ret)
		ret = epoch_lines_add(tables, epoch, frames->objects);
	mark_used(frames);
	if (!ret)
		ret = ask_all(&asked);
	vec_free(&asked.hits);
	return ret;
}

void epoch_frames_deinit(struct epoch_frames *frames)
{
	free(frames->objects);
	free(frames->ids);
	free(frames->is_exact);
	free(frames->has_stack);
	*frames = (struct epoch_frames){0};
}
