// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks of a profile as the user wants to see them: of a stretch of time, below threads or processes or neither, with
// functions taken out, or from their last functions on.

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

// The frames that stand for processes are made when they are first needed.
function processFunctions(profile) {
	return profile.processFunctions ||= profile.processes.map(([pid, name]) =>
		addFunction(profile.functions, `${name || "process"} (${pid})`, KIND_THREAD));
}

// The stacks of a profile below the processes, or those of functions of languages (see sources.js).
function sourceOf(profile, choice) {
	const source = choice.group === "processes" ? profile.byProcess ||= splitProcesses(profile) : profile;
	return choice.languages ? source.ofLanguages ||= splitLanguages(source, profile.interpreters) : source;
}

function flagFunctions(functions, numbers) {
	const flags = new Uint8Array(functions.texts.length);
	for (const fn of numbers)
		flags[fn] = 1;
	return flags;
}

// The function that is shown for each, or -1, and the functions whose frames below each other are one.
function showFunctions(functions, choice) {
	const shown = Int32Array.from(functions.texts, (_, fn) => fn), joins = new Uint8Array(shown.length).fill(choice.recursion);
	functions.kinds.forEach((kind, fn) => {
		if (fn === functions.hidden || (choice.group === "none" && kind === KIND_THREAD))
			shown[fn] = -1;
	});
	showParts(functions, choice, shown, joins);
	const removed = flagFunctions(functions, choice.remove);
	for (let fn = 0; fn < shown.length; fn++)
		if (removed[fn] || removed[shown[fn]])
			shown[fn] = -1;
	return {shown, joins};
}

// Returns a flag for each node whose stacks a choice leaves, or null for all. The nodes come in pre-order, so a node's stack
// is the one of its parent and one frame more. A function is one that is merged, or the one that it is merged into. A search looks at the frames that are shown, the focus at all.
function keptNodes({functions, nodes, ends, depths}, choice, shown, isMatching) {
	const wanted = choice.focus.map(fn => flagFunctions(functions, [fn])), isThread = choice.group !== "none";
	if (isMatching)
		wanted.push(shown.map(fn => fn >= 0 && choice.flags[fn]));
	if (!wanted.length && !choice.ignore.length)
		return null;
	const ignored = flagFunctions(functions, choice.ignore), kept = new Uint8Array(nodes.length);
	// The depth of the first frame of each that is wanted.
	const firsts = wanted.map(() => Infinity);
	for (let i = 1; i < nodes.length; i++) {
		const fn = nodes[i], now = shown[fn], depth = depths[i], isFrame = depth > 1 || isThread;
		if (isFrame && (ignored[fn] || ignored[now])) {
			i = ends[i] - 1;
			continue;
		}
		let missing = 0;
		for (let w = 0; w < wanted.length; w++) {
			if (firsts[w] >= depth)
				firsts[w] = isFrame && (wanted[w][fn] || wanted[w][now]) ? depth : Infinity;
			missing += firsts[w] === Infinity;
		}
		kept[i] = missing ? 0 : 1;
	}
	return kept;
}

// The tree of a source, with the weights of the nodes that are kept.
function weighNodes(source, weights, kept) {
	const {functions, nodes, ends, depths, maxDepth, firstCells, slotOfCell, countOfCell} = source, nr = nodes.length;
	const after = new Float64Array(nr), before = weights.isDiff && new Float64Array(nr);
	for (let i = 1; i < nr; i++) {
		if (kept && !kept[i])
			continue;
		for (let c = firstCells[i]; c < firstCells[i + 1]; c++) {
			after[i] += countOfCell[c] * weights.after[slotOfCell[c]];
			if (before)
				before[i] += countOfCell[c] * weights.before[slotOfCell[c]];
		}
	}
	return setSums({functions, nodes, ends, depths, maxDepth, isDiff: weights.isDiff}, after, before);
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

// The tree of a choice. That of the profile is right for most.
function deriveTree(profile, choice, weights) {
	const source = sourceOf(profile, choice), {shown, joins} = showFunctions(profile.functions, choice);
	const tree = weighNodes(source, weights, keptNodes(source, choice, shown, choice.matching));
	const lists = ["focus", "ignore", "remove", ...PART_LISTS].some(list => choice[list].length);
	if (source === profile && choice.group === "threads" && !lists && !choice.recursion && !choice.matching)
		return tree;
	const merger = new CalleeMerger(tree, shown, joins);
	merger.expand(0, 0, 0, tree.functions.all);
	return merger.finish();
}

// Callers and callees of a function in a tree: the nodes from its first frame on, and the way there, turned round. So
// recursion counts once.
function deriveSandwich(tree, pivot) {
	const {functions, nodes, ends, isDiff} = tree, {shown, joins} = showFunctions(functions, initialState());
	const callers = new CallerMerger(tree, node => [totalOf(tree, node), isDiff ? beforeOf(tree, node) : 0]);
	const callees = new CalleeMerger(tree, shown, joins);
	for (let i = 1; i < nodes.length; i++) {
		if (nodes[i] !== pivot || !widthOf(tree, i))
			continue;
		callers.push(pivot, i, i);
		callees.push(pivot, i, i);
		i = ends[i] - 1;
	}
	return [callers.finish(), callees.finish()];
}

// All stacks from their last functions on.
function deriveInverted(tree) {
	const {nodes, sums, isDiff, beforeSums} = tree, after = tree.afterSums || sums;
	const merger = new CallerMerger(tree, node => [after[node + 1] - after[node], isDiff ? beforeSums[node + 1] - beforeSums[node] : 0]);
	for (let i = 1; i < nodes.length; i++)
		if (sums[i + 1] > sums[i])
			merger.push(nodes[i], i, i);
	return heaviestFirst(merger.finish());
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
