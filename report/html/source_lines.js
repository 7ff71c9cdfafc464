// SPDX-License-Identifier: GPL-2.0-or-later
// The source lines of a function, beside its graph. Their counts are those of the whole recording. Texts of files reach the
// page as text nodes alone.

// What the page has of a function; undefined: nothing.
function sourceOfFunction({sources, functions: {texts, modules}}, fn) {
	return sources && sources.functions.find(({text, module}) => text === texts[fn] && module === modules[fn]);
}

// The function with lines that has the largest self, -1 if there is none.
function hottestSource({sources, functions: {texts, modules}}) {
	const hottest = sources && sources.functions.reduce((most, each) => !most || each.self > most.self ? each : most, null);
	return hottest ? texts.findIndex((text, fn) => text === hottest.text && modules[fn] === hottest.module) : -1;
}

// Why there are no lines to show.
function describeNoSource({leftOut, functions}) {
	const rest = leftOut ? `, which has those of the ${functions.length} functions with the most samples; ${leftOut} more are left out` : "";
	return `No lines of it are in this page${rest}. Lines need debug information.`;
}

function describeFile({path, found, changed}) {
	return (path || "no line known") + (!found && path ? " (not found: see --source)" : changed ? " (changed since the recording)" : "");
}

class SourceLines {
	constructor(element) {
		this.element = element;
	}

	// profile and fn: what was selected, -1: nothing.
	show(profile, fn) {
		if (this.profile === profile && this.fn === fn)
			return;
		Object.assign(this, {profile, fn});
		const {sources, functions, parts: [{unit}]} = profile, source = sourceOfFunction(profile, fn);
		this.element.replaceChildren();
		makeElement(this.element, "h2", "", fn < 0 ? "Select a function" : functions.texts[fn].slice(0, NAME_SHOWN));
		if (!source) {
			makeElement(this.element, "p", "", fn < 0 ? "" : describeNoSource(sources));
			return;
		}
		makeElement(this.element, "p", "", `${percent(source.self, sources.sum)} self, ${percent(source.total, sources.sum)} total of the whole recording`);
		for (const file of source.files)
			this.showFile(file, source, sources.sum, unit);
		const hottest = [...this.element.querySelectorAll(".line")].reduce((most, line) => !most || line.self > most.self ? line : most, null);
		this.element.scrollTop = hottest ? hottest.offsetTop - this.element.clientHeight / 3 : 0;
	}

	showFile(file, source, sum, unit) {
		const figure = makeElement(this.element, "figure", "");
		makeElement(figure, "figcaption", "", describeFile(file));
		const list = makeElement(figure, "div", "lines");
		let next = 0;
		for (const [number, self, total, text] of file.lines) {
			if (next && number > next && file.found)
				makeElement(list, "div", "", "…");
			next = number + 1;
			const line = makeElement(list, "div", "line");
			line.self = self;
			line.style.setProperty("--heat", (source.self ? self / source.self : 0).toFixed(3));
			line.title = total ? `self ${amount(self, unit)}, total ${amount(total, unit)}` : "";
			for (const share of [self, total])
				makeElement(line, "span", "", share ? percent(share, sum) : "");
			makeElement(line, "span", "", number || "?");
			makeElement(line, "code", "", text);
		}
	}
}
