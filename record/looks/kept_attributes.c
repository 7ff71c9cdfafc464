// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/kept_attributes.h"

#include <errno.h>
#include <string.h>

#include "common/minmax.h"
#include "format/prof.h"

/* The longest value that is kept. */
#define VALUE_MAX 255

int kept_attributes_add(char_vec *attributes, const char *key, size_t nr_key, const char *value,
			size_t nr_value)
{
	enum prof_attribute kept = prof_attribute_find(key, nr_key);
	size_t len = min_u64(nr_value, VALUE_MAX);

	if (kept >= PROF_NR_OWN_ATTRIBUTES || !len || memchr(value, 0, len))
		return 0;
	return vec_append(attributes, prof_attribute_keys[kept],
			  strlen(prof_attribute_keys[kept]) + 1) ||
			       vec_append(attributes, value, len) || vec_push(attributes, '\0')
		       ? -ENOMEM
		       : 0;
}
