// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of a program: the functions of a file, and those of a kind, such as a language. They are hidden (their callees take
// their place), merged (frames of one below each other are one, with its name) or kept (all others are hidden). A part is a
// word in the state and in links: "file" or "kind", a space, and its name.

const PART_LISTS = ["hide", "merge", "keep"];

function partOf({modules, kinds}, fn, what) {
	const name = what === "file" ? modules[fn] : KINDS[kinds[fn]].name;
	return name && `${what} ${name}`;
}

function isInPart(functions, fn, part) {
	return partOf(functions, fn, part.split(" ", 1)[0]) === part;
}

// Threads, processes and marks belong to no part.
function isOfProgram({kinds}, fn) {
	return kinds[fn] !== KIND_THREAD && kinds[fn] !== KIND_MARK;
}

// The function that stands for a merged part. It has the part's colour.
function mergedFunction(functions, part) {
	const known = functions.merged ||= new Map();
	if (!known.has(part)) {
		const first = functions.texts.findIndex((_, fn) => isInPart(functions, fn, part)), name = part.slice(part.indexOf(" ") + 1);
		const fn = addFunction(functions, `(${name})`, first < 0 ? KIND_MARK : functions.kinds[first]);
		if (part.startsWith("file "))
			functions.modules[fn] = name;
		known.set(part, fn);
	}
	return known.get(part);
}

// Makes the functions of merged parts, before anything counts functions.
function addMerged(functions, state) {
	for (const part of state.merge)
		mergedFunction(functions, part);
}

function showParts(functions, choice, shown, joins) {
	const {hide, merge, keep} = choice, isIn = (fn, parts) => parts.some(part => isInPart(functions, fn, part));
	if (!hide.length && !merge.length && !keep.length)
		return;
	for (let fn = 0; fn < shown.length; fn++) {
		if (!isOfProgram(functions, fn))
			continue;
		if (isIn(fn, hide) || (keep.length && !isIn(fn, keep)))
			shown[fn] = -1;
		const part = merge.find(each => isInPart(functions, fn, each));
		if (part && shown[fn] >= 0)
			joins[shown[fn] = mergedFunction(functions, part)] = 1;
	}
}

// Parts that a page has: those of a link can be of another one.
function hasPart(functions, part) {
	return /^(file|kind) ./.test(part) && functions.texts.some((_, fn) => isOfProgram(functions, fn) && isInPart(functions, fn, part));
}
