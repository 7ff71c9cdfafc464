// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks of a profile with another first level, or without the frames around functions of languages. They have the form
// of a profile, are made when they are first needed, and may have several nodes of a function below another.

class SourceBuilder {
	constructor({functions, nodes, countOfCell}) {
		Object.assign(this, {functions, nr: 0, nrCells: 0, maxDepth: 0});
		this.grow(nodes.length);
		this.slotOfCell = new Uint32Array(countOfCell.length);
		this.countOfCell = new Float64Array(countOfCell.length);
		this.add(functions.all, 0);
	}

	grow(size) {
		for (const [name, Type] of [["nodes", Uint32Array], ["depths", Uint16Array], ["firstCells", Uint32Array]])
			this[name] = enlarge(Type, this[name], size);
	}

	add(fn, depth) {
		if (this.nr === this.nodes.length)
			this.grow(this.nr * 2);
		this.nodes[this.nr] = fn;
		this.depths[this.nr] = depth;
		this.firstCells[this.nr++] = this.nrCells;
		this.maxDepth = Math.max(this.maxDepth, depth);
	}

	addCell({slotOfCell, countOfCell}, cell) {
		this.slotOfCell[this.nrCells] = slotOfCell[cell];
		this.countOfCell[this.nrCells++] = countOfCell[cell];
	}

	addCells(source, node) {
		for (let cell = source.firstCells[node]; cell < source.firstCells[node + 1]; cell++)
			this.addCell(source, cell);
	}

	finish() {
		const {functions, nr, nrCells, maxDepth, slotOfCell, countOfCell} = this, ends = new Uint32Array(nr), path = new Uint32Array(maxDepth + 1);
		const nodes = this.nodes.slice(0, nr), depths = this.depths.slice(0, nr), firstCells = enlarge(Uint32Array, this.firstCells.subarray(0, nr), nr + 1);
		firstCells[nr] = nrCells;
		let deepest = -1;
		for (let i = 0; i < nr; i++) {
			for (; deepest >= depths[i]; deepest--)
				ends[path[deepest]] = i;
			path[++deepest] = i;
		}
		for (; deepest >= 0; deepest--)
			ends[path[deepest]] = nr;
		return {functions, nodes, ends, depths, firstCells, slotOfCell, countOfCell, maxDepth};
	}
}

// The cells by process, those of one in their order.
function sortCells({processOfCell, countOfCell}, nrProcesses) {
	const starts = new Uint32Array(nrProcesses + 1), sorted = new Uint32Array(countOfCell.length);
	for (const process of processOfCell)
		starts[process + 1]++;
	for (let i = 0; i < nrProcesses; i++)
		starts[i + 1] += starts[i];
	processOfCell.forEach((process, cell) => sorted[starts[process]++] = cell);
	return sorted;
}

// Processes in the place of threads. A node comes again for each process that has counts below it.
function splitProcesses(profile) {
	const {nodes, depths, firstCells, processOfCell} = profile, rows = processFunctions(profile), parents = parentsOf(profile);
	const builder = new SourceBuilder(profile), owners = new Int32Array(nodes.length).fill(-1), way = [];
	const nodeOfCell = new Uint32Array(processOfCell.length);
	for (let i = 0; i < nodes.length; i++)
		nodeOfCell.fill(i, firstCells[i], firstCells[i + 1]);
	for (const cell of sortCells(profile, rows.length)) {
		const process = processOfCell[cell];
		for (let node = nodeOfCell[cell]; node && owners[node] !== process; node = parents[node]) {
			owners[node] = process;
			way.push(node);
		}
		while (way.length) {
			const node = way.pop();
			builder.add(depths[node] === 1 ? rows[process] : nodes[node], depths[node]);
		}
		builder.addCell(profile, cell);
	}
	return builder.finish();
}

// A stack with functions of a language begins with the first of them, and has no frames of the interpreter: what --frames
// language makes of it, which keeps a last frame of the interpreter below native code. Others stay. Frames that are left out have a function of their own, which no picture shows.
function splitLanguages(source, interpreters) {
	const {functions, nodes, ends, depths} = source, builder = new SourceBuilder(source), modules = new Set(interpreters), found = [];
	functions.hidden ??= addFunction(functions, "", KIND_MARK);
	const isLanguage = Uint8Array.from(functions.kinds, kind => kind > KIND_MARK);
	const isHidden = Uint8Array.from(functions.modules, (module, fn) => !isLanguage[fn] && modules.has(module));
	for (let thread = 1; thread < nodes.length; thread = ends[thread]) {
		found.length = 0;
		for (let i = thread; i < ends[thread]; i++) {
			if (isLanguage[nodes[i]]) {
				found.push(i);
				i = ends[i] - 1;
				continue;
			}
			builder.add(nodes[i], depths[i]);
			builder.addCells(source, i);
		}
		for (const first of found) {
			for (let i = first; i < ends[first]; i++) {
				builder.add(isHidden[nodes[i]] ? functions.hidden : nodes[i], depths[i] - depths[first] + 2);
				builder.addCells(source, i);
			}
		}
	}
	return builder.finish();
}
