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
		before.fill(profile.normalized ? total(now) / (total(old) || 1) : 1, 0, now[0].firstSlot);
		after.fill(1, now[0].firstSlot);
		return {after, before, isDiff: true};
	}
	const [first, last] = choice.time || [0, nr - 1];
	after.fill(1, first, last + 1);
	if (!choice.baseline)
		return {after, before, isDiff: false};
	const [begin, end] = choice.baseline;
	before.fill(slotsTime(profile, first, last) / slotsTime(profile, begin, end), begin, end + 1);
	return {after, before, isDiff: true};
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

// Calls visit(path, nr, weight after, weight before, process) for each stack. path[0] is its thread.
function eachStack(profile, weights, visit) {
	const {nodes, depths, firstCells, processOfCell, slotOfCell, countOfCell} = profile, path = [];
	for (let i = 1; i < nodes.length; i++) {
		path[depths[i] - 1] = nodes[i];
		for (let c = firstCells[i]; c < firstCells[i + 1]; c++) {
			const after = countOfCell[c] * weights.after[slotOfCell[c]];
			const before = countOfCell[c] * weights.before[slotOfCell[c]];
			if (after || before)
				visit(path, depths[i], after, before, processOfCell[c]);
		}
	}
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

// Returns a function that writes the frames to show of a stack to out, and returns their number, or
// -1 for a stack that is left out. matches has a flag for each function that the search found.
function stackFilter(profile, choice, matches) {
	const functions = profile.functions;
	const processes = choice.group === "processes" && processFunctions(profile);
	const ignored = flagFunctions(functions, choice.ignore), removed = flagFunctions(functions, choice.remove);
	return (path, nr, process, out) => {
		let used = 0, isMatch = !choice.matching, last = -1;
		const missing = new Set(choice.focus);
		for (let i = choice.group === "none" ? 1 : 0; i < nr; i++) {
			const fn = i || !processes ? path[i] : processes[process];
			if (ignored[fn])
				return -1;
			missing.delete(fn);
			isMatch ||= matches[fn] === 1;
			if (removed[fn] || (choice.recursion && fn === last))
				continue;
			out[used++] = last = fn;
		}
		return isMatch && !missing.size ? used : -1;
	};
}

function deriveTree(profile, choice, matches) {
	const weights = weighSlots(profile, choice);
	if (isPlain(choice))
		return treeOfProfile(profile, weights);
	if (choice.group === "processes")
		processFunctions(profile);
	const builder = new TreeBuilder(profile.functions), out = [];
	const filter = stackFilter(profile, choice, matches);
	eachStack(profile, weights, (path, nr, after, before, process) => {
		const used = filter(path, nr, process, out);
		if (used >= 0)
			builder.addStack(out, used, after, before);
	});
	return builder.finish(weights.isDiff);
}

// Callers and callees of a function: of a stack the part from its first frame of the function on,
// and the part up to there, turned round. So recursion counts once.
function deriveSandwich(profile, choice, matches, pivot) {
	const weights = weighSlots(profile, choice), filter = stackFilter(profile, choice, matches);
	const callers = new TreeBuilder(profile.functions), callees = new TreeBuilder(profile.functions);
	const out = [];
	eachStack(profile, weights, (path, nr, after, before, process) => {
		const used = filter(path, nr, process, out), at = used < 0 ? -1 : out.indexOf(pivot);
		if (at < 0 || at >= used)
			return;
		callees.addStack(out.slice(at, used), used - at, after, before);
		callers.addStack(out.slice(0, at + 1).reverse(), at + 1, after, before);
	});
	return [callers.finish(weights.isDiff), callees.finish(weights.isDiff)];
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
