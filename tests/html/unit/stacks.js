// SPDX-License-Identifier: GPL-2.0-or-later
// Folded stacks of a profile under each choice.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {deriveInverted, deriveSandwich, deriveTree, escapeFrame, foldTree, initialState, processFunctions, weighSlots}, smallProfile, profileOf} = require("../scripts.js");

function treeOf(changes) {
	const profile = smallProfile(), choice = {...initialState(), ...changes};
	return deriveTree(profile, choice, weighSlots(profile, choice));
}

// Stacks of four functions under two threads.
function randomStacks() {
	const stacks = [];
	for (let i = 0, seed = 1; i < 300; i++) {
		const frames = ["t", "u"].slice(i % 2).slice(0, 1);
		for (let n = 1 + i % 7; n; n--) {
			seed = Math.imul(seed, 1103515245) + 12345 >>> 0;
			frames.push("abcd"[seed >>> 30]);
		}
		stacks.push(`${frames.join(";")} ${1 + i % 5}`);
	}
	return stacks;
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
	const profile = profileOf(["a;b;b;a 1", "a;b;b;b;c 2", "a;b;c 3", "d;d 4"]), choice = {...initialState(), recursion: true};
	assert.strictEqual(foldTree(deriveTree(profile, choice, weighSlots(profile, choice))), "a;b;a 1\na;b;c 5\nd 4\n");
});
check("a baseline of one second is scaled to the two of the selection", () =>
	assert.deepStrictEqual(fold({time: [1000, 3000], baseline: [0, 1000]}), ["t1;main 4 0", "t1;main;work 6 1", "t2;main 0 6"]));
check("callers and callees", () => assert.deepStrictEqual(deriveSandwich(treeOf({}), 0).map(foldTree),
	["main;t1 6\nmain;t2 6\n", "main 8\nmain;work 4\n"]));
check("a frame that is removed makes one of those around it", () => {
	const profile = profileOf(["t;a;b;a;c 1", "t;a;c 2", "t;b;c 4"]), choice = {...initialState(), recursion: true, remove: [profile.functions.texts.indexOf("b")]};
	assert.strictEqual(foldTree(deriveTree(profile, choice, weighSlots(profile, choice))), "t;a;c 3\nt;c 4\n");
});
check("the inverted tree has each stack from its end on, the heaviest first", () => {
	assert.strictEqual(foldTree(deriveInverted(treeOf({}))), "main;t2 6\nmain;t1 2\nwork;main;t1 4\n");
	assert.strictEqual(foldTree(deriveInverted(treeOf({time: [1000, 3000], baseline: [0, 1000]}))), "main;t2 0 6\nmain;t1 4 0\nwork;main;t1 6 1\n");
	const random = randomStacks(), profile = profileOf(random), tree = deriveTree(profile, initialState(), weighSlots(profile, {}));
	const turned = line => line.replace(/^(.*) (\d+)$/, (_, stack, count) => `${stack.split(";").reverse().join(";")} ${count}`);
	assert.deepStrictEqual(foldTree(deriveInverted(tree)).trim().split("\n").sort(), foldTree(tree).trim().split("\n").map(turned).sort());
});
check("random stacks stay what they are", () => {
	const profile = profileOf(randomStacks()), fold = choice => foldTree(deriveTree(profile, choice, weighSlots(profile, {}))).trim().split("\n");
	const without = new Map();
	for (const line of fold(initialState())) {
		const [stack, count] = line.split(" "), frames = stack.split(";").filter((frame, i, all) => i && frame !== "b");
		const left = frames.filter((frame, i) => frame !== frames[i - 1]).join(";");
		without.set(left, (without.get(left) || 0) + Number(count));
	}
	assert.deepStrictEqual(fold({...initialState(), group: "none", recursion: true, remove: [profile.functions.texts.indexOf("b")]}).sort(),
		[...without].filter(([stack]) => stack).map(line => line.join(" ")).sort());
});
check("a semicolon in a name is escaped", () => assert.strictEqual(escapeFrame("a;b;"), "a\\x3bb\\x3b"));
