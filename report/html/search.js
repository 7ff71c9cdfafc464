// SPDX-License-Identifier: GPL-2.0-or-later
// The search looks at each function once, then at the nodes of the tree.

// Returns a flag for each function whose text matches. A pattern without a capital letter, or with (?i) in front, ignores
// case. One that is no regular expression is looked for as it stands.
function matchFunctions(functions, pattern) {
	const flags = new Uint8Array(functions.texts.length);
	if (!pattern)
		return flags;
	let regex;
	try {
		const isSmall = !/\p{Lu}/u.test(pattern.replace(/\\./gs, ""));
		regex = pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "i") : new RegExp(pattern, isSmall ? "i" : "");
	} catch {
		regex = {test: text => text.includes(pattern)};
	}
	functions.texts.forEach((text, i) => flags[i] = i !== functions.all && regex.test(text));
	return flags;
}

// Returns the nodes that match. tops are those that are below no other match.
function matchNodes(tree, flags) {
	const {nodes, ends} = tree, found = new Uint32Array(nodes.length), tops = [];
	let end = 0, nr = 0;
	for (let i = 1; i < nodes.length; i++) {
		if (!flags[nodes[i]])
			continue;
		found[nr++] = i;
		if (i < end)
			continue;
		end = ends[i];
		tops.push(i);
	}
	return {flags, found: found.subarray(0, nr), tops};
}

// Returns the count of the stacks with a match, and with the function pivot unless it is -1. A stack counts once.
function countMatched(tree, flags, pivot) {
	const {nodes, ends} = tree;
	let total = 0, matchEnd = 0, pivotEnd = pivot < 0 ? Infinity : 0;
	for (let i = 1; i < nodes.length; i++) {
		if (flags[nodes[i]] && i >= matchEnd)
			matchEnd = ends[i];
		if (nodes[i] === pivot && i >= pivotEnd)
			pivotEnd = ends[i];
		if (i >= matchEnd || i >= pivotEnd)
			continue;
		total += totalOf(tree, i);
		i = ends[i] - 1;
	}
	return total;
}
