// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_sources.h"

/* The lines of a file, while they are printed. */
struct line_list {
	struct json *json;
	const struct source_text *text;
	struct textbuf line; /* scratch */
};

int page_sources_make(struct page_sources *sources, struct source *source)
{
	struct rows_summary summary = {0};

	if (!sources->dirs)
		return 0;
	sources->from = source_printout(source, NULL);
	return annotation_make(&sources->lines, &sources->from, NULL, false, &summary);
}

void page_sources_deinit(struct page_sources *sources)
{
	if (sources->dirs)
		annotation_deinit(&sources->lines);
	*sources = (struct page_sources){0};
}

/* Appends the text in @line, which it empties, as a string. */
static void put_scratch(struct json *json, const char *key, struct textbuf *line)
{
	textbuf_char(line, '\0');
	if (line->error)
		textbuf_fail(json->out, line->error);
	else
		json_put_safe(json, key, line->data);
	line->nr = 0;
}

/* Appends a line as [number, self, total, text]. */
static void put_line(void *ctx, uint64_t number, const struct place_count *count)
{
	struct line_list *list = ctx;

	json_open(list->json, NULL, '[');
	json_put_number(list->json, NULL, number);
	json_put_number(list->json, NULL, count ? count->self : 0);
	json_put_number(list->json, NULL, count ? count->total : 0);
	source_text_put(list->text, number, &list->line);
	put_scratch(list->json, NULL, &list->line);
	json_close(list->json, ']');
}

static void put_file(struct json *json, const struct page_sources *sources, size_t begin,
		     size_t end)
{
	const struct annotation *a = &sources->lines;
	const struct string *path =
		&a->from->symbols->lines.files.items.data[a->places.data[begin].file];
	uint64_t recorded_ns = a->from->rec->meta->start_realtime_ns;
	struct source_text text = {0};
	struct line_list list = {json, &text, {.fd = -1}};
	int ret = path->len ? source_text_read(sources->dirs, path->s, &text) : 0;

	if (ret)
		textbuf_fail(json->out, ret);
	json_open(json, NULL, '{');
	textbuf_escaped(&list.line, path->s, path->len, TEXT_PLAIN);
	put_scratch(json, "path", &list.line);
	json_put_bool(json, "found", text.starts.nr);
	json_put_bool(json, "changed", recorded_ns && text.changed_ns > (int64_t)recorded_ns);
	json_open(json, "lines", '[');
	annotation_visit_lines(a, &text, begin, end, put_line, &list);
	json_close(json, ']');
	json_close(json, '}');
	textbuf_deinit(&list.line);
	source_text_free(&text);
}

static void put_function(struct json *json, const struct page_sources *sources, uint32_t id)
{
	const struct annotation *a = &sources->lines;
	const struct annotated_function *function = &a->functions.data[id];
	size_t begin, end;

	annotation_places(a, id, &begin, &end);
	json_open(json, NULL, '{');
	json_put_safe(json, "text", string_set_get(&a->names, function->name));
	json_put_text(json, "module", model_object_base(&a->from->rec->model, function->object));
	json_put_number(json, "self", function->count.self);
	json_put_number(json, "total", function->count.total);
	json_open(json, "files", '[');
	for (size_t i = begin, next; i < end; i = next) {
		next = annotation_file_end(a, i, end);
		put_file(json, sources, i, next);
	}
	json_close(json, ']');
	json_close(json, '}');
}

void page_sources_put(struct json *json, const struct page_sources *sources)
{
	const struct annotation *a = &sources->lines;
	size_t start = json->out->nr, nr = 0, nr_left_out = 0;
	bool is_full = false;

	if (!sources->dirs)
		return;
	json_open(json, "sources", '{');
	json_put_number(json, "sum", a->sum);
	json_open(json, "functions", '[');
	for (size_t i = 0; i < a->functions.nr; i++) {
		const struct json before = *json;
		size_t end = json->out->nr;

		if (!a->functions.data[a->order[i]].has_lines)
			continue;
		if (!is_full && nr < PAGE_SOURCES_MAX)
			put_function(json, sources, a->order[i]);
		is_full |= json->out->nr - start > PAGE_SOURCES_BYTES_MAX;
		if (is_full || nr == PAGE_SOURCES_MAX) {
			/* What has no room any more is taken back. */
			*json = before;
			json->out->nr = end;
			nr_left_out++;
		} else {
			nr++;
		}
	}
	json_close(json, ']');
	json_put_number(json, "leftOut", nr_left_out);
	json_close(json, '}');
}
