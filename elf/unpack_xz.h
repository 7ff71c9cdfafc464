/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks what xz has packed, as MiniDebugInfo is: some distributions leave a packed ELF file in
 * .gnu_debugdata of a stripped binary. It has the symbols of the functions that .dynsym lacks.
 * Format: "MiniDebugInfo" in the manual of GDB. The bytes may be anybody's, so memory and output
 * are limited.
 */
#ifndef ELF_UNPACK_XZ_H
#define ELF_UNPACK_XZ_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that .gnu_debugdata may unpack to. A browser's would have 20 MB. */
#define MINIDEBUG_BYTES_MAX (64u << 20)

/*
 * Writes the @size bytes at @packed, unpacked, to @fd. *@nr_bytes becomes the number of bytes that
 * were unpacked, also after an error. Returns 0, -EFBIG (more than @max_bytes), -EBADMSG (damaged,
 * or it needs too much memory), -ENOMEM, or the errno of a write.
 */
int unpack_xz(const void *packed, size_t size, int fd, uint64_t max_bytes, uint64_t *nr_bytes);

#endif
