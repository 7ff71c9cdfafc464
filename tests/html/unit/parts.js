// SPDX-License-Identifier: GPL-2.0-or-later
// Files and kinds that are hidden, merged or kept.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {addMerged, deriveTree, foldTree, hasPart, initialState, partOf, weighSlots}, profileOf} = require("../scripts.js");

// Functions of two files; those with a capital letter are of the kernel.
function fold(changes) {
	const profile = profileOf(["t;main;libf;libg;libf 1", "t;main;libg 2", "t;main;libf;K 4", "t;main;libf;own;libf 8"]), {functions} = profile;
	functions.modules = functions.texts.map(text => text.startsWith("lib") ? "lib.so" : /main|own/.test(text) ? "prog" : "");
	functions.kinds[functions.texts.indexOf("K")] = 2;
	const choice = {...initialState(), ...changes};
	addMerged(functions, choice);
	for (const list of ["focus", "ignore", "remove"])
		choice[list] = choice[list].map(text => functions.texts.indexOf(text));
	return foldTree(deriveTree(profile, choice, weighSlots(profile, choice))).trim().split("\n");
}

check("a file is hidden, merged, or kept", () => {
	assert.deepStrictEqual(fold({hide: ["file lib.so"]}), ["t;main 3", "t;main;K 4", "t;main;own 8"]);
	assert.deepStrictEqual(fold({merge: ["file lib.so"]}), ["t;main;(lib.so) 3", "t;main;(lib.so);K 4", "t;main;(lib.so);own;(lib.so) 8"]);
	assert.deepStrictEqual(fold({keep: ["file prog"]}), ["t;main 7", "t;main;own 8"]);
	assert.deepStrictEqual(fold({keep: ["file prog"], merge: ["file prog"]}), ["t;(prog) 15"]);
});
check("a merged file is a function like others", () => {
	const merge = ["file lib.so"];
	assert.deepStrictEqual(fold({merge, remove: ["(lib.so)"]}), ["t;main 3", "t;main;K 4", "t;main;own 8"]);
	assert.deepStrictEqual(fold({merge, ignore: ["(lib.so)"]}), [""]);
	assert.deepStrictEqual(fold({merge, focus: ["(lib.so)", "K"]}), ["t;main;(lib.so);K 4"]);
});
check("a kind as well", () => {
	assert.deepStrictEqual(fold({keep: ["kind kernel"]}), ["t 11", "t;K 4"]);
	assert.deepStrictEqual(fold({merge: ["kind user"], recursion: true}), ["t;(user) 11", "t;(user);K 4"]);
});
check("threads and functions without a file have no part to choose", () => {
	const functions = {texts: ["t", "f"], kinds: [0, 1], modules: ["", ""]};
	assert.deepStrictEqual([partOf(functions, 1, "file"), partOf(functions, 1, "kind")], ["", "kind user"]);
	assert.deepStrictEqual(["kind user", "kind thread or process", "file ", "file x", "else f"].map(part => hasPart(functions, part)), [true, false, false, false, false]);
});
