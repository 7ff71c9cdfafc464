// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of coloured spans, as pixels: many thousand rectangles take a canvas longer than a frame may
// last. A row is one line of pixels until all spans are in it, then it is copied to its height.

// Returns the pixel of a colour: red is the lowest byte.
function pixelOf(hue, saturation, lightness) {
	const amplitude = saturation * Math.min(lightness, 100 - lightness) / 10000;
	const channel = n => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (lightness / 100 - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return (0xff000000 | channel(4) << 16 | channel(8) << 8 | channel(0)) >>> 0;
}

function mixPixels(a, b) {
	return ((a & 0xfefefe) / 2 + (b & 0xfefefe) / 2 | 0xff000000) >>> 0;
}

class Raster {
	// Begins a picture of nrRows rows. All sizes are in pixels of the device.
	beginPicture(width, height, nrRows, background) {
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			this.image = new ImageData(width, height);
			this.pixels = new Uint32Array(this.image.data.buffer);
		}
		this.lines = new Uint32Array(width * nrRows).fill(background);
		this.width = width;
		this.height = height;
	}

	keepPicture() {
		this.kept = this.lines.slice();
	}

	// Begins with the picture that was kept.
	begin(background) {
		this.pixels.fill(background);
		this.lines.set(this.kept);
	}

	span(row, from, to, pixel) {
		const line = row * this.width;
		this.lines.fill(pixel, line + Math.max(0, from), line + Math.min(this.width, Math.max(from, to)));
	}

	// Copies a row to its place. A part of it may be out of sight.
	place(row, top, height) {
		const line = this.lines.subarray(row * this.width, (row + 1) * this.width);
		for (let y = Math.max(0, top); y < Math.min(this.height, top + height); y++)
			this.pixels.set(line, y * this.width);
	}

	paint(context) {
		context.putImageData(this.image, 0, 0);
	}
}
