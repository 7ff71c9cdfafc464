// SPDX-License-Identifier: GPL-2.0-or-later
// list_functions.js PAGE: prints text, kind, module and place of each function, with | between.
"use strict";
const {readPageFile} = require("./page.js");

const {viewer, page: {functions}} = readPageFile(process.argv[2]);
functions.texts.forEach((text, fn) => {
	console.log([text, viewer.KINDS[functions.kinds[fn]].name, functions.modules[fn], functions.places[fn]].join("|"));
});
