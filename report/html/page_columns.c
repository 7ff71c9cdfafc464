// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page_columns.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash.h"

enum column {
	COLUMN_POPS,
	COLUMN_CODES,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_NR_CELLS,
	COLUMN_PROCESSES,
	COLUMN_SLOTS,
	COLUMN_COUNTS,
	NR_COLUMNS,
};

static void print_varint(struct textbuf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		textbuf_char(out, value | 0x80);
	textbuf_char(out, value);
}

void page_print_section(struct textbuf *out, const struct textbuf *bytes)
{
	if (bytes->error)
		textbuf_fail(out, bytes->error);
	print_varint(out, bytes->nr);
	textbuf_bytes(out, bytes->data, bytes->nr);
}

static void print_line(struct textbuf *out, const struct string *text)
{
	textbuf_bytes(out, text->s, text->len);
	textbuf_char(out, '\n');
}

/*
 * Prints the strings that functions have at @offset, each once, then the number of each function's.
 */
static int print_words(struct textbuf *out, const struct page_functions *functions, size_t offset)
{
	const struct string *strings = functions->strings.items.data;
	_cleanup_free_ uint32_t *numbers =
		calloc(functions->strings.items.nr, sizeof(*numbers)); /* number + 1 */
	struct textbuf words = {.fd = -1}, column = {.fd = -1};
	uint32_t nr = 0;

	if (!numbers)
		return -ENOMEM;
	vec_for_each(&functions->items, function) {
		uint32_t word = *(const uint32_t *)((const char *)function + offset);

		if (!numbers[word]) {
			numbers[word] = ++nr;
			print_line(&words, &strings[word]);
		}
		print_varint(&column, numbers[word] - 1);
	}
	page_print_section(out, &words);
	page_print_section(out, &column);
	textbuf_deinit(&words);
	textbuf_deinit(&column);
	return out->error;
}

int page_print_functions(struct textbuf *out, const struct page_functions *functions)
{
	const struct string *strings = functions->strings.items.data;
	struct textbuf texts = {.fd = -1}, kinds = {.fd = -1}, lines = {.fd = -1};
	int ret;

	vec_for_each(&functions->items, function) {
		print_line(&texts, &strings[function->text]);
		print_varint(&kinds, function->kind);
		print_varint(&lines, function->line);
	}
	page_print_section(out, &texts);
	page_print_section(out, &kinds);
	textbuf_deinit(&texts);
	textbuf_deinit(&kinds);
	ret = print_words(out, functions, offsetof(struct page_function, module));
	if (!ret)
		ret = print_words(out, functions, offsetof(struct page_function, path));
	page_print_section(out, &lines);
	textbuf_deinit(&lines);
	return ret ? ret : out->error;
}

/* A function that follows another one in some stack, and its place among those that do. */
struct successor {
	uint32_t parent, function, place;
};

struct encoder {
	const struct page_profile *profile;
	struct textbuf columns[NR_COLUMNS];
	struct index index;
	VEC(struct successor) successors;
	uint32_t *nr_successors; /* by function; the last is for the root */
	uint32_t root;           /* the number of the root as a function */
};

static int encode_function(struct encoder *e, uint32_t parent, uint32_t function)
{
	struct successor added = {parent, function, 0};
	uint64_t hash = hash_u64((uint64_t)parent << 32 | function);

	index_for_each(&e->index, hash, i) {
		const struct successor *have = &e->successors.data[i];

		if (have->parent == parent && have->function == function) {
			print_varint(&e->columns[COLUMN_CODES], have->place + 1);
			return 0;
		}
	}
	added.place = e->nr_successors[parent]++;
	print_varint(&e->columns[COLUMN_CODES], 0);
	textbuf_char(&e->columns[COLUMN_LOW], function);
	print_varint(&e->columns[COLUMN_HIGH], function >> 8);
	return index_push(&e->index, &e->successors, hash, added);
}

/* The cells of a branch stand together, sorted by process and slot. */
static void encode_cells(struct encoder *e, uint32_t branch, bool is_leaf)
{
	const struct stack_trie *trie = &e->profile->trie;
	const struct trie_cell *cells = trie->cells.data;
	size_t end = trie->branches.data[branch].next, begin = end ? end - 1 : 0;
	uint32_t slot = 0;

	for (end = begin; end < trie->cells.nr && cells[end].branch == branch;)
		end++;
	print_varint(&e->columns[COLUMN_NR_CELLS], end - begin - is_leaf);
	for (size_t i = begin; i < end; i++) {
		if (i > begin && cells[i].process != cells[i - 1].process)
			slot = 0;
		print_varint(&e->columns[COLUMN_PROCESSES], cells[i].process);
		print_varint(&e->columns[COLUMN_SLOTS], cells[i].slot - slot);
		print_varint(&e->columns[COLUMN_COUNTS], cells[i].count);
		slot = cells[i].slot;
	}
}

/* Only the last node of a branch has cells. */
static int encode_branch(struct encoder *e, uint32_t branch, uint32_t pops, bool is_leaf)
{
	const struct stack_trie *trie = &e->profile->trie;
	const struct trie_branch *b = &trie->branches.data[branch];
	const struct trie_branch *above = &trie->branches.data[b->parent];
	const uint32_t *functions = trie->functions.data;
	uint32_t parent = b->parent ? functions[above->first + above->nr - 1] : e->root;
	int ret = 0;

	for (uint32_t i = b->first; i < b->first + b->nr && !ret; i++) {
		print_varint(&e->columns[COLUMN_POPS], i == b->first ? pops : 0);
		ret = encode_function(e, parent, functions[i]);
		if (i + 1 < b->first + b->nr)
			print_varint(&e->columns[COLUMN_NR_CELLS], 0);
		parent = functions[i];
	}
	encode_cells(e, branch, is_leaf);
	return ret;
}

static int encode_nodes(struct encoder *e)
{
	const struct stack_trie *trie = &e->profile->trie;
	const struct placed_branch *order = e->profile->order;
	uint32_t before = 0; /* the depth of the node before */
	size_t nr = trie->branches.nr - 1;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		uint32_t pops = before + 1 - order[i].depth;

		before = order[i].depth + trie->branches.data[order[i].branch].nr - 1;
		ret = encode_branch(e, order[i].branch, pops,
				    i + 1 == nr || order[i + 1].depth <= before);
	}
	return ret;
}

int page_print_profile(struct textbuf *out, const struct page_profile *profile,
		       const struct page_functions *functions)
{
	struct encoder e = {.profile = profile, .root = functions->items.nr};
	int ret;

	e.nr_successors = calloc((size_t)e.root + 1, sizeof(*e.nr_successors));
	for (int i = 0; i < NR_COLUMNS; i++)
		e.columns[i] = (struct textbuf){.fd = -1};
	ret = e.nr_successors ? encode_nodes(&e) : -ENOMEM;
	for (int i = 0; i < NR_COLUMNS; i++) {
		page_print_section(out, &e.columns[i]);
		textbuf_deinit(&e.columns[i]);
	}
	index_deinit(&e.index);
	vec_free(&e.successors);
	free(e.nr_successors);
	return ret ? ret : out->error;
}
