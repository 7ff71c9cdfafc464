// SPDX-License-Identifier: GPL-2.0-or-later
// Words for functions and frames, in this page and in another one of the recording.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {CalleeMerger, findFunctions, findNode, nameFunction, nameNode, setSums}, smallProfile} = require("../scripts.js");

// Functions of text, module, place and kind.
function functionsOf(...rows) {
	const [texts, modules, places, kinds] = [0, 1, 2, 3].map(i => rows.map(row => row[i] ?? (i === 3 ? 1 : "")));
	return {texts: [...texts, "all"], modules: [...modules, ""], places: [...places, ""], kinds: [...kinds, 6], all: texts.length};
}

function treeOf(functions, ...stacks) {
	const nodes = [functions.all], depths = [0], ends = [0], selfs = [0];
	stacks.forEach((stack, i) => stack.forEach((fn, at) => {
		nodes.push(fn);
		depths.push(at + 1);
		selfs.push(at + 1 === stack.length ? i + 1 : 0);
		ends.push(nodes.length + stack.length - at - 1);
	}));
	ends[0] = nodes.length;
	const tree = setSums({functions, nodes, depths, ends, maxDepth: Math.max(...depths)}, selfs);
	const merger = new CalleeMerger(tree, Int32Array.from(functions.texts.keys()), new Uint8Array(functions.texts.length));
	merger.expand(0, 0, 0, functions.all);
	return Object.assign(merger.finish(), {profile: smallProfile()});
}

const page = functionsOf(["main", "prog"], ["main", "prog2"], ["f", "prog", "a.c:1"], ["f", "prog", "a.c:1", 4], ["t", "", "", 0]);

check("as many words as tell functions apart, each found again", () => {
	assert.deepStrictEqual([0, 1, 2, 3, 4].map(fn => nameFunction(page, fn)),
		["main\nprog", "main\nprog2", "f\nprog\na.c:1\nuser", "f\nprog\na.c:1\ninlined", "t"]);
	assert.deepStrictEqual([0, 1, 2, 3, 4].map(fn => findFunctions(page, nameFunction(page, fn))), [[0], [1], [2], [3], [4]]);
});
check("another module is another function; a page without modules has none", () => {
	assert.deepStrictEqual(findFunctions(page, "main\nelse"), []);
	assert.deepStrictEqual(findFunctions(functionsOf(["main"]), "main\nprog"), [0]);
	assert.deepStrictEqual(findFunctions(page, "main"), [0, 1]);
});
check("functions that came later are found", () => {
	const functions = functionsOf(["a"]);
	assert.deepStrictEqual(findFunctions(functions, "srv (7)"), []);
	["texts", "modules", "places"].forEach(list => functions[list].push(list === "texts" ? "srv (7)" : ""));
	functions.kinds.push(0);
	assert.deepStrictEqual(findFunctions(functions, "srv (7)"), [2]);
});
check("a long text is cut, and told apart", () => {
	const long = "x".repeat(5000), functions = functionsOf([long + "1"], [long + "2"]);
	assert.ok(nameFunction(functions, 0).length < 100);
	assert.deepStrictEqual([0, 1].map(fn => findFunctions(functions, nameFunction(functions, fn))), [[0], [1]]);
});
check("a frame is its path, whatever its number", () => {
	const tree = treeOf(page, [4, 0, 2], [4, 2], [4, 1, 2]), other = functionsOf(["a"], ...[4, 2, 1, 0].map(fn => [page.texts[fn], page.modules[fn], page.places[fn], page.kinds[fn]]));
	const same = treeOf(other, [1, 2], [1, 4, 2], [0], [1, 3, 2]);
	for (let node = 1; node < tree.nodes.length; node++) {
		const found = findNode(same, nameNode(tree, node));
		assert.ok(found > 0);
		assert.strictEqual(nameNode(same, found).replaceAll("\nuser", "").replaceAll("\na.c:1", ""),
			nameNode(tree, node).replaceAll("\nuser", "").replaceAll("\na.c:1", ""));
	}
	assert.strictEqual(findNode(treeOf(page, [4, 1]), nameNode(tree, 0)), 0);
});
check("a page with more or fewer frames has the same frame", () => {
	const full = functionsOf(["t"], ["eval", "python"], ["serve", "s.py"], ["query", "s.py"]), brief = functionsOf(["query", "s.py"], ["serve", "s.py"], ["t"]);
	const tree = treeOf(full, [0, 1, 2, 1, 3], [0, 1, 3]), less = treeOf(brief, [2, 0], [2, 1, 0]);
	const inFull = nameNode(tree, tree.nodes.lastIndexOf(3) === 5 ? 4 : 5), found = findNode(less, inFull);
	assert.ok(found);
	assert.ok(nameNode(less, found).endsWith("query\ns.py"));
	assert.strictEqual(tree.nodes[findNode(tree, nameNode(less, found))], 3);
	assert.strictEqual(findNode(less, "cpu-clock;t;eval\npython"), 0);
});
check("a semicolon in a name ends no name", () => {
	const functions = functionsOf(["a;b"], ["c"]), tree = treeOf(functions, [0, 1]);
	assert.strictEqual(nameNode(tree, 2), "cpu-clock;a\\x3bb;c");
	assert.strictEqual(findNode(tree, nameNode(tree, 2)), 2);
});
