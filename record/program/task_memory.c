// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/program/task_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "bpf/host_arch.h"

#define NR_PAGES 64 /* a power of two */

/* Where a stack may go on above the end of its copy. Other memory is at least so far away. */
#define STACK_REST_BYTES (1 << 20)

/* A page of the sampled process, as it was when the program first read it. */
struct page {
	uint64_t at; /* of the process; 1: none */
	bool is_there;
	char bytes[PAGE_BYTES];
};

static struct {
	const struct program_sample *sample;
	struct program_wants *wants;
	struct page pages[NR_PAGES];
} memory;

void task_memory_begin(const struct program_sample *sample, struct program_wants *wants)
{
	memory.sample = sample;
	memory.wants = wants;
	for (size_t i = 0; i < NR_PAGES; i++)
		memory.pages[i].at = 1;
}

/* The page of the sampled process at @at. It stays until the next sample, or another takes its
 * place. */
static const struct page *find_page_at(uint64_t at)
{
	struct page *page = &memory.pages[at / PAGE_BYTES % NR_PAGES];
	struct iovec local = {page->bytes, PAGE_BYTES},
		     remote = {(void *)(uintptr_t)at, PAGE_BYTES};

	if (page->at != at) {
		page->at = at;
		/* The main thread may have ended, and then this thread has the memory. */
		page->is_there = process_vm_readv(memory.sample->tid, &local, 1, &remote, 1, 0) ==
					 PAGE_BYTES ||
				 process_vm_readv(memory.sample->process->pid, &local, 1, &remote,
						  1, 0) == PAGE_BYTES;
	}
	return page;
}

/* Reads @size bytes at @from, which are in one page, from the process. Returns 0 or -EFAULT. */
static long read_in_page(char *to, uint32_t size, uint64_t from)
{
	const struct page *page = find_page_at(from & -(uint64_t)PAGE_BYTES);

	if (!page->is_there)
		return -EFAULT;
	memcpy(to, page->bytes + from % PAGE_BYTES, size);
	return 0;
}

/* How much of the @size bytes at @from can be read in one go. */
static uint32_t next_part(uint32_t size, uint64_t from)
{
	uint32_t room = PAGE_BYTES - from % PAGE_BYTES;

	return size < room ? size : room;
}

/*
 * Reads at most @size bytes, in one page, from the copy of the stack. What is below the stack
 * pointer means nothing. Returns the number of bytes, 0 if they are not in the stack, or -EFAULT if
 * they are in it and not in the copy.
 */
static long read_in_copy(char *to, uint32_t size, uint64_t from)
{
	const struct program_memory *m = &memory.sample->memory;
	uint64_t low = (m->begin - RED_ZONE_BYTES) & -(uint64_t)PAGE_BYTES, end = m->begin + m->nr;

	if (from >= low && from < m->begin) {
		uint32_t nr = size < m->begin - from ? size : m->begin - from;

		memset(to, 0, nr);
		return nr;
	}
	if (from >= m->begin && from < end) {
		uint32_t nr = size < end - from ? size : end - from;

		memcpy(to, m->copy + (from - m->begin), nr);
		return nr;
	}
	if (from < end || from - end >= STACK_REST_BYTES || m->is_whole)
		return 0;
	memory.wants->more_stack = true;
	return -EFAULT;
}

static long read_part(char *to, uint32_t size, uint64_t from)
{
	long nr = memory.sample->memory.is_stopped ? 0 : read_in_copy(to, size, from);

	if (nr)
		return nr;
	return read_in_page(to, size, from) ? -EFAULT : (long)size;
}

long bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	uint64_t at = (uintptr_t)from;

	for (uint32_t have = 0; have < size;) {
		long nr =
			read_part((char *)to + have, next_part(size - have, at + have), at + have);

		if (nr < 0) {
			memset(to, 0, size); /* as the kernel's helper */
			return nr;
		}
		have += nr;
	}
	return 0;
}

long bpf_probe_read_user_str(void *to, uint32_t size, const void *from)
{
	uint64_t at = (uintptr_t)from;
	char *text = to;

	for (uint32_t have = 0; have < size;) {
		uint32_t part = next_part(size - have, at + have);
		long nr = read_part(text + have, part, at + have);
		const char *end;

		if (nr < 0)
			return nr;
		end = memchr(text + have, 0, nr);
		if (end)
			return end - text + 1;
		have += nr;
	}
	if (size)
		text[size - 1] = '\0';
	return size;
}
