// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/vdso.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "common/compare.h"
#include "common/readfile.h"
#include "common/search.h"
#include "record/proc/proc_maps.h"

/* The kernel's images are two or three pages. */
#define IMAGE_MAX (1u << 20)
#define MAPS_MAX  (8u << 20)

/* Below it are the mappings of 32-bit processes. */
#define LIMIT_32BIT (UINT64_C(1) << 32)

struct image {
	const uint8_t *bytes;
	size_t size;
};

/* Copies @len bytes at @off; false when they are not all there. */
static bool copy_bytes(const struct image *image, uint64_t off, void *buf, size_t len)
{
	if (off > image->size || len > image->size - off)
		return false;
	memcpy(buf, image->bytes + off, len);
	return true;
}

static bool copy_section_header(const struct image *image, const Elf64_Ehdr *eh, size_t i,
				Elf64_Shdr *sh)
{
	return eh->e_shentsize == sizeof(*sh) && i < eh->e_shnum &&
	       copy_bytes(image, eh->e_shoff + i * sizeof(*sh), sh, sizeof(*sh));
}

/* Finds the bytes of a section. Returns false when they are not in the image. */
static bool section_bytes(const struct image *image, const Elf64_Shdr *sh, struct image *bytes)
{
	if (sh->sh_offset > image->size || sh->sh_size > image->size - sh->sh_offset)
		return false;
	*bytes = (struct image){image->bytes + sh->sh_offset, sh->sh_size};
	return true;
}

static int add_symbol(struct vdso *vdso, const Elf64_Sym *sym, size_t names_size)
{
	struct vdso_symbol symbol = {
		.off = sym->st_value,
		.size = sym->st_size,
		.is_weak = ELF64_ST_BIND(sym->st_info) == STB_WEAK,
	};
	uint8_t type = ELF64_ST_TYPE(sym->st_info);

	/* The code to which handlers return has no type on arm64. */
	if ((type != STT_FUNC && type != STT_NOTYPE) || sym->st_shndx == SHN_UNDEF ||
	    sym->st_name >= names_size || symbol.off >= vdso->size ||
	    symbol.size > vdso->size - symbol.off)
		return 0;
	symbol.name = vdso->names + sym->st_name;
	return symbol.name[0] && symbol.size ? vec_push(&vdso->symbols, symbol) : 0;
}

static int read_symbols(struct vdso *vdso, const struct image *syms, const struct image *names)
{
	int ret = 0;

	vdso->names = malloc(names->size + 1);
	if (!vdso->names)
		return -ENOMEM;
	memcpy(vdso->names, names->bytes, names->size);
	vdso->names[names->size] = '\0';
	for (size_t off = 0; !ret; off += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;

		if (!copy_bytes(syms, off, &sym, sizeof(sym)))
			break;
		ret = add_symbol(vdso, &sym, names->size);
	}
	return ret;
}

/* Names of one address: the global name is the kernel's, the weak name the C library's. */
static int compare_symbols(const void *pa, const void *pb)
{
	const struct vdso_symbol *a = pa, *b = pb;

	COMPARE(a->off, b->off);
	COMPARE(a->is_weak, b->is_weak);
	return strcmp(a->name, b->name);
}

static void sort_symbols(struct vdso *vdso)
{
	size_t nr = 0;

	if (!vdso->symbols.nr)
		return;
	qsort(vdso->symbols.data, vdso->symbols.nr, sizeof(*vdso->symbols.data), compare_symbols);
	vec_for_each(&vdso->symbols, symbol)
		if (!nr || vdso->symbols.data[nr - 1].off != symbol->off)
			vdso->symbols.data[nr++] = *symbol;
	vdso->symbols.nr = nr;
}

static bool is_elf64(const Elf64_Ehdr *eh)
{
	return !memcmp(eh->e_ident, ELFMAG, SELFMAG) && eh->e_ident[EI_CLASS] == ELFCLASS64 &&
	       eh->e_ident[EI_DATA] ==
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

int vdso_read(struct vdso *vdso, const void *bytes, size_t size)
{
	struct image image = {bytes, size}, part, names;
	Elf64_Shdr sh, link;
	Elf64_Ehdr eh;
	int ret = 0;

	*vdso = (struct vdso){.size = size};
	if (!copy_bytes(&image, 0, &eh, sizeof(eh)) || !is_elf64(&eh))
		return -ENOEXEC;
	for (size_t i = 0; !ret && copy_section_header(&image, &eh, i, &sh); i++) {
		if (!section_bytes(&image, &sh, &part))
			continue;
		if (sh.sh_type == SHT_NOTE && build_id_is_none(&vdso->build_id))
			build_id_from_notes(part.bytes, part.size, &vdso->build_id);
		if (sh.sh_type == SHT_DYNSYM && !vdso->names &&
		    copy_section_header(&image, &eh, sh.sh_link, &link) &&
		    section_bytes(&image, &link, &names))
			ret = read_symbols(vdso, &part, &names);
	}
	sort_symbols(vdso);
	return ret;
}

/* Bytes from @start to the end of its mapping in this process, 0 when it has none. */
static size_t mapped_size(uint64_t start)
{
	char_vec text = {0};
	struct proc_map map;
	size_t size = 0;

	if (read_file("/proc/self/maps", MAPS_MAX, &text))
		text.nr = 0;
	for (char *line = text.nr ? text.data : NULL; line && *line && !size;) {
		line = proc_map_parse(line, &map);
		if (line && map.start == start)
			size = map.end - map.start;
	}
	vec_free(&text);
	return size;
}

int vdso_load(struct vdso *vdso)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? mapped_size(start) : 0;
	int ret;

	*vdso = (struct vdso){0};
	if (!size || size > IMAGE_MAX)
		return 0;
	ret = vdso_read(vdso, (const void *)(uintptr_t)start, size);
	return ret == -ENOMEM ? ret : 0;
}

bool vdso_is_same(const struct vdso *vdso, uint64_t start, uint64_t end)
{
	return vdso->size && end - start == vdso->size && start >= LIMIT_32BIT;
}

const struct vdso_symbol *vdso_lookup(const struct vdso *vdso, uint64_t off)
{
	for (size_t i = search_first(vdso->symbols.nr, n, vdso->symbols.data[n].off > off);
	     i-- > 0;) {
		const struct vdso_symbol *symbol = &vdso->symbols.data[i];

		if (off - symbol->off < symbol->size)
			return symbol;
	}
	return NULL;
}

void vdso_deinit(struct vdso *vdso)
{
	vec_free(&vdso->symbols);
	free(vdso->names);
	*vdso = (struct vdso){0};
}
