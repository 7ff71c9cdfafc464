// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/bare_vdso.h"

#include <string.h>

#include "common/cleanup.h"
#include "elf/arch.h"

/* Largest section of a vdso, and its longest function. */
#define SECTION_BYTES_MAX  65536
#define FUNCTION_BYTES_MAX 8192

/* The code to which handlers return, in the vdso of arm64 (arch/arm64/kernel/vdso/vdso.lds.S). */
static const char handler_return[] = "__kernel_rt_sigreturn";

/* What @symbol, whose name is @name, is. Returns false if it is none of these functions. */
static bool look_at_function(const struct elf_image *file, const struct elf_arch *arch,
			     const Elf64_Sym *symbol, const char *name,
			     struct bare_function *function)
{
	uint8_t code[FUNCTION_BYTES_MAX];
	uint64_t off;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || !symbol->st_size ||
	    symbol->st_size > sizeof(code) ||
	    !elf_image_find_offset(file, symbol->st_value, PF_X, &off) ||
	    elf_image_read(file, off, code, symbol->st_size))
		return false;
	*function = (struct bare_function){.start = symbol->st_value,
					   .end = symbol->st_value + symbol->st_size};
	if (strcmp(name, handler_return) != 0)
		return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		       arch->is_bare(code, symbol->st_size);
	function->start--;
	function->is_handler_return = 1;
	return true;
}

int bare_vdso_find(const struct elf_image *file,
		   struct bare_function found[static BARE_FUNCTIONS_MAX], size_t *nr)
{
	const struct elf_arch *arch = elf_arch_find(file->header.e_machine);
	const Elf64_Shdr *sh = elf_image_find_section(file, ".dynsym");
	const Elf64_Shdr *strings = elf_image_find_section(file, ".dynstr");
	_cleanup_free_ char *names = NULL;
	_cleanup_free_ uint8_t *symbols = NULL;
	Elf64_Sym symbol;
	int ret;

	*nr = 0;
	if (!arch || !arch->is_bare || !sh || !strings || sh->sh_size > SECTION_BYTES_MAX ||
	    strings->sh_size > SECTION_BYTES_MAX)
		return 0;
	ret = elf_image_read_section(file, strings, &names);
	/* All other files end here. */
	if (ret || !memmem(names, strings->sh_size, handler_return, sizeof(handler_return)))
		return ret;
	ret = elf_image_read_section(file, sh, &symbols);
	for (size_t i = 0; !ret && *nr < BARE_FUNCTIONS_MAX && i < sh->sh_size / sizeof(symbol);
	     i++) {
		memcpy(&symbol, symbols + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_name < strings->sh_size &&
		    look_at_function(file, arch, &symbol, names + symbol.st_name, &found[*nr]))
			++*nr;
	}
	return ret;
}
