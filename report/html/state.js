// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the viewer is in the fragment of the URL, so that a link shows what its sender saw. Its functions and frames
// are words and its times are milliseconds, which mean the same in another page of the recording.

const TABLES = ["function", "file", "process"];

const VIEWS = ["flame", "icicle", "inverted", "sandwich", "table"], GROUPS = ["threads", "processes", "none"];

// source: the lines of the selected function are shown. heat: all rows of the heat map are shown. apart: each has its own scale. lanes: it has the colours of functions.
const SWITCHES = ["recursion", "matching", "languages", "source", "heat", "apart", "lanes"];

// zoom has the words of a node for each picture, missing the words of a link that mean nothing here.
function initialState() {
	return {view: "flame", by: "function", group: "threads", search: "", focus: [], ignore: [], remove: [], hide: [], merge: [], keep: [], recursion: false,
		matching: false, languages: false, source: false, heat: false, apart: false, lanes: false, time: null, baseline: null, pivot: -1, zoom: [], theme: "", missing: []};
}

// The time range of a text, if a slot of the page is in it.
function timeOfText(text, page) {
	const time = /^(\d{1,15})-(\d{1,15})$/.exec(text), range = time && time.slice(1).map(Number);
	const hasSlot = profile => profile.slots.length && slotsOf(profile, range).reduce((first, last) => first <= last);
	return range && page.profiles.some(hasSlot) ? range : null;
}

function readState(hash, page) {
	const state = initialState(), words = new URLSearchParams(hash.replace(/^#/, ""));
	if (words.get("group") === "processes")
		page.profiles.forEach(processFunctions);
	words.getAll("merge").filter(part => hasPart(page.functions, part)).forEach(part => mergedFunction(page.functions, part));
	const functionOf = name => {
		const [fn = -1] = findFunctions(page.functions, name);
		if (fn < 0)
			state.missing.push(name.split("\n")[0]);
		return fn;
	};
	for (const [key, text] of words) {
		if ((key === "view" && VIEWS.includes(text)) || (key === "group" && GROUPS.includes(text)) || (key === "by" && TABLES.includes(text)) || key === "search" ||
			(key === "theme" && (text === "dark" || text === "light")))
			state[key] = text;
		else if (SWITCHES.includes(key))
			state[key] = true;
		else if (key === "time" || key === "baseline")
			state[key] = timeOfText(text, page);
		else if (key === "zoom")
			state.zoom.push(text);
		else if (key === "pivot")
			state.pivot = functionOf(text);
		else if (PART_LISTS.includes(key)) {
			const list = hasPart(page.functions, text) ? state[key] : state.missing;
			list.push(...list.includes(text) ? [] : [text]);
		} else if (["focus", "ignore", "remove"].includes(key))
			state[key] = [...new Set([...state[key], functionOf(text)])].filter(fn => fn >= 0);
	}
	if (state.view === "sandwich" && state.pivot < 0)
		state.view = "flame";
	return state;
}

function writeState(state, functions) {
	const words = new URLSearchParams(), usual = initialState(), put = (key, text) => words.append(key, text);
	for (const key of ["view", "by", "group", "search", ...SWITCHES, "theme"])
		if (state[key] !== usual[key])
			put(key, state[key]);
	for (const key of ["time", "baseline"])
		if (state[key])
			put(key, state[key].join("-"));
	for (const key of ["focus", "ignore", "remove"])
		state[key].forEach(fn => put(key, nameFunction(functions, fn)));
	for (const key of PART_LISTS)
		state[key].forEach(part => put(key, part));
	if (state.pivot >= 0)
		put("pivot", nameFunction(functions, state.pivot));
	state.zoom.forEach(path => put("zoom", path));
	return words.toString();
}
