// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/found_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/search.h"

int found_names_init(struct found_names *found)
{
	*found = (struct found_names){0};
	return string_set_init(&found->names);
}

void found_names_deinit(struct found_names *found)
{
	string_set_deinit(&found->names);
	vec_free(&found->symbols);
	vec_free(&found->lines);
	vec_free(&found->source_frames);
	vec_free(&found->sources);
}

int found_names_add(struct found_names *found, uint32_t object, const struct range_hit *hit,
		    uint64_t offset)
{
	const struct range *range = hit->range;
	uint64_t before = hit->addr - range->start;
	const struct prof_symbol *last =
		found->symbols.nr ? &found->symbols.data[found->symbols.nr - 1] : NULL;
	struct prof_symbol symbol = {
		.object = object, .offset = offset - before, .size = range->size};
	int ret;

	/* The format has no symbol that begins before its object or ends after the last offset. */
	if (before > offset || range->size > UINT64_MAX - symbol.offset ||
	    range->len > PROF_MAX_STRING_BYTES)
		return 0;
	if (last && last->object == object && last->offset == symbol.offset &&
	    last->size == symbol.size)
		return 0;
	ret = string_set_add(&found->names, range->len ? range->name : "", range->len,
			     &symbol.name);
	return ret ? ret : vec_push(&found->symbols, symbol);
}

/* Adds string @id of @from to the names. */
static int add_name(struct found_names *found, const struct string_set *from, uint32_t id,
		    uint32_t *name)
{
	const struct string *string = &from->items.data[id];
	/* The format has no longer strings. Without its name, a function still has its line. */
	uint32_t len = string->len > PROF_MAX_STRING_BYTES ? 0 : string->len;

	return string_set_add(&found->names, string->s, len, name);
}

int found_names_add_line(struct found_names *found, uint32_t object, uint64_t offset,
			 const struct source_frames *frames, const struct source_hit *hit)
{
	const struct prof_line line = {
		.object = object,
		.offset = offset,
		.first_frame = found->source_frames.nr,
		.nr_frames = hit->nr,
	};
	const struct prof_line *last =
		found->lines.nr ? &found->lines.data[found->lines.nr - 1] : NULL;
	int ret = 0;

	if (!hit->nr || (last && last->object == object && last->offset == offset))
		return 0;
	for (uint32_t i = 0; i < hit->nr && !ret; i++) {
		const struct source_frame *from = &frames->frames.data[hit->first + i];
		struct prof_source_frame frame = {.line = from->line,
						  .is_inlined = from->is_inlined};

		ret = add_name(found, &frames->names, from->name, &frame.name);
		if (!ret)
			ret = add_name(found, &frames->files, from->file, &frame.file);
		if (!ret)
			ret = vec_push(&found->source_frames, frame);
	}
	return ret ? ret : vec_push(&found->lines, line);
}

int found_names_add_files(struct found_names *found, uint32_t object, const struct elf_pair *elf,
			  const uint8_t parts[2])
{
	/* A debug file in the binary's place has the binary's path. */
	const char *const paths[] = {elf->binary_path,
				     elf->debug_path ? elf->debug_path : elf->binary_path};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(paths) && !ret; i++) {
		size_t len = paths[i] ? strlen(paths[i]) : 0;
		/* Servers are asked for the debug file first, and for the binary without one. */
		bool is_fetched = elf->is_fetched && (i || !elf->has_debug);
		struct prof_name_source source = {
			.object = object,
			.origin = is_fetched ? PROF_NAMES_FETCHED : PROF_NAMES_ADDED,
			.parts = parts[i],
		};

		if (!parts[i] || !len || len > PROF_MAX_STRING_BYTES)
			continue;
		ret = string_set_add(&found->names, paths[i], len, &source.file);
		if (!ret)
			ret = vec_push(&found->sources, source);
	}
	return ret;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	COMPARE(x->size, y->size);
	COMPARE(x->name, y->name);
	return 0;
}

int found_names_compare_lines(const void *a, const void *b)
{
	const struct prof_line *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	COMPARE(x->first_frame, y->first_frame);
	return 0;
}

/* Sorts the array @v by @compare, and keeps those elements that differ from the one before. */
#define sort_unique(v, compare, is_equal)                                                          \
	do {                                                                                       \
		size_t _kept = 0;                                                                  \
                                                                                                   \
		if ((v)->nr)                                                                       \
			qsort((v)->data, (v)->nr, sizeof(*(v)->data), compare);                    \
		vec_for_each(v, _elem)                                                             \
			if (!_kept || !is_equal(&(v)->data[_kept - 1], _elem))                     \
				(v)->data[_kept++] = *_elem;                                       \
		(v)->nr = _kept;                                                                   \
	} while (0)

static bool is_equal_symbol(const struct prof_symbol *a, const struct prof_symbol *b)
{
	return a->object == b->object && a->offset == b->offset && a->size == b->size &&
	       a->name == b->name;
}

static bool is_equal_line(const struct prof_line *a, const struct prof_line *b)
{
	return a->object == b->object && a->offset == b->offset;
}

void found_names_sort(struct found_names *found)
{
	sort_unique(&found->symbols, compare_symbols, is_equal_symbol);
	sort_unique(&found->lines, found_names_compare_lines, is_equal_line);
}

/* Is the element before @object and @offset in the order? */
#define is_before(elem, object_, offset_)                                                          \
	((elem).object < (object_) || ((elem).object == (object_) && (elem).offset < (offset_)))

size_t found_names_symbol(const struct found_names *found, uint32_t object, uint64_t offset)
{
	return search_first(found->symbols.nr, i,
			    !is_before(found->symbols.data[i], object, offset));
}

size_t found_names_line(const struct found_names *found, uint32_t object, uint64_t offset)
{
	return search_first(found->lines.nr, i, !is_before(found->lines.data[i], object, offset));
}

size_t found_names_source(const struct found_names *found, uint32_t object)
{
	return search_first(found->sources.nr, i, found->sources.data[i].object >= object);
}
