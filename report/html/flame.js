// SPDX-License-Identifier: GPL-2.0-or-later
// Draws a tree on a canvas of the size of its window. The window scrolls over a spacer of the whole
// height, so stacks of any depth can be reached, and only rows in sight are drawn.

const ROW = 18, FONT = "12px ui-monospace, monospace";
const NARROW = 0.5, TEXT_FROM = 28, MATCH_WIDTH = 2;

function nodeColor(tree, node, palette) {
	if (!tree.isDiff)
		return palette.of(tree.nodes[node]);
	return isDistinguishable(tree, node) ? palette.change(beforeOf(tree, node), totalOf(tree, node), widthOf(tree, 0)) : palette.same;
}

// A frame of a stripped file as people say it: ruby+0x24c610 for [libruby-3.1.so.3.1.2+0x24c610].
function shortText(text) {
	const [, prefix = "", name, offset] = /^\[(lib)?(.+?)(?:-[\d.]+)?(?:\.so[\w.]*)?(\+0x[\da-f]+)\]$/.exec(text) || [];
	return name ? (name.length > 2 ? name : prefix + name) + offset : text;
}

// A text in so many characters. The last part of a qualified name tells more than the first: it stays, before its arguments.
function fitText(full, nr) {
	const text = shortText(full);
	if (text.length <= nr)
		return text;
	const end = text.search(/[(<[{ ]/), name = end < 0 ? text : text.slice(0, end);
	const last = 1 + Math.max(name.lastIndexOf(":"), name.lastIndexOf("/"), name.lastIndexOf("."));
	const from = last < name.length ? Math.min(last, text.length - nr + 1) : 0;
	const tail = (from > 0 && from < last) || text.length - from < nr ? "…" + text.slice(from) : text.slice(from);
	return tail.length > nr ? tail.slice(0, nr - 1) + "…" : tail;
}

class Flame {
	constructor(window) {
		this.window = window;
		this.spacer = window.appendChild(document.createElement("div"));
		this.canvas = this.spacer.appendChild(document.createElement("canvas"));
		this.context = this.canvas.getContext("2d", {alpha: false});
		this.raster = new Raster();
		this.tree = null;
		this.zoomed = this.selected = 0;
		this.matches = null;
		window.addEventListener("scroll", () => this.drawSoon());
	}

	// isUp: the root is at the bottom. Zoom and selection stay with the frames that another tree has, too.
	show(tree, isUp, matches, palette) {
		this.isNew ||= tree !== this.tree || isUp !== this.isUp;
		if (this.tree && tree !== this.tree)
			[this.zoomed, this.selected] = [this.zoomed, this.selected].map(node => sameNode(tree, this.tree, node));
		Object.assign(this, {tree, isUp, matches, palette});
		if (this.window.hidden)
			return;
		const {below} = this;
		this.fit();
		// Where the root is at the bottom it stays there when what is above takes some of the window.
		if (this.isNew || (isUp && below === 0))
			this.window.scrollTop = isUp ? this.height : 0;
		this.isNew = false;
		this.drawSoon();
	}

	fit() {
		const width = this.window.clientWidth, height = this.window.clientHeight;
		const scale = window.devicePixelRatio || 1;
		this.height = Math.max(height, (this.tree.maxDepth + 1) * ROW);
		this.spacer.style.height = this.height + "px";
		if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
			this.canvas.width = Math.round(width * scale);
			this.canvas.height = Math.round(height * scale);
			this.canvas.style.width = width + "px";
			this.canvas.style.height = height + "px";
		}
		this.scale = scale;
		this.width = width;
	}

	drawSoon() {
		this.frame ||= requestAnimationFrame(() => {
			this.frame = 0;
			if (this.tree && !this.window.hidden)
				this.draw();
		});
	}

	top(depth) {
		const y = this.isUp ? this.height - (depth + 1) * ROW : depth * ROW;
		return y - this.window.scrollTop;
	}

	draw() {
		this.below = Math.max(0, Math.round(this.height - this.window.scrollTop - this.window.clientHeight));
		const {scale, raster, matches} = this, key = this.pictureKey();
		if (!this.drawnKey || key.some((value, i) => value !== this.drawnKey[i]))
			this.drawPicture();
		this.drawnKey = key;
		raster.begin(this.palette.edge);
		if (matches)
			this.drawMatches(matches);
		for (let depth = this.depths[0]; depth <= this.depths[1]; depth++)
			raster.place(depth - this.depths[0], Math.round(this.top(depth) * scale), Math.round((ROW - 1) * scale));
		raster.paint(this.context);
		this.drawTexts();
		this.drawnAt = performance.now(); // for those who measure
	}

	// All that places and colours of frames depend on. A search changes none of it: its matches are drawn over the picture.
	pictureKey() {
		const {canvas, window, tree, isUp, zoomed, selected, palette} = this;
		return [canvas.width, canvas.height, window.scrollTop, tree, isUp, zoomed, selected, palette];
	}

	// Draws the frames in their own colours.
	drawPicture() {
		const {tree, window, raster, canvas} = this;
		this.perCount = this.width / (widthOf(tree, this.zoomed) || 1);
		const firstRow = Math.floor(window.scrollTop / ROW), lastRow = Math.ceil((window.scrollTop + window.clientHeight) / ROW);
		const rows = Math.ceil(this.height / ROW);
		this.depths = this.isUp ? [Math.max(0, rows - 1 - lastRow), rows - firstRow] : [firstRow, lastRow];
		this.ancestors = ancestorsOf(tree, this.zoomed);
		this.texts = [];
		this.narrowTo = new Float64Array(tree.maxDepth + 2);
		raster.beginPicture(canvas.width, canvas.height, this.depths[1] - this.depths[0] + 1, this.palette.edge);
		for (const node of this.ancestors.slice(0, -1))
			this.drawFrame(node, 0, this.width, true);
		this.drawNodes();
		raster.keepPicture();
	}

	// A subtree that is too narrow is passed over as a whole.
	drawNodes() {
		const {tree: {sums, ends, depths}, zoomed, perCount} = this, deepest = this.depths[1];
		const start = sums[zoomed], end = ends[zoomed], limit = NARROW / perCount;
		for (let i = zoomed; i < end;) {
			const width = sums[ends[i]] - sums[i], isDeep = depths[i] > deepest;
			if (width < limit || isDeep) {
				if (!isDeep && width)
					this.drawNarrow(depths[i], (sums[i] - start) * perCount, width * perCount);
				i = ends[i];
				continue;
			}
			if (depths[i] >= this.depths[0])
				this.drawFrame(i, (sums[i] - start) * perCount, width * perCount, false);
			i++;
		}
	}

	// Fills a part of a row, which is at least so wide.
	fill(depth, x, width, least, pixel) {
		const {scale} = this, from = Math.round(x * scale);
		if (depth >= this.depths[0] && depth <= this.depths[1])
			this.raster.span(depth - this.depths[0], from, Math.max(from + Math.round(least * scale), Math.round((x + width) * scale)), pixel);
	}

	// Narrow frames together still show that something is there: a frame draws the pixel at its edge.
	drawNarrow(depth, x, width) {
		if (x + width < this.narrowTo[depth])
			return;
		const pixel = Math.floor(x + width);
		this.narrowTo[depth] = pixel + 1;
		if (pixel !== Math.floor(x))
			this.fill(depth, pixel, 1, 1, this.palette.narrow);
	}

	drawFrame(node, x, width, isAncestor) {
		const depth = this.tree.depths[node], color = nodeColor(this.tree, node, this.palette);
		this.fill(depth, x, width - (width > 3 ? 1 : 0), 0, isAncestor ? mixPixels(color, this.palette.edge) : color);
		if (width >= TEXT_FROM || node === this.selected)
			this.texts.push(node, x, width);
	}

	// Narrow matches are as wide as they have to be, over the frames after them. One that begins in such a match is left out.
	drawMatches({found, flags}) {
		const {tree: {nodes, sums, ends, depths, maxDepth}, zoomed, perCount, palette: {match, edge}} = this;
		const start = sums[zoomed], end = ends[zoomed], drawnTo = new Float64Array(maxDepth + 1);
		for (const node of this.ancestors.slice(0, -1))
			if (flags[nodes[node]])
				this.fill(depths[node], 0, this.width - 1, 0, mixPixels(match, edge));
		for (let i = 0; i < found.length && found[i] < end; i++) {
			const node = found[i], depth = depths[node], x = (sums[node] - start) * perCount;
			const width = (sums[ends[node]] - sums[node]) * perCount;
			if (node < zoomed || !width || (width < NARROW && x < drawnTo[depth]))
				continue;
			drawnTo[depth] = x + MATCH_WIDTH;
			this.fill(depth, Math.min(x, this.width - MATCH_WIDTH), width - (width > 3 ? 1 : 0), MATCH_WIDTH, match);
		}
	}

	// Pixels are below texts and the mark of the selection.
	drawTexts() {
		const {context, tree, texts, palette} = this;
		context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
		context.font = FONT;
		context.textBaseline = "middle";
		context.direction = "ltr";
		context.fillStyle = palette.text;
		context.strokeStyle = palette.focus;
		context.lineWidth = 2;
		this.charWidth ||= context.measureText("m").width;
		for (let i = 0; i < texts.length; i += 3) {
			const node = texts[i], x = texts[i + 1], width = texts[i + 2], y = this.top(tree.depths[node]);
			const nr = Math.floor((width - 7) / this.charWidth), text = fitText(tree.functions.texts[tree.nodes[node]], nr);
			if (width >= TEXT_FROM && y > -ROW && y < this.window.clientHeight)
				context.fillText(text, x + 3, y + ROW / 2);
			if (node && node === this.selected)
				context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
		}
	}

	// The node at a place of the window, or -1.
	nodeAt(x, y) {
		const {tree} = this, {sums, ends, depths} = tree;
		const row = y + this.window.scrollTop;
		const depth = Math.floor((this.isUp ? this.height - 1 - row : row) / ROW);
		if (depth < 0 || depth > tree.maxDepth || x < 0 || x >= this.width)
			return -1;
		if (depth < this.ancestors.length)
			return this.ancestors[depth];
		const count = sums[this.zoomed] + x / this.perCount;
		for (let i = this.zoomed + 1; i < ends[this.zoomed];) {
			if (sums[ends[i]] <= count)
				i = ends[i];
			else if (sums[i] > count)
				return -1;
			else if (depths[i] === depth)
				return i;
			else
				i++;
		}
		return -1;
	}

	zoom(node) {
		this.zoomed = node;
		this.drawSoon();
	}

	// Moves the selection, and the window so that it is in sight.
	select(node) {
		this.selected = node;
		const top = this.top(this.tree.depths[node]);
		if (top < 0)
			this.window.scrollTop += top - ROW;
		else if (top + ROW > this.window.clientHeight)
			this.window.scrollTop += top + 2 * ROW - this.window.clientHeight;
		this.drawSoon();
	}

	// A neighbour of the selection: "parent", "child" (the widest), "next" or "previous" sibling, of those with a width.
	neighbour(which) {
		const {tree, selected} = this, {ends} = tree, path = ancestorsOf(tree, selected);
		if (which === "child") {
			let widest = selected, width = 0;
			for (let i = selected + 1; i < ends[selected]; i = ends[i])
				if (widthOf(tree, i) > width)
					[widest, width] = [i, widthOf(tree, i)];
			return widest;
		}
		const parent = path[Math.max(0, path.length - 2)];
		if (which === "parent" || !selected)
			return parent;
		let before = selected;
		for (let i = parent + 1; i < ends[parent]; i = ends[i]) {
			if (i === selected || !widthOf(tree, i))
				continue;
			if (i > selected)
				return which === "next" ? i : before;
			before = which === "next" ? before : i;
		}
		return before;
	}
}
