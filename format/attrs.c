// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/attrs.h"

#include <inttypes.h>

void attrs_put_bytes(struct bytes *b, unsigned int tag, const void *data, size_t len)
{
	bytes_varint(b, tag);
	bytes_varint(b, len);
	bytes_put(b, data, len);
}

void attrs_put_u64(struct bytes *b, unsigned int tag, uint64_t value)
{
	unsigned int len = 1;

	for (uint64_t rest = value >> 7; rest; rest >>= 7)
		len++;
	bytes_varint(b, tag);
	bytes_varint(b, len);
	bytes_varint(b, value);
}

int attrs_next(struct cursor *list, uint64_t *tag, struct cursor *value, struct fault *fault)
{
	uint64_t next;

	if (!cursor_left(list))
		return 0;
	next = cursor_varint(list);
	*value = cursor_sub(list, cursor_varint(list));
	if (list->bad)
		return fault_corrupt(fault, "the attribute after %" PRIu64 " is malformed", *tag);
	if (next <= *tag)
		return fault_corrupt(fault, "attribute %" PRIu64 " after attribute %" PRIu64, next,
				     *tag);
	*tag = next;
	return 1;
}

int attrs_get_u64(struct cursor *value, uint64_t tag, uint64_t max, uint64_t *number,
		  struct fault *fault)
{
	uint64_t v = cursor_varint(value);

	if (!cursor_is_done(value))
		return fault_corrupt(fault, "attribute %" PRIu64 " is malformed", tag);
	if (v > max)
		return fault_corrupt(fault, "attribute %" PRIu64 ": %" PRIu64 " is out of range",
				     tag, v);
	*number = v;
	return 0;
}

void attrs_put_field(struct bytes *b, const struct attr_field *field, const void *record)
{
	const char *p = (const char *)record + field->off;
	uint64_t value = 0;

	if (field->size == sizeof(uint8_t))
		value = *(const uint8_t *)p;
	else if (field->size == sizeof(uint32_t))
		value = *(const uint32_t *)p;
	else
		value = *(const uint64_t *)p;
	attrs_put_u64(b, field->tag, value);
}

int attrs_get_field(const struct attr_field *fields, unsigned int nr, uint64_t tag,
		    struct cursor *value, void *record, struct fault *fault)
{
	for (unsigned int i = 0; i < nr; i++) {
		char *p = (char *)record + fields[i].off;
		uint64_t number;
		int ret;

		if (fields[i].tag != tag)
			continue;
		ret = attrs_get_u64(value, tag, fields[i].max, &number, fault);
		if (ret)
			return ret;
		if (fields[i].size == sizeof(uint8_t))
			*(uint8_t *)p = number;
		else if (fields[i].size == sizeof(uint32_t))
			*(uint32_t *)p = number;
		else
			*(uint64_t *)p = number;
		return 1;
	}
	return 0;
}
