// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the viewer is in the fragment of the URL, so that a link shows what its sender saw.
// Nodes and functions are numbers, which mean the same wherever the page is opened.

const VIEWS = ["flame", "icicle", "sandwich", "table"], GROUPS = ["threads", "processes", "none"];

function initialState() {
	return {view: "flame", group: "threads", search: "", focus: [], ignore: [], remove: [], recursion: false,
		matching: false, time: null, baseline: null, pivot: -1, zoom: [], theme: ""};
}

function numbersOf(text) {
	return text.split(".").filter(number => number).map(Number).filter(n => Number.isSafeInteger(n) && n >= 0);
}

function stretchOf(text) {
	const [first, last] = numbersOf(text);
	return last >= first ? [first, last] : null;
}

function readState(hash) {
	const state = initialState(), words = new URLSearchParams(hash.replace(/^#/, ""));
	for (const [key, text] of words) {
		if ((key === "view" && VIEWS.includes(text)) || (key === "group" && GROUPS.includes(text)) || key === "search" ||
			(key === "theme" && (text === "dark" || text === "light")))
			state[key] = text;
		else if (key === "recursion" || key === "matching")
			state[key] = true;
		else if (key === "time" || key === "baseline")
			state[key] = stretchOf(text);
		else if (key === "pivot")
			state.pivot = numbersOf(text)[0] ?? -1;
		else if (["focus", "ignore", "remove", "zoom"].includes(key))
			state[key] = numbersOf(text);
	}
	return state;
}

// A link may be of another page: leaves out the functions and the stretches that @page does not have.
function fitState(state, page) {
	const isFunction = number => number < page.functions.texts.length;
	const nrSlots = Math.max(...page.profiles.map(profile => profile.slots.length / 2));
	for (const list of ["focus", "ignore", "remove"])
		state[list] = state[list].filter(isFunction);
	for (const stretch of ["time", "baseline"])
		if (state[stretch] && state[stretch][1] >= nrSlots)
			state[stretch] = null;
	if (!isFunction(state.pivot))
		state.pivot = -1;
	if (state.view === "sandwich" && state.pivot < 0)
		state.view = "flame";
	return state;
}

function writeState(state) {
	const words = new URLSearchParams(), plain = initialState();
	for (const [key, value] of Object.entries(state)) {
		const text = Array.isArray(value) ? value.join(".") : String(value);
		const usual = Array.isArray(plain[key]) ? plain[key].join(".") : String(plain[key]);
		if (text !== usual && (key !== "zoom" || text.replace(/[0.]/g, "")))
			words.set(key, text);
	}
	return words.toString();
}
