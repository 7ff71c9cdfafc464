// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/elfwriter.h"
#include "tests/unit/suite.h"

static const struct root here = {.fd = -1, .name = "root"};

/* One program in several states: with debug information, .symtab, MiniDebugInfo and .dynsym. */
static void begin(void)
{
	enter_new_dir();
	elfw_write(&(struct elfw){.build_id = NULL}, "none");
	ck_assert_int_eq(system("echo 'int main(void) { return 0; }' > main.c &&"
				"${CC:-cc} -g -o full main.c && echo text > text &&"
				"objcopy -g full symtab && strip -o dynsym full &&"
				"objcopy --add-section .gnu_debugdata=text dynsym mini"),
			 0);
}

/* Offers @path, which is taken or not. The descriptor is closed if it is not owned. */
static void offer(struct found *best, const char *path, bool needs_lines, bool is_taken)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(candidate_take_better(best, fd, &here, path, NULL, needs_lines), is_taken);
	if (is_taken) {
		ck_assert_int_eq(best->fd, fd);
		ck_assert_str_eq(best->path + strlen("root/"), path);
	} else {
		ck_assert(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
	}
}

static void expect(const struct found *best, const char *path, enum elf_quality quality)
{
	char want[64];

	snprintf(want, sizeof(want), "root/%s", path);
	ck_assert_str_eq(best->path, want);
	ck_assert_int_eq(best->quality, quality);
	ck_assert_int_ge(fcntl(best->fd, F_GETFD), 0);
}

START_TEST(from_worst_to_best)
{
	struct found best = {.fd = -1};

	offer(&best, "none", true, true);
	expect(&best, "none", ELF_NO_NAMES);
	offer(&best, "dynsym", true, true);
	expect(&best, "dynsym", ELF_DYNSYM);
	offer(&best, "mini", true, true);
	expect(&best, "mini", ELF_MINIDEBUG);
	offer(&best, "symtab", true, true);
	expect(&best, "symtab", ELF_SYMTAB);
	ck_assert(found_is_best(&best, false));
	ck_assert(!found_is_best(&best, true));
	offer(&best, "full", true, true);
	expect(&best, "full", ELF_LINES);
	ck_assert(found_is_best(&best, true));
	found_drop(&best);
	ck_assert_int_eq(best.fd, -1);
}
END_TEST

START_TEST(from_best_to_worst)
{
	static const char *const worse[] = {"symtab", "mini", "dynsym", "none"};
	struct found best = {.fd = -1};

	offer(&best, "full", true, true);
	for (size_t i = 0; i < sizeof(worse) / sizeof(*worse); i++) {
		offer(&best, worse[i], true, false);
		expect(&best, "full", ELF_LINES);
	}
	found_drop(&best);
}
END_TEST

/*
 * Of equal files the first stays. Without lines, debug information is worth no more than .symtab.
 */
START_TEST(equal_files)
{
	struct found best = {.fd = -1};

	offer(&best, "symtab", false, true);
	offer(&best, "full", false, false);
	expect(&best, "symtab", ELF_SYMTAB);
	found_drop(&best);
	offer(&best, "full", false, true);
	expect(&best, "full", ELF_SYMTAB);
	offer(&best, "symtab", false, false);
	expect(&best, "full", ELF_SYMTAB);
	found_drop(&best);
}
END_TEST

/* A file that is no ELF file has no names, so it never takes the place of another. */
START_TEST(no_elf_file)
{
	struct found best = {.fd = -1};

	offer(&best, "none", false, true);
	offer(&best, "text", false, false);
	expect(&best, "none", ELF_NO_NAMES);
	found_drop(&best);
}
END_TEST

SUITE_MAIN_WITH("candidate", begin, NULL, from_worst_to_best, from_best_to_worst, equal_files,
		no_elf_file)
