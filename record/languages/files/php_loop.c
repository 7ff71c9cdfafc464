// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/php_loop.h"

#include <string.h>

#include "common/cleanup.h"
#include "elf/arch.h"

/*
 * Is the interpreter of the kind that jumps from handler to handler in one function, as gcc makes
 * it? In others, made code has frames of its own (ZEND_VM_KIND_HYBRID, zend_vm_opcodes.h). The
 * function that says the kind returns a constant.
 */
static bool is_hybrid(const struct dynamic_symbols *symbols)
{
	static const uint8_t mov_4_ret[] = {0xb8, 4, 0, 0, 0, 0xc3};
	uint8_t code[ELF_ENTRY_MARK_BYTES + sizeof(mov_4_ret)];
	const uint8_t *begin = code;
	Elf64_Sym kind;

	if (dynamic_symbols_find(symbols, "zend_vm_kind", &kind) ||
	    dynamic_symbols_read(symbols, kind.st_value, code, sizeof(code)))
		return false;
	if (!memcmp(code, elf_arch_x86_64.entry_mark, ELF_ENTRY_MARK_BYTES))
		begin += ELF_ENTRY_MARK_BYTES;
	return !memcmp(begin, mov_4_ret, sizeof(mov_4_ret));
}

/* tests/long/made_code.sh has judged these versions. */
static const struct interpreter_version judged[] = {{8, 1}, {8, 2}, {8, 3}, {8, 4}, {8, 5}};

bool php_loop_version(size_t i, struct interpreter_version *version)
{
	if (i >= ARRAY_SIZE(judged))
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
	if (!is_judged(version))
		return;
	/* The middle of so long a function is far from its prologue and from any epilogue. */
	found->interpreter.loop = loop.st_value + loop.st_size / 2 - code->p_vaddr + code->p_offset;
	found->interpreter.code_off = code->p_offset;
}
