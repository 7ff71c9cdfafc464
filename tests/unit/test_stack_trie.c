// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/stack_trie.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define FUNCTIONS 40
#define DEPTH     6
#define STACKS    20000

/* A stack of functions from 1 on; 0 ends it. */
struct stack {
	uint32_t functions[DEPTH + 1];
	uint64_t count;
};

static int compare_stacks(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	for (size_t i = 0; i < DEPTH; i++)
		if (x->functions[i] != y->functions[i])
			return x->functions[i] < y->functions[i] ? -1 : 1;
	return 0;
}

/* Most nodes have few children, and some as many as there are functions. */
static void make_stack(struct random *r, struct stack *stack)
{
	uint32_t depth = 1 + random_below(r, DEPTH);

	*stack = (struct stack){.count = 1};
	for (uint32_t i = 0; i < depth; i++)
		stack->functions[i] = 1 + random_below(r, i % 2 ? 3 : FUNCTIONS);
}

static void add(struct stack_trie *trie, const struct stack *stack)
{
	struct trie_cell cell = {.count = 1};
	size_t nr = 0;

	while (stack->functions[nr])
		nr++;
	ck_assert_int_eq(stack_trie_add(trie, 0, stack->functions, nr, &cell.branch), 0);
	ck_assert_int_eq(vec_push(&trie->cells, cell), 0);
}

/* Adds up equal stacks of the sorted @nr. Returns their number. */
static size_t add_up(struct stack *stacks, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 1; i < nr; i++) {
		if (!compare_stacks(&stacks[kept], &stacks[i]))
			stacks[kept].count += stacks[i].count;
		else
			stacks[++kept] = stacks[i];
	}
	return kept + 1;
}

START_TEST(random_stacks)
{
	static struct stack stacks[STACKS];
	uint32_t new_ids[FUNCTIONS + 1], path[DEPTH] = {0};
	struct placed_branch *order;
	struct stack_trie trie;
	struct random r = {.state = 1};
	size_t nr, at = 0;

	ck_assert_int_eq(stack_trie_init(&trie), 0);
	for (size_t i = 0; i < STACKS; i++) {
		make_stack(&r, &stacks[i]);
		add(&trie, &stacks[i]);
	}
	/* In the other order of functions. */
	for (uint32_t i = 0; i <= FUNCTIONS; i++)
		new_ids[i] = FUNCTIONS - i + 1;
	for (size_t i = 0; i < STACKS; i++)
		for (size_t k = 0; stacks[i].functions[k]; k++)
			stacks[i].functions[k] = new_ids[stacks[i].functions[k]];
	qsort(stacks, STACKS, sizeof(*stacks), compare_stacks);
	nr = add_up(stacks, STACKS);
	ck_assert_int_eq(stack_trie_sort(&trie, new_ids, &order), 0);
	ck_assert_uint_eq(trie.cells.nr, nr);
	for (size_t i = 0; i + 1 < trie.branches.nr; i++) {
		const struct trie_branch *branch = &trie.branches.data[order[i].branch];
		size_t depth = order[i].depth - 1;

		for (uint32_t k = 0; k < branch->nr; k++)
			path[depth++] = trie.functions.data[branch->first + k];
		if (!branch->next)
			continue;
		ck_assert_uint_eq(trie.cells.data[branch->next - 1].branch, order[i].branch);
		ck_assert_uint_eq(trie.cells.data[branch->next - 1].count, stacks[at].count);
		for (size_t k = 0; k < DEPTH; k++)
			ck_assert_uint_eq(k < depth ? path[k] : 0, stacks[at].functions[k]);
		at++;
	}
	ck_assert_uint_eq(at, nr);
	free(order);
	stack_trie_deinit(&trie);
}
END_TEST

SUITE_MAIN("stack_trie", random_stacks)
