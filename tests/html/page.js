// SPDX-License-Identifier: GPL-2.0-or-later
// A page of profrep html as node reads it: its viewer, taken out of the page, and its data.
"use strict";
const fs = require("fs");
const vm = require("vm");
const zlib = require("zlib");
const crypto = require("crypto");

// The text between the tag with these attributes and its end.
function element(html, tag, attributes) {
	const begin = `<${tag}${attributes}>`, at = html.indexOf(begin);
	if (at < 0)
		throw new Error(`no ${begin}`);
	return html.slice(at + begin.length, html.indexOf(`</${tag}>`, at));
}

function packed(html, type, id) {
	return Buffer.from(element(html, "script", ` type="application/x-${type}" id="${id}"`), "base64");
}

// The names at the top level of a script.
function namesOf(script) {
	return [...script.matchAll(/^(?:async )?(?:function|class|const) (\w+)/gm)].map(match => match[1]);
}

// Runs the viewer's scripts. Top-level names of scripts are no members of their global object, so a last line hands
// them out.
function loadViewer(script) {
	const context = vm.createContext({TextDecoder, URLSearchParams, performance, console});
	return vm.runInContext(`${script}\n({${namesOf(script).join(", ")}})`, context);
}

function readPageFile(file) {
	const html = fs.readFileSync(file, "utf8");
	const script = zlib.gunzipSync(packed(html, "gzip", "viewer-script")).toString();
	const viewer = loadViewer(script);
	const bytes = new Uint8Array(zlib.inflateRawSync(packed(html, "profrep", "data")));
	return {html, script, viewer, page: viewer.readPage(bytes)};
}

function sha256(text) {
	return `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`;
}

module.exports = {element, loadViewer, namesOf, readPageFile, sha256};
