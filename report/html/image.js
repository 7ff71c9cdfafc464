// SPDX-License-Identifier: GPL-2.0-or-later
// The graph as a file: SVG with all frames that are wide enough, PNG with what is in sight.

function colorOf(pixel) {
	return "#" + [pixel, pixel >>> 8, pixel >>> 16].map(channel => (channel & 255).toString(16).padStart(2, "0")).join("");
}

// Text in XML, without the characters that XML has not.
function escapeXml(text) {
	const safe = text.toWellFormed ? text.toWellFormed() : text;
	return safe.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
}

function svgFrame({tree, palette, isUp, matches}, node, left, width, bottom, unit) {
	const {functions, nodes, depths} = tree, top = isUp ? bottom - (depths[node] + 1) * ROW : depths[node] * ROW;
	const text = functions.texts[nodes[node]], nr = Math.floor((width - 7) / SVG_CHAR), isMatch = matches && matches.flags[nodes[node]];
	const label = width >= TEXT_FROM ? `<text x="${(left + 3).toFixed(1)}" y="${top + 13}">${escapeXml(fitText(text, nr))}</text>` : "";
	return `<g><title>${escapeXml(describeNode(tree, node, unit).join("\n"))}</title><rect x="${left.toFixed(1)}" y="${top}" width="${Math.max(width - 1, 0.3).toFixed(1)}" ` +
		`height="${ROW - 1}" fill="${colorOf(isMatch ? palette.match : nodeColor(tree, node, palette))}"/>${label}</g>\n`;
}

const SVG_CHAR = 7.3;

function svgOf(flame, unit) {
	const {tree, tree: {sums, ends}, zoomed, palette, width} = flame, perCount = width / (widthOf(tree, zoomed) || 1), height = (tree.maxDepth + 1) * ROW;
	const frames = ancestorsOf(tree, zoomed).slice(0, -1).map(node => svgFrame(flame, node, 0, width, height, unit));
	for (let i = zoomed; i < ends[zoomed];) {
		const wide = widthOf(tree, i) * perCount;
		if (wide >= NARROW)
			frames.push(svgFrame(flame, i, (sums[i] - sums[zoomed]) * perCount, wide, height, unit));
		i = wide >= NARROW ? i + 1 : ends[i];
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="12" ` +
		`fill="${palette.text}">\n<rect width="100%" height="100%" fill="${palette.back}"/>\n${frames.join("")}</svg>\n`;
}
