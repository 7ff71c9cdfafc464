/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes around the payloads: file header and section headers. Each is in a skippable zstd
 * frame, so that zstd's own tools pass over it and decode the rest. doc/prof-format.md has the
 * tables.
 */
#ifndef FORMAT_SECTION_H
#define FORMAT_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/prof.h"

#define FILE_MAGIC           "profrec" /* eight bytes: the NUL belongs to it */
#define FILE_FRAME_MAGIC     0x184d2a50u
#define FILE_HEADER_BYTES    28
#define SECTION_FRAME_MAGIC  0x184d2a51u
#define SECTION_HEADER_BYTES 36

/* Encoded bytes of a section: the payload limit, and room for payloads that do not compress. */
#define SECTION_MAX_ENCODED (PROF_MAX_SECTION_BYTES + (1u << 20))
/* Largest window of a zstd frame. RFC 8878 recommends that every decoder accepts it. */
#define SECTION_MAX_WINDOW (8u << 20)

enum section_type {
	SECTION_META = 1,
	SECTION_STRINGS = 2,
	SECTION_OBJECTS = 3,
	SECTION_PROCESSES = 4,
	SECTION_SYMBOLS = 5,
	SECTION_STACKS = 6,
	SECTION_COUNTS = 7,
	SECTION_END = 8,
	SECTION_PROCESS_INFO = 9,
	SECTION_FILE_INFO = 10,
	SECTION_EXACT_FRAMES = 11,
	SECTION_EVENTS = 12,
	SECTION_COUNT_EVENTS = 13,
	SECTION_COUNT_WAKERS = 14,
	SECTION_LANGUAGES = 15,
	SECTION_SLICES = 16,
	SECTION_LINES = 17,
	SECTION_NAME_SOURCES = 18,
	SECTION_COUNT_THREADS = 19,
	SECTION_PROCESS_ATTRIBUTES = 20,
	SECTION_LABEL_SETS = 21,
	SECTION_COUNT_LABELS = 22,
};

#define SECTION_REQUIRED 1u /* flag: readers that do not know the type refuse the recording */

struct section_header {
	uint32_t type;
	uint32_t flags;
	uint32_t sequence; /* 0, 1, 2, ... through the recording */
	uint32_t decoded_bytes;
	uint32_t encoded_bytes;
	uint32_t payload_crc; /* of the decoded payload */
};

/* Makes the file header: version, no features, CRC. */
void file_header_pack(uint8_t bytes[FILE_HEADER_BYTES]);

/* Makes the bytes of a section header, its frame and CRC included. */
void section_header_pack(const struct section_header *header, uint8_t bytes[SECTION_HEADER_BYTES]);

/*
 * Takes the bytes of a header apart. Returns false if frame, size or CRC are wrong. Does not judge
 * the fields.
 */
bool section_header_unpack(const uint8_t bytes[SECTION_HEADER_BYTES],
			   struct section_header *header);

/* Returns the name of a section's type for messages, NULL for an unknown type. */
const char *section_name(uint32_t type);

/* Returns the flags that a section of a known type must have, 0 for other types. */
uint32_t section_flags(uint32_t type);

/*
 * Returns true if @found is the CRC that was @stored. A fuzzer cannot guess CRCs, so in its build,
 * and there only, every CRC is right.
 */
static inline bool crc_is_right(uint32_t found, uint32_t stored)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)found, (void)stored;
	return true;
#else
	return found == stored;
#endif
}

#endif
