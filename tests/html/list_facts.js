// SPDX-License-Identifier: GPL-2.0-or-later
// list_facts.js PAGE: prints the facts above each picture, a line each.
"use strict";
const {readPageFile} = require("./page.js");
const {viewer, page} = readPageFile(process.argv[2]);

for (const {parts: [part]} of page.profiles)
	console.log(viewer.truthOf(part).join(" | "));
