// SPDX-License-Identifier: GPL-2.0-or-later
// Words about frames and recordings. They reach the page as text nodes alone.

const NAME_SHOWN = 2000;

const COUNT_FORMAT = new Intl.NumberFormat("en-US", {maximumFractionDigits: 2});

// All digits of a count, and two after the point of one that was scaled. Beyond 53 bits a browser's numbers are not exact,
// and neither are parts of such a sum.
function count(number, sum = number) {
	return (Math.abs(sum) > Number.MAX_SAFE_INTEGER ? "about " : "") + COUNT_FORMAT.format(number);
}

// Steps of units: times and sizes are shown as people read them, with three digits.
const UNIT_STEPS = {
	nanoseconds: [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]],
	bytes: [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["B", 1]],
};

// A count with its unit: "11.5 s", "230 ms", "12,345 samples".
function amount(number, unit, sum = number) {
	const steps = UNIT_STEPS[unit], size = Math.abs(number);
	if (!steps)
		return `${count(number, sum)} ${unit}`;
	const [name, factor] = steps.find(step => size >= step[1]) || steps[steps.length - 1], scaled = size / factor;
	const decimals = scaled >= 100 || factor === 1 ? 0 : scaled >= 10 ? 1 : 2;
	return `${number < 0 ? "-" : ""}${scaled.toFixed(decimals)} ${name}`;
}

function amountOf(tree, number, unit) {
	return amount(number, unit, Math.max(tree.whole, tree.wholeBefore || 0));
}

// The same where the unit follows later, if it has no steps.
function countOf(tree, number, unit) {
	return UNIT_STEPS[unit] ? amountOf(tree, number, unit) : count(number, Math.max(tree.whole, tree.wholeBefore || 0));
}

// Beyond 53 bits the order of additions decides the last digits.
function isAll(part, whole) {
	return part === whole || (whole > Number.MAX_SAFE_INTEGER && part > whole * (1 - 1e-12));
}

// The share of all, and that of the stacks in the picture if filters left others out.
function describeShares(tree, number) {
	const shown = totalOf(tree, 0), ofShown = isAll(shown, tree.whole) ? "" : `, ${percent(number, shown)} of those shown`;
	return `${percent(number, tree.whole)} of all${tree.isOfTime ? " in this time" : ""}${ofShown}`;
}

// The lines that describe a node of a tree.
function describeNode(tree, node, unit) {
	const {functions, nodes} = tree, fn = nodes[node], path = ancestorsOf(tree, node);
	const parent = path[Math.max(0, path.length - 2)], total = totalOf(tree, node);
	const sums = tree.afterSums || tree.sums, self = sums[node + 1] - sums[node];
	const where = node ? [KINDS[functions.kinds[fn]].name, functions.modules[fn]].filter(Boolean).join(", ") : "";
	const lines = [functions.texts[fn], where, functions.places[fn]].filter(Boolean).map(line => line.slice(0, NAME_SHOWN));
	if (tree.isDiff) {
		const before = beforeOf(tree, node), more = total - before;
		lines.push(`before ${countOf(tree, before, unit)} (${percent(before, tree.wholeBefore)}), after ${countOf(tree, total, unit)} (${percent(total, tree.whole)}), ` +
			`change ${more > 0 ? "+" : ""}${amountOf(tree, more, unit)}` + (before ? ` (${signed((100 * more / before).toFixed(1))} %)` : " (new)"));
	}
	const change = tree.isDiff && changeOf(tree, node);
	if (change)
		lines.push(describeChange(change, tree.profile.unitOfChanges));
	lines.push(`total ${amountOf(tree, total, unit)}: ${describeShares(tree, total)}` + (node ? `, ${percent(total, totalOf(tree, parent))} of its parent` : "") +
		`; self ${countOf(tree, self, unit)} (${percent(self, tree.whole)})`);
	return lines;
}

function describeTime([begin, end]) {
	return `${begin / 1000} s to ${end / 1000} s`;
}

// The verdict on the function of a node, over all its stacks; undefined if there is none.
function changeOf({profile, nodes}, node) {
	return profile.changes && profile.changes[profile.changeOf[nodes[node]]];
}

// With verdicts, colours show the changes that are more than noise.
function isDistinguishable(tree, node) {
	const change = tree.profile.hasVerdicts && changeOf(tree, node);
	return !tree.profile.hasVerdicts || (change !== undefined && change[0] === "changed");
}

function describeChange([verdict, before, after, relative, low, high], unit) {
	const rate = number => unit ? `${number.toPrecision(4)} ${unit}` : percent(number, 1);
	const part = number => number === null ? "unknown" : `${signed((100 * number).toFixed(1))} %`;
	const interval = low === null && high === null ? "" : `, 95 % interval ${part(low)} to ${part(high)}`;
	return `function in all stacks: ${rate(before)} before, ${rate(after)} after` +
		(relative === null ? "" : `, change ${part(relative)}${interval}`) + `: ${verdict}`;
}

function stackOf(tree, node) {
	return ancestorsOf(tree, node).slice(1).map(at => escapeFrame(tree.functions.texts[tree.nodes[at]])).join(";");
}

function timeOf(part) {
	const minutes = part.zone ? part.zone - 1440 : 0, zone = part.zone ? "" : " UTC";
	return new Date(part.start + minutes * 60000).toISOString().replace("T", " ").slice(0, 19) + zone;
}

// How many of @all counts the picture shows: those of the time range, and of these what filters left.
function describeShown(shown, whole, all, unit) {
	const inTime = isAll(whole, all) ? "" : ` in this time, ${UNIT_STEPS[unit] ? amount(all, unit) : count(all)} in all`;
	const part = isAll(shown, all) ? "" : `${UNIT_STEPS[unit] ? amount(shown, unit) : count(shown)} of `;
	return `${part}${amount(isAll(shown, all) ? shown : whole, unit)} shown${inTime}`;
}

// The facts about a recording that say how far its picture can be trusted. @shown says how much of it the picture has.
function truthOf(part, shown) {
	const words = [part.file, part.host, `${timeOf(part)}, ${part.duration === undefined ? "unknown" : (part.duration / 1000).toFixed(1)} s`];
	words.push(part.event + (part.weight ? ` (${part.weight})` : "") + (part.freq ? ` at ${part.freq} Hz` : part.period ? ` every ${part.period}` : ""));
	words.push(part.shown, shown || amount(part.total, part.unit));
	if (part.recordings)
		words.push(`${count(part.recordings)} recordings, one after the other`);
	if (part.defect)
		words.push(`INCOMPLETE: ${part.defect}`);
	else if (part.lost === undefined)
		words.push(`${count(part.taken)} taken`);
	else
		words.push(`${count(part.taken)} taken, ${count(part.lost)} lost (${percent(part.lost, part.taken)})`);
	if (part.userStacks)
		words.push(`${percent(part.completeStacks, part.userStacks)} of user stacks complete`);
	return words.filter(Boolean);
}

// A line for all recordings of a side. The fold has a line for each.
function truthOfSide(parts, shown) {
	if (parts.length === 1)
		return truthOf(parts[0], shown);
	const sum = key => parts.reduce((all, part) => all + (part[key] || 0), 0), some = key => [...new Set(parts.map(part => part[key]))];
	const hosts = some("host").filter(Boolean), broken = parts.filter(part => part.defect).length, times = parts.map(timeOf).sort();
	const hasLosses = parts.every(part => part.lost !== undefined), [first] = parts;
	return [`${parts.length} recordings, ${first.file} to ${parts[parts.length - 1].file}`,
		hosts.length > 2 ? `${hosts.length} hosts` : hosts.join(", "),
		`${times[0]} to ${times[times.length - 1]}, ${(sum("duration") / 1000).toFixed(1)} s in all`,
		first.event + (first.freq ? ` at ${first.freq} Hz` : ""), first.shown, shown,
		broken && `INCOMPLETE: ${broken} of ${parts.length}`,
		`${count(sum("taken"))} taken` + (hasLosses ? `, ${count(sum("lost"))} lost (${percent(sum("lost"), sum("taken"))})` : ""),
		sum("userStacks") && `${percent(sum("completeStacks"), sum("userStacks"))} of user stacks complete`].filter(Boolean);
}

function moreTruthOf(part) {
	return [part.command && `command ${part.command}`, `recorded by ${part.recorder}: ${part.commandLine}`,
		`kernel ${part.kernel} ${part.arch}`].filter(Boolean);
}

// The shares of frames without a name by file, the largest first.
function unnamedByFile(tree) {
	const {kinds, modules} = tree.functions, files = new Map();
	let frames = 0;
	for (let i = 1; i < tree.nodes.length; i++) {
		const fn = tree.nodes[i], total = totalOf(tree, i);
		frames += total;
		if (KINDS[kinds[fn]].name === "no name")
			files.set(modules[fn], (files.get(modules[fn]) || 0) + total);
	}
	const sorted = [...files].sort((a, b) => b[1] - a[1]);
	return sorted.slice(0, 5).map(([file, total]) => `${file || "no file"} ${percent(total, frames)}`).join(", ") || "none";
}
