// SPDX-License-Identifier: GPL-2.0-or-later
// check_keys.js PAGE: the table of keys does all that the toolbar, the menu and the mouse do. TAP without a plan.
"use strict";
const assert = require("assert");
const {readPageFile} = require("./page.js");
const {check} = require("./tap.js");
const {html, script, viewer} = readPageFile(process.argv[2]);
const {ACTIONS, MOVES, HEAT_KEYS, FunctionTable, pressKey} = viewer;

// A viewer that notes what is called.
function fakeViewer(view) {
	const calls = [], note = name => (...args) => calls.push([name, ...args]);
	const tree = {functions: {texts: ["main"]}, nodes: [0], ends: [1], depths: [0]};
	const flame = {tree, selected: 0, isUp: true, window: {scrollTop: 0, clientHeight: 100}, neighbour: which => which};
	const known = {calls, state: {view}, flame, selectedFunction: () => 0, searchField: {select: note("search")}};
	known.pane = {truth: {open: false}, table: Object.assign(Object.create(FunctionTable.prototype), {
		window: {clientHeight: 100}, rowHeight: 20, fns: [7, 8, 9], at: 1, columns: ["self", "total"], order: "self", pick: note("pick"), move: note("move"), sortBy: note("sort")})};
	return new Proxy(known, {get: (target, name) => name in target ? target[name] : note(name)});
}

function press(view, key) {
	const fake = fakeViewer(view), isKnown = pressKey(fake, {key});
	return isKnown ? fake.calls.flat() : null;
}

check("each key has one meaning and a text", () => {
	assert.strictEqual(new Set(ACTIONS.map(({key}) => key)).size, ACTIONS.length);
	assert.ok([...ACTIONS, ...MOVES, ...HEAT_KEYS].every(({key, text}) => key && text));
});
check("each control of the toolbar has a key, and none other is named", () => {
	const toolbar = html.slice(html.indexOf("<header"), html.indexOf("</header>"));
	const controls = [...toolbar.matchAll(/<(?:button|select|input)[^>]* id="(\w+)"/g)].map(match => match[1]);
	assert.ok(controls.length > 8);
	assert.deepStrictEqual([...ACTIONS.filter(({control}) => control).map(({control}) => control)].sort(), controls.sort());
});
check("each action does something", () => {
	for (const {key} of ACTIONS.filter(each => each.key !== "i"))
		assert.ok(press("flame", key).length, key);
	const fake = fakeViewer("flame");
	pressKey(fake, {key: "i"});
	assert.ok(fake.pane.truth.open);
});
check("keys of the browser are left to it", () => {
	assert.strictEqual(pressKey(fakeViewer("flame"), {key: "f", ctrlKey: true}), false);
	for (const key of ["Tab", "F5", "Shift", "z"])
		assert.strictEqual(press("flame", key), null);
});
check("arrows move the selection", () => {
	assert.deepStrictEqual(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map(key => press("flame", key)[1]),
		["child", "parent", "previous", "next"]);
});
check("the table: rows, columns, order, and the choice of a row", () => {
	assert.deepStrictEqual(press("table", "ArrowDown"), ["move", 1]);
	assert.deepStrictEqual(press("table", "PageDown"), ["move", 3]);
	assert.deepStrictEqual(press("table", "Home"), ["move", -3]);
	assert.deepStrictEqual(press("table", "ArrowRight"), ["sort", "total"]);
	assert.deepStrictEqual(press("table", "ArrowLeft"), ["sort", "total"]);
	assert.deepStrictEqual(press("table", "t"), ["sort", "self"]);
	assert.deepStrictEqual(press("table", "Enter"), ["pick", 8]);
	assert.strictEqual(press("table", "x"), null);
});
check("nothing else listens to the mouse", () => {
	// Each of these has keys: frames (actions of frames, arrows), rows and columns of the table, the time range and the
	// rows of the heat map, whose count is in the line of facts.
	const known = {pointermove: 3, pointerleave: 2, click: 2, contextmenu: 1, pointerdown: 2, pointerup: 1, onclick: 4};
	const heard = {};
	for (const [, added, set] of script.matchAll(/addEventListener\("(pointer\w+|mouse\w+|click|dblclick|wheel|contextmenu|drag\w*)"|\.(on(?:click|dblclick|wheel|mouse\w+|pointer\w+)) =/g))
		heard[added || set] = (heard[added || set] || 0) + 1;
	assert.deepStrictEqual(heard, known);
});
