// SPDX-License-Identifier: GPL-2.0-or-later
// A page of bytes that were made by hand.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {readPage}} = require("../scripts.js");

const bytesOf = what => typeof what === "string" ? [...Buffer.from(what)] : what;
const section = what => [bytesOf(what).length, ...bytesOf(what)];

// Nodes: a, a;b, a;b;a, a;b;a;b (the known successor of a), and c. The last has counts of two processes.
const facts = JSON.stringify({languages: [], profiles: [{nrNodes: 5, nrCells: 4, nrBefore: 0}]});
const {functions, profiles: [profile]} = readPage(Uint8Array.from([facts,
	"a\nb\nc\n", [1, 2, 5], "\nvmlinux\n", [0, 1, 0], "\na.c\n", [1, 1, 0], [9, 0, 0],
	[0, 0, 0, 0, 4], [0, 0, 0, 1, 0], [0, 1, 0, 2], [0, 0, 0, 0],
	[1, 0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 1, 0], [2, 0xac, 2, 4, 5]].flatMap(section)));

check("functions, and one that stands for all", () => {
	assert.deepStrictEqual([functions.texts, functions.kinds, functions.all], [["a", "b", "c", "all"], [1, 2, 5, 6], 3]);
	assert.deepStrictEqual([functions.modules, functions.places], [["", "vmlinux", "", ""], ["a.c:9", "a.c", "", ""]]);
});
check("nodes in pre-order", () => {
	assert.deepStrictEqual([[...profile.nodes], [...profile.ends]], [[3, 0, 1, 0, 1, 2], [6, 5, 5, 5, 5, 6]]);
	assert.deepStrictEqual([[...profile.depths], profile.maxDepth], [[0, 1, 2, 3, 4, 1], 4]);
});
check("counts by process and slot; a process begins at slot 0", () => {
	assert.deepStrictEqual([...profile.firstCells], [0, 0, 1, 1, 1, 2, 4]);
	assert.deepStrictEqual([[...profile.processOfCell], [...profile.slotOfCell], [...profile.countOfCell]],
		[[0, 0, 0, 1], [0, 1, 1, 0], [2, 300, 4, 5]]);
	assert.strictEqual(profile.isDiff, false);
});
