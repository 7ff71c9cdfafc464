// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/filters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/proc/proc_path.h"
#include "record/looks/proc_task.h"
#include "record/process/cgroup_search.h"
#include "record/host/privilege.h"

static int check_ids(struct filters *f, struct err *err)
{
	vec_for_each(f->ids, id) {
		uint32_t tgid = *id; /* remains so if /proc hides the task */

		if (proc_is_gone(*id))
			return err_set(err, -ESRCH, "failed to record %s %u: %s",
				       f->ids_are_threads ? "thread" : "process", *id,
				       strerror(ESRCH));
		if (proc_tgid(*id, &tgid) == -ENOMEM)
			return err_set(err, -ENOMEM, "failed to read /proc: out of memory");
		if (!f->ids_are_threads && tgid != *id) {
			err_set(err, -ESRCH,
				"failed to record process %u: it is a thread of process %u", *id,
				tgid);
			return err_hint(err, -ESRCH, "-L %u records a thread", *id);
		}
		/* Descendants can be any processes, so their mappings must all be known. */
		if (!f->follow && vec_push(&f->scan, tgid))
			return err_set(err, -ENOMEM, "failed to read /proc: out of memory");
	}
	return 0;
}

/* Opens the directory @path. Returns -EINVAL for one that is no cgroup. */
static int open_directory(const char *path, struct filters *f)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	struct statfs fs;
	struct stat st;

	if (dir < 0 || fstatfs(dir, &fs) || fstat(dir, &st))
		return -errno;
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	f->cgroup_id = st.st_ino; /* cgroup v2 has the ids as inode numbers */
	f->cgroup_fd = TAKE_FD(dir);
	return 0;
}

static int open_cgroup(const char *path, struct filters *f, struct err *err)
{
	int ret = open_directory(path, f);

	if (ret == -EINVAL) {
		err_set(err, ret, "failed to open cgroup '%s': it is not in a cgroup v2 tree",
			path);
		return err_hint(err, ret, "where one is mounted: findmnt -t cgroup2");
	}
	if (ret)
		err_set(err, ret, "failed to open cgroup '%s': %s", path, strerror(-ret));
	return ret != -ENOENT
		       ? ret
		       : err_hint(
				 err, ret,
				 "--cgroup takes a directory, a path below the root of cgroup v2, or a name: --cgroup NAME.service");
}

/* Opens the cgroup @path, which may also begin at the root of the hierarchy. */
static int open_path(const char *path, struct filters *f, struct err *err)
{
	_cleanup_free_ char *place = NULL;

	if (!open_directory(path, f))
		return 0;
	if (cgroup_place(path, &place) || open_directory(place, f))
		return open_cgroup(path, f, err);
	f->cgroup_path = TAKE_PTR(place);
	return 0;
}

static int search(const struct cgroup_wanted *wanted, struct filters *f, struct err *err)
{
	int ret = cgroup_search(wanted, &f->cgroup_path, err);

	return ret ? ret : open_cgroup(f->cgroup_path, f, err);
}

/* Finds the cgroup that the user names in one of several ways. */
static int find_cgroup(struct filters *f, struct err *err)
{
	const struct filter_options *o = &f->options;
	const struct cgroup_wanted ways[] = {{o->container, CGROUP_CONTAINER},
					     {o->pod, CGROUP_POD},
					     {o->unit, CGROUP_UNIT},
					     {o->cgroup, NR_CGROUP_PARTS}};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!ways[i].word)
			continue;
		/* The name of a directory may also be a path: from where the user is. */
		if (ways[i].part != NR_CGROUP_PARTS ||
		    (!strchr(o->cgroup, '/') && open_directory(o->cgroup, f)))
			return search(&ways[i], f, err);
		ret = f->cgroup_fd < 0 ? open_path(o->cgroup, f, err) : 0;
	}
	if (!ret && o->cgroup && !f->cgroup_path) {
		f->cgroup_path = strdup(o->cgroup);
		ret = f->cgroup_path ? 0 : err_set(err, -ENOMEM, "failed to record: out of memory");
	}
	return ret;
}

/* Programs and links can be pinned just as maps. */
static bool is_map(int fd)
{
	char path[64], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strstr(target, "bpf-map") != NULL;
}

/*
 * Opens a pinned hash map with keys of 64 bits. Its values may be of any type, since the programs
 * never read them. @keys describes the keys in a hint.
 */
static int open_map(const char *path, const char *keys, int *fd, struct err *err)
{
	_cleanup_close_ int map = bpf_obj_get(path);
	struct bpf_map_info info = {0};
	uint32_t size = sizeof(info);
	int code = map < 0 ? -errno : 0;

	if (code) {
		/* For a path on another filesystem, the kernel says EINVAL or EACCES. */
		struct statfs fs;

		if (!statfs(path, &fs) && fs.f_type != BPF_FS_MAGIC)
			return err_set(err, code,
				       "failed to open map '%s': it is not in a BPF filesystem",
				       path);
		err_set(err, code, "failed to open map '%s': %s", path, strerror(-code));
		return code == -EPERM ? privilege_explain(code, err) : code;
	}
	if (!is_map(map))
		return err_set(err, -EINVAL,
			       "failed to open map '%s': what is pinned there is no map", path);
	if (bpf_obj_get_info_by_fd(map, &info, &size))
		return err_set(err, -errno, "failed to open map '%s': %m", path);
	if ((info.type != BPF_MAP_TYPE_HASH && info.type != BPF_MAP_TYPE_LRU_HASH) ||
	    info.key_size != sizeof(uint64_t)) {
		err_set(err, -EINVAL,
			"failed to open map '%s': it is no hash map with keys of 8 bytes", path);
		return err_hint(err, -EINVAL, "its keys must be %s", keys);
	}
	*fd = TAKE_FD(map);
	return 0;
}

static int find_mntns(uint32_t pid, uint32_t *inum, struct err *err)
{
	char path[PROC_PATH_SIZE];
	struct stat st;

	proc_path(pid, "ns/mnt", path);
	if (stat(path, &st)) {
		int code = errno == ENOENT ? -ESRCH : -errno;

		err_set(err, code, "failed to find the mount namespace of process %u: %s", pid,
			strerror(-code));
		if (code == -EACCES || code == -EPERM)
			return err_hint(err, code, "other users' namespaces need CAP_SYS_PTRACE");
		return code;
	}
	*inum = st.st_ino;
	return 0;
}

int filters_open(struct filters *f, const struct filter_options *o, struct err *err)
{
	int ret;

	*f = (struct filters){
		.options = *o,
		.ids = o->tids->nr ? o->tids : o->pids,
		.ids_are_threads = o->tids->nr > 0,
		.follow = o->follow_pids || o->has_command,
		.cgroup_fd = -1,
		.cgroup_map_fd = -1,
		.mntns_map_fd = -1,
	};
	ret = check_ids(f, err);
	if (!ret && o->mntns)
		ret = find_mntns(o->mntns, &f->mntns_inum, err);
	if (!ret)
		ret = find_cgroup(f, err);
	if (!ret && o->cgroup_map)
		ret = open_map(o->cgroup_map, "ids of cgroups", &f->cgroup_map_fd, err);
	if (!ret && o->mntns_map)
		ret = open_map(o->mntns_map, "inode numbers of mount namespaces", &f->mntns_map_fd,
			       err);
	return ret;
}

int cgroup_members(int fd, u32_vec *pids)
{
	int procs = openat(fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	_cleanup_fclose_ FILE *f = procs >= 0 ? fdopen(procs, "r") : NULL;
	unsigned int pid;

	while (f && fscanf(f, "%u", &pid) == 1)
		if (vec_push(pids, pid))
			return -ENOMEM;
	return 0;
}

void filters_close(struct filters *f)
{
	if (!f->ids)
		return; /* all zero, and descriptor 0 belongs to somebody else */
	cleanup_close(&f->cgroup_fd);
	cleanup_close(&f->cgroup_map_fd);
	cleanup_close(&f->mntns_map_fd);
	vec_free(&f->scan);
	free(f->cgroup_path);
	*f = (struct filters){0};
}

char *filters_format(const struct filters *f)
{
	const struct filter_options *o = &f->options;
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
#define ADD(given, ...)                                                                            \
	do {                                                                                       \
		if (!(given))                                                                      \
			break;                                                                     \
		fputs(separator, out);                                                             \
		fprintf(out, __VA_ARGS__);                                                         \
		separator = ", ";                                                                  \
	} while (0)
	ADD(o->follow_pids, "children followed");
	ADD(o->comm, "comm '%s'", o->comm);
	ADD(o->uid != FILTERS_ANY_UID, "uid %" PRIu64, o->uid);
	ADD(f->cgroup_path, "cgroup %s", f->cgroup_path);
	ADD(o->cgroup_map, "cgroups in map %s", o->cgroup_map);
	ADD(o->mntns, "mount namespace %" PRIu32 " of process %" PRIu64, f->mntns_inum, o->mntns);
	ADD(o->mntns_map, "mount namespaces in map %s", o->mntns_map);
	ADD(o->min_wait_us, "waits of %" PRIu64 " us or more", o->min_wait_us);
	ADD(o->max_wait_us, "waits of %" PRIu64 " us or less", o->max_wait_us);
#undef ADD
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
