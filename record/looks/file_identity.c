// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/hash.h"
#include "record/proc/proc_path.h"

/* Of a device number of the kernel (include/linux/kdev_t.h). */
#define KERNEL_MINOR_BITS 20

static int64_t time_ns(const struct timespec *time)
{
	return time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

struct file_identity file_identity_of_stat(const struct stat *st)
{
	return (struct file_identity){
		.is_stat = true,
		.dev = st->st_dev,
		.inode = st->st_ino,
		.size = st->st_size,
		.mtime_ns = time_ns(&st->st_mtim),
		.ctime_ns = time_ns(&st->st_ctim),
		.owner = st->st_uid,
	};
}

bool file_identity_is_of_fd(const struct file_identity *identity, int fd)
{
	struct file_identity have;
	struct stat st;

	if (fstat(fd, &st))
		return false;
	have = file_identity_of_stat(&st);
	return file_identity_equal(&have, identity);
}

uint64_t file_identity_kernel_dev(uint64_t dev)
{
	return (uint64_t)major(dev) << KERNEL_MINOR_BITS | minor(dev);
}

bool file_identity_equal(const struct file_identity *a, const struct file_identity *b)
{
	return a->is_stat == b->is_stat && a->dev == b->dev && a->inode == b->inode &&
	       a->generation == b->generation && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

uint64_t file_identity_hash(const struct file_identity *identity, uint64_t seed)
{
	uint64_t words[] = {
		identity->is_stat,           identity->dev,  identity->inode,
		identity->generation,        identity->size, (uint64_t)identity->mtime_ns,
		(uint64_t)identity->ctime_ns};

	return hash_bytes(words, sizeof(words), seed);
}

/* These file systems show one device in the lists of mappings, and a different one in stat. */
static bool has_two_devices(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) &&
	       (fs.f_type == BTRFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* A file that changed after it was mapped may be another one, which got the inode's number. */
static bool may_be_mapped(const struct file_place *place, const struct stat *st,
			  const struct file_identity *identity)
{
	return st->st_ino == identity->inode &&
	       (!place->realtime_ns || time_ns(&st->st_ctim) <= (int64_t)place->realtime_ns);
}

/*
 * Is the file at @path the file of @identity? Opens nothing (O_PATH), since opening a device can
 * have effects.
 */
static bool look_at_path(const struct file_place *place, const char *path,
			 const struct file_identity *identity, struct stat *st)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st) || !may_be_mapped(place, st, identity))
		return false;
	return st->st_dev == identity->dev || has_two_devices(fd);
}

int file_place_find(struct look *look, const struct file_place *place, uint64_t dev)
{
	int ret = look_touch(look, look_process(place->pid));
	uint32_t tid;

	if (ret)
		return ret;
	/*
	 * A process in the middle of an exec keeps all waiting that look at its memory. It does so
	 * here, so that the process is to blame and not the device of a file that it maps.
	 */
	tid = proc_living_thread(place->pid);
	/* The look-up alone can wait for a server of NFS. */
	if (dev)
		ret = look_touch(look, look_device(dev));
	return ret ? ret : proc_map_file_open(place->pid, tid, place->start, place->end, O_PATH);
}

/* As file_identity_look, by the mapping itself. Returns 1, 0, or -EHOSTDOWN. */
static int look_at_mapping(struct look *look, const struct file_place *place,
			   const struct file_identity *identity, struct stat *st)
{
	_cleanup_close_ int fd = file_place_find(look, place, identity->dev);

	return fd == -EHOSTDOWN ? fd
				: fd >= 0 && !fstat(fd, st) && may_be_mapped(place, st, identity);
}

bool file_identity_look(struct look *look, const struct file_place *place, const char *path,
			struct file_identity *identity)
{
	char root[PROC_PATH_SIZE], name[PROC_PATH_SIZE + PATH_MAX];
	struct stat st;
	int found = look_at_mapping(look, place, identity, &st);

	/* Of the executable, this takes no capability. */
	if (!found && !look_touch(look, look_process(place->pid))) {
		proc_path(place->pid, "exe", name);
		found = look_at_path(place, name, identity, &st);
	}
	/* The path may lead through other file systems, which the process chooses. */
	if (!found && path && !look_touch(look, look_process(place->pid))) {
		proc_path(place->pid, "root", root);
		snprintf(name, sizeof(name), "%s%s", root, path);
		found = look_at_path(place, name, identity, &st) ||
			look_at_path(place, path, identity, &st);
	}
	if (found <= 0 || !S_ISREG(st.st_mode))
		return false;
	*identity = file_identity_of_stat(&st);
	return true;
}
