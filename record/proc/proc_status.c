// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/parse.h"
#include "common/readfile.h"

#define STATUS_MAX (64u << 10)

int proc_status_number(const char *text, const char *key, uint32_t *value)
{
	size_t len = strlen(key);

	/* Keys stand at the beginning of a line. The first line has the thread's name, escaped. */
	for (const char *line = text; line; line = strchr(line, '\n')) {
		char digits[16];
		uint64_t number;
		size_t n;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		line += len;
		line += strspn(line, " \t");
		n = strcspn(line, "\n");
		if (n >= sizeof(digits))
			return -EINVAL;
		memcpy(digits, line, n);
		digits[n] = '\0';
		if (parse_u64(digits, 0, UINT32_MAX, &number))
			return -EINVAL;
		*value = number;
		return 0;
	}
	return -EINVAL;
}

static int read_number(uint32_t id, const char *key, uint32_t *value)
{
	char path[64];
	char_vec text = {0};
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/status", id);
	ret = read_file(path, STATUS_MAX, &text);
	if (!ret)
		ret = proc_status_number(text.data, key, value);
	vec_free(&text);
	return ret;
}

int proc_tgid(uint32_t tid, uint32_t *tgid)
{
	return read_number(tid, "Tgid:", tgid);
}

int proc_parent(uint32_t pid, uint32_t *ppid)
{
	return read_number(pid, "PPid:", ppid);
}
