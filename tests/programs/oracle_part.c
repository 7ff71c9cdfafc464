// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plug-in of oracle.c. PART_A and PART_B are the names of its functions, and FRAME is the number
 * of bytes of their frames. All plug-ins have their functions at equal offsets in the file, each in
 * a page of its own. Nobody calls DECOY_A and DECOY_B, which follow the functions.
 */
#include <stdint.h>

#define FUNCTION(name)                                                                             \
	uint64_t name(uint64_t loops);                                                             \
	__attribute__((section(".parts"), aligned(4096), noinline)) uint64_t name(uint64_t loops)  \
	{                                                                                          \
		volatile char room[FRAME];                                                         \
                                                                                                   \
		room[0] = 0;                                                                       \
		for (; loops; loops--)                                                             \
			__asm__ volatile("");                                                      \
		return room[0];                                                                    \
	}

#define DECOY(name)                                                                                \
	void name(void);                                                                           \
	__attribute__((section(".parts"), aligned(256), noinline)) void name(void)                 \
	{                                                                                          \
		__asm__ volatile(".skip 512, 0x90");                                               \
	}

FUNCTION(PART_A)
DECOY(DECOY_A)
FUNCTION(PART_B)
DECOY(DECOY_B)
