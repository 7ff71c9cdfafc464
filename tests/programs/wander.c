// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shared library for programs/loader.c. Its function takes WANDER_FAULTS page faults in code
 * without unwind information. There rbp looks like a frame pointer and is none.
 */
#include "burn.h"

#define WANDER_FAULTS 40

void wander(void);
void astray(volatile char *page);

__asm__(".text\n.globl astray\n.hidden astray\n.type astray, @function\nastray:\n"
	"push %rbp\npush $1\npush $1\npush $1\nmov %rsp, %rbp\n"
	"movb $1, (%rdi)\n"
	"add $24, %rsp\npop %rbp\nret\n.size astray, .-astray\n");

void wander(void)
{
	static volatile char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

	for (int i = 0; i < WANDER_FAULTS; i++) {
		madvise((void *)page, PAGE_BYTES, MADV_DONTNEED);
		astray(page);
	}
}
