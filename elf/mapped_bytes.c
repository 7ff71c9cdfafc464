// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/mapped_bytes.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

static size_t page_size;

/* A mapping that may be mended. start 0: the entry is free. */
struct span {
	_Atomic(uintptr_t) start;
	_Atomic(size_t) size;
};

/* The handler may read the list while there is a mapping. So it is freed when there is none. */
struct span_list {
	struct span_list *next;
	struct span spans[64];
};

static _Atomic(struct span_list *) span_lists;
static pthread_mutex_t spans_lock = PTHREAD_MUTEX_INITIALIZER; /* of those who write */
static size_t nr_spans;                                        /* in use; under the lock */

/*
 * Finds the mapping that has @addr. Nobody releases it meanwhile, because the thread with the fault
 * reads it. Other entries may change, which shows in their start.
 */
static bool find_span(uintptr_t addr, uintptr_t *start, size_t *size)
{
	for (struct span_list *list = span_lists; list; list = list->next) {
		for (size_t i = 0; i < ARRAY_SIZE(list->spans); i++) {
			struct span *span = &list->spans[i];

			*start = span->start;
			*size = span->size;
			if (*start && addr >= *start && addr - *start < *size &&
			    span->start == *start)
				return true;
		}
	}
	return false;
}

/*
 * Puts zeros at the place of a mapping that reaches beyond the end of its file. The whole mapping
 * at once: the kernel allows a process some 65,000 pieces of memory, and a file has more pages.
 */
static void mend_mapping(int number, siginfo_t *info, void *context)
{
	uintptr_t start;
	size_t size;

	(void)context;
	if (info->si_code != BUS_ADRERR || !find_span((uintptr_t)info->si_addr, &start, &size) ||
	    mmap((void *)start, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void install_mender(void)
{
	struct sigaction action = {.sa_sigaction = mend_mapping, .sa_flags = SA_SIGINFO};

	page_size = sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

/* Returns a free entry, or NULL without memory. The caller holds the lock. */
static struct span *find_free_span(void)
{
	struct span_list *new;

	for (struct span_list *list = span_lists; list; list = list->next)
		for (size_t i = 0; i < ARRAY_SIZE(list->spans); i++)
			if (!list->spans[i].start)
				return &list->spans[i];
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->next = span_lists;
	span_lists = new;
	return new->spans;
}

static int add_span(const void *map, size_t size)
{
	struct span *span;

	pthread_mutex_lock(&spans_lock);
	span = find_free_span();
	if (span) {
		span->size = size;
		span->start = (uintptr_t)map;
		nr_spans++;
	}
	pthread_mutex_unlock(&spans_lock);
	return span ? 0 : -ENOMEM;
}

static void free_lists(void)
{
	struct span_list *list = span_lists;

	span_lists = NULL;
	while (list) {
		struct span_list *next = list->next;

		free(list);
		list = next;
	}
}

static void remove_span(const void *map)
{
	pthread_mutex_lock(&spans_lock);
	for (struct span_list *list = span_lists; list; list = list->next)
		for (size_t i = 0; i < ARRAY_SIZE(list->spans); i++)
			if (list->spans[i].start == (uintptr_t)map)
				list->spans[i].start = 0;
	if (!--nr_spans)
		free_lists();
	pthread_mutex_unlock(&spans_lock);
}

int mapped_bytes_get(int fd, uint64_t off, uint64_t size, struct mapped_bytes *bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t before;
	struct stat st;
	void *map;

	pthread_once(&once, install_mender);
	before = off % page_size;
	if (!size || fstat(fd, &st) || off > (uint64_t)st.st_size ||
	    size > (uint64_t)st.st_size - off)
		return -EIO;
	map = mmap(NULL, size + before, PROT_READ, MAP_PRIVATE, fd, off - before);
	if (map == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EIO;
	if (add_span(map, size + before)) {
		munmap(map, size + before);
		return -ENOMEM;
	}
	*bytes = (struct mapped_bytes){
		.data = (uint8_t *)map + before,
		.size = size,
		.map = map,
		.map_size = size + before,
	};
	return 0;
}

void mapped_bytes_release(struct mapped_bytes *bytes)
{
	if (bytes->map) {
		remove_span(bytes->map);
		munmap(bytes->map, bytes->map_size);
	}
	*bytes = (struct mapped_bytes){0};
}
