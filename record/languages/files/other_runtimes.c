// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/other_runtimes.h"

#include <stdio.h>

#include "common/cleanup.h"

/*
 * Functions that programs call to embed the runtime, so that each build has them. The first one
 * counts: each version of Lua has the functions of those before it.
 */
static const struct {
	const char *key, *name, *symbol;
} runtimes[NR_OTHER_RUNTIMES] = {
	{"lua", "LuaJIT", "luaJIT_setmode"},
	{"lua", "Lua 5.4", "lua_closeslot"},
	{"lua", "Lua 5.3", "lua_rotate"},
	{"lua", "Lua 5.2", "lua_rawsetp"},
	{"lua", "Lua 5.1", "lua_objlen"},
	{"net", "Mono", "mono_jit_init"},
	{"net", ".NET", "coreclr_initialize"},
	{"js", "V8 of Chromium", "ChromeMain"},
	{"lisp", "SBCL", "call_into_lisp"},
	{"scm", "Guile", "scm_boot_guile"},
	{"hs", "GHC", "hs_init_ghc"},
	{"sql", "PostgreSQL with LLVM", "_PG_jit_provider_init"},
	{"rkt", "Racket", "racket_boot"},
	{"scm", "Chez Scheme", "Sscheme_init"},
};

void other_runtime_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	Elf64_Sym symbol;

	for (uint32_t i = 0; i < ARRAY_SIZE(runtimes) && !found->language; i++) {
		if (dynamic_symbols_find(symbols, runtimes[i].symbol, &symbol))
			continue;
		found->language = NR_LANGUAGES + i;
		snprintf(found->name, sizeof(found->name), "%s", runtimes[i].name);
	}
}

void registered_code_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	Elf64_Sym symbol;

	if (code && !dynamic_symbols_find(symbols, "__jit_debug_descriptor", &symbol))
		found->descriptor = symbol.st_value - (code->p_vaddr - code->p_offset);
}

const char *other_runtime_key(uint32_t language)
{
	uint32_t i = language - NR_LANGUAGES;

	return language >= NR_LANGUAGES && i < ARRAY_SIZE(runtimes) ? runtimes[i].key : "";
}
