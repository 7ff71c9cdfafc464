// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/sort.h"
#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/view/view.h"

/*
 * Digests of the text of stacks. Hits of an event are added up over processes, by the text of their
 * stacks. One function has another frame in each process that has its file elsewhere, and one frame
 * for each address in it. The names of frames decide here, and whatever else the view shows of
 * them.
 *
 * No text is made, because names can be long and stacks many. Nor are frames kept, because
 * addresses make other frames in each process, and a small recording can have very many. A digest
 * has 128 bits and the secret seed of common/hash.h, so no author of a recording can give two
 * stacks one digest.
 */

/* Compared as bytes. */
struct stack_digest {
	uint64_t halves[2];
};

/* stack_digests_init makes them. */
struct stack_digests {
	const struct model *model;
	const struct symbols *symbols;
	const struct view *view;
	/* By the model's stack. All zero: not made yet. NULL if a digest depends on the process. */
	struct stack_digest *known;
};

/* The halves of a digest begin with different numbers, which make them different hashes. */
static const struct stack_digest digest_start = {{0, 0x9e3779b97f4a7c15}};

/* All that a view shows of a frame but its module's name, which follows. There is no padding. */
struct shown_frame {
	uint64_t start;      /* offset of a function without a name, if the view shows it */
	uint64_t off;        /* in the function; 0 unless the view shows offsets */
	uint64_t addr;       /* 0 unless the view shows addresses */
	uint32_t name;       /* in symbols.names; 0: none */
	uint32_t module_len; /* bytes; 0 unless the view shows the module */
	uint32_t has_start, has_addr;
	uint32_t line;     /* of the definition of a function of a language */
	uint32_t language; /* string of the model; 0 unless the view shows it */
};

/* Folded output has no addresses. */
static bool shows_addresses(const struct view *view)
{
	return view->addresses && !view->folded;
}

/*
 * Prepares digests. All three arguments are borrowed until stack_digests_deinit. Returns 0 or
 * -ENOMEM.
 */
static int stack_digests_init(struct stack_digests *digests, const struct model *model,
			      const struct symbols *symbols, const struct view *view)
{
	*digests = (struct stack_digests){.model = model, .symbols = symbols, .view = view};
	if (shows_addresses(view))
		return 0;
	digests->known = calloc(model->stacks.nr, sizeof(*digests->known));
	return digests->known ? 0 : -ENOMEM;
}

/* Releases the digests; all-zero ones are fine. */
static void stack_digests_deinit(struct stack_digests *digests)
{
	free(digests->known);
	*digests = (struct stack_digests){0};
}

static void add_bytes(struct stack_digest *digest, const void *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof(digest->halves) / sizeof(*digest->halves); i++)
		digest->halves[i] = hash_bytes(bytes, len, digest->halves[i]);
}

/* Adds the functions and lines that the view shows of a frame. */
static void add_lines(const struct stack_digests *digests, struct stack_digest *digest,
		      const struct resolved *resolved)
{
	const struct view *view = digests->view;
	const struct source_frame *line;

	for (uint32_t i = 0; (line = symbols_line(digests->symbols, resolved, i)); i++) {
		const uint32_t shown[] = {
			i + 1,
			resolved_name(resolved, line),
			view->lines ? line->file : 0,
			view->lines ? line->line : 0,
		};

		add_bytes(digest, shown, sizeof(shown));
		if (!view->inlines)
			break;
	}
}

/* Adds a frame as labels.c prints it. */
static void add_frame(const struct stack_digests *digests, struct stack_digest *digest,
		      uint32_t process, uint32_t frame, enum frame_place place)
{
	const struct resolved *resolved = symbols_frame(digests->symbols, frame, place);
	const struct model_frame *f = &digests->model->frames.data[frame];
	const char *module = model_object_base(digests->model, f->object);
	const struct view *view = digests->view;
	enum unnamed unnamed = resolved->name ? UNNAMED_UNKNOWN : view_unnamed(view);
	struct shown_frame shown = {.name = resolved->name};
	uint64_t addr;

	shown.has_start = unnamed == UNNAMED_FUNCTION && resolved->is_bounded && module[0];
	if (shown.has_start)
		shown.start = f->offset - resolved->off;
	if (model_frame_is_source(digests->model, frame)) {
		shown.line = view->offsets ? PROF_SOURCE_LINE(f->offset) : 0;
		if (view->annotations)
			shown.language = digests->model->objects.data[f->object].language;
	} else if (view->offsets && (resolved->name || shown.has_start)) {
		shown.off = resolved->off;
	}
	if (shows_addresses(view) && model_address(digests->model, process, frame, &addr)) {
		shown.has_addr = true;
		shown.addr = addr;
	}
	if (view->modules || shown.has_start || unnamed == UNNAMED_MODULE)
		shown.module_len = strlen(module);
	add_bytes(digest, &shown, sizeof(shown));
	add_bytes(digest, module, shown.module_len);
	add_lines(digests, digest, resolved);
}

/* Returns the digest of the text that the view shows of the model's @stack in @process. */
static struct stack_digest stack_digests_get(struct stack_digests *digests, uint32_t process,
					     uint32_t stack)
{
	static const struct stack_digest unknown;
	const struct model_stack *s = &digests->model->stacks.data[stack];
	const uint64_t is_missed = stack_end_is_missed(s->end);
	struct stack_digest digest = digest_start;

	if (digests->known && memcmp(&digests->known[stack], &unknown, sizeof(unknown)) != 0)
		return digests->known[stack];
	add_bytes(&digest, &is_missed, sizeof(is_missed));
	for (uint32_t i = 0; i < s->nr_frames; i++)
		add_frame(digests, &digest, process,
			  digests->model->stack_frames.data[s->first_frame + i],
			  i ? FRAME_CALLER : FRAME_LEAF);
	if (digests->known)
		digests->known[stack] = digest;
	return digest;
}

/* A row with its sort keys. */
struct sorted_row {
	uint64_t count;
	const char *comm;
	uint32_t pid, tid;
	uint32_t row; /* index in the array of rows */
};

static int compare_rows(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;
	int cmp;

	COMPARE(x->count, y->count);
	cmp = x->comm == y->comm ? 0 : strcmp(x->comm, y->comm);
	if (cmp)
		return cmp;
	COMPARE(x->pid, y->pid);
	COMPARE(x->tid, y->tid);
	COMPARE(x->row, y->row);
	return 0;
}

struct prof_count row_shown_sides(const struct view *view, struct prof_count row)
{
	if (view->user_only)
		row.kernel_stack = row.waker_kernel_stack = 0;
	if (view->kernel_only)
		row.user_stack = row.waker_user_stack = 0;
	if (view->no_wakers)
		row.waker_user_stack = row.waker_kernel_stack = 0;
	return row;
}

/* Collects the rows of the event of @view. */
static int chosen_rows(const struct model *model, const struct view *view, count_vec *rows)
{
	struct index index = {0};
	int ret = 0;

	vec_for_each(&model->rows, it) {
		struct prof_count row = row_shown_sides(view, *it);

		if (row.event != view->event)
			continue;
		/* Rows of the model differ in some stack. Their totals bound every sum. */
		if (view->user_only || view->kernel_only)
			ret = count_rows_add(rows, &index, &row, NULL);
		else
			ret = vec_push(rows, row);
		if (ret)
			break;
	}
	index_deinit(&index);
	return ret;
}

/* Rows of one key print equal text. */
struct alike_key {
	uint32_t pid, comm; /* 0 unless the view prints them */
	uint32_t tid, label_set;
	struct stack_digest user, kernel, waker_user, waker_kernel;
};

/* Rows that are being added up: each with its key. */
struct alike_rows {
	struct stack_digests digests;
	VEC(struct alike_key) keys;
	count_vec rows;
	struct index index;
};

/* A warning has to tell the end with the larger number. */
static int end_gravity(const struct model *model, uint32_t stack)
{
	switch (model->stacks.data[stack].end) {
	case PROF_STACK_MISSED_FULL:
		return 2;
	case PROF_STACK_CUT:
		return 1;
	default:
		return 0;
	}
}

/* Adds @row to @have, which prints equal text. The graver end of both stands for both. */
static void merge_alike(const struct model *model, struct prof_count *have,
			const struct prof_count *row)
{
	have->count += row->count;
	if (end_gravity(model, row->user_stack) > end_gravity(model, have->user_stack))
		have->user_stack = row->user_stack;
	if (end_gravity(model, row->kernel_stack) > end_gravity(model, have->kernel_stack))
		have->kernel_stack = row->kernel_stack;
}

/* Sets *@at to the place of the rows of equal text. */
static int add_alike(struct alike_rows *alike, struct prof_count row, uint32_t *at)
{
	const struct model *model = alike->digests.model;
	struct alike_key key = {
		.user = stack_digests_get(&alike->digests, row.process, row.user_stack),
		.kernel = stack_digests_get(&alike->digests, row.process, row.kernel_stack),
		.waker_user = stack_digests_get(&alike->digests, row.process, row.waker_user_stack),
		.waker_kernel =
			stack_digests_get(&alike->digests, row.process, row.waker_kernel_stack),
	};
	uint64_t hash;
	int ret;

	if (alike->digests.view->per_process) {
		if (!alike->digests.view->folded)
			key.pid = model->processes.data[row.process].pid;
		key.comm = row.comm;
		key.tid = row.tid;
		key.label_set = row.label_set;
	} else {
		row.comm = row.tid = row.label_set = 0;
	}
	hash = hash_bytes(&key, sizeof(key), 0);
	index_for_each(&alike->index, hash, i) {
		if (!memcmp(&alike->keys.data[i], &key, sizeof(key))) {
			merge_alike(model, &alike->rows.data[i], &row);
			*at = i;
			return 0;
		}
	}
	*at = alike->rows.nr;
	ret = vec_push(&alike->rows, row);
	return ret ? ret : index_push(&alike->index, &alike->keys, hash, key);
}

/*
 * Adds up the rows of the event of @view that print equal text. Sets @places, by row of the model,
 * to their places in *@rows. The caller frees *@rows, also after an error.
 */
static int merged_rows(const struct model *model, const struct symbols *symbols,
		       const struct view *view, count_vec *rows, uint32_t *places)
{
	struct alike_rows alike = {0};
	int ret = stack_digests_init(&alike.digests, model, symbols, view);

	for (size_t i = 0; i < model->rows.nr && !ret; i++)
		if (model->rows.data[i].event == view->event)
			ret = add_alike(&alike, row_shown_sides(view, model->rows.data[i]),
					&places[i]);
	*rows = alike.rows;
	stack_digests_deinit(&alike.digests);
	vec_free(&alike.keys);
	index_deinit(&alike.index);
	return ret;
}

int rows_sum_alike(const struct model *model, const struct symbols *symbols,
		   const struct view *view, uint64_t *sums)
{
	_cleanup_free_ uint32_t *places = calloc(model->rows.nr + 1, sizeof(*places));
	count_vec rows = {0};
	int ret = places ? merged_rows(model, symbols, view, &rows, places) : -ENOMEM;

	for (size_t i = 0; i < model->rows.nr && !ret; i++)
		if (model->rows.data[i].event == view->event)
			sums[i] = rows.data[places[i]].count;
	vec_free(&rows);
	return ret;
}

static struct sorted_row *sort_rows(const struct model *model, const struct prof_count *rows,
				    size_t nr)
{
	struct sorted_row *sorted = calloc(nr + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		sorted[i] = (struct sorted_row){
			.count = rows[i].count,
			.comm = string_set_get(&model->strings, rows[i].comm),
			.pid = model->processes.data[rows[i].process].pid,
			.tid = rows[i].tid,
			.row = i,
		};
	sort_items(sorted, nr, sizeof(*sorted), compare_rows);
	return sorted;
}

static struct row_side make_side(const struct model *model, uint32_t id,
				 struct rows_summary *summary)
{
	const struct model_stack *stack = &model->stacks.data[id];

	if (stack_end_is_missed(stack->end)) {
		summary->missed_stacks++;
		if (stack->end == PROF_STACK_MISSED_FULL)
			summary->is_storage_full = true;
		return (struct row_side){.is_missed = true};
	}
	summary->cut_stacks += stack->end == PROF_STACK_CUT;
	return (struct row_side){
		.frames = stack->nr_frames ? model->stack_frames.data + stack->first_frame : NULL,
		.nr = stack->nr_frames,
		.end = stack->end,
		.is_present = stack->nr_frames,
	};
}

struct stack_row stack_row_show(const struct model *model, const struct view *view,
				const struct prof_count *row, struct rows_summary *summary)
{
	const struct prof_count shown = row_shown_sides(view, *row);

	return (struct stack_row){
		.process = shown.process,
		.pid = model->processes.data[shown.process].pid,
		.comm = shown.comm,
		.tid = shown.tid,
		.label_set = shown.label_set,
		.user = make_side(model, shown.user_stack, summary),
		.kernel = make_side(model, shown.kernel_stack, summary),
		.waker_user = make_side(model, shown.waker_user_stack, summary),
		.waker_kernel = make_side(model, shown.waker_kernel_stack, summary),
		.count = shown.count,
	};
}

static int call_rows(const struct model *model, const struct view *view,
		     const struct prof_count *rows, size_t nr, row_fn visit, void *ctx,
		     struct rows_summary *summary)
{
	_cleanup_free_ struct sorted_row *sorted = sort_rows(model, rows, nr);

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct stack_row shown =
			stack_row_show(model, view, &rows[sorted[i].row], summary);
		int ret = visit(ctx, &shown);

		if (ret)
			return ret;
	}
	return 0;
}

void rows_summary_add(struct rows_summary *sum, const struct rows_summary *seen)
{
	sum->missed_stacks += seen->missed_stacks;
	sum->cut_stacks += seen->cut_stacks;
	sum->is_storage_full |= seen->is_storage_full;
	sum->nr_held_up += seen->nr_held_up;
	if (seen->held_up_ns > sum->held_up_ns)
		sum->held_up_ns = seen->held_up_ns;
}

static int visit_rows(const struct model *model, const struct view *view, const count_vec *rows,
		      row_fn visit, void *ctx, struct rows_summary *summary)
{
	struct rows_summary seen = {0};
	int ret = call_rows(model, view, rows->data, rows->nr, visit, ctx, &seen);

	if (!ret)
		*summary = seen;
	return ret;
}

int rows_visit(const struct model *model, const struct view *view, row_fn visit, void *ctx,
	       struct rows_summary *summary)
{
	count_vec rows = {0};
	int ret = chosen_rows(model, view, &rows);

	if (!ret)
		ret = visit_rows(model, view, &rows, visit, ctx, summary);
	vec_free(&rows);
	return ret;
}

int rows_visit_alike(const struct model *model, const struct symbols *symbols,
		     const struct view *view, row_fn visit, void *ctx, struct rows_summary *summary)
{
	_cleanup_free_ uint32_t *places = calloc(model->rows.nr + 1, sizeof(*places));
	count_vec rows = {0};
	int ret = places ? merged_rows(model, symbols, view, &rows, places) : -ENOMEM;

	if (!ret)
		ret = visit_rows(model, view, &rows, visit, ctx, summary);
	vec_free(&rows);
	return ret;
}

int rows_visit_all(const struct model *model, const struct view *view, row_fn visit, void *ctx,
		   struct rows_summary *summary)
{
	int ret = 0;

	for (size_t i = 0; i < model->rows.nr && !ret; i++) {
		struct stack_row row;

		if (model->rows.data[i].event != view->event)
			continue;
		row = stack_row_show(model, view, &model->rows.data[i], summary);
		ret = visit(ctx, &row);
	}
	return ret;
}
