// SPDX-License-Identifier: GPL-2.0-or-later
// check_languages.js PAGE FOLDED: the page without interpreters has the stacks of profrep -f -P --frames language.
"use strict";
const fs = require("fs");
const assert = require("assert");
const {readPageFile} = require("./page.js");

const [file, folded] = process.argv.slice(2), {viewer, page: {profiles: [profile]}} = readPageFile(file);
const tree = viewer.deriveTree(profile, {...viewer.initialState(), languages: true}, viewer.weighSlots(profile, {}));
// profrep keeps a leaf of the interpreter below native code, for its name, and knows functions of languages without a name.
const kept = /;zlib_compress_impl$|;\[unknown\](?=;_find_and_load)/;

function sumStacks(text) {
	const sums = new Map();
	for (const line of text.split("\n").filter(Boolean)) {
		const [, stack, count] = /^(.*) (\d+)$/.exec(line), shown = stack.replace(kept, "");
		sums.set(shown, (sums.get(shown) || 0) + Number(count));
	}
	return [...sums].sort();
}

assert.deepStrictEqual(sumStacks(viewer.foldTree(tree)), sumStacks(fs.readFileSync(folded, "utf8")));
