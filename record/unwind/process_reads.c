// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/process_reads.h"

#include <errno.h>
#include <sys/uio.h>

/* A machine_read_fn. @ctx is the process's id. */
static long read_process(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = {.iov_base = buf, .iov_len = len};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
	ssize_t nr = process_vm_readv(*(const uint32_t *)ctx, &local, 1, &remote, 1, 0);

	return nr < 0 ? -errno : nr;
}

struct machine_memory machine_memory_of(const uint32_t *pid)
{
	return (struct machine_memory){.read = read_process, .ctx = (void *)pid};
}
