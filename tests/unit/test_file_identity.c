// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "common/clock.h"
#include "record/process/mapped_files.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID_NONE 5000001u

static char path[PATH_MAX];
static void *mapped;
static struct file_place place;
static struct file_identity told; /* by the kernel */

/* Maps the file "file" of a new directory. */
static void begin(void)
{
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/file", enter_new_dir());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "text", 4, 0), 4);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	place = (struct file_place){
		.pid = getpid(), .start = (uintptr_t)mapped, .end = (uintptr_t)mapped + 4096};
	told = (struct file_identity){.dev = st.st_dev, .inode = st.st_ino, .generation = 7};
}

static void end(void)
{
	munmap(mapped, 4096);
}

static void write_anew(const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, text, strlen(text), 0), (int)strlen(text));
	close(fd);
}

START_TEST(members_tell_files_apart)
{
	const struct file_identity a = {true, 1, 2, 3, 4, 5, 6, 7};
	const struct file_identity given = {true, 1, 2, 3, 4, 5, 6, 8};
	const struct file_identity others[] = {
		{false, 1, 2, 3, 4, 5, 6, 7}, {true, 0, 2, 3, 4, 5, 6, 7},
		{true, 1, 0, 3, 4, 5, 6, 7},  {true, 1, 2, 0, 4, 5, 6, 7},
		{true, 1, 2, 3, 0, 5, 6, 7},  {true, 1, 2, 3, 4, 0, 6, 7},
		{true, 1, 2, 3, 4, 5, 0, 7},
	};

	ck_assert(file_identity_equal(&a, &a));
	ck_assert(file_identity_equal(&a, &given));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		ck_assert(!file_identity_equal(&a, &others[i]));
		ck_assert_uint_ne(file_identity_hash(&a, 0), file_identity_hash(&others[i], 0));
	}
}
END_TEST

START_TEST(a_file_that_is_mapped)
{
	struct file_identity identity = told;

	ck_assert(file_identity_look(NULL, &place, path, &identity));
	ck_assert(identity.is_stat);
	ck_assert_uint_eq(identity.inode, told.inode);
	ck_assert_uint_eq(identity.size, 4);
	ck_assert_uint_eq(identity.generation, 0);
	identity = told;
	identity.inode++;
	ck_assert_msg(!file_identity_look(NULL, &place, path, &identity), "a different file");
	ck_assert_uint_eq(identity.generation, 7);
}
END_TEST

/* The place of a mapping that has gone may have a new file with the number of its inode. */
START_TEST(a_file_that_took_the_place)
{
	struct file_identity identity = told;
	int fd = file_place_find(NULL, &place, 0);

	if (fd == -EPERM)
		SKIP_TEST("/proc/PID/map_files takes CAP_CHECKPOINT_RESTORE");
	close(fd);
	place.realtime_ns = clock_realtime_ns();
	ck_assert(file_identity_look(NULL, &place, NULL, &identity));
	identity = told;
	place.realtime_ns -= 3600 * NS_PER_S;
	ck_assert_msg(!file_identity_look(NULL, &place, NULL, &identity),
		      "changed after it was mapped");
}
END_TEST

/* The process has gone, and the path may name a different file. */
START_TEST(a_file_by_its_path)
{
	struct file_identity identity = told;

	place.pid = PID_NONE;
	place.realtime_ns = clock_realtime_ns();
	ck_assert(file_identity_look(NULL, &place, path, &identity));
	identity = told;
	ck_assert_msg(!file_identity_look(NULL, &place, NULL, &identity), "a deleted file");
	place.realtime_ns -= 3600 * NS_PER_S;
	ck_assert_msg(!file_identity_look(NULL, &place, path, &identity),
		      "changed after it was mapped");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!file_identity_look(NULL, &place, path, &identity));
}
END_TEST

START_TEST(a_file_that_changes)
{
	const struct mapped_file_key key = {.path = path, .identity = told};
	struct mapped_files files = {0};
	uint32_t before, again, after;
	int fd;

	ck_assert_int_eq(mapped_files_look(&files, &key, &place, &before), 0);
	ck_assert_int_eq(mapped_files_look(&files, &key, &place, &again), 0);
	ck_assert_uint_eq(again, before);
	fd = mapped_file_open(NULL, &files.files.data[before], &place);
	ck_assert_int_ge(fd, 0);
	close(fd);
	write_anew("longer text");
	fd = mapped_file_open(NULL, &files.files.data[before], &place);
	ck_assert_msg(fd < 0, "a file that has changed was opened");
	ck_assert_int_eq(mapped_files_look(&files, &key, &place, &after), 0);
	ck_assert_uint_ne(after, before);
	fd = mapped_file_open(NULL, &files.files.data[after], &place);
	ck_assert_int_ge(fd, 0);
	close(fd);
	mapped_files_deinit(&files);
}
END_TEST

SUITE_MAIN_WITH("file_identity", begin, end, members_tell_files_apart, a_file_that_is_mapped,
		a_file_that_took_the_place, a_file_by_its_path, a_file_that_changes)
