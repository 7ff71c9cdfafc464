// SPDX-License-Identifier: GPL-2.0-or-later
// What keys, the toolbar and the menu do. An action with isOfFrame needs a selected frame and stands in the menu. control
// is the element of the toolbar that does the same. One with isMore stands in the menu of the toolbar.

const ACTIONS = [
	{key: "Enter", text: "zoom into the frame", isOfFrame: true, run: viewer => viewer.zoom(viewer.flame.selected)},
	{key: "Escape", text: "zoom out, then clear search and selection", run: viewer => viewer.zoomOut()},
	{key: "f", text: "only stacks with this function", isOfFrame: true, run: viewer => viewer.toggleFunction("focus")},
	{key: "x", text: "ignore stacks with this function", isOfFrame: true, run: viewer => viewer.toggleFunction("ignore")},
	{key: "r", text: "remove this function from stacks", isOfFrame: true, run: viewer => viewer.toggleFunction("remove")},
	{key: "j", text: "hide all functions of its file", isOfFrame: true, run: viewer => viewer.togglePart("hide", "file")},
	{key: "y", text: "merge the functions of its file into one", isOfFrame: true, run: viewer => viewer.togglePart("merge", "file")},
	{key: "u", text: "show only functions of its file", isOfFrame: true, run: viewer => viewer.togglePart("keep", "file")},
	{key: "J", text: "hide all functions of its language or kind", isOfFrame: true, run: viewer => viewer.togglePart("hide", "kind")},
	{key: "Y", text: "merge the functions of its language or kind into one", isOfFrame: true, run: viewer => viewer.togglePart("merge", "kind")},
	{key: "U", text: "show only functions of its language or kind", isOfFrame: true, run: viewer => viewer.togglePart("keep", "kind")},
	{key: "s", text: "callers and callees of this function", isOfFrame: true, run: viewer => viewer.showSandwich(viewer.selectedFunction())},
	{key: "c", text: "copy the name", isOfFrame: true, run: viewer => viewer.copy(viewer.flame.tree.functions.texts[viewer.selectedFunction()])},
	{key: "C", text: "copy the stack", isOfFrame: true, run: viewer => viewer.copy(stackOf(viewer.flame.tree, viewer.flame.selected))},
	{key: "1", text: "flame graph", control: "flame", run: viewer => viewer.change({view: "flame"})},
	{key: "2", text: "icicle graph", control: "icicle", run: viewer => viewer.change({view: "icicle"})},
	{key: "3", text: "callers and callees", control: "sandwich", run: viewer => viewer.change({view: "sandwich"})},
	{key: "5", text: "inverted tree: all callers of each function", control: "inverted", run: viewer => viewer.change({view: "inverted"})},
	{key: "4", text: "table of functions", control: "table", run: viewer => viewer.change({view: "table"})},
	{key: "e", text: "source lines of the selected function", control: "source", run: viewer => viewer.change({source: !viewer.state.source})},
	{key: "b", text: "rows of the table: functions, files or processes", control: "by", run: viewer => viewer.nextTable()},
	{key: "/", text: "search; capitals matter if there is one; Enter: next match, Shift-Enter: previous", control: "search", run: viewer => viewer.searchField.select()},
	{key: "n", text: "next match", run: viewer => viewer.nextMatch(1)},
	{key: "N", text: "previous match", run: viewer => viewer.nextMatch(-1)},
	{key: "m", text: "only matching stacks", control: "matching", run: viewer => viewer.change({matching: !viewer.state.matching})},
	{key: "g", text: "group by thread, by process or not", control: "group", run: viewer => viewer.nextGroup()},
	{key: "k", text: "collapse recursion", control: "recursion", run: viewer => viewer.change({recursion: !viewer.state.recursion})},
	{key: "l", text: "functions of languages only, without their interpreters", control: "languages", run: viewer => viewer.change({languages: !viewer.state.languages})},
	{key: "h", text: "to the heat map", run: viewer => viewer.enterHeat()},
	{key: "H", text: "all rows of the heat map, or one", run: viewer => viewer.change({heat: !viewer.state.heat})},
	{key: "L", text: "rows of the heat map in the colours of functions, or of counts", run: viewer => viewer.change({heat: true, lanes: !viewer.state.lanes})},
	{key: "t", text: "reverse the sort order of the table", run: viewer => viewer.pane.table.sortBy(viewer.pane.table.order)},
	{key: "i", text: "more about the recording", run: viewer => viewer.pane.truth.open = !viewer.pane.truth.open},
	{key: "p", text: "next graph: callers or callees, and the next recording", run: viewer => viewer.nextPicture()},
	{key: "w", text: "save the view as folded text", isMore: true, run: viewer => viewer.saveFolded()},
	{key: "v", text: "save the graph as SVG", isMore: true, run: viewer => viewer.saveSvg()},
	{key: "V", text: "save what is in sight as PNG", isMore: true, run: viewer => viewer.savePng()},
	{key: "d", text: "dark or light", isMore: true, run: viewer => viewer.changeTheme()},
	{key: "a", text: "more actions", control: "more", run: viewer => viewer.showMore()},
	{key: "o", text: "reset the view: undo all choices", control: "reset", run: viewer => viewer.reset()},
	{key: "?", text: "help", control: "help", run: viewer => viewer.showHelp()},
];

const ARROWS = {ArrowLeft: "previous", ArrowRight: "next"};

// The keys of each place besides, for the help.
const MOVES = [
	{key: "arrows", text: "move the selection; in the table also the column that sorts it"},
	{key: "Enter", text: "in the table: callers and callees"},
	{key: "PageUp, PageDown", text: "scroll by a window"},
	{key: "Home, End", text: "first and last row of the table"},
	{key: "drag", text: "in the heat map: select a time range; with Ctrl its baseline"},
	...HEAT_KEYS.map(({key, text}) => ({key, text: `in the heat map: ${text}`})),
];

// Letters belong to the field that the user writes in, and to a list.
function isTyping(event) {
	return event.target instanceof HTMLSelectElement || (event.target instanceof HTMLInputElement && event.target.type !== "checkbox");
}

// Returns true if the key means something.
function pressKey(viewer, event) {
	if (event.ctrlKey || event.altKey || event.metaKey)
		return false;
	const isTable = viewer.state.view === "table", {table} = viewer.pane;
	if (isTable ? table.pressKey(event.key) : moveSelection(viewer, event.key))
		return true;
	const action = ACTIONS.find(each => each.key === event.key);
	if (!action || (action.isOfFrame && isTable))
		return false;
	action.run(viewer);
	return true;
}

function moveSelection(viewer, key) {
	const {flame} = viewer, isOutward = (key === "ArrowUp") === flame.isUp;
	if (key.startsWith("Arrow"))
		viewer.select(flame.neighbour(ARROWS[key] || (isOutward ? "child" : "parent")));
	else if (key.startsWith("Page"))
		flame.window.scrollTop += (key === "PageUp" ? -1 : 1) * flame.window.clientHeight;
	else
		return false;
	return true;
}
