// SPDX-License-Identifier: GPL-2.0-or-later
// The pictures of choices: what is shown, matched and called all is of the same stacks.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {choose, describeNode, foldTree, initialState, makePicture, slotsOf, timeOfSlots, totalOf}, smallProfile} = require("../scripts.js");

function pictureOf(changes, last) {
	const profile = last ? last.tree.profile : smallProfile();
	return makePicture(profile, choose({...initialState(), ...changes}, {functions: profile.functions, profiles: [profile]}), last);
}

const factsOf = ({tree, matched}) => [totalOf(tree, 0), tree.whole, matched];

check("all", () => assert.deepStrictEqual(factsOf(pictureOf({})), [12, 12, ""]));
check("the share of matches stays that of all", () => {
	assert.deepStrictEqual(factsOf(pictureOf({search: "work"})), [12, 12, "33.33 % of all"]);
	assert.deepStrictEqual(factsOf(pictureOf({search: "work", matching: true})), [4, 12, "33.33 % of all, 100.00 % of those shown"]);
	assert.deepStrictEqual(factsOf(pictureOf({search: "work", focus: [2]})), [6, 12, "33.33 % of all, 66.67 % of those shown"]);
});
check("a time range is all that there is", () => {
	assert.deepStrictEqual(factsOf(pictureOf({search: "work", time: [1000, 3000]})), [7, 7, "14.29 % of all in this time"]);
	assert.deepStrictEqual(factsOf(pictureOf({search: "work", matching: true, time: [1000, 3000]})),
		[1, 7, "14.29 % of all in this time, 100.00 % of those shown"]);
});
check("callers and callees have the shares of the stacks, with matches among callers, too", () => {
	const {callers, tree, matched} = pictureOf({view: "sandwich", pivot: 1, search: "^t1$"});
	assert.deepStrictEqual([callers, tree].map(foldTree), ["work;main;t1 4\n", "work 4\n"]);
	assert.strictEqual(matched, "33.33 % of all, 100.00 % of those shown");
	assert.match(describeNode(callers, 1, "samples")[2], /^total 4 samples: 33.33 % of all, 100.00 % of those shown/);
});
check("only matching without a search leaves all", () => assert.deepStrictEqual(factsOf(pictureOf({matching: true})), [12, 12, ""]));
check("a baseline is scaled, and so is all before", () => {
	const {tree, scale} = pictureOf({time: [1000, 3000], baseline: [0, 1000]});
	assert.deepStrictEqual([scale, tree.whole, tree.wholeBefore], [2, 7, 10]);
});
check("what a choice does not change is taken over", () => {
	const first = pictureOf({}), searched = pictureOf({search: "work"}, first), timed = pictureOf({time: [0, 1000]}, first);
	assert.ok(searched.tree === first.tree && searched.heatRows !== first.heatRows);
	const inverted = pictureOf({view: "inverted"}, first);
	assert.ok(inverted.tree !== first.tree && inverted.stacks === first.stacks && inverted.heatRows === first.heatRows);
	assert.ok(timed.tree !== first.tree && timed.heatRows === first.heatRows);
	assert.ok(pictureOf({ignore: [1]}, timed).heatRows !== first.heatRows);
	assert.ok(pictureOf({search: "work", matching: true}, searched).tree !== first.tree);
});
check("slots of a time range, in profiles with other slots, too", () => {
	const profile = smallProfile(), other = {slots: [0, 500, 500, 1000, 1000, 1000]};
	assert.deepStrictEqual([[0, 0], [0, 1], [1, 1]].map(slots => slotsOf(profile, timeOfSlots(profile, slots))), [[0, 0], [0, 1], [1, 1]]);
	assert.deepStrictEqual(slotsOf(other, [0, 1000]), [0, 1]);
	assert.deepStrictEqual(slotsOf(other, timeOfSlots(other, [2, 2])), [2, 2]);
	const [first, last] = slotsOf(other, [2000, 3000]);
	assert.ok(last < first);
});
