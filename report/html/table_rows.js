// SPDX-License-Identifier: GPL-2.0-or-later
// What the table has rows of: functions, files, or processes. Rows have the form of functions, with texts, modules
// and a noun.

function rowsOfFunctions(tree) {
	return {functions: tree.functions, sums: sumFunctions(tree)};
}

// Threads and marks are of no file: their row is the last, which is taken away.
function rowsOfFiles(tree) {
	const {functions} = tree, names = [...new Set(functions.modules.filter((_, fn) => isOfProgram(functions, fn)))].sort(), numbers = new Map(names.map((name, i) => [name, i]));
	const rowOf = functions.modules.map((name, fn) => isOfProgram(functions, fn) ? numbers.get(name) : names.length);
	const sums = Object.entries(sumFunctions(tree, names.length + 1, rowOf)).map(([key, all]) => [key, all.subarray(0, names.length)]);
	return {functions: {texts: names.map(name => name || "no file"), modules: names, noun: "file"}, sums: Object.fromEntries(sums)};
}

// A process has all stacks of its own.
function rowsOfProcesses(profile, choice) {
	const tree = deriveTree(profile, {...choice, group: "processes"}, weighSlots(profile, choice)), fns = processFunctions(profile), {nodes, ends, isDiff} = tree;
	const selfs = new Float64Array(fns.length), selfsBefore = isDiff && new Float64Array(fns.length);
	for (let i = 1; i < nodes.length; i = ends[i]) {
		const row = fns.indexOf(nodes[i]);
		selfs[row] += totalOf(tree, i);
		if (isDiff)
			selfsBefore[row] += beforeOf(tree, i);
	}
	const texts = fns.map(fn => profile.functions.texts[fn]), sums = {selfs, totals: selfs};
	return {functions: {texts, modules: texts.map(() => ""), noun: "process"}, sums: isDiff ? {...sums, selfsBefore, totalsBefore: selfsBefore} : sums};
}

function tableRows(by, tree, profile, choice) {
	return by === "file" ? rowsOfFiles(tree) : by === "process" ? rowsOfProcesses(profile, choice) : rowsOfFunctions(tree);
}
