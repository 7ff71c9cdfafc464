// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profrep knows a file by its build-id; a path only gives a place to look. The recording and the
 * binaries may be from different days, hosts and containers, and a wrong symbol is worse than none.
 * So profrep uses a file only if its build-id equals the recorded one, byte for byte.
 *
 * It looks for the binary at
 *   1. SYMFS/path, if there is a symfs: the user said that the files are there;
 *   2. path, on this machine;
 *   3. path, in the root of a process that lives and was recorded in this boot: a container's file.
 * The binary has the program headers, which turn file offsets into addresses, .dynsym, and often
 * .symtab.
 *
 * The debug file has the full .symtab of a stripped binary. profrep looks for it at
 *   1. SYMFS/.build-id/xx/yyyy.debug, the layout of a directory of debug files alone;
 *   2. SYMFS/usr/lib/debug/.build-id/xx/yyyy.debug;
 *   3. DIR/.build-id/xx/yyyy.debug, for each directory that the user names;
 *   4. /usr/lib/debug/.build-id/xx/yyyy.debug, also in the root that has the binary;
 *   5. the name in the binary's .gnu_debuglink: in the binary's directory, in .debug/ there, and
 *      under the directories of 3 and 4 in the directory's name. All are in the root that has the
 *      binary, or in the directories that the user names.
 *      The name is a bare one (elf_file_debuglink); a path in it would lead anywhere.
 *
 * A file of the kernel has no path, so profrep looks at the places that distributions and builders
 * use for its release (kernel_paths.c): in SYMFS, in each DIR, then on this machine. A build-id
 * must be recorded. Modules may be packed by xz, zstd or gzip.
 *
 * If the user wants that, profrep then asks debuginfod servers (fetcher.h) for the debug file, and
 * for the binary if there is neither.
 *
 * The first file is not always the best: a copy may be stripped, a debug file may lack symbols. So
 * profrep looks on until it has a file with .symtab, or with debug information if the report needs
 * that, and takes the best (enum elf_quality), of equal ones the first.
 *
 * A build-id stands for the contents of a file. An object that was recorded without one is found
 * only at the recorded path. The file there must have no build-id either. If the recorded file was
 * deleted, no file is used, because the path now names another file. The file must not have changed
 * since: its size and the time of its last change are the recorded ones. If these were not
 * recorded, the file must be older than the recording, on the recorded machine by its ctime. A
 * debug file without a build-id is known by the CRC in the debug link.
 *
 * All names come from the recording or from an ELF file: safe_open opens them.
 */
#include "report/files/debugfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/safe_open.h"
#include "report/files/candidate.h"
#include "report/files/kernel_paths.h"
#include "elf/elffile.h"

#define DEBUG_DIR "/usr/lib/debug"

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

int debug_roots_add(struct debug_roots *roots, const struct debug_dirs *dirs, struct err *err)
{
	for (size_t i = 0; i < dirs->nr; i++) {
		char *path = realpath(dirs->names[i], NULL);
		int ret = path ? 0 : -errno;

		if (ret)
			return err_set(err, ret, "failed to open '%s': %s", dirs->names[i],
				       strerror(-ret));
		roots->more_dirs.names[roots->more_dirs.nr++] = path;
	}
	return 0;
}

void debug_roots_close(struct debug_roots *roots)
{
	if (roots->symfs_fd >= 0)
		close(roots->symfs_fd);
	roots->symfs_fd = -1;
	for (size_t i = 0; i < roots->more_dirs.nr; i++)
		free((char *)roots->more_dirs.names[i]);
	roots->more_dirs.nr = 0;
}

static const struct root this_machine = {.fd = -1, .name = "", .is_host = true};

struct search {
	const struct debug_roots *roots;
	const struct debug_wanted *wanted;
	struct root symfs;
	struct root binary_root; /* the root that has the binary */
	int process_fd;          /* the root of a process, or -1 */
	char process_name[32];
	struct found binary, debug;
	enum debug_miss binary_miss, debug_miss;
};

static const char *debug_dir(const struct debug_roots *roots)
{
	return roots->debug_dir ? roots->debug_dir : DEBUG_DIR;
}

/* Looks for the binary at @path in @root. */
static int try_binary_at(struct search *s, const struct root *root, const char *path)
{
	const struct debug_wanted *wanted = s->wanted;
	int fd, ret;

	if (found_is_best(&s->binary, s->roots->needs_lines))
		return 0;
	if (wanted->is_module && kernel_path_is_packed(path))
		fd = candidate_open_packed(root, path, &wanted->build_id, s->roots->budget,
					   &s->binary_miss);
	else
		fd = candidate_open(root, path, &wanted->build_id, &s->binary_miss);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	if (build_id_is_none(&wanted->build_id) &&
	    candidate_has_changed(fd, root->is_host && wanted->is_of_this_boot, wanted)) {
		close(fd);
		candidate_note_miss(&s->binary_miss, DEBUG_CHANGED_FILE);
		return 0;
	}
	ret = candidate_take_better(&s->binary, fd, root, path, s->roots->budget,
				    s->roots->needs_lines);
	if (ret == 1)
		s->binary_root = *root;
	return ret < 0 ? ret : 0;
}

static int try_binary(struct search *s, const struct root *root)
{
	return try_binary_at(s, root, s->wanted->path);
}

/* Looks for the binary in the roots of processes, until one has it. */
static int try_processes(struct search *s)
{
	for (size_t i = 0; i < s->wanted->nr_pids && s->binary.fd < 0; i++) {
		struct root root = {.name = s->process_name, .is_host = true};
		int ret;

		snprintf(s->process_name, sizeof(s->process_name), "/proc/%" PRIu32 "/root",
			 s->wanted->pids[i]);
		root.fd = open(s->process_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root.fd < 0)
			continue;
		if (s->process_fd >= 0)
			close(s->process_fd);
		s->process_fd = root.fd;
		ret = try_binary(s, &root);
		if (ret)
			return ret;
	}
	return 0;
}

/* A directory with files of kernels. */
struct kernel_dir {
	const struct root *root;
	const char *name; /* in @root; "": @root itself */
};

/* Looks for the file of the kernel at the usual places in @dir. */
static int try_kernel_dir(struct search *s, const struct kernel_dir *dir,
			  const struct kernel_file *file)
{
	const char *name = dir->name[0] ? dir->name : "/";
	int fd = dir->root->fd >= 0 ? fcntl(dir->root->fd, F_DUPFD_CLOEXEC, 0)
				    : open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	kernel_paths paths = {0};
	int ret = 0;

	if (fd >= 0)
		ret = kernel_paths_find(fd, !dir->name[0], file, &paths);
	for (size_t i = 0; i < paths.nr && !ret; i++) {
		_cleanup_free_ char *path = NULL;

		ret = asprintf(&path, "%s%s", dir->name, paths.data[i]) < 0
			      ? -ENOMEM
			      : try_binary_at(s, dir->root, path);
	}
	kernel_paths_free(&paths);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Looks for the file of a kernel of @file->release in all directories. */
static int try_kernel(struct search *s, const struct kernel_file *file)
{
	const struct debug_dirs *more = &s->roots->more_dirs;
	int ret =
		s->symfs.fd >= 0 ? try_kernel_dir(s, &(struct kernel_dir){&s->symfs, ""}, file) : 0;

	for (size_t i = 0; i < more->nr && !ret; i++)
		ret = try_kernel_dir(s, &(struct kernel_dir){&this_machine, more->names[i]}, file);
	return ret ? ret : try_kernel_dir(s, &(struct kernel_dir){&this_machine, ""}, file);
}

static int find_kernel(struct search *s)
{
	const struct debug_wanted *wanted = s->wanted;
	size_t len = strlen(wanted->path);
	_cleanup_free_ char *module = NULL;
	int ret = 0;

	if (len < 2 || build_id_is_none(&wanted->build_id))
		return 0;
	module = strndup(wanted->path + 1, len - 2);
	if (!module)
		return -ENOMEM;
	for (size_t i = 0; i < wanted->nr_releases && !ret; i++) {
		const struct kernel_file file = {wanted->releases[i],
						 wanted->is_module ? module : NULL};

		ret = try_kernel(s, &file);
	}
	return ret;
}

static int find_binary(struct search *s)
{
	const struct debug_wanted *wanted = s->wanted;
	int ret = 0;

	candidate_note_miss(&s->binary_miss, DEBUG_NO_FILE);
	if (wanted->is_kernel)
		return find_kernel(s);
	if (!wanted->path[0] || (wanted->is_deleted && build_id_is_none(&wanted->build_id)))
		return 0;
	if (s->symfs.fd >= 0)
		ret = try_binary(s, &s->symfs);
	if (!ret)
		ret = try_binary(s, &this_machine);
	return ret ? ret : try_processes(s);
}

/* Looks for the debug file at @path in @root. Returns 0 or -ENOMEM. */
static int try_debug(struct search *s, const struct root *root, const char *path)
{
	int fd = candidate_open(root, path, &s->wanted->build_id, &s->debug_miss);
	int ret = fd;

	if (fd >= 0)
		ret = candidate_take_better(&s->debug, fd, root, path, s->roots->budget,
					    s->roots->needs_lines);
	return ret == -ENOMEM ? ret : 0;
}

/* Looks for the debug file under @dir in @root by its build-id. */
static int try_debug_by_id(struct search *s, const struct root *root, const char *dir)
{
	_cleanup_free_ char *path = NULL;

	if (found_is_best(&s->debug, s->roots->needs_lines))
		return 0;
	path = build_id_debug_path(&s->wanted->build_id, dir);
	return path ? try_debug(s, root, path) : -ENOMEM;
}

static int find_debug_by_id(struct search *s)
{
	const struct debug_dirs *more = &s->roots->more_dirs;
	int ret = 0;

	if (s->wanted->build_id.size < 2)
		return 0;
	if (s->symfs.fd >= 0) {
		ret = try_debug_by_id(s, &s->symfs, "");
		if (!ret)
			ret = try_debug_by_id(s, &s->symfs, DEBUG_DIR);
	}
	for (size_t i = 0; i < more->nr && !ret; i++)
		ret = try_debug_by_id(s, &this_machine, more->names[i]);
	if (!ret)
		ret = try_debug_by_id(s, &this_machine, debug_dir(s->roots));
	if (!ret && s->process_fd >= 0 && s->binary_root.fd == s->process_fd)
		ret = try_debug_by_id(s, &s->binary_root, DEBUG_DIR);
	return ret;
}

static bool are_one_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && is_same_file(&x, &y);
}

/*
 * Opens the file at @path in @root that a debug link with @crc names. Returns a file descriptor, -1
 * for none, or -ENOMEM.
 */
static int open_linked(struct search *s, const struct root *root, const char *path, uint32_t crc)
{
	_cleanup_close_ int fd = candidate_open(root, path, &s->wanted->build_id, &s->debug_miss);

	/* A link with the binary's own name means a file in a later directory. */
	if (fd < 0 || are_one_file(fd, s->binary.fd))
		return fd == -ENOMEM ? fd : -1;
	if (!build_id_is_none(&s->wanted->build_id) || candidate_has_crc(fd, s->roots->budget, crc))
		return TAKE_FD(fd);
	candidate_note_miss(&s->debug_miss, DEBUG_OTHER_FILE);
	return -1;
}

/* Where a debug link leads: @dir in @root, then the directory of the binary, then @sub. */
struct link_place {
	const struct root *root;
	const char *dir, *sub;
};

static int try_link(struct search *s, const struct link_place *place,
		    const struct elf_debuglink *link)
{
	const char *slash = strrchr(s->wanted->path, '/');
	_cleanup_free_ char *path = NULL;
	int fd, ret;

	if (found_is_best(&s->debug, s->roots->needs_lines))
		return 0;
	if (asprintf(&path, "%s%.*s/%s%s", place->dir, slash ? (int)(slash - s->wanted->path) : 0,
		     s->wanted->path, place->sub, link->name) < 0)
		return -ENOMEM;
	fd = open_linked(s, place->root, path, link->crc);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	ret = candidate_take_better(&s->debug, fd, place->root, path, s->roots->budget,
				    s->roots->needs_lines);
	return ret < 0 ? ret : 0;
}

static int find_debug_by_link(struct search *s, struct elf_file *binary)
{
	const struct debug_dirs *more = &s->roots->more_dirs;
	const struct root *root = &s->binary_root;
	const struct link_place beside = {root, "", ""}, below = {root, "", ".debug/"},
				under = {root, root->fd < 0 ? debug_dir(s->roots) : DEBUG_DIR, ""};
	struct elf_debuglink link;
	int ret;

	if (!elf_file_debuglink(binary, &link))
		return binary->out_of_memory ? -ENOMEM : 0;
	ret = try_link(s, &beside, &link);
	if (!ret)
		ret = try_link(s, &below, &link);
	for (size_t i = 0; i < more->nr && !ret; i++)
		ret = try_link(s, &(struct link_place){&this_machine, more->names[i], ""}, &link);
	return ret ? ret : try_link(s, &under, &link);
}

static int find_debug(struct search *s)
{
	struct elf_file binary;
	int ret = find_debug_by_id(s);

	if (ret || found_is_best(&s->debug, s->roots->needs_lines) || s->binary.fd < 0 ||
	    s->wanted->is_kernel)
		return ret;
	ret = candidate_open_elf(s->binary.fd, s->roots->budget, &binary);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = find_debug_by_link(s, &binary);
	elf_file_close(&binary);
	return ret;
}

/* Fetches the file of @kind, and takes it if it is better than @best. */
static int try_fetch(struct search *s, enum fetch_kind kind, struct found *best)
{
	const struct build_id *build_id = &s->wanted->build_id;
	_cleanup_free_ char *path = NULL;
	int ret = fetcher_find(s->roots->fetcher, build_id, kind, &path), fd;

	if (ret || !path)
		return ret;
	fd = candidate_open(&this_machine, path, build_id, &s->debug_miss);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	ret = candidate_take_better(best, fd, &this_machine, path, s->roots->budget,
				    s->roots->needs_lines);
	best->is_fetched |= ret == 1;
	return ret < 0 ? ret : 0;
}

/* Asks servers for what is missing. The executable is of use only if there is nothing else. */
static int fetch_files(struct search *s)
{
	bool needs_lines = s->roots->needs_lines;
	int ret = 0;

	if (!s->roots->fetcher || build_id_is_none(&s->wanted->build_id) ||
	    found_is_best(&s->binary, needs_lines))
		return 0;
	if (!found_is_best(&s->debug, needs_lines))
		ret = try_fetch(s, FETCH_DEBUGINFO, &s->debug);
	if (!ret && s->binary.fd < 0 && s->debug.fd < 0)
		ret = try_fetch(s, FETCH_EXECUTABLE, &s->binary);
	return ret;
}

int debug_files_find(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, enum debug_miss *miss)
{
	struct search s = {
		.roots = roots,
		.wanted = wanted,
		.symfs = {.fd = roots->symfs_fd, .name = roots->symfs ? roots->symfs : ""},
		.binary_root = this_machine,
		.process_fd = -1,
		.binary.fd = -1,
		.debug.fd = -1,
	};
	int ret = find_binary(&s);

	if (!ret)
		ret = find_debug(&s);
	if (!ret)
		ret = fetch_files(&s);
	if (s.process_fd >= 0)
		close(s.process_fd);
	if (ret) {
		found_drop(&s.binary);
		found_drop(&s.debug);
		return ret;
	}
	candidate_note_miss(&s.binary_miss, s.debug_miss);
	*files = (struct debug_files){s.binary.fd, s.debug.fd, s.binary.path, s.debug.path,
				      s.binary.is_fetched || s.debug.is_fetched};
	*miss = s.binary.fd >= 0 || s.debug.fd >= 0 ? DEBUG_FOUND : s.binary_miss;
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
