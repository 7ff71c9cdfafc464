// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/unwind_table.h"

#include <fcntl.h>
#include <zlib.h>

#include "tests/unit/cfi_helper.h"
#include "tests/unit/oom.h"
#include "tests/unit/skip.h"
#include "tests/unit/suite.h"
#include "tests/unit/table_helper.h"

/* Frames, after the usual CIE, and the table that is built of them. */
static frames f;
static size_t cie;
static struct unwind_table table;

static void begin(void)
{
	f = (frames){0};
	cie = put_usual_cie(&f);
	table = (struct unwind_table){0};
}

static void end(void)
{
	unwind_table_deinit(&table);
	vec_free(&f);
}

/* In the place of the last table, the table of a file that @spec describes, with these frames. */
static int build_with(const struct test_elf *spec, const frames *from)
{
	int fd = make_elf(spec, from->data, from->nr);
	int ret;

	unwind_table_deinit(&table);
	table = (struct unwind_table){.nr_rows = 42};
	ret = unwind_table_build(fd, &table);
	close(fd);
	if (ret) {
		ck_assert_uint_eq(table.nr_rows, 42);
		table.nr_rows = 0;
	}
	return ret;
}

static int build(void)
{
	return build_with(&(struct test_elf){0}, &f);
}

/* The distance of the CFA from rsp at @off bytes after the beginning of the code; -1: no rule. */
static int cfa_at(uint64_t off)
{
	const struct unwind_rule *rule = unwind_table_find(&table, CODE_OFF + off);

	if (rule->cfa == UNWIND_CFA_NONE)
		return -1;
	ck_assert_int_eq(rule->cfa, UNWIND_CFA_REG);
	return rule->cfa_off;
}

/* A function whose CFA is at rsp + @n, so that functions differ. */
#define CFA(n) BYTES(0x0e, n)

START_TEST(rows)
{
	put_fde(&f, cie, CODE_VADDR + 0x40, 0x40, CFA(24));
	put_fde(&f, cie, CODE_VADDR, 0x20, BYTES(0x44, 0x0e, 16)); /* from 4 bytes on: 16 */
	put_fde(&f, cie, CODE_VADDR + 0x80, 0x10, CFA(24));
	ck_assert_int_eq(build(), 0);
	ck_assert_uint_eq(table.first_off, CODE_OFF);
	ck_assert_uint_eq(table.nr_pages, 1);
	/* 8, 16, none, 24 (of two functions), none */
	ck_assert_uint_eq(table.nr_rows, 5);
	ck_assert_uint_eq(table.nr_rules, 4);
	ck_assert_int_eq(cfa_at(0), 8);
	ck_assert_int_eq(cfa_at(3), 8);
	ck_assert_int_eq(cfa_at(4), 16);
	ck_assert_int_eq(cfa_at(0x1f), 16);
	ck_assert_int_eq(cfa_at(0x20), -1);
	ck_assert_int_eq(cfa_at(0x40), 24);
	ck_assert_int_eq(cfa_at(0x8f), 24);
	ck_assert_int_eq(cfa_at(0x90), -1);
	ck_assert_int_eq(cfa_at(UNWIND_PAGE_SIZE), -1);
	ck_assert_int_eq(cfa_at(-1), -1);
}
END_TEST

/* Each page begins with the rule in force there. A page without any rule has no rows. */
START_TEST(pages)
{
	put_fde(&f, cie, CODE_VADDR + 0x18000, 0x20000, CFA(24));
	put_fde(&f, cie, CODE_VADDR + 0x50010, 0x10, CFA(32));
	put_fde(&f, cie, CODE_VADDR + 0x60000, 0x10, CFA(40));
	put_fde(&f, cie, CODE_VADDR + 0x6fff0, 0x10, CFA(48));
	ck_assert_int_eq(build(), 0);
	ck_assert_uint_eq(table.first_off, CODE_OFF + 0x10000);
	ck_assert_uint_ge(table.nr_pages, 6);
	ck_assert_uint_eq(table.pages[0].nr_rows, 2); /* none, 24 */
	ck_assert_uint_eq(table.pages[1].nr_rows, 1); /* 24 */
	ck_assert_uint_eq(table.pages[2].nr_rows, 2); /* 24, none */
	ck_assert_uint_eq(table.pages[3].nr_rows, 0);
	ck_assert_uint_eq(table.pages[4].nr_rows, 3); /* none, 32, none */
	ck_assert_uint_eq(table.pages[5].nr_rows, 3); /* 40, none, 48 */
	for (uint32_t i = 0; i < table.nr_pages; i++)
		if (table.pages[i].nr_rows)
			ck_assert_uint_eq(UNWIND_ROW_OFF(table.rows[table.pages[i].first_row]), 0);
	ck_assert_int_eq(cfa_at(0x17fff), -1);
	ck_assert_int_eq(cfa_at(0x18000), 24);
	ck_assert_int_eq(cfa_at(0x2abcd), 24);
	ck_assert_int_eq(cfa_at(0x37fff), 24);
	ck_assert_int_eq(cfa_at(0x38000), -1);
	ck_assert_int_eq(cfa_at(0x45678), -1);
	ck_assert_int_eq(cfa_at(0x50010), 32);
	ck_assert_int_eq(cfa_at(0x5ffff), -1);
	ck_assert_int_eq(cfa_at(0x60000), 40);
	ck_assert_int_eq(cfa_at(0x6ffff), 48);
	ck_assert_int_eq(cfa_at(0x70000), -1);
}
END_TEST

/* A function ends where another begins. Of two functions at one place the first counts. */
START_TEST(overlaps)
{
	put_fde(&f, cie, CODE_VADDR, 0x100, BYTES(0x0e, 16, 0x02, 0x80, 0x0e, 24));
	put_fde(&f, cie, CODE_VADDR + 0x40, 0x20, CFA(32));
	put_fde(&f, cie, CODE_VADDR + 0x40, 0x80, CFA(40));
	ck_assert_int_eq(build(), 0);
	ck_assert_int_eq(cfa_at(0x3f), 16);
	ck_assert_int_eq(cfa_at(0x40), 32);
	ck_assert_int_eq(cfa_at(0x5f), 32);
	ck_assert_int_eq(cfa_at(0x60), -1);
}
END_TEST

static enum unwind_ra ra_at(uint64_t addr)
{
	return unwind_table_find(&table, addr - CODE_VADDR + CODE_OFF)->ra;
}

/* Writes @made, and reads it again. */
static int write_and_read(const struct unwind_table *made)
{
	struct unwind_table again = {0};
	int fd = memfd_create("table", MFD_CLOEXEC), ret;

	ck_assert_int_eq(unwind_table_write(fd, made), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ret = unwind_table_read(fd, &again);
	unwind_table_deinit(&again);
	close(fd);
	return ret;
}

/* The address after a system call at the end of a function belongs to the function. */
START_TEST(system_calls)
{
	size_t signal = put_cie(&f, "zRS", BYTES(0x1b), USUAL_INITIAL);

	put_fde(&f, signal, CODE_VADDR, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x20, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x33, 0x10, BYTES(0x07, 16)); /* undefined: the child's */
	put_fde(&f, cie, CODE_VADDR + 0x45, 0x10, BYTES(0x07, 16)); /* too near */
	ck_assert_int_eq(build(), 0);
	ck_assert_int_eq(unwind_table_find(&table, CODE_OFF + 0x10)->cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(cfa_at(0x11), -1);
	ck_assert_int_eq(cfa_at(0x30), 8);
	ck_assert_int_eq(cfa_at(0x32), 8);
	ck_assert_int_eq(unwind_table_find(&table, CODE_OFF + 0x32)->ra, UNWIND_RA_CFA);
	ck_assert_int_eq(unwind_table_find(&table, CODE_OFF + 0x33)->ra, UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(cfa_at(0x43), -1);
	ck_assert_int_eq(cfa_at(0x45), 8);
	ck_assert_int_eq(cfa_at(0x55), -1);
}
END_TEST

/* That address may be where the next function begins. */
START_TEST(system_calls_without_gap)
{
	size_t signal = put_cie(&f, "zRS", BYTES(0x1b), USUAL_INITIAL);

	put_fde(&f, cie, CODE_VADDR, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x13, 0x10, BYTES(0x07, 16));
	put_fde(&f, signal, CODE_VADDR + 0x30, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x41, 0x10, CFA(16));
	ck_assert_int_eq(build(), 0);
	ck_assert_int_eq(ra_at(CODE_VADDR + 0x12), UNWIND_RA_CFA);
	ck_assert_int_eq(ra_at(CODE_VADDR + 0x13), UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(unwind_table_find(&table, CODE_OFF + 0x40)->cfa, UNWIND_CFA_SIGNAL);
	ck_assert_int_eq(cfa_at(0x41), 16);
	ck_assert_int_eq(cfa_at(0x51), -1);
	ck_assert_int_eq(write_and_read(&table), 0);
}
END_TEST

/* Functions that the linker dropped, data, and a function that reaches beyond the segment. */
START_TEST(outside_of_code)
{
	put_fde(&f, cie, 0, 0x100, CFA(16));
	put_fde(&f, cie, CODE_VADDR - 1, 0x10, CFA(16));
	put_fde(&f, cie, CODE_VADDR + CODE_SIZE, 0x10, CFA(16));
	ck_assert_int_eq(build(), -ENODATA);
	put_fde(&f, cie, CODE_VADDR + CODE_SIZE - 8, 0x10, CFA(24));
	ck_assert_int_eq(build(), 0);
	ck_assert_int_eq(cfa_at(CODE_SIZE - 9), -1);
	ck_assert_int_eq(cfa_at(CODE_SIZE - 1), 24);
	ck_assert_int_eq(cfa_at(CODE_SIZE), -1);
}
END_TEST

#define ENTRY (CODE_VADDR + 0x40)

static void set_entry(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr sections[3])
{
	(void)ph, (void)sections;
	eh->e_entry = ENTRY;
}

/* Stacks end in the code at the entry of a file, unless the file has a rule for it. */
START_TEST(entry)
{
	const struct test_elf elf = {.spoil = set_entry};

	put_fde(&f, cie, CODE_VADDR, 0x20, CFA(16));
	ck_assert_int_eq(build_with(&elf, &f), 0);
	ck_assert_int_eq(cfa_at(0x20), -1);
	ck_assert_int_eq(cfa_at(ENTRY - CODE_VADDR - 1), -1);
	ck_assert_int_eq(ra_at(ENTRY), UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(ra_at(ENTRY + 127), UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(cfa_at(ENTRY + 128 - CODE_VADDR), -1);
	put_fde(&f, cie, ENTRY + 0x10, 0x10, CFA(24));
	ck_assert_int_eq(build_with(&elf, &f), 0);
	ck_assert_int_eq(ra_at(ENTRY + 0xf), UNWIND_RA_UNDEFINED);
	ck_assert_int_eq(cfa_at(ENTRY + 0x10 - CODE_VADDR), 24);
	ck_assert_int_eq(ra_at(ENTRY + 0x10), UNWIND_RA_CFA);
	ck_assert_int_eq(cfa_at(ENTRY + 0x20 - CODE_VADDR), -1);
	put_fde(&f, cie, ENTRY - 8, 0x10, CFA(32));
	ck_assert_int_eq(build_with(&elf, &f), 0);
	ck_assert_int_eq(ra_at(ENTRY), UNWIND_RA_CFA);
	ck_assert_int_eq(cfa_at(ENTRY - CODE_VADDR), 32);
}
END_TEST

/* The table of a file with the code of two stubs behind a function, at @stubs if it is not 0. */
static void build_with_stubs(uint64_t stubs)
{
	/* endbr64; jmp *0x1000(%rip); int3; padding */
	static const uint8_t code[32] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x00, 0x10, 0x00,
					 0x00, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xf3, 0x0f,
					 0x1e, 0xfa, 0xff, 0x25, 0x00, 0x10, 0x00, 0x00};
	const struct test_section section = {".plt.got", SHT_PROGBITS, stubs, code, sizeof(code)};
	const struct test_elf elf = {.more = &section, .nr_more = stubs != 0};
	int fd = make_elf(&elf, f.data, f.nr);

	ck_assert_int_eq(pwrite(fd, code, sizeof(code), CODE_OFF + 0x40), sizeof(code));
	unwind_table_deinit(&table);
	ck_assert_int_eq(unwind_table_build(fd, &table), 0);
	close(fd);
}

/* No symbol tells of stubs, and no function without information ends before them. */
START_TEST(stubs_begin_with_their_section)
{
#ifndef BPF_HOST_ARCH_X86_64_H
	SKIP_TEST("the stubs are of x86-64");
#endif
	put_fde(&f, cie, CODE_VADDR, 0x40, CFA(16));
	build_with_stubs(0);
	ck_assert_int_eq(cfa_at(0x40), -1);
	build_with_stubs(CODE_VADDR + 0x40);
	ck_assert_int_eq(cfa_at(0x3f), 16);
	ck_assert_int_eq(cfa_at(0x40), 8);
	ck_assert_int_eq(cfa_at(0x44), 8);
	ck_assert_int_eq(cfa_at(0x4a), -1);
	ck_assert_int_eq(cfa_at(0x50), 8);
	ck_assert_int_eq(cfa_at(0x54), 8);
	ck_assert_int_eq(cfa_at(0x5a), -1);
}
END_TEST

/* All tables share UNWIND_MAX_RULES rules. No file may have more of its own. */
START_TEST(too_many_rules)
{
	frames program = {0};

	for (uint32_t i = 0; i < UNWIND_MAX_RULES; i++) {
		put(&program, (const uint8_t[]){0x41, 0x0e, i & 0x7f, 0x0e}, 3);
		program.data[program.nr - 1] |= 0x80;
		put_u8(&program, (i >> 7 & 0x7f) | 0x80);
		put_u8(&program, i >> 14);
	}
	put_fde(&f, cie, CODE_VADDR, CODE_SIZE, program.data, program.nr - 10);
	ck_assert_int_eq(build(), 0);
	ck_assert_uint_le(table.nr_rules, UNWIND_MAX_RULES);
	ck_assert_uint_gt(table.nr_rules, UNWIND_MAX_RULES - 4);
	end();
	begin();
	for (uint32_t i = 0; i < 4; i++)
		put(&program, (const uint8_t[]){0x41, 0x0e, 0x80 | i, 0x80, 0x80, 0x01}, 6);
	put_fde(&f, cie, CODE_VADDR, CODE_SIZE, program.data, program.nr);
	ck_assert_int_eq(build(), -EFBIG);
	vec_free(&program);
}
END_TEST

/* Functions that lie in no segment have a limit, too. */
START_TEST(too_many_functions)
{
	const struct test_elf plain = {.name = ".debug_frame"};
	const uint64_t range[] = {CODE_VADDR + CODE_SIZE, 1};
	frames many = {0};
	size_t first;

	put(&many, BYTES(13, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x00));
	first = many.nr;
	put_number(&many, 4 + sizeof(range), 4);
	put_number(&many, 0, 4);
	put(&many, range, sizeof(range));
	while (many.nr - first <= (4u << 20) * (8 + sizeof(range))) {
		ck_assert_int_eq(vec_reserve(&many, many.nr), 0);
		put(&many, many.data + first, many.nr - first);
	}
	many.nr = first + ((4u << 20) + 1) * (8 + sizeof(range));
	ck_assert_int_eq(build_with(&plain, &many), -EFBIG);
	vec_free(&many);
}
END_TEST

START_TEST(no_memory)
{
	size_t failed = 0;

	put_fde(&f, cie, CODE_VADDR, 0x20, BYTES(0x44, 0x0e, 16));
	oom_for_each_call(n)
	{
		int ret = build();

		ck_assert(ret == 0 || ret == -ENOMEM);
		failed += ret != 0;
		if (!ret)
			ck_assert_int_eq(cfa_at(4), 16);
	}
	/* Segments, CIEs, functions, gaps, code, pages, rows, rules, and two indexes. */
	ck_assert_uint_eq(failed, 2 * 10);
}
END_TEST

/* A function of this name that makes the @change to the headers of a file. */
#define SPOIL(name, change)                                                                        \
	static void name(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sh)                           \
	{                                                                                          \
		(void)eh, (void)ph, (void)sh;                                                      \
		change;                                                                            \
	}

SPOIL(other_class, eh->e_ident[EI_CLASS] = ELFCLASS32);
SPOIL(other_machine, eh->e_machine = EM_AARCH64);
SPOIL(segments_beyond_end, eh->e_phoff = UINT64_MAX - 8);
SPOIL(many_segments, eh->e_phnum = 0xffff);
SPOIL(segment_beyond_end, ph->p_filesz = UINT64_MAX - 1);
SPOIL(no_code, ph->p_flags = PF_R);
SPOIL(no_sections, eh->e_shnum = 0);
SPOIL(sections_beyond_end, eh->e_shoff = UINT64_MAX - 8);
SPOIL(no_names, eh->e_shstrndx = 3);
SPOIL(large_names, sh[2].sh_size = UINT64_MAX);
SPOIL(name_beyond_end, sh[1].sh_name = UINT32_MAX);
SPOIL(frames_beyond_end, sh[1].sh_size += 1 << 20);
SPOIL(large_frames, sh[1].sh_size = 1u << 31);
SPOIL(frames_elsewhere, sh[1].sh_type = SHT_NOBITS);

START_TEST(refused_files)
{
	static const struct {
		struct test_elf elf;
		int ret;
	} cases[] = {
		{{.spoil = other_class}, -ENOEXEC},
		{{.spoil = other_machine}, -ENOEXEC},
		{{.spoil = segments_beyond_end}, -ENOEXEC},
		{{.spoil = many_segments}, -ENOEXEC},
		{{.spoil = segment_beyond_end}, -ENODATA},
		{{.spoil = no_code}, -ENODATA},
		{{.spoil = no_sections}, -ENODATA},
		{{.spoil = sections_beyond_end}, -ENODATA},
		{{.spoil = no_names}, -ENODATA},
		{{.spoil = large_names}, -ENODATA},
		{{.spoil = name_beyond_end}, -ENODATA},
		{{.spoil = frames_beyond_end}, -ENOEXEC},
		{{.spoil = large_frames}, -EFBIG},
		{{.spoil = frames_elsewhere}, -ENODATA},
		{{.name = ".text"}, -ENODATA},
		{{.flags = SHF_COMPRESSED}, -EFBIG}, /* the bytes are no header */
	};
	frames none = {0};
	int fd;

	put_fde(&f, cie, CODE_VADDR, 0x100, CFA(16));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(build_with(&cases[i].elf, &f) == cases[i].ret, "case %zu", i);
	ck_assert_int_eq(build_with(&(struct test_elf){0}, &none), -ENODATA);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(unwind_table_build(fd, &table), -ENOEXEC);
	close(fd);
	fd = open("/", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(unwind_table_build(fd, &table), -ENOEXEC);
	close(fd);
	ck_assert_int_eq(unwind_table_build(-1, &table), -EBADF);
}
END_TEST

/* .debug_frame, plain and compressed. */
START_TEST(compressed)
{
	static const struct test_elf spec = {.name = ".debug_frame", .flags = SHF_COMPRESSED};
	Elf64_Chdr header = {.ch_type = ELFCOMPRESS_ZLIB};
	frames packed = {0};
	uint8_t buf[512];
	uLongf n = sizeof(buf);

	f.nr = 0;
	put(&f,
	    (const uint8_t[]){13, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78, 16, 0x0c, 7, 8,
			      0},
	    17);
	put_number(&f, 20, 4);
	put_number(&f, 0, 4);
	put_number(&f, CODE_VADDR, 8);
	put_number(&f, 0x40, 8);
	ck_assert_int_eq(build_with(&(struct test_elf){.name = ".debug_frame"}, &f), 0);
	ck_assert_int_eq(cfa_at(0x3f), 8);
	ck_assert_int_eq(compress(buf, &n, f.data, f.nr), Z_OK);
	header.ch_size = f.nr;
	put(&packed, &header, sizeof(header));
	put(&packed, buf, n);
	ck_assert_int_eq(build_with(&spec, &packed), 0);
	ck_assert_int_eq(cfa_at(0x3f), 8);
	ck_assert_int_eq(cfa_at(0x40), -1);
	packed.nr--;
	ck_assert_int_eq(build_with(&spec, &packed), -ENOEXEC);
	((Elf64_Chdr *)packed.data)->ch_size = f.nr + 1;
	packed.nr++;
	ck_assert_int_eq(build_with(&spec, &packed), -ENOEXEC);
	((Elf64_Chdr *)packed.data)->ch_type = 77;
	ck_assert_int_eq(build_with(&spec, &packed), -ENOEXEC);
	packed.nr = sizeof(header) - 1;
	ck_assert_int_eq(build_with(&spec, &packed), -ENOEXEC);
	vec_free(&packed);
}
END_TEST

/* Builds the table of this program. Returns a file with its bytes, at the beginning. */
static int write_own(void)
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	build_own_table(&table);
	ck_assert_int_eq(unwind_table_write(fd, &table), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

START_TEST(bytes)
{
	struct unwind_table again;
	int fd = write_own();

	ck_assert_int_eq(unwind_table_read(fd, &again), 0);
	ck_assert_uint_gt(again.nr_rows, 100);
	expect_same_table(&again, &table);
	unwind_table_deinit(&again);
	ck_assert_int_eq(unwind_table_read(fd, &again), -EBADMSG); /* at the end */
	close(fd);
}
END_TEST

static void expect_damaged(int fd)
{
	struct unwind_table again;

	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(unwind_table_read(fd, &again), -EBADMSG);
}

START_TEST(damaged_bytes)
{
	int fd = write_own();
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t at = 0; at < size; at += at < 256 ? 1 : 211) {
		uint8_t byte, other;

		ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
		other = byte ^ (at & 1 ? 0x80 : 0x01);
		ck_assert_int_eq(pwrite(fd, &other, 1, at), 1);
		expect_damaged(fd);
		ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	}
	ck_assert_int_eq(ftruncate(fd, size - 1), 0);
	expect_damaged(fd);
	close(fd);
}
END_TEST

/* A table whose field @what is @bad is refused, though its checksum is right. */
#define REFUSE(what, bad)                                                                          \
	do {                                                                                       \
		__auto_type was = (what);                                                          \
                                                                                                   \
		(what) = (bad);                                                                    \
		ck_assert_int_eq(write_and_read(&made), -EBADMSG);                                 \
		(what) = was;                                                                      \
	} while (0)

START_TEST(refused_tables)
{
	struct unwind_page two_pages[] = {{0, 2}, {2, 1}};
	uint32_t rows_of[] = {UNWIND_ROW(0, 1), UNWIND_ROW(5, 0), UNWIND_ROW(0, 1)};
	struct unwind_rule rules[] = {{0}, {.cfa = UNWIND_CFA_REG, .cfa_reg = 7}};
	struct unwind_table made = {0x10000, 2, 3, 2, two_pages, rows_of, rules, {1}};

	ck_assert_int_eq(write_and_read(&made), 0);
	REFUSE(made.first_off, 0x8000);
	REFUSE(made.first_off, UINT64_MAX << 16);
	REFUSE(made.nr_rules, 0);
	REFUSE(made.nr_rules, 1);
	REFUSE(made.nr_rows, 2);
	REFUSE(made.nr_pages, 1); /* a row that belongs to no page */
	REFUSE(two_pages[0].first_row, 1);
	REFUSE(two_pages[0].nr_rows, 1);
	REFUSE(two_pages[1].first_row, 0);
	REFUSE(two_pages[1].first_row, UINT32_MAX);
	REFUSE(two_pages[1].nr_rows, 2);
	REFUSE(two_pages[1].nr_rows, UINT32_MAX);
	REFUSE(rows_of[0], UNWIND_ROW(1, 1));
	REFUSE(rows_of[1], UNWIND_ROW(0, 0));
	REFUSE(rows_of[1], UNWIND_ROW(5, 2));
	REFUSE(rules[0].cfa, UNWIND_CFA_REG);
	REFUSE(rules[1].cfa, UNWIND_CFA_UNSUPPORTED + 1);
	REFUSE(rules[1].cfa_reg, UNWIND_NR_REGS);
	REFUSE(rules[1].ra, UNWIND_RA_UNSUPPORTED + 1);
	REFUSE(rules[1].ra_reg, UNWIND_NR_REGS);
	REFUSE(rules[1].fp, UNWIND_SAVED_LOST + 1);
	REFUSE(rules[1].kept, UNWIND_SAVED_LOST + 1);
	REFUSE(rules[1].is_instead, 2);
	REFUSE(rules[1].reserved, 1);
}
END_TEST

SUITE_MAIN_WITH("unwind_table", begin, end, rows, pages, overlaps, system_calls,
		system_calls_without_gap, outside_of_code, entry, stubs_begin_with_their_section,
		too_many_rules, too_many_functions, no_memory, refused_files, compressed, bytes,
		damaged_bytes, refused_tables)
