// SPDX-License-Identifier: GPL-2.0-or-later
// The search looks at each function once, then at the nodes of the tree.

// Returns a flag for each function whose text matches. (?i) in front ignores case. A pattern that is
// no regular expression is looked for as it stands.
function matchFunctions(functions, pattern) {
	const flags = new Uint8Array(functions.texts.length);
	if (!pattern)
		return flags;
	let regex;
	try {
		regex = pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "i") : new RegExp(pattern);
	} catch {
		regex = {test: text => text.includes(pattern)};
	}
	functions.texts.forEach((text, i) => flags[i] = i !== functions.all && regex.test(text));
	return flags;
}

// Returns the nodes that match, and the count of the stacks that contain one: a match below another
// match adds nothing. tops are the matches that are below no other.
function matchNodes(tree, flags) {
	const {nodes, ends} = tree, found = new Uint32Array(nodes.length), tops = [];
	let total = 0, end = 0, nr = 0;
	for (let i = 1; i < nodes.length; i++) {
		if (!flags[nodes[i]])
			continue;
		found[nr++] = i;
		if (i < end)
			continue;
		end = ends[i];
		total += totalOf(tree, i);
		tops.push(i);
	}
	return {flags, found: found.subarray(0, nr), tops, total};
}
