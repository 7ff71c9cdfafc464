// SPDX-License-Identifier: GPL-2.0-or-later
// check_verdicts.js PAGE JSON: each function of the page has the verdict of profrep diff --json, and only functions that
// have changed are in colour.
"use strict";
const fs = require("fs");
const assert = require("assert");
const {readPageFile} = require("./page.js");

const [file, json] = process.argv.slice(2), {viewer, page} = readPageFile(file);
const profile = page.profiles[0], {functions, changes, changeOf} = profile, {items} = JSON.parse(fs.readFileSync(json, "utf8"));
const expected = new Map(items.map(item => [item.name, item]));
let nrChanged = 0;

functions.texts.forEach((text, fn) => {
	const isCode = fn !== functions.all && ["user", "kernel"].includes(viewer.KINDS[functions.kinds[fn]].name);
	const item = expected.get(text), change = changes[changeOf[fn]];
	assert.strictEqual(change !== undefined, isCode, text);
	if (!change)
		return;
	const [verdict, ...numbers] = change;
	assert.strictEqual(verdict, item.verdict, text);
	[item.before, item.after, item.change, item.low, item.high].forEach((number, i) =>
		assert.ok(number === numbers[i] || Math.abs(number - numbers[i]) <= 1e-4 * Math.abs(number), `${text}: ${number} is not ${numbers[i]}`));
	nrChanged += verdict === "changed";
});
assert.ok(nrChanged > 0 && nrChanged < changes.length, `${nrChanged} of ${changes.length} changed`);

const tree = viewer.weighNodes(profile, viewer.weighSlots(profile, {}), null), palette = new viewer.Palette(functions, false);
tree.profile = profile;
for (let node = 1; node < tree.nodes.length; node++) {
	const change = changes[changeOf[tree.nodes[node]]];
	if (viewer.nodeColor(tree, node, palette) !== palette.same)
		assert.strictEqual(change[0], "changed", functions.texts[tree.nodes[node]]);
}
assert.match(viewer.describeNode(tree, 2, "samples").join("\n"), /function in all stacks: [\d.]+ % before, .* 95 % interval .*: (changed|not)/);
