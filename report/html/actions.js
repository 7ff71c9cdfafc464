// SPDX-License-Identifier: GPL-2.0-or-later
// What keys and the menu do. An action with isOfFrame needs a selected frame and stands in the menu.

const ACTIONS = [
	{key: "Enter", text: "zoom into the frame", isOfFrame: true, run: viewer => viewer.zoom(viewer.flame.selected)},
	{key: "Escape", text: "zoom out, then show everything", run: viewer => viewer.zoomOut()},
	{key: "f", text: "only stacks with this function", isOfFrame: true, run: viewer => viewer.toggleFunction("focus")},
	{key: "x", text: "ignore stacks with this function", isOfFrame: true, run: viewer => viewer.toggleFunction("ignore")},
	{key: "r", text: "remove this function from stacks", isOfFrame: true, run: viewer => viewer.toggleFunction("remove")},
	{key: "s", text: "callers and callees of this function", isOfFrame: true, run: viewer => viewer.showSandwich(viewer.selectedFunction())},
	{key: "c", text: "copy the name", isOfFrame: true, run: viewer => viewer.copy(viewer.flame.tree.functions.texts[viewer.selectedFunction()])},
	{key: "C", text: "copy the stack", isOfFrame: true, run: viewer => viewer.copy(stackOf(viewer.flame.tree, viewer.flame.selected))},
	{key: "1", text: "flame graph", run: viewer => viewer.change({view: "flame"})},
	{key: "2", text: "icicle graph", run: viewer => viewer.change({view: "icicle"})},
	{key: "3", text: "callers and callees", run: viewer => viewer.change({view: "sandwich"})},
	{key: "4", text: "table of functions", run: viewer => viewer.change({view: "table"})},
	{key: "/", text: "search", run: viewer => viewer.searchField.select()},
	{key: "n", text: "next match", run: viewer => viewer.nextMatch(1)},
	{key: "N", text: "previous match", run: viewer => viewer.nextMatch(-1)},
	{key: "m", text: "only matching stacks", run: viewer => viewer.change({matching: !viewer.state.matching})},
	{key: "g", text: "threads, processes or neither first", run: viewer => viewer.nextGroup()},
	{key: "k", text: "collapse recursion", run: viewer => viewer.change({recursion: !viewer.state.recursion})},
	{key: "w", text: "save the view as folded text", run: viewer => viewer.saveFolded()},
	{key: "d", text: "dark or light", run: viewer => viewer.changeTheme()},
	{key: "o", text: "original picture: undo all choices", run: viewer => viewer.reset()},
	{key: "Tab", text: "next recording", run: viewer => viewer.nextPane()},
	{key: "?", text: "help", run: viewer => viewer.showHelp()},
];

const ARROWS = {ArrowLeft: "previous", ArrowRight: "next"};

function isTyping(event) {
	return event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
}

// Returns true if the key means something.
function pressKey(viewer, event) {
	if (event.ctrlKey || event.altKey || event.metaKey)
		return false;
	const action = ACTIONS.find(each => each.key === event.key);
	if (event.key.startsWith("Arrow") || (event.key === "Enter" && viewer.state.view === "table"))
		return moveSelection(viewer, event.key);
	if (!action || (action.isOfFrame && viewer.state.view === "table") || (event.key === "Tab" && viewer.panes.length < 2))
		return false;
	action.run(viewer);
	return true;
}

function moveSelection(viewer, key) {
	if (viewer.state.view === "table") {
		const table = viewer.pane.table;
		if (key === "Enter")
			table.pick(table.fns[table.at]);
		else
			table.move(key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0);
		return true;
	}
	const {flame} = viewer, isOutward = (key === "ArrowUp") === flame.isUp;
	viewer.select(flame.neighbour(ARROWS[key] || (isOutward ? "child" : "parent")));
	return true;
}
