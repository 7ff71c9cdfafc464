// SPDX-License-Identifier: GPL-2.0-or-later
// Colours depend on kind and name alone, so that a function has one colour in all pictures.

const KIND_THREAD = 0, KIND_MARK = 6;

// In the order of enum page_kind. hue and the width of its range, saturation. Languages follow.
const KINDS = [
	{name: "thread or process", hue: 262, range: 20, saturation: 35},
	{name: "user", hue: 26, range: 26, saturation: 85},
	{name: "kernel", hue: 206, range: 18, saturation: 70},
	{name: "JIT", hue: 100, range: 30, saturation: 45},
	{name: "inlined", hue: 166, range: 14, saturation: 45},
	{name: "no name", hue: 30, range: 10, saturation: 8},
	{name: "no function", hue: 220, range: 1, saturation: 5},
];

// Of differences.
const CHANGES = [
	{name: "grew", hue: 8, range: 0, saturation: 80},
	{name: "shrank", hue: 215, range: 0, saturation: 80},
	{name: "did not, or not distinguishable from noise", hue: 40, range: 0, saturation: 5},
];

// A language that profrep does not know gets a hue by its name.
function addLanguage({name, hue = hashText(name) % 360}) {
	KINDS.push({name, hue, range: 10, saturation: 70});
}

function hashText(text, limit = 256) {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length && i < limit; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return (hash ^ hash >>> 15) >>> 0;
}

class Palette {
	constructor(functions, isDark) {
		this.functions = functions;
		this.isDark = isDark;
		this.known = [];
		this.text = isDark ? "#f2f2f2" : "#111";
		this.back = isDark ? "#1c1d20" : "#fff";
		this.focus = isDark ? "#fff" : "#000";
		this.mark = isDark ? "#4fd6b0" : "#0a8f6a"; // of a baseline
		// The others are pixels, as raster.js makes them.
		this.match = pixelOf(300, 100, isDark ? 40 : 52); // purer than any colour of a frame
		this.edge = isDark ? pixelOf(225, 7, 12) : pixelOf(0, 0, 100);
		this.narrow = isDark ? pixelOf(228, 2, 34) : pixelOf(40, 8, 77);
		this.same = isDark ? pixelOf(228, 4, 24) : pixelOf(40, 11, 89);
	}

	kind(kind, hash) {
		const {hue, range, saturation} = KINDS[kind];
		return pixelOf(hue + hash % range, saturation, (this.isDark ? 30 : 68) + (hash >>> 8) % 9);
	}

	of(fn) {
		return this.known[fn] ||= this.kind(this.functions.kinds[fn], hashText(this.functions.texts[fn]));
	}

	// Red grew, blue shrank, as a part of the whole; a tenth of it has the full colour.
	change(before, after, whole) {
		const part = Math.min(1, Math.abs(after - before) / whole * 10) ** 0.5;
		if (after === before || part < 0.02)
			return this.same;
		return pixelOf(CHANGES[after > before ? 0 : 1].hue, 30 + 55 * part, this.isDark ? 24 + 18 * part : 92 - 32 * part);
	}
}
