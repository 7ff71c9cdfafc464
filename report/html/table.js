// SPDX-License-Identifier: GPL-2.0-or-later
// The table of functions. Only rows in sight exist as elements.

const TABLE_ROW = 20, NARROW_TABLE = 640;

function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + " %" : "-";
}

function signed(number) {
	return (number > 0 ? "+" : "") + number;
}

// On a telephone the function stands below its counts.
function columnsOf(isDiff, isNarrow) {
	if (isDiff)
		return isNarrow ? ["change", "total change", "function"] : ["self", "change", "total", "total change", "function"];
	return isNarrow ? ["self", "total", "function"] : ["self", "self %", "total", "total %", "function", "file"];
}

function classOfColumn(column) {
	return column === "function" ? "wide" : column === "file" ? "module" : column.endsWith("%") ? "cell share" : "cell";
}

class FunctionTable {
	// pick(function) is called for the row that the user chose, say(text) for the one that keys moved to.
	constructor(window, pick, say) {
		this.window = window;
		this.say = say;
		this.pick = pick;
		this.reset();
		this.head = this.makeRow("head");
		this.spacer = window.appendChild(document.createElement("div"));
		this.spacer.className = "rows";
		window.setAttribute("role", "table");
		window.setAttribute("aria-label", "counts of functions, files or processes");
		this.spacer.setAttribute("role", "rowgroup");
		window.addEventListener("scroll", () => this.drawRows());
		window.addEventListener("click", event => this.onClick(event));
	}

	reset() {
		this.order = "self";
		this.sense = -1;
		this.at = 0;
	}

	makeRow(className) {
		const row = this.window.appendChild(document.createElement("div"));
		row.className = "row " + className;
		row.setAttribute("role", "row");
		return row;
	}

	// matches, if there are any, leave other functions out.
	show(tree, sums, matches) {
		Object.assign(this, {tree, sums, matches});
		const isNarrow = this.window.clientWidth < NARROW_TABLE;
		this.window.classList.toggle("narrow", isNarrow);
		this.rowHeight = isNarrow ? 2 * TABLE_ROW - 2 : TABLE_ROW;
		this.columns = columnsOf(tree.isDiff, isNarrow).filter(column => column !== "file" || !tree.functions.noun);
		if (!this.columns.includes(this.order))
			this.order = this.columns[0];
		this.sort();
	}

	valueOf(fn, column) {
		const {selfs, totals, selfsBefore, totalsBefore} = this.sums;
		switch (column) {
		case "self": case "self %": return selfs[fn];
		case "total": case "total %": return totals[fn];
		case "change": return selfs[fn] - selfsBefore[fn];
		case "total change": return totals[fn] - totalsBefore[fn];
		}
		return 0;
	}

	textOf(fn, column) {
		const value = this.valueOf(fn, column);
		if (column === "function")
			return this.tree.functions.texts[fn].slice(0, 1000);
		if (column === "file")
			return this.tree.functions.modules[fn].slice(0, 200);
		if (column.endsWith("%"))
			return percent(value, this.tree.whole);
		return (column.endsWith("change") && value > 0 ? "+" : "") + countOf(this.tree, value);
	}

	sort() {
		const {totals, totalsBefore} = this.sums, column = this.order, fns = [];
		const {texts, modules} = this.tree.functions, named = {function: texts, file: modules}[column];
		for (let fn = 0; fn < totals.length; fn++)
			if ((totals[fn] || (totalsBefore && totalsBefore[fn])) && (!this.matches || this.matches[fn]))
				fns.push(fn);
		const compare = (a, b) => named ? (named[a] < named[b] ? -1 : named[a] > named[b] ? 1 : 0) :
			this.valueOf(a, column) - this.valueOf(b, column);
		this.fns = fns.sort((a, b) => this.sense * compare(a, b) || a - b);
		this.fit();
		this.spacer.style.height = this.fns.length * this.rowHeight + "px";
		this.drawHead();
		this.drawRows();
	}

	// Makes room for all digits of the longest count.
	fit() {
		const {isDiff} = this.tree, numbers = this.columns.filter(column => classOfColumn(column) === "cell");
		const longest = numbers.map(column => this.fns.reduce((most, fn) => Math.max(most, this.textOf(fn, column).length), isDiff ? 15 : 8));
		this.window.style.setProperty("--count", Math.max(...longest) + "ch");
		this.window.style.setProperty("--counts", numbers.length);
	}

	drawHead() {
		this.head.replaceChildren(...this.columns.map(column => {
			const button = document.createElement("button");
			button.textContent = (column === "function" && this.tree.functions.noun || column) + (column === this.order ? (this.sense < 0 ? " ▼" : " ▲") : "");
			button.className = classOfColumn(column);
			button.onclick = () => this.sortBy(column);
			return button;
		}));
	}

	sortBy(column) {
		this.sense = column === this.order ? -this.sense : column === "function" || column === "file" ? 1 : -1;
		this.order = column;
		this.sort();
	}

	drawRows() {
		const first = Math.max(0, Math.floor(this.window.scrollTop / this.rowHeight) - 2);
		const nr = Math.ceil(this.window.clientHeight / this.rowHeight) + 4;
		this.spacer.replaceChildren(...this.fns.slice(first, first + nr).map((fn, i) => this.rowOf(fn, first + i)));
	}

	rowOf(fn, place) {
		const row = document.createElement("div");
		row.className = place === this.at ? "row current" : "row";
		row.style.top = place * this.rowHeight + "px";
		row.dataset.place = place;
		row.setAttribute("role", "row");
		row.setAttribute("aria-rowindex", place + 2);
		for (const column of this.columns) {
			const cell = row.appendChild(document.createElement("span"));
			cell.className = classOfColumn(column);
			cell.setAttribute("role", "cell");
			cell.textContent = this.textOf(fn, column);
		}
		return row;
	}

	onClick(event) {
		const row = event.target.closest("[data-place]");
		if (row)
			this.pick(this.fns[row.dataset.place]);
	}

	// Returns true if the key means something here.
	pressKey(key) {
		const page = Math.max(1, Math.floor(this.window.clientHeight / this.rowHeight) - 2), {length} = this.fns;
		const step = {ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -length, End: length}[key];
		const column = this.columns.indexOf(this.order) + ({ArrowLeft: -1, ArrowRight: 1}[key] || 0);
		if (step !== undefined)
			this.move(step);
		else if (key === "Enter" && length)
			this.pick(this.fns[this.at]);
		else if (key === "ArrowLeft" || key === "ArrowRight")
			this.sortBy(this.columns[(column + this.columns.length) % this.columns.length]);
		else
			return false;
		return true;
	}

	move(step) {
		this.at = Math.max(0, Math.min(this.fns.length - 1, this.at + step));
		const top = this.at * this.rowHeight, {window} = this, height = window.clientHeight - 2 * this.rowHeight;
		window.scrollTop = Math.min(top, Math.max(window.scrollTop, top - height));
		this.drawRows();
		if (this.fns.length)
			this.say(this.columns.map(column => `${column} ${this.textOf(this.fns[this.at], column)}`).join(", "));
	}
}
