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

// A row is a strip and a gap. The legend is below the times.
const HEAT_ROWS = 9, HEAT_HEIGHT = 11, HEAT_STRIP = 8, HEAT_LEFT = 130, HEAT_TIMES = 12, HEAT_LEGEND = 100;

// A last slot of a moment with one sample must not outshine all others.
const LEAST_SLOT_MS = 200;

// A difference has one slot for each recording.
function hasHeat(profile) {
	return profile.slots.length > 2 && !profile.isDiff;
}

// The count of each slot: that of all, then those of the busiest threads or processes. A search leaves the stacks with a match.
function makeHeatRows(profile, choice) {
	const source = sourceOf(profile, choice), {functions, nodes, ends, firstCells, slotOfCell, countOfCell} = source, rows = new Map();
	const {shown} = showFunctions(functions, choice), kept = keptNodes(source, choice, shown, choice.flags !== null);
	const newRow = fn => ({fn, total: 0, counts: new Float64Array(profile.slots.length / 2)}), all = newRow(functions.all);
	for (let first = 1; first < nodes.length; first = ends[first]) {
		const row = rows.get(nodes[first]) || newRow(nodes[first]);
		for (let i = first; i < ends[first]; i++) {
			for (let cell = firstCells[i]; cell < firstCells[i + 1] && (!kept || kept[i]); cell++) {
				row.total += countOfCell[cell];
				row.counts[slotOfCell[cell]] += countOfCell[cell];
				all.counts[slotOfCell[cell]] += countOfCell[cell];
			}
		}
		if (row.total)
			rows.set(row.fn, row);
	}
	return [all, ...[...rows.values()].sort((a, b) => b.total - a.total || a.fn - b.fn).slice(0, HEAT_ROWS - 1)];
}

class Heat {
	// choose(kind, [begin, end], isDone) is called with "time" or "baseline", describe(lines, event) for the place of the mouse,
	// change(changes) for switches of the state.
	constructor(canvas, profile, {choose, describe, change}) {
		this.canvas = canvas;
		this.profile = profile;
		this.rows = [];
		this.nrRows = 0;
		this.nrSlots = profile.slots.length / 2;
		this.begin = profile.slots[0];
		this.end = profile.slots[profile.slots.length - 1];
		this.choose = choose;
		this.fold = makeElement(canvas.parentNode, "button", "");
		this.fold.onclick = () => change({heat: !this.state.heat});
		const label = this.label = makeElement(canvas.parentNode, "label", "");
		this.apart = makeElement(label, "input", "");
		this.apart.type = "checkbox";
		this.apart.onchange = () => change({apart: this.apart.checked});
		label.append("each row by itself");
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

	// The rate of the full colour of a row. No row has more than that of all.
	fullRate(row) {
		return (this.state.apart ? this.mostOf(row) : this.most) || 1;
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

	// Folded, the map is the row of all.
	draw(palette, state, allRows) {
		const rows = state.heat ? allRows : allRows.slice(0, 1);
		// A choice with fewer rows leaves the graphs below where they are.
		this.nrRows = state.heat ? Math.max(this.nrRows, rows.length) : 1;
		Object.assign(this, {rows, state});
		this.showSwitches();
		const {canvas} = this, scale = window.devicePixelRatio || 1, bottom = this.nrRows * HEAT_HEIGHT;
		const height = bottom + HEAT_TIMES * (state.heat ? 2 : 1);
		this.width = canvas.parentNode.clientWidth;
		canvas.width = this.width * scale;
		canvas.height = height * scale;
		canvas.style.width = this.width + "px";
		canvas.style.height = height + "px";
		const context = this.context = canvas.getContext("2d", {alpha: false});
		context.scale(scale, scale);
		context.fillStyle = palette.back;
		context.fillRect(0, 0, this.width, height);
		context.font = "10px sans-serif";
		context.textBaseline = "middle";
		context.direction = "ltr";
		this.most = this.mostOf(rows[0]);
		rows.forEach((row, i) => this.drawRow(palette, row, i * HEAT_HEIGHT));
		this.drawTimes(palette, bottom + HEAT_TIMES / 2);
		if (state.heat)
			this.drawLegend(palette, bottom + HEAT_TIMES * 1.5);
		this.drawRange(state.time, palette.focus);
		this.drawRange(state.baseline, palette.mark);
	}

	showSwitches() {
		const {heat, apart} = this.state;
		this.fold.textContent = heat ? "▾ all" : "▸ all";
		this.fold.setAttribute("aria-label", "rows of the heat map");
		this.fold.setAttribute("aria-expanded", heat);
		this.fold.title = "all rows of the heat map, or one (H)";
		this.apart.checked = apart;
		this.label.hidden = !heat;
	}

	mostOf(row) {
		return row.counts.reduce((most, _, slot) => Math.max(most, this.rate(row, slot)), 0);
	}

	// Quieter than the graph. The square root lets rows be told apart that are a small part of all.
	color(palette, part) {
		const heat = Math.sqrt(part);
		return `hsl(215 ${14 + 16 * heat}% ${palette.isDark ? 16 + 42 * heat : 95 - 42 * heat}%)`;
	}

	// Several slots can share a pixel: the busiest is shown.
	drawRow(palette, row, y) {
		const {context, profile: {slots}} = this, heat = new Float64Array(Math.ceil(this.width) + 1);
		context.fillStyle = palette.text;
		// That of all is on the button.
		if (y)
			context.fillText(this.profile.functions.texts[row.fn].slice(0, 22), 16, y + HEAT_HEIGHT / 2, HEAT_LEFT - 20);
		const full = this.fullRate(row);
		for (let slot = 0; slot < this.nrSlots; slot++) {
			const last = Math.max(this.x(slots[2 * slot]) + 1, this.x(slots[2 * slot + 1]));
			for (let x = Math.floor(this.x(slots[2 * slot])); x < last && x < heat.length; x++)
				heat[x] = Math.max(heat[x], this.rate(row, slot) / full);
		}
		for (let x = HEAT_LEFT; x < this.width; x++) {
			context.fillStyle = this.color(palette, heat[x]);
			context.fillRect(x, y + 1, 1, HEAT_STRIP);
		}
	}

	drawLegend(palette, y) {
		const {context} = this, most = this.state.apart ? "the most of each row" : `${amount(Math.round(this.most * 1000), this.profile.parts[0].unit)} a second, in all rows`;
		for (let x = 0; x < HEAT_LEGEND; x++) {
			context.fillStyle = this.color(palette, x / HEAT_LEGEND);
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
