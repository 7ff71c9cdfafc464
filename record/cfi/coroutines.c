// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/coroutines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* Browsers have 20 MB of names. */
#define SECTION_BYTES_MAX (128u << 20)

/* Longest code of make_fcontext. */
#define FCONTEXT_BYTES 256

/*
 * A greenlet runs this function first, and it never returns. The mangled arguments differ between
 * releases. The frames above it are those of the code that has started the greenlet, and others by
 * the time that it goes on.
 */
static const char greenlet[] = "_ZN8greenlet12UserGreenlet15inner_bootstrapE";

/*
 * Makes the stack of a coroutine of Boost.Context. Its code ends with that where the stack begins.
 */
static const char fcontext[] = "make_fcontext";

/* Finds the part of make_fcontext where the coroutine begins. Short ones leave the stack alone
 * before it. */
static void find_fcontext_begin(const struct elf_image *file, struct coroutine_begin *begin)
{
	uint8_t code[FCONTEXT_BYTES];
	uint64_t off, size = begin->end - begin->start, before = 0;
	bool is_leaf = false;

	if (size > sizeof(code) || !elf_image_find_offset(file, begin->start, PF_X, &off) ||
	    elf_image_read(file, off, code, size) ||
	    !fcontext_find_begin(code, size, &before, &is_leaf)) {
		*begin = (struct coroutine_begin){0};
		return;
	}
	begin->leaf = is_leaf ? begin->start : begin->start + before;
	begin->start += before;
}

static bool has_name(const char *names, const Elf64_Shdr *strings, const Elf64_Sym *symbol,
		     const char *name, size_t len)
{
	return symbol->st_name < strings->sh_size && symbol->st_shndx != SHN_UNDEF &&
	       !strncmp(names + symbol->st_name, name, len);
}

static void note_symbol(const char *names, const Elf64_Shdr *strings, const Elf64_Sym *symbol,
			struct coroutine_begin *begins)
{
	const struct coroutine_begin place = {symbol->st_value, symbol->st_value + symbol->st_size,
					      symbol->st_value};

	if (place.end <= place.start)
		return;
	if (has_name(names, strings, symbol, greenlet, sizeof(greenlet) - 1))
		begins[COROUTINE_GREENLET] = place;
	else if (has_name(names, strings, symbol, fcontext, sizeof(fcontext)))
		begins[COROUTINE_FCONTEXT] = place;
}

int coroutines_find(const struct elf_image *file,
		    struct coroutine_begin begins[static NR_COROUTINE_KINDS])
{
	const Elf64_Shdr *sh = elf_image_find_section(file, ".dynsym");
	const Elf64_Shdr *strings = elf_image_find_section(file, ".dynstr");
	_cleanup_free_ char *names = NULL;
	_cleanup_free_ uint8_t *symbols = NULL;
	Elf64_Sym symbol;
	int ret;

	if (!sh || !strings || sh->sh_size > SECTION_BYTES_MAX ||
	    strings->sh_size > SECTION_BYTES_MAX)
		return 0;
	ret = elf_image_read_section(file, strings, &names);
	/* Nearly all files end here. */
	if (ret || (!memmem(names, strings->sh_size, greenlet, sizeof(greenlet) - 1) &&
		    !memmem(names, strings->sh_size, fcontext, sizeof(fcontext))))
		return ret;
	ret = elf_image_read_section(file, sh, &symbols);
	for (size_t i = 0; !ret && i < sh->sh_size / sizeof(symbol); i++) {
		memcpy(&symbol, symbols + i * sizeof(symbol), sizeof(symbol));
		note_symbol(names, strings, &symbol, begins);
	}
	if (!ret && begins[COROUTINE_FCONTEXT].start)
		find_fcontext_begin(file, &begins[COROUTINE_FCONTEXT]);
	return ret;
}
