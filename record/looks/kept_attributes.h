/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes say of themselves, of which a recording keeps the attributes that name a service.
 * Others may be secret.
 */
#ifndef RECORD_LOOKS_KEPT_ATTRIBUTES_H
#define RECORD_LOOKS_KEPT_ATTRIBUTES_H

#include <stddef.h>

#include "common/vec.h"

/*
 * Appends key and value to @attributes, each with a NUL, if recordings keep the attribute @key of
 * @nr_key bytes. A long @value is cut; an empty one and one with a NUL are not kept. Returns 0 or
 * -ENOMEM.
 */
int kept_attributes_add(char_vec *attributes, const char *key, size_t nr_key, const char *value,
			size_t nr_value);

#endif
