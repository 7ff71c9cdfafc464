// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/workload.h"

#include <string.h>

/* Digits of the ids of Docker, containerd, CRI-O and Podman. */
#define ID_DIGITS 64

/* A uid of Kubernetes, with hyphens, or of a static pod, without any. */
#define UUID_BYTES       36
#define STATIC_UID_BYTES 32

const char *const workload_words[NR_WORKLOAD_PARTS] = {
	[WORKLOAD_CONTAINER] = "container",
	[WORKLOAD_POD] = "pod",
	[WORKLOAD_UNIT] = "unit",
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

bool workload_is_id(const char *text, size_t len)
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

	if (part->len < ID_DIGITS || !workload_is_id(part->s + engine.len, ID_DIGITS))
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

/* Appends a name without the escapes of systemd: web\x2d1 is web-1. */
static void put_name(struct part name, struct textbuf *out)
{
	for (size_t i = 0; i < name.len; i++) {
		int byte = i + 3 < name.len && name.s[i] == '\\' && name.s[i + 1] == 'x'
				   ? byte_at(name.s + i + 2)
				   : -1;

		textbuf_char(out, byte > 0 ? (char)byte : name.s[i]);
		i += byte > 0 ? 3 : 0;
	}
}

static void put_pod(struct part uid, struct textbuf *out)
{
	for (size_t i = 0; i < uid.len; i++)
		textbuf_char(out, uid.s[i] == '_' ? '-' : uid.s[i]);
}

/* Returns the last directory of the @len bytes at @path. */
static struct part last_part(const char *path, size_t len)
{
	size_t begin = len;

	while (begin && path[begin - 1] != '/')
		begin--;
	return (struct part){path + begin, len - begin};
}

size_t workload_put(const char *path, enum workload_part part, struct textbuf *out)
{
	static bool (*const find[NR_WORKLOAD_PARTS])(struct part *, struct part) = {
		find_container, find_pod, find_unit};
	size_t len = strlen(path);

	while (len) {
		struct part found = last_part(path, len), parent;
		size_t above = found.s > path ? (size_t)(found.s - path) - 1 : 0;

		parent = last_part(path, above);
		if (found.len && find[part](&found, parent)) {
			if (part == WORKLOAD_CONTAINER)
				put_name(found, out);
			else if (part == WORKLOAD_POD)
				put_pod(found, out);
			else
				textbuf_bytes(out, found.s, found.len);
			return len;
		}
		len = above;
	}
	return 0;
}
