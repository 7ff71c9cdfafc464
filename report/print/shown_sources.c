// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/shown_sources.h"

#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/print/info_lines.h"

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

void info_names(const struct recording *rec, struct textbuf *out)
{
	static const char *const texts[PROF_NR_NAME_ORIGINS] = {
		[PROF_NAMES_RECORDED] = "read by the recorder",
		[PROF_NAMES_ADDED] = "read by profrep pack",
		[PROF_NAMES_FETCHED] = "fetched by profrep pack",
	};
	uint64_t nr[PROF_NR_NAME_ORIGINS] = {0};
	const char *comma = "";

	if (!rec->model.name_sources.nr)
		return;
	vec_for_each(&rec->model.name_sources, source)
		nr[source->origin]++;
	info_key(out, "names from");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!nr[i])
			continue;
		textbuf_printf(out, "%s%" PRIu64 " %s %s", comma, nr[i],
			       nr[i] == 1 ? "file" : "files", texts[i]);
		comma = ", ";
	}
	textbuf_char(out, '\n');
}
