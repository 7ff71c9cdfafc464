// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>
#include <zlib.h>

#include "report/symbols/debugfiles.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/opens.h"
#include "tests/unit/suite.h"

#define ID "0123456789abcdefghij"

/* A directory with a symfs in it and a file outside of that. */
struct place {
	char *dir;
	char symfs[64];
	struct debug_roots roots;
};

static void place_init(struct place *p)
{
	p->dir = temp_create();
	snprintf(p->symfs, sizeof(p->symfs), "%s/symfs", p->dir);
	ck_assert_int_eq(mkdir(p->symfs, 0700), 0);
	p->roots = (struct debug_roots){.symfs_fd = -1, .debug_dir = "/nonexistent"};
	ck_assert_int_eq(debug_roots_open(&p->roots, p->symfs, NULL), 0);
}

static void place_deinit(struct place *p)
{
	debug_roots_close(&p->roots);
	temp_remove(p->dir);
}

/* A name under the place's directory, with the directories above it made. */
static const char *name(const struct place *p, const char *path)
{
	static char full[4][256];
	static int at;
	char *out;

	at = (at + 1) % 4;
	out = full[at];
	snprintf(out, sizeof(full[0]), "%s/%s", p->dir, path);
	for (char *s = out + strlen(p->dir) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(out, 0700);
		*s = '/';
	}
	return out;
}

static struct debug_wanted wanted(const char *path, const char *id)
{
	struct debug_wanted w = {.path = path, .build_id = {.size = strlen(id)}};

	memcpy(w.build_id.bytes, id, strlen(id));
	return w;
}

/* What is found for @w: paths under the place's directory, "-" for none. */
static void expect(const struct place *p, const struct debug_wanted *w, enum debug_miss miss,
		   const char *binary, const char *debug)
{
	struct debug_files files;
	enum debug_miss why = -1;
	char want[300];

	ck_assert_int_eq(debug_files_find(&p->roots, w, &files, &why), 0);
	ck_assert_int_eq(why, miss);
	ck_assert_int_eq(files.binary_fd >= 0, binary[0] != '-');
	ck_assert_int_eq(files.debug_fd >= 0, debug[0] != '-');
	snprintf(want, sizeof(want), "%s/%s", p->dir, binary);
	if (files.binary_path)
		ck_assert_str_eq(files.binary_path, want);
	snprintf(want, sizeof(want), "%s/%s", p->dir, debug);
	if (files.debug_path)
		ck_assert_str_eq(files.debug_path, want);
	debug_files_close(&files);
}

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
	struct place p;

	place_init(&p);
	elfw_write(&(struct elfw){0}, name(&p, "symfs/opt/app"));
	ck_assert_int_eq(stat(name(&p, "symfs/opt/app"), &st), 0);
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.recorded_realtime_ns = in_ns(st.st_mtim) + 1;
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.recorded_realtime_ns = in_ns(st.st_mtim) - 1;
	expect(&p, &w, DEBUG_CHANGED_FILE, "-", "-");
	/* On another machine inode and ctime are others. */
	file = (struct prof_file_info){
		.size = st.st_size, .mtime_ns = in_ns(st.st_mtim), .inode = 1, .ctime_ns = 1};
	w.file = &file;
	w.is_of_this_boot = true;
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	file.size++;
	expect(&p, &w, DEBUG_CHANGED_FILE, "-", "-");
	file.size--;
	file.mtime_ns++;
	expect(&p, &w, DEBUG_CHANGED_FILE, "-", "-");
	place_deinit(&p);
}
END_TEST

/* On the machine itself, inode and ctime tell as well. */
START_TEST(changed_in_place)
{
	struct prof_file_info file;
	struct debug_wanted w;
	char path[256];
	struct stat st;
	struct place p;

	place_init(&p);
	snprintf(path, sizeof(path), "%s", name(&p, "app"));
	w = wanted(path, "");
	elfw_write(&(struct elfw){0}, path);
	ck_assert_int_eq(stat(path, &st), 0);
	file = (struct prof_file_info){.size = st.st_size,
				       .inode = st.st_ino,
				       .mtime_ns = in_ns(st.st_mtim),
				       .ctime_ns = in_ns(st.st_ctim)};
	w.file = &file;
	w.is_of_this_boot = true;
	expect(&p, &w, DEBUG_FOUND, "app", "-");
	file.ctime_ns++;
	expect(&p, &w, DEBUG_CHANGED_FILE, "-", "-");
	w.is_of_this_boot = false;
	expect(&p, &w, DEBUG_FOUND, "app", "-");
	place_deinit(&p);
}
END_TEST

START_TEST(by_build_id)
{
	const struct debug_wanted w = wanted("/opt/app", ID);
	struct place p;

	place_init(&p);
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	elfw_write(&(struct elfw){.build_id = "another-build-id-20b"}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_OTHER_FILE, "-", "-");
	elfw_write(&(struct elfw){.build_id = "0123456789abcdefghi"}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_OTHER_FILE, "-", "-"); /* the start of it is not it */
	elfw_write(&(struct elfw){0}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_OTHER_FILE, "-", "-");
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	elfw_write(&(struct elfw){.build_id = ID},
		   name(&p, "symfs/usr/lib/debug/.build-id/30/"
			    "3132333435363738396162636465666768696a.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app",
	       "symfs/usr/lib/debug/.build-id/30/3132333435363738396162636465666768696a.debug");
	elfw_write(&(struct elfw){.build_id = ID},
		   name(&p, "symfs/.build-id/30/3132333435363738396162636465666768696a.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app",
	       "symfs/.build-id/30/3132333435363738396162636465666768696a.debug");
	ck_assert_int_eq(unlink(name(&p, "symfs/opt/app")), 0);
	expect(&p, &w, DEBUG_FOUND, "-",
	       "symfs/.build-id/30/3132333435363738396162636465666768696a.debug");
	place_deinit(&p);
}
END_TEST

START_TEST(on_this_machine)
{
	struct debug_wanted w;
	struct place p;
	char debug_dir[80];

	place_init(&p);
	snprintf(debug_dir, sizeof(debug_dir), "%s/debug", p.dir);
	p.roots.debug_dir = debug_dir;
	w = wanted(name(&p, "bin/app"), ID);
	elfw_write(&(struct elfw){.build_id = ID}, w.path);
	expect(&p, &w, DEBUG_FOUND, "bin/app", "-");
	elfw_write(&(struct elfw){.build_id = ID},
		   name(&p, "debug/.build-id/30/3132333435363738396162636465666768696a.debug"));
	expect(&p, &w, DEBUG_FOUND, "bin/app",
	       "debug/.build-id/30/3132333435363738396162636465666768696a.debug");
	/* The symfs comes first. */
	snprintf(debug_dir, sizeof(debug_dir), "symfs%s", w.path);
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, debug_dir));
	p.roots.debug_dir = "/nonexistent";
	expect(&p, &w, DEBUG_FOUND, debug_dir, "-");
	place_deinit(&p);
}
END_TEST

START_TEST(without_build_id)
{
	struct debug_wanted w = wanted("/opt/app", "");
	struct place p;

	place_init(&p);
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_OTHER_FILE, "-", "-");
	elfw_write(&(struct elfw){0}, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	w.is_deleted = true;
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	place_deinit(&p);
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
	struct place p;

	place_init(&p);
	elfw_write(&binary, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/usr/lib/debug/opt/app.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/usr/lib/debug/opt/app.debug");
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/opt/.debug/app.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/.debug/app.debug");
	elfw_write(&(struct elfw){.build_id = "x"}, name(&p, "symfs/opt/app.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/.debug/app.debug");
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/opt/app.debug"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/app.debug");
	place_deinit(&p);
}
END_TEST

START_TEST(debuglink_to_itself)
{
	const struct elfw binary = {.build_id = ID, .debuglink = "app"};
	const struct debug_wanted w = wanted("/opt/app", ID);
	struct place p;

	place_init(&p);
	elfw_write(&binary, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	elfw_write(&binary, name(&p, "symfs/usr/lib/debug/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/usr/lib/debug/opt/app");
	place_deinit(&p);
}
END_TEST

START_TEST(debuglink_by_crc)
{
	struct elfw binary = {.debuglink = "app.debug", .debuglink_crc = 1};
	const struct debug_wanted w = wanted("/opt/app", "");
	struct place p;

	place_init(&p);
	elfw_write(&(struct elfw){.text_size = 5}, name(&p, "symfs/opt/app.debug"));
	elfw_write(&binary, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "-");
	binary.debuglink_crc = crc_of(name(&p, "symfs/opt/app.debug"));
	elfw_write(&binary, name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_FOUND, "symfs/opt/app", "symfs/opt/app.debug");
	place_deinit(&p);
}
END_TEST

START_TEST(not_regular)
{
	struct debug_wanted w = wanted("/opt/app", ID);
	struct place p;
	int watch;

	place_init(&p);
	ck_assert_int_eq(mkfifo(name(&p, "symfs/opt/app"), 0600), 0);
	watch = opens_watch(name(&p, "symfs/opt/app"));
	expect(&p, &w, DEBUG_NOT_READABLE, "-", "-"); /* and does not block */
	ck_assert_msg(!opens_seen(watch), "a FIFO was opened");
	w.path = "/opt";
	expect(&p, &w, DEBUG_NOT_READABLE, "-", "-");
	w.path = name(&p, "fifo");
	ck_assert_int_eq(mkfifo(w.path, 0600), 0);
	expect(&p, &w, DEBUG_NOT_READABLE, "-", "-");
	w.path = "/dev/null";
	expect(&p, &w, DEBUG_NOT_READABLE, "-", "-");
	w.path = "/proc/self/maps";
	expect(&p, &w, DEBUG_NOT_READABLE, "-", "-");
	w.path = "";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "//anon";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "relative/path";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	place_deinit(&p);
}
END_TEST

/* A link that is absolute is taken from the symfs; nothing leads out of it. */
START_TEST(symfs_is_a_root)
{
	struct debug_wanted w = wanted("/../../../../../../../../outside", ID);
	char outside[80];
	struct place p;

	place_init(&p);
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "outside"));
	snprintf(outside, sizeof(outside), "%s/outside", p.dir);
	ck_assert_int_eq(symlink(outside, name(&p, "symfs/absolute")), 0);
	ck_assert_int_eq(symlink("../outside", name(&p, "symfs/relative")), 0);
	ck_assert_int_eq(symlink("..", name(&p, "symfs/up")), 0);
	ck_assert_int_eq(symlink("/real", name(&p, "symfs/within")), 0);
	elfw_write(&(struct elfw){.build_id = ID}, name(&p, "symfs/real"));
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "/absolute";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "/relative";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "/up/outside";
	expect(&p, &w, DEBUG_NO_FILE, "-", "-");
	w.path = "/within";
	expect(&p, &w, DEBUG_FOUND, "symfs/within", "-");
	place_deinit(&p);
}
END_TEST

START_TEST(no_symfs)
{
	struct debug_roots roots = {.symfs_fd = -1};
	struct err err = {0};

	ck_assert_int_eq(debug_roots_open(&roots, "/nonexistent", &err), -ENOENT);
	ck_assert_str_eq(err.text, "failed to open '/nonexistent': No such file or directory");
	ck_assert_int_eq(debug_roots_open(&roots, "/proc/self/maps", &err), -ENOTDIR);
	ck_assert_int_eq(roots.symfs_fd, -1);
}
END_TEST

SUITE_MAIN("debugfiles", by_build_id, on_this_machine, without_build_id, debuglinks,
	   debuglink_to_itself, debuglink_by_crc, not_regular, symfs_is_a_root, no_symfs,
	   changed_since, changed_in_place)
