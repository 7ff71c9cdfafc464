// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shared library for programs/loader.c. Its function burns CPU in code without unwind
 * information. There rbp looks like a frame pointer and is none.
 */
#include <time.h>

void wander(void);
void astray(long n);

__asm__(".text\n.globl astray\n.hidden astray\n.type astray, @function\nastray:\n"
	"push %rbp\npush $1\npush $1\npush $1\nmov %rsp, %rbp\n"
	"1: dec %rdi\njnz 1b\n"
	"add $24, %rsp\npop %rbp\nret\n.size astray, .-astray\n");

void wander(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		astray(100000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < 700);
}
