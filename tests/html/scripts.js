// SPDX-License-Identifier: GPL-2.0-or-later
// The viewer's scripts for unit tests, with a tree and a profile that were made by hand.
"use strict";
const fs = require("fs");
const path = require("path");
const {namesOf} = require("./page.js");

// Returns the top-level names of all scripts, which share one scope. They run in node's own world, so that their arrays
// equal the test's.
function loadScripts() {
	const top = path.join(__dirname, "../.."), list = fs.readFileSync(path.join(top, "mk/html.mk"), "utf8");
	const files = /^HTML_SCRIPTS := (?:.*\\\n)*.*/m.exec(list)[0].match(/\w+\.js/g);
	const script = files.map(file => fs.readFileSync(path.join(top, "report/html", file), "utf8")).join("");
	return new Function(`"use strict"; ${script}\nreturn {${namesOf(script).join(", ")}};`)();
}

// An object of the class without the work of its constructor, which needs a document.
function bare({prototype}, members) {
	return Object.assign(Object.create(prototype), members);
}

// Stacks a 2, a;b 3, a;b;a 1 and c 4.
function smallTree() {
	const functions = {texts: ["a", "b", "c", "all"], kinds: [1, 2, 5, 6], modules: ["prog", "vmlinux", "libx.so", ""],
		places: ["", "b.c:7", "", ""], all: 3};
	return {functions, nodes: [3, 0, 1, 0, 2], ends: [5, 4, 4, 4, 5], depths: [0, 1, 2, 3, 1], sums: [0, 0, 2, 5, 6, 10],
		maxDepth: 3, isDiff: false, whole: 10, profile: smallProfile()};
}

// The first second has t1;main 2 and t1;main;work 3. The next two have t1;main;work 1 and t2;main 6, of another process.
function smallProfile() {
	const functions = {texts: ["main", "work", "t1", "t2", "all"], kinds: [1, 1, 0, 0, 6], modules: ["", "", "", "", ""],
		places: ["", "", "", "", ""], all: 4};
	return {functions, nodes: [4, 2, 0, 1, 3, 0], ends: [6, 4, 4, 4, 6, 6], depths: [0, 1, 2, 3, 1, 2], maxDepth: 3,
		firstCells: [0, 0, 0, 1, 3, 3, 4], processOfCell: [0, 0, 0, 1], slotOfCell: [0, 0, 1, 1], countOfCell: [2, 3, 1, 6],
		slots: [0, 1000, 1000, 3000], processes: [[7, "srv"], [8, ""]], parts: [{unit: "samples", event: "cpu-clock", weight: "", total: 12}], isDiff: false};
}

// A profile of folded stacks, the first frames of which are threads. It has one slot.
function profileOf(stacks) {
	const names = [...new Set(stacks.flatMap(line => line.replace(/ \d+$/, "").split(";")))].sort(), {texts, all, kinds} = {texts: [...names, "all"], all: names.length,
		kinds: names.map(name => stacks.some(line => line.startsWith(name + ";")) ? 0 : 1).concat(6)};
	const root = {below: new Map(), count: 0};
	for (const line of stacks) {
		const [, stack, count] = /^(.*) (\d+)$/.exec(line);
		let at = root;
		for (const fn of stack.split(";").map(name => names.indexOf(name))) {
			if (!at.below.has(fn))
				at.below.set(fn, {below: new Map(), count: 0});
			at = at.below.get(fn);
		}
		at.count += Number(count);
	}
	const profile = {functions: {texts, kinds, modules: texts.map(() => ""), places: texts.map(() => ""), all}, nodes: [], ends: [], depths: [], firstCells: [], maxDepth: 0,
		processOfCell: [], slotOfCell: [], countOfCell: [], slots: [0, 1000], processes: [[7, "srv"]], parts: [{unit: "samples", event: "cpu-clock", weight: "", total: 12}], isDiff: false};
	const visit = (node, fn, depth) => {
		const at = profile.nodes.push(fn) - 1;
		profile.depths.push(depth);
		profile.maxDepth = Math.max(profile.maxDepth, depth);
		profile.firstCells.push(profile.countOfCell.length);
		if (node.count) {
			profile.processOfCell.push(0);
			profile.slotOfCell.push(0);
			profile.countOfCell.push(node.count);
		}
		for (const [below, child] of [...node.below].sort(([a], [b]) => a - b))
			visit(child, below, depth + 1);
		profile.ends[at] = profile.nodes.length;
	};
	visit(root, all, 0);
	profile.firstCells.push(profile.countOfCell.length);
	return profile;
}

module.exports = {scripts: loadScripts(), bare, smallTree, smallProfile, profileOf};
