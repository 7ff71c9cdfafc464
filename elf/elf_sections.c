// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dynamic section has no number of symbols. Its hash table knows: DT_HASH has a chain entry for
 * each symbol, and the longest chain of DT_GNU_HASH ends with the last one.
 *
 * PT_GNU_EH_FRAME leads to .eh_frame. Its size is not told, so its entries are followed to the
 * end mark. Static programs lack that header, and Go's table has none at all. They are looked for
 * in the segments: the table by its magic number, .eh_frame by a first CIE with a function.
 *
 * Formats: ELF gABI, chapters 4 and 5; Linux Standard Base, section 10.6.2;
 * do_lookup_x of glibc.
 */
#include "elf/elf_sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "elf/arch.h"
#include "elf/eh_frame.h"
#include "elf/go_table.h"

/* Programs have some forty; one section for each function of a browser makes a million. */
#define SECTIONS_MAX (1u << 20)

/* The names of a million sections are long where they are those of functions in C++. */
#define NAMES_BYTES_MAX (64u << 20)

/* Files have up to a dozen segments, and some forty entries in the dynamic section. */
#define SEGMENTS_MAX 1024
#define DYNAMIC_MAX  1024

/* Browsers have 20 MB of .eh_frame. */
#define FRAME_BYTES_MAX (128u << 20)

/* .eh_frame is aligned to 8 bytes, its entries to 4 at least. Go's table is aligned to 32. */
#define FRAME_ALIGN 4
#define GO_ALIGN    8

/* Words of a hash table that are read at once. */
#define CHAIN_WORDS 1024

/* The sections that are made, by index. */
enum part {
	PART_NULL,
	PART_DYNSYM,
	PART_DYNSTR,
	PART_RELA_DYN,
	PART_RELA_PLT,
	PART_EH_FRAME_HDR,
	PART_EH_FRAME,
	PART_GOPCLNTAB,
	NR_PARTS,
};

#define NAME_BYTES 16

static const struct {
	char name[NAME_BYTES];
	uint32_t type, link;
	uint64_t entry_bytes;
} parts[NR_PARTS] = {
	[PART_DYNSYM] = {".dynsym", SHT_DYNSYM, PART_DYNSTR, sizeof(Elf64_Sym)},
	[PART_DYNSTR] = {".dynstr", SHT_STRTAB, 0, 0},
	[PART_RELA_DYN] = {".rela.dyn", SHT_RELA, PART_DYNSYM, sizeof(Elf64_Rela)},
	[PART_RELA_PLT] = {".rela.plt", SHT_RELA, PART_DYNSYM, sizeof(Elf64_Rela)},
	[PART_EH_FRAME_HDR] = {".eh_frame_hdr", SHT_PROGBITS, 0, 0},
	[PART_EH_FRAME] = {".eh_frame", SHT_PROGBITS, 0, 0},
	[PART_GOPCLNTAB] = {".gopclntab", SHT_PROGBITS, 0, 0},
};

/* The bytes of a segment, from a linked address that is aligned to 8 bytes. */
struct segment_bytes {
	uint8_t *bytes;
	size_t size;
	uint64_t vaddr, off;
};

static Elf64_Shdr *part_of(const struct elf_image *elf, enum part i)
{
	return &elf->sections[elf->first_made + i];
}

/* Gives section @i the @size bytes at @vaddr, as far as a segment of the file has them. */
static void set_part(struct elf_image *elf, enum part i, uint64_t vaddr, uint64_t size)
{
	uint64_t off;

	if (!vaddr || !size || !elf_image_find_offset(elf, vaddr, 0, &off))
		return;
	*part_of(elf, i) = (Elf64_Shdr){
		.sh_name = i * NAME_BYTES,
		.sh_type = parts[i].type,
		.sh_flags = SHF_ALLOC,
		.sh_addr = vaddr,
		.sh_offset = off,
		.sh_size = min_u64(size, elf->size - off),
		.sh_link = parts[i].link ? elf->first_made + parts[i].link : 0,
		.sh_entsize = parts[i].entry_bytes,
	};
}

/* Reads a 32-bit number of the file; 0 if it ends before. */
static uint32_t read_word(const struct elf_image *elf, uint64_t off)
{
	uint32_t word;

	return elf_image_read(elf, off, &word, sizeof(word)) ? 0 : word;
}

/* Reads words of the file up to @max. Returns how many there are before its end. */
static size_t read_words(const struct elf_image *elf, uint64_t off, uint64_t max,
			 uint32_t words[static CHAIN_WORDS])
{
	uint64_t left = off < elf->size ? (elf->size - off) / sizeof(*words) : 0;
	size_t nr = min_u64(min_u64(left, max), CHAIN_WORDS);

	return elf_image_read(elf, off, words, nr * sizeof(*words)) ? 0 : nr;
}

/* Returns the greatest of the @nr words at @off. */
static uint32_t greatest_word(const struct elf_image *elf, uint64_t off, uint64_t nr)
{
	uint32_t words[CHAIN_WORDS], greatest = 0;
	size_t got;

	for (; nr && (got = read_words(elf, off, nr, words));
	     nr -= got, off += got * sizeof(*words))
		for (size_t i = 0; i < got; i++)
			greatest = max_u64(greatest, words[i]);
	return greatest;
}

/* Returns how many words at @off come before the first one with bit 0, with that one. */
static uint64_t chain_length(const struct elf_image *elf, uint64_t off)
{
	uint32_t words[CHAIN_WORDS];
	uint64_t nr = 0;
	size_t got;

	for (; (got = read_words(elf, off, CHAIN_WORDS, words)); off += got * sizeof(*words))
		for (size_t i = 0; i < got; i++, nr++)
			if (words[i] & 1)
				return nr + 1;
	return nr;
}

/* Returns the number of symbols that the table of DT_GNU_HASH at @off of the file knows. */
static uint64_t gnu_hash_symbols(const struct elf_image *elf, uint64_t off)
{
	uint32_t nr_buckets = read_word(elf, off), first = read_word(elf, off + 4);
	uint64_t buckets = off + 16 + 8ull * read_word(elf, off + 8);
	uint64_t chains = buckets + 4ull * nr_buckets;
	uint32_t last = greatest_word(elf, buckets, nr_buckets);

	if (last < first)
		return first; /* no symbol is defined */
	return last + chain_length(elf, chains + 4ull * (last - first));
}

static uint64_t nr_symbols(const struct elf_image *elf, uint64_t gnu_hash, uint64_t hash)
{
	uint64_t off;

	if (gnu_hash && elf_image_find_offset(elf, gnu_hash, 0, &off))
		return gnu_hash_symbols(elf, off);
	if (hash && elf_image_find_offset(elf, hash, 0, &off))
		return read_word(elf, off + 4); /* nchain */
	return 0;
}

static void make_dynamic(struct elf_image *elf, const Elf64_Phdr *dynamic)
{
	/* By tag. All that matter but one are below DT_NUM. */
	uint64_t values[DT_NUM] = {0}, gnu_hash = 0;

	for (size_t i = 0; i < DYNAMIC_MAX && i < dynamic->p_filesz / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn dyn;

		if (elf_image_read(elf, dynamic->p_offset + i * sizeof(dyn), &dyn, sizeof(dyn)) ||
		    dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_GNU_HASH)
			gnu_hash = dyn.d_un.d_ptr;
		else if (dyn.d_tag > 0 && dyn.d_tag < DT_NUM)
			values[dyn.d_tag] = dyn.d_un.d_val;
	}
	set_part(elf, PART_DYNSYM, values[DT_SYMTAB],
		 nr_symbols(elf, gnu_hash, values[DT_HASH]) * sizeof(Elf64_Sym));
	set_part(elf, PART_DYNSTR, values[DT_STRTAB], values[DT_STRSZ]);
	set_part(elf, PART_RELA_DYN, values[DT_RELA], values[DT_RELASZ]);
	if (values[DT_PLTREL] == DT_RELA)
		set_part(elf, PART_RELA_PLT, values[DT_JMPREL], values[DT_PLTRELSZ]);
}

/*
 * Reads the address of .eh_frame in the header @section, and in *@last that of the last entry that
 * the table of functions leads to. Returns false if the header is malformed.
 */
static bool read_frame_header(const struct eh_section *section, uint64_t *frames, uint64_t *last)
{
	struct cursor b = {section->bytes, section->bytes + section->size, false};
	uint8_t version = dwarf_u8(&b), pointer = dwarf_u8(&b), count = dwarf_u8(&b);
	uint8_t encoding = dwarf_u8(&b);
	uint64_t nr, start, entry;

	*last = 0;
	if (version != 1 || pointer == DW_EH_PE_omit || !eh_pointer(section, &b, pointer, frames))
		return false;
	if (count == DW_EH_PE_omit || encoding == DW_EH_PE_omit || !eh_number(&b, count, &nr))
		return true;
	while (nr-- && eh_pointer(section, &b, encoding, &start) &&
	       eh_pointer(section, &b, encoding, &entry))
		*last = max_u64(*last, entry);
	return true;
}

/* Returns the bytes of @section from its start to the end mark after the entry at @last. */
static size_t frames_size(const struct eh_section *section, uint64_t last)
{
	struct eh_entry entry;
	uint64_t off = 0;

	while (off < section->size && eh_entry_read(section, off, &entry) &&
	       (!entry.is_empty || section->vaddr + off < last))
		off = entry.b.end - section->bytes;
	return off;
}

/* Reads the bytes from @vaddr to the end of its segment, @max at most. */
static int read_from(const struct elf_image *elf, uint64_t vaddr, size_t max, uint8_t **bytes,
		     struct eh_section *section)
{
	Elf64_Shdr sh = {.sh_type = SHT_PROGBITS};
	int ret;

	if (!elf_image_find_offset(elf, vaddr, 0, &sh.sh_offset))
		return -ENOEXEC;
	sh.sh_size = min_u64(max, elf->size - sh.sh_offset);
	ret = elf_image_read_section(elf, &sh, bytes);
	if (!ret)
		*section = (struct eh_section){*bytes, sh.sh_size, vaddr, vaddr, false};
	return ret;
}

/* Makes the sections of the header @ph. Returns 0, -ENOMEM, or another error if it is damaged. */
static int make_frames(struct elf_image *elf, const Elf64_Phdr *ph)
{
	_cleanup_free_ uint8_t *header = NULL, *bytes = NULL;
	struct eh_section section;
	uint64_t frames, last;
	int ret = read_from(elf, ph->p_vaddr, min_u64(ph->p_filesz, FRAME_BYTES_MAX), &header,
			    &section);

	if (!ret && !read_frame_header(&section, &frames, &last))
		ret = -ENOEXEC;
	if (!ret)
		ret = read_from(elf, frames, FRAME_BYTES_MAX, &bytes, &section);
	if (ret)
		return ret;
	set_part(elf, PART_EH_FRAME_HDR, ph->p_vaddr, ph->p_filesz);
	set_part(elf, PART_EH_FRAME, frames, frames_size(&section, last));
	return 0;
}

/* Does .eh_frame begin at @off of @section? There must be a CIE, and then a function of it. */
static bool begins_frames(const struct elf_image *elf, const struct eh_section *section,
			  uint64_t off)
{
	struct eh_entry entry;
	struct cursor program;
	struct eh_cie cie;
	struct eh_fde fde;
	uint64_t code;

	return eh_cie_read(section, off, &cie, &program) && eh_entry_read(section, off, &entry) &&
	       eh_entry_read(section, entry.b.end - section->bytes, &entry) && !entry.is_empty &&
	       !entry.is_cie && entry.cie_off == off && eh_fde_read(section, &cie, &entry, &fde) &&
	       elf_image_find_offset(elf, fde.start, PF_X, &code);
}

/* Looks for .eh_frame in a segment. */
static void search_frames(struct elf_image *elf, const struct segment_bytes *segment)
{
	/* The id of a CIE, its version, and augmentation data. */
	static const uint8_t mark[] = {0, 0, 0, 0, 1, 'z'};
	struct eh_section section = {segment->bytes, segment->size, segment->vaddr, 0, false};

	for (size_t off = 0; off + FRAME_ALIGN + sizeof(mark) < segment->size; off += FRAME_ALIGN) {
		if (memcmp(segment->bytes + off + FRAME_ALIGN, mark, sizeof(mark)) != 0 ||
		    !begins_frames(elf, &section, off))
			continue;
		section.bytes += off;
		section.vaddr += off;
		section.size = min_u64(section.size - off, FRAME_BYTES_MAX);
		set_part(elf, PART_EH_FRAME, section.vaddr, frames_size(&section, 0));
		return;
	}
}

static void search_go_table(struct elf_image *elf, const struct segment_bytes *segment)
{
	const struct elf_arch *arch = elf_arch_find(elf->header.e_machine);
	size_t off = arch ? go_table_find(segment->bytes, segment->size, arch->go_quantum)
			  : segment->size;

	if (off < segment->size)
		set_part(elf, PART_GOPCLNTAB, segment->vaddr + off, segment->size - off);
}

/* Looks into a segment for what no header leads to. Charges its bytes to *@left. */
static int search_segment(struct elf_image *elf, const Elf64_Phdr *ph, uint64_t *left)
{
	const uint64_t skipped = -ph->p_vaddr & (GO_ALIGN - 1);
	_cleanup_free_ uint8_t *bytes = NULL;
	Elf64_Shdr sh = {.sh_type = SHT_PROGBITS};
	struct segment_bytes segment;
	int ret;

	if (ph->p_type != PT_LOAD || ph->p_offset >= elf->size || ph->p_filesz <= skipped)
		return 0;
	sh.sh_offset = ph->p_offset + skipped;
	sh.sh_size = min_u64(ph->p_filesz, elf->size - ph->p_offset) - skipped;
	if (sh.sh_size > *left)
		return 0;
	*left -= sh.sh_size;
	ret = elf_image_read_section(elf, &sh, &bytes);
	if (ret)
		return ret;
	segment = (struct segment_bytes){bytes, sh.sh_size, ph->p_vaddr + skipped, sh.sh_offset};
	if (!part_of(elf, PART_EH_FRAME)->sh_type)
		search_frames(elf, &segment);
	if (!part_of(elf, PART_GOPCLNTAB)->sh_type)
		search_go_table(elf, &segment);
	return 0;
}

/* Adds empty sections behind those that have headers, which have no names then. */
static int add_empty(struct elf_image *elf)
{
	Elf64_Shdr *all = calloc(elf->nr_sections + NR_PARTS, sizeof(*all));
	char *names = calloc(NR_PARTS, NAME_BYTES);

	if (!all || !names) {
		free(all);
		free(names);
		return -ENOMEM;
	}
	for (size_t i = 0; i < elf->nr_sections; i++) {
		all[i] = elf->sections[i];
		all[i].sh_name = 0;
	}
	for (size_t i = 0; i < NR_PARTS; i++)
		memcpy(names + i * NAME_BYTES, parts[i].name, NAME_BYTES);
	free(elf->sections);
	elf->sections = all;
	elf->first_made = elf->nr_sections;
	elf->nr_sections += NR_PARTS;
	elf->names = names;
	elf->names_size = NR_PARTS * NAME_BYTES;
	return 0;
}

static int make_sections(struct elf_image *elf)
{
	uint64_t left = elf->size; /* proper segments do not overlap */
	int ret = add_empty(elf);

	if (ret || elf->header.e_phnum > SEGMENTS_MAX)
		return ret;
	elf->has_made_sections = true;
	elf_image_for_each_segment(elf, ph)
	{
		if (ph->p_type == PT_DYNAMIC)
			make_dynamic(elf, ph);
		else if (ph->p_type == PT_GNU_EH_FRAME && make_frames(elf, ph) == -ENOMEM)
			return -ENOMEM;
	}
	elf_image_for_each_segment(elf, ph) if (search_segment(elf, ph, &left) ==
						-ENOMEM) return -ENOMEM;
	return 0;
}

/*
 * Reads the number of sections, and of the one with their names, which need not be right. Numbers
 * that are too large for the header are in the section of index 0.
 */
static int read_numbers(const struct elf_image *elf, uint64_t *nr, uint64_t *names)
{
	const Elf64_Ehdr *eh = &elf->header;
	Elf64_Shdr first = {0};
	int ret = 0;

	if (!eh->e_shoff || eh->e_shentsize != sizeof(Elf64_Shdr))
		return -ENOEXEC;
	if (!eh->e_shnum || eh->e_shstrndx == SHN_XINDEX)
		ret = elf_image_read(elf, eh->e_shoff, &first, sizeof(first));
	*nr = eh->e_shnum ? eh->e_shnum : first.sh_size;
	*names = eh->e_shstrndx == SHN_XINDEX ? first.sh_link : eh->e_shstrndx;
	if (!ret && (!*nr || *nr > SECTIONS_MAX))
		ret = -ENOEXEC;
	return ret;
}

/* Returns 0, or -ENOEXEC or -EFBIG for headers that cannot be used, or another error. */
static int read_headers(struct elf_image *elf, uint64_t *names)
{
	Elf64_Shdr table = {.sh_type = SHT_PROGBITS, .sh_offset = elf->header.e_shoff};
	uint64_t nr = 0;
	int ret = read_numbers(elf, &nr, names);

	table.sh_size = nr * sizeof(*elf->sections);
	if (!ret)
		ret = elf_image_read_section(elf, &table, &elf->sections);
	if (!ret)
		elf->nr_sections = nr;
	return ret;
}

static int read_names(struct elf_image *elf, uint64_t index)
{
	const Elf64_Shdr *names = &elf->sections[index];
	int ret;

	if (!index || index >= elf->nr_sections)
		return -ENOEXEC;
	ret = names->sh_size > NAMES_BYTES_MAX ? -EFBIG
					       : elf_image_read_section(elf, names, &elf->names);
	if (!ret)
		elf->names_size = names->sh_size;
	return ret;
}

int elf_sections_open(int fd, struct elf_image *elf)
{
	int ret = elf_image_open_segments(fd, elf);
	uint64_t names = 0;

	if (ret)
		return ret;
	ret = read_headers(elf, &names);
	if (!ret)
		ret = read_names(elf, names);
	return ret == -ENOEXEC || ret == -EFBIG ? make_sections(elf) : ret;
}
