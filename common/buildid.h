/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build-ids. A linker puts the NT_GNU_BUILD_ID note into an ELF file, and it names the contents,
 * whatever the path. The bytes may be hostile, so every offset is checked.
 */
#ifndef COMMON_BUILDID_H
#define COMMON_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* elfutils takes 3 to 64 bytes for a build-id; linkers write 8 (xxhash), 16 (md5) or 20 (sha1). */
#define BUILD_ID_MAX 64

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[BUILD_ID_MAX];
};

/* Two hex digits a byte and the NUL. */
#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_MAX + 1)

static inline bool build_id_is_none(const struct build_id *id)
{
	return id->size == 0;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* Writes @id in lower-case hex, NUL-terminated. Returns @hex. */
char *build_id_hex(const struct build_id *id, char hex[static BUILD_ID_HEX_SIZE]);

/*
 * The path of the debug file of @id, of two bytes at least, under the directory @dir:
 * DIR/.build-id/xx/yyyy.debug. Returns NULL for lack of memory. The caller frees it.
 */
char *build_id_debug_path(const struct build_id *id, const char *dir);

/*
 * Finds the build-id in @len bytes of ELF notes (a PT_NOTE segment, /sys/kernel/notes, ...), which
 * are padded to 4 bytes. Returns 0, or -ENOENT if there is none.
 */
int build_id_from_notes(const void *notes, size_t len, struct build_id *id);

/*
 * Reads the build-id of the ELF file open at @fd (32 or 64 bit, of this machine's byte order). Uses
 * the section headers if the program headers lead to no notes. Returns 0, -ENOENT for a file
 * without a build-id, -ENOEXEC for a file that is not ELF, or a failing read's errno.
 */
int build_id_from_fd(int fd, struct build_id *id);

#endif
