// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * planted TURNS burns CPU time until it is ended. It makes TURNS turns in one function for each
 * 9000 turns in the other: with 1000 turns, the first function has 10 % of the CPU time.
 */
#include <stdlib.h>

#define OTHER_TURNS 9000
#define TURN        100

static volatile unsigned int sink;

static void work_planted(int turns)
{
	for (int i = 0; i < TURN * turns; i++)
		sink += i;
}

/* A turn takes as long as one of work_planted. The compiler joins functions that are equal. */
static void work_constant(int turns)
{
	for (int i = 0; i < TURN * turns; i++)
		sink ^= i;
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 0;

	for (;;) {
		work_planted(turns);
		work_constant(OTHER_TURNS);
	}
}
