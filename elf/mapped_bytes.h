/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped parts of files. A report needs few of the bytes of large sections, so it maps them and
 * does not read them.
 *
 * Somebody may truncate a mapped file. Reading beyond its end then raises SIGBUS, and the handler
 * here puts zeros at the place of the whole mapping. It mends no other memory: a fault elsewhere
 * ends the program. Somebody may also write to the file. So whoever reads mapped bytes takes each
 * number once, and checks it after that.
 */
#ifndef ELF_MAPPED_BYTES_H
#define ELF_MAPPED_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct mapped_bytes {
	const uint8_t *data;
	uint64_t size;
	void *map;
	size_t map_size;
};

/*
 * Maps [@off, @off + @size) of the file at @fd. The bytes do not need @fd to stay open. Installs
 * the handler of SIGBUS at the first call. Returns 0, -ENOMEM, or -EIO for what cannot be mapped.
 */
int mapped_bytes_get(int fd, uint64_t off, uint64_t size, struct mapped_bytes *bytes);

void mapped_bytes_release(struct mapped_bytes *bytes);

#endif
