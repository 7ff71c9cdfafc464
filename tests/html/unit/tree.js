// SPDX-License-Identifier: GPL-2.0-or-later
// Trees of stacks, and their sums.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {CalleeMerger, ancestorsOf, beforeOf, setSums, sameNode, sumFunctions, totalOf, widthOf}, smallTree} = require("../scripts.js");

check("nodes of a function are one, in the order of functions, and nothing else changes", () => {
	const {functions} = smallTree(), tree = setSums({functions, nodes: [3, 2, 1, 0, 2, 0, 0, 1], ends: [8, 2, 5, 4, 5, 8, 8, 8], depths: [0, 1, 1, 2, 2, 1, 2, 3],
		maxDepth: 3}, [0, 1, 2, 3, 4, 5, 6, 7]);
	const merge = shown => {
		const merger = new CalleeMerger(tree, Int32Array.from(shown), new Uint8Array(4));
		merger.expand(0, 0, 0, 3);
		const {nodes, ends, depths, sums} = merger.finish();
		return [nodes, ends, depths, sums].map(column => [...column]);
	};
	assert.deepStrictEqual(merge([0, 1, 2, 3]), [[3, 0, 0, 1, 1, 0, 2, 2], [8, 4, 4, 4, 7, 6, 7, 8], [0, 1, 2, 3, 1, 2, 2, 1], [0, 0, 5, 11, 18, 20, 23, 27, 28]]);
	assert.deepStrictEqual(merge([0, 1, 1, 3]), [[3, 0, 0, 1, 1, 0, 1], [7, 4, 4, 4, 7, 6, 7], [0, 1, 2, 3, 1, 2, 2], [0, 0, 5, 11, 18, 21, 24, 28]]);
	assert.deepStrictEqual(merge([-1, 1, 2, 3]), [[3, 1, 2, 2], [4, 3, 3, 4], [0, 1, 2, 1], [0, 11, 23, 27, 28]]);
});
check("a difference: after, before, and the larger one as width", () => {
	const tree = setSums({nodes: [2, 0, 1], ends: [3, 2, 3]}, [0, 5, 0], [0, 1, 3]);
	assert.deepStrictEqual([totalOf(tree, 0), beforeOf(tree, 0), widthOf(tree, 0)], [5, 4, 8]);
	assert.deepStrictEqual([...setSums({nodes: [0, 0]}, [1, 2], [4, 0]).sums], [0, 4, 6]);
});
check("a node is found again by its path, if it has a width there", () => {
	const tree = smallTree(), other = setSums({nodes: [3, 0, 1, 1], ends: [4, 3, 3, 4], depths: [0, 1, 2, 1]}, [0, 0, 2, 3]);
	assert.deepStrictEqual([0, 1, 2, 3, 4].map(node => sameNode(other, tree, node)), [0, 1, 2, 0, 0]);
	const empty = setSums({nodes: [3, 0, 1], ends: [3, 2, 3], depths: [0, 1, 1]}, [0, 0, 3]);
	assert.strictEqual(sameNode(empty, tree, 1), 0);
});
check("ancestors", () => assert.deepStrictEqual([0, 3, 4].map(node => ancestorsOf(smallTree(), node)), [[0], [0, 1, 2, 3], [0, 4]]));
check("self, and total without double counting", () => {
	const {selfs, totals} = sumFunctions(smallTree());
	assert.deepStrictEqual([[...selfs], [...totals]], [[3, 3, 4, 0], [6, 4, 4, 0]]);
});
