// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/code_maker_symbols.h"

#include "common/cleanup.h"
#include "record/languages/files/host_code.h"

bool lua_version(size_t i, struct interpreter_version *version)
{
	*version = (struct interpreter_version){2, 1};
	return host_knows_made_code && i == 0;
}

/* LuaJIT has this function from 2.1 on. Its memory says the rest (bpf/made/made_code.h). */
void lua_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	Elf64_Sym symbol;

	if (host_knows_made_code &&
	    !dynamic_symbols_find(symbols, "luaJIT_profile_dumpstack", &symbol))
		found->interpreter.has_traces = true;
}

bool guile_version(size_t i, struct interpreter_version *version)
{
	*version = (struct interpreter_version){3, 0};
	return host_knows_made_code && i == 0;
}

/* libguile/jit.c is as old as version 3.0. Those before it make no code. */
void guile_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	Elf64_Sym symbol;

	if (!host_knows_made_code || !code || code->p_filesz > UINT32_MAX ||
	    dynamic_symbols_find(symbols, "scm_boot_guile", &symbol))
		return;
	found->interpreter.code_off = code->p_offset;
	found->interpreter.guile_bytes = code->p_filesz;
}

/* The sizes of characters for which PCRE2 makes code. */
void regex_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	static const char *const matchers[] = {"pcre2_jit_match_8", "pcre2_jit_match_16",
					       "pcre2_jit_match_32"};
	Elf64_Sym symbol;

	for (size_t i = 0; i < ARRAY_SIZE(matchers); i++)
		if (host_knows_made_code && !dynamic_symbols_find(symbols, matchers[i], &symbol))
			found->has_regex = true;
}

/* The BPF program knows the stub by its code. tests/long/made_code.sh has judged these versions. */
bool python_stub_version(size_t i, struct interpreter_version *version)
{
	static const struct interpreter_version versions[] = {{3, 12}, {3, 13}};

	if (!host_knows_made_code || i >= ARRAY_SIZE(versions))
		return false;
	*version = versions[i];
	return true;
}
