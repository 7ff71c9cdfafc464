// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/service_name.h"

#include <string.h>

#include "report/model/cgroup_text.h"

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

void service_name_put(struct textbuf *out, const struct service_facts *facts)
{
	struct textbuf unit = {.fd = -1}, container = {.fd = -1};
	size_t in_unit = cgroup_part_put(facts->cgroup, CGROUP_UNIT, &unit);
	size_t in_container = cgroup_part_put(facts->cgroup, CGROUP_CONTAINER, &container);

	if (in_unit && !is_service(&unit))
		in_unit = 0;
	if (is_container_id(container.data, container.nr))
		container.nr = CGROUP_SHORT_ID;
	if (facts->said[0])
		textbuf_str(out, facts->said);
	else if (in_unit > in_container)
		textbuf_bytes(out, unit.data, unit.nr);
	else if (in_container && facts->container[0])
		textbuf_str(out, facts->container);
	else if (in_container)
		textbuf_bytes(out, container.data, container.nr);
	else
		textbuf_str(out, facts->is_kernel ? "kernel"
				 : facts->name[0] ? facts->name
						  : "[unknown]");
	textbuf_fail(out, unit.error ? unit.error : container.error);
	textbuf_deinit(&unit);
	textbuf_deinit(&container);
}

void service_name_put_field(struct textbuf *out, const struct service_facts *facts)
{
	struct textbuf text = {.fd = -1};

	service_name_put(&text, facts);
	textbuf_escaped(out, text.data, text.nr, TEXT_FIELD);
	textbuf_fail(out, text.error);
	textbuf_deinit(&text);
}
