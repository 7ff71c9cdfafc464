// SPDX-License-Identifier: GPL-2.0-or-later
// The order of the table, and its texts.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {FunctionTable, percent, signed, sumFunctions}, bare, smallTree} = require("../scripts.js");

function tableOf(matches, changes, clientWidth = 1000) {
	const nothing = () => {};
	const table = bare(FunctionTable, {order: "self", sense: -1, at: 0, spacer: {style: {}}, window: {clientWidth, clientHeight: 100, scrollTop: 0, classList: {toggle: nothing}, style: {setProperty: (name, value) => table[name] = value}},
		drawHead: nothing, drawRows: nothing, say: text => table.said = text});
	table.show({...smallTree(), ...changes}, sumFunctions(smallTree()), matches);
	return table;
}

check("percentages and signs", () => assert.deepStrictEqual([percent(1, 3), percent(1, 0), signed(3), signed(-3), signed(0)],
	["33.33 %", "-", "+3", "-3", "0"]));
check("numbers fall, names rise, and a second time turns the order round", () => {
	const table = tableOf(), orders = [table.fns];
	for (const column of ["total", "function", "function"]) {
		table.sortBy(column);
		orders.push(table.fns);
	}
	assert.deepStrictEqual(orders, [[2, 0, 1], [0, 1, 2], [0, 1, 2], [2, 1, 0]]);
});
check("matches alone", () => assert.deepStrictEqual(tableOf([0, 1, 0, 0]).fns, [1]));
check("texts of a row", () => assert.deepStrictEqual(tableOf().columns.map(column => tableOf().textOf(0, column)),
	["3", "30.00 %", "6", "60.00 %", "a", "prog"]));
check("a narrow table has fewer columns, and its rows are higher", () => {
	const table = tableOf(null, {}, 390);
	assert.deepStrictEqual([table.columns, table.rowHeight, table.spacer.style.height], [["self", "total", "function"], 38, "114px"]);
	table.show({...smallTree(), isDiff: true}, {...sumFunctions(smallTree()), selfsBefore: [0, 0, 0, 0], totalsBefore: [0, 0, 0, 0]});
	assert.deepStrictEqual([table.columns, table.order], [["change", "total change", "function"], "change"]);
});
check("shares are of all, not of those shown", () => assert.strictEqual(tableOf(null, {whole: 40}).textOf(0, "self %"), "7.50 %"));
check("the longest count fits", () => {
	const sums = [0, 0, 2, 5, 6, 10].map(sum => sum * 1e11), table = tableOf();
	assert.strictEqual(table["--count"], "8ch");
	table.show({...smallTree(), sums}, sumFunctions({...smallTree(), sums}));
	assert.deepStrictEqual([table.textOf(0, "total"), table["--count"]], ["600,000,000,000", "15ch"]);
});
check("the selection stays in the table", () => {
	const table = tableOf(), places = [5, -1, -9].map(step => (table.move(step), table.at));
	assert.deepStrictEqual(places, [2, 1, 0]);
	assert.strictEqual(table.said, "self 4, self % 40.00 %, total 4, total % 40.00 %, function c, file libx.so");
});
