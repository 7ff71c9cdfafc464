// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows HotSpot, the virtual machine of Java, by the symbols that describe its data. Runs in the
 * table child.
 *
 * The symbols are those of vmStructs.cpp, which debuggers use. The version is in a text of
 * vm_version.cpp: "... (17.0.15+6) for linux-amd64 JRE (17.0.15+6), built on ...". Version 8 has
 * "1.8.0_504-8u504-ga-1-b01" in the second place.
 */
#include "record/languages/files/language_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/constants.h"
#include "record/languages/files/host_code.h"

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

bool java_version(size_t i, struct interpreter_version *version)
{
	*version = (struct interpreter_version){host_java_versions[i], NO_MINOR};
	return host_java_versions[i];
}

static bool is_supported(uint32_t version)
{
	for (size_t i = 0; host_java_versions[i]; i++)
		if (host_java_versions[i] == version)
			return true;
	return false;
}

/* The version, 17, and its text. 0: it is not known. */
static uint32_t find_version(const struct dynamic_symbols *symbols,
			     char text[VERSION_TEXT_BYTES + 1])
{
	constants_find_version(symbols, host_java_mark, text);
	return strtoul(strncmp(text, "1.", 2) == 0 ? text + 2 : text, NULL, 10);
}

void java_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_JAVA};
	char text[VERSION_TEXT_BYTES + 1];

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
	snprintf(found->name, sizeof(found->name), "HotSpot %s%s",
		 text[0] ? text : "without a version",
		 is_supported(in.version) ? "" : host_without_code);
	if (is_supported(in.version))
		found->interpreter = in;
}
