// SPDX-License-Identifier: GPL-2.0-or-later
// browser.js DIRECTORY: pages of profrep html in Chromium. The directory has the pages, as tests/long/browser.sh makes
// them. Prints TAP without a plan.
"use strict";
const assert = require("assert");
const fs = require("fs");
const http = require("http");
const puppeteer = require("puppeteer-core");
const dir = process.argv[2];

let browser;

async function check(name, test) {
	try {
		await test();
		console.log(`ok - ${name}`);
	} catch (error) {
		console.log(`not ok - ${name}`);
		console.log(String(error.stack).split("\n").slice(0, 12).map(line => `# ${line.slice(0, 300)}`).join("\n"));
	}
}

// Opens a page. What it asks for, says or logs is in page.heard.
async function open(url) {
	const page = await browser.newPage();
	page.heard = [];
	await page.setViewport({width: 1600, height: 900});
	page.on("request", request => request.url().split("#")[0] === url.split("#")[0] || page.heard.push(request.url()));
	page.on("dialog", dialog => {
		page.heard.push(dialog.message());
		dialog.dismiss();
	});
	page.on("pageerror", error => page.heard.push(error.stack));
	page.on("console", message => page.heard.push(message.text()));
	await page.goto(url);
	await page.waitForFunction(() => typeof viewer === "object" && viewer.flame && viewer.flame.drawnAt);
	return page;
}

const openFile = (name, state = "") => open(`file://${dir}/${name}.html#${state}`);

// The viewer draws in the next frame, which a page behind another one may never have.
async function drawn(page) {
	await page.bringToFront();
	await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
}

const textOf = (page, selector) => page.$eval(selector, element => element.textContent);

async function press(page, key) {
	await page.keyboard.press(key);
	await drawn(page);
}

async function hostileNames() {
	const page = await openFile("markup"), plain = await openFile("nothing");
	const tags = each => each.evaluate(() => [...new Set([...document.querySelectorAll("#viewer *")].map(e => e.tagName))].sort());
	await press(page, "e");
	assert.ok((await textOf(page, "#lines")).includes("onerror=alert(6)>.c"));
	for (const view of ["1", "2", "4", "3", "?", "Escape", "1"]) {
		await press(page, view);
		for (let x = 20; x < 1600; x += 300)
			for (let y = 80; y < 900; y += 90)
				await page.mouse.move(x, y);
	}
	await page.mouse.click(400, 860, {button: "right"});
	assert.deepStrictEqual(page.heard, []);
	assert.deepStrictEqual(await page.evaluate(() => document.querySelectorAll("#viewer img, #viewer b, script:not([type])").length),
		await plain.evaluate(() => document.querySelectorAll("#viewer img, #viewer b, script:not([type])").length));
	assert.ok((await tags(page)).every(tag => !["IMG", "B", "SCRIPT", "IFRAME"].includes(tag)));
	await page.close();
	await plain.close();
}

async function keyboard() {
	const page = await openFile("basic");
	await press(page, "/");
	await page.keyboard.type("func_[ab]");
	const matched = await textOf(page, "#matched");
	assert.match(matched, /^\d+\.\d\d % of all$/);
	await press(page, "Escape");
	await press(page, "n");
	assert.match(await page.evaluate(() => viewer.functions.texts[viewer.selectedFunction()]), /func_/);
	assert.match(page.url(), /search=func_.*zoom=cpu-clock%3B.*func_[ab]/);
	const zoomed = await page.evaluate(() => viewer.flame.zoomed), again = await open(page.url());
	assert.strictEqual(await again.evaluate(() => viewer.flame.zoomed), zoomed);
	await press(page, "m");
	assert.strictEqual(await textOf(page, "#matched"), `${matched}, 100.00 % of those shown`);
	await press(page, "o");
	await press(page, "ArrowUp");
	await press(page, "ArrowUp");
	await press(page, "x");
	assert.match(await textOf(page, "#choices"), /^ignore: /);
	await press(page, "o");
	await press(page, "4");
	await press(page, "ArrowDown");
	await press(page, "Enter");
	assert.strictEqual(await page.$eval("#sandwich", e => e.getAttribute("aria-pressed")), "true");
	assert.deepStrictEqual(page.heard, []);
	await page.close();
	await again.close();
}

// What is shown, matched and detailed is of one choice, and a reset leaves nothing of it.
async function oneChoice() {
	const page = await openFile("slices"), all = await page.evaluate(() => totalOf(viewer.pane.tree, 0));
	const texts = async () => [await textOf(page, ".truth summary"), await textOf(page, "#matched"), await textOf(page, "#details")];
	await page.evaluate(() => viewer.change({search: "^b$"}));
	await press(page, "m");
	await press(page, "n");
	const shown = await page.evaluate(() => totalOf(viewer.pane.tree, 0));
	let [truth, matched, details] = await texts();
	const share = `${(100 * shown / all).toFixed(2)} % of all`;
	assert.ok(shown < all);
	assert.ok(truth.includes(`${shown} of ${all} samples shown`), truth);
	assert.strictEqual(matched, `${share}, 100.00 % of those shown`);
	assert.ok(details.startsWith("b") && details.includes(`total ${shown} samples: ${share}`), details);
	const heat = () => page.evaluate(() => viewer.pane.heat.rows.map(row => [...row.counts]));
	assert.strictEqual((await heat())[0].reduce((sum, number) => sum + number), shown);
	const before = await heat();
	await page.evaluate(() => viewer.chooseTime("time", timeOfSlots(viewer.pane.profile, [1, 3]), true));
	const part = await page.evaluate(() => [totalOf(viewer.pane.tree, 0), viewer.pane.tree.whole]);
	[truth, matched] = await texts();
	assert.ok(part[0] > 0 && part[0] < shown && part[1] < all, String(part));
	assert.ok(truth.includes(`${part[0]} of ${part[1]} samples shown in this time, ${all} in all`), truth);
	assert.strictEqual(matched, `${(100 * part[0] / part[1]).toFixed(2)} % of all in this time, 100.00 % of those shown`);
	assert.deepStrictEqual(await heat(), before);
	await press(page, "o");
	[truth, matched] = await texts();
	assert.ok(truth.includes(` ${all} samples shown`), truth);
	assert.strictEqual(matched, "");
	assert.deepStrictEqual(await page.evaluate(() => [location.hash, viewer.flame.selected, viewer.find("details").hidden]), ["", 0, true]);
	for (const view of ["2", "4", "1"]) {
		await press(page, view);
		assert.ok(await page.$eval("#details", e => e.hidden));
	}
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// A link means the same functions and frames in a page with other numbers.
async function links() {
	const page = await openFile("basic"), places = await page.evaluate(() => {
		const {tree} = viewer.pane, {texts} = viewer.functions, node = tree.nodes.findIndex(fn => texts[fn] === "func_b");
		viewer.zoom(node);
		viewer.change({focus: [texts.indexOf("func_a")]});
		return {fn: tree.nodes[node], path: ancestorsOf(tree, node).map(at => texts[tree.nodes[at]])};
	});
	const other = await openFile("part", page.url().split("#")[1]), found = await other.evaluate(() => {
		const {flame: {tree, zoomed}, functions: {texts}, state} = viewer;
		return {fn: tree.nodes[zoomed], path: ancestorsOf(tree, zoomed).map(at => texts[tree.nodes[at]]), focus: state.focus.map(fn => texts[fn])};
	});
	assert.notStrictEqual(found.fn, places.fn);
	assert.deepStrictEqual([found.path, found.focus], [places.path, ["func_a"]]);
	const third = await openFile("epochs", "focus=nothing%0Aelse");
	assert.match(await textOf(third, "#choices"), /not in this page: nothing/);
	assert.deepStrictEqual([...page.heard, ...other.heard, ...third.heard], []);
	await Promise.all([page, other, third].map(each => each.close()));
}

// Nanoseconds of a day have 14 digits: none is cut, whatever the size of the window.
async function longCounts() {
	const page = await openFile("long");
	for (const width of [1600, 390]) {
		await page.setViewport({width, height: 800});
		await press(page, "4");
		const cells = await page.$$eval(".rows .cell", all => all.map(e => [e.textContent, e.scrollWidth > e.clientWidth]));
		assert.ok(cells.some(([text]) => text === "86,400,123,456,789"), String(cells[0]));
		assert.deepStrictEqual(cells.filter(([, isCut]) => isCut), []);
		const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".window")].filter(e => e.scrollWidth > e.clientWidth).length);
		assert.strictEqual(wide, 0, `${width}`);
	}
	assert.match(await textOf(page, ".truth summary"), / on-cpu · 86400 s shown/);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// All that the mouse reaches outside of frames, by keys alone.
async function keysElsewhere() {
	const page = await openFile("epochs");
	for (const key of ["h", "ArrowRight", "ArrowRight", "b", "ArrowLeft"])
		await press(page, key);
	assert.ok(await page.evaluate(() => viewer.pane.tree.isDiff));
	assert.match(page.url(), /time=.*baseline=/);
	await press(page, "Delete");
	assert.doesNotMatch(page.url(), /time=|baseline=/);
	await press(page, "Escape");
	assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
	await press(page, "i");
	assert.ok(await page.$eval(".truth", e => e.open));
	await press(page, "3");
	await press(page, "p");
	assert.ok(await page.evaluate(() => viewer.flame === viewer.pane.callers));
	await press(page, "4");
	await press(page, "ArrowRight");
	assert.strictEqual(await page.evaluate(() => viewer.pane.table.order), "self %");
	await press(page, "?");
	assert.strictEqual(await page.evaluate(() => document.querySelectorAll("#dialog kbd").length), await page.evaluate(() => ACTIONS.length + MOVES.length));
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// What is drawn over a kept picture is what a new page draws, and each match can be seen.
async function matches() {
	const pixels = page => page.evaluate(() => {
		viewer.flame.draw();
		return viewer.flame.raster.pixels.reduce((hash, pixel) => Math.imul(hash ^ pixel, 0x01000193) >>> 0, 0);
	});
	const page = await openFile("small"), plain = await pixels(page), seen = new Set([plain]);
	for (const change of ["search: 'function_1.*3'", "search: 'function_12'", "zoom: [3]", "search: '(?i)FUNCTION_1.*7'", "theme: 'dark'", "view: 'icicle'"]) {
		await page.evaluate(change.startsWith("zoom") ? "viewer.zoom(3)" : `viewer.change({${change}})`);
		await drawn(page);
		const again = await open(page.url()), now = await pixels(page);
		assert.strictEqual(now, await pixels(again), change);
		assert.ok(!seen.has(now), change);
		seen.add(now);
		await again.close();
		const unseen = await page.evaluate(() => {
			const {flame, flame: {tree, matches: {found}, raster, palette, zoomed, perCount, scale, depths}} = viewer;
			const isMatch = (x, y) => raster.pixels[y * raster.width + x] === palette.match;
			return Array.from(found).filter(node => node >= zoomed && node < tree.ends[zoomed] && widthOf(tree, node)).filter(node => {
				const depth = tree.depths[node], y = Math.round((flame.top(depth) + 2) * scale);
				const x = Math.min(raster.width - 1, Math.floor((tree.sums[node] - tree.sums[zoomed]) * perCount * scale));
				return depth >= depths[0] && depth <= depths[1] && y >= 0 && y < raster.height && ![-1, 0, 1].some(by => isMatch(x + by, y));
			}).length;
		});
		assert.strictEqual(unseen, 0, change);
	}
	await page.evaluate(() => viewer.reset());
	await page.evaluate(() => viewer.change({theme: ""}));
	await drawn(page);
	assert.strictEqual(await pixels(page), plain);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

async function heat() {
	const page = await openFile("epochs"), canvas = await page.$(".heat canvas");
	let box = await canvas.boundingBox();
	const all = await page.evaluate(() => totalOf(viewer.pane.tree, 0));
	await page.mouse.move(box.x + 140, box.y + 5);
	await page.mouse.down();
	await page.mouse.move(box.x + 150, box.y + 5, {steps: 3});
	await page.mouse.up();
	await drawn(page);
	const part = await page.evaluate(() => totalOf(viewer.pane.tree, 0));
	assert.ok(part > 0 && part < all, `${part} of ${all}`);
	box = await canvas.boundingBox();
	await page.keyboard.down("Control");
	await page.mouse.click(box.x + box.width - 5, box.y + 5);
	await page.keyboard.up("Control");
	await drawn(page);
	assert.ok(await page.evaluate(() => viewer.pane.tree.isDiff));
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// A lane for each thread has the colours of its functions; a row can be the only thread. The graph keeps its part of the page.
async function lanes() {
	const page = await openFile("pool", "heat=true&lanes=true"), canvas = await page.$(".heat canvas");
	for (const width of [1600, 1024, 390]) {
		await page.setViewport({width, height: 800});
		await drawn(page);
		const [wide, share] = await page.evaluate(() => [[document.documentElement, ...document.querySelectorAll(".heat, .heat div")].filter(e => e.scrollWidth > e.clientWidth).length,
			viewer.flame.window.getBoundingClientRect().height / innerHeight]);
		assert.ok(!wide && share > 0.3, `${width}: ${wide}, ${share}`);
	}
	assert.strictEqual(await page.evaluate(() => viewer.pane.heat.rows.length), 51);
	assert.strictEqual(await textOf(page, ".heat div:nth-child(2)"), "10 more threads without a row: 110 samples");
	const box = await canvas.boundingBox(), said = () => textOf(page, "#said");
	await page.mouse.move(box.x + 140, box.y + 16);
	assert.match(await textOf(page, "#details"), /^pool\/160.*60 samples: .*most in a: 60 samples$/);
	await page.mouse.move(box.x + box.width - 5, box.y + 16);
	assert.match(await textOf(page, "#details"), /^pool\/160.*most in b: 60 samples$/);
	const colors = await page.evaluate(() => {
		const {palette, functions: {texts}, pane: {heat: {canvas, canvas: {width}}}} = viewer;
		const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 5, width, 1).data.buffer);
		return [pixels[140], pixels[width - 5], ...["a", "b"].map(text => palette.of(texts.indexOf(text)))];
	});
	assert.deepStrictEqual(colors.slice(0, 2), colors.slice(2));
	for (const key of ["h", "ArrowDown", "ArrowRight"])
		await press(page, key);
	assert.match(await said(), /^pool\/160; 0 s to 1 s; 60 samples.*most in a: 60 samples$/);
	await press(page, "Enter");
	assert.match(page.url(), /focus=pool%2F160/);
	assert.deepStrictEqual(await page.evaluate(() => [viewer.pane.heat.rows.length, totalOf(viewer.pane.tree, 0)]), [2, 60]);
	await page.mouse.click(box.x + 30, (await canvas.boundingBox()).y + 16);
	await drawn(page);
	assert.doesNotMatch(page.url(), /focus/);
	await press(page, "Escape");
	await press(page, "L");
	assert.doesNotMatch(page.url(), /lanes/);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// A title with the facts, tools with the legend, and one row of the heat map: the rest is the graph's.
async function firstSight() {
	const page = await openFile("epochs"), boxes = () => page.evaluate(() => ["h1", ".truth", "header", "#legend", ".heat"].map(name => {
		const {top, height} = document.querySelector(name).getBoundingClientRect();
		return [top, height];
	}));
	const [title, truth, header, legend, heat] = await boxes();
	assert.ok(truth[1] < 1.5 * title[1] && header[1] < 40 && heat[1] < 30, String([title, truth, header, heat]));
	assert.ok(legend[0] < header[0] + header[1] && legend[0] > truth[0], String(legend));
	const rows = () => page.evaluate(() => [viewer.pane.heat.rows.length, viewer.find("help").offsetParent !== null]);
	assert.deepStrictEqual(await rows(), [1, true]);
	await page.click(".heat button");
	assert.ok((await rows())[0] > 1 && (await boxes())[4][1] > heat[1]);
	await page.click(".heat input");
	assert.match(page.url(), /heat=true&apart=true/);
	await press(page, "H");
	assert.deepStrictEqual(await rows(), [1, true]);
	await page.click("#more");
	assert.match(await textOf(page, "#menu"), /folded.*dark/s);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// Where a graph is taller than its window, its root stays in sight when the heat map unfolds, and when it folds again.
async function rootInSight() {
	const page = await openFile("large");
	await page.setViewport({width: 1600, height: 500});
	for (const key of [null, "H", "H", "L", "H"]) {
		if (key)
			await press(page, key);
		await drawn(page);
		const [hidden, root] = await page.evaluate(() => {
			const {flame, flame: {window}} = viewer, {top} = window.getBoundingClientRect();
			return [flame.height - window.clientHeight, innerHeight - Math.round(top + flame.top(0) + ROW)];
		});
		assert.ok(hidden > 100 && root >= 0, `${key}: ${[hidden, root]}`);
	}
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// A file is merged and hidden from the menu of a frame, and a link keeps it.
async function parts() {
	const page = await openFile("basic");
	const texts = each => each.evaluate(() => [...new Set([...viewer.pane.tree.nodes].map(fn => viewer.functions.texts[fn]))]);
	await page.evaluate(() => {
		const {tree} = viewer.pane;
		viewer.select(tree.nodes.findIndex(fn => viewer.functions.texts[fn] === "func_b"));
		viewer.showMenu(ACTIONS.filter(each => each.isOfFrame), {left: 9, bottom: 9});
	});
	const clickOn = text => page.evaluate(start => [...viewer.find("menu").children].find(e => e.textContent.startsWith(start)).click(), text);
	await clickOn("merge the functions of its file");
	await drawn(page);
	assert.ok((await texts(page)).includes("(func_ab)") && !(await texts(page)).includes("func_b"), String(await texts(page)));
	assert.match(page.url(), /merge=file\+func_ab/);
	const again = await open(page.url());
	assert.deepStrictEqual(await texts(again), await texts(page));
	await press(page, "5");
	assert.strictEqual(await page.$eval("#inverted", e => e.getAttribute("aria-pressed")), "true");
	assert.deepStrictEqual([...page.heard, ...again.heard], []);
	await page.close();
	await again.close();
}

// The table has files and processes, too; a row leads to its stacks. What is saved is what is shown.
async function tablesAndPictures() {
	const page = await openFile("basic"), saved = () => page.evaluate(() => window.savedParts);
	await page.evaluate(() => {
		window.savedParts = [];
		viewer.save = async (blob, ending) => window.savedParts.push([ending, await blob.slice(0, 4).text(), (await blob.text()).includes("func_b")]);
	});
	await press(page, "v");
	await press(page, "V");
	await page.waitForFunction(() => window.savedParts.length === 2);
	assert.deepStrictEqual((await saved()).map(([ending, start]) => [ending, start.slice(0, 4)]).sort(), [["png", "\ufffdPNG"], ["svg", "<svg"]]);
	assert.ok((await saved()).find(([ending]) => ending === "svg")[2]);
	await press(page, "4");
	const first = () => page.$eval(".rows .wide", e => e.textContent);
	assert.match(await first(), /func/);
	await press(page, "b");
	assert.match(page.url(), /by=file/);
	assert.match(await first(), /func_ab|libc/);
	assert.match(await textOf(page, ".head"), /total %file$/);
	await press(page, "b");
	assert.match(await first(), /\(\d+\)$/);
	await press(page, "Enter");
	assert.match(page.url(), /group=processes.*focus=/);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// What a screen reader finds: names of all that can be reached, and the selection in words.
async function names() {
	const page = await openFile("basic");
	await press(page, "ArrowUp");
	assert.match(await textOf(page, "#said"), /^\S+; .*total \d+ samples/);
	await press(page, "4");
	const tree = JSON.stringify(await page.accessibility.snapshot({interestingOnly: false}));
	for (const role of ["toolbar", "application", "row", "cell"])
		assert.ok(tree.includes(`"role":"${role}"`), role);
	const unnamed = await page.evaluate(() => [...document.querySelectorAll("#viewer button, #viewer select, #viewer input, [role=application], [role=table], [tabindex]")]
		.filter(e => !(e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label"))).map(e => e.outerHTML));
	assert.deepStrictEqual(unnamed, []);
	assert.deepStrictEqual(page.heard, []);
	await page.close();
}

// Source lines of what is selected, in the graph and in the table; a link keeps them in sight, and nothing is wider than the window.
async function sourceLines() {
	const page = await openFile("lines", "source=true"), title = () => textOf(page, "#lines h2");
	assert.strictEqual(await title(), "step");
	assert.match(await textOf(page, ".line"), /%/);
	await page.evaluate(() => viewer.select(viewer.flame.tree.nodes.findIndex(fn => viewer.functions.texts[fn] === "main")));
	assert.strictEqual(await title(), "main");
	await page.evaluate(() => viewer.select(1));
	assert.match(await textOf(page, "#lines"), /No lines of it/);
	await press(page, "4");
	const first = await title();
	await press(page, "ArrowDown");
	assert.notStrictEqual(await title(), first);
	for (const width of [1600, 1024, 390]) {
		await page.setViewport({width, height: 800});
		await press(page, "1");
		const [wide, shares] = await page.evaluate(() => [document.documentElement.scrollWidth > innerWidth,
			["panes", "lines"].map(id => viewer.find(id).getBoundingClientRect()).map(box => box.width * box.height / innerWidth / innerHeight)]);
		assert.ok(!wide && shares.every(share => share > 0.2), `${width}: ${shares}`);
	}
	await press(page, "e");
	assert.ok(await page.$eval("#lines", e => e.hidden));
	assert.doesNotMatch(page.url(), /source/);
	const plain = await openFile("basic", "source=true");
	assert.deepStrictEqual(await plain.evaluate(() => ["source", "lines"].map(id => viewer.find(id).hidden)), [true, true]);
	assert.deepStrictEqual([...page.heard, ...plain.heard], []);
	await page.close();
	await plain.close();
}

async function depth() {
	const page = await openFile("deep");
	const reached = await page.evaluate(() => {
		const {flame} = viewer, deepest = flame.tree.depths.indexOf(flame.tree.maxDepth);
		flame.select(deepest);
		flame.draw();
		return [flame.tree.maxDepth, flame.nodeAt(1, flame.top(flame.tree.maxDepth) + 5) >= 0 || flame.top(flame.tree.maxDepth) >= 0];
	});
	assert.ok(reached[0] >= 2048 && reached[1], String(reached));
	await page.close();
}

async function overHttp() {
	const server = http.createServer((request, answer) => answer.setHeader("Content-Type", "text/html").end(fs.readFileSync(`${dir}/basic.html`)));
	await new Promise(done => server.listen(0, "127.0.0.1", done));
	const page = await open(`http://127.0.0.1:${server.address().port}/`);
	assert.deepStrictEqual(page.heard.filter(url => !url.endsWith("/favicon.ico")), []);
	await page.close();
	server.close();
}

async function withoutScript() {
	const page = await browser.newPage();
	await page.setJavaScriptEnabled(false);
	await page.goto(`file://${dir}/basic.html`);
	assert.ok(await page.$eval("#plain", e => e.getBoundingClientRect().height) > 50);
	assert.strictEqual(await page.$eval("#viewer", e => e.getBoundingClientRect().height), 0);
	await page.close();
}

// Milliseconds to the end of drawing, of the work alone and not of the wait for a frame.
async function speed(name) {
	const page = await openFile(name), times = await page.evaluate(() => {
		const {flame} = viewer, time = work => {
			const start = performance.now();
			work();
			flame.draw();
			return Math.round(performance.now() - start);
		};
		const first = Math.round(flame.drawnAt);
		return {first, search: time(() => viewer.change({search: "function_1.*7"})), zoom: time(() => viewer.zoom(2))};
	});
	console.log(`# ${name}: first paint ${times.first} ms, search ${times.search} ms, zoom ${times.zoom} ms`);
	await page.close();
}

async function main() {
	browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox"]});
	await check("hostile names make no element, request or dialog", hostileNames);
	await check("keys, search and the state in the URL", keyboard);
	await check("keys reach the heat map, the fold, the table and both pictures of callers and callees", keysElsewhere);
	await check("matches over a kept picture are those of a new page, and all can be seen", matches);
	await check("what is shown, matched and detailed is of one choice", oneChoice);
	await check("links mean the same frames in another page", links);
	await check("source lines of the selected function", sourceLines);
	await check("a file is merged into one function", parts);
	await check("tables of files and processes, and saved pictures", tablesAndPictures);
	await check("names and roles", names);
	await check("the graph has most of the page at first sight", firstSight);
	await check("the root of the graph stays in sight", rootInSight);
	await check("long counts are whole", longCounts);
	await check("the heat map chooses time and baseline", heat);
	await check("lanes of threads in the colours of their functions", lanes);
	await check("a stack of 2,048 frames can be reached", depth);
	await check("a page over HTTP", overHttp);
	await check("a page without JavaScript", withoutScript);
	await check("pages of 20,000 and 200,000 stacks", async () => {
		await speed("small");
		await speed("large");
	});
	await browser.close();
}

main();
