// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_annotation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/annotate/annotation.h"
#include "report/annotate/disassembly.h"

/* The two shares, "  12.50 %  12.50 %". */
#define SHARES_WIDTH 18

/* Places that are named above all others. */
#define HOTTEST_MAX 4

struct annotate_print {
	const struct annotation *a;
	const struct annotate_layout *layout;
	struct textbuf *out; /* NULL: JSON */
	struct json *json;
	struct textbuf line;            /* scratch */
	const struct source_text *text; /* of the file that is being printed */
	uint64_t next_line;             /* the line after the last one of the file; 0: none */
	struct err *failure;
};

static const struct string *path_of(const struct annotation *a, const struct annotated_place *place)
{
	return &a->from->symbols->lines.files.items.data[place->file];
}

static void print_shares(const struct annotate_print *t, const struct place_count *count)
{
	double sum = t->a->sum;

	if (count && count->self)
		textbuf_printf(t->out, "%7.2f %%", 100 * count->self / sum);
	else
		textbuf_printf(t->out, "%*s", SHARES_WIDTH / 2, "");
	if (count)
		textbuf_printf(t->out, "%7.2f %%", 100 * count->total / sum);
	else
		textbuf_printf(t->out, "%*s", SHARES_WIDTH / 2, "");
}

/* Prints the text in t->line, which it empties, to the end of a line that has @used characters. */
static void print_text(struct annotate_print *t, uint32_t used, enum text_colour colour)
{
	const struct terminal *terminal = &t->layout->terminal;

	textbuf_char(&t->line, '\0');
	if (t->line.error)
		textbuf_fail(t->out, t->line.error);
	else
		terminal_print(terminal, t->out, t->line.data, terminal_rest(terminal, used),
			       CUT_END, colour);
	t->line.nr = 0;
	textbuf_char(t->out, '\n');
}

static void put_shares(struct json *json, const struct place_count *count)
{
	json_put_number(json, "self", count->self);
	json_put_number(json, "total", count->total);
}

/* Appends the text in t->line, which it empties. */
static void put_text(struct annotate_print *t, const char *key, bool is_known)
{
	textbuf_char(&t->line, '\0');
	if (t->line.error)
		textbuf_fail(t->json->out, t->line.error);
	else if (is_known)
		json_put_safe(t->json, key, t->line.data);
	else
		json_put_null(t->json, key);
	t->line.nr = 0;
}

/* The places with most self, the largest first. */
struct hottest {
	size_t places[HOTTEST_MAX + 1]; /* the last one is scratch */
	size_t nr;
};

static struct hottest find_hottest(const struct annotation *a, size_t begin, size_t end)
{
	const struct annotated_place *places = a->places.data;
	struct hottest hottest = {.nr = 0};

	for (size_t i = begin; i < end; i++) {
		size_t at = hottest.nr;

		if (!places[i].count.self)
			continue;
		for (; at && places[hottest.places[at - 1]].count.self < places[i].count.self; at--)
			hottest.places[at] = hottest.places[at - 1];
		hottest.places[at] = i;
		hottest.nr += hottest.nr < HOTTEST_MAX;
	}
	return hottest;
}

/* Begins the line of the hottest places, or goes on with the next one. */
static void begin_hot(struct annotate_print *t, const struct annotated_place *place, bool is_first)
{
	textbuf_printf(&t->line, "%s%.2f %% ", is_first ? "hottest: " : ", ",
		       100 * place->count.self / (double)t->a->sum);
}

/* Names the hottest lines of a function: reading begins there. A single one is found without. */
static void print_hottest_lines(struct annotate_print *t, size_t begin, size_t end)
{
	struct hottest hottest = find_hottest(t->a, begin, end);

	for (size_t i = 0; i < hottest.nr && hottest.nr > 1; i++) {
		const struct annotated_place *place = &t->a->places.data[hottest.places[i]];
		const char *path = path_of(t->a, place)->s, *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;

		begin_hot(t, place, !i);
		if (name[0]) {
			textbuf_escaped(&t->line, name, strlen(name), TEXT_PLAIN);
			textbuf_printf(&t->line, ":%" PRIu64, place->at);
		} else {
			textbuf_str(&t->line, "no line known");
		}
	}
	if (t->line.nr)
		print_text(t, 0, COLOUR_NONE);
}

/* Prints a line of t->text, below dots if it does not follow the one before. */
static void print_line(void *ctx, uint64_t number, const struct place_count *count)
{
	struct annotate_print *t = ctx;
	char digits[24];
	int width;

	if (t->next_line && number > t->next_line && t->text->starts.nr)
		textbuf_printf(t->out, "%*s\n", SHARES_WIDTH + 8, "...");
	t->next_line = number + 1;
	snprintf(digits, sizeof(digits), number ? "%" PRIu64 : "?", number);
	print_shares(t, count);
	textbuf_printf(t->out, "%8s", digits);
	source_text_put(t->text, number, &t->line);
	width = strlen(digits) > 8 ? (int)strlen(digits) : 8;
	if (t->line.nr)
		textbuf_str(t->out, "  ");
	print_text(t, SHARES_WIDTH + width + 2, count && count->self ? COLOUR_TITLE : COLOUR_NONE);
}

static void put_file_lines(struct annotate_print *t, const struct source_text *text, size_t begin,
			   size_t end)
{
	json_open(t->json, "lines", '[');
	for (size_t i = begin; i < end; i++) {
		const struct annotated_place *place = &t->a->places.data[i];

		json_open(t->json, NULL, '{');
		json_put_number(t->json, "line", place->at);
		put_shares(t->json, &place->count);
		source_text_put(text, place->at, &t->line);
		put_text(t, "text", place->at && place->at <= text->starts.nr);
		json_close(t->json, '}');
	}
	json_close(t->json, ']');
}

static bool is_of_language(const struct annotation *a, const struct annotated_place *place)
{
	uint32_t object = a->functions.data[place->function].object;

	return a->from->rec->model.objects.data[object].language != 0;
}

static int print_file(struct annotate_print *t, size_t begin, size_t end)
{
	const struct string *path = path_of(t->a, &t->a->places.data[begin]);
	uint64_t recorded_ns = t->a->from->rec->meta->start_realtime_ns;
	struct source_text text = {0};
	int ret = path->len ? source_text_read(&t->layout->dirs, path->s, &text) : 0;
	bool is_newer = recorded_ns && text.changed_ns > (int64_t)recorded_ns;

	if (ret)
		return ret;
	textbuf_escaped(&t->line, path->s, path->len, t->json ? TEXT_DATA : TEXT_PLAIN);
	if (t->json) {
		json_open(t->json, NULL, '{');
		put_text(t, "path", path->len);
		json_put_bool(t->json, "changed", is_newer);
		put_file_lines(t, &text, begin, end);
		json_close(t->json, '}');
	} else {
		if (!path->len && is_of_language(t->a, &t->a->places.data[begin]))
			textbuf_str(&t->line, "(interpreted: see 'profrep tree --function')");
		else if (!path->len)
			textbuf_str(&t->line, "(no line known)");
		else if (!text.starts.nr)
			textbuf_str(&t->line, " (not found: see --source)");
		else if (is_newer)
			textbuf_str(&t->line, " (changed since the recording)");
		textbuf_str(t->out, "\n   SELF %  TOTAL %    LINE  ");
		print_text(t, SHARES_WIDTH + 10, COLOUR_TITLE);
		t->text = &text;
		t->next_line = 0;
		annotation_visit_lines(t->a, &text, begin, end, print_line, t);
	}
	source_text_free(&text);
	return 0;
}

static int print_files(struct annotate_print *t, size_t begin, size_t end)
{
	int ret = 0;

	if (t->json)
		json_open(t->json, "files", '[');
	for (size_t i = begin, next; i < end && !ret; i = next) {
		next = annotation_file_end(t->a, i, end);
		ret = print_file(t, i, next);
	}
	if (t->json)
		json_close(t->json, ']');
	return ret;
}

/* Prints an instruction, with the counts of the bytes in it. */
static void print_instruction(struct annotate_print *t, const struct disassembly *d, size_t at,
			      const struct place_count *count)
{
	const struct instruction *instruction = &d->instructions.data[at];
	const char *text = d->bytes.data + instruction->text;
	char addr[24];

	snprintf(addr, sizeof(addr), "%" PRIx64, instruction->addr);
	for (size_t i = 0, next; i < instruction->len; i = next + 1) {
		const char *tab = memchr(text + i, '\t', instruction->len - i);

		next = tab ? (size_t)(tab - text) : instruction->len;
		textbuf_escaped(&t->line, text + i, next - i, TEXT_MESSAGE);
		if (tab)
			textbuf_char(&t->line, ' ');
	}
	if (t->json && count) {
		json_open(t->json, NULL, '{');
		json_put_safe(t->json, "address", addr);
		put_shares(t->json, count);
		put_text(t, "text", true);
		json_close(t->json, '}');
	} else if (t->json) {
		t->line.nr = 0;
	} else {
		print_shares(t, count);
		textbuf_printf(t->out, "%16s  ", addr);
		print_text(t, SHARES_WIDTH + 18, count && count->self ? COLOUR_TITLE : COLOUR_NONE);
	}
}

/* A stretch of code, and the places in it. */
struct code {
	uint64_t start, end;
	size_t first, next;  /* in places */
	VEC(uint64_t) addrs; /* of the places */
};

/* Finds the code that has the place @first, and the places up to @end that it has, too. */
static int find_code(struct annotate_print *t, struct disassembled_files *files, size_t first,
		     size_t end, struct code *code)
{
	uint64_t addr, start, stop;
	int ret = 0;

	vec_clear(&code->addrs);
	code->first = first;
	for (code->next = first; code->next < end && !ret; code->next++) {
		ret = disassembly_find(files, t->a->places.data[code->next].at, &addr, &start,
				       &stop, t->failure);
		if (!ret && code->next > first && start != code->start)
			break;
		code->start = start;
		code->end = stop;
		if (!ret)
			ret = vec_push(&code->addrs, addr);
	}
	return ret;
}

static int print_code(struct annotate_print *t, const struct disassembled_files *files,
		      const struct code *code)
{
	struct disassembly d = {0};
	int ret = disassembly_make(&d, files, code->start, code->end, t->failure);
	size_t place = code->first;

	for (size_t i = 0; i < d.instructions.nr && !ret; i++) {
		struct place_count count = {0};

		for (; place < code->next &&
		       disassembly_at(&d, code->addrs.data[place - code->first]) <= i;
		     place++) {
			count.self += t->a->places.data[place].count.self;
			count.total += t->a->places.data[place].count.total;
		}
		print_instruction(t, &d, i, count.total ? &count : NULL);
	}
	disassembly_free(&d);
	return ret;
}

/* The same for instructions. */
static int print_hottest_instructions(struct annotate_print *t, struct disassembled_files *files,
				      size_t begin, size_t end)
{
	struct hottest hottest = find_hottest(t->a, begin, end);
	uint64_t addr, start, stop;
	int ret = 0;

	for (size_t i = 0; i < hottest.nr && hottest.nr > 1 && !ret; i++) {
		const struct annotated_place *place = &t->a->places.data[hottest.places[i]];

		ret = disassembly_find(files, place->at, &addr, &start, &stop, t->failure);
		begin_hot(t, place, !i);
		textbuf_printf(&t->line, "%" PRIx64, addr);
	}
	if (ret || !t->line.nr)
		return ret;
	print_text(t, 0, COLOUR_NONE);
	return 0;
}

static int print_all_code(struct annotate_print *t, struct disassembled_files *files, size_t begin,
			  size_t end)
{
	struct code code = {.next = begin};
	int ret = 0;

	if (t->json)
		json_open(t->json, "instructions", '[');
	if (!t->json)
		ret = print_hottest_instructions(t, files, begin, end);
	while (code.next < end && !ret) {
		ret = find_code(t, files, code.next, end, &code);
		if (!ret && !t->json)
			textbuf_str(t->out, "\n   SELF %  TOTAL %         ADDRESS  INSTRUCTION\n");
		if (!ret)
			ret = print_code(t, files, &code);
	}
	if (t->json)
		json_close(t->json, ']');
	vec_free(&code.addrs);
	return ret;
}

static int print_instructions(struct annotate_print *t, uint32_t object, size_t begin, size_t end)
{
	const struct model_object *o = &t->a->from->rec->model.objects.data[object];
	const struct object_source *source = &t->a->from->symbols->sources[object];
	_cleanup_(disassembled_files_close) struct disassembled_files files = {0};
	int ret;

	if (o->key.kind != PROF_OBJECT_FILE || !source->binary) {
		err_set(t->failure, -ENOENT, "failed to disassemble '%s': %s", t->layout->function,
			o->key.kind != PROF_OBJECT_FILE ? "no file has its code"
							: "its file was not found");
		return o->key.kind != PROF_OBJECT_FILE
			       ? -ENOENT
			       : err_hint(t->failure, -ENOENT, "see 'profrep files' and --symfs");
	}
	ret = disassembled_files_open(&files, source->binary, source->debug, &o->key.build_id,
				      t->failure);
	return ret ? ret : print_all_code(t, &files, begin, end);
}

/* Names the function, and its file. */
static void print_function_title(struct annotate_print *t,
				 const struct annotated_function *function)
{
	const struct model *model = &t->a->from->rec->model;
	const char *base = model_object_base(model, function->object);
	double sum = t->a->sum;

	textbuf_printf(t->out, "\n%.2f %% self, %.2f %% total: ", 100 * function->count.self / sum,
		       100 * function->count.total / sum);
	textbuf_str(&t->line, string_set_get(&t->a->names, function->name));
	if (base[0]) {
		textbuf_str(&t->line, base[0] == '[' ? " " : " [");
		textbuf_escaped(&t->line, base, strlen(base), TEXT_PLAIN);
		textbuf_str(&t->line, base[0] == '[' ? "" : "]");
	}
	print_text(t, 0, COLOUR_TITLE);
}

static int print_function(struct annotate_print *t, uint32_t id)
{
	const struct annotated_function *function = &t->a->functions.data[id];
	const char *base = model_object_base(&t->a->from->rec->model, function->object);
	size_t begin, end;
	int ret;

	annotation_places(t->a, id, &begin, &end);
	if (t->json) {
		json_open(t->json, NULL, '{');
		json_put_printed(t->json, "name", string_set_get(&t->a->names, function->name));
		json_put_text(t->json, "module", base);
		put_shares(t->json, &function->count);
	} else {
		print_function_title(t, function);
		if (!t->a->by_instruction)
			print_hottest_lines(t, begin, end);
	}
	ret = t->a->by_instruction ? print_instructions(t, function->object, begin, end)
				   : print_files(t, begin, end);
	if (t->json)
		json_close(t->json, '}');
	return ret;
}

/* Notes what the functions have. Returns true if one of them is worth printing. */
static bool note_outcome(const struct annotation *a, struct annotate_outcome *outcome)
{
	const struct model *model = &a->from->rec->model;
	bool is_known = a->by_instruction && a->functions.nr;
	size_t len = 0;
	const char *similar = a->functions.nr ? NULL : annotation_suggest(a, &len);

	vec_for_each(&a->functions, function) {
		is_known |= function->has_lines;
		outcome->is_of_language |= model->objects.data[function->object].language != 0;
	}
	outcome->has_function |= a->functions.nr > 0;
	outcome->is_known |= is_known;
	if (len && len < sizeof(outcome->similar))
		snprintf(outcome->similar, sizeof(outcome->similar), "%.*s", (int)len, similar);
	return is_known;
}

static int print_functions(const struct printout *p, const struct annotate_layout *layout,
			   struct json *json, struct rows_summary *summary,
			   struct annotate_outcome *outcome)
{
	struct annotation a;
	struct annotate_print t = {
		.a = &a,
		.layout = layout,
		.out = p->out,
		.json = json,
		.line.fd = -1,
		.failure = &outcome->failure,
	};
	int ret = annotation_make(&a, p, layout->function, layout->has_instructions, summary);
	bool is_known = !ret && note_outcome(&a, outcome);

	if (json) {
		json_put_text(json, "function", layout->function);
		json_put_number(json, "sum", a.sum);
		json_open(json, "functions", '[');
	}
	for (size_t i = 0; is_known && i < a.functions.nr && !ret; i++)
		ret = print_function(&t, a.order[i]);
	if (json)
		json_close(json, ']');
	textbuf_deinit(&t.line);
	annotation_deinit(&a);
	return ret;
}

int print_annotation(const struct printout *p, const struct annotate_layout *layout,
		     struct rows_summary *summary, struct annotate_outcome *outcome)
{
	return print_functions(p, layout, NULL, summary, outcome);
}

int print_annotation_json(const struct printout *p, const struct annotate_layout *layout,
			  struct json *json, struct rows_summary *summary,
			  struct annotate_outcome *outcome)
{
	return print_functions(p, layout, json, summary, outcome);
}
