// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/mapped_bytes.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t page_size;

/* Puts a page of zeros at the place of a page that is beyond the end of its file. */
static void mend_page(int number, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr & ~(uintptr_t)(page_size - 1);

	(void)context;
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)addr, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void install_mender(void)
{
	struct sigaction action = {.sa_sigaction = mend_page, .sa_flags = SA_SIGINFO};

	page_size = sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
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
	if (bytes->map)
		munmap(bytes->map, bytes->map_size);
	*bytes = (struct mapped_bytes){0};
}
