/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a process context (OpenTelemetry's OTEP 4719), as programs of the tests publish it. */
#ifndef TESTS_PROGRAMS_CONTEXT_PARTS_H
#define TESTS_PROGRAMS_CONTEXT_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct header {
	char signature[8];
	uint32_t version, payload_size;
	uint64_t published_ns, payload;
};

/* Writes a field of bytes. Returns its size, as the functions below do. */
static inline size_t put(unsigned char *to, int field, const void *bytes, size_t len)
{
	to[0] = field << 3 | 2;
	to[1] = 0x80 | (len & 0x7f); /* two bytes, whether they are needed or not */
	to[2] = len >> 7;
	memmove(to + 3, bytes, len);
	return len + 3;
}

/* Writes a KeyValue to @field. @any is its AnyValue. */
static inline size_t put_pair(unsigned char *to, int field, const char *key, const void *any,
			      size_t nr_any)
{
	unsigned char pair[512];
	size_t nr = put(pair, 1, key, strlen(key));

	nr += put(pair + nr, 2, any, nr_any);
	return put(to, field, pair, nr);
}

#endif
