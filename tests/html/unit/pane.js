// SPDX-License-Identifier: GPL-2.0-or-later
// A pane without its elements: clicks.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Pane}, bare} = require("../scripts.js");

// A click at the left edge of a graph whose frame there is so numbered.
function click(node) {
	const calls = [], note = name => (...args) => calls.push([name, ...args]);
	const flame = {tree: {}, nodeAt: (x, y) => (calls.push([x, y]), node), canvas: {getBoundingClientRect: () => ({left: 10, top: 20})}};
	const pane = bare(Pane, {viewer: {activate: () => calls.push(["activate"]), zoom: note("zoom")}});
	pane.onClick(flame, {clientX: 13, clientY: 24});
	return calls;
}

check("a click zooms into the frame there, if there is one", () => {
	assert.deepStrictEqual(click(4), [[3, 4], ["activate"], ["zoom", 4]]);
	assert.deepStrictEqual(click(-1), [[3, 4]]);
});
