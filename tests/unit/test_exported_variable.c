// SPDX-License-Identifier: GPL-2.0-or-later
/* Files in the memory of a process, which is the test's own in every word (--wrap). */
#include "record/looks/exported_variable.h"

#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>

#include "record/proc/proc_maps.h"
#include "record/host/host_abi.h"
#include "tests/unit/suite.h"

#define LINKED_AT 0x1000 /* the address of the file as it is linked */
#define VALUE     0x18   /* of the variable, in the block of the file */

/* A library at @base, as the loader left it. */
static struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Dyn dynamic[8];
	struct {
		uint32_t nr_buckets, first_symbol, nr_words, shift;
		uint64_t bloom[2];
		uint32_t buckets[3], chains[3];
	} hash;
	Elf64_Sym symbols[4];
	char names[64];
	Elf64_Rela relocations[2][2];
	uint64_t words[2][2]; /* where the relocations are */
	uint64_t place[2];    /* of a block, and in it */
} image;

static uint64_t base;
static struct proc_map map;
static struct exported_variable found;
static const char *other_path; /* of a mapping before; NULL: there is none */

long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len);
int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx);

long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	if (addr < base || addr - base > sizeof(image) || len > sizeof(image) - (addr - base))
		return -EFAULT;
	memcpy(buf, (const char *)&image + (addr - base), len);
	return (long)len;
}

int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx)
{
	struct proc_map other = {.path = other_path, .readable = true, .start = 0x1000};
	int ret = 0;

	(void)fd, (void)scratch;
	if (other_path)
		ret = fn(ctx, &other);
	return ret ? ret : fn(ctx, &map);
}

/* As it is linked: base - LINKED_AT is the bias. */
#define AT(member) (LINKED_AT + offsetof(struct image, member))

static uint32_t hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* The variable "mine" is symbol 3, behind another one in its chain. */
static void begin(void)
{
	base = 0x7f0000000000;
	image = (struct image){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_machine = HOST_MACHINE,
			   .e_phoff = offsetof(struct image, segments),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 3},
		.segments = {{.p_type = PT_LOAD, .p_vaddr = LINKED_AT},
			     {.p_type = PT_TLS, .p_vaddr = 0x4010, .p_memsz = 0x48, .p_align = 32},
			     {.p_type = PT_DYNAMIC,
			      .p_vaddr = AT(dynamic),
			      .p_memsz = sizeof(image.dynamic)}},
		.dynamic = {{DT_SYMTAB, {AT(symbols)}},
			    {DT_STRTAB, {AT(names)}},
			    {DT_GNU_HASH, {AT(hash)}},
			    {DT_RELA, {AT(relocations[0])}},
			    {DT_RELASZ, {sizeof(image.relocations[0])}},
			    {DT_JMPREL, {AT(relocations[1])}},
			    {DT_PLTRELSZ, {sizeof(image.relocations[1])}}},
		.hash = {.nr_buckets = 3, .first_symbol = 1, .nr_words = 2},
		.names = "\0other\0mine",
	};
	image.hash.buckets[hash("mine") % 3] = 2;
	image.hash.chains[1] = hash("other") & ~1u;
	image.hash.chains[2] = hash("mine") | 1;
	image.symbols[2] = (Elf64_Sym){.st_name = 1, .st_info = STT_TLS, .st_shndx = 5};
	image.symbols[3] =
		(Elf64_Sym){.st_name = 7, .st_info = STT_TLS, .st_shndx = 5, .st_value = VALUE};
	map = (struct proc_map){.path = "/lib/a.so", .readable = true, .start = base};
	other_path = NULL;
}

static void end(void)
{
}

static int find(void)
{
	struct resident_memory memory = RESIDENT_MEMORY_INIT(getpid());

	found = (struct exported_variable){0};
	map.start = base;
	return exported_variable_find(&memory, "mine", &found);
}

/* Relocation @nr of @table has this type, and the loader has left these words there. */
static void relocate(size_t table, size_t nr, uint64_t type, uint32_t symbol, int64_t addend,
		     uint64_t first, uint64_t second)
{
	image.relocations[table][nr] = (Elf64_Rela){.r_offset = AT(words[nr]),
						    .r_info = ELF64_R_INFO((uint64_t)symbol, type),
						    .r_addend = addend};
	image.words[nr][0] = first;
	image.words[nr][1] = second;
}

/* An offset from the thread pointer that variables may have. */
#define OFFSET ((uint64_t)(HOST_TLS_ABOVE ? 0x100 : -0x100))

START_TEST(an_offset)
{
	for (size_t i = 0; i < 4; i++) {
		begin();
		relocate(i / 2, i % 2, HOST_TPOFF, 3, 0, OFFSET, 0);
		ck_assert_int_eq(find(), 0);
		ck_assert_int_eq(found.offset, (int64_t)OFFSET);
		ck_assert_uint_eq(found.block, 0);
		ck_assert_uint_eq(found.block_bytes, 16);
	}
	/* Without a symbol, the addend says which it is. */
	begin();
	relocate(0, 0, HOST_TPOFF, 0, VALUE, OFFSET, 0);
	ck_assert_int_eq(find(), 0);
	ck_assert_int_eq(found.offset, (int64_t)OFFSET);
}
END_TEST

START_TEST(relocations_of_others)
{
	static const struct {
		uint64_t type;
		uint32_t symbol;
		int64_t addend;
	} cases[] = {{HOST_TPOFF, 2, 0},   {HOST_TPOFF, 3, 8},  {HOST_TPOFF, 0, VALUE + 8},
		     {HOST_TLSDESC, 2, 0}, {HOST_DTPMOD, 2, 0}, {1, 3, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		relocate(0, 0, cases[i].type, cases[i].symbol, cases[i].addend, OFFSET, 5);
		ck_assert_int_eq(find(), -EAGAIN);
	}
}
END_TEST

/* Nearer than the loader's pointers, and on the right side of the thread pointer. */
START_TEST(offsets_that_cannot_be)
{
	static const struct {
		int64_t distance;
		int ret;
	} cases[] = {{0, -EAGAIN}, {1, 0}, {1 << 22, 0}, {(1 << 22) + 1, -EAGAIN}, {-1, -EAGAIN}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t offset = HOST_TLS_ABOVE ? cases[i].distance : -cases[i].distance;

		relocate(0, 0, HOST_TPOFF, 3, 0, (uint64_t)offset, 0);
		ck_assert_int_eq(find(), cases[i].ret);
		ck_assert_int_eq(found.offset, cases[i].ret ? 0 : offset);
	}
}
END_TEST

START_TEST(a_block)
{
	static const struct {
		uint64_t block, value;
		int ret;
	} cases[] = {{0, VALUE, -EAGAIN},    {1, VALUE, 0},   {4096, VALUE, 0},
		     {4097, VALUE, -EAGAIN}, {1, 1 << 22, 0}, {1, (1 << 22) + 1, -EAGAIN}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		image.symbols[3].st_value = cases[i].value;
		relocate(0, 0, HOST_DTPMOD, i % 2 ? 3 : 0, 0, cases[i].block, 0);
		ck_assert_int_eq(find(), cases[i].ret);
		ck_assert_uint_eq(found.block, cases[i].ret ? 0 : cases[i].block);
		ck_assert_int_eq(found.offset, cases[i].ret ? 0 : (int64_t)cases[i].value);
	}
}
END_TEST

/* A descriptor: a function, and an offset or where block and offset are. */
START_TEST(descriptors)
{
	relocate(0, 0, HOST_TLSDESC, 3, 0, 0x1234, OFFSET);
	ck_assert_int_eq(find(), 0);
	ck_assert_int_eq(found.offset, (int64_t)OFFSET);
	image.place[0] = 7;
	image.place[1] = 0x30;
	image.words[0][1] = base + offsetof(struct image, place);
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(found.block, 7);
	ck_assert_int_eq(found.offset, 0x30);
	image.words[0][1] = base + sizeof(image);
	ck_assert_int_eq(find(), -EAGAIN);
	/* The words cannot be read. */
	image.relocations[0][0].r_offset = LINKED_AT + sizeof(image) - 8;
	ck_assert_int_eq(find(), -EAGAIN);
}
END_TEST

/* glibc relocates the dynamic section, and musl does not. A musl has blocks of its own size. */
START_TEST(loaders)
{
	relocate(0, 0, HOST_TPOFF, 3, 0, OFFSET, 0);
	for (size_t i = 0; i < 7; i++)
		if (i != 4 && i != 6)
			image.dynamic[i].d_un.d_ptr += base - LINKED_AT;
	ck_assert_int_eq(find(), 0);
	other_path = "/lib/ld-musl-x86_64.so.1";
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(found.block_bytes, 8);
	other_path = "/lib/libc.so.6";
	ck_assert_int_eq(find(), 0);
	ck_assert_uint_eq(found.block_bytes, 16);
}
END_TEST

/* The block of an executable lies at the thread pointer, aligned as the file says. */
START_TEST(an_executable)
{
	int64_t expected;

	base = getauxval(AT_PHDR) - image.header.e_phoff;
	/* Its end is at the thread pointer, its begin has the alignment's rest, 16. */
	expected = HOST_TLS_ABOVE ? 16 + VALUE : -0x50 + VALUE;
	ck_assert_int_eq(find(), 0);
	ck_assert_int_eq(found.offset, expected);
	image.segments[1].p_align = 0;
	ck_assert_int_eq(find(), 0);
	ck_assert_int_eq(found.offset, HOST_TLS_ABOVE ? 16 + VALUE : -0x48 + VALUE);
	ck_assert_uint_eq(executable_headers(getpid()), getauxval(AT_PHDR));
	ck_assert_uint_eq(executable_headers(UINT32_MAX), 0);
}
END_TEST

#define WORD(member, value)                                                                        \
	{                                                                                          \
		offsetof(struct image, member), sizeof(image.member), value                        \
	}

/* Words of the image, and values with which it does not have the variable. */
static const struct {
	size_t at, bytes;
	uint64_t value;
} spoiled[] = {
	WORD(header.e_ident[0], 0),
	WORD(header.e_machine, HOST_MACHINE + 1),
	WORD(header.e_ident[EI_CLASS], ELFCLASS32),
	WORD(header.e_phentsize, sizeof(Elf64_Phdr) + 1),
	WORD(header.e_phnum, 65),
	WORD(header.e_phoff, sizeof(image) - sizeof(Elf64_Phdr)),
	WORD(segments[0].p_offset, 0x1000),
	WORD(segments[1].p_memsz, 0),
	WORD(segments[2].p_type, PT_NOTE),
	WORD(segments[2].p_vaddr, AT(dynamic) + sizeof(image)),
	WORD(dynamic[0].d_tag, DT_DEBUG),
	WORD(dynamic[1].d_tag, DT_DEBUG),
	WORD(dynamic[2].d_tag, DT_DEBUG),
	WORD(dynamic[2].d_tag, DT_NULL),
	WORD(dynamic[0].d_un.d_ptr, LINKED_AT + sizeof(image)),
	WORD(dynamic[1].d_un.d_ptr, LINKED_AT + sizeof(image)),
	WORD(dynamic[2].d_un.d_ptr, LINKED_AT + sizeof(image)),
	WORD(hash.nr_buckets, 0),
	WORD(hash.first_symbol, 3),
	WORD(hash.chains[1], 1), /* the chain ends there */
	WORD(hash.chains[2], 5),
	WORD(symbols[3].st_info, STT_OBJECT),
	WORD(symbols[3].st_shndx, SHN_UNDEF),
	WORD(symbols[3].st_name, 1),
	WORD(names[11], 's'),
};

START_TEST(files_without_the_variable)
{
	for (size_t i = 0; i < ARRAY_SIZE(spoiled); i++) {
		begin();
		relocate(0, 0, HOST_TPOFF, 3, 0, OFFSET, 0);
		ck_assert_int_eq(find(), 0);
		memcpy((char *)&image + spoiled[i].at, &spoiled[i].value, spoiled[i].bytes);
		ck_assert_msg(find() == -ENOENT, "spoiled word %zu", i);
	}
}
END_TEST

/* Not the begin of a file that can be read. */
START_TEST(other_mappings)
{
	relocate(0, 0, HOST_TPOFF, 3, 0, OFFSET, 0);
	map.path = "[heap]";
	ck_assert_int_eq(find(), -ENOENT);
	map.path = "/lib/a.so";
	map.pgoff = 0x1000;
	ck_assert_int_eq(find(), -ENOENT);
	map.pgoff = 0;
	map.readable = false;
	ck_assert_int_eq(find(), -ENOENT);
	map.readable = true;
	ck_assert_int_eq(find(), 0);
}
END_TEST

/* Relocations beyond a table are none of it, and one whose size lies ends the search. */
START_TEST(limits)
{
	image.dynamic[4].d_un.d_val = sizeof(Elf64_Rela); /* the second is none of them */
	relocate(0, 1, HOST_TPOFF, 3, 0, OFFSET, 0);
	image.relocations[1][1].r_info = 0;
	ck_assert_int_eq(find(), -EAGAIN);
	image.dynamic[4].d_un.d_val = 2 * sizeof(Elf64_Rela);
	ck_assert_int_eq(find(), 0);
	image.dynamic[4].d_un.d_val = sizeof(image);
	image.dynamic[6].d_un.d_val = 0;
	ck_assert_int_eq(find(), -EAGAIN);
}
END_TEST

SUITE_MAIN_WITH("exported_variable", begin, end, an_offset, relocations_of_others,
		offsets_that_cannot_be, a_block, descriptors, loaders, an_executable,
		files_without_the_variable, other_mappings, limits)
