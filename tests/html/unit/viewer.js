// SPDX-License-Identifier: GPL-2.0-or-later
// Choices of the viewer that need no element of the page.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Viewer, initialState, titleOf}, bare, smallTree} = require("../scripts.js");

function viewerOf(members) {
	const zoomed = [], flame = {tree: smallTree(), selected: 0, zoomed: 0};
	return bare(Viewer, {state: initialState(), flame, pane: {flame, tree: smallTree()}, zoomed, zoom: node => zoomed.push(node), update: () => {},
		activate: () => {}, select: node => flame.selected = node, ...members});
}

check("without a selected frame the function with the largest self counts", () => {
	const viewer = viewerOf();
	assert.strictEqual(viewer.selectedFunction(), 2);
	viewer.flame.selected = 3;
	assert.strictEqual(viewer.selectedFunction(), 0);
});
check("a function goes into a list, and out of it", () => {
	const viewer = viewerOf(), lists = [1, 2].map(() => (viewer.toggleFunction("focus"), viewer.state.focus));
	assert.deepStrictEqual(lists, [[2], []]);
});
check("matches come by turns, both ways, the widest first", () => {
	const viewer = viewerOf();
	viewer.pane.matches = {tops: [1, 3, 4]};
	[1, 1, 1, 1, -1].forEach(step => viewer.nextMatch(step));
	assert.deepStrictEqual(viewer.zoomed, [1, 4, 3, 1, 3]);
});
check("callers and callees begin with a function", () => {
	const viewer = viewerOf();
	viewer.change({view: "sandwich"});
	assert.deepStrictEqual([viewer.state.view, viewer.state.pivot], ["sandwich", 2]);
});
check("a reset leaves nothing of a choice, nor of a selection", () => {
	const note = [], graph = () => ({zoomed: 3, selected: 4}), panes = [{flame: graph(), callers: graph(), table: {reset: () => note.push("table")}}];
	const viewer = viewerOf({panes, hideDetails: () => note.push("details"), state: {...initialState(), focus: [1], time: [0, 1], missing: ["x"], theme: "dark"}});
	viewer.reset();
	assert.deepStrictEqual(viewer.state, {...initialState(), theme: "dark"});
	assert.deepStrictEqual([panes[0].flame, panes[0].callers, note], [{zoomed: 0, selected: 0}, {zoomed: 0, selected: 0}, ["table", "details"]]);
});
check("details are of the selection in the new picture, or of nothing", () => {
	const calls = [], box = {hidden: false}, viewer = viewerOf({find: () => box, showSelected: () => calls.push("selection"), hideDetails: () => calls.push("nothing")});
	viewer.refreshDetails();
	viewer.flame.selected = 2;
	viewer.refreshDetails();
	viewer.state.view = "table";
	viewer.refreshDetails();
	box.hidden = true;
	viewer.refreshDetails();
	assert.deepStrictEqual(calls, ["nothing", "selection", "nothing"]);
});
check("a title has the names of files, and the first of several", () => {
	const parts = ["../out/a.prof", "/tmp/b.prof", "c.prof"].map(file => ({file}));
	assert.strictEqual(titleOf({parts: parts.slice(0, 1)}), "a.prof");
	assert.strictEqual(titleOf({parts}), "a.prof and 2 more");
	assert.strictEqual(titleOf({parts, isDiff: true, nrBefore: 2}), "a.prof and 1 more to c.prof");
	assert.strictEqual(titleOf({parts: [{file: "old/a.prof"}, {file: "new/a.prof"}], isDiff: true, nrBefore: 1}), "old/a.prof to new/a.prof");
});
