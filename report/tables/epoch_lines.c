// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/epoch_lines.h"

#include "common/search.h"

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

int epoch_lines_add(struct recording_tables *tables, const struct prof_epoch *epoch,
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
