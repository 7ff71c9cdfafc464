// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks for functions of this program, whose code is known. */
#include "record/languages/files/moved_code.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"

/* The core calls the loop, a function that is marked as the loop is, and one without a mark. */
__asm__(".text\n"
	".macro BEGIN name\n"
	".type \\name, @function\n"
	"\\name: .cfi_startproc\n"
	".endm\n"
	".macro END name\n"
	"ret\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"BEGIN ruby_loop\n"
	"call ruby_core\n"
	"call ruby_send\n"
	"mov $0x11223344, %eax\n"
	"END ruby_loop\n"
	"BEGIN ruby_core\n"
	"call ruby_loop\n"
	"call ruby_send\n"
	"call ruby_plain\n"
	"END ruby_core\n"
	"BEGIN ruby_send\n"
	"mov $0x11223344, %eax\n"
	"END ruby_send\n"
	"BEGIN ruby_plain\n"
	"xor %eax, %eax\n"
	"END ruby_plain\n"
	"ruby_end:\n"
	/* Much jumps to a part that was moved, here and there, and some to others. The jumps are
	   long. */
	"BEGIN ruby_hot\n"
	".rept 3\n"
	"{disp32} je ruby_few\n"
	"{disp32} je ruby_cold + 1\n"
	".endr\n"
	".rept 5\n"
	"call ruby_send\n"
	"call ruby_hot\n"
	"{disp32} jne ruby_hot\n"
	"{disp32} jmp ruby_hot\n"
	"call ruby_plain\n"
	"call ruby_cold\n"
	"call ruby_colder + 1\n"
	".endr\n"
	"{disp32} je ruby_cold\n"
	"{disp32} jne ruby_colder\n"
	".rept 4\n"
	"{disp32} jne ruby_colder + 1\n"
	".endr\n"
	"END ruby_hot\n"
	"BEGIN ruby_few\n"
	".rept 4\n"
	"{disp32} je ruby_cold\n"
	".endr\n"
	"END ruby_few\n"
	"BEGIN ruby_cold\n"
	".rept 4\n"
	"{disp32} je ruby_few\n"
	".endr\n"
	"END ruby_cold\n"
	"BEGIN ruby_colder\n"
	".fill 64, 1, 0x90\n"
	"END ruby_colder\n"
	"BEGIN ruby_rare\n"
	".rept 3\n"
	"{disp32} je ruby_cold\n"
	".endr\n"
	"END ruby_rare\n"
	"BEGIN ruby_middle\n"
	".rept 4\n"
	"{disp32} je ruby_cold + 2\n"
	".endr\n"
	"END ruby_middle\n"
	"BEGIN ruby_last\n"
	"nop\n"
	"END ruby_last\n");
extern const char ruby_loop[], ruby_core[], ruby_send[], ruby_plain[], ruby_end[];
extern const char ruby_hot[], ruby_few[], ruby_cold[], ruby_colder[], ruby_rare[], ruby_middle[];
extern const char ruby_last[];

static struct dynamic_symbols symbols;
static uint64_t base;
static int fd;

static int take_base(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	base = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static void begin(void)
{
	dl_iterate_phdr(take_base, NULL);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(dynamic_symbols_init(&symbols, fd), 0);
}

static void end(void)
{
	dynamic_symbols_deinit(&symbols);
	close(fd);
}

static Elf64_Sym symbol_of(const char *first, const char *after)
{
	return (Elf64_Sym){.st_value = (uintptr_t)first - base, .st_size = after - first};
}

static bool has_mark(const uint8_t *code, uint64_t size)
{
	return memmem(code, size, "\x44\x33\x22\x11", 4) != NULL;
}

/* Two functions have the mark, one of which is not meant. */
START_TEST(called)
{
	const Elf64_Sym loop = symbol_of(ruby_loop, ruby_core);
	const Elf64_Sym core = symbol_of(ruby_core, ruby_send);
	const Elf64_Sym send = symbol_of(ruby_send, ruby_plain);
	Elf64_Sym found = {0};

	ck_assert_int_eq(moved_code_find_called(&symbols, &core, 0, has_mark, &found), -ENOENT);
	ck_assert_int_eq(moved_code_find_called(&symbols, &core, loop.st_value, has_mark, &found),
			 0);
	ck_assert_uint_eq(found.st_value, send.st_value);
	ck_assert_uint_eq(found.st_size, send.st_size);
	/* The core is a part of the loop. */
	ck_assert_int_eq(moved_code_find_called(&symbols, &loop, loop.st_value, has_mark, &found),
			 0);
	ck_assert_uint_eq(found.st_value, send.st_value);
}
END_TEST

START_TEST(common)
{
	const Elf64_Sym loop = symbol_of(ruby_loop, ruby_core);
	const Elf64_Sym core = symbol_of(ruby_core, ruby_send);
	const Elf64_Sym plain = symbol_of(ruby_plain, ruby_end);
	const Elf64_Sym hot = symbol_of(ruby_hot, ruby_few);
	Elf64_Sym found = {0};

	ck_assert_int_eq(moved_code_find_common(&symbols, &loop, &core, &found), 0);
	ck_assert_uint_eq(found.st_value, (uintptr_t)ruby_send - base);
	ck_assert_uint_eq(found.st_size, ruby_plain - ruby_send);
	/* It may be called first. */
	ck_assert_int_eq(moved_code_find_common(&symbols, &loop, &hot, &found), 0);
	ck_assert_int_eq(moved_code_find_common(&symbols, &hot, &loop, &found), 0);
	ck_assert_uint_eq(found.st_value, (uintptr_t)ruby_send - base);
	ck_assert_int_eq(moved_code_find_common(&symbols, &loop, &plain, &found), -ENOENT);
	ck_assert_int_eq(moved_code_find_largest(&symbols, &loop, &found), 0);
	ck_assert_uint_eq(found.st_value, core.st_value);
}
END_TEST

static void expect_moved(const Elf64_Sym *function, const char *first, const char *after)
{
	uint64_t from = 1, to = 1;

	ck_assert_int_eq(moved_code_find(&symbols, function, &from, &to), 0);
	ck_assert_uint_eq(from, first ? (uintptr_t)first - base : 0);
	ck_assert_uint_eq(to, first ? (uintptr_t)after - base : 0);
}

/* It is where most jumps lead that are no calls and leave the function, and four at least. */
START_TEST(moved)
{
	const Elf64_Sym hot = symbol_of(ruby_hot, ruby_few);
	const Elf64_Sym few = symbol_of(ruby_few, ruby_cold);
	const Elf64_Sym cold = symbol_of(ruby_cold, ruby_colder);
	const Elf64_Sym rare = symbol_of(ruby_rare, ruby_middle);
	const Elf64_Sym middle = symbol_of(ruby_middle, ruby_last);

	expect_moved(&hot, ruby_colder, ruby_rare);
	expect_moved(&few, ruby_cold, ruby_colder);
	expect_moved(&cold, ruby_few, ruby_cold);
	expect_moved(&rare, NULL, NULL);
	expect_moved(&middle, ruby_cold, ruby_colder);
}
END_TEST

/* No call is a jump under a condition, one within the function, or one into another. */
START_TEST(largest)
{
	const Elf64_Sym hot = symbol_of(ruby_hot, ruby_few);
	const Elf64_Sym plain = symbol_of(ruby_plain, ruby_end);
	Elf64_Sym found;

	ck_assert_int_eq(moved_code_find_largest(&symbols, &hot, &found), 0);
	ck_assert_uint_eq(found.st_value, (uintptr_t)ruby_cold - base);
	ck_assert_uint_eq(found.st_size, ruby_colder - ruby_cold);
	ck_assert_int_eq(moved_code_find_largest(&symbols, &plain, &found), -ENOENT);
}
END_TEST

START_TEST(code_that_cannot_be_read)
{
	const Elf64_Sym far = {.st_value = UINT64_MAX / 2, .st_size = 16};
	const Elf64_Sym loop = symbol_of(ruby_loop, ruby_core);
	Elf64_Sym found;
	uint64_t from, to;

	ck_assert_int_eq(moved_code_find(&symbols, &far, &from, &to), -ENOENT);
	ck_assert_int_eq(moved_code_find_largest(&symbols, &far, &found), -ENOENT);
	ck_assert_int_eq(moved_code_find_called(&symbols, &far, 0, has_mark, &found), -ENOENT);
	ck_assert_int_eq(moved_code_find_common(&symbols, &far, &loop, &found), -ENOENT);
	ck_assert_int_eq(moved_code_find_common(&symbols, &loop, &far, &found), -ENOENT);
}
END_TEST

SUITE_MAIN_WITH("moved_code", begin, end, called, common, moved, largest, code_that_cannot_be_read)
