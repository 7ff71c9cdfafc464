// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/proc_info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/readfile.h"
#include "format/prof.h"
#include "record/proc/proc_path.h"

/* The files are a page or so; a cgroup's path is at most PATH_MAX. */
#define TEXT_MAX (64u << 10)

/* The value of a line "Key:\tvalue", or NULL. */
static const char *find_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

/* Number @index of the line, or the last with -1; false when there is none. */
static bool take_number(const char *value, int index, uint32_t *number)
{
	bool found = false;

	for (int i = 0; value; i++) {
		char *end;
		unsigned long n;

		value += strspn(value, " \t");
		n = strtoul(value, &end, 10);
		if (end == value)
			break;
		value = end;
		if (i != index && index >= 0)
			continue;
		*number = n;
		found = true;
		if (index >= 0)
			break;
	}
	return found;
}

/* The kernel writes a newline as \n and a backslash as \\ (proc_task_name). */
static void take_name(const char *value, char name[static PROC_NAME_SIZE])
{
	size_t nr = 0;

	for (value += strspn(value, " \t"); *value && *value != '\n'; value++) {
		char c = *value;

		if (c == '\\' && (value[1] == 'n' || value[1] == '\\'))
			c = *++value == 'n' ? '\n' : '\\';
		if (nr < PROC_NAME_SIZE - 1)
			name[nr++] = c;
	}
	name[nr] = '\0';
}

void proc_identity_parse(const char *text, struct proc_identity *identity)
{
	const char *name = find_value(text, "Name");

	*identity = (struct proc_identity){.uid = PROF_UID_UNKNOWN};
	if (name)
		take_name(name, identity->name);
	take_number(find_value(text, "NStgid"), -1, &identity->ns_pid);
	/* real, effective, saved, for files */
	take_number(find_value(text, "Uid"), 1, &identity->uid);
}

/* @len without the kernel's mark of a path that was removed, if it has that. */
static size_t len_unmarked(const char *path, size_t len)
{
	static const char deleted[] = " (deleted)";
	size_t mark = strlen(deleted);

	return len > mark && !memcmp(path + len - mark, deleted, mark) ? len - mark : len;
}

/* 12:cpu,cpuacct:/path\n or, of the unified hierarchy, 0::/path\n */
const char *proc_cgroup_parse(const char *text, size_t *len)
{
	const char *first = NULL;

	for (const char *line = text; line && *line;) {
		const char *end = strchrnul(line, '\n');
		const char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		if (path && path < end) {
			bool is_unified = !strncmp(line, "0::", 3);

			if (is_unified || !first) {
				first = path + 1;
				*len = len_unmarked(first, end - first);
			}
			if (is_unified)
				break;
		}
		line = *end ? end + 1 : end;
	}
	return first;
}

/* Reads /proc/PID/@name. The text is empty when that fails. */
static int read_text(uint32_t pid, const char *name, char_vec *text)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	ret = read_file(path, TEXT_MAX, text);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		vec_clear(text);
	return 0;
}

int proc_identity_read(uint32_t pid, struct proc_identity *identity)
{
	char_vec text = {0};
	int ret = read_text(pid, "status", &text);
	uint32_t tgid;

	proc_identity_parse(text.nr ? text.data : "", identity);
	/* /proc leads to threads, too, and one may have the id of a process that has gone. */
	if (take_number(find_value(text.nr ? text.data : "", "Tgid"), 0, &tgid) && tgid != pid)
		proc_identity_parse("", identity);
	vec_free(&text);
	return ret;
}

static int read_exe(uint32_t pid, char_vec *exe)
{
	char path[PROC_PATH_SIZE], target[PATH_MAX];
	ssize_t len;

	vec_clear(exe);
	proc_path(pid, "exe", path);
	len = readlink(path, target, sizeof(target));
	if (len <= 0)
		return 0;
	return vec_append(exe, target, len_unmarked(target, len)) || vec_push(exe, '\0') ? -ENOMEM
											 : 0;
}

int proc_cgroup_read(uint32_t pid, char_vec *cgroup)
{
	char_vec text = {0};
	const char *path = NULL;
	size_t len;
	int ret = read_text(pid, "cgroup", &text);

	vec_clear(cgroup);
	if (!ret && text.nr)
		path = proc_cgroup_parse(text.data, &len);
	/* A copy, because @text has room for a whole file, and thousands of paths may be kept. */
	if (path && (vec_append(cgroup, path, len) || vec_push(cgroup, '\0')))
		ret = -ENOMEM;
	vec_free(&text);
	return ret;
}

void proc_info_clear(struct proc_info *info)
{
	info->identity = (struct proc_identity){.uid = PROF_UID_UNKNOWN};
	vec_clear(&info->exe);
	vec_clear(&info->cgroup);
	vec_clear(&info->attributes);
}

/* The status is last: if that is of the process, the rest is not of a thread with its id. */
static int read_info(uint32_t pid, struct proc_info *info)
{
	int ret = read_exe(pid, &info->exe);

	if (!ret)
		ret = proc_cgroup_read(pid, &info->cgroup);
	if (!ret)
		ret = proc_identity_read(pid, &info->identity);
	if (!ret && !info->identity.name[0])
		proc_info_clear(info);
	return ret;
}

/* The looker's answer. The two texts follow, each with a NUL unless it is empty. */
struct info_head {
	struct proc_identity identity;
	uint32_t exe_bytes, cgroup_bytes;
};

/* A look_fn. */
static int answer_info(struct look *look)
{
	struct proc_info info = {0};
	struct info_head head;
	uint32_t pid;
	int ret;

	memcpy(&pid, look->question, sizeof(pid));
	ret = look_touch(look, look_process(pid));
	if (ret)
		return ret;
	ret = read_info(pid, &info);
	head = (struct info_head){info.identity, info.exe.nr, info.cgroup.nr};
	if (!ret && (!look_answer_append(look, &head, sizeof(head)) ||
		     !look_answer_append(look, info.exe.data, info.exe.nr) ||
		     !look_answer_append(look, info.cgroup.data, info.cgroup.nr)))
		ret = -E2BIG;
	proc_info_deinit(&info);
	return ret;
}

/* Takes a text of @len bytes from the answer. */
static int take_text(const struct look_answer *answer, size_t *at, size_t len, char_vec *text)
{
	const char *bytes = answer->bytes + *at;

	vec_clear(text);
	if (len > answer->nr - *at || (len && bytes[len - 1]))
		return -EBADMSG;
	*at += len;
	return vec_append(text, bytes, len);
}

int proc_info_read(struct looker *looker, uint32_t pid, struct proc_info *info)
{
	const struct look_question question = {
		.fn = answer_info, .bytes = &pid, .nr = sizeof(pid), .fd = -1, .pid = pid};
	struct look_answer answer;
	struct info_head head;
	size_t at = sizeof(head);
	int ret = looker_ask(looker, &question, &answer);

	proc_info_clear(info);
	if (ret || answer.nr < sizeof(head))
		return ret == -ENOMEM ? ret : 0;
	memcpy(&head, answer.bytes, sizeof(head));
	head.identity.name[PROC_NAME_SIZE - 1] = '\0';
	info->identity = head.identity;
	ret = take_text(&answer, &at, head.exe_bytes, &info->exe);
	if (!ret)
		ret = take_text(&answer, &at, head.cgroup_bytes, &info->cgroup);
	return ret == -ENOMEM ? ret : 0;
}

static int copy_text(char_vec *to, const char_vec *from)
{
	vec_clear(to);
	return vec_append(to, from->data, from->nr);
}

int proc_info_fill(struct proc_info *info, const struct proc_info *other)
{
	struct proc_identity *identity = &info->identity;
	bool has_ended = !info->exe.nr;
	int ret = 0;

	if (!identity->name[0])
		memcpy(identity->name, other->identity.name, sizeof(identity->name));
	if (identity->uid == PROF_UID_UNKNOWN)
		identity->uid = other->identity.uid;
	if (!identity->ns_pid)
		identity->ns_pid = other->identity.ns_pid;
	if (!info->exe.nr && other->exe.nr)
		ret = copy_text(&info->exe, &other->exe);
	if (!ret && (has_ended || !info->cgroup.nr) && other->cgroup.nr)
		ret = copy_text(&info->cgroup, &other->cgroup);
	if (!ret && !info->attributes.nr && other->attributes.nr)
		ret = copy_text(&info->attributes, &other->attributes);
	return ret;
}

void proc_info_deinit(struct proc_info *info)
{
	vec_free(&info->exe);
	vec_free(&info->cgroup);
	vec_free(&info->attributes);
}
