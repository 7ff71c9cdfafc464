// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/go_labels.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "record/looks/exported_variable.h"
#include "record/host/host_abi.h"
#include "tests/unit/suite.h"

static struct go_runtime go;

static int look_up(const char *version)
{
	return go_labels_layout(version, strlen(version), &go);
}

START_TEST(known)
{
	static const struct {
		const char *version;
		unsigned int curg, labels;
		bool is_map;
	} versions[] = {
		{"go1.19", 192, 360, true},     {"go1.20.14", 192, 360, true},
		{"go1.21rc2", 192, 344, true},  {"go1.22.2", 192, 344, true},
		{"go1.23.1", 192, 352, true},   {"go1.24.4 X:noswissmap", 192, 352, false},
		{"go1.25.12", 184, 344, false}, {"go1.26.10", 184, 352, false},
		{"go1.27.3", 184, 352, false},
	};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		ck_assert_int_eq(look_up(versions[i].version), 0);
		ck_assert_uint_eq(go.m, 48);
		ck_assert_uint_eq(go.curg, versions[i].curg);
		ck_assert_uint_eq(go.labels, versions[i].labels);
		ck_assert_uint_eq(go.is_map, versions[i].is_map);
	}
}
END_TEST

START_TEST(unknown)
{
	static const char *const versions[] = {"",
					       "go",
					       "go1.",
					       "go1.18.10",
					       "go1.28",
					       "go2.20",
					       "xo1.19",
					       "go1.4294967317",
					       "go1.199",
					       "1.19",
					       "devel go1.24-af278bfb1f"};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		ck_assert_int_eq(look_up(versions[i]), -ENOENT);
	/* the digit behind the end does not count */
	ck_assert_int_eq(go_labels_layout("go1.19", 5, &go), -ENOENT);
}
END_TEST

/* Where the process has its executable, where that is linked, and its variables from there on. */
#define BASE      0x7f0000000000
#define LINKED    0x10000
#define VARIABLES 0x20000

/* The memory of the process: the beginning of the executable, and its variables. */
static struct {
	Elf64_Ehdr header;
	Elf64_Phdr segments[5];
	char notes[64];
} image;
static char variables[40000];
static uint64_t headers_at;

uint64_t __wrap_executable_headers(uint32_t pid);
long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len);

uint64_t __wrap_executable_headers(uint32_t pid)
{
	ck_assert_uint_eq(pid, 7);
	return headers_at;
}

static long read_part(const void *part, size_t size, uint64_t at, uint64_t addr, void *buf,
		      size_t len)
{
	size_t nr = len < size - (addr - at) ? len : size - (addr - at);

	memcpy(buf, (const char *)part + (addr - at), nr);
	return nr;
}

long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len)
{
	ck_assert_uint_eq(m->pid, 7);
	if (addr - BASE < sizeof(image))
		return read_part(&image, sizeof(image), BASE, addr, buf, len);
	if (addr - (BASE + VARIABLES) < sizeof(variables))
		return read_part(variables, sizeof(variables), BASE + VARIABLES, addr, buf, len);
	return -EFAULT;
}

/* Puts the build information at @at of the variables. */
static void put_build(size_t at, const char *version)
{
	char *info = variables + at;

	memcpy(info, "\xff Go buildinf:", 14);
	info[14] = 8;
	info[15] = 2;
	info[32] = strlen(version);
	memcpy(info + 33, version, strlen(version));
}

/* Go's name ends with two NULs. */
static void put_note(size_t at, const char *name, uint32_t descsz)
{
	const Elf64_Nhdr note = {.n_namesz = 4, .n_descsz = descsz, .n_type = 4};

	memcpy(image.notes + at, &note, sizeof(note));
	strcpy(image.notes + at + sizeof(note), name);
}

static void begin(void)
{
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3},
		.e_machine = HOST_MACHINE,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ARRAY_SIZE(image.segments),
	};
	const Elf64_Phdr segments[] = {
		{.p_type = PT_NOTE,
		 .p_vaddr = LINKED + ((char *)image.notes - (char *)&image),
		 .p_memsz = sizeof(image.notes)},
		{.p_type = PT_TLS, .p_memsz = 8},
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = LINKED, .p_filesz = 4096},
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 1, .p_offset = 1},
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_W,
		 .p_vaddr = LINKED + VARIABLES,
		 .p_offset = VARIABLES,
		 .p_filesz = sizeof(variables)},
	};

	memset(&image, 0, sizeof(image));
	memset(variables, 0, sizeof(variables));
	image.header = header;
	memcpy(image.segments, segments, sizeof(segments));
	put_note(0, "GNU", 5);
	put_note(24, "Go", 8);
	headers_at = BASE + sizeof(header);
}

static int find(void)
{
	struct resident_memory memory = RESIDENT_MEMORY_INIT(7);
	struct thread_context found = {0};
	int ret = go_labels_find(&memory, &found);

	if (ret)
		return ret;
	ck_assert_int_eq(found.offset, HOST_TLS_ABOVE ? HOST_TLS_ABOVE : -8);
	go = found.go;
	return 0;
}

START_TEST(versions_of_programs)
{
	static const size_t places[] = {0, 16, 16384 - 16, 16384, 32768, sizeof(variables) - 96};

	begin();
	ck_assert_int_eq(find(), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		begin();
		put_build(places[i], "go1.22.2");
		ck_assert_int_eq(find(), 0);
		ck_assert_uint_eq(go.labels, 344);
		/* It is at every 16th byte. */
		begin();
		put_build(places[i] + 8, "go1.22.2");
		ck_assert_int_eq(find(), -ENOENT);
	}
	begin();
	image.segments[4].p_vaddr += 7;
	put_build(0, "go1.22.2");
	ck_assert_int_eq(find(), 0);
	/* The version has its length, and stands there itself. */
	variables[32] = 63;
	ck_assert_int_eq(find(), 0);
	variables[32] = 64;
	ck_assert_int_eq(find(), -ENOENT);
	variables[32] = 8;
	variables[15] = 0;
	ck_assert_int_eq(find(), -ENOENT);
	begin();
	put_build(64, "go1.22.2");
	image.segments[4].p_filesz = 64;
	ck_assert_int_eq(find(), -ENOENT);
	image.segments[4].p_filesz = 64 + 16;
	ck_assert_int_eq(find(), 0);
	image.segments[4].p_flags = PF_R;
	ck_assert_int_eq(find(), -ENOENT);
	/* The memory ends in the middle of it. */
	begin();
	put_build(sizeof(variables) - 80, "go1.22.2");
	ck_assert_int_eq(find(), -ENOENT);
}
END_TEST

START_TEST(programs_in_other_languages)
{
	begin();
	put_build(0, "go1.22.2");
	ck_assert_int_eq(find(), 0);
	image.segments[1].p_memsz = 9; /* variables of threads of C */
	ck_assert_int_eq(find(), -ENOENT);
	image.segments[1].p_memsz = 0;
	ck_assert_int_eq(find(), 0);
	image.segments[0].p_type = PT_NULL;
	ck_assert_int_eq(find(), -ENOENT);
	image.segments[0].p_type = PT_NOTE;
	image.notes[24 + sizeof(Elf64_Nhdr)] = 'g';
	ck_assert_int_eq(find(), -ENOENT);
	put_note(24, "Go", 8);
	/* A note ends behind all notes. */
	image.segments[0].p_memsz = 24 + sizeof(Elf64_Nhdr) + 4 + 8;
	put_note(24, "Go", 8);
	image.notes[24] = 3;
	ck_assert_int_eq(find(), -ENOENT);
	image.notes[24] = 4;
	ck_assert_int_eq(find(), 0);
	image.segments[0].p_memsz--;
	ck_assert_int_eq(find(), -ENOENT);
	image.segments[0].p_memsz = 4096; /* of which not all is there */
	ck_assert_int_eq(find(), -ENOENT);
}
END_TEST

START_TEST(headers_of_no_program)
{
	begin();
	put_build(0, "go1.22.2");
	ck_assert_int_eq(find(), 0);
	image.header.e_machine++;
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_machine--;
	image.header.e_ident[0]++;
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_ident[0]--;
	image.header.e_phoff++;
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_phoff--;
	image.header.e_phentsize++;
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_phentsize--;
	image.header.e_phnum = 65;
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_phnum = 8; /* not all can be read */
	ck_assert_int_eq(find(), -ENOENT);
	image.header.e_phnum = 5;
	ck_assert_int_eq(find(), 0);
	headers_at = 0;
	ck_assert_int_eq(find(), -ENOENT);
}
END_TEST

SUITE_MAIN("go_labels", known, unknown, versions_of_programs, programs_in_other_languages,
	   headers_of_no_program)
