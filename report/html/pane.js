// SPDX-License-Identifier: GPL-2.0-or-later
// One recording, or one difference, in a column of the page.

function makeElement(parent, tag, className, text) {
	const element = parent.appendChild(document.createElement(tag));
	element.className = className;
	if (text)
		element.textContent = text;
	return element;
}

class Pane {
	constructor(viewer, profile, number, parent, isTitle) {
		this.viewer = viewer;
		this.profile = profile;
		this.number = number;
		this.unit = profile.parts[0].unit;
		this.element = makeElement(parent, "section", "pane");
		this.isTitle = isTitle;
		this.makeTruth(isTitle ? viewer.find("title") : this.element);
		if (hasHeat(profile))
			this.heat = new Heat(makeElement(this.element, "div", "heat"), profile,
				{choose: (kind, time, isDone) => viewer.chooseTime(kind, time, isDone), describe: (lines, event) => viewer.showDetails(lines, event),
				change: changes => viewer.change(changes), say: text => viewer.say(text)});
		this.callers = this.makeFlame("window callers");
		this.flame = this.makeFlame("window");
		this.tableWindow = makeElement(this.element, "div", "window table");
		this.table = new FunctionTable(this.tableWindow, row => viewer.pickRow(this, row), text => viewer.showRow(text));
	}

	get tree() {
		return this.picture.tree;
	}

	get matches() {
		return this.picture.matches;
	}

	makeTruth(parent) {
		const truth = this.truth = makeElement(parent, "details", "truth"), summary = makeElement(truth, "summary", "");
		if (this.isTitle)
			makeElement(summary, "h1", "", document.title);
		const {parts, isDiff, nrBefore} = this.profile;
		const sides = isDiff ? [["before: ", parts.slice(0, nrBefore), true], ["after: ", parts.slice(nrBefore), false]] : [["", parts, false]];
		this.sides = sides.map(([role, side, isBefore]) => ({role, side, isBefore, line: makeElement(summary, "div", "")}));
		for (const [role, side] of sides)
			for (const part of side)
				for (const line of [side.length > 1 && truthOf(part).join(" · "), ...moreTruthOf(part)].filter(Boolean))
					makeElement(truth, "div", "", role + line);
		this.unnamed = makeElement(truth, "div", "");
		truth.addEventListener("toggle", () => this.viewer.resize());
	}

	showTruth() {
		const {tree, scale} = this.picture;
		for (const {role, side, isBefore, line} of this.sides) {
			const [shown, whole] = isBefore ? [beforeOf(tree, 0) / scale, tree.wholeBefore / scale].map(Math.round) : [totalOf(tree, 0), tree.whole];
			const all = side.reduce((sum, part) => sum + part.total, 0);
			const words = truthOfSide(side, describeShown(shown, whole, all, this.unit));
			// The title has the name of the only file.
			line.textContent = role + words.slice(this.isTitle && !role ? 1 : 0).join(" · ");
		}
		if (this.truth.open)
			this.unnamed.textContent = `unnamed frames by file: ${unnamedByFile(tree)}`;
	}

	makeFlame(className) {
		const window = makeElement(this.element, "div", className), flame = new Flame(window);
		window.setAttribute("role", "application");
		window.setAttribute("aria-label", `graph of ${this.profile.parts[0].event}; arrows select a frame, ? lists the keys`);
		window.addEventListener("pointermove", event => this.onMove(flame, event));
		window.addEventListener("pointerleave", () => this.viewer.hideDetails());
		window.addEventListener("click", event => this.onClick(flame, event));
		window.addEventListener("contextmenu", event => this.onMenu(flame, event));
		return flame;
	}

	nodeOf(flame, event) {
		const box = flame.canvas.getBoundingClientRect();
		return flame.tree ? flame.nodeAt(event.clientX - box.left, event.clientY - box.top) : -1;
	}

	onMove(flame, event) {
		const node = this.nodeOf(flame, event);
		if (node < 0)
			this.viewer.hideDetails();
		else
			this.viewer.showDetails(describeNode(flame.tree, node, this.unit), event, flame);
	}

	onClick(flame, event) {
		const node = this.nodeOf(flame, event);
		if (node < 0)
			return;
		this.viewer.activate(this, flame);
		flame.selected = node;
		this.viewer.zoom(node);
	}

	onMenu(flame, event) {
		const node = this.nodeOf(flame, event);
		event.preventDefault();
		if (node < 0)
			return;
		this.viewer.activate(this, flame);
		flame.select(node);
		this.viewer.showMenu(ACTIONS.filter(each => each.isOfFrame), {left: event.clientX, bottom: event.clientY});
	}

	derive(choice) {
		this.choice = choice;
		this.picture = makePicture(this.profile, choice, this.picture);
	}

	showTable({by, search}, tree, matches) {
		const key = JSON.stringify([by, this.choice.treeKey]);
		if (this.rowsKey !== key)
			this.rows = tableRows(by, tree, this.profile, this.choice);
		this.rowsKey = key;
		const {functions, sums} = this.rows, flags = functions === tree.functions ? matches && matches.flags : search ? matchFunctions(functions, search) : null;
		this.table.show({...tree, functions}, sums, flags);
	}

	show(state, palette) {
		const {tree, callers, matches, callerMatches, heatRows} = this.picture;
		const isTable = state.view === "table", isSandwich = state.view === "sandwich";
		this.flame.window.hidden = isTable;
		this.callers.window.hidden = !isSandwich;
		this.tableWindow.hidden = !isTable;
		this.showTruth();
		if (this.heat)
			this.heat.draw(palette, state, heatRows);
		this.flame.show(tree, state.view === "flame", matches, palette);
		if (isTable)
			this.showTable(state, tree, matches);
		if (isSandwich)
			this.callers.show(callers, true, callerMatches, palette);
	}
}
