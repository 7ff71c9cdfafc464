// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of code as processes register it, in the memory of the test, which says what LLVM's say. */
#include "record/machines/registered_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/cfi/unwind_table.h"
#include "record/looks/looker.h"
#include "tests/programs/registered_object.h"
#include "tests/unit/suite.h"

#define NR_OBJECTS 2

static struct object objects[NR_OBJECTS];
static struct jit_code_entry entries[NR_OBJECTS];
static struct jit_descriptor list;
static uint8_t memory[NR_OBJECTS][4096];
static size_t nr_reads, nr_bytes;

/* How often somebody may ask whether a look has taken too long, before it has. */
static size_t nr_asks_left;

bool __wrap_look_is_long(const struct look *look);
bool __wrap_look_is_long(const struct look *look)
{
	(void)look;
	nr_asks_left -= nr_asks_left > 0;
	return !nr_asks_left;
}

/* CPU time, and how much more there is each time that somebody asks. */
static uint64_t cpu_ns, cpu_step_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(clock, ts);
	*ts = (struct timespec){.tv_sec = cpu_ns / NS_PER_S, .tv_nsec = cpu_ns % NS_PER_S};
	cpu_ns += cpu_step_ns;
	return 0;
}

static long read_own(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = {buf, len}, remote = {(void *)(uintptr_t)addr, len}; /* NOLINT */

	(void)ctx;
	nr_reads++;
	nr_bytes += len;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

static const struct machine_memory own = {.read = read_own};

static uint64_t address(const void *at)
{
	return (uintptr_t)at;
}

static void begin_list(void)
{
	memset(objects, 0, sizeof(objects));
	compile_object(&objects[0], "first", memory[0], 24);
	compile_object(&objects[1], "second", memory[1], 104);
	for (int i = 0; i < NR_OBJECTS; i++)
		entries[i] = (struct jit_code_entry){.symfile_addr = &objects[i],
						     .symfile_size = sizeof(objects[i])};
	entries[0].next = &entries[1];
	list = (struct jit_descriptor){.version = 1, .first_entry = &entries[0]};
	nr_reads = nr_bytes = 0;
}

static int find(struct registered_code *found)
{
	return registered_code_read(&own, address(&list), found);
}

static char *text;

static int name_all(void)
{
	size_t nr;
	FILE *out;
	int ret;

	free(text);
	out = open_memstream(&text, &nr);
	ret = registered_code_name(&own, address(&list), out);
	fclose(out);
	return ret;
}

/* Makes the table of the list. Returns the result of registered_code_write. */
static int make_table(uint64_t base, struct unwind_table *table)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	int ret = registered_code_write(&own, address(&list), base, fd);

	ck_assert(ret || !unwind_table_build(fd, table));
	close(fd);
	return ret;
}

/* The distance of the CFA from rsp at @at; 0: there is no rule. */
static int64_t frame_at(const struct unwind_table *table, uint64_t base, const uint8_t *at)
{
	const struct unwind_rule *rule = unwind_table_find(table, address(at) - base);

	return rule->cfa == UNWIND_CFA_REG ? rule->cfa_off : 0;
}

START_TEST(code_has_rules)
{
	struct registered_code found;
	struct unwind_table table;

	begin_list();
	ck_assert_int_eq(find(&found), 0);
	ck_assert_uint_lt(address(memory[0]) - found.base, REGISTERED_CODE_SPAN);
	ck_assert_int_eq(make_table(found.base, &table), 0);
	for (int i = 0; i < NR_OBJECTS; i++) {
		ck_assert_int_eq(frame_at(&table, found.base, memory[i]), 8);
		ck_assert_int_eq(frame_at(&table, found.base, memory[i] + 6), i ? 112 : 32);
		ck_assert_int_eq(frame_at(&table, found.base, memory[i] + 10), 8);
		ck_assert_int_eq(frame_at(&table, found.base, memory[i] + sizeof(code)), 0);
	}
	unwind_table_deinit(&table);
}
END_TEST

START_TEST(functions_have_names)
{
	char expected[128];

	begin_list();
	ck_assert_int_eq(name_all(), 0);
	snprintf(expected, sizeof(expected), "%lx b second\n%lx b first\n", address(memory[1]),
		 address(memory[0]));
	ck_assert_str_eq(text, expected);
	/* Where objects overlap the newest counts, as later lines do. */
	objects[0].sections[TEXT].sh_addr = address(memory[1] + 4);
	ck_assert_int_eq(name_all(), 0);
	snprintf(expected, sizeof(expected), "%lx b second\n%lx b first\n", address(memory[1]),
		 address(memory[1] + 4));
	ck_assert_str_eq(text, expected);
	/* Symbols of linked objects have addresses. */
	objects[0].header.e_type = ET_EXEC;
	objects[0].symbols[1].st_value = 0x1000;
	entries[0].next = NULL;
	ck_assert_int_eq(name_all(), 0);
	ck_assert_str_eq(text, "1000 b first\n");
}
END_TEST

/* A list that is no longer the same has another number, also with an object at the same place. */
START_TEST(changes_are_seen)
{
	struct registered_code before, after;

	begin_list();
	ck_assert_int_eq(find(&before), 0);
	ck_assert_int_eq(find(&after), 0);
	ck_assert_uint_eq(before.seen, after.seen);
	compile_object(&objects[0], "third", memory[0], 24);
	ck_assert_int_eq(find(&after), 0);
	ck_assert_uint_ne(before.seen, after.seen);
	list.first_entry = &entries[1];
	ck_assert_int_eq(find(&before), 0);
	ck_assert_uint_ne(before.seen, after.seen);
	list.first_entry = NULL;
	ck_assert_int_eq(find(&after), -ENOENT);
}
END_TEST

START_TEST(other_lists_are_refused)
{
	struct registered_code found;

	begin_list();
	list.version = 2;
	ck_assert_int_eq(find(&found), -ENOTSUP);
	ck_assert_int_eq(name_all(), -ENOTSUP);
	ck_assert_int_eq(registered_code_read(&own, 8, &found), -EFAULT);
	/* Erlang's objects are no ELF files. */
	begin_list();
	for (int i = 0; i < NR_OBJECTS; i++)
		memset(&objects[i].header, 0, sizeof(objects[i].header));
	entries[1].symfile_size = 8;
	ck_assert_int_eq(find(&found), -ENOTSUP);
	/* ELF files without code are no other list. */
	begin_list();
	for (int i = 0; i < NR_OBJECTS; i++)
		objects[i].sections[TEXT].sh_size = 0;
	ck_assert_int_eq(find(&found), -ENOENT);
	/* Nor are those that nobody understands here. */
	begin_list();
	objects[0].header.e_shnum = 257;
	entries[1].symfile_size = offsetof(struct object, sections[1]);
	ck_assert_int_eq(find(&found), -ENOENT);
	entries[0].next = NULL;
	entries[0].symfile_size = 8;
	ck_assert_int_eq(find(&found), -ENOENT);
}
END_TEST

/* Whatever the process is taking off the list may be another one when it is looked at again. */
START_TEST(what_cannot_be_read_may_change)
{
	struct registered_code found;

	begin_list();
	memset(&objects[0].header, 0, sizeof(objects[0].header));
	entries[0].next = (void *)8; /* NOLINT */
	ck_assert_int_eq(find(&found), -EFAULT);
	entries[0].next = NULL;
	entries[0].symfile_addr = (void *)8; /* NOLINT */
	ck_assert_int_eq(find(&found), -EFAULT);
	entries[0].symfile_addr = &objects[1];
	ck_assert_int_eq(find(&found), 0);
	/* One object with code is enough. */
	entries[0].next = (void *)8; /* NOLINT */
	ck_assert_int_eq(find(&found), 0);
	/* A list that had code may be empty for a moment, or of something else. */
	entries[0] = (struct jit_code_entry){.symfile_addr = &objects[0],
					     .symfile_size = sizeof(objects[0])};
	ck_assert_int_eq(name_all(), -EFAULT);
	ck_assert_int_eq(make_table(0, NULL), -EFAULT);
	list.first_entry = NULL;
	ck_assert_int_eq(name_all(), -EFAULT);
	ck_assert_int_eq(make_table(0, NULL), -EFAULT);
}
END_TEST

/* A list that goes in a circle ends, and entries that cannot be read are left out. */
START_TEST(lists_are_bounded)
{
	begin_list();
	entries[1].next = &entries[0];
	entries[0].symfile_addr = (void *)8; /* NOLINT */
	ck_assert_int_eq(name_all(), 0);
	ck_assert_uint_lt(nr_reads, 20000);
	list.first_entry = (void *)8; /* NOLINT */
	ck_assert_int_eq(name_all(), -EFAULT);
}
END_TEST

/* Breaks the first object. The second one is told of in any case. */
static void break_object(int how)
{
	struct object *o = &objects[0];

	begin_list();
	switch (how) {
	case 0:
		memset(&o->header, 0xff, sizeof(o->header));
		break;
	case 1:
		entries[0].symfile_size = sizeof(o->header) - 1;
		break;
	case 2:
		o->header.e_shoff = UINT64_MAX - 8;
		break;
	case 3:
		o->header.e_shnum = 257;
		break;
	case 4:
		o->header.e_shstrndx = NR_SECTIONS;
		break;
	case 5:
		entries[0].symfile_size = offsetof(struct object, sections[1]);
		break;
	case 6:
		o->header.e_machine = EM_386;
		break;
	}
}

START_TEST(broken_objects_are_left_out)
{
	const uint64_t base = address(memory) & -UINT64_C(0x10000);
	struct unwind_table table;

	break_object(_i);
	ck_assert_int_eq(name_all(), 0);
	ck_assert_ptr_null(strstr(text, "first"));
	ck_assert_ptr_nonnull(strstr(text, "second"));
	ck_assert_int_eq(make_table(base, &table), 0);
	ck_assert_int_eq(frame_at(&table, base, memory[0] + 6), 0);
	ck_assert_int_eq(frame_at(&table, base, memory[1] + 6), 112);
	unwind_table_deinit(&table);
}
END_TEST

/* Sizes that the object does not have bring no names and no rules; a huge one has no end. */
START_TEST(sections_are_within_bounds)
{
	struct object *o = &objects[0];
	struct unwind_table table;

	begin_list();
	entries[0].next = NULL;
	entries[0].symfile_size = UINT64_MAX;
	o->sections[FRAMES].sh_size = 1u << 30;
	ck_assert_int_eq(make_table(0, &table), -ENOENT);
	o->sections[FRAMES].sh_size = 40;
	o->sections[FRAMES].sh_addr = 8;
	ck_assert_int_eq(make_table(0, &table), -EFAULT);
	o->sections[SYMBOLS].sh_size = UINT64_MAX;
	o->sections[STRINGS].sh_size = UINT64_MAX;
	name_all();
	ck_assert_uint_lt(nr_reads, 100000);
	o->sections[SYMBOLS].sh_size = sizeof(o->symbols);
	o->sections[SYMBOLS].sh_link = UINT32_MAX;
	ck_assert_int_eq(name_all(), -ENOENT);
	o->symbols[1].st_shndx = UINT16_MAX;
	ck_assert_int_eq(name_all(), -ENOENT);
	o->symbols[1].st_shndx = TEXT;
	o->sections[SYMBOLS].sh_link = STRINGS;
	strcpy(o->strings + 1, "a\nb");
	o->sections[STRINGS].sh_size = 3;
	ck_assert_int_eq(name_all(), 0);
	ck_assert_ptr_nonnull(strstr(text, " a\n"));
	ck_assert_ptr_null(strstr(text, "b\n1"));
}
END_TEST

/* With so many CIEs that not all are known, an entry has no rules, and none for other code. */
START_TEST(cies_are_bounded)
{
	static struct {
		uint8_t cies[64][sizeof(cie)];
		struct frames last;
		uint8_t code[sizeof(code)];
	} __attribute__((packed)) many;
	const uint64_t base = min_u64(address(memory), address(&many)) & -UINT64_C(0x10000);
	const size_t unmoved = offsetof(typeof(many), code) + 6;

	for (int is_known = 0; is_known < 2; is_known++) {
		Elf64_Shdr *section = &objects[0].sections[FRAMES];
		struct unwind_table table;

		begin_list();
		for (size_t i = 0; i < ARRAY_SIZE(many.cies); i++)
			memcpy(many.cies[i], cie, sizeof(cie));
		memcpy(&many.last, memory[0] + FRAMES_OFF, sizeof(many.last));
		many.last.start = sizeof(many.last) - offsetof(struct frames, start);
		section->sh_addr = address(many.cies[is_known]);
		section->sh_size = address(many.code) - section->sh_addr;
		ck_assert_int_eq(make_table(base, &table), 0);
		ck_assert_int_eq(frame_at(&table, base, many.code + 6), is_known ? 32 : 0);
		ck_assert_int_eq(frame_at(&table, base, memory[1] + 6), 112);
		ck_assert_uint_ne(unwind_table_find(&table, unmoved)->cfa, UNWIND_CFA_REG);
		unwind_table_deinit(&table);
	}
}
END_TEST

/* Entries too far from the newest object for their numbers are of no other code. */
START_TEST(far_entries_are_left_out)
{
	const uint64_t base = (address(memory) + 0xe0000000) & -UINT64_C(0x10000);
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct unwind_table table;

	begin_list();
	ck_assert_int_eq(registered_code_write(&own, address(&list), base, fd), 0);
	ck_assert_int_eq(unwind_table_build(fd, &table), -ENODATA);
	close(fd);
}
END_TEST

/* An entry that is longer than its section hides none of the next one. */
START_TEST(long_entries_are_left_out)
{
	const uint64_t base = address(memory) & -UINT64_C(0x10000);
	const uint32_t length = 60;
	struct unwind_table table;

	begin_list();
	memcpy(memory[0] + FRAMES_OFF + offsetof(struct frames, length), &length, sizeof(length));
	ck_assert_int_eq(make_table(base, &table), 0);
	ck_assert_int_eq(frame_at(&table, base, memory[1] + 6), 112);
	unwind_table_deinit(&table);
}
END_TEST

/* Tables of a MiB are taken, and of all so many bytes as a file may have. */
START_TEST(tables_are_bounded)
{
	static uint8_t zeros[(1 << 20) + 1];
	int fd = memfd_create("made", MFD_CLOEXEC);

	begin_list();
	entries[0].next = &entries[0];
	objects[0].sections[FRAMES].sh_addr = address(zeros);
	objects[0].sections[FRAMES].sh_size = sizeof(zeros);
	ck_assert_int_eq(registered_code_write(&own, address(&list), 0, fd), -ENOENT);
	objects[0].sections[FRAMES].sh_size--;
	ck_assert_int_eq(registered_code_write(&own, address(&list), 0, fd), 0);
	ck_assert_int_gt(lseek(fd, 0, SEEK_CUR), 4 << 20);
	ck_assert_int_lt(lseek(fd, 0, SEEK_CUR), 9 << 20);
	close(fd);
}
END_TEST

/* Tables whose last page cannot be read take as much time as others. */
START_TEST(unreadable_tables_are_bounded)
{
	const size_t size = 1 << 20;
	uint8_t *tables = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct unwind_table table;

	ck_assert_ptr_ne(tables, MAP_FAILED);
	ck_assert_int_eq(mprotect(tables + size - 4096, 4096, PROT_NONE), 0);
	begin_list();
	entries[0].next = &entries[0];
	objects[0].sections[FRAMES].sh_addr = address(tables);
	objects[0].sections[FRAMES].sh_size = size;
	ck_assert_int_eq(make_table(0, &table), -EFAULT);
	ck_assert_uint_lt(nr_bytes, 16 << 20);
	munmap(tables, size);
}
END_TEST

/* Symbols of which no name comes have an end, too. */
START_TEST(work_is_bounded)
{
	begin_list();
	entries[0].next = &entries[0];
	entries[0].symfile_size = UINT64_MAX;
	objects[0].sections[SYMBOLS].sh_offset = 0;
	objects[0].sections[SYMBOLS].sh_size = UINT64_MAX;
	objects[0].symbols[1].st_info = 0;
	ck_assert_int_lt(name_all(), 0);
	ck_assert_uint_lt(nr_reads, 100000);
	/* Nor is there one of names that cannot be read. */
	begin_list();
	entries[0].next = &entries[0];
	entries[0].symfile_size = UINT64_MAX;
	objects[0].sections[STRINGS].sh_offset = 8 - address(&objects[0]);
	ck_assert_int_eq(name_all(), -EFAULT);
	ck_assert_uint_lt(nr_reads, 100000);
}
END_TEST

/* Many long names end, too. */
START_TEST(names_are_bounded)
{
	static struct {
		struct object object;
		Elf64_Sym symbols[8192];
		char names[258];
	} large;
	Elf64_Shdr *sections = large.object.sections;

	begin_list();
	compile_object(&large.object, "large", memory[0], 24);
	entries[0] = (struct jit_code_entry){&entries[0], NULL, &large, sizeof(large)};
	for (size_t i = 0; i < ARRAY_SIZE(large.symbols); i++)
		large.symbols[i] = large.object.symbols[1];
	memset(large.names + 1, 'n', sizeof(large.names) - 2);
	make_section(&large.object, SYMBOLS, ".symtab", SHT_SYMTAB,
		     offsetof(typeof(large), symbols), sizeof(large.symbols));
	make_section(&large.object, STRINGS, ".strtab", SHT_STRTAB, offsetof(typeof(large), names),
		     sizeof(large.names));
	sections[SYMBOLS].sh_link = STRINGS;
	ck_assert_int_eq(name_all(), 0);
	ck_assert_uint_gt(strlen(text), 1 << 20);
	ck_assert_uint_lt(strlen(text), (1 << 20) + 512);
}
END_TEST

/* Names are asked for until the time is over. Some were found by then. */
static void name_in_time(void)
{
	int fd = registered_code_describe(NULL, getpid(), address(&list));

	ck_assert_int_ge(fd, 0);
	ck_assert_int_gt(lseek(fd, 0, SEEK_END), 0);
	ck_assert_int_lt(lseek(fd, 0, SEEK_END), 1000);
	close(fd);
}

/* What a look that takes too long has found by then is its answer. */
START_TEST(time_is_bounded)
{
	const uint32_t pid = getpid();
	struct registered_code found;

	begin_list();
	nr_asks_left = SIZE_MAX;
	ck_assert_int_eq(registered_code_ask(NULL, pid, address(&list), &found), 0);
	nr_asks_left = 1;
	ck_assert_int_eq(registered_code_ask(NULL, pid, address(&list), &found), -EFAULT);
	entries[1].next = &entries[0];
	nr_asks_left = 100;
	name_in_time();
	/* So it is with CPU time, of which each question has as much. */
	nr_asks_left = SIZE_MAX;
	cpu_step_ns = 20 * NS_PER_MS;
	ck_assert_int_eq(registered_code_ask(NULL, pid, address(&list), &found), -EFAULT);
	cpu_step_ns = NS_PER_MS / 5;
	name_in_time();
	name_in_time();
	cpu_step_ns = 0;
}
END_TEST

SUITE_MAIN_LOOP("registered_code", broken_objects_are_left_out, 7, code_has_rules,
		functions_have_names, changes_are_seen, other_lists_are_refused,
		what_cannot_be_read_may_change, lists_are_bounded, sections_are_within_bounds,
		cies_are_bounded, far_entries_are_left_out, long_entries_are_left_out,
		tables_are_bounded, unreadable_tables_are_bounded, work_is_bounded,
		names_are_bounded, time_is_bounded)
