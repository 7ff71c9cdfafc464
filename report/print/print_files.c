// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

struct dso {
	uint32_t object;
	uint64_t samples;         /* whose leaf is in the object */
	uint64_t frames, unknown; /* times the counts of their rows */
	uint64_t broken;          /* samples whose user stack could not be unwound from here on */
};

struct dso_table {
	const struct printout *p;
	struct dso *dsos; /* by object */
	size_t nr;
};

static int add_side(struct dso_table *table, const struct row_side *side, uint64_t count)
{
	const struct model *model = &table->p->rec->model;

	for (uint32_t i = 0; i < side->nr; i++) {
		struct dso *dso = &table->dsos[model->frames.data[side->frames[i]].object];
		const struct resolved *resolved = symbols_frame(table->p->symbols, side->frames[i],
								i ? FRAME_CALLER : FRAME_LEAF);

		if (__builtin_add_overflow(dso->frames, count, &dso->frames))
			return -EOVERFLOW;
		if (!resolved->name)
			dso->unknown += count;
	}
	return 0;
}

/* The file in which a stack ended before its root; what stands for no code has none. */
static void add_broken(struct dso_table *table, const struct row_side *user, uint64_t count)
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
	while (nr > 1 && !model->frames.data[user->frames[nr - 1]].object)
		nr--;
	if (nr)
		table->dsos[model->frames.data[user->frames[nr - 1]].object].broken += count;
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct dso_table *table = ctx;
	const struct model *model = &table->p->rec->model;
	const struct row_side *leaf = row->kernel.is_present ? &row->kernel : &row->user;
	int ret;

	if (leaf->is_present)
		table->dsos[model->frames.data[leaf->frames[0]].object].samples += row->count;
	add_broken(table, &row->user, row->count);
	ret = add_side(table, &row->kernel, row->count);
	return ret ? ret : add_side(table, &row->user, row->count);
}

static const char *object_path(const struct model *model, uint32_t object)
{
	const struct object_key *key = &model->objects.data[object].key;
	const char *path = string_set_get(&model->strings, key->path);

	if (path[0])
		return path;
	return key->kind == PROF_OBJECT_NONE   ? "[unmapped]"
	       : key->kind == PROF_OBJECT_ANON ? "[anonymous]"
					       : "[no name]";
}

/* Instances and places of one file are one line: by kind, path and build-id. */
static int compare_identity(const struct model *model, uint32_t a, uint32_t b)
{
	const struct object_key *x = &model->objects.data[a].key;
	const struct object_key *y = &model->objects.data[b].key;
	int cmp;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	cmp = x->path == y->path ? 0 : strcmp(object_path(model, a), object_path(model, b));
	if (cmp)
		return cmp;
	if (x->build_id.size != y->build_id.size)
		return x->build_id.size < y->build_id.size ? -1 : 1;
	return memcmp(x->build_id.bytes, y->build_id.bytes, x->build_id.size);
}

static int by_identity(const void *a, const void *b, void *ctx)
{
	const struct dso *x = a, *y = b;

	return compare_identity(ctx, x->object, y->object);
}

static int by_samples(const void *a, const void *b, void *ctx)
{
	const struct dso *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	return compare_identity(ctx, x->object, y->object);
}

/* Adds up the lines that are one, drops those without a frame, and sorts the rest. */
static int arrange(struct dso_table *table)
{
	struct model *model = (struct model *)&table->p->rec->model;
	size_t kept = 0;

	qsort_r(table->dsos, table->nr, sizeof(*table->dsos), by_identity, model);
	for (size_t i = 0; i < table->nr; i++) {
		struct dso *dso = &table->dsos[i];
		struct dso *last = kept ? &table->dsos[kept - 1] : NULL;

		if (!dso->frames)
			continue;
		if (!last || compare_identity(model, last->object, dso->object)) {
			table->dsos[kept++] = *dso;
			continue;
		}
		last->samples += dso->samples;
		last->unknown += dso->unknown;
		last->broken += dso->broken;
		if (__builtin_add_overflow(last->frames, dso->frames, &last->frames))
			return -EOVERFLOW;
	}
	table->nr = kept;
	qsort_r(table->dsos, table->nr, sizeof(*table->dsos), by_samples, model);
	return 0;
}

static void print_source(const struct printout *p, uint32_t object)
{
	const struct object_source *source = &p->symbols->sources[object];
	struct textbuf *out = p->out;

	if (source->is_recorded) {
		textbuf_str(out, "in the recording");
		return;
	}
	if (source->reason) {
		textbuf_str(out, unknown_reason_text(source->reason));
		return;
	}
	if (source->debug)
		textbuf_escaped(out, source->debug, strlen(source->debug), TEXT_PLAIN);
	if (source->debug && source->binary)
		textbuf_str(out, ", ");
	if (source->binary)
		textbuf_escaped(out, source->binary, strlen(source->binary), TEXT_PLAIN);
}

static int hex_width(const struct dso_table *table)
{
	int width = strlen("BUILD-ID");

	for (size_t i = 0; i < table->nr; i++) {
		const struct object_key *key =
			&table->p->rec->model.objects.data[table->dsos[i].object].key;

		if (2 * key->build_id.size > width)
			width = 2 * key->build_id.size;
	}
	return width;
}

/* Paths are of any length and come last but one, so they are padded to the longest usual one. */
#define PATH_WIDTH 40

static int print_table(const struct dso_table *table)
{
	const struct model *model = &table->p->rec->model;
	struct textbuf *out = table->p->out;
	int width = hex_width(table);

	textbuf_printf(out, "%10s %12s %8s %10s  %-*s  %-*s  %s\n", "SAMPLES", "FRAMES", "UNKNOWN",
		       "BROKEN", width, "BUILD-ID", PATH_WIDTH, "PATH", "SYMBOLS");
	for (size_t i = 0; i < table->nr; i++) {
		const struct dso *dso = &table->dsos[i];
		const char *path = object_path(model, dso->object);
		_cleanup_free_ char *text = text_escape(path, strlen(path), TEXT_PLAIN);
		char hex[BUILD_ID_HEX_SIZE];

		if (!text)
			return -ENOMEM;
		build_id_hex(&model->objects.data[dso->object].key.build_id, hex);
		textbuf_printf(out,
			       "%10" PRIu64 " %12" PRIu64 " %7.1f%% %10" PRIu64 "  %-*s  %-*s  ",
			       dso->samples, dso->frames, 100.0 * dso->unknown / dso->frames,
			       dso->broken, width, hex[0] ? hex : "-", PATH_WIDTH, text);
		print_source(table->p, dso->object);
		textbuf_char(out, '\n');
	}
	return 0;
}

int print_files(const struct printout *p)
{
	const struct model *model = &p->rec->model;
	_cleanup_free_ struct dso *dsos = calloc(model->objects.nr, sizeof(*dsos));
	struct dso_table table = {.p = p, .dsos = dsos, .nr = model->objects.nr};
	struct rows_summary summary;
	int ret;

	if (!dsos)
		return -ENOMEM;
	for (size_t i = 0; i < table.nr; i++)
		dsos[i].object = i;
	ret = rows_visit(model, p->view, add_row, &table, &summary);
	if (!ret)
		ret = arrange(&table);
	return ret ? ret : print_table(&table);
}
