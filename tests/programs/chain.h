/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU time with a stack that the program made up. x86-64 only. */
#ifndef TESTS_PROGRAMS_CHAIN_H
#define TESTS_PROGRAMS_CHAIN_H

#include <stdint.h>
#include <time.h>

/* The kernel takes this for a frame when it follows rbp. */
struct frame {
	const struct frame *next;
	uint64_t return_address;
};

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Burns @ms with rbp at @chain. No memory is touched while rbp points to the chain. */
__attribute__((noinline)) static void burn_in_chain(const struct frame *chain, uint64_t ms)
{
	uint64_t end = cpu_ms() + ms;

	while (cpu_ms() < end) {
		uint64_t turns = 1000000;

		__asm__ volatile("mov %%rbp, %%r8\n\t"
				 "mov %1, %%rbp\n"
				 "1:\tdec %0\n\t"
				 "jnz 1b\n\t"
				 "mov %%r8, %%rbp"
				 : "+c"(turns)
				 : "D"(chain)
				 : "r8", "cc", "memory");
	}
}

#endif
