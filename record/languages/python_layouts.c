// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The offsets are those of CPython's headers for x86-64: pystate.h, cpython/pystate.h,
 * internal/pycore_frame.h, cpython/code.h, cpython/unicodeobject.h. From 3.13 on the interpreter's
 * data begins with offsets for debuggers (internal/pycore_debug_offsets.h), which are compared.
 */
#include "record/languages/python_layouts.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

/* The places of a string's characters changed with 3.12, the rest of a code object with 3.11. */
#define CODE_3_10                                                                                  \
	.code_flags = 36, .code_line = 40, .code_file = 104, .code_name = 112, .text_ascii = 48,   \
	.text_other = 72
#define CODE_3_11                                                                                  \
	.code_flags = 48, .code_line = 72, .code_file = 112, .code_name = 128, .text_ascii = 48,   \
	.text_other = 72
#define CODE_3_12                                                                                  \
	.code_flags = 48, .code_line = 68, .code_file = 112, .code_name = 128, .code_version = 92, \
	.text_ascii = 40, .text_other = 56

/* By minor version of CPython 3; all zero: without support. */
static const struct python_layout layouts[] = {
	[10] = {.marks = PYTHON_MARK_EACH,
		.tstate_list = 48,
		.list_next = 8,
		.tstate_frame = 24,
		.tstate_thread = 176,
		.frame_next = 24,
		.frame_code = 32,
		.key = 588,
		CODE_3_10},
	[11] = {.marks = PYTHON_MARK_ENTRY,
		.tstate_list = 56,
		.list_frame = 8,
		.list_next = 16,
		.tstate_thread = 152,
		.frame_next = 48,
		.frame_code = 32,
		.frame_owner = 68,
		.key = 596,
		CODE_3_11},
	[12] = {.marks = PYTHON_MARK_SHIM,
		.tstate_list = 56,
		.list_frame = 0,
		.list_next = 8,
		.tstate_thread = 136,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 70,
		.key = 1548,
		CODE_3_12},
	[13] = {.marks = PYTHON_MARK_SHIM,
		.tstate_frame = 72,
		.tstate_thread = 152,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 70,
		.key = 2164,
		CODE_3_12},
	[14] = {.marks = PYTHON_MARK_SHIM,
		.tstate_frame = 72,
		.tstate_thread = 152,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 74,
		.key = 2340,
		CODE_3_12},
};

/* Py_Version: major, minor, micro, and four bits each for the level of the release and its number.
 */
#define VERSION_MAJOR(v) ((v) >> 24)
#define VERSION_MINOR(v) ((v) >> 16 & 0xff)
#define VERSION_MICRO(v) ((v) >> 8 & 0xff)
#define VERSION_LEVEL(v) ((v) >> 4 & 0xf)

/* From the first release candidate on, a layout does not change. */
#define LEVEL_CANDIDATE 0xc

static bool has_symbol(const struct dynamic_symbols *symbols, const char *name)
{
	Elf64_Sym symbol;

	return !dynamic_symbols_find(symbols, name, &symbol);
}

/*
 * The version of the file. Before 3.11 no constant tells. There the minor version follows from
 * functions that came with it. Returns 0 for versions before 3.10.
 */
static uint32_t find_version(const struct dynamic_symbols *symbols)
{
	Elf64_Sym symbol;
	uint32_t version = 0;

	if (!dynamic_symbols_find(symbols, "Py_Version", &symbol))
		return dynamic_symbols_read(symbols, symbol.st_value, &version, sizeof(version))
			       ? 0
			       : version;
	return has_symbol(symbols, "Py_NewRef") ? 0x030a00f0 : 0;
}

static void name_version(struct found_interpreter *found, uint32_t version)
{
	const char *suffix = VERSION_LEVEL(version) < LEVEL_CANDIDATE ? ", not released" : "";

	if (!version)
		snprintf(found->name, sizeof(found->name), "CPython before 3.10");
	else if (VERSION_MAJOR(version) == 3 && VERSION_MINOR(version) == 10)
		snprintf(found->name, sizeof(found->name), "CPython 3.10");
	else
		snprintf(found->name, sizeof(found->name), "CPython %u.%u.%u%s",
			 VERSION_MAJOR(version), VERSION_MINOR(version), VERSION_MICRO(version),
			 suffix);
}

/* The first words of the offsets for debuggers. */
struct debug_offsets {
	char cookie[8];
	uint64_t version;
	uint64_t is_free_threaded;
};

/* From 3.13 on the interpreter's data tells more. A build without the lock has other layouts. */
static bool is_usual_build(const struct dynamic_symbols *symbols, uint64_t runtime,
			   uint32_t version)
{
	struct debug_offsets offsets;

	if (VERSION_MINOR(version) < 13)
		return true;
	return !dynamic_symbols_read(symbols, runtime, &offsets, sizeof(offsets)) &&
	       !memcmp(offsets.cookie, "xdebugpy", sizeof(offsets.cookie)) &&
	       offsets.version == version && !offsets.is_free_threaded;
}

static const struct python_layout *find_layout(const struct dynamic_symbols *symbols,
					       const Elf64_Sym *runtime, uint32_t version)
{
	const struct python_layout *layout;

	if (VERSION_MAJOR(version) != 3 || VERSION_MINOR(version) >= ARRAY_SIZE(layouts) ||
	    VERSION_LEVEL(version) < LEVEL_CANDIDATE)
		return NULL;
	layout = &layouts[VERSION_MINOR(version)];
	if (!layout->key || runtime->st_size < layout->key + sizeof(uint32_t))
		return NULL;
	return is_usual_build(symbols, runtime->st_value, version) ? layout : NULL;
}

void python_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	const struct python_layout *layout;
	Elf64_Sym runtime;
	uint32_t version;

	/* PyEval_EvalFrameEx is in all versions since 2.5, _PyRuntime in those since 3.7. */
	if (!code || !has_symbol(symbols, "PyEval_EvalFrameEx"))
		return;
	version = find_version(symbols);
	found->language = LANGUAGE_PYTHON;
	name_version(found, version);
	if (dynamic_symbols_find(symbols, "_PyRuntime", &runtime))
		return;
	layout = find_layout(symbols, &runtime, version);
	if (!layout)
		return;
	found->interpreter = (struct interpreter){
		.runtime = runtime.st_value - (code->p_vaddr - code->p_offset),
		.code_off = code->p_offset,
		.language = LANGUAGE_PYTHON,
		.python = *layout,
	};
}
