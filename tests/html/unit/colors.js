// SPDX-License-Identifier: GPL-2.0-or-later
// Colours depend on kind and name, and on the sense of a change.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {KINDS, Palette, addLanguage, hashText, pixelOf}} = require("../scripts.js");

const red = pixel => pixel & 255, blue = pixel => pixel >>> 16 & 255;

check("the hash is FNV-1a, folded, of at most 256 characters", () => {
	assert.deepStrictEqual([hashText(""), hashText("a")], [(0x811c9dc5 ^ 0x10239) >>> 0, (0xe40c292c ^ 0x1c818) >>> 0]);
	assert.strictEqual(hashText("x".repeat(256) + "a"), hashText("x".repeat(256) + "b"));
});
check("a function's colour depends on its kind and name, not on its number", () => {
	const palette = new Palette({texts: ["f", "f", "f", "g"], kinds: [1, 1, 2, 1]}, false);
	assert.strictEqual(palette.of(0), palette.of(1));
	assert.notStrictEqual(palette.of(0), palette.of(2));
	assert.notStrictEqual(palette.of(0), palette.of(3));
	assert.ok(red(palette.of(0)) > blue(palette.of(0)) && blue(palette.of(2)) > red(palette.of(2)));
});
check("a match has a colour that no frame has", () => {
	const channels = pixel => [pixel & 255, pixel >>> 8 & 255, pixel >>> 16 & 255];
	for (const palette of [new Palette({}, false), new Palette({}, true)]) {
		const match = channels(palette.match), frames = [palette.same, palette.narrow, palette.edge, palette.change(1, 9, 10), palette.change(9, 1, 10)];
		for (let hue = 0; hue < 360; hue++)
			for (const lightness of palette.isDark ? [30, 34, 38] : [68, 72, 76])
				frames.push(pixelOf(hue, 70, lightness)); // of a language
		KINDS.forEach((_, kind) => frames.push(palette.kind(kind, 0)));
		const nearest = Math.min(...frames.map(pixel => Math.hypot(...channels(pixel).map((channel, i) => channel - match[i]))));
		assert.ok(nearest > 40, `${nearest}`);
	}
});
check("red grew, blue shrank, and little or nothing is neither", () => {
	for (const palette of [new Palette({}, false), new Palette({}, true)]) {
		const grew = palette.change(1, 5, 10), shrank = palette.change(5, 1, 10);
		assert.ok(red(grew) > blue(grew) && blue(shrank) > red(shrank));
		assert.deepStrictEqual([palette.change(5, 5, 10), palette.change(50000, 50001, 1000000)], [palette.same, palette.same]);
	}
});
check("a language that is known, and another", () => {
	[{name: "Python", hue: 56}, {name: "zz"}].forEach(addLanguage);
	assert.deepStrictEqual(KINDS.slice(-2).map(({name}) => name), ["Python", "zz"]);
	assert.strictEqual(KINDS[KINDS.length - 2].hue, 56);
	assert.ok(KINDS[KINDS.length - 1].hue < 360);
});
