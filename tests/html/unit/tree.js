// SPDX-License-Identifier: GPL-2.0-or-later
// Trees of stacks, and their sums.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {TreeBuilder, ancestorsOf, beforeOf, setSums, sameNode, sumFunctions, totalOf, widthOf}, smallTree} = require("../scripts.js");

function build(functions, stacks, isDiff) {
	const builder = new TreeBuilder(functions);
	for (const [stack, after, before] of stacks)
		builder.addStack(stack, stack.length, after, before || 0);
	return builder.finish(isDiff);
}

check("the tree does not depend on the order of stacks", () => {
	const stacks = [[[2], 4], [[0, 1, 0], 1], [[0], 2], [[0, 1], 1], [[0, 1], 2]], known = smallTree();
	for (const order of [stacks, [...stacks].reverse()]) {
		const tree = build(known.functions, order, false);
		for (const column of ["nodes", "ends", "depths", "sums"])
			assert.deepStrictEqual([...tree[column]], known[column], column);
		assert.strictEqual(tree.maxDepth, 3);
	}
});
check("it grows", () => {
	const tree = build({texts: Array(5001), all: 5000}, Array.from({length: 5000}, (_, fn) => [[fn], 1]), false);
	assert.deepStrictEqual([tree.nodes.length, totalOf(tree, 0)], [5001, 5000]);
});
check("a difference: after, before, and the larger one as width", () => {
	const tree = build({texts: ["f", "g", "all"], all: 2}, [[[0], 5, 1], [[1], 0, 3]], true);
	assert.deepStrictEqual([totalOf(tree, 0), beforeOf(tree, 0), widthOf(tree, 0)], [5, 4, 8]);
	assert.deepStrictEqual([...setSums({nodes: [0, 0]}, [1, 2], [4, 0]).sums], [0, 4, 6]);
});
check("a node is found again by its path, if it has a width there", () => {
	const tree = smallTree(), other = build(tree.functions, [[[0, 1], 2], [[1], 3]], false);
	assert.deepStrictEqual([0, 1, 2, 3, 4].map(node => sameNode(other, tree, node)), [0, 1, 2, 0, 0]);
	const empty = build(tree.functions, [[[0], 0], [[1], 3]], false);
	assert.strictEqual(sameNode(empty, tree, 1), 0);
});
check("ancestors", () => assert.deepStrictEqual([0, 3, 4].map(node => ancestorsOf(smallTree(), node)), [[0], [0, 1, 2, 3], [0, 4]]));
check("self, and total without double counting", () => {
	const {selfs, totals} = sumFunctions(smallTree());
	assert.deepStrictEqual([[...selfs], [...totals]], [[3, 3, 4, 0], [6, 4, 4, 0]]);
});
