// SPDX-License-Identifier: GPL-2.0-or-later
// A pane without its elements: trees, shares, clicks.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Pane, foldTree, initialState}, bare, smallProfile, smallTree} = require("../scripts.js");

// A click at the left edge of a graph whose frame there is so numbered.
function click(node) {
	const calls = [], note = name => (...args) => calls.push([name, ...args]);
	const flame = {tree: {}, nodeAt: (x, y) => (calls.push([x, y]), node), canvas: {getBoundingClientRect: () => ({left: 10, top: 20})}};
	const pane = bare(Pane, {viewer: {activate: () => calls.push(["activate"]), zoom: note("zoom")}});
	pane.onClick(flame, {clientX: 13, clientY: 24});
	return calls;
}

check("trees are made anew for another choice alone", () => {
	const pane = bare(Pane, {profile: smallProfile()});
	pane.derive(initialState(), null, -1, "all");
	const first = pane.tree;
	pane.derive({...initialState(), ignore: [1]}, null, -1, "all");
	assert.strictEqual(pane.tree, first);
	pane.derive({...initialState(), ignore: [1]}, null, -1, "less");
	assert.strictEqual(foldTree(pane.tree), "t1;main 2\nt2;main 6\n");
	pane.derive(initialState(), null, 1, "callers");
	assert.deepStrictEqual([pane.callersTree, pane.tree].map(foldTree), ["work;main;t1 4\n", "work 4\n"]);
	assert.strictEqual(pane.callersTree.profile, pane.profile);
});
check("the share of matches", () => assert.deepStrictEqual([{total: 6}, null].map(matches =>
	bare(Pane, {matches, tree: smallTree()}).matched()), ["60.00 %", ""]));
check("a click zooms into the frame there, if there is one", () => {
	assert.deepStrictEqual(click(4), [[3, 4], ["activate"], ["zoom", 4]]);
	assert.deepStrictEqual(click(-1), [[3, 4]]);
});
