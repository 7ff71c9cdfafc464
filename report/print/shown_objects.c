// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/shown_objects.h"

#include <string.h>

#include "common/compare.h"

const char *object_path(const struct model *model, uint32_t object)
{
	const struct object_key *key = &model->objects.data[object].key;
	const char *path = string_set_get(&model->strings, key->path);

	if (path[0])
		return path;
	return key->kind == PROF_OBJECT_NONE   ? "[unmapped]"
	       : key->kind == PROF_OBJECT_ANON ? "[anonymous]"
					       : "[no name]";
}

int object_compare(const struct model *model, uint32_t a, uint32_t b)
{
	const struct object_key *x = &model->objects.data[a].key;
	const struct object_key *y = &model->objects.data[b].key;
	int cmp;

	COMPARE(x->kind, y->kind);
	cmp = x->path == y->path ? 0 : strcmp(object_path(model, a), object_path(model, b));
	if (cmp)
		return cmp;
	COMPARE(x->build_id.size, y->build_id.size);
	return memcmp(x->build_id.bytes, y->build_id.bytes, x->build_id.size);
}
