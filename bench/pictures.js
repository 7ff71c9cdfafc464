// SPDX-License-Identifier: GPL-2.0-or-later
// pictures.js DIRECTORY NAME ROUNDS [VIEWER...]: medians of times of viewers in Chromium, for the page DIRECTORY/NAME.html
// of profrep, and for the same stacks in DIRECTORY/NAME.folded and DIRECTORY/NAME.json. bench/pictures makes these.
"use strict";
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");

const [dir, name, nrRounds, ...chosen] = process.argv.slice(2);
const packageOf = module => path.dirname(require.resolve(`${module}/package.json`));
let browser;

async function open(url) {
	const page = await browser.newPage();
	page.setDefaultTimeout(120000);
	await page.setViewport({width: 1600, height: 900});
	await page.goto(url, {waitUntil: "domcontentloaded"});
	return page;
}

// Megabytes of the newest process of a tab: all, and those that it shares with nobody.
async function memoryOfTab() {
	const session = await browser.target().createCDPSession(), {processInfo} = await session.send("SystemInfo.getProcessInfo");
	const id = Math.max(...processInfo.filter(({type}) => type === "renderer").map(each => each.id));
	const rollup = fs.readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
	const sum = (...keys) => Math.round(keys.reduce((kb, key) => kb + Number(new RegExp(`^${key}: *(\\d+)`, "m").exec(rollup)[1]), 0) / 1024);
	return {resident: sum("Rss"), own: sum("Private_Clean", "Private_Dirty")};
}

const median = numbers => numbers.sort((a, b) => a - b)[numbers.length >> 1];

async function measureProfrep() {
	const page = await open(`file://${dir}/${name}.html`);
	await page.waitForFunction(() => typeof viewer === "object" && viewer.flame && viewer.flame.drawnAt);
	const times = await page.evaluate(() => {
		const {flame} = viewer, first = flame.drawnAt, time = work => {
			const start = performance.now();
			work();
			flame.draw();
			return performance.now() - start;
		};
		const search = [3, 4, 5].map(digit => time(() => viewer.change({search: `function_1.*${digit}`})));
		viewer.change({search: ""});
		const zoom = [2, 3, 4].map(node => time(() => viewer.zoom(node)));
		return {first, search, zoom};
	});
	const memory = await memoryOfTab();
	await page.close();
	return {first: times.first, search: Math.max(...times.search), zoom: Math.max(...times.zoom), ...memory};
}

// The first paint ends when the viewer's synchronous work is over and the next frame begins.
async function measureD3() {
	const page = await open(`file://${dir}/${name}.d3.html`);
	await page.waitForFunction(() => window.drawnAt);
	const first = await page.evaluate(() => window.drawnAt);
	await page.close();
	return {first};
}

async function measureSpeedscope() {
	const app = path.join(packageOf("speedscope"), "dist/release/index.html");
	const page = await open(`file://${app}#localProfilePath=${dir}/${name}.speedscope.js`);
	await page.waitForFunction(() => document.title.includes(" - speedscope"), {polling: "raf"});
	const first = await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
	await page.close();
	return {first};
}

// The tree of folded stacks as d3-flame-graph reads it: a value is that of all below.
function treeOfFolded(text) {
	const root = {name: "all", value: 0, children: new Map()};
	for (const line of text.split("\n").filter(Boolean)) {
		const at = line.lastIndexOf(" "), value = Number(line.slice(at + 1));
		let node = root;
		root.value += value;
		for (const frame of line.slice(0, at).split(";")) {
			if (!node.children.has(frame))
				node.children.set(frame, {name: frame, value: 0, children: new Map()});
			node = node.children.get(frame);
			node.value += value;
		}
	}
	return JSON.stringify(root, (key, value) => value instanceof Map ? [...value.values()] : value);
}

function writePages() {
	const scripts = [path.join(path.dirname(require.resolve("d3-selection")), "../dist/d3-selection.min.js"), "d3-flame-graph"];
	scripts[1] = path.join(packageOf("d3-flame-graph"), "dist/d3-flamegraph.min.js");
	const [selection, flamegraph] = scripts.map(file => fs.readFileSync(file, "utf8"));
	const json = fs.readFileSync(`${dir}/${name}.json`).toString("base64");
	fs.writeFileSync(`${dir}/${name}.d3.html`, `<!DOCTYPE html><meta charset="utf-8"><div id="chart"></div><script>${selection}</script><script>${flamegraph}</script>
<script type="application/json" id="data">${treeOfFolded(fs.readFileSync(`${dir}/${name}.folded`, "utf8"))}</script>
<script>d3.select("#chart").datum(JSON.parse(document.getElementById("data").textContent)).call(flamegraph().width(1600).minFrameSize(0.5).transitionDuration(0));
requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now(); }));</script>`);
	fs.writeFileSync(`${dir}/${name}.speedscope.js`, `speedscope.loadFileFromBase64("${name}.json", "${json}");`);
}

async function main() {
	const viewers = {profrep: measureProfrep, "d3-flame-graph": measureD3, speedscope: measureSpeedscope}, rounds = {};
	writePages();
	browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--allow-file-access-from-files"], protocolTimeout: 240000});
	const blank = await open("data:text/html,<p>empty");
	console.log(`empty tab: ${JSON.stringify(await memoryOfTab())}`);
	await blank.close();
	for (let round = 0; round < nrRounds; round++)
		for (const viewer of chosen.length ? chosen : Object.keys(viewers))
			(rounds[viewer] ||= []).push(await viewers[viewer]());
	for (const [viewer, list] of Object.entries(rounds))
		console.log(`${name} ${viewer}: ${Object.keys(list[0]).map(key => `${key} ${Math.round(median(list.map(each => each[key])))}`).join(", ")}`);
	await browser.close();
}

main();
