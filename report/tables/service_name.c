// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/service_name.h"

#include <string.h>

#include "report/model/workload.h"

#define UNIT_SUFFIX ".service"

/* Takes the suffix off a service. Scopes are of logins and the like, and have no lasting names. */
static bool is_service(struct textbuf *unit)
{
	size_t len = strlen(UNIT_SUFFIX);

	if (unit->nr <= len || memcmp(unit->data + unit->nr - len, UNIT_SUFFIX, len) != 0)
		return false;
	unit->nr -= len;
	return true;
}

void service_name_put(struct textbuf *out, const char *cgroup, uint32_t process, const char *name)
{
	struct textbuf unit = {.fd = -1}, container = {.fd = -1};
	size_t in_unit = workload_put(cgroup, WORKLOAD_UNIT, &unit);
	size_t in_container = workload_put(cgroup, WORKLOAD_CONTAINER, &container);

	if (in_unit && !is_service(&unit))
		in_unit = 0;
	if (workload_is_id(container.data, container.nr))
		container.nr = WORKLOAD_SHORT_ID;
	if (!process)
		name = "kernel";
	else if (!name[0])
		name = "[unknown]";
	if (in_unit > in_container)
		textbuf_escaped(out, unit.data, unit.nr, TEXT_PLAIN);
	else if (in_container)
		textbuf_escaped(out, container.data, container.nr, TEXT_PLAIN);
	else
		textbuf_escaped(out, name, strlen(name), TEXT_PLAIN);
	textbuf_fail(out, unit.error ? unit.error : container.error);
	textbuf_deinit(&unit);
	textbuf_deinit(&container);
}
