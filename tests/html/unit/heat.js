// SPDX-License-Identifier: GPL-2.0-or-later
// Rows and time ranges of the heat map.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Heat, choose, initialState, makeHeatRows}, bare, smallProfile} = require("../scripts.js");

// Slots of one and two seconds on 300 pixels, after 130 of names.
const rowsOf = state => makeHeatRows(smallProfile(), choose({...initialState(), ...state}, {functions: smallProfile().functions, profiles: [smallProfile()]}));

function heatOf(state) {
	const chosen = [], nothing = () => {};
	const heat = bare(Heat, {profile: smallProfile(), nrSlots: 2, begin: 0, end: 3000, width: 430, state, rows: rowsOf({}), choose: (...args) => chosen.push(args)});
	const press = (key, shiftKey) => heat.onKey({key, shiftKey, preventDefault: nothing, stopPropagation: nothing});
	return {heat, chosen, press};
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
	assert.deepStrictEqual([heat.describe(100, 15), heat.describe(231, 99)], [[], []]);
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
