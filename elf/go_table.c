// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/go_table.h"

#include <string.h>

#include "elf/dwarf_bytes.h"

#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

/* Parts of a record, after the address of its function (runtime/runtime2.go, struct _func). */
#define RECORD_NAME       0
#define RECORD_SP_PROGRAM 12
#define RECORD_FLAGS      33 /* 4 more where there is a line */

/* Reads @size bytes at @off, which need not be there. */
static bool read_number(const struct go_table *table, uint64_t off, size_t size, uint64_t *number)
{
	struct cursor b = {table->bytes, table->bytes + table->size, false};

	cursor_bytes(&b, off);
	*number = dwarf_fixed(&b, size);
	return !b.bad;
}

/* Reads number @field of function @i: 0 is the address, 1 the place of the record. */
static uint64_t function_number(const struct go_table *table, uint64_t i, unsigned int field)
{
	uint64_t number;

	read_number(table, table->functions + (2 * i + field) * table->number_size,
		    table->number_size, &number);
	return number;
}

bool go_table_read(const uint8_t *bytes, size_t size, uint8_t quantum, struct go_table *table)
{
	struct go_table t = {.bytes = bytes, .size = size, .quantum = quantum};
	uint64_t magic, sizes, last, at;

	if (!read_number(&t, 0, 4, &magic) || !read_number(&t, 6, 2, &sizes) ||
	    (magic != MAGIC_1_16 && magic != MAGIC_1_18 && magic != MAGIC_1_20))
		return false;
	t.has_start = magic != MAGIC_1_16;
	t.has_line = magic == MAGIC_1_20;
	t.number_size = t.has_start ? 4 : 8;
	at = t.has_start ? GO_TEXT_START_OFF + 8 : GO_TEXT_START_OFF;
	/* The quantum, and pointers of 8 bytes. */
	if (sizes != (0x0800u | quantum) || !read_number(&t, 8, 8, &t.nr) ||
	    !read_number(&t, at, 8, &t.names) || !read_number(&t, at + 3 * 8, 8, &t.programs) ||
	    !read_number(&t, at + 4 * 8, 8, &t.functions) || t.functions > size ||
	    t.nr > (size - t.functions) / (2 * t.number_size) ||
	    !read_number(&t, t.functions + t.nr * 2 * t.number_size, t.number_size, &last) ||
	    (t.has_start && !read_number(&t, GO_TEXT_START_OFF, 8, &t.text_start)))
		return false;
	*table = t;
	return true;
}

size_t go_table_find(const uint8_t *bytes, size_t size, uint8_t quantum)
{
	const uint8_t same[] = {0xff, 0xff, 0xff, 0, 0, quantum, 8};
	struct go_table table;

	/* Linkers align it to 32 bytes. */
	for (size_t off = 0; off < size && size - off > sizeof(same); off += 8)
		if (!memcmp(bytes + off + 1, same, sizeof(same)) &&
		    go_table_read(bytes + off, size - off, quantum, &table) && table.nr)
			return off;
	return size;
}

uint64_t go_table_address(const struct go_table *table, uint64_t i)
{
	return function_number(table, i, 0);
}

bool go_table_record(const struct go_table *table, uint64_t i, struct go_record *record)
{
	uint64_t off = function_number(table, i, 1), name, program = 0, flags = 0;

	if (off > table->size)
		return false;
	/* The record begins with the address, too. */
	off += table->functions + table->number_size;
	if (!read_number(table, off + RECORD_NAME, 4, &name))
		return false;
	read_number(table, off + RECORD_SP_PROGRAM, 4, &program);
	read_number(table, off + RECORD_FLAGS + (table->has_line ? 4 : 0), 1, &flags);
	*record = (struct go_record){name, program, flags};
	return true;
}

const char *go_table_name(const struct go_table *table, uint32_t name, size_t *left)
{
	if (table->names > table->size || name >= table->size - table->names)
		return NULL;
	*left = table->size - table->names - name;
	return (const char *)table->bytes + table->names + name;
}
