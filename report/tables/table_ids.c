// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/table_ids.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t table_id(const void *data, size_t len, uint64_t basis)
{
	uint64_t id = XXH3_64bits_withSeed(len ? data : "", len, basis);

	return id ? id : 1;
}

uint64_t table_id_u64(uint64_t value, uint64_t basis)
{
	uint8_t bytes[sizeof(value)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	return table_id(bytes, sizeof(bytes), basis);
}

uint64_t table_id_str(const char *s, uint64_t basis)
{
	return table_id(s, strlen(s) + 1, basis);
}
