// SPDX-License-Identifier: GPL-2.0-or-later
// Calls functions in ways that tests/judges/node.awk knows, for so many seconds as the argument says. With "moving" as
// the second argument, it makes the collector of garbage move objects, functions of code among them.
"use strict";

const {Worker, isMainThread, workerData} = require("node:worker_threads");
const [seconds, isMoving] = isMainThread ? [Number(process.argv[2] || 2), process.argv[3] === "moving"] : workerData;
const end = Date.now() + seconds * 1000;
let sink = 0;

function burn(turns) {
	let x = sink | 1;
	for (let i = 0; i < turns; i++)
		x = x * 1103515245 + 12345 & 0x7fffffff;
	sink ^= x;
	return x;
}

// The bottom of each depth has a name of its own.
const bottoms = [];
for (let depth = 1; depth <= 40; depth++)
	bottoms[depth] = {["bottom_" + depth]: new Function("burn", `return function bottom_${depth}() { burn(2000); return ${depth}; }`)(burn)}["bottom_" + depth];

function descend(depth, left) {
	const ret = left > 1 ? descend(depth, left - 1) : bottoms[depth]();
	return ret + 1;
}

function recurse() {
	for (let depth = 1; depth <= 40; depth++)
		sink += descend(depth, depth);
}

class Shape {
	#side = 3;
	constructor() {
		this.size = grow(this.#side);
	}
	area() {
		return burn(500) + this.#hidden();
	}
	#hidden() {
		return burn(300);
	}
	get width() {
		return measure(this);
	}
	static make() {
		return new Shape();
	}
}

function grow(n) {
	return burn(n * 100);
}

function measure(shape) {
	return burn(500) ^ shape.size;
}

function useShapes() {
	for (let i = 0; i < 50; i++) {
		const shape = Shape.make();
		sink ^= shape.area() ^ shape.width;
	}
}

const compareKeys = (a, b) => keyOf(a) - keyOf(b);

function keyOf(o) {
	return burn(30) & 0xff ^ o.key;
}

function sortObjects() {
	const objects = Array.from({length: 200}, makeObject);
	objects.sort(compareKeys);
	sink ^= objects.length;
}

function makeObject(_, i) {
	return {key: burn(50) % 100 + i, text: "o" + i};
}

function mapNumbers() {
	const list = [];
	for (let i = 0; i < 300; i++)
		list.push(i);
	sink ^= list.map(doubled).reduce(added, 0);
	list.forEach(function visited(n) {
		sink ^= burn(n);
	});
}

function doubled(n) {
	return burn(100) + n * 2;
}

function added(sum, n) {
	return sum + (burn(80) & n);
}

function* numbers(n) {
	for (let i = 0; i < n; i++)
		yield burn(200) + i;
}

function* delegating() {
	yield* numbers(30);
	yield* numbers(30);
}

function sumNumbers() {
	for (const n of delegating())
		sink ^= n;
}

function replaceText() {
	sink ^= "a1b22c333d4444".repeat(20).replace(/\d+/g, replaced).length;
}

function replaced(text) {
	return "x".repeat(burn(100) % 3 + text.length);
}

function printJson() {
	sink ^= JSON.stringify({a: [{toJSON: jsonOf}, {toJSON: jsonOf}]}).length;
}

function jsonOf() {
	return burn(800);
}

function throwThings() {
	for (let i = 0; i < 20; i++) {
		try {
			thrower();
		} catch (e) {
			sink ^= e.message.length;
		}
	}
}

function thrower() {
	burn(300);
	throw new Error("x");
}

function useProxy() {
	const proxy = new Proxy({}, {get: trapped});
	for (let i = 0; i < 30; i++)
		sink ^= proxy.anything;
}

function trapped() {
	return burn(300);
}

function applyThings() {
	for (let i = 0; i < 30; i++)
		sink ^= applied.apply(null, [i, 2, 3]) ^ bound(i) ^ Reflect.apply(reflected, null, [i]);
}

function applied(a, b, c) {
	return burn(100 + a + b + c);
}

const bound = function boundTo(n) {
	return burn(100 + n);
}.bind(null);

function reflected(n) {
	return burn(100 + n);
}

function garbage() {
	const list = [];
	for (let i = 0; i < 2000; i++)
		list.push({i, text: "text" + i, f: () => i});
	sink ^= list[burn(10) % 2000].f();
	return list;
}

// Functions that come and go, whose memory is used again.
function makeFunctions() {
	for (let i = 0; i < 20; i++) {
		const name = "made_" + sink % 1000 + "_" + i;
		const f = new Function("burn", `return function ${name}() { return inner_${name}(); function inner_${name}() { return burn(500); } }`)(burn);
		sink ^= f();
	}
}

async function waiter() {
	await null;
	sink ^= awaited();
	await null;
	awaited();
}

function awaited() {
	return burn(3000);
}

function work() {
	recurse();
	useShapes();
	sortObjects();
	mapNumbers();
	sumNumbers();
	replaceText();
	printJson();
	throwThings();
	useProxy();
	applyThings();
	makeFunctions();
}

let kept = [];

function collect() {
	kept.push(garbage());
	if (kept.length > 30)
		kept = [];
	if (isMoving)
		globalThis.gc();
}

async function run() {
	if (isMainThread)
		console.log("running");
	while (Date.now() < end) {
		for (let i = 0; i < 5; i++)
			work();
		collect();
		await waiter();
	}
}

if (isMainThread)
	new Worker(__filename, {workerData: [seconds, isMoving]});
run();
