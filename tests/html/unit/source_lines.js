// SPDX-License-Identifier: GPL-2.0-or-later
// The source lines of a function: which ones, and the words about them.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Viewer, describeFile, describeNoSource, hottestSource, sourceOfFunction}, bare, smallTree} = require("../scripts.js");

const sources = {leftOut: 0, functions: [{text: "b", module: "other", self: 9}, {text: "a", module: "prog", self: 3}, {text: "c", module: "libx.so", self: 5}]};
const profile = {sources, functions: smallTree().functions};

check("lines are those of the function of that name and file", () => {
	assert.deepStrictEqual([0, 1, 2, 3, -1].map(fn => sourceOfFunction(profile, fn)), [sources.functions[1], undefined, sources.functions[2], undefined, undefined]);
	assert.strictEqual(sourceOfFunction({functions: profile.functions}, 0), undefined);
});
check("the hottest function with lines is shown first", () => {
	assert.strictEqual(hottestSource({...profile, sources: {functions: sources.functions.slice(1)}}), 2);
	assert.strictEqual(hottestSource({...profile, sources: {functions: []}}), -1);
});
check("what is left out is said", () => {
	assert.strictEqual(describeNoSource(sources), "No lines of it are in this page. Lines need debug information.");
	assert.match(describeNoSource({...sources, leftOut: 7}), /^No lines of it are in this page, which has those of the 3 functions with the most samples; 7 more are left out\./);
});
check("a file that is missing or has changed", () => assert.deepStrictEqual(
	[["a.c", true, false], ["a.c", true, true], ["a.c", false, false], ["", false, false]].map(([path, found, changed]) => describeFile({path, found, changed})),
	["a.c", "a.c (changed since the recording)", "a.c (not found: see --source)", "no line known"]));
check("the function is the selected one, that of the row, or that of callers and callees", () => {
	const table = {fns: [2, 0], at: 1}, viewer = (state, selected) => bare(Viewer, {state: {by: "function", pivot: 1, ...state},
		pane: {table, profile}, flame: {tree: smallTree(), selected}}).sourceFunction();
	assert.deepStrictEqual([viewer({view: "flame"}, 4), viewer({view: "table"}, 4), viewer({view: "table", by: "file"}, 4), viewer({view: "sandwich"}, 0)], [2, 0, -1, 1]);
	table.fns = [];
	assert.strictEqual(viewer({view: "table"}, 0), -1);
});
