// SPDX-License-Identifier: GPL-2.0-or-later
// The state in a link, and links that nobody wrote.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {initialState, readState, writeState}} = require("../scripts.js");

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
