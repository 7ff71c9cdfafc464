// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows CPython's versions by their files, and where each keeps its frames. Within a minor version
 * the layout does not change. Runs in the table child.
 *
 * The offsets are those of CPython's headers for x86-64: pystate.h, cpython/pystate.h,
 * internal/pycore_frame.h, cpython/code.h, cpython/unicodeobject.h. From 3.13 on the interpreter's
 * data begins with offsets for debuggers (internal/pycore_debug_offsets.h). They tell the version,
 * and how a version without a row differs from the last one (python_offsets.c).
 */
#include "record/languages/files/language_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/host_code.h"
#include "record/languages/files/moved_code.h"
#include "record/languages/files/python_offsets.h"
#include "record/languages/files/thread_variable.h"

/* The places of a string's characters changed with 3.12, the rest of a code object with 3.11. */
#define TEXT_3_10 .text_length = 16, .text_kind = 2, .text_ascii = 48, .text_other = 72
#define CODE_3_10 .code_flags = 36, .code_line = 40, .code_file = 104, .code_name = 112, TEXT_3_10
#define CODE_3_11 .code_flags = 48, .code_line = 72, .code_file = 112, .code_name = 128, TEXT_3_10
#define CODE_3_12                                                                                  \
	.code_flags = 48, .code_line = 68, .code_file = 112, .code_name = 128, .code_version = 92, \
	.text_length = 16, .text_kind = 2, .text_ascii = 40, .text_other = 56

/* Without the lock, each object begins with 16 bytes more. */
#define CODE_FREE                                                                                  \
	.code_flags = 64, .code_line = 84, .code_file = 128, .code_name = 144,                     \
	.code_version = 108, .text_length = 32, .text_ascii = 56, .text_other = 72

/*
 * By minor version of CPython 3; all zero: without support. The row of 3.9 holds from tag v3.9.0 of
 * https://github.com/python/cpython on, and so on.
 */
static const struct python_layout layouts[] = {
	[9] = {.marks = PYTHON_MARK_NONE,
	       .tstate_frame = 24,
	       .tstate_thread = 176,
	       .frame_next = 24,
	       .frame_code = 32,
	       .frame_top = 72,
	       .key = 588,
	       .is_locked_known = true,
	       CODE_3_10},
	[10] = {.marks = PYTHON_MARK_EACH,
		.tstate_list = 48,
		.list_next = 8,
		.tstate_frame = 24,
		.tstate_thread = 176,
		.frame_next = 24,
		.frame_code = 32,
		.key = 588,
		.is_locked_known = true,
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
		.is_locked_known = true,
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
	[15] = {.marks = PYTHON_MARK_SHIM,
		.tstate_frame = 72,
		.tstate_thread = 176,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 74,
		.thread = PYTHON_THREAD_VARIABLE,
		CODE_3_12},
};

/* ... of builds without the interpreter's lock */
static const struct python_layout free_layouts[] = {
	[13] = {.marks = PYTHON_MARK_SHIM,
		.tstate_frame = 72,
		.tstate_thread = 152,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 70,
		.key = 2164,
		.text_kind = 2,
		CODE_FREE},
	[14] = {.marks = PYTHON_MARK_SHIM,
		.tstate_frame = 72,
		.tstate_thread = 152,
		.frame_next = 8,
		.frame_code = 0,
		.frame_owner = 78,
		.key = 2340,
		.text_kind = 8,
		CODE_FREE},
};

/* Does the row of @minor have a layout on this architecture? */
static bool has_layout(const struct python_layout *of, size_t minor)
{
	int32_t key = of[minor].key;

	return of[minor].tstate_thread != 0 && host_python_key(minor, &key);
}

bool python_version(size_t i, struct interpreter_version *version)
{
	for (size_t minor = 0; minor < ARRAY_SIZE(layouts); minor++) {
		if (!has_layout(layouts, minor) || i--)
			continue;
		*version = (struct interpreter_version){3, minor};
		return true;
	}
	return false;
}

/*
 * Py_Version: major, minor, micro, and four bits each for the level of the release and its number.
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
 * functions that came with it. Returns 0 for versions before 3.9.
 */
static uint32_t find_version(const struct dynamic_symbols *symbols)
{
	Elf64_Sym symbol;
	uint32_t version = 0;

	if (!dynamic_symbols_find(symbols, "Py_Version", &symbol))
		return dynamic_symbols_read(symbols, symbol.st_value, &version, sizeof(version))
			       ? 0
			       : version;
	if (has_symbol(symbols, "Py_NewRef"))
		return 0x030a00f0;
	return has_symbol(symbols, "PyFrame_GetCode") ? 0x030900f0 : 0;
}

/*
 * From 3.13 on the interpreter's data tells its version, and whether it is built without the lock.
 */
static bool read_offsets(const struct dynamic_symbols *symbols, uint64_t runtime, uint32_t version,
			 struct python_offsets_head *offsets)
{
	return !dynamic_symbols_read(symbols, runtime, offsets, sizeof(*offsets)) &&
	       !memcmp(offsets->cookie, "xdebugpy", sizeof(offsets->cookie)) &&
	       offsets->version == version;
}

static void name_version(struct found_interpreter *found, uint32_t version, bool is_free_threaded,
			 bool is_judged)
{
	const char *suffix = VERSION_LEVEL(version) < LEVEL_CANDIDATE ? ", unreleased"
			     : is_judged                              ? ""
								      : ", not judged";

	if (!version)
		snprintf(found->name, sizeof(found->name), "CPython before 3.9");
	else if (VERSION_MAJOR(version) == 3 && VERSION_MINOR(version) <= 10)
		snprintf(found->name, sizeof(found->name), "CPython 3.%u", VERSION_MINOR(version));
	else
		snprintf(found->name, sizeof(found->name), "CPython %u.%u.%u%s%s",
			 VERSION_MAJOR(version), VERSION_MINOR(version), VERSION_MICRO(version),
			 is_free_threaded ? ", free-threaded" : "", suffix);
}

/*
 * The layout of the version: that of its row, or the last one with the offsets that the file
 * publishes. *@is_judged is false of the latter. Returns 0 or -ENOENT.
 */
static int choose_layout(const struct dynamic_symbols *symbols, uint64_t runtime, uint32_t version,
			 bool is_free_threaded, struct python_layout *layout, bool *is_judged)
{
	const struct python_layout *from = is_free_threaded ? free_layouts : layouts;
	size_t nr = is_free_threaded ? ARRAY_SIZE(free_layouts) : ARRAY_SIZE(layouts);
	uint32_t minor = VERSION_MINOR(version);

	if (VERSION_MAJOR(version) != 3 || VERSION_LEVEL(version) < LEVEL_CANDIDATE)
		return -ENOENT;
	*is_judged = minor < nr;
	minor = *is_judged ? minor : nr - 1;
	if (!has_layout(from, minor))
		return -ENOENT;
	*layout = from[minor];
	host_python_key(minor, &layout->key);
	if (*is_judged)
		return 0;
	/* The place of a key is not among the offsets. */
	return layout->thread == PYTHON_THREAD_KEY ? -ENOENT
						   : python_offsets_apply(symbols, runtime, layout);
}

/* Finds the loop of a version without marks. Returns 0 or -ENOENT. */
static int find_loop(const struct dynamic_symbols *symbols, struct language_code *code)
{
	const Elf64_Phdr *segment = dynamic_symbols_code(symbols);
	uint64_t bias = segment->p_vaddr - segment->p_offset, begin, end;
	Elf64_Sym loop;

	if (dynamic_symbols_find(symbols, "_PyEval_EvalFrameDefault", &loop) || !loop.st_size ||
	    moved_code_find(symbols, &loop, &begin, &end))
		return -ENOENT;
	*code = (struct language_code){
		.loop = loop.st_value - bias,
		.loop_bytes = loop.st_size,
		.cold = begin - bias,
		.cold_bytes = end - begin,
	};
	return 0;
}

/* Adds what the file says beyond a layout. Returns 0 or -ENOENT. */
static int complete_layout(const struct dynamic_symbols *symbols, const Elf64_Sym *runtime,
			   struct python_layout *layout)
{
	struct thread_variable state;

	if (layout->marks == PYTHON_MARK_NONE && find_loop(symbols, &layout->code))
		return -ENOENT;
	if (layout->thread == PYTHON_THREAD_KEY)
		return runtime->st_size < layout->key + sizeof(uint32_t) ? -ENOENT : 0;
	if (thread_variable_find(symbols, "PyGILState_GetThisThreadState", runtime->st_value,
				 &state))
		return -ENOENT;
	layout->thread = state.is_in_block ? PYTHON_THREAD_BLOCK : PYTHON_THREAD_VARIABLE;
	layout->key = state.key;
	layout->variable = state.variable;
	return 0;
}

void python_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct python_offsets_head offsets = {0};
	struct python_layout layout;
	bool has_offsets, is_free_threaded, is_judged;
	Elf64_Sym runtime;
	uint32_t version;

	/* PyEval_EvalFrameEx is in all versions since 2.5, _PyRuntime in those since 3.7. */
	if (!code || !has_symbol(symbols, "PyEval_EvalFrameEx"))
		return;
	version = find_version(symbols);
	found->language = LANGUAGE_PYTHON;
	name_version(found, version, false, true);
	if (dynamic_symbols_find(symbols, "_PyRuntime", &runtime))
		return;
	has_offsets = read_offsets(symbols, runtime.st_value, version, &offsets);
	is_free_threaded = has_offsets && offsets.is_free_threaded;
	name_version(found, version, is_free_threaded, true);
	if (VERSION_MINOR(version) >= 13 && !has_offsets)
		return;
	if (choose_layout(symbols, runtime.st_value, version, is_free_threaded, &layout,
			  &is_judged) ||
	    complete_layout(symbols, &runtime, &layout))
		return;
	name_version(found, version, is_free_threaded, is_judged);
	found->interpreter = (struct interpreter){
		.runtime = runtime.st_value - (code->p_vaddr - code->p_offset),
		.code_off = code->p_offset,
		.language = LANGUAGE_PYTHON,
		.python = layout,
	};
}
