// SPDX-License-Identifier: GPL-2.0-or-later
// The viewer: panes of one page, the state that they share, and the toolbar.

class Viewer {
	constructor(page) {
		this.page = page;
		this.functions = page.functions;
		this.state = readState(location.hash, page);
		const panes = this.find("panes"), isTitle = page.profiles.length === 1;
		// The only recording has its facts behind the title.
		if (!isTitle)
			makeElement(this.find("title"), "h1", "", document.title);
		this.panes = page.profiles.map((profile, i) => new Pane(this, profile, i, panes, isTitle));
		this.activate(this.panes[0], this.panes[0].flame);
		this.searchField = this.find("search");
		this.sourceLines = new SourceLines(this.find("lines"));
		this.connect();
		this.showLinked();
	}

	find(id) {
		return document.getElementById(id);
	}

	connect() {
		for (const {control, key, text, run} of ACTIONS.filter(action => action.control)) {
			const element = this.find(control);
			element.title = `${text} (${key})`;
			if (element.tagName === "BUTTON")
				element.onclick = () => run(this);
			else if (element.type === "checkbox")
				element.onchange = () => run(this);
		}
		this.find("by").onchange = event => this.change({by: event.target.value});
		this.find("group").onchange = event => this.change({group: event.target.value});
		this.searchField.oninput = () => this.change({search: this.searchField.value});
		this.searchField.onkeydown = event => this.onSearchKey(event);
		document.addEventListener("keydown", event => this.onKey(event));
		document.addEventListener("pointerdown", event => this.find("menu").contains(event.target) || this.hideMenu());
		window.addEventListener("resize", () => this.resize());
		window.addEventListener("hashchange", () => this.followLink());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.update());
	}

	onKey(event) {
		if (event.key === "Escape" && !(this.find("menu").hidden && this.find("dialog").hidden)) {
			this.hideMenu();
			this.find("dialog").hidden = true;
		} else if (isTyping(event) && event.key === "Escape") {
			event.target.blur();
		} else if (isTyping(event) || (event.target.closest("#menu, button, summary") && event.key === "Enter") ||
			(event.target.closest("#lines") && /^(Arrow|Page|Home|End)/.test(event.key)) ||
			!pressKey(this, event)) {
			return;
		}
		event.preventDefault();
	}

	onSearchKey(event) {
		if (event.key === "Enter")
			this.nextMatch(event.shiftKey ? -1 : 1);
	}

	change(changes) {
		if (changes.view === "sandwich" && !("pivot" in changes) && !(this.state.pivot >= 0))
			changes.pivot = this.selectedFunction();
		Object.assign(this.state, changes);
		this.update();
	}

	// Shows the state: makes the pictures of what it chooses, and draws.
	update() {
		const {state} = this;
		if (this.flame !== this.pane.flame && state.view !== "sandwich")
			this.activate(this.pane, this.pane.flame);
		this.isDark = (state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
		document.documentElement.className = this.isDark ? "viewing dark" : "viewing";
		if (!this.palette || this.palette.isDark !== this.isDark)
			this.palette = new Palette(this.functions, this.isDark);
		const choice = choose(state, this.page);
		for (const pane of this.panes)
			pane.derive(choice);
		this.showToolbar();
		this.showLegend();
		for (const pane of this.panes)
			pane.show(state, this.palette);
		this.showSource();
		this.find("matched").textContent = this.panes.map(pane => pane.picture.matched).filter(Boolean).join(" | ");
		this.refreshDetails();
		this.saveState();
	}

	showToolbar() {
		const {state} = this, names = list => list.map(fn => this.functions.texts[fn].slice(0, 80)).join(", ");
		for (const view of VIEWS)
			this.find(view).setAttribute("aria-pressed", view === state.view);
		this.find("source").setAttribute("aria-pressed", state.source);
		this.find("source").hidden = !this.pane.profile.sources;
		this.find("lines").hidden = !state.source || !this.pane.profile.sources;
		this.find("group").value = state.group;
		this.find("by").value = state.by;
		this.find("by").hidden = state.view !== "table";
		this.find("recursion").checked = state.recursion;
		this.find("matching").checked = state.matching;
		this.find("languages").checked = state.languages;
		this.find("languages-label").hidden = !this.functions.kinds.some(kind => kind > KIND_MARK);
		this.find("matching-label").hidden = !state.search && !state.matching;
		if (this.searchField.value !== state.search)
			this.searchField.value = state.search;
		const lists = ["focus", "ignore", "remove"].filter(list => state[list].length).map(list => `${list}: ${names(state[list])}`);
		for (const list of PART_LISTS.filter(each => state[each].length))
			lists.push(`${list}: ${state[list].map(part => part.slice(0, 80)).join(", ")}`);
		if (state.view === "sandwich")
			lists.unshift(`callers above, callees below: ${names([state.pivot])}`);
		for (const kind of ["time", "baseline"])
			if (state[kind])
				lists.push(`${kind}: ${describeTime(state[kind])}`);
		if (state.missing.length)
			lists.push(`of the link, not in this page: ${state.missing.map(name => name.slice(0, 80)).join(", ")}`);
		this.find("choices").textContent = lists.join(" · ");
		this.find("choices").hidden = !lists.length;
	}

	saveState() {
		const isZoomed = this.panes.some(({flame}) => flame.zoomed);
		this.state.zoom = isZoomed ? this.panes.map(({flame}) => nameNode(flame.tree, flame.zoomed)) : [];
		history.replaceState(null, "", "#" + writeState(this.state, this.functions));
	}

	followLink() {
		this.state = readState(location.hash, this.page);
		this.showLinked();
	}

	// The zoom of a link belongs to trees that are made first. Of several pictures of an event, each takes the next path.
	showLinked() {
		const {zoom} = this.state;
		this.update();
		for (const {flame} of this.panes) {
			const at = zoom.findIndex(path => path.split(";")[0] === pictureName(flame.tree.profile));
			flame.zoom(at < 0 ? 0 : findNode(flame.tree, zoom.splice(at, 1)[0]));
		}
		this.saveState();
	}

	resize() {
		this.panes.forEach(pane => pane.show(this.state, this.palette));
	}

	activate(pane, flame) {
		this.pane = pane;
		this.flame = flame;
	}

	nextPicture() {
		const isSandwich = this.state.view === "sandwich", pictures = this.panes.flatMap(pane =>
			(isSandwich ? [pane.callers, pane.flame] : [pane.flame]).map(flame => [pane, flame]));
		const at = pictures.findIndex(([, flame]) => flame === this.flame);
		this.activate(...pictures[(at + 1) % pictures.length]);
		if (this.state.view !== "table")
			this.select(this.flame.selected);
	}

	enterHeat() {
		if (this.pane.heat)
			this.pane.heat.canvas.focus();
	}

	selectedFunction() {
		const {tree, selected} = this.flame;
		if (selected)
			return tree.nodes[selected];
		const {selfs} = sumFunctions(tree);
		return selfs.reduce((most, self, fn) => self > selfs[most] ? fn : most, 0);
	}

	// The function whose lines are shown: the selected one, that of the row of the table, or the hottest one. -1: none.
	sourceFunction() {
		const {state: {view, by, pivot}, pane: {table, profile}, flame: {tree, selected}} = this;
		if (view === "table")
			return by === "function" && table.fns.length ? table.fns[table.at] : -1;
		return selected ? tree.nodes[selected] : view === "sandwich" ? pivot : hottestSource(profile);
	}

	showSource() {
		if (!this.find("lines").hidden)
			this.sourceLines.show(this.pane.profile, this.sourceFunction());
	}

	showRow(text) {
		this.say(text);
		this.showSource();
	}

	select(node) {
		this.flame.select(node);
		this.showSelected();
		this.showSource();
	}

	showSelected() {
		const {flame, flame: {tree, selected, zoomed}} = this, left = tree.sums[selected] - tree.sums[zoomed];
		const lines = describeNode(tree, selected, this.pane.unit);
		this.say(lines.join("; "));
		this.showDetails(lines, {clientX: left < widthOf(tree, zoomed) / 2 ? 0 : innerWidth}, flame);
	}

	// For screen readers.
	say(text) {
		this.find("said").textContent = text;
	}

	// Details of another choice are those of no frame in sight.
	refreshDetails() {
		if (this.find("details").hidden)
			return;
		if (this.flame.selected && this.state.view !== "table")
			this.showSelected();
		else
			this.hideDetails();
	}

	zoom(node) {
		this.flame.zoom(node);
		this.showSource();
		this.saveState();
	}

	zoomOut() {
		const {flame} = this, path = ancestorsOf(flame.tree, flame.zoomed);
		if (flame.zoomed) {
			this.zoom(path[path.length - 2]);
			return;
		}
		flame.selected = 0;
		this.change({search: "", matching: false});
	}

	reset() {
		this.state = {...initialState(), theme: this.state.theme};
		for (const pane of this.panes) {
			for (const flame of [pane.flame, pane.callers])
				flame.zoomed = flame.selected = 0;
			pane.table.reset();
		}
		this.hideDetails();
		this.update();
	}

	toggleFunction(list) {
		const fn = this.selectedFunction(), have = this.state[list];
		this.change({[list]: have.includes(fn) ? have.filter(each => each !== fn) : [...have, fn]});
	}

	togglePart(list, what) {
		const fn = this.selectedFunction(), part = isOfProgram(this.functions, fn) && partOf(this.functions, fn, what), have = this.state[list];
		if (part)
			this.change({[list]: have.includes(part) ? have.filter(each => each !== part) : [...have, part]});
	}

	// A row of the table: a function shows its callers and callees, another row the graph of its stacks.
	pickRow(pane, row) {
		const {by} = this.state;
		if (by === "function")
			this.showSandwich(row);
		else if (by === "process")
			this.change({view: "flame", group: "processes", focus: [processFunctions(pane.profile)[row]]});
		else if (pane.rows.functions.modules[row])
			this.change({view: "flame", keep: [`file ${pane.rows.functions.modules[row]}`]});
	}

	showSandwich(fn) {
		this.change({view: "sandwich", pivot: fn});
	}

	chooseTime(kind, time, isDone) {
		this.state[kind] = time;
		if (isDone)
			this.update();
		else
			this.panes.forEach(pane => pane.heat && pane.heat.draw(this.palette, this.state, pane.picture.heatRows));
	}

	nextTable() {
		this.change({view: "table", by: TABLES[(TABLES.indexOf(this.state.by) + 1) % TABLES.length]});
	}

	nextGroup() {
		this.change({group: GROUPS[(GROUPS.indexOf(this.state.group) + 1) % GROUPS.length]});
	}

	// The widest match comes first.
	nextMatch(step) {
		const {matches, flame, tree} = this.pane;
		if (!matches || !matches.tops.length || this.state.view === "table")
			return;
		this.activate(this.pane, flame);
		const tops = matches.sorted ||= [...matches.tops].sort((a, b) => widthOf(tree, b) - widthOf(tree, a) || a - b), at = tops.indexOf(flame.selected);
		const next = at < 0 ? (step > 0 ? 0 : tops.length - 1) : (at + step + tops.length) % tops.length;
		this.zoom(tops[next]);
		this.select(tops[next]);
	}

	changeTheme() {
		this.change({theme: this.isDark ? "light" : "dark"});
	}

	async copy(text) {
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			const field = makeElement(document.body, "textarea", "", "");
			field.value = text;
			field.select();
			document.execCommand("copy");
			field.remove();
		}
	}

	saveFolded() {
		this.save(new Blob([foldTree(this.pane.tree)], {type: "text/plain"}), "folded");
	}

	saveSvg() {
		this.save(new Blob([svgOf(this.flame, this.pane.unit)], {type: "image/svg+xml"}), "svg");
	}

	savePng() {
		this.flame.canvas.toBlob(blob => blob && this.save(blob, "png"));
	}

	save(blob, ending) {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(blob);
		link.download = `${this.pane.profile.parts[0].file.replace(/.*\//, "").replace(/\.prof$/, "")}.${ending}`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	}

	// At the edge with the leaves of a graph, on the side away from the mouse.
	showDetails(lines, event, flame) {
		const box = this.find("details"), isUp = flame && flame.isUp;
		box.style.top = isUp ? flame.window.getBoundingClientRect().top + 6 + "px" : "auto";
		box.style.bottom = isUp ? "auto" : "6px";
		box.replaceChildren(...lines.map(line => Object.assign(document.createElement("div"), {textContent: line})));
		box.classList.toggle("right", event.clientX < innerWidth / 2);
		box.hidden = !lines.length;
	}

	hideDetails() {
		this.find("details").hidden = true;
	}

	showMore() {
		this.showMenu(ACTIONS.filter(each => each.isMore), this.find("more").getBoundingClientRect());
	}

	// Shows a list of actions at a place.
	showMenu(actions, {left, bottom}) {
		const menu = this.find("menu");
		menu.replaceChildren();
		for (const action of actions) {
			const item = makeElement(menu, "button", "", `${action.text} (${action.key})`);
			item.setAttribute("role", "menuitem");
			item.onclick = () => {
				this.hideMenu();
				action.run(this);
			};
		}
		menu.hidden = false;
		menu.style.left = Math.max(0, Math.min(left, innerWidth - menu.offsetWidth)) + "px";
		menu.style.top = Math.min(bottom, innerHeight - menu.offsetHeight) + "px";
		menu.firstChild.focus();
	}

	hideMenu() {
		this.find("menu").hidden = true;
	}

	showHelp() {
		const dialog = this.find("dialog");
		dialog.replaceChildren();
		for (const {key, text} of [...ACTIONS, ...MOVES]) {
			makeElement(dialog, "kbd", "", key);
			makeElement(dialog, "span", "", text);
		}
		dialog.hidden = !dialog.hidden;
	}

	// The colours of the kinds of functions that the page has, or those of changes.
	showLegend() {
		const legend = this.find("legend"), isDiff = this.panes.some(pane => pane.tree.isDiff);
		const seen = new Set(this.functions.kinds.filter((_, fn) => ![this.functions.all, this.functions.hidden].includes(fn)));
		legend.replaceChildren();
		for (const {name, hue, range, saturation} of isDiff ? CHANGES : KINDS.filter((_, kind) => seen.has(kind)))
			makeElement(legend, "span", "", name).style.setProperty("--color", `hsl(${hue + range / 2} ${saturation}% var(--light))`);
	}
}

// What a page is called: files without their folders, unless only these differ, and of several the first one.
function titleOf({parts, isDiff, nrBefore}) {
	const short = (list, file) => file + (list.length > 1 ? ` and ${list.length - 1} more` : ""), name = ([{file}]) => file.replace(/.*\//, "");
	if (!isDiff)
		return short(parts, name(parts));
	const sides = [parts.slice(0, nrBefore), parts.slice(nrBefore)], isSame = name(sides[0]) === name(sides[1]);
	return sides.map(side => short(side, isSame ? side[0].file : name(side))).join(" to ");
}

async function startViewer() {
	const page = readPage(await inflateBytes(bytesOfBase64(document.getElementById("data").textContent.trim())));
	document.documentElement.className = "viewing";
	document.title = [...new Set(page.profiles.map(titleOf))].join(", ");
	viewer = new Viewer(page);
}

let viewer;
if (typeof document !== "undefined")
	startViewer();
