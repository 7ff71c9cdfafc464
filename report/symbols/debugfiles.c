// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profrep knows a file by its build-id; a path only gives a place to look. The recording and the
 * binaries may be from different days, hosts and containers, and a wrong symbol is worse than none.
 * So profrep uses a file only if its build-id equals the recorded one, byte for byte.
 *
 * It looks for the binary at
 *   1. SYMFS/path, if there is a symfs: the user said that the files are there;
 *   2. path, on this machine.
 * The binary has the program headers, which turn file offsets into addresses, .dynsym, and often
 * .symtab.
 *
 * The debug file has the full .symtab of a stripped binary. profrep looks for it at
 *   1. SYMFS/.build-id/xx/yyyy.debug, the layout of a directory of debug files alone;
 *   2. SYMFS/usr/lib/debug/.build-id/xx/yyyy.debug;
 *   3. /usr/lib/debug/.build-id/xx/yyyy.debug;
 *   4. the name in the binary's .gnu_debuglink: in the binary's directory, in .debug/ there, and
 *      under /usr/lib/debug in the directory's name. All are in the root that has the binary.
 *      The name is a bare one (elf_file_debuglink); a path in it would lead anywhere.
 *
 * A build-id stands for the contents of a file. An object that was recorded without one is found
 * only at the recorded path. The file there must have no build-id either. If the recorded file was
 * deleted, no file is used, because the path now names another file. The file must not have changed
 * since: its size and the time of its last change are the recorded ones. If these were not
 * recorded, the file must be older than the recording. A debug file without a build-id is known by
 * the CRC in the debug link.
 *
 * All names come from the recording or from an ELF file: safe_open opens them.
 */
#include "report/symbols/debugfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/safe_open.h"
#include "report/symbols/elffile.h"

#define DEBUG_DIR "/usr/lib/debug"

/* A file is sparse if less than one part in this many is on the disk. */
#define SPARSE 8

int debug_roots_open(struct debug_roots *roots, const char *dir, struct err *err)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		int ret = -errno;

		return err_set(err, ret, "failed to open '%s': %s", dir, strerror(-ret));
	}
	roots->symfs_fd = fd;
	roots->symfs = dir;
	return 0;
}

void debug_roots_close(struct debug_roots *roots)
{
	if (roots->symfs_fd >= 0)
		close(roots->symfs_fd);
	roots->symfs_fd = -1;
}

static const char *debug_dir(const struct debug_roots *roots)
{
	return roots->debug_dir ? roots->debug_dir : DEBUG_DIR;
}

/*
 * Remembers the reason for which a candidate was refused. The reason that tells the user most wins.
 */
static void note_miss(enum debug_miss *miss, enum debug_miss reason)
{
	static const int weight[] = {
		[DEBUG_FOUND] = 0,      [DEBUG_NO_FILE] = 1,      [DEBUG_NOT_READABLE] = 2,
		[DEBUG_OTHER_FILE] = 3, [DEBUG_CHANGED_FILE] = 4,
	};

	if (weight[reason] > weight[*miss])
		*miss = reason;
}

/*
 * Opens @path in the root @root_fd; -1 is the root of this machine. Refuses empty files: files of
 * procfs and tracefs say that they are empty, and reading them may block or consume.
 */
static int open_in_root(int root_fd, const char *path)
{
	const struct safe_open_rules rules = {
		.lookup = root_fd < 0 ? SAFE_OPEN_FOLLOW : SAFE_OPEN_IN_ROOT,
		.not_empty = true,
	};

	if (root_fd < 0 && path[0] != '/')
		return -ENOENT;
	return safe_open(root_fd < 0 ? AT_FDCWD : root_fd, path, &rules);
}

/*
 * Opens @path if it is the file with @build_id; of size 0, if the file has no build-id. Returns -1
 * for another file.
 */
static int open_matching(int root_fd, const char *path, const struct build_id *build_id,
			 enum debug_miss *miss)
{
	_cleanup_close_ int fd = open_in_root(root_fd, path);
	struct build_id have = {0};
	int ret;

	if (fd < 0) {
		note_miss(miss, fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG
					? DEBUG_NO_FILE
					: DEBUG_NOT_READABLE);
		return -1;
	}
	ret = build_id_from_fd(fd, &have);
	if (ret == -ENOMEM)
		return ret;
	if (ret && ret != -ENOENT) {
		note_miss(miss, DEBUG_NOT_READABLE);
		return -1;
	}
	if (!build_id_equal(&have, build_id)) {
		note_miss(miss, DEBUG_OTHER_FILE);
		return -1;
	}
	return TAKE_FD(fd);
}

/* Returns the name of @path in the root, for the user. */
static char *shown_path(const struct debug_roots *roots, int root_fd, const char *path)
{
	char *shown;

	if (root_fd < 0)
		return strdup(path);
	if (asprintf(&shown, "%s%s%s", roots->symfs, path[0] == '/' ? "" : "/", path) < 0)
		return NULL;
	return shown;
}

static int64_t time_ns(const struct timespec *time)
{
	return time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

/*
 * Returns true if the file at @fd, which has no build-id, is not the recorded file. A good copy on
 * another machine keeps size and mtime. A file on the machine of the recording keeps inode and
 * ctime, too.
 */
static bool has_changed(int fd, bool is_host, const struct debug_wanted *wanted)
{
	const struct prof_file_info *file = wanted->file;
	struct stat st;

	if (fstat(fd, &st))
		return true;
	if (!file)
		return wanted->recorded_realtime_ns &&
		       time_ns(&st.st_mtim) > (int64_t)wanted->recorded_realtime_ns;
	if (file->size != (uint64_t)st.st_size || file->mtime_ns != time_ns(&st.st_mtim))
		return true;
	return is_host && (file->inode != st.st_ino || file->ctime_ns != time_ns(&st.st_ctim));
}

/* Opens the binary. Sets *@root_fd to the root that has it. */
static int find_binary(const struct debug_roots *roots, const struct debug_wanted *wanted,
		       struct debug_files *files, int *root_fd, enum debug_miss *miss)
{
	const int root_fds[] = {roots->symfs_fd, -1};

	note_miss(miss, DEBUG_NO_FILE);
	if (!wanted->path[0] || (wanted->is_deleted && build_id_is_none(&wanted->build_id)))
		return 0;
	for (size_t i = roots->symfs_fd < 0; i < ARRAY_SIZE(root_fds); i++) {
		int fd = open_matching(root_fds[i], wanted->path, &wanted->build_id, miss);

		if (fd == -ENOMEM)
			return fd;
		if (fd < 0)
			continue;
		if (build_id_is_none(&wanted->build_id) &&
		    has_changed(fd, root_fds[i] < 0 && wanted->is_of_this_boot, wanted)) {
			close(fd);
			note_miss(miss, DEBUG_CHANGED_FILE);
			continue;
		}
		files->binary_fd = fd;
		files->binary_path = shown_path(roots, root_fds[i], wanted->path);
		*root_fd = root_fds[i];
		return files->binary_path ? 0 : -ENOMEM;
	}
	return 0;
}

/* Takes @path as the debug file if its build-id is right. Returns 0, also if not, or -ENOMEM. */
static int try_debug(const struct debug_roots *roots, int root_fd, const char *path,
		     const struct debug_wanted *wanted, struct debug_files *files,
		     enum debug_miss *miss)
{
	int fd = open_matching(root_fd, path, &wanted->build_id, miss);

	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	files->debug_fd = fd;
	files->debug_path = shown_path(roots, root_fd, path);
	return files->debug_path ? 0 : -ENOMEM;
}

static int find_debug_by_id(const struct debug_roots *roots, const struct debug_wanted *wanted,
			    struct debug_files *files, enum debug_miss *miss)
{
	const struct {
		int root_fd;
		const char *dir;
	} places[] = {
		{roots->symfs_fd, ""},
		{roots->symfs_fd, DEBUG_DIR},
		{-1, debug_dir(roots)},
	};
	char hex[BUILD_ID_HEX_SIZE];

	if (wanted->build_id.size < 2)
		return 0;
	build_id_hex(&wanted->build_id, hex);
	for (size_t i = roots->symfs_fd < 0 ? 2 : 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path = NULL;
		int ret;

		if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", places[i].dir, hex, hex + 2) < 0)
			return -ENOMEM;
		ret = try_debug(roots, places[i].root_fd, path, wanted, files, miss);
		if (ret || files->debug_fd >= 0)
			return ret;
	}
	return 0;
}

/*
 * Computes the CRC of the whole file, as .gnu_debuglink has it. Returns false for a file that
 * cannot be read, is too large for @budget, or is sparse: a debug file has few holes.
 */
static bool file_crc(int fd, struct file_budget *budget, uint32_t *crc)
{
	unsigned char buf[1 << 16];
	struct stat st;
	uint32_t sum = 0;
	off_t off = 0;
	ssize_t n;

	if (fstat(fd, &st) || st.st_blocks < st.st_size / 512 / SPARSE ||
	    !file_budget_charge(budget, st.st_size))
		return false;
	while (off < st.st_size && (n = io_pread(fd, buf, sizeof(buf), off)) > 0) {
		sum = crc32(sum, buf, n);
		off += n;
	}
	*crc = sum;
	return off == st.st_size;
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void drop_debug(struct debug_files *files)
{
	close(files->debug_fd);
	files->debug_fd = -1;
	free(files->debug_path);
	files->debug_path = NULL;
}

static int try_debuglink(const struct debug_roots *roots, int root_fd, const char *path,
			 const struct debug_wanted *wanted, uint32_t crc, struct debug_files *files,
			 enum debug_miss *miss)
{
	uint32_t have;
	int ret = try_debug(roots, root_fd, path, wanted, files, miss);

	if (ret || files->debug_fd < 0)
		return ret;
	if (is_same_file(files->debug_fd, files->binary_fd)) {
		/* A link with the binary's own name means a file in a later directory. */
		drop_debug(files);
		return 0;
	}
	if (!build_id_is_none(&wanted->build_id) ||
	    (file_crc(files->debug_fd, roots->budget, &have) && have == crc))
		return 0;
	drop_debug(files);
	note_miss(miss, DEBUG_OTHER_FILE);
	return 0;
}

static int find_debug_by_link(const struct debug_roots *roots, const struct debug_wanted *wanted,
			      int root_fd, struct elf_file *binary, struct debug_files *files,
			      enum debug_miss *miss)
{
	const char *slash = strrchr(wanted->path, '/');
	int dir_len = slash ? slash - wanted->path : 0;
	const char *under = root_fd < 0 ? debug_dir(roots) : DEBUG_DIR;
	const char *name;
	uint32_t crc;

	if (!elf_file_debuglink(binary, &name, &crc))
		return binary->out_of_memory ? -ENOMEM : 0;
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *path = NULL;
		int ret;

		if (asprintf(&path, "%s%.*s/%s%s", i == 2 ? under : "", dir_len, wanted->path,
			     i == 1 ? ".debug/" : "", name) < 0)
			return -ENOMEM;
		ret = try_debuglink(roots, root_fd, path, wanted, crc, files, miss);
		if (ret || files->debug_fd >= 0)
			return ret;
	}
	return 0;
}

static int find_debug(const struct debug_roots *roots, const struct debug_wanted *wanted,
		      int root_fd, struct debug_files *files, enum debug_miss *miss)
{
	struct elf_file binary;
	int fd, ret;

	ret = find_debug_by_id(roots, wanted, files, miss);
	if (ret || files->debug_fd >= 0 || files->binary_fd < 0)
		return ret;
	fd = fcntl(files->binary_fd, F_DUPFD_CLOEXEC, 0);
	ret = fd < 0 ? -errno : elf_file_open(&binary, fd, roots->budget);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = find_debug_by_link(roots, wanted, root_fd, &binary, files, miss);
	elf_file_close(&binary);
	return ret;
}

int debug_files_find(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, enum debug_miss *miss)
{
	enum debug_miss why = DEBUG_FOUND, debug_why = DEBUG_FOUND;
	int root_fd = -1;
	int ret;

	*files = (struct debug_files){.binary_fd = -1, .debug_fd = -1};
	ret = find_binary(roots, wanted, files, &root_fd, &why);
	if (!ret)
		ret = find_debug(roots, wanted, root_fd, files, &debug_why);
	if (ret) {
		debug_files_close(files);
		return ret;
	}
	note_miss(&why, debug_why);
	*miss = files->binary_fd >= 0 || files->debug_fd >= 0 ? DEBUG_FOUND : why;
	return 0;
}

void debug_files_close(struct debug_files *files)
{
	if (files->binary_fd >= 0)
		close(files->binary_fd);
	if (files->debug_fd >= 0)
		close(files->debug_fd);
	free(files->binary_path);
	free(files->debug_path);
	*files = (struct debug_files){.binary_fd = -1, .debug_fd = -1};
}
