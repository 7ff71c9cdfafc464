// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/registered_code.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/vec.h"
#include "elf/eh_frame.h"
#include "record/host/host_abi.h"

#define VERSION 1

/* Objects of a list, the newest first; their sections; .eh_frame of one, and of all. */
#define OBJECTS_MAX     1024
#define SECTIONS_MAX    256
#define FRAME_BYTES_MAX (1u << 20)
#define FILE_BYTES_MAX  (8u << 20)

/* Sections and symbols that are looked at, of all objects; bytes of a name, and of all lines. */
#define PARTS_MAX      32768
#define NAME_BYTES_MAX 256
#define TEXT_BYTES_MAX (1u << 20)

/* CIEs of a section. Each is read once. */
#define CIES_MAX 64

/* Bytes of the newest object that tell whether it is another one than before. */
#define SEEN_BYTES 65536

#define ALIGN UINT64_C(0x10000)

/* struct jit_descriptor and struct jit_code_entry of GDB's manual. */
struct descriptor {
	uint32_t version, action;
	uint64_t relevant, first;
};

struct entry {
	uint64_t next, previous, image, size;
};

/* An ELF file in the memory of the process. */
struct object {
	const struct machine_memory *memory;
	uint64_t image, size;
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS_MAX];
	/* Of the objects up to this one: */
	uint64_t nr_parts; /* sections and symbols */
	bool has_failed;   /* something could not be read */
	/* An ELF file, also one that nobody understands here; something else. */
	bool has_elf, has_other;
};

/* The address of the @size bytes at @off of the object; 0: it has none. */
static uint64_t address_in(const struct object *o, uint64_t off, uint64_t size)
{
	return off <= o->size && size <= o->size - off ? o->image + off : 0;
}

/* Reads all of @len bytes at @addr of the process. Returns 0 or -EFAULT. */
static int read_memory(struct object *o, uint64_t addr, void *buf, size_t len)
{
	int ret = machine_memory_read(o->memory, addr, buf, len);

	o->has_failed |= ret != 0;
	return ret;
}

/* The same of the @len bytes at @off of the object. Returns -ENOEXEC if it has less. */
static int read_in(struct object *o, uint64_t off, void *buf, size_t len)
{
	const uint64_t addr = address_in(o, off, len);

	return addr ? read_memory(o, addr, buf, len) : -ENOEXEC;
}

static int read_object(const struct entry *entry, struct object *o)
{
	Elf64_Ehdr *h = &o->header;
	int ret;

	o->image = entry->image;
	o->size = entry->size;
	ret = read_in(o, 0, h, sizeof(*h));
	if (ret)
		return ret;
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) {
		o->has_other = true;
		return -ENOEXEC;
	}
	o->has_elf = true;
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != HOST_MACHINE ||
	    h->e_shentsize != sizeof(*o->sections) || h->e_shnum > SECTIONS_MAX ||
	    h->e_shstrndx >= h->e_shnum)
		return -ENOEXEC;
	o->nr_parts += h->e_shnum;
	return read_in(o, h->e_shoff, o->sections, h->e_shnum * sizeof(*o->sections));
}

static bool has_code(const struct object *o, size_t i)
{
	const Elf64_Shdr *sh = i < o->header.e_shnum ? &o->sections[i] : NULL;

	return sh && sh->sh_flags & SHF_EXECINSTR && sh->sh_addr && sh->sh_size;
}

/* Reads a text of the string section @nr, up to @max bytes and a NUL, as far as it is printable. */
static size_t read_text(struct object *o, uint32_t nr, uint64_t off, size_t max, char *text)
{
	const Elf64_Shdr *sh = nr < o->header.e_shnum ? &o->sections[nr] : NULL;
	uint64_t at;
	long got;
	size_t len = 0;

	*text = '\0';
	if (!sh || off >= sh->sh_size)
		return 0;
	max = min_u64(max, sh->sh_size - off);
	at = address_in(o, sh->sh_offset, sh->sh_size);
	got = at ? o->memory->read(o->memory->ctx, at + off, text, max) : 0;
	o->has_failed |= got < 0;
	while ((long)len < got && (unsigned char)text[len] >= ' ')
		len++;
	text[len] = '\0';
	return len;
}

/* Takes an object. Returns 0, or another number that ends the walk. */
typedef int (*object_fn)(void *ctx, struct object *o);

/*
 * Calls @take for the objects that can be read. Returns its result, if that is not 0, or -ENOTSUP
 * for another list. Otherwise *@nothing is what it means if no object has told anything: -EFAULT
 * when something could not be read, -ENOTSUP when no object is an ELF file, or -ENOENT.
 */
static int walk_objects(const struct machine_memory *memory, uint64_t descriptor, object_fn take,
			void *ctx, int *nothing)
{
	struct object o = {.memory = memory};
	struct descriptor d;
	struct entry entry;
	uint64_t at;
	int ret = 0;

	*nothing = -EFAULT;
	if (read_memory(&o, descriptor, &d, sizeof(d)))
		return -EFAULT;
	if (d.version != VERSION)
		return -ENOTSUP;
	at = d.first;
	for (int i = 0; !ret && at && i < OBJECTS_MAX && o.nr_parts < PARTS_MAX;
	     i++, at = entry.next) {
		if (read_memory(&o, at, &entry, sizeof(entry)))
			break;
		if (!read_object(&entry, &o))
			ret = take(ctx, &o);
	}
	if (!o.has_failed)
		*nothing = o.has_other && !o.has_elf ? -ENOTSUP : -ENOENT;
	return ret;
}

/*
 * An object_fn: the first object with code tells where the others may be, and of the list. A later
 * list may have its object at the same place.
 */
static int take_place(void *ctx, struct object *o)
{
	struct registered_code *code = ctx;
	uint8_t bytes[SEEN_BYTES];
	long nr;

	for (size_t i = 0; i < o->header.e_shnum; i++) {
		const uint64_t addr = o->sections[i].sh_addr & -ALIGN;

		if (!has_code(o, i))
			continue;
		code->base = addr > REGISTERED_CODE_SPAN / 2 ? addr - REGISTERED_CODE_SPAN / 2 : 0;
		nr = o->memory->read(o->memory->ctx, o->image, bytes, min_u64(o->size, SEEN_BYTES));
		code->seen = hash_bytes(o->sections, o->header.e_shnum * sizeof(*o->sections),
					code->seen);
		code->seen = hash_bytes(bytes, nr > 0 ? nr : 0, code->seen);
		return 1;
	}
	return 0;
}

int registered_code_read(const struct machine_memory *memory, uint64_t descriptor,
			 struct registered_code *code)
{
	struct registered_code found;
	struct descriptor d;
	int ret = machine_memory_read(memory, descriptor, &d, sizeof(d)), nothing;

	if (ret)
		return ret;
	found.seen = hash_bytes(&d, sizeof(d), 0);
	ret = walk_objects(memory, descriptor, take_place, &found, &nothing);
	if (ret != 1)
		return ret ? ret : nothing;
	*code = found;
	return 0;
}

/* The sections of all objects, one after the other, linked at base. */
struct frames {
	uint64_t base;
	VEC(uint8_t) bytes;
	uint64_t nr_read; /* bytes, also of reads that failed */
	bool has_object;
};

/* What is known of a CIE at an offset of its section. */
struct known_cie {
	uint64_t off;
	uint8_t encoding;
};

/* Takes the CIE at @off into the @nr that are known. Returns how many are known now. */
static size_t know_cie(const struct eh_section *section, uint64_t off,
		       struct known_cie cies[CIES_MAX], size_t nr)
{
	struct cursor program;
	struct eh_cie cie;

	if (nr == CIES_MAX || !eh_cie_read(section, off, &cie, &program))
		return nr;
	cies[nr] = (struct known_cie){off, cie.encoding};
	return nr + 1;
}

/*
 * Adds @distance to the number @at, which is at @bytes, if it counts from itself. Returns false if
 * it does not fit then.
 */
static bool move_number(struct cursor at, uint8_t *bytes, uint8_t encoding, uint64_t distance)
{
	struct cursor end = at;
	uint64_t value, now;

	/* Null is no address. What is malformed is of no use to anybody. */
	if ((encoding & DW_EH_PE_relative) != DW_EH_PE_pcrel ||
	    !eh_number(&end, encoding, &value) || !value)
		return true;
	value += distance;
	memcpy(bytes, &value, min_u64(end.p - at.p, sizeof(value)));
	return eh_number(&at, encoding, &now) && now == value && at.p == end.p;
}

/* Makes a CIE of an FDE. No other FDE has it, so it means nothing. */
static void drop_entry(uint8_t *bytes, const struct eh_entry *entry)
{
	uint32_t length;
	size_t id_size;

	memcpy(&length, bytes + entry->off, sizeof(length));
	id_size = length == UINT32_MAX ? 8 : 4;
	memset(bytes + (entry->b.p - bytes) - id_size, 0, id_size);
}

/*
 * The entries from @first on stood at @addr: mends their addresses that count from themselves.
 * Drops those of which nobody can know where they belong now.
 */
static void move_entries(struct frames *f, size_t first, uint64_t addr)
{
	const uint64_t distance = addr - (f->base + first);
	uint8_t *bytes = f->bytes.data + first;
	const struct eh_section section = {.bytes = bytes, .size = f->bytes.nr - first};
	struct known_cie cies[CIES_MAX];
	struct eh_entry entry;
	uint64_t off = 0;
	size_t nr = 0;

	for (; off < section.size && eh_entry_read(&section, off, &entry);
	     off = entry.b.end - bytes) {
		size_t i = 0;

		if (entry.is_cie)
			nr = know_cie(&section, off, cies, nr);
		if (entry.is_empty || entry.is_cie)
			continue;
		while (i < nr && cies[i].off != entry.cie_off)
			i++;
		if (i == nr ||
		    !move_number(entry.b, bytes + (entry.b.p - bytes), cies[i].encoding, distance))
			drop_entry(bytes, &entry);
	}
	/* The entries of the next section are no part of a longer one. */
	f->bytes.nr = first + off;
}

/* An object_fn. */
static int take_frames(void *ctx, struct object *o)
{
	static const uint8_t end[4];
	struct frames *f = ctx;
	char name[16];

	f->has_object = true;
	for (size_t i = 0; i < o->header.e_shnum; i++) {
		const Elf64_Shdr *sh = &o->sections[i];
		const size_t first = f->bytes.nr;

		read_text(o, o->header.e_shstrndx, sh->sh_name, sizeof(name) - 1, name);
		if (strcmp(name, ".eh_frame") != 0 || sh->sh_size > FRAME_BYTES_MAX)
			continue;
		f->nr_read += sh->sh_size + sizeof(end);
		if (f->nr_read > FILE_BYTES_MAX)
			return 1;
		if (vec_reserve(&f->bytes, sh->sh_size + sizeof(end)))
			return -ENOMEM;
		/* The copy in the object lacks what the compiler has linked in memory. */
		if (sh->sh_addr ? read_memory(o, sh->sh_addr, f->bytes.data + first, sh->sh_size)
				: read_in(o, sh->sh_offset, f->bytes.data + first, sh->sh_size))
			continue;
		f->bytes.nr += sh->sh_size;
		move_entries(f, first, sh->sh_addr);
		vec_append(&f->bytes, end, sizeof(end));
	}
	return 0;
}

static int write_file(const struct frames *f, int fd)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr code;
		Elf64_Shdr sections[3];
		char names[24];
	} file = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_REL,
			   .e_machine = HOST_MACHINE,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(file.header),
			   .e_shoff = sizeof(file.header) + sizeof(file.code),
			   .e_ehsize = sizeof(file.header),
			   .e_phentsize = sizeof(file.code),
			   .e_phnum = 1,
			   .e_shentsize = sizeof(*file.sections),
			   .e_shnum = ARRAY_SIZE(file.sections),
			   .e_shstrndx = 2},
		.code = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_vaddr = f->base,
			 .p_filesz = REGISTERED_CODE_SPAN,
			 .p_memsz = REGISTERED_CODE_SPAN},
		.sections = {[1] = {.sh_name = 1,
				    .sh_type = SHT_PROGBITS,
				    .sh_flags = SHF_ALLOC,
				    .sh_addr = f->base,
				    .sh_offset = sizeof(file),
				    .sh_size = f->bytes.nr},
			     [2] = {.sh_name = 11,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(typeof(file), names),
				    .sh_size = sizeof(file.names)}},
		.names = "\0.eh_frame\0.shstrtab",
	};
	int ret = io_write_all(fd, &file, sizeof(file));

	if (!ret)
		ret = io_write_all(fd, f->bytes.data, f->bytes.nr);
	return !ret && ftruncate(fd, REGISTERED_CODE_SPAN) ? -errno : ret;
}

/*
 * What it means for a list that had code if no object has told anything; @nothing is of
 * walk_objects. If none has been read, the process has just changed the list.
 */
static int without(bool has_object, int nothing)
{
	return has_object ? nothing : -EFAULT;
}

int registered_code_write(const struct machine_memory *memory, uint64_t descriptor, uint64_t base,
			  int fd)
{
	struct frames f = {.base = base};
	int nothing, ret = walk_objects(memory, descriptor, take_frames, &f, &nothing);

	if (ret >= 0)
		ret = f.bytes.nr ? write_file(&f, fd) : without(f.has_object, nothing);
	vec_free(&f.bytes);
	return ret;
}

/* Lines of objects, in the order in which these come, and where those of each begin. */
struct names {
	FILE *lines;
	uint64_t nr_bytes;
	uint64_t begins[OBJECTS_MAX];
	size_t nr_objects;
};

static void write_symbol(struct names *names, struct object *o, const Elf64_Shdr *table,
			 const Elf64_Sym *symbol)
{
	char name[NAME_BYTES_MAX + 1];
	uint64_t addr = symbol->st_value;
	int nr;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !has_code(o, symbol->st_shndx) ||
	    !symbol->st_size ||
	    !read_text(o, table->sh_link, symbol->st_name, NAME_BYTES_MAX, name))
		return;
	if (o->header.e_type == ET_REL)
		addr += o->sections[symbol->st_shndx].sh_addr;
	nr = fprintf(names->lines, "%" PRIx64 " %" PRIx64 " %s\n", addr, symbol->st_size, name);
	names->nr_bytes += nr > 0 ? nr : 0;
}

/* An object_fn. */
static int take_names(void *ctx, struct object *o)
{
	struct names *names = ctx;

	names->begins[names->nr_objects++] = names->nr_bytes;
	for (size_t i = 0; i < o->header.e_shnum; i++) {
		const Elf64_Shdr *sh = &o->sections[i];
		const uint64_t nr = sh->sh_size / sizeof(Elf64_Sym);

		for (uint64_t k = 0; sh->sh_type == SHT_SYMTAB && k < nr; k++) {
			Elf64_Sym symbol;

			if (++o->nr_parts > PARTS_MAX || names->nr_bytes >= TEXT_BYTES_MAX)
				return 1;
			if (read_in(o, sh->sh_offset + k * sizeof(symbol), &symbol, sizeof(symbol)))
				break;
			write_symbol(names, o, sh, &symbol);
		}
	}
	return 0;
}

/* Where functions are at one address the later line counts: writes the newest object's last. */
static void write_names(const struct names *names, const char *lines, FILE *out)
{
	uint64_t end = names->nr_bytes;

	for (size_t i = names->nr_objects; i--; end = names->begins[i])
		fwrite(lines + names->begins[i], 1, end - names->begins[i], out);
}

int registered_code_name(const struct machine_memory *memory, uint64_t descriptor, FILE *out)
{
	_cleanup_free_ char *lines = NULL;
	size_t nr = 0;
	struct names names = {.lines = open_memstream(&lines, &nr)};
	int nothing, ret;

	if (!names.lines)
		return -ENOMEM;
	ret = walk_objects(memory, descriptor, take_names, &names, &nothing);
	if (fclose(names.lines) || nr < names.nr_bytes)
		return -ENOMEM;
	if (ret < 0)
		return ret;
	write_names(&names, lines, out);
	return names.nr_bytes ? 0 : without(names.nr_objects, nothing);
}
