// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/interpreter_search.h"

#include "common/cleanup.h"
#include "record/languages/beam_symbols.h"
#include "record/languages/dynamic_symbols.h"
#include "record/languages/java_symbols.h"
#include "record/languages/node_layouts.h"
#include "record/languages/perl_layouts.h"
#include "record/languages/php_layouts.h"
#include "record/languages/python_layouts.h"
#include "record/languages/ruby_layouts.h"

/* LuaJIT from 2.1 on has this function. Its memory says the rest (bpf/made_code.h). */
static void lua_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	Elf64_Sym symbol;

	if (!dynamic_symbols_find(symbols, "luaJIT_profile_dumpstack", &symbol))
		found->interpreter.has_traces = true;
}

/* The sizes of characters for which PCRE2 makes code. */
static void regex_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	static const char *const matchers[] = {"pcre2_jit_match_8", "pcre2_jit_match_16",
					       "pcre2_jit_match_32"};
	Elf64_Sym symbol;

	for (size_t i = 0; i < ARRAY_SIZE(matchers); i++)
		if (!dynamic_symbols_find(symbols, matchers[i], &symbol))
			found->has_regex = true;
}

void interpreter_search(int fd, struct found_interpreter *found)
{
	struct dynamic_symbols symbols;

	*found = (struct found_interpreter){0};
	if (!dynamic_symbols_init(&symbols, fd)) {
		python_find(&symbols, found);
		java_find(&symbols, found);
		php_find(&symbols, found);
		ruby_find(&symbols, found);
		lua_find(&symbols, found);
		regex_find(&symbols, found);
		beam_find(&symbols, found);
		node_find(&symbols, found);
		perl_find(&symbols, found);
	}
	dynamic_symbols_deinit(&symbols);
}
