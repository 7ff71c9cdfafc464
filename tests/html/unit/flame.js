// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of a graph that is 100 pixels wide: 10 for each sample.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Flame, fitText, shortText}, bare, smallTree} = require("../scripts.js");

function flameOf(isUp, members) {
	return bare(Flame, {tree: smallTree(), isUp, zoomed: 0, selected: 0, ancestors: [0], perCount: 10, width: 100, height: 72, scale: 1,
		window: {scrollTop: 0, clientHeight: 72}, depths: [0, 3], texts: [], narrowTo: new Float64Array(5), ...members});
}

check("frames at places, with the root on top or at the bottom", () => {
	const places = [[50, 0], [5, 20], [65, 20], [25, 40], [5, 40], [65, 40], [55, 60], [100, 20]], nodes = [0, 1, 4, 2, -1, -1, 3, -1];
	assert.deepStrictEqual(places.map(([x, y]) => flameOf(false).nodeAt(x, y)), nodes);
	assert.deepStrictEqual(places.map(([x, y]) => flameOf(true).nodeAt(x, 71 - y)), nodes);
});
check("a root at the bottom stays there when the window shrinks, unless the user has scrolled", () => {
	const flame = flameOf(true, {matches: null, palette: {}, fit() { this.height = 200; }, drawSoon() {}, height: 200, window: {scrollTop: 128, clientHeight: 72}});
	const shrink = below => Object.assign(flame, {below}).show(flame.tree, true, null, {});
	flame.window.clientHeight = 40;
	assert.deepStrictEqual([50, 0].map(below => (shrink(below), flame.window.scrollTop)), [128, 200]);
});
check("stripped frames are short", () => assert.deepStrictEqual(["[libruby-3.1.so.3.1.2+0x24c610]", "[bash+0x75600]", "[libc.so.6+0x271d0]", "[unknown]", "a[0]"].map(shortText),
	["ruby+0x24c610", "bash+0x75600", "libc+0x271d0", "[unknown]", "a[0]"]));
check("a text that does not fit loses its qualifiers first", () => {
	const fit = (text, nrs) => nrs.map(nr => fitText(text, nr));
	assert.deepStrictEqual(fit("v8::internal::Call", [18, 12, 5, 4]), ["v8::internal::Call", "…ernal::Call", "…Call", "Call"]);
	assert.deepStrictEqual(fit("cmd/gc.compile(a.b, c)", [20, 8]), ["…/gc.compile(a.b, c)", "compile…"]);
	assert.deepStrictEqual(fit("execute_command", [8]), ["execute…"]);
	assert.deepStrictEqual(fit("<module>", [5]), ["<mod…"]);
	assert.deepStrictEqual(fit("trailing::", [6]), ["trail…"]);
});
check("neighbours", () => {
	const moves = [[0, "child"], [1, "child"], [3, "child"], [3, "parent"], [1, "next"], [4, "next"], [4, "previous"], [1, "previous"]];
	assert.deepStrictEqual(moves.map(([selected, which]) => flameOf(true, {selected}).neighbour(which)), [1, 2, 3, 2, 4, 4, 1, 1]);
});
check("each frame is a span of its row; wide ones have texts", () => {
	const spans = [], flame = flameOf(false, {raster: {span: (...args) => spans.push(args)}, palette: {of: fn => fn}});
	flame.drawNodes();
	assert.deepStrictEqual(spans, [[0, 0, 99, 3], [1, 0, 59, 0], [2, 20, 59, 1], [3, 50, 59, 0], [1, 60, 99, 2]]);
	assert.deepStrictEqual(flame.texts, [0, 0, 100, 1, 0, 60, 2, 20, 40, 4, 60, 40]);
});
check("narrow matches are two pixels wide", () => {
	const spans = [], flame = flameOf(false, {perCount: 0.1, raster: {span: (...args) => spans.push(args)}, palette: {match: 8}});
	flame.drawMatches({found: [2, 4], flags: [0, 1, 1, 0]});
	assert.deepStrictEqual(spans, [[2, 0, 2, 8], [1, 1, 3, 8]]);
});
