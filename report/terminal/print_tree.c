// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/print_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define SHARE_WIDTH 9
#define INDENT      2

/* Deeper branches are not indented further: the names would leave every screen. */
#define INDENTS_MAX 100

struct tree_print {
	const struct call_tree *tree;
	const struct tree_layout *layout;
	struct textbuf *out;
	double min_count;
};

static bool is_shown(const struct tree_print *t, uint32_t node)
{
	uint64_t total = t->tree->counts.data[node].total;

	return total && total >= t->min_count;
}

static void print_node(const struct tree_print *t, uint32_t node, uint32_t depth, bool is_branch)
{
	const struct call_tree *tree = t->tree;
	const struct call_count *count = &tree->counts.data[node];
	const struct terminal *terminal = &t->layout->terminal;
	uint32_t thing = tree->trie.nodes.data[node].function;
	uint32_t indent = INDENT * (depth < INDENTS_MAX ? depth : INDENTS_MAX);
	const char *module = named_thing_module(&tree->things, thing);
	uint32_t used = SHARE_WIDTH + 2 + indent + INDENT;

	textbuf_printf(t->out, "%7.2f %%", 100.0 * count->total / tree->sum);
	if (!t->layout->function) {
		textbuf_printf(t->out, "%7.2f %%", 100.0 * count->self / tree->sum);
		used += SHARE_WIDTH;
	}
	textbuf_printf(t->out, "  %*s%s", indent, "", is_branch ? "+ " : "  ");
	used += terminal_print(terminal, t->out, named_thing_name(&tree->things, thing),
			       terminal_rest(terminal, used), tree->things.colours.data[thing]);
	if (module[0] && (!terminal->width || used + strlen(module) + 3 <= terminal->width))
		textbuf_printf(t->out, module[0] == '[' ? " %s" : " [%s]", module);
	textbuf_char(t->out, '\n');
}

/* Returns the place of the next sibling in the order of the tree that is shown, 0 if none is. */
static uint32_t next_shown(const struct tree_print *t, uint32_t parent, uint32_t at)
{
	const struct call_tree *tree = t->tree;

	/* Siblings come by their totals, so none after one that is not shown is shown. */
	if (!at || at >= tree->trie.nodes.nr ||
	    tree->trie.nodes.data[tree->order[at]].parent != parent ||
	    !is_shown(t, tree->order[at]))
		return 0;
	return at;
}

/* A callee that has all samples of its caller goes on below it. */
static bool goes_on(const struct tree_print *t, uint32_t node, uint32_t child)
{
	return t->tree->counts.data[node].total == t->tree->counts.data[child].total;
}

/* The way from the root to the node that is being printed. */
struct tree_level {
	uint32_t node, depth;
	uint32_t next; /* place of the child to print next; 0: none */
};

typedef VEC(struct tree_level) tree_levels;

static int enter_node(const struct tree_print *t, tree_levels *levels, uint32_t node,
		      uint32_t depth)
{
	uint32_t first = t->tree->first_child[node];
	const struct tree_level level = {node, depth, next_shown(t, node, first)};

	return vec_push(levels, level);
}

/* Stacks are deep, so the way is kept in memory of its own, and not in calls. */
static int print_nodes(const struct tree_print *t)
{
	tree_levels levels = {0};
	int ret = enter_node(t, &levels, 0, 0);

	while (!ret && levels.nr) {
		struct tree_level *level = &levels.data[levels.nr - 1];
		uint32_t child, depth = level->depth;
		bool is_branch;

		if (!level->next) {
			levels.nr--;
			continue;
		}
		child = t->tree->order[level->next];
		is_branch = !level->node || !goes_on(t, level->node, child);
		depth += is_branch && level->node;
		level->next = next_shown(t, level->node, level->next + 1);
		print_node(t, child, depth, is_branch);
		ret = enter_node(t, &levels, child, depth);
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

int print_tree(const struct printout *p, const struct tree_layout *layout,
	       struct rows_summary *summary, bool *has_function)
{
	struct call_tree tree;
	struct tree_print t = {&tree, layout, p->out, 0};
	int ret = call_tree_make(&tree, p, layout->function, summary);

	textbuf_char(p->out, '\n');
	if (!ret && tree.counts.data[0].total) {
		*has_function = true;
		t.min_count = layout->min_percent / 100 * tree.sum;
		terminal_print(&layout->terminal, p->out,
			       layout->function ? "  TOTAL %    FUNCTION, THEN CALLERS"
						: "  TOTAL %   SELF %    FUNCTION",
			       layout->terminal.width, COLOUR_TITLE);
		print_whole(p, tree.sum);
		textbuf_char(p->out, '\n');
		ret = print_nodes(&t);
	}
	call_tree_deinit(&tree);
	return ret;
}

/* Numbers nodes as they are printed, from 1; the parent of the first ones is 0. */
static void put_node(const struct tree_print *t, struct json *json, uint32_t node, uint32_t *ids,
		     uint32_t id)
{
	const struct call_tree *tree = t->tree;
	uint32_t thing = tree->trie.nodes.data[node].function;

	ids[node] = id;
	json_open(json, NULL, '{');
	json_put_number(json, "id", id);
	json_put_number(json, "parent", ids[tree->trie.nodes.data[node].parent]);
	json_put_safe(json, "name", named_thing_name(&tree->things, thing));
	json_put_safe(json, "module", named_thing_module(&tree->things, thing));
	if (!t->layout->function)
		json_put_number(json, "self", tree->counts.data[node].self);
	json_put_number(json, "total", tree->counts.data[node].total);
	json_close(json, '}');
}

static int put_nodes(const struct tree_print *t, struct json *json)
{
	_cleanup_free_ uint32_t *ids = calloc(t->tree->trie.nodes.nr, sizeof(*ids));
	tree_levels levels = {0};
	uint32_t id = 0;
	int ret = ids ? enter_node(t, &levels, 0, 0) : -ENOMEM;

	while (!ret && levels.nr) {
		struct tree_level *level = &levels.data[levels.nr - 1];
		uint32_t child;

		if (!level->next) {
			levels.nr--;
			continue;
		}
		child = t->tree->order[level->next];
		level->next = next_shown(t, level->node, level->next + 1);
		put_node(t, json, child, ids, ++id);
		ret = enter_node(t, &levels, child, 0);
	}
	vec_free(&levels);
	return ret;
}

int print_tree_json(const struct printout *p, const struct tree_layout *layout, struct json *json,
		    struct rows_summary *summary, bool *has_function)
{
	struct call_tree tree;
	struct tree_print t = {&tree, layout, p->out, 0};
	int ret = call_tree_make(&tree, p, layout->function, summary);

	if (layout->function)
		json_put_text(json, "function", layout->function);
	json_put_number(json, "sum", tree.sum);
	json_open(json, "nodes", '[');
	if (!ret && tree.counts.data[0].total) {
		*has_function = true;
		t.min_count = layout->min_percent / 100 * tree.sum;
		ret = put_nodes(&t, json);
	}
	json_close(json, ']');
	call_tree_deinit(&tree);
	return ret;
}
