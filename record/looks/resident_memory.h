/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the memory of another process without waiting for anybody else. A read of a page that is
 * not in memory makes the kernel fetch it from where the process maps it from, and a server of that
 * file system (FUSE, NFS) or the holder of a userfaultfd may never answer. So only these pages are
 * read: those in memory or swap, and those of files on local file systems. A page of private
 * anonymous memory that was never used is zeros, without a read.
 *
 * The process can map something else between the look at a page and its read, so the caller must
 * still bear a read that does not end.
 */
#ifndef RECORD_LOOKS_RESIDENT_MEMORY_H
#define RECORD_LOOKS_RESIDENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "record/proc/proc_maps.h"

/* Pages whose state is remembered. Machines read some words each of many pages. */
#define RESIDENT_PAGES 64

/* For one look, since it trusts what it has seen. RESIDENT_MEMORY_INIT for a start. */
struct resident_memory {
	uint32_t pid;
	uint32_t tid;          /* a thread that lives; 0: not asked yet */
	int pages_fd, maps_fd; /* -1: not open yet */
	struct proc_map map;   /* the latest that was looked up; its path is not set */
	struct {
		uint64_t dev;
		int is_local;           /* -1: nothing is known */
	} files;                        /* of the latest device */
	uint64_t pages[RESIDENT_PAGES]; /* addresses of pages that can be read; 0: none */
};

#define RESIDENT_MEMORY_INIT(of_pid)                                                               \
	{                                                                                          \
		.pid = (of_pid), .pages_fd = -1, .maps_fd = -1, .files = {.is_local = -1 }         \
	}

/*
 * Reads up to @len bytes at @addr. Returns their number, which is smaller where the next page
 * cannot be read, or -EFAULT, or another negative errno.
 */
long resident_memory_read(struct resident_memory *memory, uint64_t addr, void *buf, size_t len);

void resident_memory_deinit(struct resident_memory *memory);

#define _cleanup_resident_memory_ _cleanup_(resident_memory_deinit)

#endif
