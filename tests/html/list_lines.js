// SPDX-License-Identifier: GPL-2.0-or-later
// list_lines.js PAGE [FUNCTION]: prints line, self, total and text of each source line of a function, with | between. Without
// one, the number of functions that are left out, and the names of the others.
"use strict";
const {readPageFile} = require("./page.js");

const [file, name] = process.argv.slice(2), {viewer, page: {profiles: [profile]}} = readPageFile(file);
if (!name && profile.sources)
	console.log([profile.sources.leftOut, ...profile.sources.functions.map(({text}) => text)].join("\n"));
const source = viewer.sourceOfFunction(profile, profile.functions.texts.indexOf(name));
for (const {path, lines} of source ? source.files : [])
	for (const line of lines)
		console.log([path, ...line].join("|"));
