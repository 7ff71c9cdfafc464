// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/name_vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int name_vec_add(name_vec *names, const char *name)
{
	char *copy = strdup(name);

	if (copy && !vec_push(names, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

void name_vec_sort(name_vec *names)
{
	if (names->nr)
		qsort(names->data, names->nr, sizeof(char *), compare_names);
}

bool name_vec_has(const name_vec *names, const char *name)
{
	size_t at = search_first(names->nr, i, strcmp(names->data[i], name) >= 0);

	return at < names->nr && !strcmp(names->data[at], name);
}

void name_vec_free(name_vec *names)
{
	vec_for_each(names, name)
		free(*name);
	vec_free(names);
}
