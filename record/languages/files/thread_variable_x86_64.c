// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms are those of gcc and of clang for x86-64 ("ELF Handling For Thread-Local Storage",
 * 4.3.2 and 4.4.2): the local-exec model in an executable, and in a library the local-dynamic and
 * the general-dynamic model.
 */
#include "record/languages/files/thread_variable.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "elf/arch.h"

struct code_cursor {
	const uint8_t *at, *end;
	uint64_t addr; /* at which @at is linked */
};

static void advance(struct code_cursor *c, size_t len)
{
	c->at += len;
	c->addr += len;
}

/* Goes over @len bytes if they come next. */
static bool skip_bytes(struct code_cursor *c, const void *bytes, size_t len)
{
	if ((size_t)(c->end - c->at) < len || memcmp(c->at, bytes, len) != 0)
		return false;
	advance(c, len);
	return true;
}
#define SKIP(c, bytes) skip_bytes(c, bytes, sizeof(bytes) - 1)

static bool read_number(struct code_cursor *c, int32_t *number)
{
	if ((size_t)(c->end - c->at) < sizeof(*number))
		return false;
	memcpy(number, c->at, sizeof(*number));
	advance(c, sizeof(*number));
	return true;
}

/* mov VARIABLE(%rax),%rax, where a displacement has 4 bytes, 1 byte or none. */
static bool parse_load(struct code_cursor *c, int32_t *variable)
{
	if (SKIP(c, "\x48\x8b\x80"))
		return read_number(c, variable);
	if (SKIP(c, "\x48\x8b\x40") && c->at < c->end) {
		*variable = (int8_t)*c->at;
		return true;
	}
	*variable = 0;
	return SKIP(c, "\x48\x8b\x00");
}

/*
 * lea BLOCK(%rip),%rdi; call __tls_get_addr; pop %rbp; mov VARIABLE(%rax),%rax. The linker puts the
 * number of the block and an offset in it at BLOCK.
 */
static int parse_library(struct code_cursor *c, uint64_t runtime, struct thread_variable *found)
{
	int32_t block, call, variable;
	int64_t key;

	if (!read_number(c, &block))
		return -ENOENT;
	key = (int64_t)(c->addr + block - runtime);
	SKIP(c, "\x66\x66\x48"); /* the general model fills the call up */
	if (!SKIP(c, "\xe8") || !read_number(c, &call))
		return -ENOENT;
	SKIP(c, "\x5d");
	if (key != (int32_t)key || !parse_load(c, &variable))
		return -ENOENT;
	*found = (struct thread_variable){.is_in_block = true, .key = key, .variable = variable};
	return 0;
}

int thread_variable_parse(const uint8_t code[THREAD_VARIABLE_BYTES], uint64_t addr,
			  uint64_t runtime, struct thread_variable *found)
{
	struct code_cursor c = {.at = code, .end = code + THREAD_VARIABLE_BYTES, .addr = addr};
	int32_t variable;

	skip_bytes(&c, elf_arch_x86_64.entry_mark, ELF_ENTRY_MARK_BYTES);
	SKIP(&c, "\x55\x48\x89\xe5");           /* push %rbp; mov %rsp,%rbp */
	if (SKIP(&c, "\x64\x48\x8b\x04\x25")) { /* mov %fs:VARIABLE,%rax */
		if (!read_number(&c, &variable))
			return -ENOENT;
		*found = (struct thread_variable){.variable = variable};
		return 0;
	}
	SKIP(&c, "\x50");             /* push %rax, which aligns the stack */
	SKIP(&c, "\x48\x83\xec\x08"); /* sub $8,%rsp, which does so, too */
	SKIP(&c, "\x66");
	return SKIP(&c, "\x48\x8d\x3d") ? parse_library(&c, runtime, found) : -ENOENT;
}
