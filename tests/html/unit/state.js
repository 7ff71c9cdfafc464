// SPDX-License-Identifier: GPL-2.0-or-later
// The state in a link, and links that nobody wrote.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {fitState, initialState, readState, writeState}} = require("../scripts.js");

check("the first state needs no words", () => {
	assert.strictEqual(writeState({...initialState(), zoom: [0, 0]}), "");
	assert.deepStrictEqual(readState(""), initialState());
});
check("a link has the whole state", () => {
	const state = {view: "sandwich", group: "none", search: "a&b=c #;ä", focus: [3, 1], ignore: [2], remove: [0], recursion: true,
		matching: true, time: [1, 4], baseline: [0, 0], pivot: 7, zoom: [0, 5], theme: "dark"};
	assert.deepStrictEqual(readState("#" + writeState(state)), state);
});
check("words and numbers that mean nothing are left out", () => {
	const state = readState("#view=evil&group=x&theme=blue&time=5.2&baseline=1&pivot=-3&nothing=1&__proto__=1&focus=1.-2.x.3.1e99");
	assert.deepStrictEqual(state, {...initialState(), focus: [1, 3]});
});
check("an empty number is none", () => assert.deepStrictEqual(readState("#pivot=&focus=&time=."), initialState()));
check("a link of another page shows what this one has", () => {
	const page = {functions: {texts: ["a", "b", "c"]}, profiles: [{slots: [0, 1, 1, 2]}]};
	const fit = hash => fitState(readState(hash), page);
	assert.deepStrictEqual(fit("#focus=3.2.99&ignore=7&time=0.1&baseline=1.2"), {...initialState(), focus: [2], time: [0, 1]});
	assert.deepStrictEqual(fit("#view=sandwich&pivot=3"), initialState());
	assert.deepStrictEqual(fit("#view=sandwich"), initialState());
	assert.deepStrictEqual(fit("#view=sandwich&pivot=2"), {...initialState(), view: "sandwich", pivot: 2});
});
