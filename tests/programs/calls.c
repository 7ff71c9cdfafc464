// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls its own functions, malloc and static probes a known number of times from three places:
 *
 *	calls N [FILE]     N times from one, 2 N times from two, 3 N times from three. With FILE,
 *	                   first says its pid, and waits for a line of FILE before it begins
 *	calls busy         goes on with it until it is killed
 *	calls until FILE   goes on until FILE is there, then begins another 50,000 times. Says
 *	                   how often it called its own function
 *	calls load N LIB   loads the library and calls its function "plugged" N times
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/programs/wait_for_line.h"

#ifdef WITH_SDT
#ifdef WITH_SEMAPHORE
#define _SDT_HAS_SEMAPHORES 1
unsigned short calls_fired_semaphore __attribute__((section(".probes")));
#endif
#include <sys/sdt.h>
#define FIRE(n) DTRACE_PROBE1(calls, fired, n)
#else
#define FIRE(n) (void)(n)
#endif
#if defined(WITH_SDT) && !defined(WITH_SEMAPHORE)
#define FIRE_BARE(n) DTRACE_PROBE1(calls, bare, n)
#else
#define FIRE_BARE(n) (void)(n)
#endif

static void *volatile kept;
static unsigned long fired;

__attribute__((noinline)) void own_function(size_t bytes)
{
	kept = malloc(bytes);
	free(kept);
#ifdef WITH_SEMAPHORE
	if (!*(volatile unsigned short *)&calls_fired_semaphore)
		return;
#endif
	fired++;
	FIRE(bytes);
}

/* It calls nothing, so a compiler may leave out its frame. The static probe is not at its entry. */
__attribute__((noinline)) void leaf_function(size_t bytes)
{
	kept = (void *)bytes;
	FIRE_BARE(bytes);
}

#ifdef __x86_64__
/*
 * As Go's compiler begins functions: it looks at the end of the stack first. Nothing tells how to
 * unwind it. Its other part has a symbol, too, and is entered by a jump, with a frame.
 */
void bare_function(size_t bytes);
__asm__(".text\n"
	".globl bare_function\n"
	".type bare_function, @function\n"
	"bare_function:\n"
	"	cmp %rsp, %rdi\n"
	"	ja 1f\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	jmp bare_function.cold\n"
	"1:	ret\n"
	".size bare_function, .-bare_function\n"
	".type bare_function.cold, @function\n"
	"bare_function.cold:\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare_function.cold, .-bare_function.cold\n");
#else
#define bare_function leaf_function
#endif

static inline __attribute__((always_inline)) void call_own(size_t bytes)
{
	own_function(bytes);
	leaf_function(bytes);
	bare_function(bytes);
}

__attribute__((noinline)) void one(void)
{
	call_own(100);
	__asm__ volatile("");
}

__attribute__((noinline)) void two(void)
{
	call_own(1000);
	__asm__ volatile("");
}

__attribute__((noinline)) void three(void)
{
	call_own(10000);
	__asm__ volatile("");
}

/* In a library that is made of this file. */
__attribute__((noinline)) void plugged(void)
{
	__asm__ volatile("");
}

static void call_all(void)
{
	one();
	two();
	two();
	three();
	three();
	three();
}

static void load(long nr, const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*plugged)(void);

	if (!library)
		exit(1);
	*(void **)&plugged = dlsym(library, "plugged");
	while (nr-- > 0)
		plugged();
}

static void call_until(const char *path)
{
	unsigned long nr = 0;
	bool is_last;

	do {
		is_last = !access(path, F_OK);
		for (int i = 0; i < 50000; i++, nr += 6)
			call_all();
	} while (!is_last);
	printf("%lu\n", nr);
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "load")) {
		load(atol(argv[2]), argv[3]);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "until")) {
		call_until(argv[2]);
		return 0;
	}
	while (argc > 1 && !strcmp(argv[1], "busy"))
		call_all();
	if (argc > 2)
		wait_for_line(argv[2]);
	for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
		call_all();
	return 0;
}
