// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacks the viewer and lets the browser run it, which the policy of the page allows by its hash.
(async () => {
	const packed = atob(document.getElementById("viewer-script").textContent);
	const stream = new Blob([Uint8Array.from(packed, char => char.charCodeAt(0))]).stream();
	const script = document.createElement("script");
	script.textContent = await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
	document.body.append(script);
})();
