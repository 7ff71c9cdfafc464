// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "report/print/shown_objects.h"
#include "report/print/printers.h"

struct missing_file {
	uint32_t object;
	uint64_t samples;  /* samples with a frame in the file that lacks something */
	uint64_t last_row; /* the number of the row that was counted last */
};

struct missing_table {
	const struct printout *p;
	struct missing_file *files; /* by object */
	size_t nr;
	uint64_t row;
};

static const struct object_key *object_key(const struct missing_table *table, uint32_t object)
{
	return &table->p->rec->model.objects.data[object].key;
}

/* Kernels and modules have files, too, and only their build-ids tell which. */
static bool is_kernel_file(const struct object_key *key)
{
	return (key->kind == PROF_OBJECT_KERNEL || key->kind == PROF_OBJECT_MODULE) &&
	       key->build_id.size;
}

/*
 * Returns true if a better file than those that were found could name the function at @frame. Those
 * of the kernel have no names that the recording lacks.
 */
static bool can_be_named(const struct missing_table *table, uint32_t object,
			 const struct resolved *frame)
{
	return !frame->name && object_key(table, object)->kind == PROF_OBJECT_FILE &&
	       !table->p->symbols->sources[object].has_symtab;
}

/* Returns true if a file with debug information could tell lines that the user wants. */
static bool can_have_lines(const struct missing_table *table, uint32_t object,
			   const struct resolved *frame)
{
	const struct object_source *source = &table->p->symbols->sources[object];
	const struct object_key *key = object_key(table, object);

	return view_needs_lines(table->p->view) && !frame->nr_lines &&
	       source->binary_quality != ELF_LINES && source->debug_quality != ELF_LINES &&
	       (key->kind == PROF_OBJECT_FILE || is_kernel_file(key));
}

/* Adds @count, up to the largest number: counts of several objects of a file need not fit. */
static void add_samples(struct missing_file *file, uint64_t count)
{
	if (__builtin_add_overflow(file->samples, count, &file->samples))
		file->samples = UINT64_MAX;
}

/* Counts a stack of the current row for each file that it lacks something of. */
static void count_stack(struct missing_table *table, uint32_t id, uint64_t count)
{
	const struct model *model = &table->p->rec->model;
	const struct model_stack *stack = &model->stacks.data[id];

	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		uint32_t frame = model->stack_frames.data[stack->first_frame + i];
		struct missing_file *file = &table->files[model->frames.data[frame].object];
		const struct resolved *resolved =
			symbols_frame(table->p->symbols, frame, i ? FRAME_CALLER : FRAME_LEAF);

		if (file->last_row == table->row ||
		    !(can_be_named(table, file->object, resolved) ||
		      can_have_lines(table, file->object, resolved)))
			continue;
		file->last_row = table->row;
		add_samples(file, count);
	}
}

static void count_row(struct missing_table *table, const struct prof_count *row)
{
	table->row++;
	count_stack(table, row->user_stack, row->count);
	count_stack(table, row->kernel_stack, row->count);
	count_stack(table, row->waker_user_stack, row->count);
	count_stack(table, row->waker_kernel_stack, row->count);
}

static int by_identity(const void *a, const void *b, void *ctx)
{
	const struct missing_file *x = a, *y = b;

	return object_compare(ctx, x->object, y->object);
}

static int by_samples(const void *a, const void *b, void *ctx)
{
	const struct missing_file *x = a, *y = b;

	COMPARE(y->samples, x->samples);
	return object_compare(ctx, x->object, y->object);
}

/* Drops files that nothing is missing of, adds up the objects of one file, and sorts the rest. */
static void sort_files(struct missing_table *table)
{
	struct model *model = (struct model *)&table->p->rec->model;
	size_t kept = 0;

	qsort_r(table->files, table->nr, sizeof(*table->files), by_identity, model);
	for (size_t i = 0; i < table->nr; i++) {
		struct missing_file *file = &table->files[i];
		struct missing_file *last = kept ? &table->files[kept - 1] : NULL;

		if (!file->samples)
			continue;
		if (last && !object_compare(model, last->object, file->object))
			add_samples(last, file->samples);
		else
			table->files[kept++] = *file;
	}
	table->nr = kept;
	qsort_r(table->files, table->nr, sizeof(*table->files), by_samples, model);
}

/* Returns the release of the recorded kernel, "" if there are several or it is not known. */
static const char *find_release(const struct model *model)
{
	uint32_t release = 0;

	vec_for_each(&model->origins, origin) {
		if (release && origin->release && origin->release != release)
			return "";
		if (origin->release)
			release = origin->release;
	}
	return string_set_get(&model->strings, release);
}

/* A name of a file without directories: a recording may have any text. */
static bool is_bare_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/');
}

/*
 * Prints the path of @object. A file of the kernel has none, only a name in brackets. So that is
 * the path where debug information of distributions lies, and profrep looks for it.
 */
static void print_path(struct textbuf *out, const struct model *model, uint32_t object)
{
	const struct object_key *key = &model->objects.data[object].key;
	const char *path = object_path(model, object), *release = find_release(model);
	size_t len = strlen(path);

	if (key->kind == PROF_OBJECT_FILE || !is_bare_name(release) || len < 2 ||
	    strchr(path, '/')) {
		textbuf_escaped(out, path, len, TEXT_PLAIN);
		return;
	}
	textbuf_str(out, key->kind == PROF_OBJECT_MODULE ? "/usr/lib/debug/lib/modules/"
							 : "/usr/lib/debug/boot/vmlinux-");
	textbuf_escaped(out, release, strlen(release), TEXT_PLAIN);
	if (key->kind == PROF_OBJECT_KERNEL)
		return;
	textbuf_char(out, '/');
	textbuf_escaped(out, path + 1, len - 2, TEXT_PLAIN);
	textbuf_str(out, ".ko");
}

/* Makes the table; the caller frees its files in all cases. */
static int make_table(struct missing_table *table, const struct printout *p)
{
	const struct model *model = &p->rec->model;

	*table = (struct missing_table){.p = p, .nr = model->objects.nr};
	table->files = calloc(table->nr, sizeof(*table->files));
	if (!table->files)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr; i++)
		table->files[i].object = i;
	vec_for_each(&model->rows, row)
		count_row(table, row);
	sort_files(table);
	return 0;
}

/* Appends the text of print_path. */
static void put_path(struct json *json, const struct model *model, uint32_t object)
{
	struct textbuf text = {.fd = -1};

	print_path(&text, model, object);
	textbuf_char(&text, '\0');
	if (text.error)
		textbuf_fail(json->out, text.error);
	else
		json_put_printed(json, "path", text.data);
	textbuf_deinit(&text);
}

int print_missing_json(const struct printout *p, struct json *json, void *ctx)
{
	struct missing_table table;
	int ret = make_table(&table, p);

	(void)ctx;
	json_open(json, "items", '[');
	for (size_t i = 0; !ret && i < table.nr; i++) {
		char hex[BUILD_ID_HEX_SIZE];

		json_open(json, NULL, '{');
		json_put_number(json, "count", table.files[i].samples);
		build_id_hex(&object_key(&table, table.files[i].object)->build_id, hex);
		json_put_safe(json, "build_id", hex);
		put_path(json, &p->rec->model, table.files[i].object);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(table.files);
	return ret;
}

/* Prints the path of @object in what a line has left after @used characters. */
static int print_cut_path(const struct missing_table *table, uint32_t object,
			  const struct terminal *terminal, uint32_t used)
{
	struct textbuf path = {.fd = -1};
	int ret;

	print_path(&path, &table->p->rec->model, object);
	textbuf_char(&path, '\0');
	ret = path.error;
	if (!ret)
		terminal_print(terminal, table->p->out, path.data, terminal_rest(terminal, used),
			       CUT_START, COLOUR_NONE);
	textbuf_deinit(&path);
	return ret;
}

int print_missing(const struct printout *p, const struct terminal *terminal)
{
	struct missing_table table;
	int ret = make_table(&table, p);

	for (size_t i = 0; !ret && i < table.nr; i++) {
		char hex[BUILD_ID_HEX_SIZE];

		build_id_hex(&object_key(&table, table.files[i].object)->build_id, hex);
		textbuf_printf(p->out, "%s\t", hex[0] ? hex : "-");
		/* A tab goes to the next place that eight divides. */
		ret = print_cut_path(&table, table.files[i].object, terminal,
				     hex[0] ? (strlen(hex) / 8 + 1) * 8 : 8);
		textbuf_char(p->out, '\n');
	}
	free(table.files);
	return ret;
}
