// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/shown_objects.h"

#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"

const char *object_path(const struct model *model, uint32_t object)
{
	const struct object_key *key = &model->objects.data[object].key;
	const char *path = string_set_get(&model->strings, key->path);

	if (path[0])
		return path;
	return key->kind == PROF_OBJECT_NONE   ? "[unmapped]"
	       : key->kind == PROF_OBJECT_ANON ? "[anonymous]"
					       : "[no name]";
}

int object_compare(const struct model *model, uint32_t a, uint32_t b)
{
	const struct object_key *x = &model->objects.data[a].key;
	const struct object_key *y = &model->objects.data[b].key;
	int cmp;

	COMPARE(x->kind, y->kind);
	cmp = x->path == y->path ? 0 : strcmp(object_path(model, a), object_path(model, b));
	if (cmp)
		return cmp;
	COMPARE(x->build_id.size, y->build_id.size);
	return memcmp(x->build_id.bytes, y->build_id.bytes, x->build_id.size);
}

static void print_parts(struct textbuf *out, uint8_t parts)
{
	static const struct {
		uint8_t part; /* enum name_part */
		const char *name;
	} names[] = {
		{NAME_PART_SYMTAB, ".symtab"},          {NAME_PART_MINIDEBUG, "MiniDebugInfo"},
		{NAME_PART_DYNSYM, ".dynsym"},          {NAME_PART_PLT, ".plt"},
		{NAME_PART_GO, ".gopclntab"},           {NAME_PART_BOUNDS, ".eh_frame"},
		{NAME_PART_DWARF, "debug information"},
	};
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(parts & names[i].part))
			continue;
		textbuf_printf(out, "%s%s", comma, names[i].name);
		comma = ", ";
	}
}

void print_name_sources(struct textbuf *out, const struct model *model, uint32_t object)
{
	size_t nr;
	const struct prof_name_source *sources = model_name_sources(model, object, &nr);

	for (size_t i = 0; i < nr; i++) {
		const char *path = string_set_get(&model->strings, sources[i].file);

		textbuf_str(out, i ? "; " : " (");
		if (path[0]) {
			textbuf_str(out, "from ");
			textbuf_escaped(out, path, strlen(path), TEXT_PLAIN);
			textbuf_str(out, sources[i].origin == PROF_NAMES_FETCHED
						 ? " by debuginfod: "
						 : ": ");
		}
		print_parts(out, sources[i].parts);
	}
	if (nr)
		textbuf_char(out, ')');
}
