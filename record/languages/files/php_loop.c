// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/php_loop.h"

#include "common/cleanup.h"
#include "record/languages/files/host_code.h"

#define HYBRID_KIND 4 /* ZEND_VM_KIND_HYBRID, zend_vm_opcodes.h */

/*
 * Is the interpreter of the kind that jumps from handler to handler in one function, as gcc makes
 * it? In others, made code has frames of its own. The function that says the kind returns a
 * constant.
 */
static bool is_hybrid(const struct dynamic_symbols *symbols)
{
	uint8_t code[HOST_CODE_BYTES];
	Elf64_Sym kind;

	return !dynamic_symbols_find(symbols, "zend_vm_kind", &kind) &&
	       !dynamic_symbols_read(symbols, kind.st_value, code, sizeof(code)) &&
	       host_code_returns(code, HYBRID_KIND);
}

/* tests/long/made_code.sh has judged these versions. */
static const struct interpreter_version judged[] = {{8, 1}, {8, 2}, {8, 3}, {8, 4}, {8, 5}};

bool php_loop_version(size_t i, struct interpreter_version *version)
{
	if (!host_knows_made_code || i >= ARRAY_SIZE(judged))
		return false;
	*version = judged[i];
	return true;
}

static bool is_judged(const char *version)
{
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++)
		if (interpreter_version_has(&judged[i], version))
			return true;
	return false;
}

void php_loop_find(const struct dynamic_symbols *symbols, const char *version,
		   struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	Elf64_Sym loop;

	if (!code || dynamic_symbols_find(symbols, "execute_ex", &loop) || !is_hybrid(symbols))
		return;
	if (!host_knows_made_code || !is_judged(version))
		return;
	/* The middle of so long a function is far from its prologue and from any epilogue. */
	found->interpreter.loop = loop.st_value + loop.st_size / 2 - code->p_vaddr + code->p_offset;
	found->interpreter.code_off = code->p_offset;
}
