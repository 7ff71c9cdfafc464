// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map: time from left to right, a row for all and one for each of the busiest threads, or processes if those are
// the first level. It has the stacks of the choice, of all times, and one scale for all rows. Dragging selects a time
// range, with Ctrl that of the baseline. As lanes, the rows have the colours of the functions with the largest counts.

const HEAT_KEYS = [
	{key: "arrows", text: "move the time range, or to another row; with Shift extend the range"},
	{key: "Enter", text: "only the stacks of the row, or all again", run: heat => heat.pickRow(heat.rows[heat.at])},
	{key: "b", text: "make the time range the baseline", run: heat => heat.state.time && heat.choose("baseline", heat.state.time, true)},
	{key: "Delete", text: "clear time range and baseline", run: heat => ["time", "baseline"].forEach(kind => heat.choose(kind, null, true))},
	{key: "Escape", text: "leave it", run: heat => heat.canvas.blur()},
];

// A row is a strip and a gap. The legend is below the times.
const HEAT_ROWS = 51, HEAT_HEIGHT = 11, HEAT_STRIP = 8, HEAT_LEFT = 130, HEAT_TIMES = 12, HEAT_LEGEND = 100, HEAT_FONT = "10px sans-serif";

// A last slot of a moment with one sample must not outshine all others. So a slot counts as this long at least, unless most are shorter.
const LEAST_SLOT_MS = 200;

function leastSlot(slots) {
	const lengths = new Float64Array(slots.length / 2).map((_, i) => slots[2 * i + 1] - slots[2 * i]).sort();
	return Math.min(LEAST_SLOT_MS, lengths[lengths.length >> 1] || 1);
}

// A difference has one slot for each recording.
function hasHeat(profile) {
	return profile.slots.length > 2 && !profile.isDiff;
}

// The counts of a row by slot. Of a lane also the function with most of them in each slot, and its count: of several the first.
class HeatRow {
	constructor(fn, nrSlots, isLane) {
		Object.assign(this, {fn, total: 0, counts: new Float64Array(nrSlots)});
		if (isLane)
			Object.assign(this, {sums: new Map(), tops: new Uint32Array(nrSlots), mosts: new Float64Array(nrSlots)});
	}

	add(slot, count, fn) {
		const {sums, tops, mosts, counts} = this;
		this.total += count;
		counts[slot] += count;
		if (!sums)
			return;
		const key = fn * counts.length + slot, sum = (sums.get(key) || 0) + count;
		sums.set(key, sum);
		if (sum > mosts[slot] || (sum === mosts[slot] && fn < tops[slot])) {
			mosts[slot] = sum;
			tops[slot] = fn;
		}
	}
}

// The row of all, then those of the busiest threads or processes, and the number and the count of the others. A search leaves the
// stacks with a match. A count is that of the last function that is shown.
function makeHeatRows(profile, choice) {
	const source = sourceOf(profile, choice), {functions, nodes, ends, depths, maxDepth, firstCells, slotOfCell, countOfCell} = source, rows = new Map();
	const {shown} = showFunctions(functions, choice), kept = keptNodes(source, choice, shown, choice.flags !== null);
	const newRow = fn => new HeatRow(fn, profile.slots.length / 2, choice.lanes), all = newRow(functions.all), leaves = new Uint32Array(maxDepth + 1).fill(functions.all);
	for (let first = 1; first < nodes.length; first = ends[first]) {
		const row = rows.get(nodes[first]) || newRow(nodes[first]);
		for (let i = first; i < ends[first]; i++) {
			const fn = shown[nodes[i]], leaf = leaves[depths[i]] = fn < 0 ? leaves[depths[i] - 1] : fn;
			for (let cell = firstCells[i]; cell < firstCells[i + 1] && (!kept || kept[i]); cell++) {
				row.add(slotOfCell[cell], countOfCell[cell], leaf);
				all.add(slotOfCell[cell], countOfCell[cell], leaf);
			}
		}
		if (row.total)
			rows.set(row.fn, row);
	}
	const sorted = [all, ...[...rows.values()].sort((a, b) => b.total - a.total || a.fn - b.fn)], others = sorted.splice(HEAT_ROWS);
	sorted.forEach(row => delete row.sums);
	return Object.assign(sorted, {nrOthers: others.length, others: others.reduce((sum, row) => sum + row.total, 0)});
}

class Heat {
	// choose(kind, [begin, end], isDone) is called with "time" or "baseline", describe(lines, event) for the place of the mouse,
	// change(changes) for the state, and say(text) for screen readers.
	constructor(element, profile, {choose, describe, change, say}) {
		Object.assign(this, {profile, choose, change, say, rows: [], nrRows: 0, at: 0});
		this.nrSlots = profile.slots.length / 2;
		this.leastSlot = leastSlot(profile.slots);
		this.begin = profile.slots[0];
		this.end = profile.slots[profile.slots.length - 1];
		this.window = makeElement(element, "div", "");
		const canvas = this.canvas = makeElement(this.window, "canvas", "");
		this.fold = makeElement(this.window, "button", "");
		this.fold.onclick = () => change({heat: !this.state.heat});
		this.others = makeElement(element, "div", "");
		this.foot = makeElement(element, "canvas", "");
		this.switches = makeElement(element, "span", "");
		this.boxes = {apart: "each row by itself", lanes: "colours of functions"};
		for (const [name, text] of Object.entries(this.boxes)) {
			const label = makeElement(this.switches, "label", ""), box = this.boxes[name] = makeElement(label, "input", "");
			box.type = "checkbox";
			box.onchange = () => change({[name]: box.checked});
			label.append(text);
		}
		canvas.tabIndex = 0;
		canvas.setAttribute("role", "application");
		canvas.setAttribute("aria-label", "heat map; " + HEAT_KEYS.map(({key, text}) => `${key}: ${text}`).join(", "));
		for (const each of [canvas, this.foot])
			each.addEventListener("pointerdown", event => this.startDrag(event));
		canvas.addEventListener("pointermove", event => describe(this.describe(event.offsetX, event.offsetY), event));
		canvas.addEventListener("pointerleave", event => describe([], event));
		canvas.addEventListener("keydown", event => this.onKey(event));
	}

	x(time) {
		return HEAT_LEFT + (time - this.begin) / (this.end - this.begin || 1) * (this.width - HEAT_LEFT);
	}

	slotAt(x) {
		const {slots} = this.profile;
		let slot = 0;
		while (slot + 1 < this.nrSlots && this.x(slots[2 * slot + 2]) <= x)
			slot++;
		return slot;
	}

	rate(row, slot) {
		const {slots} = this.profile;
		return row.counts[slot] / Math.max(this.leastSlot, slots[2 * slot + 1] - slots[2 * slot]);
	}

	// The rate of the full colour of a row. No row has more than that of all.
	fullRate(row) {
		return (this.state.apart ? this.mostOf(row) : this.most) || 1;
	}

	rowAt(y) {
		return this.rows[Math.floor(y / HEAT_HEIGHT)];
	}

	// The lines for a place: the busiest slot there, of a row, or the row's name.
	describe(x, y) {
		const row = this.rowAt(y), {profile: {slots, functions}} = this, first = this.slotAt(x);
		if (!row || x < HEAT_LEFT)
			return row ? [functions.texts[row.fn].slice(0, NAME_SHOWN), "click: only the stacks of the row, or all again"] : [];
		let slot = first;
		for (let i = first; i < this.nrSlots && this.x(slots[2 * i]) < Math.floor(x) + 1; i++)
			slot = this.rate(row, i) > this.rate(row, slot) ? i : slot;
		return this.describeSlots(row, [slot, slot]);
	}

	describeSlots(row, [first, last]) {
		const {profile, rows, profile: {functions: {texts}, parts: [{unit}]}} = this, name = fn => texts[fn].slice(0, NAME_SHOWN);
		const sum = ({counts}) => counts.slice(first, last + 1).reduce((a, b) => a + b, 0);
		const lines = [name(row.fn), describeTime(timeOfSlots(profile, [first, last])), `${amount(sum(row), unit)}: ${percent(sum(row), sum(rows[0]))} of the row all`];
		if (first === last && row.tops && row.counts[first])
			lines.push(`most in ${name(row.tops[first])}: ${amount(row.mosts[first], unit)}`);
		return lines;
	}

	// Folded, the map is the row of all.
	draw(palette, state, allRows) {
		const rows = state.heat ? allRows : allRows.slice(0, 1);
		// A choice with fewer rows leaves the graphs below where they are.
		this.nrRows = state.heat ? Math.max(this.nrRows, rows.length) : 1;
		Object.assign(this, {rows, state, at: Math.min(this.at, rows.length - 1)});
		this.showSwitches(allRows);
		// A bar that scrolls takes its part of the width.
		this.canvas.style.height = this.nrRows * HEAT_HEIGHT + "px";
		this.width = this.window.clientWidth;
		this.context = this.clear(this.canvas, palette, this.nrRows * HEAT_HEIGHT);
		this.most = this.mostOf(rows[0]);
		rows.forEach((row, i) => this.drawRow(palette, row, i * HEAT_HEIGHT));
		this.drawRange(state.time, palette.focus);
		this.drawRange(state.baseline, palette.mark);
		this.context = this.clear(this.foot, palette, HEAT_TIMES * (state.heat ? 2 : 1));
		this.drawTimes(palette, HEAT_TIMES / 2);
		if (state.heat)
			this.drawLegend(palette, HEAT_TIMES * 1.5);
	}

	// Returns the context of a canvas of the width.
	clear(canvas, palette, height) {
		const {width} = this, scale = window.devicePixelRatio || 1, context = canvas.getContext("2d", {alpha: false});
		canvas.width = width * scale;
		canvas.height = height * scale;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
		context.scale(scale, scale);
		context.fillStyle = palette.back;
		context.fillRect(0, 0, width, height);
		context.font = HEAT_FONT;
		context.textBaseline = "middle";
		context.direction = "ltr";
		return context;
	}

	showSwitches({nrOthers, others}) {
		const {heat, group} = this.state;
		this.fold.textContent = heat ? "▾ all" : "▸ all";
		this.fold.setAttribute("aria-label", "rows of the heat map");
		this.fold.setAttribute("aria-expanded", heat);
		this.fold.title = "all rows of the heat map, or one (H)";
		for (const [name, box] of Object.entries(this.boxes))
			box.checked = this.state[name];
		this.switches.hidden = !heat;
		this.others.hidden = !heat || !nrOthers;
		this.others.textContent = `${count(nrOthers)} more ${group === "processes" ? "processes" : "threads"} without a row: ${amount(others, this.profile.parts[0].unit)}`;
	}

	mostOf(row) {
		return row.counts.reduce((most, _, slot) => Math.max(most, this.rate(row, slot)), 0);
	}

	// Quieter than the graph, unless it is a function's. The square root lets rows be told apart that are a small part of all.
	color(palette, part, fn) {
		const heat = Math.sqrt(part);
		if (part && this.state.lanes)
			return colorOf(palette.of(fn)) + Math.round(96 + 159 * heat).toString(16);
		return `hsl(215 ${14 + 16 * heat}% ${palette.isDark ? 16 + 42 * heat : 95 - 42 * heat}%)`;
	}

	// Several slots can share a pixel: the busiest is shown.
	drawRow(palette, row, y) {
		const {context, profile: {slots}} = this, heat = new Float64Array(Math.ceil(this.width) + 1), slotsAt = new Uint32Array(heat.length);
		context.fillStyle = palette.text;
		context.font = (row === this.rows[this.at] ? "bold " : "") + HEAT_FONT;
		// That of all is on the button.
		if (y)
			context.fillText(this.profile.functions.texts[row.fn].slice(0, 22), 16, y + HEAT_HEIGHT / 2, HEAT_LEFT - 20);
		const full = this.fullRate(row), strip = (x, end) => context.fillRect(x, y + 1, end - x, HEAT_STRIP);
		for (let slot = 0; slot < this.nrSlots; slot++) {
			const last = Math.max(this.x(slots[2 * slot]) + 1, this.x(slots[2 * slot + 1])), part = this.rate(row, slot) / full;
			for (let x = Math.floor(this.x(slots[2 * slot])); x < last && x < heat.length; x++) {
				if (part > heat[x]) {
					heat[x] = part;
					slotsAt[x] = slot;
				}
			}
		}
		context.fillStyle = this.color(palette, 0);
		strip(HEAT_LEFT, this.width);
		for (let x = HEAT_LEFT, end; x < this.width; x = end) {
			for (end = x + 1; end < this.width && heat[end] === heat[x] && slotsAt[end] === slotsAt[x]; end++)
				;
			context.fillStyle = this.color(palette, heat[x], row.tops && row.tops[slotsAt[x]]);
			strip(x, end);
		}
	}

	drawLegend(palette, y) {
		const {context} = this, most = this.state.apart ? "the most of each row" : `${amount(Math.round(this.most * 1000), this.profile.parts[0].unit)} a second, in all rows`;
		for (let x = 0; x < HEAT_LEGEND; x++) {
			context.fillStyle = this.color(palette, x / HEAT_LEGEND, this.profile.functions.all);
			context.fillRect(HEAT_LEFT + x, y - HEAT_STRIP / 2, 1, HEAT_STRIP);
		}
		context.fillStyle = palette.text;
		context.fillText("0", HEAT_LEFT - 10, y);
		context.fillText(most, HEAT_LEFT + HEAT_LEGEND + 6, y, Math.max(1, this.width - HEAT_LEFT - HEAT_LEGEND - 8));
	}

	drawTimes(palette, y) {
		const {context} = this, seconds = (this.end - this.begin) / 1000;
		const step = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400].find(s => seconds / s <= 12) || 86400;
		context.fillStyle = palette.text;
		for (let s = 0; s <= seconds; s += step)
			context.fillText(`${s} s`, this.x(this.begin + s * 1000), y, 60);
	}

	drawRange(time, color) {
		if (!time)
			return;
		const {slots} = this.profile, [first, last] = slotsOf(this.profile, time);
		if (last < first)
			return;
		const left = this.x(slots[2 * first]), right = this.x(slots[2 * last + 1]);
		this.context.strokeStyle = color;
		this.context.lineWidth = 2;
		this.context.strokeRect(left + 1, 1, Math.max(2, right - left - 2), this.rows.length * HEAT_HEIGHT - 2);
	}

	chooseSlots(kind, slots, isDone) {
		this.choose(kind, timeOfSlots(this.profile, slots), isDone);
	}

	// Only the stacks of a row, or all again.
	pickRow({fn}) {
		const {focus, group} = this.state, {kinds, all} = this.profile.functions, others = focus.filter(each => kinds[each] !== KIND_THREAD);
		this.change({group: group === "none" ? "threads" : group, focus: fn === all || focus.includes(fn) ? others : [...others, fn]});
	}

	startDrag(event) {
		const {target, offsetX, offsetY} = event, kind = event.ctrlKey || event.metaKey ? "baseline" : "time", first = this.slotAt(offsetX);
		if (offsetX < HEAT_LEFT && target === this.canvas && this.rowAt(offsetY)) {
			this.pickRow(this.rowAt(offsetY));
			return;
		}
		const rangeTo = slot => [Math.min(first, slot), Math.max(first, slot)];
		const move = moved => this.chooseSlots(kind, rangeTo(this.slotAt(moved.offsetX)), false);
		const end = ended => {
			target.removeEventListener("pointermove", move);
			this.chooseSlots(kind, rangeTo(this.slotAt(ended.offsetX)), true);
		};
		target.setPointerCapture(event.pointerId);
		target.addEventListener("pointermove", move);
		target.addEventListener("pointerup", end, {once: true});
		this.chooseSlots(kind, [first, first], false);
	}

	moveRow(step) {
		this.at = Math.max(0, Math.min(this.rows.length - 1, this.at + step));
		const top = this.at * HEAT_HEIGHT, {scrollTop, clientHeight} = this.window;
		this.window.scrollTop = Math.min(top, Math.max(scrollTop, top + HEAT_HEIGHT - clientHeight));
		this.change({});
	}

	onKey(event) {
		const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], down = {ArrowUp: -1, ArrowDown: 1}[event.key], known = HEAT_KEYS.find(({key, run}) => run && key === event.key);
		const {time} = this.state, last = this.nrSlots - 1, clamp = slot => Math.max(0, Math.min(last, slot));
		const range = time ? slotsOf(this.profile, time).map(clamp) : [0, 0];
		if (step && event.shiftKey)
			this.chooseSlots("time", [range[0], Math.max(range[0], clamp(range[1] + step))], true);
		else if (step)
			this.chooseSlots("time", time ? range.map(slot => clamp(slot + step)) : range, true);
		else if (down)
			this.moveRow(down);
		else if (known)
			known.run(this);
		else
			return;
		if (step || down)
			this.say(this.describeSlots(this.rows[this.at], this.state.time ? slotsOf(this.profile, this.state.time).map(clamp) : [0, last]).join("; "));
		event.preventDefault();
		event.stopPropagation();
	}
}
