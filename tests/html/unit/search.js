// SPDX-License-Identifier: GPL-2.0-or-later
// The search in a tree of known stacks.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {matchFunctions, matchNodes}, smallTree} = require("../scripts.js");

const tree = smallTree(), {functions} = tree;

check("a regular expression; the root is no function", () => {
	assert.deepStrictEqual([...matchFunctions(functions, "a|c")], [1, 0, 1, 0]);
	assert.deepStrictEqual([...matchFunctions(functions, "")], [0, 0, 0, 0]);
});
check("(?i) ignores case", () => {
	assert.deepStrictEqual([...matchFunctions(functions, "(?i)B")], [0, 1, 0, 0]);
	assert.deepStrictEqual([...matchFunctions(functions, "B")], [0, 0, 0, 0]);
});
check("no regular expression is text", () =>
	assert.deepStrictEqual([...matchFunctions({texts: ["f(", "f", "all"], all: 2}, "f(")], [1, 0, 0]));
check("a match below a match is found, and counts once", () => {
	const {found, tops, total} = matchNodes(tree, [1, 0, 0, 0]);
	assert.deepStrictEqual([[...found], tops, total], [[1, 3], [1], 6]);
	assert.deepStrictEqual(matchNodes(tree, [0, 1, 1, 0]).tops, [2, 4]);
	assert.strictEqual(matchNodes(tree, [0, 1, 1, 0]).total, 8);
});
