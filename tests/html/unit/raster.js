// SPDX-License-Identifier: GPL-2.0-or-later
// Pixels, and spans that reach out of the picture.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Raster, mixPixels, pixelOf}} = require("../scripts.js");

// The part of the browser's class that a raster uses.
globalThis.ImageData = class {
	constructor(width, height) {
		Object.assign(this, {width, height, data: new Uint8ClampedArray(width * height * 4)});
	}
};

check("pixels of white, black, red, green and blue", () => {
	assert.deepStrictEqual([pixelOf(0, 0, 100), pixelOf(0, 0, 0)], [0xffffffff, 0xff000000]);
	assert.deepStrictEqual([0, 120, 240].map(hue => pixelOf(hue, 100, 50)), [0xff0000ff, 0xff00ff00, 0xffff0000]);
});
check("a mixture stays opaque", () => assert.strictEqual(mixPixels(0xffffffff, 0xff000000), 0xff7f7f7f));
check("spans and rows are cut at the edges, over the kept picture", () => {
	const raster = new Raster();
	raster.beginPicture(4, 3, 2, 9);
	raster.span(0, -5, 2, 1);
	raster.keepPicture();
	raster.span(0, 0, 4, 3);
	raster.begin(7);
	raster.span(1, 3, 99, 2);
	raster.place(0, -1, 2);
	raster.place(1, 2, 5);
	assert.deepStrictEqual([...raster.pixels], [1, 1, 9, 9, 7, 7, 7, 7, 9, 9, 9, 2]);
});
