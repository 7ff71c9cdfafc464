// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collide MS burns MS milliseconds in each of two chains of callers, in turns. x86-64 only.
 *
 * The chains differ in bit 34 of a frame, and in bits 63 and 31 of the next frame. If a hash
 * rotates each frame by 29 and multiplies, the first difference becomes one in the top bit, which
 * no odd factor changes. If it then adds the upper half to the lower one, the next frame takes the
 * difference away. So both chains have one hash, whatever the factor is.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "chain.h"

#define PAGE        4096
#define PLACE       0x210000000000 /* of chain_one; that of chain_two has another bit 34 */
#define OFF_IN_PAGE 16
#define TURN_MS     20

/* Nobody calls these functions. Their pages are mapped where the chains have their frames. */
#define CALLER(name)                                                                               \
	void name(void);                                                                           \
	__attribute__((aligned(PAGE))) void name(void)                                             \
	{                                                                                          \
		__asm__ volatile(".skip 64, 0x90");                                                \
	}
CALLER(chain_one)
CALLER(chain_two)

/* Maps the page of the file that holds @function at @at. Returns 0 or -1. */
static int map_page(int fd, void (*function)(void), uint64_t at)
{
	const Elf64_Phdr *phdrs = (const void *)getauxval(AT_PHDR);
	uint64_t nr = getauxval(AT_PHNUM), base = 0, vaddr;

	for (uint64_t i = 0; i < nr; i++)
		if (phdrs[i].p_type == PT_PHDR)
			base = (uint64_t)phdrs - phdrs[i].p_vaddr;
	vaddr = (uint64_t)function - base;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t off = vaddr - phdrs[i].p_vaddr;

		if (phdrs[i].p_type == PT_LOAD && off < phdrs[i].p_filesz)
			return mmap((void *)at, PAGE, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
				    (off_t)(phdrs[i].p_offset + off)) == (void *)at
				       ? 0
				       : -1;
	}
	return -1;
}

int main(int argc, char **argv)
{
	const uint64_t one = PLACE, two = PLACE ^ 1ULL << 34, next = 0x1000;
	const struct frame ends[] = {{NULL, next}, {NULL, next ^ 0x8000000080000000}};
	const struct frame chains[] = {{&ends[0], one + OFF_IN_PAGE},
				       {&ends[1], two + OFF_IN_PAGE}};
	uint64_t end = cpu_ms() + 2 * (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (map_page(fd, chain_one, one) || map_page(fd, chain_two, two)) {
		perror("mmap");
		return 1;
	}
	while (cpu_ms() < end) {
		burn_in_chain(&chains[0], TURN_MS);
		burn_in_chain(&chains[1], TURN_MS);
	}
	return 0;
}
