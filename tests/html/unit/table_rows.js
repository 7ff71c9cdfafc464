// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the table: files and processes.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {initialState, tableRows, weighNodes, weighSlots}, smallProfile, smallTree, profileOf} = require("../scripts.js");

const rows = ({functions, sums}) => functions.texts.map((text, row) => [text, ...Object.values(sums).map(sum => sum[row])]);

check("files: a file counts once in a stack", () => {
	assert.deepStrictEqual(rows(tableRows("file", smallTree())), [["libx.so", 4, 4], ["prog", 3, 6], ["vmlinux", 3, 4]]);
	const profile = profileOf(["t;a;b;a 1", "t;b 2"]), {functions} = profile;
	functions.modules[functions.texts.indexOf("b")] = "lib";
	assert.deepStrictEqual(rows(tableRows("file", weighNodes(profile, weighSlots(profile, {}), null))), [["no file", 1, 1], ["lib", 2, 3]]);
});
check("processes, of the stacks of the choice, and before", () => {
	const profile = smallProfile(), of = changes => rows(tableRows("process", null, profile, {...initialState(), ...changes}));
	assert.deepStrictEqual(of({}), [["srv (7)", 6, 6], ["process (8)", 6, 6]]);
	assert.deepStrictEqual(of({focus: [1]}), [["srv (7)", 4, 4], ["process (8)", 0, 0]]);
	assert.deepStrictEqual(of({time: [1000, 3000], baseline: [0, 1000]}), [["srv (7)", 1, 1, 10, 10], ["process (8)", 6, 6, 0, 0]]);
});
check("functions", () => assert.deepStrictEqual(rows(tableRows("function", smallTree())).slice(0, 2), [["a", 3, 6], ["b", 3, 4]]));
