/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with a table of Go, whose start of the code is told somewhere else. */
#ifndef TESTS_GO_ELF_H
#define TESTS_GO_ELF_H

#include "elf/arch.h"
#include "elf/go_table.h"
#include "tests/unit/cfi_helper.h"

#define MODULE_VADDR      (FRAMES_VADDR + 0x100000)
#define MODULE_BYTES      0x250 /* Go 1.26 */
#define MODULE_1_27_BYTES 0x238

/* What .go.module tells, from Go 1.26 on. */
struct go_module {
	uint64_t first, text;
	bool is_relocated; /* both are left to the dynamic linker */
	size_t size;       /* bytes of it; 0: MODULE_BYTES */
};

/* A file with a table and a module. Returns its descriptor. */
static inline int make_go_elf(const uint8_t *table, size_t len, const struct go_module *module)
{
	const uint64_t type = elf_arch_find(elfw_header().e_machine)->relative;
	const Elf64_Rela relocations[] = {
		{MODULE_VADDR, ELF64_R_INFO(0, type), FRAMES_VADDR},
		{MODULE_VADDR + GO_MODULE_FIRST_OFF, ELF64_R_INFO(0, type), module->first},
		{MODULE_VADDR + GO_MODULE_TEXT_OFF, ELF64_R_INFO(0, type + 1), 1},
		{MODULE_VADDR + GO_MODULE_TEXT_OFF, ELF64_R_INFO(0, type), module->text},
	};
	uint8_t bytes[MODULE_BYTES] = {0};
	const struct test_section more[] = {
		{".go.module", SHT_PROGBITS, MODULE_VADDR, bytes,
		 module->size ? module->size : MODULE_BYTES},
		{".rela.dyn", SHT_RELA, 0, relocations, sizeof(relocations)},
	};

	if (!module->is_relocated) {
		memcpy(bytes + GO_MODULE_FIRST_OFF, &module->first, sizeof(module->first));
		memcpy(bytes + GO_MODULE_TEXT_OFF, &module->text, sizeof(module->text));
	}
	return make_elf(&(struct test_elf){.name = ".gopclntab",
					   .more = more,
					   .nr_more = module->is_relocated ? 2 : 1},
			table, len);
}

#endif
