// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/cgroup_search.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/readfile.h"
#include "common/vec.h"
#include "common/words.h"
#include "format/prof.h"
#include "record/looks/cgroup_paths.h"
#include "record/looks/container_names.h"

#define MOUNTS_MAX (8u << 20) /* bytes of /proc/self/mountinfo */

#define LISTED_MAX 4 /* candidates in a message */

/* The words for a part: of messages, and for people who do not know the name. */
static const struct {
	const char *noun, *listed_by;
} parts[NR_CGROUP_PARTS + 1] = {
	[CGROUP_CONTAINER] = {"container", "'docker ps', 'podman ps' or 'crictl ps' lists them"},
	[CGROUP_POD] = {"pod", "'crictl pods' or 'podman pod ps' lists them"},
	[CGROUP_UNIT] = {"unit", "'systemctl list-units' lists them"},
	[NR_CGROUP_PARTS] = {"cgroup", "'systemd-cgls' or 'ls /sys/fs/cgroup' lists them"},
};

/* A walk from the root downwards. Paths begin below the root; the root itself is "". */
struct search {
	const char *root;
	const struct cgroup_wanted *wanted;
	VEC(char *) paths;            /* all directories that were met */
	VEC(char *) found;            /* of @paths, or cut from one */
	struct container_names names; /* of containers, by their ids */
};

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is the directory @path what the word names? What is in a container is no other one. */
static bool is_meant(const struct cgroup_wanted *wanted, const char *path)
{
	struct cgroup_name name;

	if (wanted->part == NR_CGROUP_PARTS)
		return !strcmp(last_name(path), wanted->word);
	return *path && cgroup_part_find(path, wanted->part, &name) == strlen(path) &&
	       cgroup_name_is_meant(name, wanted->word);
}

/* Adds the directories in @dir, which is @path. Returns 0 or -ENOMEM. */
static int add_children(struct search *s, DIR *dir, const char *path)
{
	const struct dirent *entry;

	while ((entry = readdir(dir)) && s->paths.nr < CGROUP_SEARCH_MAX) {
		char *child;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		if (vec_reserve(&s->paths, 1) || asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			return -ENOMEM;
		s->paths.data[s->paths.nr++] = child;
	}
	return 0;
}

/* A cgroup may go at any time, and is no longer meant then. */
static int visit(struct search *s, size_t i)
{
	char *path = s->paths.data[i];
	char place[PATH_MAX];
	DIR *dir;
	int ret;

	if (is_meant(s->wanted, path))
		return vec_push(&s->found, path);
	if (snprintf(place, sizeof(place), "%s%s", s->root, path) >= PATH_MAX)
		return 0;
	dir = opendir(place);
	if (!dir)
		return 0;
	ret = add_children(s, dir, path);
	closedir(dir);
	return ret;
}

static int walk(struct search *s)
{
	char *root = strdup("");
	int ret = root ? vec_push(&s->paths, root) : -ENOMEM;

	if (ret) {
		free(root);
		return ret;
	}
	for (size_t i = 0; i < s->paths.nr && !ret; i++)
		ret = visit(s, i);
	return ret;
}

/* Is the word a name that the engine gave to the container or pod with these @attributes? */
static bool is_called(const struct cgroup_wanted *wanted, const char_vec *attributes)
{
	const char *parts_of_pod[] = {"", "", ""}, *name = "";

	for (const char *key = attributes->data; key < attributes->data + attributes->nr;) {
		const char *value = key + strlen(key) + 1;

		if (!strcmp(key, prof_attribute_keys[PROF_ATTRIBUTE_CONTAINER]))
			name = value;
		else if (!strcmp(key, prof_attribute_keys[PROF_ATTRIBUTE_K8S_NAMESPACE]))
			parts_of_pod[0] = value;
		else if (!strcmp(key, prof_attribute_keys[PROF_ATTRIBUTE_K8S_POD]))
			parts_of_pod[1] = value;
		else if (!strcmp(key, prof_attribute_keys[PROF_ATTRIBUTE_K8S_CONTAINER]))
			parts_of_pod[2] = value;
		key = value + strlen(value) + 1;
	}
	if (wanted->part == CGROUP_POD)
		return cgroup_label_is_meant(parts_of_pod, 2, wanted->word);
	return cgroup_label_is_meant(parts_of_pod, 3, wanted->word) ||
	       cgroup_label_is_meant(&name, 1, wanted->word);
}

static bool is_found(const struct search *s, const char *path)
{
	vec_for_each(&s->found, it)
		if (!strcmp(*it, path))
			return true;
	return false;
}

/* Searches by the names that engines gave. Those of a pod are known of its containers. */
static int walk_by_names(struct search *s)
{
	for (size_t i = 0; i < s->paths.nr; i++) {
		char *path = s->paths.data[i];
		const char_vec *attributes;
		struct cgroup_name name;
		size_t end;
		int ret;

		if (cgroup_part_find(path, CGROUP_CONTAINER, &name) != strlen(path))
			continue;
		ret = container_names_find(&s->names, path, &attributes);
		if (ret)
			return ret;
		if (!attributes || !attributes->nr || !is_called(s->wanted, attributes))
			continue;
		end = cgroup_part_find(path, s->wanted->part, &name);
		if (!end)
			continue;
		path[end] = '\0';
		if (!is_found(s, path) && vec_push(&s->found, path))
			return -ENOMEM;
	}
	return 0;
}

/* Returns a name that looks like the word: by its letters, or because it has the word in it. */
static const char *find_similar(const struct search *s)
{
	const char *within = NULL, *word = s->wanted->word;
	char service[NAME_MAX + 1];
	struct suggestion similar;

	snprintf(service, sizeof(service), "%s.service", word);
	suggestion_init(&similar,
			s->wanted->part == CGROUP_UNIT && !strchr(word, '.') ? service : word);
	vec_for_each(&s->paths, path) {
		const char *name = last_name(*path);
		struct cgroup_name unit;

		if (s->wanted->part == CGROUP_UNIT &&
		    cgroup_part_find(*path, CGROUP_UNIT, &unit) != strlen(*path))
			continue;
		suggestion_try(&similar, name);
		if (!within && *word && strstr(name, word))
			within = name;
	}
	return similar.best ? similar.best : within;
}

static int refuse_none(const struct search *s, bool has_v1, struct err *err)
{
	enum cgroup_part part = s->wanted->part;
	const char *noun = parts[part].noun, *word = s->wanted->word;
	const char *similar =
		part == CGROUP_CONTAINER || part == CGROUP_POD ? NULL : find_similar(s);

	if (similar)
		err_set(err, -ENOENT, "failed to find %s '%s'; did you mean '%s'?", noun, word,
			similar);
	else
		err_set(err, -ENOENT, "failed to find %s '%s' in the cgroup v2 tree %s", noun, word,
			s->root);
	if (s->paths.nr == CGROUP_SEARCH_MAX)
		return err_hint(err, -ENOENT,
				"only %d cgroups were searched; --cgroup takes the path of one",
				CGROUP_SEARCH_MAX);
	if (has_v1 && !similar)
		return err_hint(
			err, -ENOENT,
			"this host has cgroup v1, too, and what is there alone cannot be chosen; -p and --mntns choose its processes");
	return err_hint(err, -ENOENT, "%s", parts[part].listed_by);
}

static int refuse_several(const struct search *s, struct err *err)
{
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < s->found.nr && i < LISTED_MAX && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
				 s->found.data[i]);
	err_set(err, -EINVAL, "'%s' may be any of %zu %ss: %s%s", s->wanted->word, s->found.nr,
		parts[s->wanted->part].noun, list,
		s->found.nr > LISTED_MAX || used >= sizeof(list) ? " ..." : "");
	return err_hint(err, -EINVAL, "--cgroup takes one of these paths");
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int conclude(const struct search *s, bool has_v1, char **path, struct err *err)
{
	if (!s->found.nr)
		return refuse_none(s, has_v1, err);
	if (s->found.nr > 1) {
		qsort(s->found.data, s->found.nr, sizeof(*s->found.data), compare_paths);
		return refuse_several(s, err);
	}
	if (asprintf(path, "%s%s", s->root, s->found.data[0]) < 0) {
		*path = NULL;
		return err_set(err, -ENOMEM, "failed to search the cgroups: out of memory");
	}
	return 0;
}

int cgroup_search_below(const char *root, bool has_v1, const struct cgroup_wanted *wanted,
			char **path, struct err *err)
{
	struct search s = {.root = strcmp(root, "/") ? root : "", .wanted = wanted};
	int ret = *wanted->word ? walk(&s) : 0;

	if (!ret && !s.found.nr && *wanted->word &&
	    (wanted->part == CGROUP_CONTAINER || wanted->part == CGROUP_POD))
		ret = walk_by_names(&s);
	ret = ret ? err_set(err, ret, "failed to search the cgroups: out of memory")
		  : conclude(&s, has_v1, path, err);
	vec_for_each(&s.paths, it)
		free(*it);
	vec_free(&s.paths);
	vec_free(&s.found);
	container_names_deinit(&s.names);
	return ret;
}

/* Finds where the hierarchy is mounted. @point has PATH_MAX bytes. */
static int find_mount(char *point, char *root, bool *has_v1)
{
	char_vec text = {0};
	int ret = read_file("/proc/self/mountinfo", MOUNTS_MAX, &text);

	if (!ret && !text.nr)
		ret = -ENOENT;
	if (!ret) {
		*has_v1 = strstr(text.data, " - cgroup ") != NULL;
		ret = cgroup_mount_parse(text.data, root, point) ? 0 : -ENOENT;
	}
	vec_free(&text);
	return ret;
}

int cgroup_search(const struct cgroup_wanted *wanted, char **path, struct err *err)
{
	char point[PATH_MAX], root[PATH_MAX];
	bool has_v1 = false;
	int ret = find_mount(point, root, &has_v1);

	if (!ret)
		return cgroup_search_below(point, has_v1, wanted, path, err);
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to search the cgroups: out of memory");
	err_set(err, -EINVAL, "failed to find %s '%s': no cgroup v2 tree is mounted",
		parts[wanted->part].noun, wanted->word);
	return err_hint(
		err, -EINVAL, "%s",
		has_v1 ? "this host has cgroup v1 alone; -p and --mntns choose processes there"
		       : "'mount -t cgroup2 none DIRECTORY' mounts it");
}

int cgroup_place(const char *word, char **path)
{
	char point[PATH_MAX], root[PATH_MAX];
	bool has_v1;
	int ret = find_mount(point, root, &has_v1);
	size_t len = ret ? 0 : strlen(root);

	if (ret)
		return ret;
	/* What the mount shows may begin further down, as for a container's. */
	if (len > 1 && !strncmp(word, root, len) && (word[len] == '/' || !word[len]))
		word += len;
	if (asprintf(path, "%s%s%s", point, *word == '/' ? "" : "/", word) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	return 0;
}
