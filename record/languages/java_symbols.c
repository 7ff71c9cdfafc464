// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The symbols are those of vmStructs.cpp, which debuggers use. The version is in a text of
 * vm_version.cpp: "... (17.0.15+6) for linux-amd64 JRE (17.0.15+6), built on ...".
 */
#include "record/languages/java_symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"

static const char *const names[NR_JAVA_SYMBOLS] = {
	[JAVA_FIELDS] = "gHotSpotVMStructs",
	[JAVA_FIELD_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[JAVA_FIELD_TYPE_NAME] = "gHotSpotVMStructEntryTypeNameOffset",
	[JAVA_FIELD_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[JAVA_FIELD_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[JAVA_FIELD_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[JAVA_TYPES] = "gHotSpotVMTypes",
	[JAVA_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[JAVA_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[JAVA_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
};

/*
 * The versions in which tests/long/java.sh found no wrong caller. It found one in version 8, which
 * calls itself 1.8. Versions between these live for half a year, and were not judged.
 */
static bool is_supported(uint32_t version)
{
	return version == 11 || version == 17 || version == 21 || version == 25;
}

#define VERSION_MARK " for linux-amd64 JRE ("

/* Characters of the version, at most. */
#define VERSION_BYTES 24

/* The file is searched in parts, which overlap by the bytes of a mark and a version. */
#define PART_BYTES (64u << 10)
#define SEARCH_MAX (256u << 20)

/* Finds the mark in the bytes of @segment. Copies the version after it into @text. */
static bool search_segment(int fd, const Elf64_Phdr *segment, char text[VERSION_BYTES + 1])
{
	const size_t overlap = sizeof(VERSION_MARK) - 1 + VERSION_BYTES;
	uint64_t size = min_u64(segment->p_filesz, SEARCH_MAX);
	_cleanup_free_ char *part = malloc(PART_BYTES);

	for (uint64_t off = 0; part && off < size; off += PART_BYTES - overlap) {
		ssize_t nr = io_pread(fd, part, PART_BYTES, segment->p_offset + off);
		const char *at =
			nr > 0 ? memmem(part, nr, VERSION_MARK, sizeof(VERSION_MARK) - 1) : NULL;

		if (nr <= 0)
			return false;
		if (!at || (size_t)(part + nr - at) < overlap)
			continue;
		memcpy(text, at + sizeof(VERSION_MARK) - 1, VERSION_BYTES);
		text[strspn(text, "0123456789._")] = '\0';
		return text[0] != '\0';
	}
	return false;
}

/* The version, 17, and its text. 0: it is not known. */
static uint32_t find_version(const struct dynamic_symbols *symbols, char text[VERSION_BYTES + 1])
{
	memset(text, 0, VERSION_BYTES + 1);
	vec_for_each(&symbols->segments, segment) {
		if (segment->p_type != PT_LOAD || segment->p_flags & (PF_W | PF_X) ||
		    !search_segment(symbols->fd, segment, text))
			continue;
		return strtoul(text, NULL, 10);
	}
	return 0;
}

void java_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_JAVA};
	char text[VERSION_BYTES + 1];

	if (!code)
		return;
	for (uint32_t i = 0; i < NR_JAVA_SYMBOLS; i++) {
		Elf64_Sym symbol;

		if (dynamic_symbols_find(symbols, names[i], &symbol) ||
		    symbol.st_value - code->p_vaddr + code->p_offset > UINT32_MAX)
			return;
		in.java[i] = symbol.st_value - code->p_vaddr + code->p_offset;
	}
	in.code_off = code->p_offset;
	in.version = find_version(symbols, text);
	found->language = LANGUAGE_JAVA;
	snprintf(found->name, sizeof(found->name), "HotSpot %s",
		 text[0] ? text : "without a version");
	if (is_supported(in.version))
		found->interpreter = in;
}
