// SPDX-License-Identifier: GPL-2.0-or-later
// The recordings of the page, as report/html/page_columns.h describes their bytes.
//
// A tree is a table of nodes in pre-order: a parent, then its children with all that is below them.
// Node 0 is the root. sums[i] is the count of all nodes before i, so that of node i and all below it
// is sums[ends[i]] - sums[i], and sums[i] is also the place of its left edge.

function readFunctions(reader) {
	const texts = reader.section().lines(), kinds = reader.section();
	const modules = reader.section().lines(), moduleNumbers = reader.section();
	const paths = reader.section().lines(), pathNumbers = reader.section(), lines = reader.section();
	const functions = {texts, modules: [], kinds: [], places: []};
	for (let i = 0; i < texts.length; i++) {
		const path = paths[pathNumbers.varint()], line = lines.varint();
		functions.modules.push(modules[moduleNumbers.varint()]);
		functions.kinds.push(kinds.varint());
		functions.places.push(path && line ? `${path}:${line}` : path);
	}
	functions.all = addFunction(functions, "all", KIND_MARK);
	return functions;
}

// Adds a frame that stands for no function of a recording.
function addFunction(functions, text, kind) {
	functions.texts.push(text);
	functions.modules.push("");
	functions.kinds.push(kind);
	functions.places.push("");
	return functions.texts.length - 1;
}

function makeProfile(facts, functions) {
	const size = facts.nrNodes + 1;
	return Object.assign(facts, {
		functions,
		nodes: new Uint32Array(size), // the function of each
		ends: new Uint32Array(size), // the first node after all that is below a node
		depths: new Uint16Array(size),
		firstCells: new Uint32Array(size + 1),
		processOfCell: new Uint32Array(facts.nrCells),
		slotOfCell: new Uint32Array(facts.nrCells),
		countOfCell: new Float64Array(facts.nrCells),
		maxDepth: 0,
	});
}

function readNodes(profile, pops, codes, low, high) {
	const {nodes, ends, depths, functions} = profile, path = [0];
	const successors = functions.texts.map(() => null);
	let depth = 0;
	nodes[0] = functions.all;
	for (let i = 1; i < nodes.length; i++) {
		for (let n = pops.varint(); n; n--)
			ends[path[depth--]] = i;
		const parent = nodes[path[depth]], known = successors[parent] ||= [];
		const code = codes.varint();
		if (!code)
			known.push(low.bytes[low.at++] + 256 * high.varint());
		nodes[i] = known[code ? code - 1 : known.length - 1];
		path[++depth] = i;
		depths[i] = depth;
		profile.maxDepth = Math.max(profile.maxDepth, depth);
	}
	for (; depth >= 0; depth--)
		ends[path[depth]] = nodes.length;
}

function readCells(profile, numbers, processes, slots, counts) {
	const {ends, firstCells, processOfCell, slotOfCell, countOfCell} = profile;
	let cell = 0;
	for (let i = 1; i < ends.length; i++) {
		const first = firstCells[i] = cell;
		const nr = numbers.varint() + (ends[i] === i + 1);
		for (let slot = 0; cell < first + nr; cell++) {
			const process = processOfCell[cell] = processes.varint();
			if (cell > first && process !== processOfCell[cell - 1])
				slot = 0;
			slot = slotOfCell[cell] = slot + slots.varint();
			countOfCell[cell] = counts.varint();
		}
	}
	firstCells[ends.length] = cell;
}

function readProfile(reader, facts, functions) {
	const profile = makeProfile(facts, functions);
	readNodes(profile, reader.section(), reader.section(), reader.section(), reader.section());
	readCells(profile, reader.section(), reader.section(), reader.section(), reader.section());
	profile.isDiff = profile.nrBefore > 0;
	return profile;
}

function readPage(bytes) {
	const reader = new Reader(bytes);
	const facts = JSON.parse(reader.section().text());
	facts.languages.forEach(addLanguage);
	const functions = readFunctions(reader);
	return {functions, profiles: facts.profiles.map(each => readProfile(reader, each, functions))};
}
