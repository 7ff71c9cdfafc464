// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/exported_variable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/proc/proc_maps.h"
#include "record/proc/proc_path.h"
#include "record/host/host_abi.h"

/*
 * Limits for what a process chooses at will: its mappings, and in each of its files program
 * headers, dynamic entries, names of one hash, and relocations. No real file comes near them.
 */
#define LINES_MAX       65536
#define HEADERS_MAX     64
#define DYNAMIC_MAX     128
#define CHAIN_MAX       4096
#define RELOCATIONS_MAX (1u << 18)
#define VARIABLES_BYTES (1 << 22) /* of one thread; the loader's pointers are higher */
#define BLOCKS_MAX      4096      /* as MAX_BLOCKS of bpf/languages/interpreters.h */

/* From the address of a block to that of the next one, in glibc and in musl. */
#define GLIBC_BLOCK_BYTES 16
#define MUSL_BLOCK_BYTES  8

/* A file that is mapped, as its headers in memory describe it. */
struct elf_image {
	struct resident_memory *memory;
	uint64_t bias;
	bool is_executable;
	Elf64_Phdr variables; /* PT_TLS */
	uint64_t dynamic;     /* address; 0: there is none */
	uint64_t nr_dynamic;
	/* Of the dynamic section; addresses. */
	uint64_t symbols, strings, hash;
	uint64_t relocations[2], nr_relocations[2];
};

static int read_at(struct resident_memory *memory, uint64_t addr, void *to, size_t len)
{
	return resident_memory_read(memory, addr, to, len) == (long)len ? 0 : -EFAULT;
}

/* An address in the dynamic section: glibc relocates these in place, and musl does not. */
static uint64_t dynamic_address(const struct elf_image *image, uint64_t value)
{
	return value < image->bias ? value + image->bias : value;
}

static void take_dynamic(struct elf_image *image, const Elf64_Dyn *entry)
{
	const uint64_t addr = dynamic_address(image, entry->d_un.d_ptr), nr = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		image->symbols = addr;
		break;
	case DT_STRTAB:
		image->strings = addr;
		break;
	case DT_GNU_HASH:
		image->hash = addr;
		break;
	case DT_RELA:
		image->relocations[0] = addr;
		break;
	case DT_RELASZ:
		image->nr_relocations[0] = nr / sizeof(Elf64_Rela);
		break;
	case DT_JMPREL:
		image->relocations[1] = addr;
		break;
	case DT_PLTRELSZ:
		image->nr_relocations[1] = nr / sizeof(Elf64_Rela);
		break;
	}
}

static int read_dynamic(struct elf_image *image)
{
	Elf64_Dyn entries[DYNAMIC_MAX];
	size_t nr = min_u64(image->nr_dynamic, DYNAMIC_MAX);
	int ret = read_at(image->memory, image->dynamic, entries, nr * sizeof(*entries));

	for (size_t i = 0; i < nr && !ret && entries[i].d_tag != DT_NULL; i++)
		take_dynamic(image, &entries[i]);
	return !ret && (!image->symbols || !image->strings || !image->hash) ? -ENOENT : ret;
}

/* Reads the headers of the file whose beginning is at @base. @phdr: those of the executable. */
static int read_image(struct elf_image *image, uint64_t base, uint64_t phdr)
{
	Elf64_Ehdr header;
	Elf64_Phdr headers[HEADERS_MAX];
	uint64_t first = UINT64_MAX, dynamic = 0;
	int ret = read_at(image->memory, base, &header, sizeof(header));

	if (ret || memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_machine != HOST_MACHINE ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(*headers) ||
	    header.e_phnum > HEADERS_MAX)
		return -ENOENT;
	ret = read_at(image->memory, base + header.e_phoff, headers,
		      header.e_phnum * sizeof(*headers));
	for (size_t i = 0; i < header.e_phnum && !ret; i++) {
		if (headers[i].p_type == PT_LOAD && !headers[i].p_offset)
			first = headers[i].p_vaddr;
		if (headers[i].p_type == PT_TLS)
			image->variables = headers[i];
		if (headers[i].p_type == PT_DYNAMIC) {
			dynamic = headers[i].p_vaddr;
			image->nr_dynamic = headers[i].p_memsz / sizeof(Elf64_Dyn);
		}
	}
	if (ret || first == UINT64_MAX || !image->variables.p_memsz || !dynamic)
		return -ENOENT;
	image->bias = base - first;
	image->dynamic = image->bias + dynamic;
	image->is_executable = base + header.e_phoff == phdr;
	return read_dynamic(image);
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* Is symbol @nr the variable @name? */
static bool is_variable(const struct elf_image *image, uint32_t nr, const char *name,
			Elf64_Sym *symbol)
{
	char found[64];
	size_t len = strlen(name) + 1;

	return len <= sizeof(found) &&
	       !read_at(image->memory, image->symbols + nr * sizeof(*symbol), symbol,
			sizeof(*symbol)) &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_TLS && symbol->st_shndx != SHN_UNDEF &&
	       !read_at(image->memory, image->strings + symbol->st_name, found, len) &&
	       !memcmp(found, name, len);
}

/* Finds the symbol of the variable @name by DT_GNU_HASH. */
static int find_symbol(const struct elf_image *image, const char *name, uint32_t *nr,
		       Elf64_Sym *symbol)
{
	struct {
		uint32_t nr_buckets, first_symbol, nr_words, shift;
	} table;
	const uint32_t hash = hash_name(name);
	uint64_t buckets, chains;
	uint32_t value = 0;

	if (read_at(image->memory, image->hash, &table, sizeof(table)) || !table.nr_buckets)
		return -ENOENT;
	buckets = image->hash + sizeof(table) + table.nr_words * sizeof(uint64_t);
	chains = buckets + table.nr_buckets * sizeof(uint32_t);
	if (read_at(image->memory, buckets + hash % table.nr_buckets * sizeof(uint32_t), nr,
		    sizeof(*nr)) ||
	    *nr < table.first_symbol)
		return -ENOENT;
	for (uint32_t i = 0; i < CHAIN_MAX && !(value & 1); i++, ++*nr) {
		if (read_at(image->memory, chains + (*nr - table.first_symbol) * sizeof(uint32_t),
			    &value, sizeof(value)))
			return -ENOENT;
		if ((value | 1) == (hash | 1) && is_variable(image, *nr, name, symbol))
			return 0;
	}
	return -ENOENT;
}

/* Takes @offset if variables that are there from the start can have it. */
static int take_static(int64_t offset, struct exported_variable *variable)
{
	const int64_t distance = HOST_TLS_ABOVE ? offset : -offset;

	if (distance <= 0 || distance > VARIABLES_BYTES)
		return -EAGAIN;
	*variable = (struct exported_variable){.offset = offset};
	return 0;
}

static int take_block(uint64_t block, uint64_t offset, struct exported_variable *variable)
{
	if (!block || block > BLOCKS_MAX || offset > VARIABLES_BYTES)
		return -EAGAIN;
	*variable = (struct exported_variable){.offset = offset, .block = block};
	return 0;
}

/*
 * Takes the place from where the loader has put it for relocation @r. The words are, for
 * HOST_TLSDESC, a function and its argument: an offset, or a pointer to block and offset.
 */
static int take_relocation(const struct elf_image *image, const Elf64_Rela *r, uint64_t value,
			   struct exported_variable *variable)
{
	uint64_t words[2], place[2];

	if (read_at(image->memory, image->bias + r->r_offset, words, sizeof(words)))
		return -EAGAIN;
	switch (ELF64_R_TYPE(r->r_info)) {
	case HOST_TPOFF:
		return take_static(words[0], variable);
	case HOST_DTPMOD:
		return take_block(words[0], value, variable);
	default:
		if (!take_static(words[1], variable))
			return 0;
		return read_at(image->memory, words[1], place, sizeof(place))
			       ? -EAGAIN
			       : take_block(place[0], place[1], variable);
	}
}

/* Does @r have the place of the variable, symbol @nr with @value? */
static bool is_of_variable(const Elf64_Rela *r, uint32_t nr, uint64_t value)
{
	uint64_t symbol = ELF64_R_SYM(r->r_info);

	switch (ELF64_R_TYPE(r->r_info)) {
	case HOST_TPOFF:
	case HOST_TLSDESC:
		return symbol ? symbol == nr && !r->r_addend : (uint64_t)r->r_addend == value;
	case HOST_DTPMOD:
		return !symbol || symbol == nr;
	default:
		return false;
	}
}

static int search_relocations(const struct elf_image *image, size_t table, uint32_t nr,
			      uint64_t value, struct exported_variable *variable)
{
	const uint64_t end = min_u64(image->nr_relocations[table], RELOCATIONS_MAX);
	Elf64_Rela part[256];

	for (uint64_t at = 0; at < end; at += ARRAY_SIZE(part)) {
		size_t n = min_u64(end - at, ARRAY_SIZE(part));

		if (read_at(image->memory, image->relocations[table] + at * sizeof(*part), part,
			    n * sizeof(*part)))
			return -EAGAIN;
		for (size_t i = 0; i < n; i++)
			if (is_of_variable(&part[i], nr, value) &&
			    !take_relocation(image, &part[i], value, variable))
				return 0;
	}
	return -EAGAIN;
}

/*
 * The block of an executable ends at the thread pointer, or begins behind the two words there. It
 * is aligned as in the file (variants 2 and 1 of "ELF Handling For Thread-Local Storage").
 */
static int64_t executable_offset(const Elf64_Phdr *variables, uint64_t value)
{
	uint64_t mask = variables->p_align ? variables->p_align - 1 : 0;
	uint64_t size = variables->p_memsz;

	if (HOST_TLS_ABOVE)
		return (int64_t)(value + HOST_TLS_ABOVE +
				 ((variables->p_vaddr - HOST_TLS_ABOVE) & mask));
	return (int64_t)(value - size - ((-variables->p_vaddr - size) & mask));
}

static int find_in_image(const struct elf_image *image, const char *name,
			 struct exported_variable *variable)
{
	Elf64_Sym symbol;
	uint32_t nr;
	int ret = find_symbol(image, name, &nr, &symbol);

	if (ret)
		return ret;
	if (image->is_executable)
		return take_static(executable_offset(&image->variables, symbol.st_value), variable);
	ret = search_relocations(image, 0, nr, symbol.st_value, variable);
	return ret ? search_relocations(image, 1, nr, symbol.st_value, variable) : ret;
}

uint64_t executable_headers(uint32_t pid)
{
	_cleanup_close_ int fd = -1;
	Elf64_auxv_t auxv[64];
	char path[PROC_PATH_SIZE];
	ssize_t got;

	proc_path(pid, "auxv", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, auxv, sizeof(auxv));
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*auxv); i++)
		if (auxv[i].a_type == AT_PHDR)
			return auxv[i].a_un.a_val;
	return 0;
}

struct variable_search {
	struct resident_memory *memory;
	const char *name;
	struct exported_variable *variable;
	uint64_t phdr;
	size_t nr_lines;
	bool has_musl;
	int found; /* 0, -EAGAIN or -ENOENT */
};

/* A proc_map_fn. */
static int look_at_map(void *ctx, const struct proc_map *map)
{
	struct variable_search *s = ctx;
	struct elf_image image = {.memory = s->memory};
	const char *base = strrchr(map->path, '/');

	if (++s->nr_lines > LINES_MAX)
		return -EALREADY;
	if (!base || map->pgoff || !map->readable)
		return 0;
	s->has_musl |= !strncmp(base, "/ld-musl-", strlen("/ld-musl-"));
	if (s->found && !read_image(&image, map->start, s->phdr)) {
		int ret = find_in_image(&image, s->name, s->variable);

		if (ret != -ENOENT)
			s->found = ret;
	}
	return 0;
}

int exported_variable_find(struct resident_memory *memory, const char *name,
			   struct exported_variable *variable)
{
	struct variable_search search = {.memory = memory,
					 .name = name,
					 .variable = variable,
					 .phdr = executable_headers(memory->pid),
					 .found = -ENOENT};
	_cleanup_close_ int fd = -1;
	char_vec scratch = {0};
	char path[PROC_PATH_SIZE];
	int ret;

	proc_path(memory->pid, "maps", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = proc_maps_read(fd, &scratch, look_at_map, &search);
	vec_free(&scratch);
	variable->block_bytes = search.has_musl ? MUSL_BLOCK_BYTES : GLIBC_BLOCK_BYTES;
	return ret == -ENOMEM ? ret : search.found;
}
