// SPDX-License-Identifier: GPL-2.0-or-later
// check_page.js PAGE FOLDED...: the page holds what the files hold, one for each picture: the output of profrep -f -P with
// the names of pictures. TAP without a plan; the caller adds up.
"use strict";
const fs = require("fs");
const assert = require("assert");
const {element, readPageFile, sha256} = require("./page.js");
const {check} = require("./tap.js");

// Random numbers that are equal each time.
let state = 1;
function random(below) {
	state = Math.imul(state, 1103515245) + 12345 >>> 0;
	return Math.floor(state / 4294967296 * below);
}

function readFolded(text) {
	const stacks = new Map();
	for (const line of text.split("\n").filter(Boolean)) {
		const at = line.lastIndexOf(" "), stack = line.slice(0, at);
		stacks.set(stack, (stacks.get(stack) || 0) + Number(line.slice(at + 1)));
	}
	return stacks;
}

function addTo(map, key, number) {
	map.set(key, (map.get(key) || 0) + number);
}

// Self and total of each name.
function sumByName(stacks) {
	const selfs = new Map(), totals = new Map();
	for (const [stack, count] of stacks) {
		const frames = stack.split(";");
		addTo(selfs, frames[frames.length - 1], count);
		for (const frame of new Set(frames))
			addTo(totals, frame, count);
	}
	return {selfs, totals};
}

function sorted(map) {
	return [...map].filter(([, count]) => count).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
}

function randomRegex(names) {
	const name = (names[random(names.length)] || "main").slice(0, 200), at = random(name.length);
	const piece = name.slice(at, at + 1 + random(8)).replace(/[^\w:]/g, ".");
	return [piece, `^${piece}`, `${piece}$`, `${piece[0]}.*${piece[piece.length - 1]}`, `${piece}|main`, `[${piece[0]}-z]{2}`][random(6)];
}

function checkSums(viewer, tree, expected) {
	const {texts} = tree.functions, {selfs} = viewer.sumFunctions(tree), byName = new Map();
	selfs.forEach((self, fn) => addTo(byName, viewer.escapeFrame(texts[fn]), self));
	assert.deepStrictEqual(sorted(byName), sorted(expected.selfs));
	for (const [name, total] of expected.totals) {
		const flags = Uint8Array.from(texts, text => viewer.escapeFrame(text) === name);
		assert.strictEqual(viewer.countMatched(tree, flags, -1), total, name);
	}
}

function checkRegexes(viewer, tree, stacks, names, nr) {
	// A regex is asked of each name once, not of each frame.
	const frames = new Map(), lists = [];
	for (const [stack, count] of stacks)
		lists.push([count, stack.split(";").map(frame => frames.get(frame) ?? frames.set(frame, frames.size).size - 1)]);
	const texts = [...frames.keys()].map(frame => frame.replaceAll("\\x3b", ";"));
	for (let i = 0; i < nr; i++) {
		const regex = randomRegex(names), re = new RegExp(regex, /[A-Z]/.test(regex) ? "" : "i");
		const matches = texts.map(text => re.test(text));
		let expected = 0;
		for (const [count, list] of lists)
			if (list.some(frame => matches[frame]))
				expected += count;
		assert.strictEqual(viewer.countMatched(tree, viewer.matchFunctions(tree.functions, regex), -1), expected, regex);
	}
}

function checkProfile(viewer, profile, file, nr) {
	const stacks = readFolded(fs.readFileSync(file, "utf8")), name = `picture ${nr + 1}`;
	const weights = viewer.weighSlots(profile, {}), tree = viewer.weighNodes(profile, weights, null);
	const expected = sumByName(stacks), names = [...expected.totals.keys()];
	const built = viewer.deriveTree(profile, {...viewer.initialState(), remove: [tree.functions.all]}, weights);
	check(`${name}: stacks are those of profrep -f`, () =>
		assert.deepStrictEqual(sorted(readFolded(viewer.foldTree(tree))), sorted(stacks)));
	check(`${name}: a tree that is made anew is the tree of the page`, () =>
		assert.deepStrictEqual([built.nodes, built.ends, built.depths, built.sums], [tree.nodes, tree.ends, tree.depths, tree.sums]));
	check(`${name}: self and total of each function`, () => checkSums(viewer, tree, expected));
	if (names.length)
		check(`${name}: the share of 1,000 random searches`, () => checkRegexes(viewer, tree, stacks, names, 1000));
}

const [file, ...foldedFiles] = process.argv.slice(2);
const {html, script, viewer, page} = readPageFile(file);
const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];

check("the policy allows nothing but the viewer", () => {
	const loader = element(html, "script", "");
	assert.strictEqual(policy, `default-src 'none'; style-src ${sha256(element(html, "style", ""))}; ` +
		`script-src ${sha256(loader)} ${sha256(script)}; base-uri 'none'; form-action 'none'`);
});
check("the markup names no address", () => assert.doesNotMatch(html, /(src|href|url|action)\s*[=(]/i));
check("a picture for each file", () => assert.strictEqual(page.profiles.length, foldedFiles.length));
page.profiles.forEach((profile, nr) => checkProfile(viewer, profile, foldedFiles[nr], nr));
