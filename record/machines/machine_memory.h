/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of the memory of a process whose virtual machine is described. */
#ifndef RECORD_MACHINES_MACHINE_MEMORY_H
#define RECORD_MACHINES_MACHINE_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Reads up to @len bytes at @addr of a process. Returns their number, or a negative errno. */
typedef long (*machine_read_fn)(void *ctx, uint64_t addr, void *buf, size_t len);

struct machine_memory {
	machine_read_fn read;
	void *ctx;
};

/* Reads all of @len bytes. Returns 0 or -EFAULT. */
static inline int machine_memory_read(const struct machine_memory *m, uint64_t addr, void *buf,
				      size_t len)
{
	return m->read(m->ctx, addr, buf, len) == (long)len ? 0 : -EFAULT;
}

#endif
