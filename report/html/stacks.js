// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks of a profile as the user wants to see them: of a stretch of time, below threads or
// processes or neither, with functions taken out or brought to the front.

// The weights of the cells by the slots that were chosen. A baseline is scaled to the time of the
// selection, so that rates are compared; a difference of recordings to the sum, if that was asked.
function weighSlots(profile, choice) {
	const nr = Math.max(1, profile.slots.length / 2);
	const after = new Float64Array(nr), before = new Float64Array(nr);
	if (profile.isDiff) {
		// Filters leave a part of the whole, and the whole is the measure.
		const total = parts => parts.reduce((sum, part) => sum + part.whole, 0);
		const old = profile.parts.slice(0, profile.nrBefore), now = profile.parts.slice(profile.nrBefore);
		const scale = profile.normalized ? total(now) / (total(old) || 1) : 1;
		before.fill(scale, 0, now[0].firstSlot);
		after.fill(1, now[0].firstSlot);
		return {after, before, scale, isDiff: true};
	}
	const [first, last] = choice.time ? slotsOf(profile, choice.time) : [0, nr - 1];
	after.fill(1, first, last + 1);
	if (!choice.baseline)
		return {after, before, scale: 1, isDiff: false};
	const [begin, end] = slotsOf(profile, choice.baseline), scale = slotsTime(profile, first, last) / (slotsTime(profile, begin, end) || 1);
	before.fill(scale, begin, end + 1);
	return {after, before, scale, isDiff: true};
}

function slotsTime(profile, first, last) {
	let time = 0;
	for (let i = first; i <= last; i++)
		time += Math.max(1, profile.slots[2 * i + 1] - profile.slots[2 * i]);
	return time;
}

// The tree as it came, with the weights alone. Most pictures need no more.
function treeOfProfile(profile, weights) {
	const nr = profile.nodes.length, {firstCells, slotOfCell, countOfCell} = profile;
	const after = new Float64Array(nr), before = weights.isDiff && new Float64Array(nr);
	for (let i = 1; i < nr; i++) {
		for (let c = firstCells[i]; c < firstCells[i + 1]; c++) {
			after[i] += countOfCell[c] * weights.after[slotOfCell[c]];
			if (before)
				before[i] += countOfCell[c] * weights.before[slotOfCell[c]];
		}
	}
	const {functions, nodes, ends, depths, maxDepth} = profile;
	return setSums({functions, nodes, ends, depths, maxDepth, isDiff: weights.isDiff}, after, before);
}

// The frames that stand for processes are made when they are first needed.
function processFunctions(profile) {
	return profile.processFunctions ||= profile.processes.map(([pid, name]) =>
		addFunction(profile.functions, `${name || "process"} (${pid})`, KIND_THREAD));
}

// Does nothing to a picture: the tree as it came is right.
function isPlain(choice) {
	return choice.group === "threads" && !choice.focus.length && !choice.ignore.length &&
		!choice.remove.length && !choice.recursion && !choice.matching;
}

function flagFunctions(functions, numbers) {
	const flags = new Uint8Array(functions.texts.length);
	for (const fn of numbers)
		flags[fn] = 1;
	return flags;
}

// The frames of a stack that a choice leaves, and whether it leaves the stack. The nodes come in pre-order, so a node's
// stack is the one of its parent and one frame more. A search looks at the frames that are left, the focus at all.
class StackFilter {
	constructor(profile, choice) {
		const {functions, maxDepth} = profile;
		this.choice = choice;
		this.isThread = choice.group === "threads";
		this.processes = choice.group === "processes" && processFunctions(profile);
		this.ignored = flagFunctions(functions, choice.ignore);
		this.removed = flagFunctions(functions, choice.remove);
		// The flags that a stack must have, and the depth of its first frame with each.
		this.wanted = choice.focus.map(fn => flagFunctions(functions, [fn]));
		this.nrFocus = this.wanted.length;
		if (choice.matching)
			this.wanted.push(choice.flags);
		this.firstDepths = this.wanted.map(() => Infinity);
		this.used = new Uint32Array(maxDepth + 1);
		this.stack = [];
		this.same = 0;
	}

	// Goes on to a node. Returns false if all stacks with it are left out. same is how many frames are those of the last stack.
	enter(fn, depth) {
		const {used, stack, wanted, firstDepths} = this;
		let nr = used[depth - 1];
		this.same = Math.min(this.same, nr);
		for (let i = 0; i < wanted.length; i++)
			if (firstDepths[i] >= depth)
				firstDepths[i] = Infinity;
		used[depth] = nr;
		if (depth === 1 && !this.isThread) {
			used[1] = this.processes ? 1 : 0;
			return true;
		}
		if (this.ignored[fn])
			return false;
		for (let i = 0; i < wanted.length; i++)
			if (wanted[i][fn] && (i < this.nrFocus || !this.removed[fn]))
				firstDepths[i] = Math.min(firstDepths[i], depth);
		if (this.removed[fn] || (this.choice.recursion && nr && stack[nr - 1] === fn))
			return true;
		stack[nr++] = fn;
		used[depth] = nr;
		return true;
	}

	// Returns false if the stacks of a process are left out. Puts its frame first.
	takesProcess(process) {
		const first = this.processes ? this.processes[process] : -1, isShown = !this.removed[first];
		if (this.processes && this.stack[0] !== first)
			this.same = 0;
		if (this.processes)
			this.stack[0] = first;
		return !this.ignored[first] && this.wanted.every((flags, i) => this.firstDepths[i] < Infinity || (flags[first] && (i < this.nrFocus || isShown)));
	}
}

// Calls visit(cell, stack, nr, same) for each cell of a stack that the choice leaves: its first nr frames, of which the first
// same are those of the call before.
function eachStack(profile, choice, visit) {
	const {nodes, ends, depths, firstCells, processOfCell} = profile, filter = new StackFilter(profile, choice);
	for (let i = 1; i < nodes.length; i++) {
		if (!filter.enter(nodes[i], depths[i])) {
			i = ends[i] - 1;
			continue;
		}
		for (let cell = firstCells[i]; cell < firstCells[i + 1]; cell++) {
			if (!filter.takesProcess(processOfCell[cell]))
				continue;
			const nr = filter.used[depths[i]], {stack} = filter;
			if (filter.processes && filter.removed[stack[0]])
				visit(cell, stack.slice(1, nr), nr - 1, 0);
			else
				visit(cell, stack, nr, filter.same);
			filter.same = nr;
		}
	}
}

// The sums of all cells.
function sumCells({slotOfCell, countOfCell}, weights) {
	let after = 0, before = 0;
	for (let cell = 0; cell < countOfCell.length; cell++) {
		after += countOfCell[cell] * weights.after[slotOfCell[cell]];
		before += countOfCell[cell] * weights.before[slotOfCell[cell]];
	}
	return {after, before};
}

function deriveTree(profile, choice, weights) {
	if (isPlain(choice))
		return treeOfProfile(profile, weights);
	const {slotOfCell, countOfCell} = profile, builder = new TreeBuilder(profile.functions);
	let kept = Infinity;
	eachStack(profile, choice, (cell, stack, nr, same) => {
		const after = countOfCell[cell] * weights.after[slotOfCell[cell]], before = countOfCell[cell] * weights.before[slotOfCell[cell]];
		kept = Math.min(kept, same);
		if (!after && !before)
			return;
		builder.addStack(stack, nr, after, before, kept);
		kept = Infinity;
	});
	return builder.finish(weights.isDiff);
}

// Callers and callees of a function in a tree: the nodes from its first frame on, and the way there, turned round. So
// recursion counts once.
function deriveSandwich(tree, pivot) {
	const {functions, nodes, ends, depths, isDiff} = tree;
	const callers = new TreeBuilder(functions), callees = new TreeBuilder(functions), path = [];
	for (let i = 1; i < nodes.length; i++) {
		path.length = depths[i] - 1;
		path.push(nodes[i]);
		if (nodes[i] !== pivot || !widthOf(tree, i))
			continue;
		callees.addNodes(tree, i);
		callers.addStack(path.slice().reverse(), path.length, totalOf(tree, i), isDiff ? beforeOf(tree, i) : 0);
		i = ends[i] - 1;
	}
	return [callers.finish(isDiff), callees.finish(isDiff)];
}

function escapeFrame(text) {
	return text.replaceAll(";", "\\x3b");
}

// The lines of folded stacks of a tree; a difference has both counts.
function foldTree(tree) {
	const lines = [], path = [], after = tree.afterSums || tree.sums, before = tree.beforeSums;
	for (let i = 1; i < tree.nodes.length; i++) {
		path.length = tree.depths[i] - 1;
		path.push(escapeFrame(tree.functions.texts[tree.nodes[i]]));
		const count = after[i + 1] - after[i], old = before && before[i + 1] - before[i];
		if (count || old)
			lines.push(`${path.join(";")} ${before ? Math.round(old) + " " : ""}${count}\n`);
	}
	return lines.join("");
}
