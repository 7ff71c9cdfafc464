// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/line_table.h"

static bool is_absolute(struct dwarf_text path)
{
	return path.len && path.s[0] == '/';
}

/* Finds the directory of @file in the table, and the one that it is relative to. */
static void find_dirs(const struct line_table *table, const struct line_file *file,
		      struct dwarf_text *dir, struct dwarf_text *base)
{
	uint64_t index = table->version >= 5 ? file->dir : file->dir - 1;

	*dir = index < table->dirs.nr ? table->dirs.data[index] : (struct dwarf_text){0};
	*base = table->unit->comp_dir;
	if (is_absolute(file->name))
		*dir = (struct dwarf_text){0};
	if (is_absolute(file->name) || is_absolute(*dir))
		*base = (struct dwarf_text){0};
	/* Directory 0 of DWARF 5 is the compiler's. */
	if (dir->len && dir->len == base->len && !memcmp(dir->s, base->s, dir->len))
		*base = (struct dwarf_text){0};
}

/* Joins the parts of a path that are not empty. Returns its length. */
static uint32_t join_path(char *path, size_t size, const struct dwarf_text *parts, size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!parts[i].len || parts[i].len >= size - len - 1)
			continue;
		if (len && path[len - 1] != '/')
			path[len++] = '/';
		memcpy(path + len, parts[i].s, parts[i].len);
		len += parts[i].len;
	}
	return len;
}

uint32_t line_table_path(struct line_table *table, uint64_t index, struct string_set *paths,
			 struct dwarf_work *work)
{
	uint64_t at = table->version >= 5 ? index : index - 1;
	struct dwarf_text parts[3];
	struct line_file *file;
	char path[8192];
	uint32_t id;

	if (at >= table->files.nr)
		return 0;
	file = &table->files.data[at];
	if (file->path)
		return file->path - 1;
	find_dirs(table, file, &parts[1], &parts[0]);
	parts[2] = file->name;
	if (string_set_add(paths, path, join_path(path, sizeof(path), parts, 3), &id)) {
		dwarf_work_no_memory(work);
		return 0;
	}
	file->path = id + 1;
	return id;
}

void line_table_deinit(struct line_table *table)
{
	vec_free(&table->dirs);
	vec_free(&table->files);
}
