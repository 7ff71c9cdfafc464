// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the debug symbols of a file are. The test plays the other files (--wrap). */
#include "record/probes/debug_symbols.h"

#include <errno.h>

#include "common/buildid.h"
#include "common/safe_open.h"
#include "elf/elf_sections.h"
#include "elf/unpack_xz.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

static struct {
	int id_error, open_error, unpack_error;
	bool is_other; /* the debug file belongs to another file */
	int debug_fd;
	size_t nr_ids, nr_unpacked;
} played;

int __wrap_build_id_from_fd(int fd, struct build_id *id);
int __wrap_safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules);
int __wrap_unpack_xz(const void *packed, size_t size, int fd, uint64_t max, uint64_t *nr);

int __wrap_build_id_from_fd(int fd, struct build_id *id)
{
	bool is_debug = played.nr_ids++ && fd == played.debug_fd;

	*id = (struct build_id){.size = 3, .bytes = {0xab, 0xcd, is_debug && played.is_other}};
	return played.id_error;
}

int __wrap_safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules)
{
	(void)dir_fd, (void)rules;
	ck_assert_str_eq(path, "/usr/lib/debug/.build-id/ab/cd00.debug");
	if (played.open_error)
		return played.open_error;
	return played.debug_fd = memfd_create("debug", MFD_CLOEXEC);
}

int __wrap_unpack_xz(const void *packed, size_t size, int fd, uint64_t max, uint64_t *nr)
{
	ck_assert_uint_eq(size, 6);
	ck_assert_mem_eq(packed, "packed", 6);
	ck_assert_uint_eq(max, MINIDEBUG_BYTES_MAX);
	ck_assert_int_eq(write(fd, "names", 5), 5);
	*nr = 5;
	played.nr_unpacked++;
	return played.unpack_error;
}

/* Opens the debug symbols of a file with a section of that name. */
static int open_symbols(const char *section)
{
	int file = make_elf(&(struct test_elf){.name = section}, (const uint8_t *)"packed", 6);
	struct elf_image elf;
	int fd;

	played.nr_ids = 0;
	ck_assert_int_eq(elf_sections_open(file, &elf), 0);
	fd = debug_symbols_open(&elf);
	elf_image_close(&elf);
	close(file);
	return fd;
}

static bool is_unpacked(int fd)
{
	char bytes[8];

	return pread(fd, bytes, sizeof(bytes), 0) == 5 && !memcmp(bytes, "names", 5);
}

START_TEST(debug_files_come_first)
{
	int fd = open_symbols(".gnu_debugdata");

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd, played.debug_fd);
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	ck_assert_uint_eq(played.nr_unpacked, 0);
	close(fd);
}
END_TEST

START_TEST(symbols_in_the_file)
{
	int fd;

	played.is_other = true;
	fd = open_symbols(".gnu_debugdata");
	ck_assert(is_unpacked(fd));
	ck_assert_int_lt(open_symbols(".other"), 0);
	played.is_other = false;
	played.open_error = -EACCES;
	ck_assert(is_unpacked(open_symbols(".gnu_debugdata")));
	ck_assert_int_eq(open_symbols(".other"), -ENOENT);
	played.open_error = 0;
	played.id_error = -ENODATA;
	ck_assert(is_unpacked(open_symbols(".gnu_debugdata")));
	ck_assert_uint_eq(played.nr_ids, 1);
	played.unpack_error = -EBADMSG;
	ck_assert_int_eq(open_symbols(".gnu_debugdata"), -ENOENT);
	ck_assert_uint_eq(played.nr_unpacked, 4);
}
END_TEST

START_TEST(without_memory)
{
	played.open_error = -ENOMEM;
	ck_assert_int_eq(open_symbols(".gnu_debugdata"), -ENOMEM);
	ck_assert_uint_eq(played.nr_unpacked, 0);
	played.open_error = -ENOENT;
	played.unpack_error = -ENOMEM;
	ck_assert_int_eq(open_symbols(".gnu_debugdata"), -ENOMEM);
}
END_TEST

SUITE_MAIN("debug_symbols", debug_files_come_first, symbols_in_the_file, without_memory)
