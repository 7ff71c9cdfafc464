// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks by process, and without interpreters.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {SourceBuilder, foldTree, splitLanguages, splitProcesses, weighNodes, weighSlots}, smallProfile, profileOf} = require("../scripts.js");

const fold = (profile, source) => foldTree(weighNodes(source, weighSlots(profile, {}), null)).trim().split("\n");

check("a node comes again for each process below it, with the cells of that process", () => {
	const profile = {...smallProfile(), processOfCell: [0, 1, 0, 1]};
	assert.deepStrictEqual(fold(profile, splitProcesses(profile)), ["srv (7);main 2", "srv (7);main;work 1", "process (8);main;work 3", "process (8);main 6"]);
	assert.deepStrictEqual([...splitProcesses(profile).ends], [9, 4, 4, 4, 7, 7, 7, 9, 9]);
});
check("stacks with a function of a language begin with it, and interpreters are not shown", () => {
	const profile = profileOf(["t;main 1", "t;main;eval;f;eval 2", "t;main;eval;f;eval;g;libc 4", "t;main;libc 8"]), {texts, kinds, modules} = profile.functions;
	for (const name of ["f", "g"])
		kinds[texts.indexOf(name)] = 7; // the first language
	for (const name of ["main", "eval"])
		modules[texts.indexOf(name)] = "python3";
	const source = splitLanguages(profile, ["python3"]);
	assert.deepStrictEqual(fold(profile, source), ["t;main 1", "t;main;libc 8", "t;f; 2", "t;f;;g;libc 4"]);
	assert.strictEqual(source.nodes.filter(fn => fn === profile.functions.hidden).length, 1);
});
check("a source grows", () => {
	const {functions} = smallProfile(), builder = new SourceBuilder({functions, nodes: [4], countOfCell: []});
	for (let i = 0; i < 100; i++)
		builder.add(0, 1);
	assert.deepStrictEqual([...builder.finish().ends.slice(0, 3)], [101, 2, 3]);
});
