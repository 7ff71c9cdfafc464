// SPDX-License-Identifier: GPL-2.0-or-later
// Folded stacks of a profile under each choice.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {StackFilter, deriveSandwich, deriveTree, escapeFrame, foldTree, initialState, processFunctions, weighSlots}, smallProfile} = require("../scripts.js");

function treeOf(changes) {
	const profile = smallProfile(), choice = {...initialState(), ...changes};
	return deriveTree(profile, choice, weighSlots(profile, choice));
}

const fold = choice => foldTree(treeOf(choice)).trim().split("\n");
const whole = ["t1;main 2", "t1;main;work 4", "t2;main 6"];

check("all, and a stretch of time", () => {
	assert.deepStrictEqual(fold({}), whole);
	assert.deepStrictEqual(fold({time: [0, 1000]}), ["t1;main 2", "t1;main;work 3"]);
});
check("all together, or by process", () => {
	assert.deepStrictEqual(fold({group: "none"}), ["main 8", "main;work 4"]);
	assert.deepStrictEqual(fold({group: "processes"}), ["srv (7);main 2", "srv (7);main;work 4", "process (8);main 6"]);
});
check("focus, ignore, remove, and matches alone", () => {
	assert.deepStrictEqual(fold({focus: [1]}), ["t1;main;work 4"]);
	assert.deepStrictEqual(fold({ignore: [1]}), ["t1;main 2", "t2;main 6"]);
	assert.deepStrictEqual(fold({remove: [0]}), ["t1 2", "t1;work 4", "t2 6"]);
	assert.deepStrictEqual(fold({matching: true, flags: [0, 1, 0, 0, 0]}), ["t1;main;work 4"]);
});
check("a search looks at the frames that are left, the focus at all", () => {
	assert.deepStrictEqual(fold({remove: [1], matching: true, flags: [0, 1, 0, 0, 0]}), [""]);
	assert.deepStrictEqual(fold({remove: [1], focus: [1]}), ["t1;main 4"]);
});
check("processes are frames, too", () => {
	const [first, second] = processFunctions(smallProfile());
	assert.deepStrictEqual(fold({group: "processes", ignore: [first]}), ["process (8);main 6"]);
	assert.deepStrictEqual(fold({group: "processes", focus: [second]}), ["process (8);main 6"]);
	assert.deepStrictEqual(fold({group: "processes", remove: [first]}), ["main 2", "main;work 4", "process (8);main 6"]);
});
check("recursion collapses", () => {
	const filter = new StackFilter({...smallProfile(), maxDepth: 5}, {...initialState(), recursion: true});
	[2, 0, 0, 1, 0].forEach((fn, i) => filter.enter(fn, i + 1));
	assert.deepStrictEqual(filter.stack.slice(0, filter.used[5]), [2, 0, 1, 0]);
});
check("a baseline of one second is scaled to the two of the selection", () =>
	assert.deepStrictEqual(fold({time: [1000, 3000], baseline: [0, 1000]}), ["t1;main 4 0", "t1;main;work 6 1", "t2;main 0 6"]));
check("callers and callees", () => assert.deepStrictEqual(deriveSandwich(treeOf({}), 0).map(foldTree),
	["main;t1 6\nmain;t2 6\n", "main 8\nmain;work 4\n"]));
check("a semicolon in a name is escaped", () => assert.strictEqual(escapeFrame("a;b;"), "a\\x3bb\\x3b"));
