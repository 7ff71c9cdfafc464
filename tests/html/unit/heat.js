// SPDX-License-Identifier: GPL-2.0-or-later
// Rows and stretches of the heat map.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Heat, heatRows}, bare, smallProfile} = require("../scripts.js");

// Slots of one and two seconds on 300 pixels, after 130 of names.
function heatOf(choice) {
	const chosen = [], nothing = () => {};
	const heat = bare(Heat, {profile: smallProfile(), nrSlots: 2, begin: 0, end: 3000, width: 430, choice, choose: (...args) => chosen.push(args)});
	const press = (key, shiftKey) => heat.onKey({key, shiftKey, preventDefault: nothing, stopPropagation: nothing});
	return {heat, chosen, press};
}

check("rows of all and of each thread, with their sums", () => {
	const rows = heatRows(smallProfile()).map(({fn, counts}) => [fn, ...counts]);
	assert.deepStrictEqual(rows, [[4, 5, 7, 12], [2, 5, 1, 6], [3, 0, 6, 6]]);
});
check("places of times, and slots of places", () => {
	const {heat} = heatOf({});
	assert.deepStrictEqual([0, 1000, 3000].map(time => heat.x(time)), [130, 230, 430]);
	assert.deepStrictEqual([0, 229, 230, 999].map(x => heat.slotAt(x)), [0, 0, 1, 1]);
});
check("keys move, extend, keep and forget a stretch", () => {
	const {chosen, press} = heatOf({time: [0, 0]});
	press("ArrowRight", false);
	press("ArrowRight", true);
	press("b", false);
	press("Delete", false);
	press("z", false);
	assert.deepStrictEqual(chosen, [["time", [1, 1], true], ["time", [0, 1], true], ["baseline", [0, 0], true],
		["time", null, true], ["baseline", null, true]]);
});
