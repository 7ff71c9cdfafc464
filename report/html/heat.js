// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map: time from left to right, a row for all and one for each of the busiest threads, or processes if those are
// the first level. It has the stacks of the choice, of all times, and one scale for all rows. Dragging selects a time
// range, with Ctrl that of the baseline.

const HEAT_KEYS = [
	{key: "arrows", text: "move the time range; with Shift extend it"},
	{key: "b", text: "make the time range the baseline", run: heat => heat.state.time && heat.choose("baseline", heat.state.time, true)},
	{key: "Delete", text: "clear time range and baseline", run: heat => ["time", "baseline"].forEach(kind => heat.choose(kind, null, true))},
	{key: "Escape", text: "leave it", run: heat => heat.canvas.blur()},
];

const HEAT_ROWS = 9, HEAT_HEIGHT = 16, HEAT_LEFT = 130, HEAT_FOOT = 28, HEAT_LEGEND = 100;

// A last slot of a moment with one sample must not outshine all others.
const LEAST_SLOT_MS = 200;

// A difference has one slot for each recording.
function hasHeat(profile) {
	return profile.slots.length > 2 && !profile.isDiff;
}

// Calls visit(fn, cell) for each cell of the choice, with the function of its row.
function eachHeatCell(profile, choice, visit) {
	const {nodes, ends, firstCells} = profile;
	if (!isPlain(choice)) {
		const rows = choice.group === "processes" && processFunctions(profile), threads = new Uint32Array(profile.countOfCell.length);
		for (let thread = 1; thread < nodes.length; thread = ends[thread])
			threads.fill(nodes[thread], firstCells[thread], firstCells[ends[thread]]);
		return eachStack(profile, choice, cell => visit(rows ? rows[profile.processOfCell[cell]] : threads[cell], cell));
	}
	for (let thread = 1; thread < nodes.length; thread = ends[thread])
		for (let cell = firstCells[thread]; cell < firstCells[ends[thread]]; cell++)
			visit(nodes[thread], cell);
}

// The count of each slot: that of all, then those of the busiest rows.
function makeHeatRows(profile, choice) {
	const nrSlots = profile.slots.length / 2, {slotOfCell, countOfCell} = profile, totals = new Map();
	eachHeatCell(profile, choice, (fn, cell) => totals.set(fn, (totals.get(fn) || 0) + countOfCell[cell]));
	const busiest = [...totals].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, HEAT_ROWS - 1).map(([fn]) => fn);
	const rows = [profile.functions.all, ...busiest].map(fn => ({fn, counts: new Float64Array(nrSlots)}));
	const rowOf = new Map(rows.map(row => [row.fn, row]));
	eachHeatCell(profile, choice, (fn, cell) => {
		const row = rowOf.get(fn);
		rows[0].counts[slotOfCell[cell]] += countOfCell[cell];
		if (row)
			row.counts[slotOfCell[cell]] += countOfCell[cell];
	});
	return rows;
}

class Heat {
	// choose(kind, [begin, end], isDone) is called with "time" or "baseline", describe(lines, event) for the place of the mouse.
	constructor(canvas, profile, choose, describe) {
		this.canvas = canvas;
		this.profile = profile;
		this.rows = [];
		this.nrRows = 0;
		this.nrSlots = profile.slots.length / 2;
		this.begin = profile.slots[0];
		this.end = profile.slots[profile.slots.length - 1];
		this.choose = choose;
		canvas.tabIndex = 0;
		canvas.setAttribute("role", "application");
		canvas.setAttribute("aria-label", "heat map; " + HEAT_KEYS.map(({key, text}) => `${key}: ${text}`).join(", "));
		canvas.addEventListener("pointerdown", event => this.startDrag(event));
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
		return row.counts[slot] / Math.max(LEAST_SLOT_MS, slots[2 * slot + 1] - slots[2 * slot]);
	}

	// The lines for a place: the busiest slot there, of a row.
	describe(x, y) {
		const row = this.rows[Math.floor(y / HEAT_HEIGHT)], {profile, profile: {slots, functions}} = this, first = this.slotAt(x);
		if (!row || x < HEAT_LEFT)
			return [];
		let slot = first;
		for (let i = first; i < this.nrSlots && this.x(slots[2 * i]) < Math.floor(x) + 1; i++)
			slot = this.rate(row, i) > this.rate(row, slot) ? i : slot;
		return [functions.texts[row.fn].slice(0, NAME_SHOWN), describeTime(timeOfSlots(profile, [slot, slot])),
			`${amount(row.counts[slot], profile.parts[0].unit)}: ${percent(row.counts[slot], this.rows[0].counts[slot])} of the row all`];
	}

	draw(palette, state, rows) {
		// A choice with fewer rows leaves the graphs below where they are.
		Object.assign(this, {rows, state, nrRows: Math.max(this.nrRows, rows.length)});
		const {canvas} = this, scale = window.devicePixelRatio || 1, bottom = this.nrRows * HEAT_HEIGHT, height = bottom + HEAT_FOOT;
		this.width = canvas.parentNode.clientWidth;
		canvas.width = this.width * scale;
		canvas.height = height * scale;
		canvas.style.width = this.width + "px";
		canvas.style.height = height + "px";
		const context = this.context = canvas.getContext("2d", {alpha: false});
		context.scale(scale, scale);
		context.fillStyle = palette.back;
		context.fillRect(0, 0, this.width, height);
		context.font = "11px sans-serif";
		context.textBaseline = "middle";
		context.direction = "ltr";
		this.most = this.findMost();
		rows.forEach((row, i) => this.drawRow(palette, row, i * HEAT_HEIGHT));
		this.drawTimes(palette, bottom + 8);
		this.drawLegend(palette, bottom + 21);
		this.drawRange(state.time, palette.focus);
		this.drawRange(state.baseline, palette.mark);
	}

	// No row has more than that of all.
	findMost() {
		let most = 0;
		for (let slot = 0; slot < this.nrSlots; slot++)
			most = Math.max(most, this.rate(this.rows[0], slot));
		return most;
	}

	// The square root lets rows be told apart that are a small part of all.
	color(palette, part) {
		const heat = Math.sqrt(part);
		return `hsl(${40 - 32 * heat} 85% ${palette.isDark ? 14 + 46 * heat : 96 - 50 * heat}%)`;
	}

	// Several slots can share a pixel: the busiest is shown.
	drawRow(palette, row, y) {
		const {context, profile: {slots}} = this, heat = new Float64Array(Math.ceil(this.width) + 1);
		context.fillStyle = palette.text;
		context.fillText(this.profile.functions.texts[row.fn].slice(0, 22), 4, y + HEAT_HEIGHT / 2, HEAT_LEFT - 8);
		for (let slot = 0; slot < this.nrSlots; slot++) {
			const last = Math.max(this.x(slots[2 * slot]) + 1, this.x(slots[2 * slot + 1]));
			for (let x = Math.floor(this.x(slots[2 * slot])); x < last && x < heat.length; x++)
				heat[x] = Math.max(heat[x], this.rate(row, slot) / (this.most || 1));
		}
		for (let x = HEAT_LEFT; x < this.width; x++) {
			context.fillStyle = this.color(palette, heat[x]);
			context.fillRect(x, y, 1, HEAT_HEIGHT - 1);
		}
	}

	drawLegend(palette, y) {
		const {context} = this, most = `${amount(Math.round(this.most * 1000), this.profile.parts[0].unit)} a second, in all rows`;
		for (let x = 0; x < HEAT_LEGEND; x++) {
			context.fillStyle = this.color(palette, x / HEAT_LEGEND);
			context.fillRect(HEAT_LEFT + x, y - 4, 1, 8);
		}
		context.fillStyle = palette.text;
		context.fillText("0", HEAT_LEFT - 10, y);
		context.fillText(most, HEAT_LEFT + HEAT_LEGEND + 6, y, Math.max(1, this.width - HEAT_LEFT - HEAT_LEGEND - 10));
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

	startDrag(event) {
		const kind = event.ctrlKey || event.metaKey ? "baseline" : "time", first = this.slotAt(event.offsetX);
		const rangeTo = slot => [Math.min(first, slot), Math.max(first, slot)];
		const move = moved => this.chooseSlots(kind, rangeTo(this.slotAt(moved.offsetX)), false);
		const end = ended => {
			this.canvas.removeEventListener("pointermove", move);
			this.chooseSlots(kind, rangeTo(this.slotAt(ended.offsetX)), true);
		};
		this.canvas.setPointerCapture(event.pointerId);
		this.canvas.addEventListener("pointermove", move);
		this.canvas.addEventListener("pointerup", end, {once: true});
		this.chooseSlots(kind, [first, first], false);
	}

	onKey(event) {
		const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], known = HEAT_KEYS.find(({key, run}) => run && key === event.key);
		const {time} = this.state, last = this.nrSlots - 1, clamp = slot => Math.max(0, Math.min(last, slot));
		const range = time ? slotsOf(this.profile, time).map(clamp) : [0, 0];
		if (step && event.shiftKey)
			this.chooseSlots("time", [range[0], Math.max(range[0], clamp(range[1] + step))], true);
		else if (step)
			this.chooseSlots("time", time ? range.map(slot => clamp(slot + step)) : range, true);
		else if (known)
			known.run(this);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}
