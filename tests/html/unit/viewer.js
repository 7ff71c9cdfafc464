// SPDX-License-Identifier: GPL-2.0-or-later
// Choices of the viewer that need no element of the page.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Viewer, initialState}, bare, smallTree} = require("../scripts.js");

function viewerOf(members) {
	const zoomed = [], flame = {tree: smallTree(), selected: 0, zoomed: 0};
	return bare(Viewer, {state: initialState(), flame, pane: {flame}, zoomed, zoom: node => zoomed.push(node), update: () => {},
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
check("matches come by turns, both ways", () => {
	const viewer = viewerOf();
	viewer.pane.matches = {tops: [1, 3, 4]};
	[1, 1, 1, 1, -1].forEach(step => viewer.nextMatch(step));
	assert.deepStrictEqual(viewer.zoomed, [1, 3, 4, 1, 4]);
});
check("callers and callees begin with a function", () => {
	const viewer = viewerOf();
	viewer.change({view: "sandwich"});
	assert.deepStrictEqual([viewer.state.view, viewer.state.pivot], ["sandwich", 2]);
});
check("a stretch in words", () => assert.strictEqual(viewerOf({pane: {profile: {slots: [0, 1500, 1500, 3000]}}}).describeStretch([0, 1]), "0 s to 3 s"));
