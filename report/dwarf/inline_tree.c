// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pass ends after the functions that cover the hits. Of functions that overlap, the first counts.
 *
 * The first pass leaves out the inside of functions that cover no hit. Compilers put some
 * functions, such as lambdas, inside the entry of another function whose addresses do not cover
 * them. So if a hit is left without a function, a second pass reads all entries.
 */
#include "report/dwarf/inline_tree.h"

#include "elf/dwarf_bytes.h"
#include "common/search.h"
#include "report/dwarf/range_list.h"

/* Entries inside each other. Deep templates reach some hundreds. */
#define DEPTH_MAX 4096

struct tree_walk {
	struct inline_tree *tree;
	const struct dwarf_unit *unit;
	const struct abbrev_table *abbrevs;
	struct dwarf_work *work;
	struct unit_hit *hits;
	size_t nr, nr_open; /* all hits, and those without a function */
	bool is_full;       /* nothing is left out */
	bool has_pruned;    /* something was left out that may hold a function */
	struct cursor c;
	uint32_t depth;
	uint32_t passed_from;   /* entries from this depth on are passed; 0: none are */
	uint32_t covering_from; /* those from this depth on are in a function with hits; 0: none */
	uint32_t nodes[DEPTH_MAX]; /* the node around the entries of each depth */
};

/* The hits in the ranges of an entry. */
struct covered_hits {
	struct tree_walk *walk;
	uint32_t node; /* INLINE_NODE_NONE: only count */
	size_t nr;
};

static void cover_range(void *ctx, uint64_t low, uint64_t high)
{
	struct covered_hits *covered = ctx;
	struct tree_walk *w = covered->walk;
	size_t first = search_first(w->nr, i, w->hits[i].addr >= low), i = first;

	for (; i < w->nr && w->hits[i].addr < high; i++) {
		bool is_open = w->hits[i].node == INLINE_NODE_NONE;

		if (!is_open && !w->covering_from)
			continue;
		covered->nr++;
		if (covered->node == INLINE_NODE_NONE)
			continue;
		w->hits[i].node = covered->node;
		w->nr_open -= is_open;
	}
	dwarf_work_charge(w->work, i - first);
}

/* Makes a node of @die, inside the node of its depth. Returns INLINE_NODE_NONE without memory. */
static uint32_t add_node(struct tree_walk *w, const struct die *die)
{
	bool is_inlined = die->abbrev->kind == ABBREV_INLINED;
	struct inline_node node = {
		.parent = is_inlined ? w->nodes[w->depth] : INLINE_NODE_NONE,
		.is_inlined = is_inlined,
		.unit = w->unit,
		.die_off = die->off,
		.call_file = die_has(die, DIE_CALL_FILE) ? die->values[DIE_CALL_FILE].number : 0,
		.call_line = die_has(die, DIE_CALL_LINE) ? die->values[DIE_CALL_LINE].number : 0,
	};

	if (vec_push(&w->tree->nodes, node)) {
		dwarf_work_no_memory(w->work);
		return INLINE_NODE_NONE;
	}
	return w->tree->nodes.nr - 1;
}

/* Goes to the next entry inside this one, whose entries have @node around them. */
static void enter_depth(struct tree_walk *w, uint32_t node)
{
	if (++w->depth >= DEPTH_MAX)
		cursor_fail(&w->c);
	else
		w->nodes[w->depth] = node;
}

/* Passes the attributes of an entry in the steps of its abbreviation. */
static void pass_attrs(struct tree_walk *w, const struct abbrev *abbrev)
{
	for (uint32_t i = 0; i < abbrev->nr_steps; i++) {
		const struct skip_step *step = &w->abbrevs->steps.data[abbrev->first_step + i];

		if (step->bytes > cursor_left(&w->c)) {
			cursor_fail(&w->c);
			return;
		}
		w->c.p += step->bytes;
		if (step->form)
			form_skip(&w->c, step->form, w->unit->sizes);
	}
}

/* Passes the entries inside @die, whose attributes have been read. */
static void pass_children(struct tree_walk *w, const struct die *die)
{
	if (!die->abbrev->has_children || die_pass_children(&w->c, w->unit, die))
		return;
	enter_depth(w, INLINE_NODE_NONE);
	w->passed_from = w->depth;
}

/*
 * Goes to the sibling of an entry whose attributes begin at the cursor, if it tells where that is
 * by an offset at a known place. The sibling must be after the entry itself.
 */
static bool jump_to_sibling(struct tree_walk *w, const struct abbrev *abbrev)
{
	struct cursor at = w->c, c;

	if (abbrev->sibling_at == UINT32_MAX || cursor_left(&at) < abbrev->sibling_at)
		return false;
	at.p += abbrev->sibling_at;
	c = unit_cursor(w->unit, w->unit->off + dwarf_fixed(&at, 4));
	if (at.bad || c.bad || c.p < at.p)
		return false;
	w->c = c;
	return true;
}

/* Passes an entry, and all inside it. */
static void pass_entry(struct tree_walk *w, const struct abbrev *abbrev)
{
	struct die die;

	if (!abbrev->has_children) {
		pass_attrs(w, abbrev);
	} else if (jump_to_sibling(w, abbrev)) {
		return;
	} else if (abbrev->has_sibling) {
		dwarf_work_charge(w->work, abbrev->nr_attrs);
		die_read(&w->c, w->unit, w->abbrevs, abbrev, &die);
		if (w->passed_from && !die_pass_children(&w->c, w->unit, &die))
			enter_depth(w, INLINE_NODE_NONE);
		else if (!w->passed_from)
			pass_children(w, &die);
	} else {
		pass_attrs(w, abbrev);
		enter_depth(w, INLINE_NODE_NONE);
		if (!w->passed_from)
			w->passed_from = w->depth;
	}
}

/* Reads a function. */
static void read_function(struct tree_walk *w, const struct abbrev *abbrev, uint64_t off)
{
	struct covered_hits covered = {.walk = w, .node = INLINE_NODE_NONE};
	struct die die;

	die.off = off;
	die_read(&w->c, w->unit, w->abbrevs, abbrev, &die);
	if (w->c.bad || !dwarf_work_charge(w->work, abbrev->nr_attrs))
		return;
	die_ranges(w->unit, &die, w->work, cover_range, &covered);
	if (covered.nr) {
		covered.node = add_node(w, &die);
		die_ranges(w->unit, &die, w->work, cover_range, &covered);
	}
	if (!abbrev->has_children)
		return;
	if (covered.nr || w->is_full) {
		enter_depth(w, covered.node);
		if (covered.nr && !w->covering_from)
			w->covering_from = w->depth;
	} else {
		w->has_pruned = true;
		pass_children(w, &die);
	}
}

/* Reads an entry that may hold code. */
static void read_entry(struct tree_walk *w, const struct abbrev *abbrev, uint64_t off)
{
	bool is_function = abbrev->kind == ABBREV_FUNCTION || abbrev->kind == ABBREV_INLINED;

	if (is_function && abbrev->has_code) {
		read_function(w, abbrev, off);
		return;
	}
	if (abbrev->kind == ABBREV_SCOPE || abbrev->kind == ABBREV_BLOCK || w->is_full) {
		pass_attrs(w, abbrev);
		if (abbrev->has_children)
			enter_depth(w, is_function ? INLINE_NODE_NONE : w->nodes[w->depth]);
		return;
	}
	w->has_pruned |= is_function || abbrev->kind == ABBREV_TYPE;
	pass_entry(w, abbrev);
}

/* Ends the entries of a depth. */
static void leave_depth(struct tree_walk *w)
{
	if (w->passed_from == w->depth)
		w->passed_from = 0;
	if (w->covering_from == w->depth)
		w->covering_from = 0;
	w->depth--;
}

static void walk_entries(struct tree_walk *w)
{
	const uint8_t *data = w->unit->file->sections[DWARF_INFO].data;

	w->c = unit_cursor(w->unit, w->unit->die_off);
	w->depth = w->passed_from = w->covering_from = 0;
	w->nodes[0] = INLINE_NODE_NONE;
	if (!dwarf_work_charge(w->work, cursor_left(&w->c)))
		return;
	do {
		uint64_t off = w->c.p - data, code = dwarf_uleb(&w->c);
		const struct abbrev *abbrev;

		if (!code) {
			if (w->depth)
				leave_depth(w);
			continue;
		}
		abbrev = abbrev_find(w->abbrevs, code);
		if (!abbrev)
			break;
		if (w->passed_from)
			pass_entry(w, abbrev);
		else
			read_entry(w, abbrev, off);
	} while (w->depth && (w->nr_open || w->covering_from) && cursor_left(&w->c) &&
		 !w->work->error);
}

static void forget_nodes(struct tree_walk *w)
{
	vec_clear(&w->tree->nodes);
	for (size_t i = 0; i < w->nr; i++)
		w->hits[i].node = INLINE_NODE_NONE;
	w->nr_open = w->nr;
}

void inline_tree_read(struct inline_tree *tree, const struct dwarf_unit *unit,
		      const struct abbrev_table *abbrevs, struct dwarf_work *work,
		      struct unit_hit *hits, size_t nr)
{
	struct tree_walk w;

	w.tree = tree;
	w.unit = unit;
	w.abbrevs = abbrevs;
	w.work = work;
	w.hits = hits;
	w.nr = nr;
	w.is_full = w.has_pruned = false;
	forget_nodes(&w);
	walk_entries(&w);
	if (w.has_pruned && w.nr_open && !work->error) {
		w.is_full = true;
		forget_nodes(&w);
		walk_entries(&w);
	}
}

void inline_tree_deinit(struct inline_tree *tree)
{
	vec_free(&tree->nodes);
}
