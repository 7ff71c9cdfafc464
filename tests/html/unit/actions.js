// SPDX-License-Identifier: GPL-2.0-or-later
// Keys that move, act, or belong to a field.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {isTyping, moveSelection, pressKey}} = require("../scripts.js");

globalThis.HTMLSelectElement = class {};
globalThis.HTMLInputElement = class {
	constructor(type) {
		this.type = type;
	}
};

function fakeViewer(isUp, view) {
	const calls = [], note = name => (...args) => calls.push([name, ...args]);
	const flame = {isUp, selected: 5, neighbour: which => which, window: {scrollTop: 200, clientHeight: 100}};
	return {calls, flame, state: {view, matching: false}, pane: {table: {pressKey: () => false}}, select: note("select"), zoom: note("zoom"),
		change: note("change")};
}

check("outward is up in a flame graph, and down in an icicle graph", () => {
	const pressed = [true, false].map(isUp => ["ArrowUp", "ArrowDown"].map(key => {
		const viewer = fakeViewer(isUp, "flame");
		moveSelection(viewer, key);
		return viewer.calls[0][1];
	}));
	assert.deepStrictEqual(pressed, [["child", "parent"], ["parent", "child"]]);
});
check("pages scroll", () => {
	const viewer = fakeViewer(true, "flame");
	assert.deepStrictEqual([moveSelection(viewer, "PageUp"), viewer.flame.window.scrollTop, moveSelection(viewer, "z")], [true, 100, false]);
});
check("actions of a frame do nothing in the table, and others do", () => {
	const viewers = ["flame", "table"].map(view => fakeViewer(true, view));
	assert.deepStrictEqual(viewers.map(viewer => [pressKey(viewer, {key: "Enter"}), pressKey(viewer, {key: "m"})]), [[true, true], [false, true]]);
	assert.deepStrictEqual(viewers.map(({calls}) => calls), [[["zoom", 5], ["change", {matching: true}]], [["change", {matching: true}]]]);
});
check("letters belong to fields and lists, not to boxes", () => {
	const targets = [new HTMLInputElement("text"), new HTMLSelectElement(), new HTMLInputElement("checkbox"), {}];
	assert.deepStrictEqual(targets.map(target => isTyping({target})), [true, true, false, false]);
});
