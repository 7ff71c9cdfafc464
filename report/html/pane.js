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
	constructor(viewer, profile, number, parent) {
		this.viewer = viewer;
		this.profile = profile;
		this.number = number;
		this.unit = profile.parts[0].unit;
		this.element = makeElement(parent, "section", "pane");
		this.makeTruth();
		if (profile.slots.length > 2 && !profile.isDiff)
			this.heat = new Heat(makeElement(makeElement(this.element, "div", "heat"), "canvas", ""), profile,
				(kind, stretch, isDone) => viewer.chooseTime(kind, stretch, isDone));
		this.callers = this.makeFlame("window callers");
		this.flame = this.makeFlame("window");
		this.tableWindow = makeElement(this.element, "div", "window table");
		this.table = new FunctionTable(this.tableWindow, fn => viewer.showSandwich(fn));
	}

	makeTruth() {
		const truth = this.truth = makeElement(this.element, "details", "truth"), summary = makeElement(truth, "summary", "");
		const {parts, isDiff, nrBefore} = this.profile;
		const sides = isDiff ? [["before: ", parts.slice(0, nrBefore)], ["after: ", parts.slice(nrBefore)]] : [["", parts]];
		for (const [role, side] of sides) {
			makeElement(summary, "div", "", role + truthOfSide(side).join(" · "));
			for (const part of side)
				for (const line of [side.length > 1 && truthOf(part).join(" · "), ...moreTruthOf(part)].filter(Boolean))
					makeElement(truth, "div", "", role + line);
		}
		this.unnamed = makeElement(truth, "div", "");
		truth.addEventListener("toggle", () => {
			const tree = treeOfProfile(this.profile, weighSlots(this.profile, {}));
			this.unnamed.textContent ||= `unnamed frames by file: ${unnamedByFile(tree)}`;
			this.viewer.resize();
		});
	}

	makeFlame(className) {
		const window = makeElement(this.element, "div", className), flame = new Flame(window);
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
			this.viewer.showDetails(describeNode(flame.tree, node, this.unit), event);
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
		this.viewer.showMenu(event.clientX, event.clientY);
	}

	// Makes the trees of a choice; key tells choices apart.
	derive(choice, flags, pivot, key) {
		if (key === this.key)
			return;
		this.key = key;
		this.sums = null;
		if (pivot >= 0)
			[this.callersTree, this.tree] = deriveSandwich(this.profile, choice, flags, pivot);
		else
			this.tree = deriveTree(this.profile, choice, flags);
		for (const tree of [this.callersTree, this.tree])
			if (tree)
				tree.profile = this.profile;
	}

	show(state, palette, flags) {
		const isTable = state.view === "table", isSandwich = state.view === "sandwich";
		this.flame.window.hidden = isTable;
		this.callers.window.hidden = !isSandwich;
		this.tableWindow.hidden = !isTable;
		this.matches = flags && matchNodes(this.tree, flags);
		if (this.heat)
			this.heat.draw(palette, state);
		if (isTable)
			this.table.show(this.tree, this.sums ||= sumFunctions(this.tree), flags);
		else
			this.flame.show(this.tree, state.view === "flame", this.matches, palette);
		if (isSandwich)
			this.callers.show(this.callersTree, true, flags && matchNodes(this.callersTree, flags), palette);
	}

	// The percentage of the stacks that contain a match.
	matched() {
		return this.matches ? percent(this.matches.total, totalOf(this.tree, 0)) : "";
	}
}
