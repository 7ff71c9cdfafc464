// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/cgroup_facts.h"

#include <string.h>

/* Digits of the ids of Docker, containerd, CRI-O and Podman. */
#define ID_DIGITS 64

/* A uid of Kubernetes, with hyphens, or of a static pod, without any. */
#define UUID_BYTES       36
#define STATIC_UID_BYTES 32

const char *const cgroup_part_words[NR_CGROUP_PARTS] = {
	[CGROUP_CONTAINER] = "container",
	[CGROUP_POD] = "pod",
	[CGROUP_UNIT] = "unit",
};

static const char digits[] = "0123456789abcdef";

/* A stretch of a path: a directory, or what is left of one without affixes. */
struct part {
	const char *s;
	size_t len;
};

static bool take_prefix(struct part *part, const char *prefix)
{
	size_t len = strlen(prefix);

	if (part->len <= len || memcmp(part->s, prefix, len) != 0)
		return false;
	part->s += len;
	part->len -= len;
	return true;
}

static bool take_suffix(struct part *part, const char *suffix)
{
	size_t len = strlen(suffix);

	if (part->len <= len || memcmp(part->s + part->len - len, suffix, len) != 0)
		return false;
	part->len -= len;
	return true;
}

static bool is_word(struct part part, const char *word)
{
	return part.len == strlen(word) && !memcmp(part.s, word, part.len);
}

static bool are_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!s[i] || !strchr(digits, s[i]))
			return false;
	return true;
}

bool is_container_id(const char *text, size_t len)
{
	return len == ID_DIGITS && are_digits(text, len);
}

/*
 * "ID", or "ENGINE-ID" as in docker-ID.scope, or "SLICE:ENGINE:ID", which runc makes of the words
 * of systemd without systemd. A conmon watches over a container from outside.
 */
static bool take_id(struct part *part)
{
	struct part engine = {part->s, part->len - ID_DIGITS};

	if (part->len < ID_DIGITS || !is_container_id(part->s + engine.len, ID_DIGITS))
		return false;
	if (engine.len) {
		char last = engine.s[--engine.len];

		if ((last != '-' && last != ':') || take_suffix(&engine, "conmon"))
			return false;
	}
	*part = (struct part){part->s + part->len - ID_DIGITS, ID_DIGITS};
	return true;
}

/* Names of containers that are not ids. @parent is the directory above. */
static bool take_name(struct part *part, struct part parent)
{
	static const struct {
		const char *parent, *prefix, *suffix;
	} forms[] = {
		{NULL, "lxc.payload.", ""},
		{"lxc.payload", "", ""},
		{"lxc", "", ""},
		{NULL, "machine-", ".scope"},
		{NULL, "systemd-nspawn@", ".service"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct part name = *part;

		if (forms[i].parent && !is_word(parent, forms[i].parent))
			continue;
		if (take_prefix(&name, forms[i].prefix) && take_suffix(&name, forms[i].suffix)) {
			*part = name;
			return true;
		}
	}
	return false;
}

static bool find_container(struct part *part, struct part parent)
{
	struct part scope = *part;

	take_suffix(&scope, ".scope");
	if (!take_id(&scope))
		return take_name(part, parent);
	*part = scope;
	return true;
}

/* 8-4-4-4-12 digits. systemd's slices have underscores, because a hyphen is a slash to them. */
static bool is_uuid(const char *s)
{
	for (size_t i = 0; i < UUID_BYTES; i++) {
		bool is_between = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_between ? s[i] != '-' && s[i] != '_' : !are_digits(s + i, 1))
			return false;
	}
	return true;
}

/* "podUID", "kubepods-burstable-podUID.slice", "machine-libpod_pod_ID.slice". */
static bool find_pod(struct part *part, struct part parent)
{
	static const struct {
		const char *word;
		size_t len;
	} forms[] = {{"pod", UUID_BYTES}, {"pod", STATIC_UID_BYTES}, {"libpod_pod_", ID_DIGITS}};
	struct part slice = *part;

	(void)parent;
	take_suffix(&slice, ".slice");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct part before = {slice.s, slice.len - forms[i].len};
		const char *uid = slice.s + before.len;

		if (slice.len < forms[i].len || before.len < strlen(forms[i].word))
			continue;
		before.len -= strlen(forms[i].word);
		if (memcmp(before.s + before.len, forms[i].word, strlen(forms[i].word)) != 0 ||
		    (before.len && before.s[before.len - 1] != '-') ||
		    !(forms[i].len == UUID_BYTES ? is_uuid(uid) : are_digits(uid, forms[i].len)))
			continue;
		*part = (struct part){uid, forms[i].len};
		return true;
	}
	return false;
}

static bool find_unit(struct part *part, struct part parent)
{
	struct part unit = *part, container = *part;

	return take_suffix(&unit, ".service") ||
	       (take_suffix(&unit, ".scope") && !find_container(&container, parent));
}

/* Returns the value of two hexadecimal digits at @s, -1 if there are none. */
static int byte_at(const char *s)
{
	return are_digits(s, 1) && are_digits(s + 1, 1)
		       ? (int)(strchr(digits, s[0]) - digits) * 16 +
				 (int)(strchr(digits, s[1]) - digits)
		       : -1;
}

char cgroup_name_next(struct cgroup_name *name)
{
	bool is_escaped = name->part == CGROUP_CONTAINER && name->len > 3 && name->s[0] == '\\' &&
			  name->s[1] == 'x';
	int byte = is_escaped ? byte_at(name->s + 2) : -1;
	size_t used = byte > 0 ? 4 : 1;
	char c;

	if (!name->len)
		return '\0';
	c = byte > 0 ? (char)byte : name->s[0];
	name->s += used;
	name->len -= used;
	return name->part == CGROUP_POD && c == '_' ? '-' : c;
}

/* Ids are of digits alone, and uids of hyphens, too. */
static bool is_any_id(struct cgroup_name name)
{
	return name.part == CGROUP_POD || is_container_id(name.s, name.len);
}

bool cgroup_name_is_meant(struct cgroup_name name, const char *word)
{
	bool is_beginning = is_any_id(name);
	char c;

	if (!*word)
		return false;
	while ((c = cgroup_name_next(&name)) && *word)
		if (c != *word++)
			return false;
	if (!c)
		return !*word;
	if (is_beginning)
		return true;
	return name.part == CGROUP_UNIT && c == '.' && name.len == strlen("service") &&
	       !memcmp(name.s, "service", name.len);
}

/* Returns the last directory of the @len bytes at @path. */
static struct part last_part(const char *path, size_t len)
{
	size_t begin = len;

	while (begin && path[begin - 1] != '/')
		begin--;
	return (struct part){path + begin, len - begin};
}

size_t cgroup_part_find(const char *path, enum cgroup_part part, struct cgroup_name *name)
{
	static bool (*const find[NR_CGROUP_PARTS])(struct part *, struct part) = {
		find_container, find_pod, find_unit};
	size_t len = strlen(path);

	while (len) {
		struct part found = last_part(path, len), parent;
		size_t above = found.s > path ? (size_t)(found.s - path) - 1 : 0;

		parent = last_part(path, above);
		if (found.len && find[part](&found, parent)) {
			*name = (struct cgroup_name){found.s, found.len, part};
			return len;
		}
		len = above;
	}
	return 0;
}

bool cgroup_label_is_meant(const char *const *parts, size_t nr, const char *word)
{
	const char *last = parts[nr - 1];

	if (!last[0] || !strcmp(last, word))
		return last[0];
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(parts[i]);

		if (!len)
			continue;
		if (strncmp(word, parts[i], len) != 0)
			return false;
		word += len;
		if (i + 1 < nr && *word++ != '/')
			return false;
	}
	return !*word;
}

/* Is @path the first @len bytes of @begin, or below that directory? */
static bool is_below(const char *path, const char *begin, size_t len)
{
	return !strncmp(path, begin, len) && (path[len] == '/' || (!path[len] && len));
}

static bool has_directory(const char *path, const char *name, size_t len)
{
	for (; *path; path += strcspn(path, "/")) {
		path += *path == '/';
		if (len && strcspn(path, "/") == len && !memcmp(path, name, len))
			return true;
	}
	return false;
}

bool cgroup_is_within(const char *path, const char *word)
{
	/* The longer one where cgroup v1 has the usual place. */
	static const char *const mounts[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
	size_t len = strlen(word);

	while (len && word[len - 1] == '/')
		len--;
	if (!memchr(word, '/', len))
		return len ? has_directory(path, word, len) : *word && *path == '/';
	if (*word != '/')
		return *path == '/' && is_below(path + 1, word, len);
	if (is_below(path, word, len))
		return true;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		size_t mount = strlen(mounts[i]);

		if (len >= mount && is_below(word, mounts[i], mount))
			return len == mount ? *path == '/'
					    : is_below(path, word + mount, len - mount);
	}
	return false;
}
