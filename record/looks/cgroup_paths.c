// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/cgroup_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/readfile.h"
#include "record/looks/proc_info.h"

/* The kernel's FILEID_KERNFS (include/linux/exportfs.h): the handle of a cgroup is its id. */
#define KERNFS_HANDLE 0xfe

/* Bytes of /proc/self/mountinfo and /proc/self/cgroup. */
#define MOUNTS_MAX  (8u << 20)
#define CGROUPS_MAX (64u << 10)

/* A bit that no id of the kernel has: those are numbers of inodes, which it counts up. */
#define OWN_ID (UINT64_C(1) << 63)

/* The most cgroups that are known at once. Processes may make any number of them. */
#define KNOWN_MAX 65536

/* Copies a field of mountinfo, where a blank is \040 and a backslash \134. */
static bool copy_field(const char *field, char *to)
{
	size_t nr = 0;

	for (; *field && *field != ' ' && *field != '\n' && nr < PATH_MAX - 1; nr++) {
		unsigned int c;

		if (*field == '\\' && sscanf(field + 1, "%3o", &c) == 1) {
			to[nr] = (char)c;
			field += 4;
		} else {
			to[nr] = *field++;
		}
	}
	to[nr] = '\0';
	return *to == '/';
}

/* 31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw */
static bool parse_mount(const char *line, char *root, char *point)
{
	const char *end = strchrnul(line, '\n'), *type = strstr(line, " - ");
	const char *field = line;

	if (!type || type > end || strncmp(type, " - cgroup2 ", strlen(" - cgroup2 ")))
		return false;
	for (int i = 0; i < 3 && field; i++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	if (!field || !copy_field(field, root))
		return false;
	field = strchr(field, ' ');
	return field && copy_field(field + 1, point);
}

bool cgroup_mount_parse(const char *mountinfo, char *root, char *point)
{
	for (const char *line = mountinfo; line && *line;) {
		if (parse_mount(line, root, point))
			return true;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return false;
}

/* Opens the directory of cgroup @id in the hierarchy of @mount. Returns it, or a negative errno. */
static int open_cgroup(int mount, uint64_t id)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} of = {.handle = {.handle_bytes = sizeof(id), .handle_type = KERNFS_HANDLE}};
	int fd;

	memcpy(of.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount, &of.handle, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Where the directory @fd is below the mount at @point, or NULL. It is in @path, of PATH_MAX. */
static const char *path_below(int fd, const char *point, char *path)
{
	size_t len = strcmp(point, "/") ? strlen(point) : 0;
	char link[64];
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = readlink(link, path, PATH_MAX - 1);
	if (got < 0)
		return NULL;
	path[got] = '\0';
	return strncmp(path, point, len) || (path[len] && path[len] != '/') ? NULL : path + len;
}

bool cgroup_paths_have_ids(void)
{
	char_vec text = {0};
	bool is = !read_file("/proc/self/cgroup", CGROUPS_MAX, &text) && text.nr &&
		  (!strncmp(text.data, "0::", 3) || strstr(text.data, "\n0::"));

	vec_free(&text);
	return is;
}

/* A look_fn. The answer is the path, with a NUL. */
static int answer_path(struct look *look)
{
	_cleanup_close_ int mount = -1, fd = -1;
	char root[PATH_MAX], point[PATH_MAX], path[PATH_MAX];
	char_vec text = {0};
	const char *below;
	bool is_there;
	uint64_t id;

	memcpy(&id, look->question, sizeof(id));
	is_there = cgroup_paths_have_ids() &&
		   !read_file("/proc/self/mountinfo", MOUNTS_MAX, &text) && text.nr &&
		   cgroup_mount_parse(text.data, root, point);
	vec_free(&text);
	if (!is_there)
		return -ENOENT;
	mount = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount < 0)
		return -errno;
	fd = open_cgroup(mount, id);
	if (fd < 0)
		return fd;
	below = path_below(fd, point, path);
	if (!below)
		return -ENOENT;
	if (strcmp(root, "/") && !look_answer_append(look, root, strlen(root)))
		return -E2BIG;
	if (!look->nr_answer && !*below)
		below = "/";
	return look_answer_append(look, below, strlen(below) + 1) ? 0 : -E2BIG;
}

static struct cgroup_path *find(const struct cgroup_paths *paths, uint64_t id)
{
	index_for_each(&paths->by_id, hash_u64(id), i)
		if (paths->known.data[i].id == id)
			return &paths->known.data[i];
	return NULL;
}

static size_t bytes_of(const struct cgroup_path *known)
{
	return sizeof(*known) + (known->path ? strlen(known->path) + 1 : 0);
}

static int set_path(struct cgroup_paths *paths, struct cgroup_path *known, const char *path)
{
	char *copy = strdup(path);
	size_t before = bytes_of(known);

	if (!copy)
		return -ENOMEM;
	known->path = copy;
	memory_budget_charge(paths->memory, before, bytes_of(known));
	return 0;
}

static void forget_path(struct cgroup_paths *paths, struct cgroup_path *known)
{
	memory_budget_charge(paths->memory, bytes_of(known), 0);
	free(known->path);
}

/* Forgets the older half. If one of them is told of again, it is looked up again. */
static int forget_older(struct cgroup_paths *paths)
{
	const size_t nr = paths->known.nr / 2;
	int ret = 0;

	for (size_t i = 0; i < nr; i++)
		forget_path(paths, &paths->known.data[i]);
	paths->known.nr -= nr;
	memmove(paths->known.data, paths->known.data + nr,
		paths->known.nr * sizeof(*paths->known.data));
	index_clear(&paths->by_id);
	for (size_t i = 0; i < paths->known.nr && !ret; i++)
		ret = index_insert(&paths->by_id, hash_u64(paths->known.data[i].id), i);
	return ret;
}

/* Adds the cgroup @id, whose path is not known. Returns 0 or -ENOMEM. */
static int add(struct cgroup_paths *paths, uint64_t id)
{
	const struct cgroup_path known = {.id = id};
	int ret = paths->known.nr < KNOWN_MAX ? 0 : forget_older(paths);

	if (!ret)
		ret = index_push(&paths->by_id, &paths->known, hash_u64(id), known);
	if (!ret)
		memory_budget_charge(paths->memory, 0, bytes_of(&known));
	return ret;
}

int cgroup_paths_look(struct cgroup_paths *paths, uint64_t id)
{
	const struct look_question question = {
		.fn = answer_path, .bytes = &id, .nr = sizeof(id), .fd = -1};
	struct look_answer answer;
	int ret;

	if (!id || find(paths, id) || memory_budget_is_used(paths->memory, MEMORY_DESCRIPTIONS))
		return 0;
	ret = add(paths, id);
	if (ret)
		return ret;
	ret = looker_ask(paths->looker, &question, &answer);
	if (ret || !answer.nr || answer.bytes[answer.nr - 1])
		return ret == -ENOMEM ? ret : 0;
	return set_path(paths, &paths->known.data[paths->known.nr - 1], answer.bytes);
}

const char *cgroup_paths_find(const struct cgroup_paths *paths, uint64_t id)
{
	const struct cgroup_path *known = find(paths, id);

	return known ? known->path : NULL;
}

int cgroup_paths_learn(struct cgroup_paths *paths, uint64_t id, const char *path)
{
	struct cgroup_path *known = find(paths, id);

	return known && !known->path ? set_path(paths, known, path) : 0;
}

int cgroup_paths_of_process(struct cgroup_paths *paths, uint32_t pid, uint64_t *id)
{
	char_vec path = {0};
	const char *known;
	int ret = proc_cgroup_read(pid, &path);

	*id = 0;
	if (!ret && path.nr) {
		*id = OWN_ID | hash_bytes(path.data, path.nr, 0);
		if (!find(paths, *id) && !memory_budget_is_used(paths->memory, MEMORY_DESCRIPTIONS))
			ret = add(paths, *id);
		if (!ret)
			ret = cgroup_paths_learn(paths, *id, path.data);
		known = cgroup_paths_find(paths, *id);
		if (!known || strcmp(known, path.data))
			*id = 0;
	}
	vec_free(&path);
	return ret;
}

void cgroup_paths_deinit(struct cgroup_paths *paths)
{
	vec_for_each(&paths->known, known)
		forget_path(paths, known);
	vec_free(&paths->known);
	index_deinit(&paths->by_id);
}
