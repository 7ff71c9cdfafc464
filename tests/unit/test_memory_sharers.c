// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that share their memory, as the kernel compares them. The test answers (--wrap). */
#include "record/process/memory_sharers.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "tests/unit/suite.h"

#define PAGE UINT64_C(0x1000)

static struct address_spaces spaces;
static bool is_refused; /* by the kernel */
static size_t nr_compared;

long __wrap_syscall(long number, ...);

/* Processes whose numbers have the same last digit share their memory. */
long __wrap_syscall(long number, ...)
{
	uint32_t a, b;
	va_list args;

	ck_assert_int_eq(number, SYS_kcmp);
	va_start(args, number);
	a = va_arg(args, uint32_t);
	b = va_arg(args, uint32_t);
	ck_assert_int_eq(va_arg(args, int), KCMP_VM);
	va_end(args);
	nr_compared++;
	if (is_refused)
		return -1;
	return a % 10 == b % 10 ? 0 : a % 10 < b % 10 ? 1 : 2;
}

static void map(uint32_t pid, uint64_t page)
{
	struct mapping m = {.start = page * PAGE, .end = (page + 1) * PAGE};
	const struct mapped_file_key key = {.path = "/bin/app"};

	ck_assert_int_eq(mapped_files_get(&spaces.files, &key, &m.file), 0);
	ck_assert_int_eq(address_spaces_map(&spaces, pid, 1, &m), 0);
}

static const struct mapped_memory *memory_of(uint32_t pid)
{
	return address_spaces_find(&spaces, pid, UINT64_MAX)->memory;
}

static void end(void)
{
	address_spaces_deinit(&spaces);
}

START_TEST(processes_with_one_memory)
{
	static const uint32_t pids[] = {21, 12, 11, 32, 31, 13};

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		map(pids[i], 10);
	/* Others have other mappings, and are not compared. */
	map(41, 11);
	ck_assert_int_eq(address_spaces_exec(&spaces, 51, 1), 0);
	ck_assert_int_eq(address_spaces_exec(&spaces, 61, 1), 0);
	ck_assert_int_eq(memory_sharers_find(&spaces), 0);
	ck_assert_ptr_eq(memory_of(11), memory_of(21));
	ck_assert_ptr_eq(memory_of(11), memory_of(31));
	ck_assert_ptr_eq(memory_of(12), memory_of(32));
	ck_assert_ptr_ne(memory_of(11), memory_of(12));
	ck_assert_ptr_ne(memory_of(13), memory_of(12));
	ck_assert_ptr_ne(memory_of(13), memory_of(11));
	ck_assert_ptr_ne(memory_of(41), memory_of(11));
	ck_assert_ptr_ne(memory_of(51), memory_of(61));
}
END_TEST

START_TEST(processes_that_nobody_may_compare)
{
	map(11, 10);
	map(21, 10);
	map(31, 11);
	is_refused = true;
	ck_assert_int_eq(memory_sharers_find(&spaces), 0);
	ck_assert_ptr_ne(memory_of(11), memory_of(21));
	ck_assert_uint_gt(nr_compared, 0);
	/* Those with other mappings differ without a look. */
	nr_compared = 0;
	map(21, 12);
	ck_assert_int_eq(memory_sharers_find(&spaces), 0);
	ck_assert_uint_eq(nr_compared, 0);
}
END_TEST

SUITE_MAIN_WITH("memory_sharers", NULL, end, processes_with_one_memory,
		processes_that_nobody_may_compare)
