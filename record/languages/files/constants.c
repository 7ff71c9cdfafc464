// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/constants.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"

/* The file is searched in parts, which overlap by the bytes of a mark and those after it. */
#define PART_BYTES (64u << 10)
#define SEARCH_MAX (256u << 20) /* in all segments */

/* Searches the first @size bytes of @segment. */
static bool search_segment(int fd, const Elf64_Phdr *segment, uint64_t size, const char *mark,
			   void *after, size_t len)
{
	const size_t overlap = strlen(mark) + len;
	_cleanup_free_ char *part = malloc(PART_BYTES);

	for (uint64_t off = 0; part && off < size; off += PART_BYTES - overlap) {
		ssize_t nr = io_pread(fd, part, min_u64(PART_BYTES, size - off),
				      segment->p_offset + off);
		const char *at = nr > 0 ? memmem(part, nr, mark, strlen(mark)) : NULL;

		if (nr <= 0)
			return false;
		if (!at || (size_t)(part + nr - at) < overlap)
			continue;
		memcpy(after, at + strlen(mark), len);
		return true;
	}
	return false;
}

int constants_find(const struct dynamic_symbols *symbols, const char *mark, void *after, size_t len)
{
	uint64_t left = SEARCH_MAX;

	elf_image_for_each_segment(&symbols->elf, segment)
	{
		uint64_t size = min_u64(segment->p_filesz, left);

		if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
			continue;
		if (search_segment(symbols->elf.fd, segment, size, mark, after, len))
			return 0;
		left -= size;
	}
	return -ENOENT;
}

void constants_find_version(const struct dynamic_symbols *symbols, const char *mark,
			    char text[VERSION_TEXT_BYTES + 1])
{
	memset(text, 0, VERSION_TEXT_BYTES + 1);
	if (!constants_find(symbols, mark, text, VERSION_TEXT_BYTES))
		text[strspn(text, "0123456789._")] = '\0';
}
