// SPDX-License-Identifier: GPL-2.0-or-later
// Tests as TAP without a plan. The caller numbers them and adds up.
"use strict";

function check(name, test) {
	try {
		test();
		console.log(`ok - ${name}`);
	} catch (error) {
		console.log(`not ok - ${name}`);
		console.log(String(error.message).split("\n").slice(0, 15).map(line => `# ${line.slice(0, 300)}`).join("\n"));
	}
}

module.exports = {check};
