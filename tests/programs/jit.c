// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit NAME MS [late|MIB]: writes a function into memory, enters it into its perf map as NAME, and
 * spends MS milliseconds of CPU time in it and its callee. With "late", it writes the map at the
 * end only. With a number, the map has so many MiB of other functions. The last marks come when the
 * map is there. Built with BURN_FAULTS, the function takes MS page faults instead, and there are no
 * marks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef BURN_FAULTS
#include "tests/programs/burn.h"
#else
#include "tests/programs/marks.h"
#endif

#define CODE_SIZE 4096

#ifdef BURN_FAULTS
/* push %rbp; mov %rsp,%rbp; movb $1,(%rdi); pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xc6, 0x07, 0x01, 0x5d, 0xc3};
typedef void function_type(volatile char *page);
#else
/* push %rbp; mov %rsp,%rbp; mov %edi,%ecx; 1: dec %ecx; jne 1b; call *%rsi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x89, 0xf9, 0xff,
				     0xc9, 0x75, 0xfc, 0xff, 0xd6, 0x5d, 0xc3};
typedef void function_type(int nr, void (*callee)(void));

static void call_mark(void)
{
	mark();
}
#endif

static void write_map(const void *start, const char *name, long mib)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		exit(1);
	fprintf(f, "%lx %zx %s\n", (unsigned long)start, sizeof(code), name);
	for (long i = 0; i < mib << 15; i++)
		fprintf(f, "%012lx 10 function%05lx\n", 0x1000 + (i << 4), i & 0xfffff);
	fclose(f);
}

__attribute__((noinline)) static void call_for(function_type *function, int ms)
{
#ifdef BURN_FAULTS
	static volatile char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

	for (int i = 0; i < ms; i++) {
		madvise((void *)page, PAGE_BYTES, MADV_DONTNEED);
		function(page);
	}
#else
	struct timespec now;

	do {
		function(100000, call_mark);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
#endif
}

int main(int argc, char **argv)
{
	int late = argc > 3 && !strcmp(argv[3], "late");
	long mib = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	function_type *function;
	char *memory;

	if (argc < 3)
		return 2;
	memory = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory + 64, code, sizeof(code));
	if (mprotect(memory, CODE_SIZE, PROT_READ | PROT_EXEC))
		return 1;
	*(void **)&function = memory + 64;
	if (!late)
		write_map(memory + 64, argv[1], mib);
	call_for(function, atoi(argv[2]));
	if (late)
		write_map(memory + 64, argv[1], 0);
#ifndef BURN_FAULTS
	begin_marks(0);
	while (marks_left)
		call_for(function, 0);
#endif
	return 0;
}
