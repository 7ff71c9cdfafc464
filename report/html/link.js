// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and frames in words, for links: they mean the same in another page of the recording, in which numbers differ.

// Longest text in a link. The rest of a longer one is a hash.
const LINK_TEXT = 80;

function linkText(text) {
	return text.length > LINK_TEXT ? `${text.slice(0, LINK_TEXT)}~${hashText(text, text.length).toString(36)}` : text;
}

// The functions that have a text, in the form of links.
function functionsOf(functions, text) {
	const {texts} = functions, known = functions.byText ||= new Map();
	for (functions.nrByText ||= 0; functions.nrByText < texts.length; functions.nrByText++) {
		const key = linkText(texts[functions.nrByText]), same = known.get(key);
		if (same)
			same.push(functions.nrByText);
		else
			known.set(key, [functions.nrByText]);
	}
	return known.get(text) || [];
}

// What tells functions apart, in the order of weight. No text has a line feed.
function linkFields({texts, modules, places, kinds}, fn) {
	return [texts[fn], modules[fn], places[fn], KINDS[kinds[fn]].name].map(linkText);
}

// The words for a function: text and module, and more if there is another one with those.
function nameFunction(functions, fn) {
	const fields = linkFields(functions, fn), others = functionsOf(functions, fields[0]).filter(other => other !== fn);
	const isUnique = nr => !others.some(other => linkFields(functions, other).slice(0, nr).every((field, i) => field === fields[i]));
	const nr = [2, 3].find(isUnique) || 4;
	return fields.slice(0, nr).join("\n").trimEnd();
}

// The functions that the words mean, best first: in another page there can be several. Another module is another function,
// unless a page knows none; place and kind decide only where they can.
function findFunctions(functions, name) {
	const [text, module, ...more] = name.split("\n");
	const hasModule = fn => !module || !functions.modules[fn] || linkText(functions.modules[fn]) === module;
	let found = functionsOf(functions, text).filter(hasModule);
	[module, ...more].forEach((field, i) => {
		const better = found.filter(fn => linkFields(functions, fn)[i + 1] === field);
		found = field && better.length ? better : found;
	});
	return found;
}

function pictureName({parts: [{event, weight}]}) {
	return escapeFrame(weight ? `${event} ${weight}` : event);
}

// The words for a node: the event of its picture, then the names of its frames from the root on.
function nameNode(tree, node) {
	return [pictureName(tree.profile), ...ancestorsOf(tree, node).slice(1).map(at => escapeFrame(nameFunction(tree.functions, tree.nodes[at])))].join(";");
}

// The node of a path of names, or 0. If the tree has more or fewer frames on the way, as with --frames language, it is the
// widest node of that function whose path has all names of the other, or the other way round.
function findNode(tree, path) {
	const names = path.split(";").slice(1).map(name => findFunctions(tree.functions, name.replaceAll("\\x3b", ";")));
	const known = names.filter(fns => fns.length), last = names[names.length - 1] || [], stack = [];
	const isNamed = (fns, fn) => fns.includes(fn), isOf = (fn, fns) => fns.includes(fn);
	let best = 0;
	for (let i = 1; i < tree.nodes.length && last.length; i++) {
		stack.length = tree.depths[i] - 1;
		stack.push(tree.nodes[i]);
		if (!last.includes(tree.nodes[i]) || !widthOf(tree, i))
			continue;
		if (stack.length === names.length && stack.every((fn, k) => names[k].includes(fn)))
			return i;
		if ((isWithin(known, stack, isNamed) || isWithin(stack, known, isOf)) && (!best || widthOf(tree, i) > widthOf(tree, best)))
			best = i;
	}
	return best;
}

// Returns true if all of the first list are in the second, in this order.
function isWithin(few, many, isSame) {
	let found = 0;
	for (const each of many)
		found += found < few.length && isSame(few[found], each);
	return found === few.length;
}
