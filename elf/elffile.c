// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From file offset to address. A recording has file offsets; symbol tables have linked addresses.
 * The program headers translate, each PT_LOAD by a distance of its own: lld and mold place segments
 * so that the distances differ.
 *
 * A file of debug information alone has the program headers of its binary, but their p_offset and
 * p_filesz cannot be trusted. objcopy --only-keep-debug lays the file out anew and rewrites them;
 * eu-strip keeps them. p_vaddr and p_memsz are the binary's. The kernel maps a segment from the
 * page with its first byte. So the mapping's file offset stands for p_vaddr rounded down to a page.
 *
 * The recording has mappings of code, so the segment is an executable one. If the file has several,
 * the right one has as many pages as the mapping, and no other segment may have as many. If the
 * file has a single one, the mapping must hold all of it. It may be longer, because glibc maps the
 * length of all segments first, and puts data over the rest. In all other cases the address stays
 * unknown.
 */
#include "elf/elffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/minmax.h"
#include "elf/elf_sections.h"

/*
 * Linkers make far fewer; the rest is ignored. Each address is looked for in all segments, so a
 * file of many must not make that slow.
 */
#define SEGMENTS_MAX 1024
#define SECTIONS_MAX (1u << 20)

/* Larger symbol and string tables are not read. Browsers with debug information have 300 MB. */
#define SECTION_BYTES_MAX (1ull << 30)

/*
 * Notes that libelf ran out of memory. libelf has an error number for that and does not make it
 * public. Only malloc's errno tells; callers set errno to 0 first.
 */
static bool note_no_memory(struct elf_file *file)
{
	file->out_of_memory |= errno == ENOMEM;
	return file->out_of_memory;
}

static int add_segment(struct elf_file *file, size_t i)
{
	GElf_Phdr phdr;

	if (!gelf_getphdr(file->elf, i, &phdr))
		return -ENOEXEC;
	if (phdr.p_type != PT_LOAD)
		return 0;
	return vec_push(&file->segments, ((struct elf_segment){.off = phdr.p_offset,
							       .file_size = phdr.p_filesz,
							       .vaddr = phdr.p_vaddr,
							       .mem_size = phdr.p_memsz,
							       .is_exec = phdr.p_flags & PF_X}));
}

static struct elf_section new_section(const GElf_Shdr *shdr)
{
	return (struct elf_section){.vaddr = shdr->sh_addr,
				    .off = shdr->sh_offset,
				    .size = shdr->sh_size,
				    .entry_size = shdr->sh_entsize,
				    .type = shdr->sh_type,
				    .link = shdr->sh_link,
				    .is_exec = shdr->sh_flags & SHF_EXECINSTR};
}

static int add_section(struct elf_file *file, size_t i)
{
	Elf_Scn *scn = elf_getscn(file->elf, i);
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return -ENOEXEC;
	return vec_push(&file->sections, new_section(&shdr));
}

/* Has the file a table with the names of its sections? */
static bool has_section_names(const struct elf_file *file)
{
	size_t names;

	return !elf_getshdrstrndx(file->elf, &names) && names && names < file->sections.nr;
}

/*
 * Adds the sections that a file without usable headers of them has nevertheless. Only files of a
 * known architecture have any. To make them may take reading the file.
 */
static int make_sections(struct elf_file *file)
{
	size_t first = file->sections.nr;
	int ret;

	if (has_section_names(file) || !file->arch || !file->segments.nr ||
	    !file_budget_charge(file->budget, file->bytes_left))
		return 0;
	ret = elf_sections_open(file->fd, &file->image);
	if (ret || !file->image.has_made_sections)
		return ret == -ENOMEM ? ret : 0;
	for (size_t i = file->image.first_made; i < file->image.nr_sections && !ret; i++) {
		const Elf64_Shdr *shdr = &file->image.sections[i];
		struct elf_section section = new_section(shdr);

		section.made_name = elf_image_section_name(&file->image, shdr);
		section.link += first - file->image.first_made;
		ret = vec_push(&file->sections, section);
	}
	return ret;
}

/* Adds the headers that @count counts, @max at most. */
static int read_headers(struct elf_file *file, int (*count)(Elf *elf, size_t *nr), size_t max,
			int (*add)(struct elf_file *file, size_t i))
{
	size_t nr;
	int ret = count(file->elf, &nr) ? -ENOEXEC : 0;

	for (size_t i = 0; !ret && i < nr && i < max; i++)
		ret = add(file, i);
	return ret;
}

/* Returns -ENOEXEC for a file that is not little-endian. */
static int read_kind(struct elf_file *file)
{
	GElf_Ehdr eh;

	if (elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &eh) ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	file->is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	file->arch = file->is_64 ? elf_arch_find(eh.e_machine) : NULL;
	return 0;
}

bool file_budget_charge(struct file_budget *budget, uint64_t bytes)
{
	if (!budget)
		return true;
	if (bytes > budget->bytes_left) {
		budget->is_spent = true;
		return false;
	}
	budget->bytes_left -= bytes;
	return true;
}

int elf_file_open(struct elf_file *file, int fd, struct file_budget *budget)
{
	struct stat st;
	int ret = -ENOEXEC;

	*file = (struct elf_file){.fd = fd, .budget = budget};
	if (!fstat(fd, &st))
		file->bytes_left = st.st_size;
	elf_version(EV_CURRENT);
	errno = 0;
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (file->elf)
		ret = read_kind(file);
	if (!ret)
		ret = read_headers(file, elf_getphdrnum, SEGMENTS_MAX, add_segment);
	if (!ret)
		ret = read_headers(file, elf_getshdrnum, SECTIONS_MAX, add_section);
	if (!ret)
		ret = make_sections(file);
	if (ret && note_no_memory(file))
		ret = -ENOMEM;
	if (ret)
		elf_file_close(file);
	return ret;
}

void elf_file_map_sections(struct elf_file *file)
{
	file->maps_sections = true;
}

void elf_file_close(struct elf_file *file)
{
	vec_for_each(&file->sections, section) {
		mapped_bytes_release(&section->map);
		free(section->bytes);
	}
	elf_image_close(&file->image);
	vec_free(&file->segments);
	vec_free(&file->sections);
	elf_end(file->elf);
	file->elf = NULL;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

bool elf_file_is_debug_only(const struct elf_file *file)
{
	bool has_code = false;

	vec_for_each(&file->sections, s) {
		if (!s->is_exec)
			continue;
		if (s->type != SHT_NOBITS)
			return false;
		has_code = true;
	}
	return has_code;
}

/*
 * Charges the section. Returns false if it must not be read: many sections over one stretch of a
 * file would take any amount of memory.
 */
static bool charge_section(struct elf_file *file, struct elf_section *section)
{
	if (section->is_read)
		return true;
	if (section->size > SECTION_BYTES_MAX ||
	    (!section->made_name && section->size > file->bytes_left) ||
	    !file_budget_charge(file->budget, section->size)) {
		file->is_too_large = true;
		return false;
	}
	/* Those that are made are few, and may overlap. */
	if (!section->made_name)
		file->bytes_left -= section->size;
	section->is_read = true;
	return true;
}

static struct elf_bytes read_section(struct elf_file *file, size_t index)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	Elf_Data *data;

	errno = 0;
	data = scn ? elf_rawdata(scn, NULL) : NULL;
	if (data && data->d_buf)
		return (struct elf_bytes){data->d_buf, data->d_size};
	note_no_memory(file);
	return (struct elf_bytes){0};
}

static struct elf_bytes read_made_section(struct elf_file *file, struct elf_section *section)
{
	const Elf64_Shdr shdr = {.sh_offset = section->off, .sh_size = section->size};

	if (!section->bytes &&
	    elf_image_read_section(&file->image, &shdr, &section->bytes) == -ENOMEM)
		file->out_of_memory = true;
	return (struct elf_bytes){section->bytes, section->bytes ? section->size : 0};
}

static struct elf_bytes map_section(struct elf_file *file, struct elf_section *section)
{
	if (!section->map.map &&
	    mapped_bytes_get(file->fd, section->off, section->size, &section->map) == -ENOMEM)
		file->out_of_memory = true;
	return (struct elf_bytes){section->map.data, section->map.size};
}

struct elf_bytes elf_file_section_bytes(struct elf_file *file, size_t index)
{
	struct elf_section *section;

	if (!index || index >= file->sections.nr || file->sections.data[index].type == SHT_NOBITS ||
	    !charge_section(file, &file->sections.data[index]))
		return (struct elf_bytes){0};
	section = &file->sections.data[index];
	if (file->maps_sections)
		return map_section(file, section);
	return section->made_name ? read_made_section(file, section) : read_section(file, index);
}

struct elf_bytes elf_file_symbol_indices(struct elf_file *file, size_t table)
{
	for (size_t i = 1; i < file->sections.nr; i++)
		if (file->sections.data[i].type == SHT_SYMTAB_SHNDX &&
		    file->sections.data[i].link == table)
			return elf_file_section_bytes(file, i);
	return (struct elf_bytes){0};
}

/*
 * Returns true if the section has this name. elf_strptr would look for the end of each name. In a
 * table without ends that takes time by the square of its size.
 */
static bool section_is_called(struct elf_file *file, size_t index, const char *name)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	size_t names, size = strlen(name) + 1;
	struct elf_bytes bytes;
	GElf_Shdr shdr;

	if (file->sections.data[index].made_name)
		return !strcmp(file->sections.data[index].made_name, name);
	if (!scn || !gelf_getshdr(scn, &shdr) || elf_getshdrstrndx(file->elf, &names))
		return false;
	bytes = elf_file_section_bytes(file, names);
	return bytes.data && size <= bytes.size && shdr.sh_name <= bytes.size - size &&
	       !memcmp(bytes.data + shdr.sh_name, name, size);
}

bool elf_file_section_name(struct elf_file *file, size_t index, char *name, size_t size)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	struct elf_bytes bytes;
	const char *start;
	size_t names, len;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || elf_getshdrstrndx(file->elf, &names))
		return false;
	bytes = elf_file_section_bytes(file, names);
	if (!bytes.data || shdr.sh_name >= bytes.size)
		return false;
	start = (const char *)bytes.data + shdr.sh_name;
	len = strnlen(start, min_u64(size, bytes.size - shdr.sh_name));
	if (!len || len == size || len == bytes.size - shdr.sh_name)
		return false;
	memcpy(name, start, len);
	name[len] = 0;
	return true;
}

size_t elf_file_find_section(struct elf_file *file, const char *name)
{
	for (size_t i = 1; i < file->sections.nr; i++)
		if (file->sections.data[i].type != SHT_NULL &&
		    file->sections.data[i].type != SHT_NOBITS && section_is_called(file, i, name))
			return i;
	return 0;
}

enum elf_quality elf_file_quality(struct elf_file *file)
{
	enum elf_quality quality = ELF_NO_NAMES;

	vec_for_each(&file->sections, s) {
		if (s->type == SHT_SYMTAB && s->size)
			return ELF_SYMTAB;
		if (s->type == SHT_DYNSYM && s->size)
			quality = ELF_DYNSYM;
	}
	return elf_file_find_section(file, ".gnu_debugdata") ? ELF_MINIDEBUG : quality;
}

bool elf_file_has_lines(struct elf_file *file)
{
	return elf_file_find_section(file, ".debug_info") ||
	       elf_file_find_section(file, ".zdebug_info");
}

bool elf_file_debuglink(struct elf_file *file, struct elf_debuglink *link)
{
	size_t index = elf_file_find_section(file, ".gnu_debuglink"), len, crc_off;
	struct elf_bytes bytes = elf_file_section_bytes(file, index);

	if (!bytes.data)
		return false;
	len = strnlen((const char *)bytes.data, min_u64(bytes.size, sizeof(link->name)));
	crc_off = (len + 4) & ~(size_t)3; /* after the NUL and padding to 4 bytes */
	if (!len || len == sizeof(link->name) || crc_off > bytes.size ||
	    bytes.size - crc_off < sizeof(link->crc))
		return false;
	memcpy(link->name, bytes.data, len);
	link->name[len] = 0;
	memcpy(&link->crc, bytes.data + crc_off, sizeof(link->crc));
	return !strchr(link->name, '/') && strcmp(link->name, ".") != 0 &&
	       strcmp(link->name, "..") != 0;
}

bool elf_file_vaddr(const struct elf_file *file, uint64_t off, uint64_t *vaddr)
{
	const struct elf_segment *best = NULL;

	/* Two segments may share a page of the file. Samples come from the segment with code. */
	vec_for_each(&file->segments, s) {
		if (off < s->off || off - s->off >= s->file_size)
			continue;
		if (!best || (s->is_exec && !best->is_exec))
			best = s;
	}
	if (best)
		*vaddr = off - best->off + best->vaddr;
	return best;
}

/* Returns the bytes of the pages that hold the segment. */
static uint64_t paged_size(const struct elf_segment *s)
{
	uint64_t first = s->vaddr % ELF_PAGE_BYTES;

	return (first + s->mem_size + ELF_PAGE_BYTES - 1) & ~(ELF_PAGE_BYTES - 1);
}

bool elf_file_vaddr_mapped(const struct elf_file *file, uint64_t off, uint64_t pgoff, uint64_t size,
			   uint64_t *vaddr)
{
	const struct elf_segment *code = NULL, *exact = NULL;
	unsigned int nr_code = 0, nr_exact = 0;

	vec_for_each(&file->segments, s) {
		if (!s->is_exec)
			continue;
		nr_code++;
		code = s;
		if (paged_size(s) == size) {
			nr_exact++;
			exact = s;
		}
	}
	if (nr_code == 1 && paged_size(code) <= size)
		exact = code;
	else if (nr_exact != 1)
		return false;
	if (off < pgoff || off - pgoff >= paged_size(exact))
		return false;
	*vaddr = off - pgoff + (exact->vaddr & ~(ELF_PAGE_BYTES - 1));
	return true;
}
