// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows V8, the engine of Node.js, by its file, and where a version keeps functions. V8 has numbers
 * for debuggers in the file, from which the offsets come. Runs in the table child.
 *
 * The numbers for debuggers are variables of 4 bytes, which V8's build makes of its own headers
 * (tools/gen-postmortem-metadata.py). The name of a number has the type of the field, which changes
 * with versions. Numbers that have always been the same are constants of
 * bpf/languages/node_frames.h, and are compared here. The flags of a ScopeInfo have no numbers, so
 * each version is judged by a program of known calls.
 */
#include "record/languages/files/language_files.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/cleanup.h"

#define CLASS       "v8dbg_class_"
#define SHARED_INFO CLASS "SharedFunctionInfo__"

/*
 * Versions of Node.js, and of its V8 (V8_MAJOR_VERSION in deps/v8/include/v8-version.h of
 * https://github.com/nodejs/node). The row of 18 holds from tag v18.0.0 on, and so on.
 */
static const struct {
	uint16_t node;
	uint32_t major, minor;
	struct code_layout {
		uint8_t header, is_apart, data, start, flags, bytes, is_data_protected,
			has_position_flags;
	} code;
} versions[] = {
	{.node = 18, .major = 10, .minor = 2, .code = {128, 0, 16, 0, 48, 40, 0, 0}},
	{.node = 20, .major = 11, .minor = 3, .code = {16, 1, 16, 40, 48, 56, 0, 0}},
	{.node = 22, .major = 12, .minor = 4, .code = {32, 1, 8, 40, 48, 52, 0, 0}},
	{.node = 24, .major = 13, .minor = 6, .code = {32, 1, 8, 40, 52, 56, 1, 0}},
	{.node = 26, .major = 14, .minor = 6, .code = {32, 1, 8, 40, 52, 56, 1, 1}},
};

/*
 * Numbers that bpf/languages/node_frames.h has as constants. Those that are 0 are not in the file.
 */
static const struct node_constant {
	const char *name;
	uint32_t value;
} constants[] = {
	{"v8dbg_HeapObjectTag", 1},
	{"v8dbg_HeapObjectTagMask", 3},
	{"v8dbg_SmiTagMask", 1},
	{"v8dbg_SmiShiftSize", 31}, /* 0 if addresses are compressed */
	{"v8dbg_off_fp_context", -8},
	{"v8dbg_off_fp_function", -16},
	{CLASS "Map__instance_type__uint16_t", 12},
	{"v8dbg_IsNotStringMask", ~127u},
	{"v8dbg_StringRepresentationMask", 7},
	{"v8dbg_StringEncodingMask", 8},
	{"v8dbg_OneByteStringTag", 8},
	{"v8dbg_ConsStringTag", 1},
	{"v8dbg_SlicedStringTag", 3},
	{"v8dbg_ThinStringTag", 5},
	{CLASS "String__length__int32_t", 12},
	{CLASS "SeqOneByteString__chars__char", 16},
	{CLASS "SeqTwoByteString__chars__char", 16},
	{CLASS "ConsString__first__String", 16},
	{CLASS "ConsString__second__String", 24},
	{CLASS "SlicedString__parent__String", 16},
	{CLASS "SlicedString__offset__SMI", 24},
	{CLASS "ThinString__actual__String", 16},
	{"v8dbg_scopeinfo_idx_nparams", 1},
	{"v8dbg_scopeinfo_idx_ncontextlocals", 2},
};

/* Those of record/machines/node_lines.c. Where one differs, functions have no lines. */
static const struct node_constant line_constants[] = {
	{CLASS "Script__source__Object", 8},
	{CLASS "Script__line_ends__Object", 56},
	{CLASS "FixedArray__data__uintptr_t", 16},
	{CLASS "ExternalString__resource__Object", 16},
	{"v8dbg_ExternalStringTag", 2},
};

/* Numbers that differ, by the names that versions have for them. */
enum node_number {
	FUNCTION_TYPE,
	LAST_FUNCTION_TYPE,
	SHARED_TYPE,
	SCOPE_TYPE,
	SCRIPT_TYPE,
	FUNCTION_SHARED,
	SHARED_NAME,
	SHARED_SCRIPT,
	SHARED_FLAGS,
	SCRIPT_NAME,
	SCOPE_LOCALS,
	NR_NODE_NUMBERS,
};

#define NR_NAMES 3

static const struct {
	const char *names[NR_NAMES];
	uint32_t max;
} numbers[NR_NODE_NUMBERS] = {
	[FUNCTION_TYPE] = {{"v8dbg_type_JSFunction__JS_FUNCTION_TYPE"}, UINT16_MAX - 256},
	[LAST_FUNCTION_TYPE] = {{"v8dbg_LastJSFunctionType"}, UINT16_MAX},
	[SHARED_TYPE] = {{"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"}, UINT16_MAX},
	[SCOPE_TYPE] = {{"v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE"}, UINT16_MAX},
	[SCRIPT_TYPE] = {{"v8dbg_type_Script__SCRIPT_TYPE"}, UINT16_MAX},
	[FUNCTION_SHARED] = {{CLASS "JSFunction__shared__SharedFunctionInfo"}, 56},
	[SHARED_NAME] = {{SHARED_INFO "name_or_scope_info__Object",
			  SHARED_INFO "name_or_scope_info__Tagged_Object_",
			  SHARED_INFO "name_or_scope_info__Tagged_NameOrScopeInfoT_"},
			 56},
	[SHARED_SCRIPT] = {{SHARED_INFO "script_or_debug_info__HeapObject",
			    SHARED_INFO "script__Tagged_HeapObject_"},
			   56},
	[SHARED_FLAGS] = {{SHARED_INFO "flags__int"}, 56},
	[SCRIPT_NAME] = {{CLASS "Script__name__Object"}, 56},
	[SCOPE_LOCALS] = {{"v8dbg_scopeinfo_idx_first_vars"}, 16},
};

/* The types of constructors in versions that do not tell the number of the last type. */
#define CONSTRUCTOR_TYPES 15

#define NR_VERSIONS ARRAY_SIZE(versions)

static int read_number(const struct dynamic_symbols *symbols, const char *name, uint32_t *value)
{
	Elf64_Sym symbol;
	int ret = dynamic_symbols_find(symbols, name, &symbol);

	return ret ? ret : dynamic_symbols_read(symbols, symbol.st_value, value, sizeof(*value));
}

static bool has_constants(const struct dynamic_symbols *symbols, const struct node_constant *list,
			  size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t value;

		if (read_number(symbols, list[i].name, &value) || value != list[i].value)
			return false;
	}
	return true;
}

/* The type of a FixedArray; 0: functions have no lines. */
static uint16_t read_array_type(const struct dynamic_symbols *symbols)
{
	uint32_t type;

	return has_constants(symbols, line_constants, ARRAY_SIZE(line_constants)) &&
			       !read_number(symbols, "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE",
					    &type) &&
			       type <= UINT16_MAX
		       ? type
		       : 0;
}

static bool read_one_of(const struct dynamic_symbols *symbols, enum node_number nr, uint32_t *value)
{
	for (size_t i = 0; i < NR_NAMES && numbers[nr].names[i]; i++)
		if (!read_number(symbols, numbers[nr].names[i], value))
			return *value <= numbers[nr].max;
	return false;
}

/* Fills in the layout. Returns false if a number is missing or makes no sense. */
static bool read_layout(const struct dynamic_symbols *symbols, struct node_layout *layout)
{
	uint32_t n[NR_NODE_NUMBERS];

	for (uint32_t i = 0; i < NR_NODE_NUMBERS; i++) {
		if (read_one_of(symbols, i, &n[i]))
			continue;
		if (i != LAST_FUNCTION_TYPE)
			return false;
		n[i] = n[FUNCTION_TYPE] + CONSTRUCTOR_TYPES;
	}
	if (n[FUNCTION_SHARED] % 8 || n[SHARED_NAME] % 8 || n[SHARED_SCRIPT] % 8 ||
	    n[SHARED_FLAGS] % 8 || n[SCRIPT_NAME] % 8)
		return false;
	*layout = (struct node_layout){
		.function_type = n[FUNCTION_TYPE],
		.last_function_type = n[LAST_FUNCTION_TYPE],
		.shared_type = n[SHARED_TYPE],
		.scope_type = n[SCOPE_TYPE],
		.script_type = n[SCRIPT_TYPE],
		.function_shared = n[FUNCTION_SHARED],
		.shared_name = n[SHARED_NAME],
		.shared_script = n[SHARED_SCRIPT],
		.shared_flags = n[SHARED_FLAGS],
		.script_name = n[SCRIPT_NAME],
		/* An index counts words after the object's map. */
		.scope_locals = 8 * (n[SCOPE_LOCALS] + 1),
		.array_type = read_array_type(symbols),
	};
	return true;
}

/* Does the file have another number? */
static bool is_other(const struct dynamic_symbols *symbols, const char *name, uint32_t expected)
{
	uint32_t value;

	return !read_number(symbols, name, &value) && value != expected;
}

/*
 * How code is described: few of these numbers are in the file, so they are the version's
 * (src/objects/code.h, instruction-stream.h, deoptimization-data.h, and
 * src/codegen/source-position-table.cc). Those that are there are compared. Where one differs,
 * nothing is known of code.
 */
static void add_code_layout(const struct dynamic_symbols *symbols, const struct code_layout *code,
			    struct node_layout *layout)
{
	uint32_t type, kind;

	if (!layout->array_type || read_number(symbols, "v8dbg_type_Code__CODE_TYPE", &type) ||
	    read_number(symbols, "v8dbg_CodeKindBaseline", &kind) || type > UINT16_MAX ||
	    kind > UINT8_MAX || is_other(symbols, "v8dbg_CodeKindFieldMask", NODE_CODE_KINDS) ||
	    is_other(symbols, CLASS "Code__flags__uint32_t", code->flags) ||
	    is_other(symbols, CLASS "Code__instruction_size__int", code->bytes) ||
	    is_other(symbols, CLASS "Code__instruction_start__Address", code->start))
		return;
	layout->code_type = type;
	layout->baseline_kind = kind;
	layout->code_header = code->header;
	layout->code_is_apart = code->is_apart;
	layout->code_data = code->data;
	layout->code_start = code->start;
	layout->code_flags = code->flags;
	layout->code_bytes = code->bytes;
	layout->is_data_protected = code->is_data_protected;
	layout->has_position_flags = code->has_position_flags;
}

bool node_version(size_t i, struct interpreter_version *version)
{
	if (i >= ARRAY_SIZE(versions))
		return false;
	*version = (struct interpreter_version){versions[i].node, NO_MINOR};
	return true;
}

/* The row of the version, or NR_VERSIONS. */
static size_t find_version(uint32_t major, uint32_t minor)
{
	size_t i = 0;

	while (i < NR_VERSIONS && (versions[i].major != major || versions[i].minor != minor))
		i++;
	return i;
}

void node_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_NODE};
	uint32_t major, minor, build;
	size_t version;

	if (!code || read_number(symbols, "_ZN2v88internal7Version6major_E", &major) ||
	    read_number(symbols, "_ZN2v88internal7Version6minor_E", &minor) ||
	    read_number(symbols, "_ZN2v88internal7Version6build_E", &build))
		return;
	found->language = LANGUAGE_NODE;
	snprintf(found->name, sizeof(found->name), "V8 %u.%u.%u", major, minor, build);
	in.version = major;
	in.code_off = code->p_offset;
	version = find_version(major, minor);
	if (version == NR_VERSIONS || !has_constants(symbols, constants, ARRAY_SIZE(constants)) ||
	    !read_layout(symbols, &in.node))
		return;
	add_code_layout(symbols, &versions[version].code, &in.node);
	found->interpreter = in;
}
