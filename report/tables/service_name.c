// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/service_name.h"

#include <string.h>

/* Ids of containers are 64 digits, and tools show 12 of them. */
#define CONTAINER_DIGITS 64
#define SHOWN_DIGITS     12

#define UNIT_SUFFIX  ".service"
#define SCOPE_SUFFIX ".scope"

static bool ends_in(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(s + len - n, suffix, n);
}

/* Returns true if @len bytes at @part name a container: "docker-ID.scope", or "ID". Sets *@id. */
static bool has_container(const char *part, size_t len, const char **id)
{
	if (ends_in(part, len, SCOPE_SUFFIX))
		len -= strlen(SCOPE_SUFFIX);
	if (len < CONTAINER_DIGITS)
		return false;
	*id = part + len - CONTAINER_DIGITS;
	return (len == CONTAINER_DIGITS || (*id)[-1] == '-') &&
	       strspn(*id, "0123456789abcdef") >= CONTAINER_DIGITS;
}

void service_name_put(struct textbuf *out, const char *cgroup, uint32_t process, const char *name)
{
	const char *end = cgroup + strlen(cgroup), *id;

	while (end > cgroup) {
		const char *part = end;

		while (part > cgroup && part[-1] != '/')
			part--;
		if (ends_in(part, end - part, UNIT_SUFFIX)) {
			textbuf_escaped(out, part, end - part - strlen(UNIT_SUFFIX), TEXT_PLAIN);
			return;
		}
		if (has_container(part, end - part, &id)) {
			textbuf_bytes(out, id, SHOWN_DIGITS);
			return;
		}
		end = part > cgroup ? part - 1 : cgroup;
	}
	if (!process)
		name = "kernel";
	else if (!name[0])
		name = "[unknown]";
	textbuf_escaped(out, name, strlen(name), TEXT_PLAIN);
}
