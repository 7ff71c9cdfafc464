// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows PHP's versions by their files, and where each keeps its frames. The number of the interface
 * for extensions in C, which the file has, is that of the layout. Runs in the table child.
 *
 * The offsets are those of PHP's headers for x86-64: zend_compile.h, zend_globals.h,
 * zend_generators.h. A build with threads has no symbol for the executor's globals, and one with
 * checks says "debug" after the number of its interface. Both have other layouts.
 */
#include "record/languages/files/language_files.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/constants.h"
#include "record/languages/files/moved_code.h"
#include "record/languages/files/php_loop.h"

/*
 * The build is of zend_build.h: the interface's number (ZEND_EXTENSION_API_NO), and "not
 * thread-safe". Rows have the tag of https://github.com/php/php-src from which on they hold.
 */
static const struct {
	struct interpreter_version version;
	const char *build;
	struct php_layout layout;
} layouts[] = {
	/* php-7.4.0 */
	{.version = {7, 4},
	 .build = "API320190902,NTS",
	 .layout = {.globals_frame = 488,
		    .generator_frame = 64,
		    .generator_parent = 160,
		    .generator_stand_in = 200,
		    .function_code = 64,
		    .function_file = 136,
		    .closure_bit = 20}},
	/* php-8.1.0 */
	{.version = {8, 1},
	 .build = "API420210902,NTS",
	 .layout = {.globals_frame = 488,
		    .generator_frame = 56,
		    .generator_parent = 152,
		    .generator_stand_in = 184,
		    .function_code = 72,
		    .function_file = 144,
		    .closure_bit = 22}},
	/* php-8.2.0 */
	{.version = {8, 2},
	 .build = "API420220829,NTS",
	 .layout = {.globals_frame = 488,
		    .generator_frame = 56,
		    .generator_parent = 152,
		    .generator_stand_in = 184,
		    .function_code = 88,
		    .function_file = 152,
		    .closure_bit = 22}},
	/* php-8.3.0 */
	{.version = {8, 3},
	 .build = "API420230831,NTS",
	 .layout = {.globals_frame = 488,
		    .generator_frame = 56,
		    .generator_parent = 152,
		    .generator_stand_in = 184,
		    .function_code = 80,
		    .function_file = 144,
		    .closure_bit = 22}},
	/* php-8.4.0 */
	{.version = {8, 4},
	 .build = "API420240924,NTS",
	 .layout = {.globals_frame = 488,
		    .generator_frame = 56,
		    .generator_parent = 152,
		    .generator_stand_in = 184,
		    .function_code = 104,
		    .function_file = 168,
		    .closure_bit = 22}},
	/* php-8.5.0 */
	{.version = {8, 5},
	 .build = "API420250925,NTS",
	 .layout = {.globals_frame = 512,
		    .generator_frame = 56,
		    .generator_parent = 152,
		    .generator_stand_in = 184,
		    .function_code = 104,
		    .function_file = 168,
		    .closure_bit = 22}},
};

#define VERSION_MARK "X-Powered-By: PHP/"

bool php_version(size_t i, struct interpreter_version *version)
{
	if (i >= ARRAY_SIZE(layouts))
		return false;
	*version = layouts[i].version;
	return true;
}

/* The layout of the build with version @text, or NULL. */
static const struct php_layout *find_layout(const struct dynamic_symbols *symbols, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		char end;

		if (interpreter_version_has(&layouts[i].version, text) &&
		    !constants_find(symbols, layouts[i].build, &end, sizeof(end)) && !end)
			return &layouts[i].layout;
	}
	return NULL;
}

/* Finds the code in which native frames tell how functions belong to them. */
static int find_code(const struct dynamic_symbols *symbols, const Elf64_Sym *loop, uint64_t bias,
		     struct language_code *code)
{
	uint64_t begin, end;
	Elf64_Sym destroy, change;

	if (!loop->st_size || moved_code_find(symbols, loop, &begin, &end) ||
	    dynamic_symbols_find(symbols, "zend_objects_destroy_object", &destroy))
		return -1;
	*code = (struct language_code){
		.loop = loop->st_value - bias,
		.loop_bytes = loop->st_size,
		.cold = begin - bias,
		.cold_bytes = end - begin,
		.destroy = destroy.st_value - bias,
		.destroy_bytes = destroy.st_size,
	};
	/* PHP has fibers from version 8.1 on. */
	if (!dynamic_symbols_find(symbols, "zend_fiber_switch_context", &change)) {
		code->change = change.st_value - bias;
		code->change_bytes = change.st_size;
	}
	return 0;
}

/* Describes the functions of PHP of version @text, whose loop is @loop. */
static void find_php_functions(const struct dynamic_symbols *symbols, const char *text,
			       const Elf64_Sym *loop, const Elf64_Sym *globals,
			       struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	const struct php_layout *layout = find_layout(symbols, text);
	struct interpreter in = {.language = LANGUAGE_PHP};
	uint64_t bias = code->p_vaddr - code->p_offset;

	if (!layout)
		return;
	in.php = *layout;
	if (find_code(symbols, loop, bias, &in.php.code))
		return;
	in.runtime = globals->st_value - bias;
	in.code_off = code->p_offset;
	found->interpreter = in;
}

void php_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	char text[VERSION_TEXT_BYTES + 1];
	Elf64_Sym loop, kind, globals;
	bool has_globals;

	if (!dynamic_symbols_code(symbols) || dynamic_symbols_find(symbols, "execute_ex", &loop) ||
	    dynamic_symbols_find(symbols, "zend_vm_kind", &kind))
		return;
	has_globals = !dynamic_symbols_find(symbols, "executor_globals", &globals);
	constants_find_version(symbols, VERSION_MARK, text);
	found->language = LANGUAGE_PHP;
	snprintf(found->name, sizeof(found->name), "PHP %s%s", text[0] ? text : "without a version",
		 has_globals ? "" : ", with threads");
	if (has_globals)
		find_php_functions(symbols, text, &loop, &globals, found);
	php_loop_find(symbols, text, found);
}
