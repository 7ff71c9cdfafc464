// SPDX-License-Identifier: GPL-2.0-or-later
/* The code that processes chose. The test plays the processes (--wrap). */
#include "record/probes/indirect_functions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "record/probes/mapped_code.h"
#include "record/looks/resident_memory.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

/* Addresses of the library as linked. */
#define RESOLVER (CODE_VADDR + 0x400)
#define CHOSEN   (CODE_VADDR + 0x10)
#define OTHER    (CODE_VADDR + 0x40)
#define OWN_SLOT 0x600000

/* Where a process has the library, and a file that calls its function. */
#define LIBRARY_AT  0x7f0000000000
#define LIBRARY_ADD (LIBRARY_AT - CODE_VADDR)
#define CALLER_AT   0x560000000000
#define CALLER_ADD  (CALLER_AT - CODE_VADDR)
#define CALLER_SLOT 0x700000

struct word {
	uint32_t pid;
	uint64_t addr, value;
};

static struct {
	struct mapped_code code[4];
	int fds[4]; /* of the mapped files */
	size_t nr_code, nr_opened;
	struct word words[4];
	size_t nr_words;
	uint32_t asked[128];
	size_t nr_asked;
	uint32_t without;              /* has nothing mapped */
	uint32_t nr_entries, at_entry; /* of /proc */
} played;

static struct library library;
static struct user_functions found;
static bool has_other_function;

int __wrap_mapped_code_read(uint32_t pid, mapped_code_vec *code);
int __wrap_mapped_code_open(uint32_t pid, const struct mapped_code *code);
long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len);
struct dirent *__wrap_readdir64(DIR *dir);

int __wrap_mapped_code_read(uint32_t pid, mapped_code_vec *code)
{
	ck_assert_uint_lt(played.nr_asked, ARRAY_SIZE(played.asked));
	played.asked[played.nr_asked++] = pid;
	for (size_t i = 0; i < played.nr_code && pid != played.without; i++) {
		struct mapped_code new = played.code[i];

		new.path = strdup(new.path);
		ck_assert_int_eq(vec_push(code, new), 0);
	}
	return 0;
}

int __wrap_mapped_code_open(uint32_t pid, const struct mapped_code *code)
{
	(void)pid;
	played.nr_opened++;
	for (size_t i = 0; i < played.nr_code; i++)
		if (played.code[i].start == code->start)
			return fcntl(played.fds[i], F_DUPFD_CLOEXEC, 0);
	return -ENOENT;
}

long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len)
{
	for (size_t i = 0; i < played.nr_words; i++)
		if (played.words[i].addr == addr &&
		    (!played.words[i].pid || played.words[i].pid == m->pid)) {
			memcpy(buf, &played.words[i].value, len);
			return len;
		}
	return -EFAULT;
}

struct dirent *__wrap_readdir64(DIR *dir)
{
	static struct dirent entry;

	(void)dir;
	if (played.at_entry == played.nr_entries)
		return NULL;
	snprintf(entry.d_name, sizeof(entry.d_name), played.at_entry ? "%u" : "self",
		 played.at_entry);
	played.at_entry++;
	return &entry;
}

/* Two functions that the tables for unwinding know. */
static const frames *library_frames(void)
{
	static frames f;
	size_t cie;

	f.nr = 0;
	cie = put_usual_cie(&f);
	put_fde(&f, cie, CHOSEN, 0x10, NO_BYTES);
	put_fde(&f, cie, OTHER, 0x10, NO_BYTES);
	return &f;
}

static void (*spoil_library)(Elf64_Ehdr *, Elf64_Phdr *, Elf64_Shdr *);

/* The library, which fills slots of its own by @nr relocations. */
static int make_library_with(const Elf64_Rela *relas, size_t nr)
{
	const struct test_section section = {".rela.plt", SHT_RELA, 0, relas, nr * sizeof(*relas)};
	const struct test_elf spec = {.more = &section, .nr_more = 1, .spoil = spoil_library};

	return make_elf(&spec, library_frames()->data, library_frames()->nr);
}

static Elf64_Rela own_rela(uint32_t type, uint64_t slot, uint64_t resolver)
{
	return (Elf64_Rela){
		.r_offset = slot, .r_info = ELF64_R_INFO(0, type), .r_addend = resolver};
}

/* As above, by one relocation of @type. */
static int make_library(uint32_t type, uint64_t resolver)
{
	const Elf64_Rela rela = own_rela(type, OWN_SLOT, resolver);

	return make_library_with(&rela, 1);
}

/* The relocations stand before their symbols, and these before their names. */
static void link_sections(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sections)
{
	(void)eh, (void)ph;
	sections[1].sh_type = SHT_RELA;
	sections[1].sh_link = 3;
	sections[3].sh_link = 4;
}

static void (*link_caller)(Elf64_Ehdr *, Elf64_Phdr *, Elf64_Shdr *) = link_sections;

struct caller {
	uint32_t type, symbol, name; /* of the relocation, the number of its symbol, its name */
};

static const char names[] = "\0memcpy\0memmove";

#define NAME_MEMCPY  1
#define NAME_MEMMOVE 8

#define CALLS_MAX 4

/* Each call has a slot, one after the other; symbol 1 has the name of the last one. */
static int make_caller_of(const struct caller *calls, size_t nr)
{
	const Elf64_Sym symbols[2] = {{0}, {.st_name = calls[nr - 1].name}};
	Elf64_Rela relas[CALLS_MAX];
	const struct test_section sections[] = {
		{".dynsym", SHT_DYNSYM, 0, symbols, sizeof(symbols)},
		{".dynstr", SHT_STRTAB, 0, names, sizeof(names)},
	};
	const struct test_elf spec = {.name = ".rela.plt",
				      .spoil = link_caller,
				      .more = sections,
				      .nr_more = ARRAY_SIZE(sections)};

	for (size_t i = 0; i < nr; i++)
		relas[i] = (Elf64_Rela){
			.r_offset = CALLER_SLOT + 8 * i,
			.r_info = ELF64_R_INFO((uint64_t)calls[i].symbol, calls[i].type)};
	return make_elf(&spec, (const uint8_t *)relas, nr * sizeof(relas[0]));
}

static int make_caller(const struct caller *caller)
{
	return make_caller_of(caller, 1);
}

static void add_code(const char *path, int fd, uint64_t start, uint64_t pgoff)
{
	size_t nr = played.nr_code++;

	played.code[nr] = (struct mapped_code){start, start + CODE_SIZE, pgoff, NULL};
	played.code[nr].path = (char *)(uintptr_t)path;
	played.fds[nr] = fd;
}

static void add_word(uint32_t pid, uint64_t addr, uint64_t value)
{
	played.words[played.nr_words++] = (struct word){pid, addr, value};
}

static void begin_with(int library_fd)
{
	static char path[] = "/lib/libc-2.31.so";
	struct stat st;

	memset(&played, 0, sizeof(played));
	ck_assert_int_eq(fstat(library_fd, &st), 0);
	library = (struct library){library_fd, path, st.st_dev, st.st_ino};
	add_code("/lib/libc.so.6", library_fd, LIBRARY_AT, CODE_OFF);
}

static void begin(void)
{
	begin_with(make_library(R_X86_64_IRELATIVE, RESOLVER));
}

/* Resolves memcpy for processes 1 to @nr. Returns how many places were found. */
static size_t resolve(size_t nr)
{
	uint32_t numbers[] = {1, 2, 3};
	const u32_vec pids = {numbers, nr, ARRAY_SIZE(numbers)};
	struct indirect_function functions[] = {{.resolver = RESOLVER}, {.resolver = RESOLVER + 1}};

	user_functions_deinit(&found);
	found = (struct user_functions){0};
	functions[0].name = strdup("memcpy");
	if (has_other_function)
		functions[1].name = strdup("memmove");
	ck_assert_int_eq(vec_append(&found.indirect, functions, 1 + has_other_function), 0);
	ck_assert_int_eq(indirect_functions_resolve(&library, &pids, &found), 0);
	return found.places.nr;
}

static void expect_place(uint64_t vaddr)
{
	ck_assert_uint_eq(resolve(1), 1);
	ck_assert(found.indirect.data[0].is_settled);
	ck_assert_uint_eq(found.places.data[0].off, vaddr - CODE_VADDR + CODE_OFF);
	ck_assert(found.places.data[0].is_entry);
}

static void expect_none(void)
{
	ck_assert_uint_eq(resolve(1), 0);
	ck_assert(!found.indirect.data[0].is_settled);
}

START_TEST(slots_of_the_library_itself)
{
	static const uint64_t no_choices[] = {
		LIBRARY_ADD + RESOLVER,               /* the slot was not used yet */
		LIBRARY_ADD + CHOSEN + 1,             /* the middle of a function */
		LIBRARY_ADD + CODE_VADDR + 0x20,      /* behind a function */
		LIBRARY_ADD + CODE_VADDR + CODE_SIZE, /* no code */
		LIBRARY_ADD + CODE_VADDR - 1,
		CHOSEN,
	};

	begin();
	expect_none(); /* the slot cannot be read */
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	expect_place(CHOSEN);
	played.words[0].value = LIBRARY_ADD + OTHER;
	expect_place(OTHER);
	for (size_t i = 0; i < ARRAY_SIZE(no_choices); i++) {
		played.words[0].value = no_choices[i];
		expect_none();
	}
	begin_with(make_library(R_X86_64_RELATIVE, RESOLVER));
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	expect_none();
	begin_with(make_library(R_X86_64_IRELATIVE, RESOLVER + 8));
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	expect_none();
}
END_TEST

START_TEST(slots_of_callers)
{
	static const struct {
		struct caller caller;
		bool tells;
	} cases[] = {
		{{R_X86_64_JUMP_SLOT, 1, NAME_MEMCPY}, true},
		{{R_X86_64_GLOB_DAT, 1, NAME_MEMCPY}, true},
		{{R_X86_64_RELATIVE, 1, NAME_MEMCPY}, false},
		{{R_X86_64_IRELATIVE, 1, NAME_MEMCPY}, false},
		{{R_X86_64_JUMP_SLOT, 0, NAME_MEMCPY}, false},
		{{R_X86_64_JUMP_SLOT, 2, NAME_MEMCPY}, false},
		{{R_X86_64_JUMP_SLOT, 1, NAME_MEMMOVE}, false},
		{{R_X86_64_JUMP_SLOT, 1, sizeof(names)}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		add_code("/bin/app", make_caller(&cases[i].caller), CALLER_AT, CODE_OFF);
		add_word(1, CALLER_ADD + CALLER_SLOT, LIBRARY_ADD + CHOSEN);
		if (cases[i].tells)
			expect_place(CHOSEN);
		else
			expect_none();
	}
}
END_TEST

/* Relocations that tell nothing stand before those that do. */
START_TEST(every_slot_of_a_table)
{
	const Elf64_Rela relas[] = {
		own_rela(R_X86_64_RELATIVE, OWN_SLOT, RESOLVER),
		own_rela(R_X86_64_IRELATIVE, OWN_SLOT, RESOLVER + 8),
		own_rela(R_X86_64_IRELATIVE, OWN_SLOT + 16, RESOLVER + 1),
		own_rela(R_X86_64_IRELATIVE, OWN_SLOT + 8, RESOLVER),
	};
	static const struct caller calls[] = {
		{R_X86_64_RELATIVE, 1, NAME_MEMCPY},
		{R_X86_64_JUMP_SLOT, 0, NAME_MEMCPY},
		{R_X86_64_JUMP_SLOT, 9, NAME_MEMCPY},
		{R_X86_64_JUMP_SLOT, 1, NAME_MEMCPY},
	};

	begin_with(make_library_with(relas, ARRAY_SIZE(relas)));
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + OTHER);
	add_word(1, LIBRARY_ADD + OWN_SLOT + 8, LIBRARY_ADD + CHOSEN);
	expect_place(CHOSEN);
	has_other_function = true;
	add_word(1, LIBRARY_ADD + OWN_SLOT + 16, LIBRARY_ADD + OTHER);
	ck_assert_uint_eq(resolve(1), 2);
	ck_assert(found.indirect.data[0].is_settled && found.indirect.data[1].is_settled);
	has_other_function = false;
	begin();
	add_code("/bin/app", make_caller_of(calls, ARRAY_SIZE(calls)), CALLER_AT, CODE_OFF);
	add_word(1, CALLER_ADD + CALLER_SLOT, LIBRARY_ADD + OTHER);
	add_word(1, CALLER_ADD + CALLER_SLOT + 24, LIBRARY_ADD + CHOSEN);
	expect_place(CHOSEN);
}
END_TEST

static void link_no_symbols(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sections)
{
	link_sections(eh, ph, sections);
	sections[1].sh_link = UINT32_MAX / sizeof(Elf64_Shdr);
}

static void link_no_names(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sections)
{
	link_sections(eh, ph, sections);
	sections[3].sh_link = UINT32_MAX / sizeof(Elf64_Shdr);
}

/* Relocations without symbols, or these without names, do not tell whose slot it is. */
START_TEST(callers_that_are_damaged)
{
	static const struct caller caller = {R_X86_64_JUMP_SLOT, 1, NAME_MEMCPY};

	for (size_t i = 0; i < 3; i++) {
		link_caller = (void (*const[])(Elf64_Ehdr *, Elf64_Phdr *, Elf64_Shdr *)){
			link_no_symbols, link_no_names, link_sections}[i];
		begin();
		add_code("/bin/app", make_caller(&caller), CALLER_AT, CODE_OFF);
		add_word(1, CALLER_ADD + CALLER_SLOT, LIBRARY_ADD + CHOSEN);
		if (i < 2)
			expect_none();
		else
			expect_place(CHOSEN);
	}
}
END_TEST

/* The library itself is asked first, and no file more than is needed. */
START_TEST(who_is_asked_first)
{
	static const struct caller memcpy_caller = {R_X86_64_JUMP_SLOT, 1, NAME_MEMCPY};
	static const struct caller memmove_caller = {R_X86_64_JUMP_SLOT, 1, NAME_MEMMOVE};

	begin();
	add_code("/bin/app", make_caller(&memcpy_caller), CALLER_AT, CODE_OFF);
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + OTHER);
	add_word(1, CALLER_ADD + CALLER_SLOT, LIBRARY_ADD + CHOSEN);
	expect_place(OTHER);
	ck_assert_uint_eq(played.nr_opened, 1);
	/* The other function has not been told of, but this one has. */
	has_other_function = true;
	ck_assert_uint_eq(resolve(1), 1);
	ck_assert_uint_eq(played.nr_opened, 4);
	ck_assert_uint_eq(found.places.data[0].off, OTHER - CODE_VADDR + CODE_OFF);
	ck_assert(!found.indirect.data[1].is_settled);
	played.fds[1] = make_caller(&memmove_caller);
	ck_assert_uint_eq(resolve(1), 2);
	ck_assert_uint_eq(found.places.data[0].off, CHOSEN - CODE_VADDR + CODE_OFF);
	ck_assert(found.indirect.data[0].is_settled && found.indirect.data[1].is_settled);
	/* A file that is no ELF file tells nothing. */
	played.fds[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_uint_eq(resolve(1), 1);
}
END_TEST

/* A segment can be mapped in parts; other parts of the file have no code. */
START_TEST(places_of_the_library)
{
	static const struct {
		uint64_t start, pgoff;
		bool is_found;
	} cases[] = {
		{LIBRARY_AT, CODE_OFF, true},
		{LIBRARY_AT + 0x3000, CODE_OFF + 0x3000, true},
		{LIBRARY_AT + CODE_SIZE - 0x1000, CODE_OFF + CODE_SIZE - 0x1000, true},
		{LIBRARY_AT + CODE_SIZE, CODE_OFF + CODE_SIZE, false},
		{LIBRARY_AT - 0x1000, CODE_OFF - 0x1000, false},
		{LIBRARY_AT - CODE_OFF, 0, false},
	};

	begin();
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.code[0].start = cases[i].start;
		played.code[0].pgoff = cases[i].pgoff;
		if (cases[i].is_found)
			expect_place(CHOSEN);
		else
			expect_none();
	}
}
END_TEST

static void begin_within_page(Elf64_Ehdr *eh, Elf64_Phdr *ph, Elf64_Shdr *sections)
{
	(void)eh, (void)sections;
	ph->p_offset += 0x10;
	ph->p_vaddr += 0x10;
	ph->p_filesz -= 0x10;
	ph->p_memsz -= 0x10;
}

/* As lld links. The mapping begins before the segment, where its page does. */
START_TEST(a_segment_within_a_page)
{
	spoil_library = begin_within_page;
	begin();
	spoil_library = NULL;
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + OTHER);
	expect_place(OTHER);
}
END_TEST

/* By its name up to a dot or a dash, and by its inode. */
START_TEST(files_that_are_the_library)
{
	static const struct {
		const char *path;
		bool is_library;
	} cases[] = {{"/usr/lib/libc-2.31.so (deleted)", true},
		     {"/lib/libc.so.6", true},
		     {"/lib/libcap.so.2", true}, /* begins alike */
		     {"/lib/libd.so.2", false},
		     {"/lib/lib", false}};

	begin();
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played.code[0].path = (char *)(uintptr_t)cases[i].path;
		played.nr_opened = 0;
		if (cases[i].is_library)
			expect_place(CHOSEN);
		else
			expect_none();
		ck_assert_uint_eq(played.nr_opened, cases[i].is_library);
	}
	played.code[0].path = library.path;
	library.dev++;
	expect_none();
	library.dev--;
	library.inode++;
	expect_none();
	library.inode--;
	/* Another file of that name comes first. */
	add_code("/lib/libc.so.6", played.fds[0], LIBRARY_AT, CODE_OFF);
	played.fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	played.code[0].start = 0x1000;
	expect_place(CHOSEN);
	played.fds[0] = -1;
	expect_place(CHOSEN);
}
END_TEST

/* Processes that were named are all asked, since each may have chosen other code. */
START_TEST(processes_that_were_named)
{
	begin();
	add_word(1, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + OTHER);
	add_word(3, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	played.without = 2;
	ck_assert_uint_eq(resolve(3), 2);
	ck_assert_uint_eq(played.nr_asked, 3);
	ck_assert_uint_eq(found.places.data[0].off, CHOSEN - CODE_VADDR + CODE_OFF);
	ck_assert_uint_eq(found.places.data[1].off, OTHER - CODE_VADDR + CODE_OFF);
	/* What several have chosen is one place. */
	played.words[0].pid = 0;
	ck_assert_uint_eq(resolve(3), 1);
}
END_TEST

/*
 * Of the host, processes are asked until one has told, and no more than 64 that have the library.
 */
START_TEST(processes_of_the_host)
{
	begin();
	played.nr_entries = 100;
	played.without = 2;
	ck_assert_uint_eq(resolve(0), 0);
	ck_assert_uint_eq(played.nr_asked, 65);
	ck_assert_uint_eq(played.asked[0], 1);
	ck_assert_uint_eq(played.asked[64], 65);
	add_word(3, LIBRARY_ADD + OWN_SLOT, LIBRARY_ADD + CHOSEN);
	played.nr_asked = played.at_entry = 0;
	ck_assert_uint_eq(resolve(0), 1);
	ck_assert_uint_eq(played.nr_asked, 3);
	ck_assert(found.indirect.data[0].is_settled);
}
END_TEST

SUITE_MAIN("indirect_functions", slots_of_the_library_itself, slots_of_callers,
	   every_slot_of_a_table, callers_that_are_damaged, who_is_asked_first,
	   places_of_the_library, a_segment_within_a_page, files_that_are_the_library,
	   processes_that_were_named, processes_of_the_host)
