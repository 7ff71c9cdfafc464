/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C (Castagnoli, reflected, as in RFC 3720). It guards the headers and payloads of a
 * recording, and the unwind tables that are kept in files.
 */
#ifndef COMMON_CRC32C_H
#define COMMON_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC of @len bytes at @data, continued from @crc, which is 0 at the start. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* crc32c without the processor's instruction, for hosts that lack it. */
uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len);

#endif
