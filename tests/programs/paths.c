// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paths DIR: burns with stacks whose frames lie in 3,000 files with paths of nearly 4 KB each. The
 * paths are larger together than a section of a recording may be. Makes the files below DIR. Prints
 * a line when all frames have been on a stack, and goes on until it is killed. x86-64 only.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chain.h"

#define PAGE      4096
#define NR_FILES  3000
#define NR_CHAIN  120 /* files on one stack */
#define NAME_SIZE 241
#define NR_DIRS   15
#define TURN_MS   50

static struct frame frames[NR_FILES];

/* Goes down into directories with long names. */
static int enter_dirs(const char *dir)
{
	char name[NAME_SIZE];

	if (chdir(dir))
		return -1;
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < NR_DIRS; i++)
		if (mkdir(name, 0700) || chdir(name))
			return -1;
	return 0;
}

/* Maps a new file, and makes its code a frame of a chain of callers. */
static int map_file(int nr)
{
	char name[16];
	void *code;
	int fd;

	snprintf(name, sizeof(name), "%d", nr);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, PAGE))
		return -1;
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	frames[nr].return_address = (uint64_t)code + 16;
	frames[nr].next = nr % NR_CHAIN ? &frames[nr - 1] : NULL;
	return code == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2 || enter_dirs(argv[1]))
		return 1;
	for (int i = 0; i < NR_FILES; i++)
		if (map_file(i))
			return 1;
	for (;;) {
		for (int i = NR_CHAIN - 1; i < NR_FILES; i += NR_CHAIN)
			burn_in_chain(&frames[i], TURN_MS);
		puts("all");
		fflush(stdout);
	}
}
