// SPDX-License-Identifier: GPL-2.0-or-later
// The state in a link, and links that nobody wrote.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {initialState, readState, writeState}} = require("../scripts.js");

// Functions have the texts f0, f1, ... in the order that is asked for.
function pageOf(order) {
	const texts = [...order.map(number => `f${number}`), "all"];
	return {functions: {texts, modules: texts.map(text => text === "f1" ? "lib&=" : ""), places: texts.map(() => ""), kinds: texts.map(() => 1), all: order.length},
		profiles: [{slots: [0, 1000, 1000, 5000]}, {slots: [0, 9000]}]};
}

const page = pageOf([0, 1, 2, 3, 4, 5, 6, 7]), read = hash => readState(hash, page), write = state => writeState(state, page.functions);

check("the first state needs no words", () => {
	assert.strictEqual(write({...initialState(), theme: ""}), "");
	assert.deepStrictEqual(read(""), initialState());
});
check("a link has the whole state", () => {
	const state = {view: "sandwich", by: "file", group: "none", search: "a&b=c #;ä", focus: [3, 1], ignore: [2], remove: [0], hide: ["file lib&="], merge: ["kind user"], keep: ["file lib&=", "kind user"],
		recursion: true,
		matching: true, languages: true, source: true, heat: true, apart: true, lanes: true, time: [1000, 5000], baseline: [0, 1000], pivot: 7, zoom: ["cpu-clock;t;a&b", "off-cpu"], theme: "dark", missing: []};
	assert.deepStrictEqual(read("#" + write(state)), state);
});
check("functions of a link are names, and not their numbers", () => {
	const hash = write({...initialState(), focus: [3, 1], pivot: 0, view: "sandwich"}), {focus, pivot} = readState(hash, pageOf([7, 1, 3, 0]));
	assert.deepStrictEqual([focus, pivot], [[2, 1], 3]);
});
check("words and numbers that mean nothing are left out", () => {
	const state = read("#view=evil&group=x&theme=blue&time=5.2&baseline=1&nothing=1&__proto__=1&time=-1-2&baseline=5-1e9&time=99999-999999");
	assert.deepStrictEqual(state, initialState());
});
check("a link of another page shows what this one has, and says what it lacks", () => {
	assert.deepStrictEqual(read("#focus=f2&focus=g&ignore=h%0Alib&ignore=f1%0Aother"), {...initialState(), focus: [2], missing: ["g", "h", "f1"]});
	assert.deepStrictEqual(read("#hide=file+none&keep=kind+user&keep=kind+user"), {...initialState(), keep: ["kind user"], missing: ["file none"]});
	assert.deepStrictEqual(read("#view=sandwich&pivot=g"), {...initialState(), missing: ["g"]});
	assert.deepStrictEqual(read("#view=sandwich"), initialState());
	assert.deepStrictEqual(read("#view=sandwich&pivot=f2"), {...initialState(), view: "sandwich", pivot: 2});
});
