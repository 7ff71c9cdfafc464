// SPDX-License-Identifier: GPL-2.0-or-later
// list_slots.js PAGE: prints begin and end (ms) of each slot of the page's first profile, and its count.
"use strict";
const {readPageFile} = require("./page.js");

const {page} = readPageFile(process.argv[2]);
const {slots, slotOfCell, countOfCell} = page.profiles[0];
for (let slot = 0; slot < slots.length / 2; slot++) {
	const total = countOfCell.reduce((sum, count, cell) => sum + (slotOfCell[cell] === slot ? count : 0), 0);
	console.log(slots[2 * slot], slots[2 * slot + 1], total);
}
