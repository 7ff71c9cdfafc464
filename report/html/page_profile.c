// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_profile.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash.h"

/* The part that is being added. */
struct builder {
	struct page_profile *profile;
	struct profile_part *part;
	struct source_functions known;
	VEC(uint32_t) path; /* the functions of a row, from the thread on */
	/* by row of the model; rows of other events have UINT32_MAX */
	uint32_t *row_branches, *row_processes;
};

static const struct model *part_model(const struct profile_part *part)
{
	return &part->source->rec.model;
}

/* Both sides of a difference have a slot for each recording. */
static bool has_slots(const struct page_profile *profile, const struct profile_part *part)
{
	return part_model(part)->keeps_slots && !profile->nr_before;
}

/* Appends a text that stands for no function to the path. */
static int add_mark(struct builder *b, const char *text)
{
	uint32_t id;
	int ret = page_functions_add(b->known.functions, text, PAGE_MARK, &id);

	return ret ? ret : vec_push(&b->path, id);
}

/* Appends the functions of a frame of a side to the path. */
static int add_frame(struct builder *b, const struct row_side *side, uint32_t depth, bool is_kernel,
		     bool is_leaf_first)
{
	uint32_t frame = side->frames[depth];
	enum frame_place place = depth ? FRAME_CALLER : FRAME_LEAF;
	uint32_t nr = labels_nr_parts(b->known.labels, frame, place);
	const uint32_t *parts;
	int ret = source_functions_of_frame(&b->known, frame, place, is_kernel, &parts);

	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = vec_push(&b->path, parts[is_leaf_first ? i : nr - 1 - i]);
	return ret;
}

/* Appends a side of a row to the path, to the leaf or from it. */
static int add_side(struct builder *b, const struct row_side *side, bool is_kernel,
		    bool is_leaf_first)
{
	int ret = 0;

	if (side->is_missed)
		ret = add_mark(b, is_kernel ? "[Missed Kernel Stack]" : "[Missed User Stack]");
	for (uint32_t i = 0; i < side->nr && !ret; i++)
		ret = add_frame(b, side, is_leaf_first ? i : side->nr - 1 - i, is_kernel,
				is_leaf_first);
	return ret;
}

/* The stacks of a waker stand on those of the task, so that both leaves meet. */
static int add_wakers(struct builder *b, const struct stack_row *row)
{
	int ret = 0;

	if (!row_has_wakers(row))
		return 0;
	ret = add_mark(b, "--");
	if (!ret)
		ret = add_side(b, &row->waker_kernel, true, true);
	return ret ? ret : add_side(b, &row->waker_user, false, true);
}

/* Makes the path of a row. */
static int make_path(struct builder *b, const struct stack_row *row)
{
	uint32_t id;
	int ret = source_function_of_thread(&b->known, row->comm, row->tid, &id);

	vec_clear(&b->path);
	if (!ret)
		ret = vec_push(&b->path, id);
	if (!ret)
		ret = add_side(b, &row->user, false, false);
	if (!ret)
		ret = add_side(b, &row->kernel, true, false);
	return ret ? ret : add_wakers(b, row);
}

/* Finds or adds the process of a row. The layouts of an address space are one process. */
static int find_process(struct builder *b, uint32_t process, uint32_t *id)
{
	const struct model *model = part_model(b->part);
	const struct model_process *wanted = &model->processes.data[process];
	const struct profile_process added = {b->part - b->profile->parts, process};
	uint64_t hash = hash_u64((uint64_t)wanted->pid << 32 ^ wanted->generation ^ added.part);
	int ret;

	index_for_each(&b->profile->process_index, hash, i) {
		const struct profile_process *have = &b->profile->processes.data[i];
		const struct model_process *known;

		/* Another part has another model. */
		if (have->part != added.part)
			continue;
		known = &model->processes.data[have->process];
		if (known->pid == wanted->pid && known->generation == wanted->generation) {
			*id = i;
			return 0;
		}
	}
	ret = index_push(&b->profile->process_index, &b->profile->processes, hash, added);
	if (!ret)
		*id = b->profile->processes.nr - 1;
	return ret;
}

static void count_stack(struct profile_part *part, const struct stack_row *row)
{
	part->total += row->count;
	if (!row->user.is_present)
		return;
	part->user_stacks += row->count;
	if (row->user.end == PROF_STACK_COMPLETE)
		part->complete_stacks += row->count;
}

static int add_row(struct builder *b, uint32_t i)
{
	const struct model *model = part_model(b->part);
	const struct view *view = &b->part->source->view;
	const struct prof_count *row = &model->rows.data[i];
	const struct stack_row shown = stack_row_show(model, view, row, &b->profile->summary);
	int ret = make_path(b, &shown);

	if (!ret)
		ret = stack_trie_add(&b->profile->trie, 0, b->path.data, b->path.nr,
				     &b->row_branches[i]);
	if (!ret)
		ret = find_process(b, row->process, &b->row_processes[i]);
	count_stack(b->part, &shown);
	return ret;
}

/* Adds the cells of a part that has one slot. */
static int add_whole_rows(struct builder *b)
{
	const struct model *model = part_model(b->part);
	int ret = 0;

	for (size_t i = 0; i < model->rows.nr && !ret; i++) {
		const struct trie_cell cell = {b->row_branches[i], b->row_processes[i],
					       b->part->first_slot, model->rows.data[i].count};

		if (cell.branch != UINT32_MAX)
			ret = vec_push(&b->profile->trie.cells, cell);
	}
	return ret;
}

static int add_cells(struct builder *b)
{
	const struct model *model = part_model(b->part);
	int ret = 0;

	for (size_t i = 0; i < model->slot_counts.nr && !ret; i++) {
		const struct model_slot_count *part = &model->slot_counts.data[i];
		const struct trie_cell cell = {b->row_branches[part->row],
					       b->row_processes[part->row],
					       b->part->first_slot + part->slot, part->count};

		if (cell.branch != UINT32_MAX)
			ret = vec_push(&b->profile->trie.cells, cell);
	}
	return ret;
}

static int add_rows(struct builder *b)
{
	const struct model *model = part_model(b->part);
	int ret = 0;

	for (size_t i = 0; i < model->rows.nr && !ret; i++) {
		b->row_branches[i] = UINT32_MAX;
		if (model->rows.data[i].event == b->part->event)
			ret = add_row(b, i);
	}
	if (ret)
		return ret;
	return has_slots(b->profile, b->part) ? add_cells(b) : add_whole_rows(b);
}

static int add_part(struct page_profile *profile, struct profile_part *part,
		    struct page_functions *functions)
{
	const struct model *model = part_model(part);
	struct builder b = {.profile = profile, .part = part};
	int ret = source_functions_init(&b.known, functions, part->source);

	part->source->view.event = part->event;
	part->first_slot = profile->slots.nr;
	part->nr_slots = has_slots(profile, part) ? model->slots.nr : 1;
	b.row_branches = calloc(model->rows.nr + 1, sizeof(*b.row_branches));
	b.row_processes = calloc(model->rows.nr + 1, sizeof(*b.row_processes));
	if (!b.row_branches || !b.row_processes)
		ret = -ENOMEM;
	if (!ret && has_slots(profile, part))
		ret = vec_append(&profile->slots, model->slots.data, model->slots.nr);
	else if (!ret)
		ret = vec_push(&profile->slots,
			       ((struct model_slot){0, part->source->rec.meta->duration_ns}));
	if (!ret)
		ret = add_rows(&b);
	source_functions_deinit(&b.known);
	vec_free(&b.path);
	free(b.row_branches);
	free(b.row_processes);
	return ret;
}

int page_profile_init(struct page_profile *profile, uint32_t nr_parts)
{
	*profile = (struct page_profile){
		.parts = calloc(nr_parts, sizeof(*profile->parts)),
		.nr_parts = nr_parts,
	};
	return profile->parts ? 0 : -ENOMEM;
}

int page_profile_make(struct page_profile *profile, struct page_functions *functions)
{
	int ret = stack_trie_init(&profile->trie);

	for (uint32_t i = 0; i < profile->nr_parts && !ret; i++)
		ret = add_part(profile, &profile->parts[i], functions);
	return ret;
}

int page_profile_sort(struct page_profile *profile, const uint32_t *new_ids)
{
	return stack_trie_sort(&profile->trie, new_ids, &profile->order);
}

void page_profile_deinit(struct page_profile *profile)
{
	page_sources_deinit(&profile->sources);
	stack_trie_deinit(&profile->trie);
	vec_free(&profile->slots);
	vec_free(&profile->processes);
	index_deinit(&profile->process_index);
	free(profile->order);
	free(profile->parts);
	*profile = (struct page_profile){0};
}
