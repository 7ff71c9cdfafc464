// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/unit_reader.h"

#include "report/dwarf/dwarf_constants.h"

/*
 * The work that stands for a frame of a hit. Frames take memory, and a hostile file can put each
 * hit into thousands of functions.
 */
#define FRAME_WORK 256

int unit_reader_init(struct unit_reader *reader, struct dwarf_meter *meter)
{
	*reader = (struct unit_reader){.work.meter = meter};
	reader->names.set = &reader->frames.names;
	reader->names.abbrevs = &reader->abbrevs;
	return source_frames_init(&reader->frames);
}

void unit_reader_deinit(struct unit_reader *reader)
{
	abbrev_cache_deinit(&reader->abbrevs);
	abbrev_table_deinit(&reader->scratch);
	dwarf_names_deinit(&reader->names);
	line_table_deinit(&reader->lines);
	inline_tree_deinit(&reader->tree);
	vec_free(&reader->hits);
	source_frames_deinit(&reader->frames);
}

static void add_frame(struct unit_reader *r, const struct source_frame *frame)
{
	if (dwarf_work_charge(&r->work, FRAME_WORK) && vec_push(&r->frames.frames, *frame))
		dwarf_work_no_memory(&r->work);
}

static uint32_t path_of(struct unit_reader *r, uint64_t file)
{
	return line_table_path(&r->lines, file, &r->frames.files, &r->work);
}

/* Adds the frames of @hit, from its node outwards. */
static void add_frames(struct unit_reader *r, const struct unit_hit *hit)
{
	struct source_frame frame = {0};
	uint32_t node = hit->node;

	if (hit->file != LINE_FILE_NONE) {
		frame.file = path_of(r, hit->file);
		frame.line = hit->line;
	}
	while (node != INLINE_NODE_NONE && !r->work.error) {
		const struct inline_node *n = &r->tree.nodes.data[node];

		frame.name = dwarf_names_get(&r->names, &r->work, n->unit, n->die_off);
		frame.is_inlined = n->is_inlined;
		add_frame(r, &frame);
		if (!n->is_inlined)
			return;
		node = n->parent;
		frame = (struct source_frame){.file = path_of(r, n->call_file),
					      .line = n->call_line};
	}
	/* Nobody tells the function of the code. Its symbol may. */
	if (hit->node != INLINE_NODE_NONE || hit->file != LINE_FILE_NONE)
		add_frame(r, &frame);
}

static bool is_like(const struct unit_hit *a, const struct unit_hit *b)
{
	return a->node == b->node && a->file == b->file && a->line == b->line;
}

/* Finds the unit in @split that belongs to @unit, and gives it the facts that only @unit has. */
static const struct dwarf_unit *join_split(struct unit_reader *r, const struct dwarf_unit *unit,
					   struct dwarf_file *split)
{
	struct dwarf_unit *found = NULL;
	struct die die;

	for (size_t i = 0; i < split->units.nr && !found; i++) {
		struct dwarf_unit *u = &split->units.data[i];

		if (unit_read_die(u, &r->scratch, &r->work, &die) && u->dwo_id == unit->dwo_id &&
		    u->type != DW_UT_split_type)
			found = u;
	}
	if (!found)
		return NULL;
	found->main_file = unit->file;
	found->addr_base = unit->addr_base;
	found->gnu_ranges_base = unit->gnu_ranges_base;
	found->low_pc = unit->low_pc;
	return found;
}

void unit_reader_look_up(struct unit_reader *r, const struct dwarf_unit *unit,
			 struct dwarf_file *split, struct unit_answer *answers)
{
	const struct dwarf_unit *joined = split ? join_split(r, unit, split) : unit;
	const struct abbrev_table *abbrevs;

	vec_for_each(&r->hits, hit) {
		hit->node = INLINE_NODE_NONE;
		hit->file = LINE_FILE_NONE;
		hit->line = 0;
	}
	line_program_run(&r->lines, unit, &r->work, r->hits.data, r->hits.nr);
	abbrevs = joined ? unit_abbrevs(joined, &r->abbrevs, &r->work) : NULL;
	if (abbrevs)
		inline_tree_read(&r->tree, joined, abbrevs, &r->work, r->hits.data, r->hits.nr);
	vec_for_each(&r->hits, hit) {
		struct unit_answer *answer = &answers[hit->hit];

		if (hit > r->hits.data && is_like(hit, hit - 1)) {
			*answer = answers[(hit - 1)->hit];
			continue;
		}
		answer->first = r->frames.frames.nr;
		add_frames(r, hit);
		answer->nr = r->frames.frames.nr - answer->first;
	}
	if (split) {
		/* What is known of the file goes with it. */
		dwarf_names_forget(&r->names);
		abbrev_cache_deinit(&r->abbrevs);
	}
	abbrev_cache_trim(&r->abbrevs);
}
