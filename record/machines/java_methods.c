// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_methods.h"

#include <errno.h>
#include <stdbool.h>

#include "common/minmax.h"
#include "record/machines/java_lines.h"

/* A longer table of lines is not read. The largest method has 64 KiB of bytecode. */
#define LINES_MAX 65536

/* The flag of a ConstMethod that has a table of lines (constMethod.hpp). */
#define HAS_LINES 1u

/* The lowest bit of an element of the pool is a flag. */
#define POOL_TAG UINT64_C(1)

static int read_at(const struct java_code *c, uint64_t addr, void *buf, size_t len)
{
	return machine_memory_read(c->memory, addr, buf, len);
}

static int read_symbol(const struct java_code *c, uint64_t at, struct language_text *text)
{
	uint16_t length;

	if (read_at(c, at + c->machine->symbol_length, &length, sizeof(length)))
		return -EFAULT;
	*text = (struct language_text){.nr_bytes = min_u64(length, NAME_BYTES),
				       .is_cut = length > NAME_BYTES};
	if (!length)
		return -EBADMSG;
	return read_at(c, at + c->machine->symbol_text, text->bytes, text->nr_bytes);
}

uint64_t java_method_word(const struct java_code *c, uint64_t method)
{
	const struct java_machine *m = c->machine;
	uint64_t parts, pool;
	uint16_t name;

	if (word_addr(method) != method || method < NR_NOTES ||
	    read_at(c, method + m->method_const, &parts, sizeof(parts)) ||
	    read_at(c, parts + m->const_pool, &pool, sizeof(pool)) ||
	    read_at(c, parts + m->const_name, &name, sizeof(name)))
		return 0;
	return LANGUAGE_WORD(LANGUAGE_JAVA, java_method_check(parts, pool, name), method);
}

/* Reads the names of the method whose ConstMethod is at @parts. */
static int read_names(const struct java_code *c, uint64_t parts, struct machine_function *method)
{
	const struct java_machine *m = c->machine;
	uint64_t pool, class, symbol;
	uint16_t name;
	int ret;

	if (read_at(c, parts + m->const_pool, &pool, sizeof(pool)) ||
	    read_at(c, parts + m->const_name, &name, sizeof(name)) ||
	    read_at(c, pool + m->pool_bytes + UINT64_C(8) * name, &symbol, sizeof(symbol)))
		return -EFAULT;
	ret = read_symbol(c, symbol & ~POOL_TAG, &method->name);
	if (ret)
		return ret;
	if (read_at(c, pool + m->pool_class, &class, sizeof(class)) ||
	    read_at(c, class + m->class_name, &symbol, sizeof(symbol)))
		return -EFAULT;
	return read_symbol(c, symbol, &method->class);
}

/* Reads the line of the first bytecode. A method may have no table of lines. */
static void read_line(const struct java_code *c, uint64_t parts, struct machine_function *method)
{
	const struct java_machine *m = c->machine;
	uint8_t table[LINES_MAX];
	uint16_t flags, code_bytes;
	uint32_t words;
	uint64_t off, end;
	long nr;

	if (!c->layout->has_lines ||
	    read_at(c, parts + c->layout->const_flags, &flags, sizeof(flags)) ||
	    read_at(c, parts + c->layout->const_words, &words, sizeof(words)) ||
	    read_at(c, parts + m->const_code_size, &code_bytes, sizeof(code_bytes)) ||
	    !(flags & HAS_LINES))
		return;
	off = (uint64_t)m->const_bytes + code_bytes;
	end = (uint64_t)words * 8;
	if (off >= end)
		return;
	nr = c->memory->read(c->memory->ctx, parts + off, table, min_u64(end - off, sizeof(table)));
	if (nr <= 0)
		return;
	method->line = java_lines_first(table, nr, m->version);
}

int java_method_read(const struct java_code *code, uint64_t addr, struct machine_function *method)
{
	struct machine_function read = {.line = 0};
	uint64_t parts;
	int ret;

	if (read_at(code, addr + code->machine->method_const, &parts, sizeof(parts)))
		return -EFAULT;
	ret = read_names(code, parts, &read);
	if (ret)
		return ret;
	read_line(code, parts, &read);
	*method = read;
	return 0;
}
