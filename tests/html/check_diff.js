// SPDX-License-Identifier: GPL-2.0-or-later
// check_diff.js PAGE FOLDED: the picture of differences in the page has the counts of profrep diff -f, and each frame is
// as wide as the larger of its counts and of the frames on it.
"use strict";
const fs = require("fs");
const assert = require("assert");
const {readPageFile} = require("./page.js");

const [file, folded] = process.argv.slice(2), {viewer, page} = readPageFile(file);
const tree = viewer.weighNodes(page.profiles[0], viewer.weighSlots(page.profiles[0], {}), null);

// A scaled count is cut to a whole number by profrep, and rounded in the page.
const expected = fs.readFileSync(folded, "utf8").split("\n").filter(Boolean).sort();
const lines = viewer.foldTree(tree).split("\n").filter(Boolean).sort();
assert.strictEqual(lines.length, expected.length);
lines.forEach((line, i) => {
	const [, stack, before, after] = /^(.*) (\d+) (\d+)$/.exec(line), [, wanted, old, now] = /^(.*) (\d+) (\d+)$/.exec(expected[i]);
	assert.deepStrictEqual([stack, after], [wanted, now]);
	assert.ok(before - old === 0 || before - old === 1, `${before} is not ${old}`);
});
for (let i = 0; i < tree.nodes.length; i++)
	assert.ok(viewer.widthOf(tree, i) >= Math.max(viewer.totalOf(tree, i), viewer.beforeOf(tree, i)), `width of ${i}`);
