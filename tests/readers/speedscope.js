// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope.js FILE: loads the file into the app of speedscope, has the app save what it understood, and prints self,
// total and name of each function. The app is that of npm, in Chromium.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const puppeteer = require("puppeteer-core");

const file = process.argv[2];
const app = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release/index.html");

// The app loads a script, which hands over the file.
function writeScript(dir) {
	const script = path.join(dir, "profile.js"), name = JSON.stringify(path.basename(file));
	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${name}, "${fs.readFileSync(file).toString("base64")}");`);
	return script;
}

// Presses Ctrl-S, and takes the file that the app would save.
async function savedByApp(page) {
	await page.waitForFunction(() => document.title.includes(" - speedscope"));
	await page.evaluate(() => {
		window.saved = new Promise(done => {
			const create = URL.createObjectURL;
			URL.createObjectURL = blob => {
				blob.text().then(done);
				return create(blob);
			};
		});
	});
	await page.keyboard.down("Control");
	await page.keyboard.press("s");
	await page.keyboard.up("Control");
	return JSON.parse(await page.evaluate(() => window.saved));
}

// The app saves frames that open and close at a place of the sum of all weights.
function sumFrames({profiles: [{events}]}) {
	const selfs = new Map(), totals = new Map(), open = [];
	const addTo = (map, frame, weight) => map.set(frame, (map.get(frame) || 0) + weight);
	let last = 0;
	for (const {type, frame, at} of events) {
		if (open.length && at > last) {
			addTo(selfs, open[open.length - 1], at - last);
			for (const each of new Set(open))
				addTo(totals, each, at - last);
		}
		last = at;
		if (type === "O")
			open.push(frame);
		else
			open.pop();
	}
	return {selfs, totals};
}

async function main() {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), "speedscope-"));
	const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--allow-file-access-from-files"]});
	try {
		const page = await browser.newPage();
		await page.goto(`file://${app}#localProfilePath=${writeScript(dir)}`);
		const saved = await savedByApp(page), {selfs, totals} = sumFrames(saved);
		for (const [frame, total] of totals)
			console.log(`${selfs.get(frame) || 0} ${total} ${saved.shared.frames[frame].name}`);
	} finally {
		await browser.close();
		fs.rmSync(dir, {recursive: true});
	}
}

main().catch(error => {
	console.error(error.message);
	process.exit(1);
});
