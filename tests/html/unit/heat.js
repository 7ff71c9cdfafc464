// SPDX-License-Identifier: GPL-2.0-or-later
// Rows and time ranges of the heat map.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Heat, Palette, choose, initialState, leastSlot, makeHeatRows}, bare, profileOf, smallProfile} = require("../scripts.js");

// Slots of one and two seconds on 300 pixels, after 130 of names.
const rowsOf = (state, profile = smallProfile()) => makeHeatRows(profile, choose({...initialState(), ...state}, {functions: profile.functions, profiles: [profile]}));

function heatOf(state) {
	const chosen = [], changed = [], said = [], nothing = () => {};
	const heat = bare(Heat, {profile: smallProfile(), nrSlots: 2, leastSlot: 200, begin: 0, end: 3000, width: 430, state: {...initialState(), ...state}, rows: rowsOf(state), at: 0, window: {scrollTop: 0, clientHeight: 20},
		choose: (...args) => chosen.push(args), change: changes => changed.push(changes), say: text => said.push(text)});
	const press = (key, shiftKey) => heat.onKey({key, shiftKey, preventDefault: nothing, stopPropagation: nothing});
	return {heat, chosen, changed, said, press};
}

check("a row of all, which comes first, and of each thread", () => {
	const rows = state => rowsOf(state).map(({fn, counts}) => [fn, ...counts]);
	assert.deepStrictEqual(rows({}), [[4, 5, 7], [2, 5, 1], [3, 0, 6]]);
	assert.deepStrictEqual(rows({ignore: [3]}), [[4, 5, 1], [2, 5, 1]]);
});
check("rows have the stacks of the choice, of all times", () => {
	const rows = state => rowsOf(state).map(({counts}) => [...counts]);
	assert.deepStrictEqual(rows({focus: [1]}), [[3, 1], [3, 1]]);
	assert.deepStrictEqual(rows({search: "WORK|work", matching: true, time: [0, 1000]}), [[3, 1], [3, 1]]);
	assert.deepStrictEqual(rowsOf({group: "processes"}).map(({fn}) => fn), [4, 5, 6]);
});
check("all rows have the scale of all", () => {
	const {heat} = heatOf({});
	assert.deepStrictEqual([heat.mostOf(heat.rows[0]), heat.rate(heat.rows[1], 0)], [0.005, 0.005]);
	assert.strictEqual(heat.rate(heat.rows[2], 1) / heat.mostOf(heat.rows[0]), 0.6);
});
check("a last slot of a moment counts as a fifth of a second", () => {
	assert.strictEqual(leastSlot([0, 1000, 1000, 2000, 2000, 2003]), 200);
	assert.strictEqual(leastSlot([0, 1000]), 200);
});
check("or as long as most slots, if these are shorter", () => {
	assert.strictEqual(leastSlot([0, 20, 20, 40, 40, 41]), 20);
	assert.strictEqual(leastSlot([0, 100, 100, 5000, 5000, 5100, 5100, 5101]), 100);
	const {heat} = heatOf({});
	Object.assign(heat, {leastSlot: 20, profile: {slots: [0, 20, 20, 21]}});
	assert.deepStrictEqual([heat.rate({counts: [4, 1]}, 0), heat.rate({counts: [4, 1]}, 1)], [0.2, 0.05]);
});
check("or each row has its own", () => {
	const full = state => {
		const {heat} = heatOf(state);
		heat.most = heat.mostOf(heat.rows[0]);
		return heat.rows.map(row => heat.fullRate(row));
	};
	assert.deepStrictEqual(full({apart: false}), [0.005, 0.005, 0.005]);
	assert.deepStrictEqual(full({apart: true}), [0.005, 0.005, 0.003]);
});
check("a place has its count in words", () => {
	const {heat} = heatOf({});
	assert.deepStrictEqual(heat.describe(231, 15), ["t1", "1 s to 3 s", "1 samples: 14.29 % of the row all"]);
	assert.deepStrictEqual([heat.describe(100, 15), heat.describe(231, 99)], [["t1", "click: only the stacks of the row, or all again"], []]);
	assert.deepStrictEqual(heatOf({lanes: true}).heat.describe(231, 15)[3], "most in work: 1 samples");
});
check("a lane has the function with the largest count of its own in each slot", () => {
	const tops = state => rowsOf({lanes: true, ...state}).map(({tops, mosts, counts}) => [...tops].map((fn, slot) => counts[slot] ? [fn, mosts[slot]] : 0));
	assert.deepStrictEqual(tops({}), [[[1, 3], [0, 6]], [[1, 3], [1, 1]], [0, [0, 6]]]);
	assert.strictEqual(rowsOf({})[0].tops, undefined);
	const ofStacks = (...stacks) => {
		const profile = profileOf(stacks), {texts} = profile.functions;
		return rowsOf({lanes: true}, profile).map(({tops, mosts}) => [texts[tops[0]], mosts[0]]);
	};
	assert.deepStrictEqual(ofStacks("t;a;f 2", "t;b 3", "t;c;f 2"), [["f", 4], ["f", 4]]);
	assert.deepStrictEqual(ofStacks("t;z 3", "t;y;b 3", "t;c 3"), [["b", 3], ["b", 3]]);
});
check("that is the last function that the choice shows", () => {
	const tops = state => rowsOf({lanes: true, ...state}).map(({tops}) => [...tops]);
	assert.deepStrictEqual(tops({remove: [1]})[1], [0, 0]);
	assert.deepStrictEqual(tops({remove: [0, 1]})[1], [2, 2]);
	assert.deepStrictEqual(tops({remove: [0, 1], group: "none"})[1], [4, 4]);
	assert.deepStrictEqual(tops({search: "work"}), [[1, 1], [1, 1]]);
});
check("at most 50 threads have a row, and the others are counted", () => {
	const profile = profileOf(Array.from({length: 60}, (_, i) => `t${i};f ${i + 1}`)), rows = rowsOf({}, profile);
	assert.deepStrictEqual([rows.length, rows[50].total, rows.nrOthers, rows.others], [51, 11, 10, 55]);
	assert.deepStrictEqual([rowsOf({}).nrOthers, rowsOf({}).others], [0, 0]);
});
check("the colour of a lane is that of the graph, as strong as the count", () => {
	const {heat} = heatOf({lanes: true}), palette = new Palette(heat.profile.functions, false), graph = "#" + [0, 8, 16].map(bits => (palette.of(1) >>> bits & 255).toString(16).padStart(2, "0")).join("");
	assert.deepStrictEqual([1, 0.25].map(part => heat.color(palette, part, 1)), [graph + "ff", graph + "b0"]);
	assert.strictEqual(heat.color(palette, 0, 1), heatOf({}).heat.color(palette, 0));
	assert.match(heatOf({}).heat.color(palette, 1, 1), /^hsl\(215 /);
});
check("places of times, and slots of places", () => {
	const {heat} = heatOf({});
	assert.deepStrictEqual([0, 1000, 3000].map(time => heat.x(time)), [130, 230, 430]);
	assert.deepStrictEqual([0, 229, 230, 999].map(x => heat.slotAt(x)), [0, 0, 1, 1]);
});
check("keys move, extend, keep and clear a time range", () => {
	const {chosen, press} = heatOf({time: [0, 1000]});
	press("ArrowRight", false);
	press("ArrowRight", true);
	press("b", false);
	press("Delete", false);
	press("z", false);
	assert.deepStrictEqual(chosen, [["time", [1000, 3000], true], ["time", [0, 3000], true], ["baseline", [0, 1000], true],
		["time", null, true], ["baseline", null, true]]);
});
check("keys move from row to row and say what is there", () => {
	const {heat, changed, said, press} = heatOf({lanes: true, time: [1000, 3000]});
	for (let i = 0; i < 3; i++)
		press("ArrowDown", false);
	press("ArrowUp", false);
	assert.deepStrictEqual([heat.at, heat.window.scrollTop, changed.length], [1, 11, 4]);
	assert.strictEqual(said[3], "t1; 1 s to 3 s; 1 samples: 14.29 % of the row all; most in work: 1 samples");
	heat.state.time = null;
	press("ArrowDown", false);
	assert.strictEqual(said[4], "t2; 0 s to 3 s; 6 samples: 50.00 % of the row all");
});
check("a row is the only thread, and all are back at its second choice", () => {
	const focus = (state, at) => {
		const {heat, changed, press} = heatOf(state);
		heat.at = at;
		press("Enter", false);
		return changed[0];
	};
	assert.deepStrictEqual(focus({focus: [1]}, 1), {group: "threads", focus: [1, 2]});
	assert.deepStrictEqual(focus({focus: [1, 2]}, 1), {group: "threads", focus: [1]});
	assert.deepStrictEqual(focus({focus: [1, 3], group: "none"}, 0), {group: "threads", focus: [1]});
	const {heat, changed, chosen} = heatOf({});
	heat.startDrag({target: heat.canvas, offsetX: 20, offsetY: 25});
	assert.deepStrictEqual([changed, chosen], [[{group: "threads", focus: [3]}], []]);
});
