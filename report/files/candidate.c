// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/safe_open.h"
#include "report/files/packed_file.h"

/* A file is sparse if less than one part in this many is on the disk. */
#define SPARSE 8

void candidate_note_miss(enum debug_miss *miss, enum debug_miss reason)
{
	static const int weight[] = {
		[DEBUG_FOUND] = 0,      [DEBUG_NO_FILE] = 1,      [DEBUG_NOT_READABLE] = 2,
		[DEBUG_OTHER_FILE] = 3, [DEBUG_CHANGED_FILE] = 4,
	};

	if (weight[reason] > weight[*miss])
		*miss = reason;
}

/*
 * Opens @path in @root. Refuses empty files: files of procfs and tracefs say that they are empty,
 * and reading them may block or consume.
 */
static int open_in_root(const struct root *root, const char *path)
{
	const struct safe_open_rules rules = {
		.lookup = root->fd < 0 ? SAFE_OPEN_FOLLOW : SAFE_OPEN_IN_ROOT,
		.not_empty = true,
	};

	if (root->fd < 0 && path[0] != '/')
		return -ENOENT;
	return safe_open(root->fd < 0 ? AT_FDCWD : root->fd, path, &rules);
}

/* Opens @path in @root. Returns a file descriptor, or -1 with @miss noted. */
static int open_noting(const struct root *root, const char *path, enum debug_miss *miss)
{
	int fd = open_in_root(root, path);

	if (fd >= 0)
		return fd;
	candidate_note_miss(miss, fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG
					  ? DEBUG_NO_FILE
					  : DEBUG_NOT_READABLE);
	return -1;
}

/* Returns 0 if the file at @fd has @build_id, -1 with @miss noted if not, or -ENOMEM. */
static int check_build_id(int fd, const struct build_id *build_id, enum debug_miss *miss)
{
	struct build_id have = {0};
	int ret = build_id_from_fd(fd, &have);

	if (ret == -ENOMEM)
		return ret;
	if (!ret || ret == -ENOENT) {
		if (build_id_equal(&have, build_id))
			return 0;
		candidate_note_miss(miss, DEBUG_OTHER_FILE);
	} else {
		candidate_note_miss(miss, DEBUG_NOT_READABLE);
	}
	return -1;
}

int candidate_open(const struct root *root, const char *path, const struct build_id *build_id,
		   enum debug_miss *miss)
{
	_cleanup_close_ int fd = open_noting(root, path, miss);
	int ret = fd < 0 ? fd : check_build_id(fd, build_id, miss);

	return ret ? ret : TAKE_FD(fd);
}

int candidate_open_packed(const struct root *root, const char *path,
			  const struct build_id *build_id, struct file_budget *budget,
			  enum debug_miss *miss)
{
	_cleanup_close_ int packed = open_noting(root, path, miss), fd = -1;
	int ret = packed < 0 ? packed : packed_file_unpack(packed, budget, &fd);

	if (packed >= 0 && ret == -EIO)
		candidate_note_miss(miss, DEBUG_NOT_READABLE);
	if (!ret)
		ret = check_build_id(fd, build_id, miss);
	if (ret)
		return ret == -ENOMEM ? ret : -1;
	return TAKE_FD(fd);
}

static int64_t time_ns(const struct timespec *time)
{
	return time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

bool candidate_has_changed(int fd, bool is_host, const struct debug_wanted *wanted)
{
	const struct prof_file_info *file = wanted->file;
	struct stat st;

	if (fstat(fd, &st))
		return true;
	/* Whoever replaces a file may give the new one any mtime. */
	if (!file)
		return wanted->recorded_realtime_ns &&
		       time_ns(is_host ? &st.st_ctim : &st.st_mtim) >
			       (int64_t)wanted->recorded_realtime_ns;
	if (file->size != (uint64_t)st.st_size || file->mtime_ns != time_ns(&st.st_mtim))
		return true;
	return is_host && (file->inode != st.st_ino || file->ctime_ns != time_ns(&st.st_ctim));
}

bool candidate_has_crc(int fd, struct file_budget *budget, uint32_t crc)
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
	return off == st.st_size && sum == crc;
}

int candidate_open_elf(int fd, struct file_budget *budget, struct elf_file *file)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -ENOEXEC : elf_file_open(file, copy, budget);
}

/* Returns the name of @path in @root, for the user. */
static char *shown_path(const struct root *root, const char *path)
{
	char *shown;

	if (asprintf(&shown, "%s%s%s", root->name, path[0] == '/' || !root->name[0] ? "" : "/",
		     path) < 0)
		return NULL;
	return shown;
}

/* Sets *@quality. A file that is not proper has no names. Returns 0 or -ENOMEM. */
static int find_quality(int fd, struct file_budget *budget, bool needs_lines,
			enum elf_quality *quality)
{
	struct elf_file file;
	int ret = candidate_open_elf(fd, budget, &file);

	*quality = ELF_NO_NAMES;
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	*quality = elf_file_quality(&file);
	if (needs_lines && elf_file_has_lines(&file))
		*quality = ELF_LINES;
	ret = file.out_of_memory ? -ENOMEM : 0;
	elf_file_close(&file);
	return ret;
}

int candidate_take_better(struct found *best, int fd, const struct root *root, const char *path,
			  struct file_budget *budget, bool needs_lines)
{
	struct found new = {.fd = fd};
	int ret = find_quality(fd, budget, needs_lines, &new.quality);

	if (ret || (best->fd >= 0 && new.quality <= best->quality)) {
		found_drop(&new);
		return ret;
	}
	new.path = shown_path(root, path);
	if (!new.path) {
		found_drop(&new);
		return -ENOMEM;
	}
	found_drop(best);
	*best = new;
	return 1;
}

void found_drop(struct found *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->path);
	*found = (struct found){.fd = -1};
}
