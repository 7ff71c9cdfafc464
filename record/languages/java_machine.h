/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from a process of Java how to walk the code that HotSpot has made there. HotSpot describes
 * its own data for debuggers (vmStructs.hpp): the offsets of fields, and the addresses of
 * variables. So no offset is guessed. The process may write anything into this memory: the answer
 * is bounded, and spoils the stacks of the process alone.
 */
#ifndef RECORD_LANGUAGES_JAVA_MACHINE_H
#define RECORD_LANGUAGES_JAVA_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/languages.h"

/* Reads up to @len bytes at @addr of a process. Returns their number, or a negative errno. */
typedef long (*java_read_fn)(void *ctx, uint64_t addr, void *buf, size_t len);

struct java_memory {
	java_read_fn read;
	void *ctx;
};

/*
 * Describes the machine of the process whose memory is @memory. Its library is @in, and offset 0 of
 * that file is at @base. Returns 0; -EAGAIN if the machine has not begun to work yet; -ENOTSUP if a
 * field is missing or of a size that the walk cannot read; or -EFAULT.
 */
int java_machine_read(const struct java_memory *memory, const struct interpreter *in, uint64_t base,
		      struct java_machine *machine);

#endif
