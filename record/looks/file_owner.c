// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/file_owner.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/readfile.h"
#include "common/safe_open.h"
#include "record/proc/proc_mounts.h"
#include "record/proc/proc_path.h"
#include "record/looks/proc_task.h"
#include "record/looks/user_mount.h"
#include "record/shares/owner_ids.h"

/* The kernel shows at most 100,000 mounts (fs.mount-max), of some 150 bytes each. */
#define MOUNTS_BYTES_MAX (32u << 20)

#define FDINFO_BYTES_MAX 4096

/*
 * Can it be a file system that users have mounted from a device, and that shows another one, as
 * btrfs does? What is only in memory has the owners that the kernel gave.
 */
static bool hides_device(int fd, const struct stat *st)
{
	struct statfs fs;

	return major(st->st_dev) == UNNAMED_MAJOR &&
	       (fstatfs(fd, &fs) ||
		(fs.f_flags & ST_NOSUID && fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC));
}

/* The id of the mount by which @fd was opened, or -1. */
static int mount_of(int fd)
{
	char path[PROC_PATH_SIZE];
	char_vec text = {0};
	const char *line;
	int id = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (!read_file(path, FDINFO_BYTES_MAX, &text)) {
		line = strstr(text.data, "mnt_id:");
		if (!line || sscanf(line, "mnt_id:%d", &id) != 1)
			id = -1;
	}
	vec_free(&text);
	return id;
}

/*
 * Is mount @id in the recorder's own namespace? The list is read when it has changed, which poll
 * tells: an id may be used again.
 */
static bool is_own_mount(int id)
{
	static char_vec text;
	static int fd = -1;
	struct pollfd changed;

	if (fd < 0)
		fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	changed = (struct pollfd){.fd = fd, .events = POLLPRI};
	if (fd < 0)
		return false;
	if ((poll(&changed, 1, 0) || !text.nr) &&
	    (lseek(fd, 0, SEEK_SET) || read_fd(fd, MOUNTS_BYTES_MAX, &text))) {
		vec_clear(&text);
		return false;
	}
	return proc_mounts_has(text.data, id);
}

/* Sets *@st to the user namespace that the mount namespace of @pid (0: the recorder) belongs to. */
static bool find_user_namespace(uint32_t pid, struct stat *st)
{
	_cleanup_close_ int mounts = -1, users = -1;
	char path[PROC_PATH_SIZE] = "/proc/self/ns/mnt";

	if (pid)
		proc_path(pid, "ns/mnt", path);
	mounts = open(path, O_RDONLY | O_CLOEXEC);
	if (mounts >= 0)
		users = ioctl(mounts, NS_GET_USERNS);
	return users >= 0 && !fstat(users, st);
}

/* Is mount @id in the namespace of @pid, which belongs to the recorder's users? */
static bool is_mount_of(uint32_t pid, int id)
{
	char path[PROC_PATH_SIZE];
	char_vec text = {0};
	struct stat own, its;
	bool is_there = false;

	if (!pid || !find_user_namespace(0, &own) || !find_user_namespace(pid, &its) ||
	    !is_same_file(&own, &its))
		return false;
	proc_path(pid, "mountinfo", path);
	if (!read_file(path, MOUNTS_BYTES_MAX, &text))
		is_there = proc_mounts_has(text.data, id);
	vec_free(&text);
	return is_there;
}

/* Has nobody but the host's root mounted what @fd was opened by? */
static bool is_mounted_by_root(int fd, const struct file_place *place)
{
	int id = mount_of(fd);
	bool is_there = id >= 0 && (is_own_mount(id) || is_mount_of(place->pid, id));

	/* A process of a container may have ended, while those that started it live. */
	for (size_t i = 0; id >= 0 && !is_there && i < ARRAY_SIZE(place->ancestors); i++)
		is_there = is_mount_of(place->ancestors[i], id);
	return is_there;
}

uint32_t file_owner(int fd, const struct stat *st, const struct file_place *place)
{
	uint32_t user;

	if (user_mount_has(fd, st))
		return FILE_OWNER_UNSURE;
	if (!hides_device(fd, st) && is_mounted_by_root(fd, place))
		return st->st_uid;
	user = proc_owner(place->pid);
	return user ? user : FILE_OWNER_UNSURE;
}

uint32_t file_place_user(const struct file_place *place)
{
	uint32_t uid = place->user > 1 ? place->user - 1 : proc_owner(place->pid);

	if (uid == PROC_NOBODY && place->user && proc_is_gone(place->pid))
		uid = place->user - 1;
	return owner_id(uid);
}
