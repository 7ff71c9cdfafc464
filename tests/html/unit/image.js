// SPDX-License-Identifier: GPL-2.0-or-later
// The graph as SVG.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {colorOf, escapeXml, svgOf}, smallTree} = require("../scripts.js");

check("colours and texts", () => {
	assert.strictEqual(colorOf(0xff0a64ff), "#ff640a");
	assert.strictEqual(escapeXml("<a&\"'\0\x1b>"), "&#60;a&#38;&#34;&#39;\ufffd\ufffd&#62;");
});
check("a frame is a rectangle with its facts, and its name where that fits", () => {
	const tree = smallTree(), palette = {of: () => 0xff000000, match: 0xffffffff, text: "#111", back: "#fff"};
	tree.functions.texts[2] = "<script>";
	const svg = svgOf({tree, palette, zoomed: 0, width: 100, isUp: false, matches: {flags: [0, 1, 0, 0]}}, "samples");
	assert.strictEqual(svg.match(/<g>/g).length, 5);
	assert.match(svg, /<rect x="20.0" y="36" width="39.0" height="17" fill="#ffffff"\/><text x="23.0" y="49">b<\/text>/);
	assert.doesNotMatch(svg, /<script/);
	assert.match(svg, /<title>&#60;script&#62;\nno name, libx.so\ntotal 4 samples: 40.00 % of all/);
	assert.strictEqual(svgOf({tree, palette, zoomed: 4, width: 100, isUp: true}, "samples").match(/<g>/g).length, 2);
});
