// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map: time from left to right, a row for all threads and one for each of the busiest
// names. Dragging chooses a stretch, with Ctrl that of the baseline. A stretch is made of slots.

const HEAT_KEYS = [
	{key: "arrows", text: "move the stretch; with Shift extend it"},
	{key: "b", text: "make the stretch the baseline", run: heat => heat.choice.time && heat.choose("baseline", heat.choice.time, true)},
	{key: "Delete", text: "forget stretch and baseline", run: heat => ["time", "baseline"].forEach(kind => heat.choose(kind, null, true))},
	{key: "Escape", text: "leave it", run: heat => heat.canvas.blur()},
];

const HEAT_ROWS = 9, HEAT_HEIGHT = 16, HEAT_LEFT = 130;

// The count of each slot by thread name, the busiest names first.
function heatRows(profile) {
	const nrSlots = profile.slots.length / 2, rows = new Map();
	const {nodes, ends, firstCells, slotOfCell, countOfCell} = profile;
	const rowOf = fn => rows.get(fn) || rows.set(fn, new Float64Array(nrSlots + 1)).get(fn);
	const all = rowOf(profile.functions.all);
	for (let thread = 1; thread < nodes.length; thread = ends[thread]) {
		const row = rowOf(nodes[thread]);
		for (let c = firstCells[thread]; c < firstCells[ends[thread]]; c++) {
			row[slotOfCell[c]] += countOfCell[c];
			all[slotOfCell[c]] += countOfCell[c];
			row[nrSlots] += countOfCell[c];
			all[nrSlots] += countOfCell[c];
		}
	}
	return [...rows].map(([fn, counts]) => ({fn, counts})).sort((a, b) =>
		b.counts[nrSlots] - a.counts[nrSlots] || a.fn - b.fn).slice(0, HEAT_ROWS);
}

class Heat {
	// choose(kind, [first, last], isDone) is called with "time" or "baseline".
	constructor(canvas, profile, choose) {
		this.canvas = canvas;
		this.profile = profile;
		this.rows = heatRows(profile);
		this.nrSlots = profile.slots.length / 2;
		this.begin = profile.slots[0];
		this.end = profile.slots[profile.slots.length - 1];
		this.choose = choose;
		canvas.tabIndex = 0;
		canvas.setAttribute("aria-label", "heat map; " + HEAT_KEYS.map(({key, text}) => `${key}: ${text}`).join(", "));
		canvas.addEventListener("pointerdown", event => this.startDrag(event));
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

	draw(palette, choice) {
		const {canvas} = this, scale = window.devicePixelRatio || 1, height = this.rows.length * HEAT_HEIGHT + 14;
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
		this.rows.forEach((row, i) => this.drawRow(palette, row, i * HEAT_HEIGHT));
		this.drawScale(palette, height - 6);
		this.drawStretch(choice.time, palette.focus);
		this.drawStretch(choice.baseline, palette.mark);
		this.choice = choice;
	}

	// Several slots can share a pixel: the busiest is shown.
	drawRow(palette, row, y) {
		const {context, profile: {slots}} = this;
		// A last slot of a moment with one sample must not outshine all others.
		const rate = slot => row.counts[slot] / Math.max(200, slots[2 * slot + 1] - slots[2 * slot]);
		let most = 0;
		for (let slot = 0; slot < this.nrSlots; slot++)
			most = Math.max(most, rate(slot));
		context.fillStyle = palette.text;
		context.fillText(this.profile.functions.texts[row.fn].slice(0, 22), 4, y + HEAT_HEIGHT / 2, HEAT_LEFT - 8);
		const heat = new Float64Array(Math.ceil(this.width) + 1);
		for (let slot = 0; slot < this.nrSlots; slot++) {
			const last = Math.max(this.x(slots[2 * slot]) + 1, this.x(slots[2 * slot + 1]));
			for (let x = Math.floor(this.x(slots[2 * slot])); x < last && x < heat.length; x++)
				heat[x] = Math.max(heat[x], rate(slot) / (most || 1));
		}
		for (let x = HEAT_LEFT; x < this.width; x++) {
			const lightness = palette.isDark ? 14 + 46 * heat[x] : 96 - 50 * heat[x];
			context.fillStyle = `hsl(${40 - 32 * heat[x]} 85% ${lightness}%)`;
			context.fillRect(x, y, 1, HEAT_HEIGHT - 1);
		}
	}

	drawScale(palette, y) {
		const {context} = this, seconds = (this.end - this.begin) / 1000;
		const step = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400].find(s => seconds / s <= 12) || 86400;
		context.fillStyle = palette.text;
		for (let s = 0; s <= seconds; s += step)
			context.fillText(`${s} s`, this.x(this.begin + s * 1000), y, 60);
	}

	drawStretch(stretch, color) {
		if (!stretch)
			return;
		const left = this.x(this.profile.slots[2 * stretch[0]]), right = this.x(this.profile.slots[2 * stretch[1] + 1]);
		this.context.strokeStyle = color;
		this.context.lineWidth = 2;
		this.context.strokeRect(left + 1, 1, Math.max(2, right - left - 2), this.rows.length * HEAT_HEIGHT - 2);
	}

	startDrag(event) {
		const kind = event.ctrlKey || event.metaKey ? "baseline" : "time", first = this.slotAt(event.offsetX);
		const stretchTo = slot => [Math.min(first, slot), Math.max(first, slot)];
		const move = moved => this.choose(kind, stretchTo(this.slotAt(moved.offsetX)), false);
		const end = ended => {
			this.canvas.removeEventListener("pointermove", move);
			this.choose(kind, stretchTo(this.slotAt(ended.offsetX)), true);
		};
		this.canvas.setPointerCapture(event.pointerId);
		this.canvas.addEventListener("pointermove", move);
		this.canvas.addEventListener("pointerup", end, {once: true});
		this.choose(kind, [first, first], false);
	}

	onKey(event) {
		const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], known = HEAT_KEYS.find(({key, run}) => run && key === event.key);
		const stretch = this.choice.time || [0, 0], last = this.nrSlots - 1;
		const clamp = slot => Math.max(0, Math.min(last, slot));
		if (step && event.shiftKey)
			this.choose("time", [stretch[0], Math.max(stretch[0], clamp(stretch[1] + step))], true);
		else if (step)
			this.choose("time", this.choice.time ? stretch.map(slot => clamp(slot + step)) : [0, 0], true);
		else if (known)
			known.run(this);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}
