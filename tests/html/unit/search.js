// SPDX-License-Identifier: GPL-2.0-or-later
// The search in a tree of known stacks.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {countMatched, matchFunctions, matchNodes}, smallTree} = require("../scripts.js");

const tree = smallTree(), {functions} = tree;

check("a regular expression; the root is no function", () => {
	assert.deepStrictEqual([...matchFunctions(functions, "a|c")], [1, 0, 1, 0]);
	assert.deepStrictEqual([...matchFunctions(functions, "")], [0, 0, 0, 0]);
});
check("a capital letter, without (?i) in front, makes case count", () => {
	const found = pattern => [...matchFunctions({texts: ["sha", "SHA", "all"], all: 2}, pattern)];
	assert.deepStrictEqual(["sha", "SHA", "(?i)Sha", "Sha", "\\Sha", "[A-Z]"].map(found),
		[[1, 1, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0]]);
});
check("no regular expression is text", () =>
	assert.deepStrictEqual([...matchFunctions({texts: ["f(", "f", "all"], all: 2}, "f(")], [1, 0, 0]));
check("a match below a match is found, and counts once", () => {
	const {found, tops} = matchNodes(tree, [1, 0, 0, 0]);
	assert.deepStrictEqual([[...found], tops], [[1, 3], [1]]);
	assert.deepStrictEqual(matchNodes(tree, [0, 1, 1, 0]).tops, [2, 4]);
	assert.deepStrictEqual([[1, 0, 0, 0], [0, 1, 1, 0]].map(flags => countMatched(tree, flags, -1)), [6, 8]);
});
check("beside callers and callees the stacks with the function and a match count, wherever the match is", () =>
	assert.deepStrictEqual([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]].map(flags => [0, 1].map(pivot => countMatched(tree, flags, pivot))),
		[[6, 4], [4, 4], [0, 0]]));
