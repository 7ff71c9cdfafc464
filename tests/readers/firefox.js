// SPDX-License-Identifier: GPL-2.0-or-later
// firefox.js FILE: loads the file into Firefox Profiler by its command line, and prints self, total, name and file of each
// function of all threads. The program needs a home directory of its own, and a node that is young enough: NODE.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const {spawnSync} = require("child_process");

const cli = path.join(path.dirname(require.resolve("@firefox-devtools/profiler-cli/package.json")), "dist/profiler-cli.js");
const home = fs.mkdtempSync(path.join(os.tmpdir(), "firefox-"));

function run(...args) {
	return spawnSync(process.env.NODE, [cli, ...args], {env: {...process.env, HOME: home}, encoding: "utf8", maxBuffer: 1 << 28});
}

function ask(...args) {
	const {status, stdout, stderr} = run(...args, "--json", "--limit", "1000000");
	if (status)
		throw new Error(stderr);
	return JSON.parse(stdout);
}

// Its daemon answers when it has read the file. On a busy machine the program that starts it gives up before.
function waitForDaemon() {
	const end = Date.now() + 60000;
	while (run("thread", "list").status)
		if (Date.now() > end)
			throw new Error("the daemon did not answer within 60 s");
}

function main() {
	const sums = new Map();
	run("load", process.argv[2]);
	waitForDaemon();
	for (const {threadHandle} of ask("thread", "list").threads) {
		for (const {name, library, selfSamples, totalSamples} of ask("thread", "functions", "--include-idle", "--thread", threadHandle).functions) {
			const both = `${name} (${library || "[unknown]"})`, [self, total] = sums.get(both) || [0, 0];
			sums.set(both, [self + selfSamples, total + totalSamples]);
		}
	}
	for (const [name, [self, total]] of sums)
		console.log(`${self} ${total} ${name}`);
}

try {
	main();
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	run("stop", "--all");
	fs.rmSync(home, {recursive: true});
}
