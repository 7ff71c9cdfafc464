// SPDX-License-Identifier: GPL-2.0-or-later
// Words about frames and recordings.
"use strict";
const assert = require("assert");
const {check} = require("../tap.js");
const {scripts: {count, describeChange, describeNode, describeShares, describeShown, setSums, stackOf, timeOf, truthOf, truthOfSide, unnamedByFile}, smallTree} = require("../scripts.js");

const part = {file: "a.prof", host: "h", start: 0, duration: 1500, event: "cpu-clock", freq: 99, unit: "samples", total: 90,
	taken: 100, lost: 10, userStacks: 80, completeStacks: 60};

check("a frame: name, file, place, shares", () => assert.deepStrictEqual(describeNode(smallTree(), 2, "samples"),
	["b", "kernel, vmlinux", "b.c:7", "total 4 samples: 40.00 % of all, 66.67 % of its parent; self 3 (30.00 %)"]));
check("the root is no function, and has no parent", () => assert.deepStrictEqual(describeNode(smallTree(), 0, "samples"),
	["all", "total 10 samples: 100.00 % of all; self 0 (0.00 %)"]));
check("shares are of all, and of those that filters left", () => {
	const tree = {...smallTree(), whole: 40};
	assert.strictEqual(describeShares(tree, 4), "10.00 % of all, 40.00 % of those shown");
	assert.strictEqual(describeShares({...tree, isOfTime: true}, 4), "10.00 % of all in this time, 40.00 % of those shown");
	assert.strictEqual(describeNode(tree, 2, "samples")[3],
		"total 4 samples: 10.00 % of all, 40.00 % of those shown, 66.67 % of its parent; self 3 (7.50 %)");
});
check("the shares of a difference are of its two sums", () => {
	const tree = setSums({...smallTree(), isDiff: true, whole: 20, wholeBefore: 10}, [0, 2, 3, 1, 4], [0, 0, 0, 0, 5]);
	assert.strictEqual(describeNode(tree, 4, "samples")[2], "before 5 (50.00 %), after 4 (20.00 %), change -1 samples (-20.0 %)");
});
check("how much is shown", () => {
	assert.strictEqual(describeShown(4972, 4972, 4972, "samples"), "4,972 samples shown");
	assert.strictEqual(describeShown(685, 4972, 4972, "samples"), "685 of 4,972 samples shown");
	assert.strictEqual(describeShown(300, 1991, 4972, "samples"), "300 of 1,991 samples shown in this time, 4,972 in all");
});
check("the stack of a frame", () => assert.strictEqual(stackOf(smallTree(), 3), "a;b;a"));
check("counts and times", () => {
	assert.deepStrictEqual([1234567, 1234567.456, 272698281234567].map(number => count(number)), ["1,234,567", "1,234,567.46", "272,698,281,234,567"]);
	assert.deepStrictEqual([count(2 ** 53), count(5, 2 ** 54)], ["about 9,007,199,254,740,992", "about 5"]);
	assert.deepStrictEqual([timeOf({start: 0}), timeOf({start: 0, zone: 1440 + 90})], ["1970-01-01 00:00:00 UTC", "1970-01-01 01:30:00"]);
});
check("a recording, whole or not", () => {
	assert.deepStrictEqual(truthOf(part, "90 samples shown"), ["a.prof", "h", "1970-01-01 00:00:00 UTC, 1.5 s", "cpu-clock at 99 Hz", "90 samples shown",
		"100 taken, 10 lost (10.00 %)", "75.00 % of user stacks complete"]);
	assert.strictEqual(truthOf({...part, freq: 0, event: "on-cpu"})[3], "on-cpu");
	assert.ok(truthOf({...part, defect: "cut"}).includes("INCOMPLETE: cut"));
});
check("recordings of a side add up", () => assert.deepStrictEqual(truthOfSide([part, {...part, file: "b.prof", lost: 30, defect: "cut"}], "180 samples shown").slice(2),
	["1970-01-01 00:00:00 UTC to 1970-01-01 00:00:00 UTC, 3.0 s in all", "cpu-clock at 99 Hz", "180 samples shown", "INCOMPLETE: 1 of 2",
		"200 taken, 40 lost (20.00 %)", "75.00 % of user stacks complete"]));
check("a verdict", () => assert.strictEqual(describeChange(["changed", 100, 110, 0.1, 0.05, null], "ms"),
	"function in all stacks: 100.0 ms before, 110.0 ms after, change +10.0 %, 95 % interval +5.0 % to unknown: changed"));
check("frames without a name, by file", () => assert.strictEqual(unnamedByFile(smallTree()), "libx.so 26.67 %"));
