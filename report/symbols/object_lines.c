// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/object_lines.h"

#include <string.h>

#include "report/symbols/debug_links.h"

/*
 * Notes that @name, a file with a part of the debug information, was not found. Many binaries can
 * share it, and it counts once.
 */
static int note_missing(struct source_frames *lines, const char *name)
{
	size_t nr = lines->files.items.nr;
	uint32_t file;
	int ret = string_set_add(&lines->files, name, strlen(name), &file);

	lines->nr_missing += lines->files.items.nr > nr;
	if (!lines->missing && !ret)
		lines->missing = file;
	return ret;
}

int elf_lines_find(struct elf_pair *elf, const struct debug_roots *roots, struct source_hit *hits,
		   size_t nr, struct source_frames *lines, bool *is_unread)
{
	struct debug_splits splits = {
		.roots = roots,
		.binary = elf->binary_path,
		.debug = elf->debug_path,
		.build_id = elf->wanted.build_id,
	};
	const struct split_opener opener = debug_links_splits(&splits);
	struct debug_info *info;
	int ret = elf_pair_info(elf, roots, &info);

	if (ret || !info)
		return ret;
	ret = dwarf_lookup(&info->file, &opener, hits, nr, lines);
	debug_splits_close(&splits);
	if (ret != -ENOMEM) {
		*is_unread = ret;
		ret = info->missing_alt ? note_missing(lines, info->missing_alt) : 0;
	}
	return ret;
}

/* Adds string @id of the model to @to. */
static int add_string(const struct model *model, uint32_t id, struct string_set *to,
		      uint32_t *added)
{
	const struct string *string = &model->strings.items.data[id];

	return string_set_add(to, string->s, string->len, added);
}

int recorded_lines_find(const struct model *model, uint32_t object, uint64_t off,
			struct source_frames *lines, uint32_t *first, uint32_t *nr)
{
	const struct model_line *line = model_find_line(model, object, off);
	uint32_t begin = lines->frames.nr;

	for (uint32_t i = 0; line && i < line->nr_frames; i++) {
		const struct prof_source_frame *from =
			&model->source_frames.data[line->first_frame + i];
		struct source_frame frame = {.line = from->line, .is_inlined = from->is_inlined};
		int ret = add_string(model, from->name, &lines->names, &frame.name);

		if (!ret)
			ret = add_string(model, from->file, &lines->files, &frame.file);
		if (!ret)
			ret = vec_push(&lines->frames, frame);
		if (ret)
			return ret;
	}
	if (line) {
		*first = begin;
		*nr = line->nr_frames;
	}
	return 0;
}
