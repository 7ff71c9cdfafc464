// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/words.h"

#define SHARE_WIDTH 9
#define INDENT      2

/* Deeper branches are not indented further: the names would leave every screen. */
#define INDENTS_MAX 100

/* The part of a narrow terminal that indents may take. */
#define INDENTS_PART 3

struct tree_print {
	const struct call_tree *tree;
	const struct tree_layout *layout;
	struct textbuf *out;
};

/* Prints a node for @thing. */
static void print_node(const struct tree_print *t, uint32_t thing, const struct call_count *count,
		       uint32_t depth, bool is_branch)
{
	const struct call_tree *tree = t->tree;
	const struct terminal *terminal = &t->layout->terminal;
	uint32_t most = terminal_is_narrow(terminal, INDENTS_PART * INDENT * INDENTS_MAX)
				? terminal->width / (INDENTS_PART * INDENT)
				: INDENTS_MAX;
	uint32_t indent = INDENT * (depth < most ? depth : most);
	const char *module = named_thing_shown_module(&tree->things, thing);
	uint32_t used = SHARE_WIDTH + 2 + indent + INDENT;

	textbuf_printf(t->out, "%7.2f %%", 100.0 * count->total / tree->sum);
	if (!t->layout->function) {
		textbuf_printf(t->out, "%7.2f %%", 100.0 * count->self / tree->sum);
		used += SHARE_WIDTH;
	}
	textbuf_printf(t->out, "  %*s%s", indent, "", is_branch ? "+ " : "  ");
	used += terminal_print(terminal, t->out, named_thing_name(&tree->things, thing),
			       terminal_rest(terminal, used), CUT_MIDDLE,
			       tree->things.colours.data[thing]);
	if (module[0] && (!terminal->width || used + strlen(module) + 3 <= terminal->width))
		textbuf_printf(t->out, module[0] == '[' ? " %s" : " [%s]", module);
	textbuf_char(t->out, '\n');
}

/* Prints the nodes of a branch, which go on below each other. */
static void print_branch(const struct tree_print *t, uint32_t branch, uint32_t depth,
			 bool is_branch)
{
	const struct stack_trie *trie = &t->tree->trie;
	const struct trie_branch *b = &trie->branches.data[branch];
	struct call_count count = t->tree->counts.data[branch];
	uint64_t self = count.self;

	for (uint32_t i = 0; i < b->nr; i++) {
		count.self = i + 1 < b->nr ? 0 : self;
		print_node(t, trie->functions.data[b->first + i], &count, depth, is_branch && !i);
	}
}

/* Returns the place of the next sibling in the order of the tree that is shown, 0 if none is. */
static uint32_t next_shown(const struct tree_print *t, uint32_t parent, uint32_t at)
{
	const struct call_tree *tree = t->tree;

	if (!at || at >= tree->order.nr ||
	    tree->trie.branches.data[tree->order.data[at]].parent != parent)
		return 0;
	return at;
}

/* A callee that has all samples of its caller goes on below it. */
static bool goes_on(const struct tree_print *t, uint32_t branch, uint32_t child)
{
	return t->tree->counts.data[branch].total == t->tree->counts.data[child].total;
}

/* The way from the root to the branch that is being printed. */
struct tree_level {
	uint32_t branch, depth;
	uint32_t next; /* place of the child to print next; 0: none */
};

typedef VEC(struct tree_level) tree_levels;

static int enter_branch(const struct tree_print *t, tree_levels *levels, uint32_t branch,
			uint32_t depth)
{
	uint32_t first = t->tree->first_child[branch];
	const struct tree_level level = {branch, depth, next_shown(t, branch, first)};

	return vec_push(levels, level);
}

/* Stacks are deep, so the way is kept in memory of its own, and not in calls. */
static int print_nodes(const struct tree_print *t)
{
	tree_levels levels = {0};
	int ret = enter_branch(t, &levels, 0, 0);

	while (!ret && levels.nr) {
		struct tree_level *level = &levels.data[levels.nr - 1];
		uint32_t child, depth = level->depth;
		bool is_branch;

		if (!level->next) {
			levels.nr--;
			continue;
		}
		child = t->tree->order.data[level->next];
		is_branch = !level->branch || !goes_on(t, level->branch, child);
		depth += is_branch && level->branch;
		level->next = next_shown(t, level->branch, level->next + 1);
		print_branch(t, child, depth, is_branch);
		ret = enter_branch(t, &levels, child, depth);
	}
	vec_free(&levels);
	return ret;
}

/* Prints how much 100 % of a time or of bytes are. */
static void print_whole(const struct printout *p, uint64_t sum)
{
	uint8_t unit = event_unit_number(p->rec->meta, p->view->event);
	char text[AMOUNT_SIZE];

	if (!amount_has_unit(unit, AMOUNT_AUTO))
		return;
	textbuf_printf(p->out, ", 100 %% are %s", printout_amount(p, sum, text));
	if (!printout_has_unit(p))
		textbuf_printf(p->out, " %s", event_unit(p->rec->meta, p->view->event));
}

/* Notes the name of a function that may be meant if the tree is empty. */
static void note_similar(const struct call_tree *tree, const struct tree_layout *layout)
{
	struct suggestion suggestion;

	if (!layout->function || !layout->similar || tree->counts.data[0].total)
		return;
	suggestion_init(&suggestion, layout->function);
	for (uint32_t i = 1; i < tree->things.names.items.nr; i++)
		suggestion_try(&suggestion, named_thing_name(&tree->things, i));
	if (suggestion.best)
		snprintf(layout->similar, layout->similar_size, "%s", suggestion.best);
}

static void print_title(const struct tree_layout *layout, struct textbuf *out)
{
	terminal_print(&layout->terminal, out,
		       layout->function ? "  TOTAL %    FUNCTION, THEN CALLERS"
					: "  TOTAL %   SELF %    FUNCTION",
		       layout->terminal.width, CUT_END, COLOUR_TITLE);
}

int print_callers(const struct call_tree *tree, const struct tree_layout *layout,
		  struct textbuf *out)
{
	struct call_tree callers;
	struct tree_print t = {&callers, layout, out};
	int ret = call_tree_make_callers(&callers, tree, layout->function, layout->min_percent);

	print_title(layout, out);
	textbuf_char(out, '\n');
	if (!ret && callers.counts.data[0].total)
		ret = print_nodes(&t);
	call_tree_deinit_callers(&callers);
	return ret;
}

int print_tree(const struct printout *p, const struct tree_layout *layout,
	       struct rows_summary *summary, bool *has_function)
{
	struct call_tree tree;
	struct tree_print t = {&tree, layout, p->out};
	int ret = call_tree_make(&tree, p, layout->function, layout->min_percent, summary);

	if (!ret)
		note_similar(&tree, layout);
	printout_note_frames(p);
	textbuf_char(p->out, '\n');
	if (!ret && tree.counts.data[0].total) {
		*has_function = true;
		print_title(layout, p->out);
		print_whole(p, tree.sum);
		textbuf_char(p->out, '\n');
		ret = print_nodes(&t);
	}
	call_tree_deinit(&tree);
	return ret;
}

/*
 * Puts the nodes of a branch. They are numbered as they are printed, from 1; the parent of the
 * first ones is 0. Keeps the number of the last one in @ids.
 */
static void put_branch(const struct tree_print *t, struct json *json, uint32_t branch,
		       uint32_t *ids, uint32_t *id)
{
	const struct call_tree *tree = t->tree;
	const struct trie_branch *b = &tree->trie.branches.data[branch];
	uint32_t parent = ids[b->parent];

	for (uint32_t i = 0; i < b->nr; i++, parent = *id) {
		uint32_t thing = tree->trie.functions.data[b->first + i];

		json_open(json, NULL, '{');
		json_put_number(json, "id", ++*id);
		json_put_number(json, "parent", parent);
		json_put_printed(json, "name", named_thing_name(&tree->things, thing));
		json_put_printed(json, "module", named_thing_module(&tree->things, thing));
		if (!t->layout->function)
			json_put_number(json, "self",
					i + 1 < b->nr ? 0 : tree->counts.data[branch].self);
		json_put_number(json, "total", tree->counts.data[branch].total);
		json_close(json, '}');
	}
	ids[branch] = *id;
}

static int put_nodes(const struct tree_print *t, struct json *json)
{
	_cleanup_free_ uint32_t *ids = calloc(t->tree->trie.branches.nr, sizeof(*ids));
	tree_levels levels = {0};
	uint32_t id = 0;
	int ret = ids ? enter_branch(t, &levels, 0, 0) : -ENOMEM;

	while (!ret && levels.nr) {
		struct tree_level *level = &levels.data[levels.nr - 1];
		uint32_t child;

		if (!level->next) {
			levels.nr--;
			continue;
		}
		child = t->tree->order.data[level->next];
		level->next = next_shown(t, level->branch, level->next + 1);
		put_branch(t, json, child, ids, &id);
		ret = enter_branch(t, &levels, child, 0);
	}
	vec_free(&levels);
	return ret;
}

int print_tree_json(const struct printout *p, const struct tree_layout *layout, struct json *json,
		    struct rows_summary *summary, bool *has_function)
{
	struct call_tree tree;
	struct tree_print t = {&tree, layout, p->out};
	int ret = call_tree_make(&tree, p, layout->function, layout->min_percent, summary);

	if (layout->function)
		json_put_text(json, "function", layout->function);
	json_put_text(json, "frames", shown_frames_words[p->view->frames]);
	json_put_number(json, "sum", tree.sum);
	if (!ret)
		note_similar(&tree, layout);
	json_open(json, "nodes", '[');
	if (!ret && tree.counts.data[0].total) {
		*has_function = true;
		ret = put_nodes(&t, json);
	}
	json_close(json, ']');
	call_tree_deinit(&tree);
	return ret;
}
