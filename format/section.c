// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/section.h"

#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/bytes.h"
#include "common/crc32c.h"

/* A skippable frame begins with its magic and the size of the rest. */
#define FRAME_HEADER_BYTES 8
#define CRC_BYTES          4

static const char *const names[] = {
	[SECTION_META] = "meta",
	[SECTION_STRINGS] = "strings",
	[SECTION_OBJECTS] = "objects",
	[SECTION_PROCESSES] = "processes",
	[SECTION_SYMBOLS] = "symbols",
	[SECTION_STACKS] = "stacks",
	[SECTION_COUNTS] = "counts",
	[SECTION_END] = "end",
	[SECTION_PROCESS_INFO] = "process info",
	[SECTION_FILE_INFO] = "file info",
	[SECTION_EXACT_FRAMES] = "exact frames",
	[SECTION_EVENTS] = "events",
	[SECTION_COUNT_EVENTS] = "count events",
	[SECTION_COUNT_WAKERS] = "count wakers",
	[SECTION_LANGUAGES] = "languages",
	[SECTION_SLICES] = "slices",
	[SECTION_LINES] = "lines",
	[SECTION_NAME_SOURCES] = "name sources",
	[SECTION_COUNT_THREADS] = "count threads",
	[SECTION_PROCESS_ATTRIBUTES] = "process attributes",
	[SECTION_LABEL_SETS] = "label sets",
	[SECTION_COUNT_LABELS] = "count labels",
};

void file_header_pack(uint8_t bytes[FILE_HEADER_BYTES])
{
	put_le(bytes, FILE_FRAME_MAGIC, 4);
	put_le(bytes + 4, FILE_HEADER_BYTES - FRAME_HEADER_BYTES, 4);
	memcpy(bytes + 8, FILE_MAGIC, sizeof(FILE_MAGIC));
	put_le(bytes + 16, PROF_VERSION_MAJOR, 2);
	put_le(bytes + 18, PROF_VERSION_MINOR, 2);
	put_le(bytes + 20, 0, 4);
	put_le(bytes + 24, crc32c(0, bytes, FILE_HEADER_BYTES - CRC_BYTES), CRC_BYTES);
}

void section_header_pack(const struct section_header *header, uint8_t bytes[SECTION_HEADER_BYTES])
{
	put_le(bytes, SECTION_FRAME_MAGIC, 4);
	put_le(bytes + 4, SECTION_HEADER_BYTES - FRAME_HEADER_BYTES, 4);
	put_le(bytes + 8, header->type, 4);
	put_le(bytes + 12, header->flags, 4);
	put_le(bytes + 16, header->sequence, 4);
	put_le(bytes + 20, header->decoded_bytes, 4);
	put_le(bytes + 24, header->encoded_bytes, 4);
	put_le(bytes + 28, header->payload_crc, 4);
	put_le(bytes + 32, crc32c(0, bytes, SECTION_HEADER_BYTES - CRC_BYTES), CRC_BYTES);
}

bool section_header_unpack(const uint8_t bytes[SECTION_HEADER_BYTES], struct section_header *header)
{
	if (get_le(bytes, 4) != SECTION_FRAME_MAGIC ||
	    get_le(bytes + 4, 4) != SECTION_HEADER_BYTES - FRAME_HEADER_BYTES ||
	    !crc_is_right(crc32c(0, bytes, SECTION_HEADER_BYTES - CRC_BYTES),
			  get_le(bytes + 32, CRC_BYTES)))
		return false;
	*header = (struct section_header){
		.type = get_le(bytes + 8, 4),
		.flags = get_le(bytes + 12, 4),
		.sequence = get_le(bytes + 16, 4),
		.decoded_bytes = get_le(bytes + 20, 4),
		.encoded_bytes = get_le(bytes + 24, 4),
		.payload_crc = get_le(bytes + 28, 4),
	};
	return true;
}

const char *section_name(uint32_t type)
{
	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

uint32_t section_flags(uint32_t type)
{
	if (!section_name(type))
		return 0;
	return type <= SECTION_END || (type >= SECTION_EVENTS && type <= SECTION_COUNT_WAKERS)
		       ? SECTION_REQUIRED
		       : 0;
}
