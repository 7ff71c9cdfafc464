// SPDX-License-Identifier: GPL-2.0-or-later
// Trees that are made of the stacks of a profile, and sums over the nodes of a tree.

// Numbers of nodes by parent and function, in a table of open addressing: a Map of millions of
// entries takes ten times the time and memory.
class TreeBuilder {
	constructor(functions) {
		this.functions = functions;
		this.nr = 0;
		this.grow(1024);
		this.add(0, functions.all);
		this.path = [0];
	}

	grow(size) {
		const enlarge = (Type, old) => {
			const grown = new Type(size);
			if (old)
				grown.set(old);
			return grown;
		};
		this.parents = enlarge(Uint32Array, this.parents);
		this.nodes = enlarge(Uint32Array, this.nodes);
		this.after = enlarge(Float64Array, this.after);
		this.before = enlarge(Float64Array, this.before);
		this.slots = new Uint32Array(size * 2);
		for (let i = 1; i < this.nr; i++)
			this.slots[this.slotOf(this.parents[i], this.nodes[i])] = i;
	}

	add(parent, fn) {
		this.parents[this.nr] = parent;
		this.nodes[this.nr] = fn;
		return this.nr++;
	}

	slotOf(parent, fn) {
		const mask = this.slots.length - 1;
		let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(fn, 0x85ebca6b)) >>> 0;
		at = (at ^ at >>> 15) & mask;
		for (;; at = at + 1 & mask) {
			const node = this.slots[at];
			if (!node || (this.parents[node] === parent && this.nodes[node] === fn))
				return at;
		}
	}

	child(parent, fn) {
		let at = this.slotOf(parent, fn);
		if (this.slots[at])
			return this.slots[at];
		if (this.nr === this.nodes.length) {
			this.grow(this.nr * 2);
			at = this.slotOf(parent, fn);
		}
		return this.slots[at] = this.add(parent, fn);
	}

	// Adds a stack of the first nr functions of stack, of which the first same are those of the stack before.
	addStack(stack, nr, after, before, same = 0) {
		const {path} = this;
		for (let i = same; i < nr; i++)
			path[i + 1] = this.child(path[i], stack[i]);
		this.after[path[nr]] += after;
		this.before[path[nr]] += before;
	}

	// Adds a node of a tree and all below it, without those that have no count.
	addNodes(tree, first) {
		const {nodes, ends, depths, isDiff} = tree, after = tree.afterSums || tree.sums, path = [0];
		for (let i = first; i < ends[first]; i++) {
			if (!widthOf(tree, i)) {
				i = ends[i] - 1;
				continue;
			}
			const depth = depths[i] - depths[first] + 1, node = path[depth] = this.child(path[depth - 1], nodes[i]);
			this.after[node] += after[i + 1] - after[i];
			if (isDiff)
				this.before[node] += tree.beforeSums[i + 1] - tree.beforeSums[i];
		}
	}

	// The nodes sorted by key; those of one key keep their order.
	sorted(nodes, key, nrKeys) {
		const starts = new Uint32Array(nrKeys + 1), sorted = new Uint32Array(nodes.length);
		for (const node of nodes)
			starts[key[node] + 1]++;
		for (let k = 0; k < nrKeys; k++)
			starts[k + 1] += starts[k];
		for (const node of nodes)
			sorted[starts[key[node]]++] = node;
		return {sorted, ends: starts};
	}

	// Siblings stand in the order of their functions' numbers, which is that of the names.
	finish(isDiff) {
		const all = new Uint32Array(this.nr - 1).map((_, i) => i + 1);
		const byFunction = this.sorted(all, this.nodes, this.functions.texts.length).sorted;
		const {sorted, ends} = this.sorted(byFunction, this.parents, this.nr);
		const tree = {functions: this.functions, nodes: new Uint32Array(this.nr), ends: new Uint32Array(this.nr),
			depths: new Uint16Array(this.nr), maxDepth: 0, isDiff};
		const after = new Float64Array(this.nr), before = isDiff && new Float64Array(this.nr);
		const next = new Uint32Array(this.nr), places = new Uint32Array(this.nr);
		for (let node = 0, depth = 0, nr = 0;;) {
			if (next[node] === 0) {
				places[node] = nr;
				tree.nodes[nr] = this.nodes[node];
				tree.depths[nr] = depth;
				after[nr] = this.after[node];
				if (isDiff)
					before[nr] = this.before[node];
				tree.maxDepth = Math.max(tree.maxDepth, depth);
				nr++;
				next[node] = (node ? ends[node - 1] : 0) + 1;
			}
			if (next[node] - 1 < ends[node]) {
				node = sorted[next[node]++ - 1];
				depth++;
				continue;
			}
			tree.ends[places[node]] = nr;
			if (!node)
				break;
			node = this.parents[node];
			depth--;
		}
		return setSums(tree, after, before);
	}
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

// Self and total of each function. A function counts once in a stack, however often it is there.
function sumFunctions(tree) {
	const nr = tree.functions.texts.length, {nodes, ends} = tree;
	const after = tree.afterSums || tree.sums, before = tree.beforeSums;
	const result = {selfs: new Float64Array(nr), totals: new Float64Array(nr)};
	if (before) {
		result.selfsBefore = new Float64Array(nr);
		result.totalsBefore = new Float64Array(nr);
	}
	const onPath = new Uint32Array(nr), path = [];
	for (let i = 1; i < nodes.length; i++) {
		while (path.length && ends[path[path.length - 1]] <= i)
			onPath[nodes[path.pop()]]--;
		const fn = nodes[i];
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
