// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/shown_objects.h"
#include "report/print/printers.h"
#include "report/print/info_languages.h"
#include "report/print/lacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"

/* A row's nanoseconds or bytes can be near 64 bits, and each of its frames counts as often. */
typedef unsigned __int128 frame_sum;

struct sampled_file {
	uint32_t object;
	uint64_t samples; /* samples with their leaf in the file */
	/* each as often as its row counts: all, those of a function without a name, the unknown */
	frame_sum frames, bounded, unknown;
	/* samples whose user stack could not be unwound beyond the file */
	uint64_t broken;
};

struct file_table {
	const struct printout *p;
	struct sampled_file *files; /* by object */
	size_t nr;
};

static void count_frames(struct file_table *table, const struct row_side *side, uint64_t count)
{
	const struct model *model = &table->p->rec->model;

	for (uint32_t i = 0; i < side->nr; i++) {
		struct sampled_file *file =
			&table->files[model->frames.data[side->frames[i]].object];
		const struct resolved *resolved = symbols_frame(table->p->symbols, side->frames[i],
								i ? FRAME_CALLER : FRAME_LEAF);

		file->frames += count;
		if (resolved->is_bounded)
			file->bounded += count;
		else if (!resolved->name)
			file->unknown += count;
	}
}

/*
 * Counts @user for the file in which it ended before its root. Frames that stand for no code are
 * passed over.
 */
static void count_broken(struct file_table *table, const struct row_side *user, uint64_t count)
{
	const struct model *model = &table->p->rec->model;
	uint32_t nr = user->nr;

	switch (user->end) {
	case PROF_STACK_STRAYED:
	case PROF_STACK_NO_TABLE:
	case PROF_STACK_BAD_RULE:
	case PROF_STACK_UNREADABLE:
	case PROF_STACK_EARLY:
		break;
	default:
		return;
	}
	while (nr > 1 && (!model->frames.data[user->frames[nr - 1]].object ||
			  model_frame_is_source(model, user->frames[nr - 1])))
		nr--;
	if (nr)
		table->files[model->frames.data[user->frames[nr - 1]].object].broken += count;
}

static int count_row(void *ctx, const struct stack_row *row)
{
	struct file_table *table = ctx;
	const struct model *model = &table->p->rec->model;
	const struct row_side *leaf = row->kernel.is_present ? &row->kernel : &row->user;
	const struct row_side *const sides[] = {&row->kernel, &row->user, &row->waker_kernel,
						&row->waker_user};

	if (leaf->is_present)
		table->files[model->frames.data[leaf->frames[0]].object].samples += row->count;
	count_broken(table, &row->user, row->count);
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		count_frames(table, sides[i], row->count);
	return 0;
}

static int by_identity(const void *a, const void *b, void *ctx)
{
	const struct sampled_file *x = a, *y = b;

	return object_compare(ctx, x->object, y->object);
}

static int by_samples(const void *a, const void *b, void *ctx)
{
	const struct sampled_file *x = a, *y = b;

	COMPARE(y->samples, x->samples);
	COMPARE(y->frames, x->frames);
	return object_compare(ctx, x->object, y->object);
}

/* Does it stand for callers that a walk may have passed over? */
static bool is_gap(const struct model *model, uint32_t object)
{
	const struct model_object *o = &model->objects.data[object];

	return o->key.kind == PROF_OBJECT_ANON && o->key.instance == PROF_GAP_INSTANCE &&
	       !o->key.path && !o->language;
}

/* Adds up the objects of one file, drops what is none or has no frame, and sorts the rest. */
static void sort_files(struct file_table *table)
{
	struct model *model = (struct model *)&table->p->rec->model;
	size_t kept = 0;

	qsort_r(table->files, table->nr, sizeof(*table->files), by_identity, model);
	for (size_t i = 0; i < table->nr; i++) {
		struct sampled_file *file = &table->files[i];
		struct sampled_file *last = kept ? &table->files[kept - 1] : NULL;

		if (!file->frames || is_gap(model, file->object))
			continue;
		if (!last || object_compare(model, last->object, file->object)) {
			table->files[kept++] = *file;
			continue;
		}
		last->samples += file->samples;
		last->bounded += file->bounded;
		last->unknown += file->unknown;
		last->broken += file->broken;
		last->frames += file->frames;
	}
	table->nr = kept;
	qsort_r(table->files, table->nr, sizeof(*table->files), by_samples, model);
}

static const char *const quality_texts[] = {
	[ELF_NO_NAMES] = "no symbols", [ELF_DYNSYM] = ".dynsym", [ELF_MINIDEBUG] = "MiniDebugInfo",
	[ELF_RECORDED] = "",           [ELF_SYMTAB] = ".symtab", [ELF_LINES] = "debug information",
};

/* Prints @path, and the best source of names in the file. */
static void print_file(struct textbuf *out, const char *path, uint8_t quality)
{
	textbuf_escaped(out, path, strlen(path), TEXT_PLAIN);
	textbuf_printf(out, " (%s)", quality_texts[quality]);
}

static void print_recorded(const struct printout *p, uint32_t object)
{
	textbuf_str(p->out, "in the recording");
	print_name_sources(p->out, &p->rec->model, object);
}

static void print_source(const struct printout *p, uint32_t object)
{
	const struct object_source *source = &p->symbols->sources[object];
	struct textbuf *out = p->out;

	if (source->reason) {
		if (source->is_recorded)
			print_recorded(p, object);
		else
			textbuf_str(out, unknown_reason_text(source->reason));
		return;
	}
	if (source->debug)
		print_file(out, source->debug, source->debug_quality);
	if (source->debug && source->binary)
		textbuf_str(out, ", ");
	if (source->binary)
		print_file(out, source->binary, source->binary_quality);
	if (source->is_fetched)
		textbuf_str(out, ", by debuginfod");
	if (source->is_recorded) {
		if (source->debug || source->binary)
			textbuf_str(out, ", ");
		print_recorded(p, object);
	}
}

static int hex_width(const struct file_table *table)
{
	int width = strlen("BUILD-ID");

	for (size_t i = 0; i < table->nr; i++) {
		const struct object_key *key =
			&table->p->rec->model.objects.data[table->files[i].object].key;

		if (2 * key->build_id.size > width)
			width = 2 * key->build_id.size;
	}
	return width;
}

/*
 * Paths are of any length, and only one column follows them. They are padded to the longest usual
 * path.
 */
#define PATH_WIDTH 40

/* Of a table with build-ids, paths and some of the sources. */
#define TABLE_WIDTH 180

#define SOURCE_WIDTH 17

static void print_share(struct textbuf *out, frame_sum part, frame_sum all)
{
	textbuf_printf(out, "%7.1f%% ", 100.0 * part / all);
}

/* The largest power of ten in 64 bits, and its number of zeros. */
#define DECIMAL_PART   UINT64_C(10000000000000000000)
#define DECIMAL_DIGITS 19

static void print_frames(struct textbuf *out, frame_sum frames)
{
	if (frames < DECIMAL_PART)
		textbuf_printf(out, "%12" PRIu64 " ", (uint64_t)frames);
	else
		textbuf_printf(out, "%" PRIu64 "%0*" PRIu64 " ", (uint64_t)(frames / DECIMAL_PART),
			       DECIMAL_DIGITS, (uint64_t)(frames % DECIMAL_PART));
}

/* The source with most symbols, as a narrow terminal has room for. */
static const char *short_source(const struct printout *p, uint32_t object)
{
	const struct object_source *source = &p->symbols->sources[object];
	uint8_t quality = ELF_NO_NAMES;

	if (source->debug)
		quality = source->debug_quality;
	if (source->binary && source->binary_quality > quality)
		quality = source->binary_quality;
	if (quality > ELF_RECORDED || (quality && !source->is_recorded))
		return quality_texts[quality];
	return source->is_recorded ? "recording" : unknown_reason_text(source->reason);
}

/* Prints what tells most of the files: the names that there are, and the end of the path. */
static int print_narrow_table(const struct file_table *table, const struct terminal *terminal)
{
	const struct printout *p = table->p;
	struct textbuf *out = p->out;

	textbuf_printf(out, "%10s %8s %8s  %-*s  PATH\n", column_of_counts(p), "NAMED", "BROKEN",
		       SOURCE_WIDTH, "SYMBOLS");
	for (size_t i = 0; i < table->nr; i++) {
		const struct sampled_file *file = &table->files[i];
		const char *path = object_path(&p->rec->model, file->object);
		_cleanup_free_ char *text = text_escape(path, strlen(path), TEXT_PLAIN);

		if (!text)
			return -ENOMEM;
		textbuf_printf(out, "%10" PRIu64 " ", file->samples);
		print_share(out, file->frames - file->bounded - file->unknown, file->frames);
		textbuf_printf(out, "%8" PRIu64 "  ", file->broken);
		terminal_print_column(terminal, out, short_source(p, file->object), SOURCE_WIDTH,
				      CUT_END);
		textbuf_str(out, "  ");
		terminal_print(terminal, out, text, terminal_rest(terminal, 32 + SOURCE_WIDTH),
			       CUT_START, COLOUR_NONE);
		textbuf_char(out, '\n');
	}
	return 0;
}

static int print_table(const struct file_table *table)
{
	const struct model *model = &table->p->rec->model;
	struct textbuf *out = table->p->out;
	int width = hex_width(table);

	textbuf_printf(out, "%10s %12s %8s %8s %8s %10s  %-*s  %-*s  %s\n",
		       column_of_counts(table->p), "FRAMES", "NAMED", "BOUNDS", "UNKNOWN", "BROKEN",
		       width, "BUILD-ID", PATH_WIDTH, "PATH", "SYMBOLS");
	for (size_t i = 0; i < table->nr; i++) {
		const struct sampled_file *file = &table->files[i];
		const char *path = object_path(model, file->object);
		_cleanup_free_ char *text = text_escape(path, strlen(path), TEXT_PLAIN);
		char hex[BUILD_ID_HEX_SIZE];

		if (!text)
			return -ENOMEM;
		build_id_hex(&model->objects.data[file->object].key.build_id, hex);
		textbuf_printf(out, "%10" PRIu64 " ", file->samples);
		print_frames(out, file->frames);
		print_share(out, file->frames - file->bounded - file->unknown, file->frames);
		print_share(out, file->bounded, file->frames);
		print_share(out, file->unknown, file->frames);
		textbuf_printf(out, "%10" PRIu64 "  %-*s  %-*s  ", file->broken, width,
			       hex[0] ? hex : "-", PATH_WIDTH, text);
		print_source(table->p, file->object);
		textbuf_char(out, '\n');
	}
	return 0;
}

/* Says which runtimes are in the files whose functions nobody has found. */
static void print_unsupported(const struct file_table *table)
{
	const struct model *model = &table->p->rec->model;
	struct textbuf *out = table->p->out;
	bool is_first = true;

	for (size_t i = 0; i < table->nr; i++) {
		const struct model_object *object = &model->objects.data[table->files[i].object];
		const char *path = object_path(model, table->files[i].object);

		if (!object->language || object->language_role != PROF_LANGUAGE_UNSUPPORTED)
			continue;
		textbuf_str(out, is_first ? "\n" : "");
		is_first = false;
		print_runtime(model, object, out);
		textbuf_str(out, " in ");
		textbuf_escaped(out, path, strlen(path), TEXT_PLAIN);
		textbuf_str(out, ": without support, so its functions have no names\n");
	}
}

/* Makes the table; the caller frees its files in all cases. */
static int make_table(struct file_table *table, const struct printout *p)
{
	const struct model *model = &p->rec->model;
	struct rows_summary summary;
	int ret;

	*table = (struct file_table){.p = p, .nr = model->objects.nr};
	table->files = calloc(table->nr, sizeof(*table->files));
	if (!table->files)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr; i++)
		table->files[i].object = i;
	ret = rows_visit(model, p->view, count_row, table, &summary);
	if (!ret)
		sort_files(table);
	return ret;
}

/* Appends the text of print_source. */
static void put_source(struct json *json, const struct printout *p, uint32_t object)
{
	struct textbuf text = {.fd = -1};
	struct printout to_text = *p;

	to_text.out = &text;
	print_source(&to_text, object);
	textbuf_char(&text, '\0');
	if (text.error)
		textbuf_fail(json->out, text.error);
	else
		json_put_safe(json, "symbols", text.data);
	textbuf_deinit(&text);
}

int print_files_json(const struct printout *p, struct json *json, void *ctx)
{
	const struct model *model = &p->rec->model;
	struct file_table table;
	int ret = make_table(&table, p);

	(void)ctx;
	json_open(json, "items", '[');
	for (size_t i = 0; !ret && i < table.nr; i++) {
		const struct sampled_file *file = &table.files[i];
		double frames = file->frames;
		char hex[BUILD_ID_HEX_SIZE];

		build_id_hex(&model->objects.data[file->object].key.build_id, hex);
		json_open(json, NULL, '{');
		json_put_number(json, "count", file->samples);
		json_put_double(json, "frames", frames);
		json_put_double(json, "named",
				(file->frames - file->bounded - file->unknown) / frames);
		json_put_double(json, "bounds", file->bounded / frames);
		json_put_double(json, "unknown", file->unknown / frames);
		json_put_number(json, "broken", file->broken);
		json_put_safe(json, "build_id", hex);
		json_put_text(json, "path", object_path(model, file->object));
		put_source(json, p, file->object);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(table.files);
	return ret;
}

int print_files(const struct printout *p, const struct terminal *terminal)
{
	struct file_table table;
	int ret = make_table(&table, p);

	if (!ret)
		ret = terminal_is_narrow(terminal, TABLE_WIDTH)
			      ? print_narrow_table(&table, terminal)
			      : print_table(&table);
	if (!ret)
		print_unsupported(&table);
	free(table.files);
	if (!ret && p->rec->end && p->rec->end->nr_lacks) {
		textbuf_printf(p->out, "\nprofrec lacked room or time for ");
		lacks_print(p->out, p->rec->end);
		textbuf_char(p->out, '\n');
	}
	return ret;
}
