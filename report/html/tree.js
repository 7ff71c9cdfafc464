// SPDX-License-Identifier: GPL-2.0-or-later
// Trees that are made of the stacks of a profile, and sums over the nodes of a tree.

function enlarge(Type, old, size) {
	const grown = new Type(size);
	if (old)
		grown.set(old);
	return grown;
}

// Makes a tree whose nodes stand for several nodes of another tree. An entry is such a node, with an origin: the node whose
// count it brings. The entries below a new node are put together by function, so nodes come in their order at once, without
// a search or a sort of all: a Map of millions of entries takes ten times the time and memory. Subclasses say what is below
// the node of an entry (expand), and may add an entry that is alone with all below it (addAlone).
class Merger {
	constructor(tree) {
		Object.assign(this, {tree, functions: tree.functions, isDiff: tree.isDiff, nr: 0, nrEntries: 0, nrFound: 0});
		this.heads = new Int32Array(this.functions.texts.length).fill(-1);
		this.tails = new Int32Array(this.functions.texts.length);
		this.afterSums = tree.afterSums || tree.sums;
		this.growNodes(tree.nodes.length);
		this.growEntries(1024);
		this.add(this.functions.all, 0);
	}

	growNodes(size) {
		for (const [name, Type] of [["nodes", Uint32Array], ["ends", Uint32Array], ["depths", Uint16Array], ["after", Float64Array], ["before", Float64Array]])
			if (name !== "before" || this.isDiff)
				this[name] = enlarge(Type, this[name], size);
	}

	growEntries(size) {
		for (const name of ["entryNodes", "origins", "nexts", "found", "foundHeads"])
			this[name] = enlarge(Int32Array, this[name], size);
	}

	add(fn, depth) {
		if (this.nr === this.nodes.length)
			this.growNodes(this.nr * 2);
		this.nodes[this.nr] = fn;
		this.depths[this.nr] = depth;
		return this.nr++;
	}

	push(fn, node, origin) {
		const entry = this.nrEntries++;
		if (entry === this.nexts.length)
			this.growEntries(entry * 2);
		this.entryNodes[entry] = node;
		this.origins[entry] = origin;
		this.nexts[entry] = -1;
		if (this.heads[fn] < 0) {
			this.heads[fn] = entry;
			this.found[this.nrFound++] = fn;
		} else {
			this.nexts[this.tails[fn]] = entry;
		}
		this.tails[fn] = entry;
	}

	// Few functions are in the order of their numbers already, or nearly so.
	sortFound(first) {
		const {found, nrFound} = this;
		if (nrFound - first > 32) {
			found.subarray(first, nrFound).sort();
			return;
		}
		for (let i = first + 1; i < nrFound; i++) {
			const fn = found[i];
			let at = i;
			for (; at > first && found[at - 1] > fn; at--)
				found[at] = found[at - 1];
			found[at] = fn;
		}
	}

	// Adds a node for each function that was found from the first on.
	addFound(first, depth) {
		const last = this.nrFound;
		this.sortFound(first);
		for (let i = first; i < last; i++) {
			this.foundHeads[i] = this.heads[this.found[i]];
			this.heads[this.found[i]] = -1;
		}
		for (let i = first; i < last; i++)
			this.addGroup(this.found[i], this.foundHeads[i], depth);
	}

	addGroup(fn, head, depth) {
		if (this.nexts[head] < 0 && this.addAlone(fn, head, depth))
			return;
		const at = this.add(fn, depth), {nrEntries, nrFound} = this;
		for (let entry = head; entry >= 0; entry = this.nexts[entry])
			this.expand(at, this.entryNodes[entry], this.origins[entry], fn);
		this.addFound(nrFound, depth + 1);
		Object.assign(this, {nrEntries, nrFound});
		this.ends[at] = this.nr;
	}

	// Siblings stand in the order of their functions' numbers, which is that of the names.
	finish() {
		const {functions, isDiff} = this;
		this.addFound(0, 1);
		this.ends[0] = this.nr;
		const tree = {functions, isDiff, maxDepth: 0};
		for (const name of ["nodes", "ends", "depths"])
			tree[name] = this[name].slice(0, this.nr);
		for (const depth of tree.depths)
			tree.maxDepth = Math.max(tree.maxDepth, depth);
		return setSums(tree, this.after, isDiff && this.before);
	}
}

// Stacks from the root on. shown has the function to be shown for each, or -1: its callees take its place. Frames below each
// other are one if joins has their function.
class CalleeMerger extends Merger {
	constructor(tree, shown, joins) {
		super(tree);
		Object.assign(this, {shown, joins});
		this.countChanges();
	}

	// changes[i] is how many nodes before i do not stay as they are.
	countChanges() {
		const {tree: {nodes, ends, depths, sums, maxDepth}, shown, joins} = this, path = new Int32Array(maxDepth + 2);
		const changes = this.changes = new Uint32Array(nodes.length + 1);
		for (let i = 0; i < nodes.length; i++) {
			const fn = nodes[i], now = path[depths[i]] = shown[fn];
			changes[i + 1] = changes[i] + (now !== fn || sums[ends[i]] === sums[i] || (joins[now] && i && path[depths[i] - 1] === now) ? 1 : 0);
		}
	}

	takeCount(at, node) {
		this.after[at] += this.afterSums[node + 1] - this.afterSums[node];
		if (this.isDiff)
			this.before[at] += this.tree.beforeSums[node + 1] - this.tree.beforeSums[node];
	}

	expand(at, node, origin, fn) {
		const {shown, joins, tree: {nodes, ends, sums}} = this, end = ends[node];
		this.takeCount(at, node);
		for (let i = node + 1; i < end;) {
			const below = shown[nodes[i]];
			if (sums[ends[i]] === sums[i]) {
				i = ends[i];
			} else if (below < 0 || (below === fn && joins[fn])) {
				this.takeCount(at, i++);
			} else {
				this.push(below, i, i);
				i = ends[i];
			}
		}
	}

	// Copies all below a node if nothing there changes.
	addAlone(fn, entry, depth) {
		const {tree: {nodes, ends, depths}, changes, nr} = this, node = this.entryNodes[entry], end = ends[node];
		if (changes[end] !== changes[node + 1])
			return false;
		this.add(fn, depth);
		while (this.nodes.length < nr + end - node)
			this.growNodes(this.nodes.length * 2);
		for (let i = node, at = nr; i < end; i++, at++) {
			this.depths[at] = depths[i] - depths[node] + depth;
			this.ends[at] = ends[i] - node + nr;
			this.nodes[at] = nodes[i];
			this.takeCount(at, i);
		}
		this.nodes[nr] = fn;
		this.nr = nr + end - node;
		return true;
	}
}

// Stacks from a frame to the root. weigh(node) has the count of a frame, after and before.
class CallerMerger extends Merger {
	constructor(tree, weigh) {
		super(tree);
		this.weigh = weigh;
		this.parents = parentsOf(tree);
	}

	takeCount(at, origin) {
		const [after, before] = this.weigh(origin);
		this.after[at] += after;
		if (this.isDiff)
			this.before[at] += before;
	}

	expand(at, node, origin) {
		const parent = this.parents[node];
		if (parent)
			this.push(this.tree.nodes[parent], parent, origin);
		else
			this.takeCount(at, origin);
	}

	addAlone(fn, entry, depth) {
		const {parents, nr} = this;
		for (let node = this.entryNodes[entry]; node; node = parents[node])
			this.add(this.tree.nodes[node], depth++);
		this.ends.fill(this.nr, nr, this.nr);
		this.takeCount(this.nr - 1, this.origins[entry]);
		return true;
	}
}

// The same tree, with the heaviest of siblings first.
function heaviestFirst(tree) {
	const {functions, isDiff, nodes, ends, depths, maxDepth} = tree, nr = nodes.length, pending = [0];
	const from = tree.afterSums || tree.sums, after = new Float64Array(nr), before = isDiff && new Float64Array(nr);
	const sorted = {functions, isDiff, maxDepth, nodes: nodes.slice(), ends: ends.slice(), depths: depths.slice()};
	for (let at = 0; pending.length; at++) {
		const node = pending.pop(), first = pending.length;
		sorted.nodes[at] = nodes[node];
		sorted.depths[at] = depths[node];
		sorted.ends[at] = at + ends[node] - node;
		after[at] = from[node + 1] - from[node];
		if (before)
			before[at] = tree.beforeSums[node + 1] - tree.beforeSums[node];
		for (let child = node + 1; child < ends[node]; child = ends[child])
			pending.push(child);
		if (pending.length - first > 1)
			for (const child of pending.splice(first).sort((a, b) => widthOf(tree, a) - widthOf(tree, b) || b - a))
				pending.push(child);
	}
	return setSums(sorted, after, before);
}

function parentsOf({nodes, depths, maxDepth}) {
	const parents = new Uint32Array(nodes.length), path = new Uint32Array(maxDepth + 1);
	for (let i = 1; i < nodes.length; i++) {
		parents[i] = path[depths[i] - 1];
		path[depths[i]] = i;
	}
	return parents;
}

// What vanished keeps its width: a node is as wide as the larger of its counts before and after.
function setSums(tree, after, before) {
	const nr = tree.nodes.length;
	tree.sums = new Float64Array(nr + 1);
	if (before) {
		tree.afterSums = new Float64Array(nr + 1);
		tree.beforeSums = new Float64Array(nr + 1);
	}
	for (let i = 0; i < nr; i++) {
		tree.sums[i + 1] = tree.sums[i] + (before ? Math.max(after[i], before[i]) : after[i]);
		if (before) {
			tree.afterSums[i + 1] = tree.afterSums[i] + after[i];
			tree.beforeSums[i + 1] = tree.beforeSums[i] + before[i];
		}
	}
	return tree;
}

// The count of a node and all below it: in a difference that after, before, and its width.
function totalOf(tree, node) {
	const sums = tree.afterSums || tree.sums;
	return sums[tree.ends[node]] - sums[node];
}

function beforeOf(tree, node) {
	return tree.beforeSums[tree.ends[node]] - tree.beforeSums[node];
}

function widthOf(tree, node) {
	return tree.sums[tree.ends[node]] - tree.sums[node];
}

// The nodes from the root to the node.
function ancestorsOf(tree, node) {
	const path = [0];
	for (let at = 0; at !== node; path.push(at))
		for (at++; tree.ends[at] <= node; at = tree.ends[at]);
	return path;
}

// The node of a tree that has the path of a node of another tree of the same functions; 0 if there is none.
function sameNode(tree, other, node) {
	const {nodes, ends} = tree;
	let at = 0;
	for (const step of ancestorsOf(other, node).slice(1)) {
		let child = at + 1;
		while (child < ends[at] && nodes[child] !== other.nodes[step])
			child = ends[child];
		if (child >= ends[at])
			return 0;
		at = child;
	}
	return widthOf(tree, at) ? at : 0;
}

// Self and total of each function, or of each of nr rows that rowOf has for functions. A row counts once in a stack, however
// often it is there.
function sumFunctions(tree, nr = tree.functions.texts.length, rowOf = null) {
	const {nodes, ends} = tree;
	const after = tree.afterSums || tree.sums, before = tree.beforeSums;
	const result = {selfs: new Float64Array(nr), totals: new Float64Array(nr)};
	if (before) {
		result.selfsBefore = new Float64Array(nr);
		result.totalsBefore = new Float64Array(nr);
	}
	const onPath = new Uint32Array(nr), path = [], rowAt = rowOf ? node => rowOf[nodes[node]] : node => nodes[node];
	for (let i = 1; i < nodes.length; i++) {
		while (path.length && ends[path[path.length - 1]] <= i)
			onPath[rowAt(path.pop())]--;
		const fn = rowAt(i);
		result.selfs[fn] += after[i + 1] - after[i];
		if (before)
			result.selfsBefore[fn] += before[i + 1] - before[i];
		if (!onPath[fn]++) {
			result.totals[fn] += totalOf(tree, i);
			if (before)
				result.totalsBefore[fn] += beforeOf(tree, i);
		}
		path.push(i);
	}
	return result;
}
