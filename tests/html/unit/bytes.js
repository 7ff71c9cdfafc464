// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers, sections and lines of bytes.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {Reader, bytesOfBase64}} = require("../scripts.js");

const reader = (...bytes) => new Reader(Uint8Array.from(bytes));

check("varints of one byte, two, and more than 32 bits", () => {
	const numbers = reader(5, 0xac, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 1);
	assert.deepStrictEqual([numbers.varint(), numbers.varint(), numbers.varint()], [5, 300, 2 ** 35]);
});
check("a section has its bytes alone, and the next one follows it", () => {
	const all = reader(2, 7, 8, 1, 9);
	assert.deepStrictEqual([[...all.section().bytes], [...all.section().bytes]], [[7, 8], [9]]);
});
check("lines may be empty, and are UTF-8", () => assert.deepStrictEqual(reader(97, 10, 10, 0xc3, 0xa4, 10).lines(), ["a", "", "ä"]));
check("base64", () => assert.deepStrictEqual([...bytesOfBase64("AP+A")], [0, 255, 128]));
