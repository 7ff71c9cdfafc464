// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of the page's data: base64 of raw DEFLATE, in which numbers are varints.

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const chars = atob(text), bytes = new Uint8Array(chars.length);
	for (let i = 0; i < chars.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

async function inflateBytes(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	// Counts of more than 53 bits lose their last digits.
	varint() {
		let byte = this.bytes[this.at++], value = byte & 127;
		for (let unit = 128; byte > 127; unit *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
		}
		return value;
	}

	section() {
		const length = this.varint();
		this.at += length;
		return new Reader(this.bytes.subarray(this.at - length, this.at));
	}

	text() {
		return new TextDecoder().decode(this.bytes.subarray(this.at));
	}

	// Every line ends with a newline.
	lines() {
		return this.text().split("\n").slice(0, -1);
	}
}
