// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload. It makes an allocation of one program fail, and reports blocks that the
 * program has not freed at its end. All allocations count, also those of libraries.
 *
 *	FAIL_PROGRAM	the program's name; elsewhere (in its children) the library does nothing
 *	FAIL_AT		number of the allocation that fails, from 1; unset: none fails
 *	FAIL_AND_ALL	set: all allocations after it fail, too
 *	FAIL_LOG	a file; the library appends these lines:
 *			"site N" for the first allocation of each place (chain of callers)
 *			"failed N"
 *			"leak N" at the exit, for each block not freed that the program itself
 *			asked for: directly or through libc (strdup, asprintf, ...), but not
 *			through any other library
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

/* Frames looked at. The first are those of the shim itself. */
#define DEPTH 16

/* Open addressing; never full in a test. */
#define NR_SLOTS (1u << 20)

struct block {
	void *p;
	unsigned long nr;
	bool is_own;
};

struct range {
	uintptr_t start, end;
};

static bool is_active, is_inside;
static unsigned long nr_allocs, fail_at;
static bool fail_all;
static int log_fd = -1;
static pid_t pid;
static struct range program, libc, self;
static struct block blocks[NR_SLOTS];
static uint64_t sites[NR_SLOTS];

static void say(const char *what, unsigned long n)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%s %lu\n", what, n);

	if (log_fd >= 0 && write(log_fd, line, len) < 0)
		_exit(99);
}

static bool contains(const struct range *range, uintptr_t addr)
{
	return addr >= range->start && addr < range->end;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct range range = {UINTPTR_MAX, 0};

	(void)size, (void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + ph->p_vaddr < range.start)
			range.start = info->dlpi_addr + ph->p_vaddr;
		if (info->dlpi_addr + ph->p_vaddr + ph->p_memsz > range.end)
			range.end = info->dlpi_addr + ph->p_vaddr + ph->p_memsz;
	}
	if (!info->dlpi_name[0])
		program = range;
	else if (strstr(info->dlpi_name, "/libc.so"))
		libc = range;
	else if (contains(&range, (uintptr_t)note_module))
		self = range;
	return 0;
}

static void __attribute__((constructor)) begin(void)
{
	const char *name = getenv("FAIL_PROGRAM"), *at = getenv("FAIL_AT"),
		   *path = getenv("FAIL_LOG");
	void *frames[2];

	if (!name || strcmp(name, program_invocation_short_name))
		return;
	/* Blocks that libc keeps for itself from the first call on. */
	backtrace(frames, 2);
	tzset();
	dl_iterate_phdr(note_module, NULL);
	if (path)
		log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	fail_all = getenv("FAIL_AND_ALL");
	pid = getpid();
	is_active = true;
}

static void __attribute__((destructor)) end(void)
{
	if (!is_active || getpid() != pid)
		return;
	is_active = false;
	for (size_t i = 0; i < NR_SLOTS; i++)
		if (blocks[i].p && blocks[i].is_own)
			say("leak", blocks[i].nr);
}

/* Did the program ask for the block? *@site identifies the chain of callers. */
static bool look_at_callers(uint64_t *site)
{
	void *frames[DEPTH];
	int nr = backtrace(frames, DEPTH);
	bool is_own = false, is_decided = false;

	*site = 14695981039346656037u; /* FNV-1a */
	for (int i = 0; i < nr; i++) {
		uintptr_t addr = (uintptr_t)frames[i];

		if (contains(&self, addr))
			continue;
		*site = (*site ^ addr) * 1099511628211u;
		if (!is_decided && !contains(&libc, addr)) {
			is_own = contains(&program, addr);
			is_decided = true;
		}
	}
	return is_own;
}

static bool is_new_site(uint64_t site)
{
	size_t i = site % NR_SLOTS;

	for (; sites[i]; i = (i + 1) % NR_SLOTS)
		if (sites[i] == site)
			return false;
	sites[i] = site;
	return true;
}

/* Counts an allocation. Returns true if it has to fail. */
static bool must_fail(bool *is_own)
{
	uint64_t site;

	if (!is_active || is_inside || getpid() != pid)
		return false;
	is_inside = true;
	nr_allocs++;
	*is_own = look_at_callers(&site);
	if (is_new_site(site) && !fail_at)
		say("site", nr_allocs);
	if (nr_allocs == fail_at)
		say("failed", nr_allocs);
	is_inside = false;
	if (nr_allocs == fail_at || (fail_all && fail_at && nr_allocs > fail_at)) {
		errno = ENOMEM;
		return true;
	}
	return false;
}

static size_t slot_of(const void *p)
{
	size_t i = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 44;

	while (blocks[i].p && blocks[i].p != p)
		i = (i + 1) % NR_SLOTS;
	return i;
}

static void *note(void *p, bool is_own)
{
	if (p && is_active && !is_inside)
		blocks[slot_of(p)] = (struct block){p, nr_allocs, is_own};
	return p;
}

static void forget(void *p)
{
	size_t i, next;

	if (!p)
		return;
	i = slot_of(p);
	if (!blocks[i].p)
		return;
	/* Entries after it that it had displaced move up. */
	blocks[i].p = NULL;
	for (next = (i + 1) % NR_SLOTS; blocks[next].p; next = (next + 1) % NR_SLOTS) {
		struct block moved = blocks[next];

		blocks[next].p = NULL;
		blocks[slot_of(moved.p)] = moved;
	}
}

void *malloc(size_t size)
{
	bool is_own = false;

	return must_fail(&is_own) ? NULL : note(__libc_malloc(size), is_own);
}

void *calloc(size_t nr, size_t size)
{
	bool is_own = false;

	return must_fail(&is_own) ? NULL : note(__libc_calloc(nr, size), is_own);
}

void *realloc(void *p, size_t size)
{
	bool is_own = false;

	if (must_fail(&is_own))
		return NULL;
	if (is_active)
		forget(p);
	return note(__libc_realloc(p, size), is_own);
}

void *reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void free(void *p)
{
	int saved = errno;

	if (is_active)
		forget(p);
	__libc_free(p);
	errno = saved;
}
