/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's side-band: a dummy perf event on every CPU. Its ring buffer tells of every
 * executable mapping (with its build-id), exec, fork and exit, and of new BPF programs. So the
 * reporter can resolve a process that lived for ten milliseconds, or whose file is gone.
 *
 * Records of different CPUs are handed out in the order of their times. A record is handed out only
 * when no earlier one can still turn up in another CPU's buffer.
 */
#ifndef RECORD_PROCESS_SIDEBAND_H
#define RECORD_PROCESS_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/err.h"
#include "common/parse.h"

enum sideband_type {
	SIDEBAND_MMAP,
	SIDEBAND_EXEC,
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_KSYMBOL,
	/* The kernel does not tell of these. Callers of sideband_add do. */
	SIDEBAND_MOVE,  /* mremap moved code */
	SIDEBAND_SHARE, /* a process that has just begun shares the memory of its parent */
};

/* One record. Process ids are those of the recorder's pid namespace. */
struct sideband_record {
	enum sideband_type type;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t pid, tid;
	uint32_t parent_pid; /* SIDEBAND_FORK, SIDEBAND_SHARE */
	/* SIDEBAND_MMAP; SIDEBAND_KSYMBOL, SIDEBAND_MOVE: addr and size */
	uint64_t addr, size, pgoff;
	/* SIDEBAND_MOVE: where the code was, and whether it still is there, too */
	uint64_t old_addr, old_size;
	bool keeps_old;
	uint32_t dev_major, dev_minor; /* the file, where build_id is none */
	uint64_t inode, inode_generation;
	struct build_id build_id;
	/*
	 * SIDEBAND_MMAP: path; SIDEBAND_EXEC: task's name; SIDEBAND_KSYMBOL: symbol's. With a NUL.
	 */
	const char *name;
};

struct sideband;

typedef int (*sideband_fn)(void *ctx, const struct sideband_record *record);

struct perf_event_header;

/*
 * Decodes a record of the kernel: PERF_RECORD_MMAP2, FORK, EXIT, COMM (an exec) or KSYMBOL. The
 * names point into it.
 */
void sideband_decode(const struct perf_event_header *raw, uint64_t time_ns,
		     struct sideband_record *record);

/* The process that begins an address space by the record at @raw, a fork or an exec, or 0. */
uint32_t sideband_begun_pid(const struct perf_event_header *raw);

/* Bytes of each CPU's buffer, unless that is more memory than the user may lock. */
#define SIDEBAND_BUFFER_BYTES (256u << 10)

/*
 * Opens and enables the events on @cpus. Buffers are smaller where kernel.perf_event_mlock_kb and
 * RLIMIT_MEMLOCK do not allow more. Returns 0 or a negative errno with @err set.
 */
int sideband_create(const u32_vec *cpus, struct sideband **sideband, struct err *err);

void sideband_destroy(struct sideband *sideband);

/* The events' file descriptors, one for each CPU: readable when a buffer is a quarter full. */
const int *sideband_fds(const struct sideband *sideband, size_t *nr);

/* Records that wait for their turn may take @max_bytes together. Others count as lost. */
void sideband_limit(struct sideband *sideband, size_t max_bytes);

/*
 * Reads all buffers, so that they have room again, and keeps the records for the next read. Returns
 * 0, -ENOMEM, or -EIO if a buffer holds no records.
 */
int sideband_collect(struct sideband *sideband);

/* Does a record that was collected, and not handed out yet, begin an address space of @pid? */
bool sideband_has_begun(const struct sideband *sideband, uint32_t pid);

/*
 * Adds a record, whose name does not count, to those that wait for their turn. Returns 0 or
 * -ENOMEM.
 */
int sideband_add(struct sideband *sideband, const struct sideband_record *record);

/* Says how many records got lost before they could be added, so far. */
void sideband_set_unsent(struct sideband *sideband, uint64_t nr);

/*
 * Reads all buffers and shows @fn the records of @pid that wait for their turn, from the latest one
 * on that begins an address space. Returns 0, -ENOENT if none does, or an error of sideband_collect
 * or @fn.
 */
int sideband_show_begun(struct sideband *sideband, uint32_t pid, sideband_fn fn, void *ctx);

/*
 * Reads all buffers and shows @fn the records of up to @until_ns that it has not been shown before,
 * without handing them out. Returns 0, -ENOMEM, or @fn's error.
 */
int sideband_preview(struct sideband *sideband, uint64_t until_ns, sideband_fn fn, void *ctx);

/* Records that were collected, and not handed out yet. */
size_t sideband_nr_waiting(const struct sideband *sideband);

/*
 * Reads all buffers and hands out the records of up to @until_ns. The caller vouches that all
 * records up to that time have been written by now. Returns 0, -ENOMEM, or @fn's error.
 */
int sideband_read(struct sideband *sideband, uint64_t until_ns, sideband_fn fn, void *ctx);

/* Bytes of each CPU's buffer: SIDEBAND_BUFFER_BYTES, or a smaller power of two. */
size_t sideband_buffer_bytes(const struct sideband *sideband);

/*
 * Asks how many records were lost (Linux 6.0 and later). Older kernels tell of losses when there is
 * room for another record, and never of the last losses.
 */
void sideband_count_lost(struct sideband *sideband);

/*
 * Records that the kernel dropped because a buffer was full, as far as it has told, and those that
 * could not be added.
 */
uint64_t sideband_lost(const struct sideband *sideband);

#endif
