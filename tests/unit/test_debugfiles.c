// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>
#include <zlib.h>

#include "report/files/debugfiles.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/opens.h"
#include "tests/unit/suite.h"

#define ID "0123456789abcdefghij"

/* The test's directory. It holds a symfs; files outside of symfs are those of "this machine". */
static const char *dir;
static struct debug_roots roots;

static void begin(void)
{
	dir = enter_new_dir();
	ck_assert_int_eq(mkdir("symfs", 0700), 0);
	roots = (struct debug_roots){.symfs_fd = -1, .debug_dir = "/nonexistent"};
	ck_assert_int_eq(debug_roots_open(&roots, "symfs", NULL), 0);
}

static void end(void)
{
	debug_roots_close(&roots);
}

/* Returns @path, below the test's directory, with the directories above it made. */
static const char *place(const char *path)
{
	char *copy = strdup(path);

	for (char *s = copy; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(copy, 0700);
		*s = '/';
	}
	free(copy);
	return path;
}

/* An ELF file with these bytes for its build-id; NULL: without. */
static void put_file(const char *path, const char *id)
{
	elfw_write(&(struct elfw){.build_id = id}, place(path));
}

static struct debug_wanted wanted(const char *path, const char *id)
{
	struct debug_wanted w = {.path = path, .build_id = {.size = strlen(id)}};

	memcpy(w.build_id.bytes, id, strlen(id));
	return w;
}

static void expect_file(int fd, const char *path, const char *want)
{
	bool is_found = want[0] != '-';

	ck_assert_int_eq(fd >= 0, is_found);
	ck_assert_pstr_eq(path, is_found ? want : NULL);
}

/* @w is found, or missed for @miss, as these files; "-" for none. */
static void expect(const struct debug_wanted *w, enum debug_miss miss, const char *binary,
		   const char *debug)
{
	struct debug_files files;
	enum debug_miss why = -1;

	ck_assert_int_eq(debug_files_find(&roots, w, &files, &why), 0);
	ck_assert_int_eq(why, miss);
	expect_file(files.binary_fd, files.binary_path, binary);
	expect_file(files.debug_fd, files.debug_path, debug);
	debug_files_close(&files);
}

#define BY_ID "/.build-id/30/3132333435363738396162636465666768696a.debug"

static int64_t in_ns(struct timespec time)
{
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Without a build-id a file must be as it was. */
START_TEST(changed_since)
{
	struct debug_wanted w = wanted("/opt/app", "");
	struct prof_file_info file;
	struct stat st;

	put_file("symfs/opt/app", NULL);
	ck_assert_int_eq(stat("symfs/opt/app", &st), 0);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.recorded_realtime_ns = in_ns(st.st_mtim) + 1;
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.recorded_realtime_ns = in_ns(st.st_mtim) - 1;
	expect(&w, DEBUG_CHANGED_FILE, "-", "-");
	/* On another machine inode and ctime are others. */
	file = (struct prof_file_info){
		.size = st.st_size, .mtime_ns = in_ns(st.st_mtim), .inode = 1, .ctime_ns = 1};
	w.file = &file;
	w.is_of_this_boot = true;
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	file.size++;
	expect(&w, DEBUG_CHANGED_FILE, "-", "-");
	file.size--;
	file.mtime_ns++;
	expect(&w, DEBUG_CHANGED_FILE, "-", "-");
}
END_TEST

/* Nothing is known of the file, and its mtime is old. On the machine itself, its ctime is not. */
START_TEST(changed_to_an_old_file)
{
	const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
	struct debug_wanted w;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/app", dir);
	w = wanted(path, "");
	put_file(path, NULL);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	w.recorded_realtime_ns = in_ns(st.st_ctim) - 1;
	expect(&w, DEBUG_FOUND, path, "-");
	w.is_of_this_boot = true;
	expect(&w, DEBUG_CHANGED_FILE, "-", "-");
	w.recorded_realtime_ns++;
	expect(&w, DEBUG_FOUND, path, "-");
}
END_TEST

/* On the machine itself, inode and ctime tell as well. */
START_TEST(changed_in_place)
{
	struct prof_file_info file;
	struct debug_wanted w;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/app", dir);
	w = wanted(path, "");
	put_file(path, NULL);
	ck_assert_int_eq(stat(path, &st), 0);
	file = (struct prof_file_info){.size = st.st_size,
				       .inode = st.st_ino,
				       .mtime_ns = in_ns(st.st_mtim),
				       .ctime_ns = in_ns(st.st_ctim)};
	w.file = &file;
	w.is_of_this_boot = true;
	expect(&w, DEBUG_FOUND, path, "-");
	file.ctime_ns++;
	expect(&w, DEBUG_CHANGED_FILE, "-", "-");
	w.is_of_this_boot = false;
	expect(&w, DEBUG_FOUND, path, "-");
}
END_TEST

START_TEST(by_build_id)
{
	const struct debug_wanted w = wanted("/opt/app", ID);

	expect(&w, DEBUG_NO_FILE, "-", "-");
	put_file("symfs/opt/app", "another-build-id-20b");
	expect(&w, DEBUG_OTHER_FILE, "-", "-");
	put_file("symfs/opt/app", "0123456789abcdefghi");
	expect(&w, DEBUG_OTHER_FILE, "-", "-"); /* the beginning of the build-id */
	put_file("symfs/opt/app", NULL);
	expect(&w, DEBUG_OTHER_FILE, "-", "-");
	put_file("symfs/opt/app", ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	put_file("symfs/usr/lib/debug" BY_ID, ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/usr/lib/debug" BY_ID);
	put_file("symfs" BY_ID, ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs" BY_ID);
	ck_assert_int_eq(unlink("symfs/opt/app"), 0);
	expect(&w, DEBUG_FOUND, "-", "symfs" BY_ID);
}
END_TEST

START_TEST(on_this_machine)
{
	struct debug_wanted w;
	char app[PATH_MAX], debug_dir[PATH_MAX], debug[PATH_MAX + 80], in_symfs[PATH_MAX + 8];

	snprintf(app, sizeof(app), "%s/bin/app", dir);
	snprintf(debug_dir, sizeof(debug_dir), "%s/debug", dir);
	snprintf(debug, sizeof(debug), "%s" BY_ID, debug_dir);
	snprintf(in_symfs, sizeof(in_symfs), "symfs%s", app);
	roots.debug_dir = debug_dir;
	w = wanted(app, ID);
	put_file(app, ID);
	expect(&w, DEBUG_FOUND, app, "-");
	put_file(debug, ID);
	expect(&w, DEBUG_FOUND, app, debug);
	/* The symfs comes first. */
	put_file(in_symfs, ID);
	roots.debug_dir = "/nonexistent";
	expect(&w, DEBUG_FOUND, in_symfs, "-");
}
END_TEST

START_TEST(without_build_id)
{
	struct debug_wanted w = wanted("/opt/app", "");

	put_file("symfs/opt/app", ID);
	expect(&w, DEBUG_OTHER_FILE, "-", "-");
	put_file("symfs/opt/app", NULL);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.is_deleted = true;
	expect(&w, DEBUG_NO_FILE, "-", "-");
}
END_TEST

static uint32_t crc_of(const char *path)
{
	unsigned char buf[4096];
	FILE *f = fopen(path, "r");
	size_t n = fread(buf, 1, sizeof(buf), f);

	fclose(f);
	return crc32(0, buf, n);
}

START_TEST(debuglinks)
{
	const struct elfw binary = {.build_id = ID, .debuglink = "app.debug"};
	const struct debug_wanted w = wanted("/opt/app", ID);

	elfw_write(&binary, place("symfs/opt/app"));
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	put_file("symfs/usr/lib/debug/opt/app.debug", ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/usr/lib/debug/opt/app.debug");
	put_file("symfs/opt/.debug/app.debug", ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/.debug/app.debug");
	put_file("symfs/opt/app.debug", "x");
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/.debug/app.debug");
	put_file("symfs/opt/app.debug", ID);
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/app.debug");
}
END_TEST

START_TEST(debuglink_to_itself)
{
	const struct elfw binary = {.build_id = ID, .debuglink = "app"};
	const struct debug_wanted w = wanted("/opt/app", ID);

	elfw_write(&binary, place("symfs/opt/app"));
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	elfw_write(&binary, place("symfs/usr/lib/debug/opt/app"));
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/usr/lib/debug/opt/app");
}
END_TEST

START_TEST(debuglink_by_crc)
{
	struct elfw binary = {.debuglink = "app.debug", .debuglink_crc = 1};
	const struct debug_wanted w = wanted("/opt/app", "");

	elfw_write(&(struct elfw){.text_size = 5}, place("symfs/opt/app.debug"));
	elfw_write(&binary, place("symfs/opt/app"));
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "-");
	binary.debuglink_crc = crc_of("symfs/opt/app.debug");
	elfw_write(&binary, place("symfs/opt/app"));
	expect(&w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/app.debug");
}
END_TEST

/* The file for @path, without a debug file. */
static void expect_at(struct debug_wanted *w, const char *path, enum debug_miss miss,
		      const char *binary)
{
	w->path = path;
	expect(w, miss, binary, "-");
}

START_TEST(not_regular)
{
	struct debug_wanted w = wanted("/opt/app", ID);
	char fifo[PATH_MAX];
	int watch;

	ck_assert_int_eq(mkfifo(place("symfs/opt/app"), 0600), 0);
	watch = opens_watch("symfs/opt/app");
	expect(&w, DEBUG_NOT_READABLE, "-", "-"); /* nobody writes to it: opening does not wait */
	ck_assert_msg(!opens_seen(watch), "a FIFO was opened");
	expect_at(&w, "/opt", DEBUG_NOT_READABLE, "-");
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	expect_at(&w, fifo, DEBUG_NOT_READABLE, "-");
	expect_at(&w, "/dev/null", DEBUG_NOT_READABLE, "-");
	expect_at(&w, "/proc/self/maps", DEBUG_NOT_READABLE, "-");
	expect_at(&w, "", DEBUG_NO_FILE, "-");
	expect_at(&w, "//anon", DEBUG_NO_FILE, "-");
	expect_at(&w, "relative/path", DEBUG_NO_FILE, "-");
}
END_TEST

/* An absolute link begins at the symfs. No path leads out of the symfs. */
START_TEST(symfs_is_a_root)
{
	struct debug_wanted w = wanted("/../../../../../../../../outside", ID);
	char outside[PATH_MAX];

	put_file("outside", ID);
	snprintf(outside, sizeof(outside), "%s/outside", dir);
	ck_assert_int_eq(symlink(outside, place("symfs/absolute")), 0);
	ck_assert_int_eq(symlink("../outside", place("symfs/relative")), 0);
	ck_assert_int_eq(symlink("..", place("symfs/up")), 0);
	ck_assert_int_eq(symlink("/real", place("symfs/within")), 0);
	put_file("symfs/real", ID);
	expect(&w, DEBUG_NO_FILE, "-", "-");
	expect_at(&w, "/absolute", DEBUG_NO_FILE, "-");
	expect_at(&w, "/relative", DEBUG_NO_FILE, "-");
	expect_at(&w, "/up/outside", DEBUG_NO_FILE, "-");
	expect_at(&w, "/within", DEBUG_FOUND, "symfs/within");
}
END_TEST

START_TEST(no_symfs)
{
	struct debug_roots none = {.symfs_fd = -1};
	struct err err = {0};

	ck_assert_int_eq(debug_roots_open(&none, "/nonexistent", &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to open '/nonexistent': No such file or directory");
	ck_assert_int_eq(debug_roots_open(&none, "/proc/self/maps", &err), -ENOTDIR);
	ck_assert_int_eq(none.symfs_fd, -1);
}
END_TEST

SUITE_MAIN_WITH("debugfiles", begin, end, by_build_id, on_this_machine, without_build_id,
		debuglinks, debuglink_to_itself, debuglink_by_crc, not_regular, symfs_is_a_root,
		no_symfs, changed_since, changed_to_an_old_file, changed_in_place)
