// SPDX-License-Identifier: GPL-2.0-or-later
/* Where libraries are looked for. The test plays the loader's cache and processes (--wrap). */
#include "record/probes/library.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/readfile.h"
#include "common/safe_open.h"
#include "record/probes/mapped_code.h"
#include "record/host/host_abi.h"
#include "tests/unit/suite.h"

static struct {
	const char *cached; /* the cache has a libx.so.1, which is this file; NULL: it is empty */
	int cache_error;
	struct mapped_code code[2]; /* of each process but the last */
	int code_error;
	uint32_t last;
	size_t nr_opened;
	const char *in_root; /* NULL: nobody plays */
} played;

static struct library library;
static struct err err;

int __real_read_file(const char *path, size_t max, char_vec *bytes);
int __wrap_read_file(const char *path, size_t max, char_vec *bytes);
int __real_safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules);
int __wrap_safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules);
int __wrap_mapped_code_read(uint32_t pid, mapped_code_vec *code);
int __wrap_mapped_code_open(uint32_t pid, const struct mapped_code *code);

/* glibc, sysdeps/generic/dl-cache.h: a header, one entry, two strings. */
static int make_cache(char_vec *bytes)
{
	char cache[512] = "glibc-ld.so.cache1.1";
	const uint32_t base = 48 + 24, nr = 1, words[] = {HOST_LIBRARY_FLAGS, base, base + 10};

	memcpy(cache + 20, &nr, sizeof(nr));
	memcpy(cache + 48, words, sizeof(words));
	strcpy(cache + base, "libx.so.1");
	strcpy(cache + base + 10, played.cached);
	return vec_append(bytes, cache, sizeof(cache)) || vec_reserve(bytes, 1) ? -ENOMEM : 0;
}

int __wrap_read_file(const char *path, size_t max, char_vec *bytes)
{
	if (strcmp(path, "/etc/ld.so.cache") != 0)
		return __real_read_file(path, max, bytes);
	if (played.cache_error || !played.cached)
		return played.cache_error ? played.cache_error : -ENOENT;
	ck_assert_int_eq(make_cache(bytes), 0);
	bytes->data[bytes->nr] = '\0';
	return 0;
}

int __wrap_mapped_code_read(uint32_t pid, mapped_code_vec *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(played.code) && pid != played.last; i++) {
		struct mapped_code new = played.code[i];

		if (!new.path)
			break;
		new.path = strdup(new.path);
		ck_assert_int_eq(vec_push(code, new), 0);
	}
	return played.code_error;
}

/* The number of the mapped file is its name in this directory. */
int __wrap_mapped_code_open(uint32_t pid, const struct mapped_code *code)
{
	char name[16];
	int fd;

	(void)pid;
	played.nr_opened++;
	snprintf(name, sizeof(name), "%d", (int)code->start);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* What the process sees at this path is the file "2", and at others nothing. */
int __wrap_safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules)
{
	struct stat st, root;

	if (!played.in_root || rules->lookup != SAFE_OPEN_IN_ROOT)
		return __real_safe_open(dir_fd, path, rules);
	ck_assert(!fstat(dir_fd, &st) && !stat("/", &root));
	ck_assert(st.st_dev == root.st_dev && st.st_ino == root.st_ino);
	if (strcmp(path, played.in_root) != 0)
		return -ENOENT;
	return __real_safe_open(AT_FDCWD, "2", &(struct safe_open_rules){0});
}

static void begin(void)
{
	static char dirs[2 * PATH_MAX];
	const char *dir = enter_new_dir();

	memset(&played, 0, sizeof(played));
	played.last = UINT32_MAX;
	ck_assert_int_eq(mkdir("bin", 0700), 0);
	snprintf(dirs, sizeof(dirs), "%s/none:%s/bin", dir, dir);
	ck_assert_int_eq(setenv("PATH", dirs, 1), 0);
	write_file("1", "first");
	write_file("2", "second");
	write_file("bin/app", "program");
}

static void end(void)
{
	library_close(&library);
}

static void play_code(size_t i, const char *path)
{
	played.code[i] = (struct mapped_code){.start = i + 1, .path = (char *)(uintptr_t)path};
}

/* Opens @name, and expects this @path of the file @is. */
static void expect(const char *name, uint32_t pid, const char *path, const char *is)
{
	struct stat want, have;

	ck_assert_msg(!library_open(name, pid, &library, &err), "%s: %s", name, err.text);
	ck_assert_int_eq(
		strncmp(library.path + strlen(library.path) - strlen(path), path, strlen(path) + 1),
		0);
	ck_assert_int_eq(stat(is, &want), 0);
	ck_assert_int_eq(fstat(library.fd, &have), 0);
	ck_assert_uint_eq(want.st_ino, have.st_ino);
	ck_assert_uint_eq(library.inode, have.st_ino);
	ck_assert_uint_eq(library.dev, have.st_dev);
	library_close(&library);
	ck_assert_int_eq(library.fd, -1);
	ck_assert_ptr_null(library.path);
}

static void expect_none(const char *name, uint32_t pid, int code, const char *text,
			const char *hint)
{
	err = (struct err){0};
	ck_assert_int_eq(library_open(name, pid, &library, &err), code);
	ck_assert_int_eq(library.fd, -1);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
}

START_TEST(libraries_of_the_host)
{
	played.cached = "1";
	expect("x", 0, "1", "1");
	expect("app", 0, "/bin/app", "bin/app");
	expect("./2", 0, "./2", "2");
	/* The cache leads to no file. */
	write_file("bin/x", "program");
	played.cached = "none";
	expect("x", 0, "/bin/x", "bin/x");
	played.cache_error = -EACCES;
	expect("x", 0, "/bin/x", "bin/x");
	played.cache_error = -ENOMEM;
	expect_none("x", 0, -ENOMEM, "failed to open library 'x': Cannot allocate memory", "");
	/* Nothing is looked for by a name with a slash. */
	expect_none("bin/none", 0, -ENOENT,
		    "failed to open library 'bin/none': No such file or directory", "");
}
END_TEST

START_TEST(libraries_that_are_nowhere)
{
	expect_none("none", 0, -ENOENT, "failed to find library 'none'",
		    "it is looked for in /etc/ld.so.cache (libnone.so*) and PATH; a path names "
		    "any file");
	expect_none("none", 1, -ENOENT, "failed to find library 'none'",
		    "it is looked for in the process's mappings, /etc/ld.so.cache (libnone.so*) "
		    "and PATH; a path names any file");
	/* A directory is none. */
	ck_assert_int_eq(mkdir("bin/none", 0700), 0);
	expect_none("none", 0, -ENOENT, "failed to find library 'none'", err.hint);
	ck_assert_int_eq(unsetenv("PATH"), 0);
	ck_assert_int_eq(library_open("app", 0, &library, &err), -ENOENT);
}
END_TEST

/* What the process has mapped comes first. */
START_TEST(libraries_of_a_process)
{
	played.cached = "1";
	play_code(0, "/lib/libother.so.1");
	play_code(1, "/lib/libx.so.1 (deleted)");
	expect("x", 1, "/lib/libx.so.1 (deleted)", "2");
	ck_assert_uint_eq(played.nr_opened, 1);
	expect("app", 1, "/bin/app", "bin/app");
	/* Files that cannot be opened are passed over. */
	play_code(0, "/lib/libx-1.2.so");
	played.code[0].start = 7;
	expect("x", 1, "/lib/libx.so.1 (deleted)", "2");
	played.code[1].start = 7;
	expect("x", 1, "1", "1");
	played.code_error = -EACCES;
	expect("x", 1, "1", "1");
	played.code_error = -ENOMEM;
	expect_none("x", 1, -ENOMEM, "failed to open library 'x': Cannot allocate memory", "");
}
END_TEST

START_TEST(paths_of_a_process)
{
	char path[PATH_MAX];

	play_code(0, "/lib/app.old");
	play_code(1, "/lib/app");
	expect("/lib/app", 1, "/lib/app", "2");
	play_code(1, "/lib/app (deleted)");
	expect("/lib/app", 1, "/lib/app (deleted)", "2");
	expect("/lib/app.old", 1, "/lib/app.old", "1");
	/* It is not mapped, so it is what the process and the host see there. */
	ck_assert_ptr_nonnull(realpath("1", path));
	expect(path, getpid(), path, "1");
	expect("bin/app", getpid(), "bin/app", "bin/app");
	play_code(1, "/lib/app");
	expect_none("/lib/ap", getpid(), -ENOENT,
		    "failed to open library '/lib/ap': No such file or directory", "");
	play_code(1, "/lib/app (deleted)");
	expect_none("/lib/ap", getpid(), -ENOENT,
		    "failed to open library '/lib/ap': No such file or directory", "");
	/* There is no such process. */
	expect(path, 5000001, path, "1");
}
END_TEST

/* The process can have another file at a path than the host, which is asked after it. */
START_TEST(paths_in_the_root_of_a_process)
{
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(realpath("1", path));
	played.in_root = path;
	expect(path, getpid(), path, "2");
	expect(path, 0, path, "1");
	/* Only a whole path says where the file is. */
	played.in_root = "bin/app";
	expect("bin/app", getpid(), "bin/app", "bin/app");
	expect(path, getpid(), path, "1");
	/* A name without a slash is none at all. */
	played.in_root = "app";
	expect("app", getpid(), "/bin/app", "bin/app");
}
END_TEST

START_TEST(libraries_that_exist)
{
	uint32_t numbers[] = {1, 2};
	const u32_vec none = {0}, both = {numbers, 2, 2}, second = {numbers + 1, 1, 1};

	play_code(0, "/lib/libx.so.1");
	played.last = 2;
	ck_assert(library_exists("app", &none));
	ck_assert(library_exists("app", &both));
	ck_assert(!library_exists("x", &none));
	ck_assert(library_exists("x", &both));
	ck_assert(!library_exists("x", &second));
	numbers[0] = 2;
	numbers[1] = 1;
	ck_assert(library_exists("x", &both));
	/* The processes decide, not the host. */
	ck_assert_uint_eq(played.nr_opened, 2);
}
END_TEST

SUITE_MAIN_WITH("library", begin, end, libraries_of_the_host, libraries_that_are_nowhere,
		libraries_of_a_process, paths_of_a_process, paths_in_the_root_of_a_process,
		libraries_that_exist)
