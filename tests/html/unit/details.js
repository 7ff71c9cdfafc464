// SPDX-License-Identifier: GPL-2.0-or-later
// Words about frames and recordings.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {count, describeChange, describeNode, stackOf, timeOf, truthOf, truthOfSide, unnamedByFile}, smallTree} = require("../scripts.js");

const part = {file: "a.prof", host: "h", start: 0, duration: 1500, event: "cpu-clock", freq: 99, unit: "samples", total: 90,
	taken: 100, lost: 10, userStacks: 80, completeStacks: 60};

check("a frame: name, file, place, shares", () => assert.deepStrictEqual(describeNode(smallTree(), 2, "samples"),
	["b", "kernel, vmlinux", "b.c:7", "total 4 samples: 40.00 % of all, 66.67 % of its parent; self 3 (30.00 %)"]));
check("the stack of a frame", () => assert.strictEqual(stackOf(smallTree(), 3), "a;b;a"));
check("counts and times", () => {
	assert.strictEqual(count(1234567.4), "1,234,567");
	assert.deepStrictEqual([timeOf({start: 0}), timeOf({start: 0, zone: 1440 + 90})], ["1970-01-01 00:00:00 UTC", "1970-01-01 01:30:00"]);
});
check("a recording, whole or not", () => {
	assert.deepStrictEqual(truthOf(part), ["a.prof", "h", "1970-01-01 00:00:00 UTC, 1.5 s", "cpu-clock at 99 Hz", "90 samples shown",
		"100 taken, 10 lost (10.00 %)", "75.00 % of user stacks complete"]);
	assert.ok(truthOf({...part, defect: "cut"}).includes("INCOMPLETE: cut"));
});
check("recordings of a side add up", () => assert.deepStrictEqual(truthOfSide([part, {...part, file: "b.prof", lost: 30, defect: "cut"}]).slice(2),
	["1970-01-01 00:00:00 UTC to 1970-01-01 00:00:00 UTC, 3.0 s in all", "cpu-clock at 99 Hz", "180 samples shown", "INCOMPLETE: 1 of 2",
		"200 taken, 40 lost (20.00 %)", "75.00 % of user stacks complete"]));
check("a verdict", () => assert.strictEqual(describeChange(["changed", 100, 110, 0.1, 0.05, null], "ms"),
	"function in all stacks: 100.0 ms before, 110.0 ms after, change +10.0 %, 95 % interval +5.0 % to unknown: changed"));
check("frames without a name, by file", () => assert.strictEqual(unnamedByFile(smallTree()), "libx.so 26.67 %"));
